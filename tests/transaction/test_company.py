"""Who waits for a branch lands with whoever has its turn: one landing, and what each asked for, once."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gitscalpel import Replace, Repository, ScalpelError, Text, Write
from gitscalpel.changesets.requests import Changeset, changeset
from gitscalpel.git import journal
from gitscalpel.landing import build, group_landing, landing
from gitscalpel.landing.group_landing import Request, lock_location
from gitscalpel.system import trust
from gitscalpel.system.repo_lock import QueueTicket, hold_lock, iter_waiting, ticket_names
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.result import Result
from gitscalpel.workspace.workspace import Session, Workspace, environment
from tests.sandbox import Sandbox

MAIN = "refs/heads/main"
LINES = b"".join(b"line %d\n\n\n" % number for number in range(8))


def _edit(number: int, request_id: str | None = None) -> Changeset:
    op = Text(path="a.txt", old=f"line {number}\n", new=f"LINE {number}\n")
    return changeset(op, message=f"edit {number}", request_id=request_id)


def _workspace(repo: Sandbox, **variables: str) -> Workspace:
    return Workspace(Session(folder=repo.root, environment={**environment(), **variables}))


@contextmanager
def _turn(repo: Sandbox) -> Iterator[Path]:
    """Have the turn of the branch, so that all others stand in line; the folder of that."""
    with _workspace(repo) as ws:
        folder, name = lock_location(ws, MAIN)
    with hold_lock(folder, name=name):
        yield folder / f"{name}.line"


def _waiting(repo: Sandbox, calls: Sequence[Callable[[], Result]]) -> list[Result | ScalpelError]:
    """What becomes of calls that all came, in this order, while somebody else had the turn."""
    became: dict[int, Result | ScalpelError] = {}

    def call(number: int) -> None:
        try:
            became[number] = calls[number]()
        except ScalpelError as error:
            became[number] = error

    threads = [threading.Thread(target=call, args=(number,)) for number in range(len(calls))]
    with _turn(repo) as line:
        for there, thread in enumerate(threads, 1):
            thread.start()
            while len(ticket_names(line)) < there and thread.is_alive():
                threading.Event().wait(0.002)
    for thread in threads:
        thread.join()
    assert ticket_names(line) == []
    return [became[number] for number in range(len(calls))]


def _landing(repo: Sandbox, sent: Changeset, **variables: str) -> Callable[[], Result]:
    def land() -> Result:
        with _workspace(repo, **variables) as ws:
            return landing.submit(ws, sent, MAIN)

    return land


def _landed(became: Result | ScalpelError) -> Result:
    assert isinstance(became, Result), became
    assert became.landed is not None
    return became


def _moves(repo: Sandbox) -> int:
    """How often the branch has moved since its first commit."""
    return len(repo.git("reflog", "main").splitlines()) - 1


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": LINES, "b.txt": b"b\n"})


def test_all_who_wait_land_at_once(repo: Sandbox) -> None:
    became = _waiting(repo, [_landing(repo, _edit(number)) for number in range(5)])
    results = [_landed(each) for each in became]
    assert _moves(repo) == 1
    assert repo.git("log", "--reverse", "--format=%s").split("\n")[1:] == [f"edit {n}" for n in range(5)]
    assert repo.files()["a.txt"] == b"".join(
        b"%s %d\n\n\n" % (b"LINE" if n < 5 else b"line", n) for n in range(8)
    )
    assert repo.status() == ""
    for number, result in enumerate(results):
        assert result.landed is not None
        assert repo.git("log", "-1", "--format=%s", str(result.landed.after)) == f"edit {number}"
        assert f"+LINE {number}" in result.patch.diff
        assert [(row.path, row.what) for row in result.landed.files] == [("a.txt", "written")]
        assert [row.op for row in result.facts.ops] == ["text"]


def test_each_has_an_entry_of_its_own_which_can_be_undone(repo: Sandbox) -> None:
    results = [_landed(each) for each in _waiting(repo, [_landing(repo, _edit(n)) for n in (1, 2, 3)])]
    with Repository(repo.root) as opened:
        log = [entry.record for entry in opened.log()]
        assert [entry.tx for entry in log] == [result.tx for result in reversed(results)]
        opened.undo(str(results[1].tx))
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1").replace(b"line 3", b"LINE 3")


def test_what_does_not_go_there_is_refused_alone(repo: Sandbox) -> None:
    became = _waiting(repo, [_landing(repo, _edit(number)) for number in (1, 1, 2)])
    assert isinstance(became[1], ScalpelError)
    assert became[1].code == "not_found"
    assert [_landed(each).message for each in (became[0], became[2])] == ["edit 1", "edit 2"]
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1").replace(b"line 2", b"LINE 2")


def test_one_that_a_dirty_file_stands_against_keeps_nobody(repo: Sandbox) -> None:
    other = changeset(Text(path="b.txt", old="b", new="B"), message="b")
    calls = [_landing(repo, _edit(1)), _landing(repo, other), _landing(repo, _edit(2))]
    repo.write({"b.txt": b"mine\n"})
    first, dirty, last = _waiting(repo, calls)
    assert isinstance(dirty, ScalpelError)
    assert dirty.code == "dirty_overlap"
    assert [_landed(each).message for each in (first, last)] == ["edit 1", "edit 2"]
    assert repo.files()["b.txt"] == b"mine\n"


def test_one_request_lands_once(repo: Sandbox) -> None:
    became = _waiting(repo, [_landing(repo, _edit(1, request_id="r")) for _ in range(3)])
    assert len({_landed(each).tx for each in became}) == 1
    assert repo.git("rev-list", "--count", "main") == "2"


def test_everybody_stays_who_he_is(repo: Sandbox) -> None:
    """Another agent lands along; another author lands by himself, and both are who they are."""
    calls = [
        _landing(repo, _edit(1), SCALPEL_AGENT="one"),
        _landing(repo, _edit(2), SCALPEL_AGENT="two"),
        _landing(repo, _edit(3), GIT_AUTHOR_NAME="Somebody Else"),
    ]
    results = [_landed(each) for each in _waiting(repo, calls)]
    with Repository(repo.root) as opened:
        agents = {entry.record.tx: entry.record.agent for entry in opened.log()}
    assert [agents[str(result.tx)] for result in results] == ["one", "two", ""]
    authors = dict(line.split("|") for line in repo.git("log", "--format=%s|%an").split("\n"))
    assert authors["edit 3"] == "Somebody Else"
    assert authors["edit 2"] != "Somebody Else"
    assert _moves(repo) == 2


@pytest.mark.parametrize("within", [None, ("src/**",)])
def test_nobody_lands_for_another_what_that_one_may_not(
    repo: Sandbox, within: tuple[str, ...] | None
) -> None:
    """Who has the turn may change every file."""
    with Workspace(Session(folder=repo.root, within=within, confirmed="client")) as other:
        calls = [_landing(repo, _edit(1)), lambda: landing.submit(other, _edit(2), MAIN)]
        first, second = _waiting(repo, calls)
    assert _landed(first).message == "edit 1"
    if within is not None:
        assert isinstance(second, ScalpelError)
        assert second.code == "policy_denied"
        assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1")
    with Repository(repo.root) as opened:
        confirmed = {entry.record.message: entry.record.confirmed for entry in opened.log()}
    assert confirmed == {"edit 1": ""} | ({} if within else {"edit 2": "client"})


def test_a_ticket_has_all_that_was_sent(repo: Sandbox) -> None:
    """But for the branch, whose line it is, and the mails of patches: with a message they are credited.

    What needs an approval is staged, so it does not wait to land.
    """
    op = Text(path="a.txt", old="line 1\n", new="LINE 1\n", expect="a" * 12, base="b" * 40)
    sent = changeset(op, message="m", request_id="r", allow_broken=True, structure="strict")
    sent = msgspec.structs.replace(sent, author="A <a@b>")
    assert {f.name for f in msgspec.structs.fields(sent) if getattr(sent, f.name) == f.default} == {
        "onto",
        "mails",
        "source",
        "require_approval",
    }
    with _workspace(repo) as ws, _turn(repo):
        written = group_landing.write_ticket(ws, Request(sent, None), _unbuilt(ws, sent))
        ticket = group_landing.read_ticket(ws, MAIN, written)
    assert ticket is not None
    assert ticket.request == Request(sent, None)


def test_a_stricter_gate_that_was_asked_for_judges_who_waits(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": LINES, "a.py": b"def f(x):\n    return x\n"})
    old = "def f(x):\n    return x\n"
    op = Text(path="a.py", old=old, new=old + "\n\ndef g(x):\n    return x\n")
    strict = changeset(op, message="g", structure="strict")
    first, second = _waiting(repo, [_landing(repo, _edit(1)), _landing(repo, strict)])
    assert _landed(first).message == "edit 1"
    assert isinstance(second, ScalpelError)
    assert second.code == "structural_gate"


def test_who_is_not_told_finds_it_in_the_log(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever had the turn was killed between landing and telling."""
    monkeypatch.setattr(group_landing, "write_answers", lambda *_: None)
    became = _waiting(repo, [_landing(repo, _edit(number)) for number in range(4)])
    assert [_landed(each).message for each in became] == [f"edit {n}" for n in range(4)]
    assert repo.git("rev-list", "--count", "main") == "5"


def test_who_is_not_told_clears_away_what_the_killed_left(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He was killed when the branch had moved: git by hand would run into what lies there."""
    clear, left = journal.remove_journal, list[Path]()
    monkeypatch.setattr(
        journal, "remove_journal", lambda folder: clear(folder) if left else left.append(folder)
    )
    monkeypatch.setattr(group_landing, "write_answers", lambda *_: None)
    became = _waiting(repo, [_landing(repo, _edit(number)) for number in range(2)])
    assert [_landed(each).message for each in became] == ["edit 0", "edit 1"]
    assert left
    with Repository(repo.root) as opened:
        assert opened.status().recovery == "none"


def test_who_had_the_turn_was_killed_before_he_landed_them(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    join = group_landing.collect_companions
    monkeypatch.setattr(group_landing, "collect_companions", lambda ws, first: join(ws, first) and [])
    became = _waiting(repo, [_landing(repo, _edit(number)) for number in range(4)])
    assert [_landed(each).message for each in became] == [f"edit {n}" for n in range(4)]
    assert repo.git("rev-list", "--count", "main") == "5"


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_who_has_been_taken_along_and_left_behind_can_still_be_interrupted(
    repo: Sandbox, is_interrupted: bool
) -> None:
    """Whoever had the turn could not land it, or was killed: it does not land after all."""
    words = [sys.executable, "-m", "gitscalpel", "text", "a.txt", "--old", "line 1", "--new", "LINE 1"]
    with _turn(repo) as line:
        child = subprocess.Popen(words, cwd=repo.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (there := list(iter_waiting(line))):
            time.sleep(0.005)
        assert there[0].take() is not None
        time.sleep(0.3)  # it waits by now
        if is_interrupted:
            child.send_signal(signal.SIGINT)
            time.sleep(0.3)
    assert child.wait(30) == (130 if is_interrupted else 0)
    assert repo.git("rev-list", "--count", "main") == ("1" if is_interrupted else "2")
    assert ticket_names(line) == []


@pytest.mark.parametrize("is_built", [True, False])
@pytest.mark.parametrize("by", ["this user", "nobody", "this user, as an answer"])
def test_only_what_this_user_has_wished_for_is_done(repo: Sandbox, by: str, is_built: bool) -> None:
    with _workspace(repo) as ws, _turn(repo) as line:
        folder, _ = lock_location(ws, MAIN)
        make = _built if is_built else _unbuilt
        wish = group_landing.write_ticket(ws, Request(_edit(1), None), make(ws, _edit(1)))
        if by != "this user":
            wish = trust.strip_seal(wish)
        if by == "this user, as an answer":
            wish = trust.seal_content(folder, "answer", wish)
        place = QueueTicket(line, wish)
        joined = group_landing.collect_companions(ws, _built(ws, _edit(2)))
        place.leave()
    assert [each.change.meta.message for each in joined] == (["edit 1"] if by == "this user" else [])


def _built(ws: Workspace, sent: Changeset) -> Change:
    return build.build(ws, sent, ws.at(MAIN))


def _unbuilt(ws: Workspace, sent: Changeset) -> Change:
    return group_landing.make_unbuilt(ws, sent, ws.at(MAIN))


@pytest.mark.parametrize("ahead", [True, False])
def test_what_was_sent_waits_and_is_built_by_who_lands_it(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    """Each once, in one process or another, on the tip that it lands on."""
    built: list[str] = []
    apply = build.apply_operations

    def counted(ws: Workspace, sent: Changeset, *more: Any, **named: Any) -> Any:
        built.append(str(sent.message))
        return apply(ws, sent, *more, **named)

    monkeypatch.setattr(build, "apply_operations", counted)
    if ahead:
        for number in range(3):
            _landing(repo, _edit(number))()
    else:
        _waiting(repo, [_landing(repo, _edit(number)) for number in range(3)])
    assert built == [f"edit {number}" for number in range(3)]


def test_what_others_would_wait_for_is_built_before(tmp_path: Path) -> None:
    """Who uses a function is looked for over all files; who else has to wait is landed meanwhile."""
    repo = Sandbox.of(
        tmp_path / "repo",
        {"a.py": b"def f(x):\n    return x\n\n\ndef g(x):\n    return x\n", "b.py": b"import a\n\na.f(1)\n"},
    )
    wide = changeset(Replace(path="a.py", symbol="f", code="def f(x, y):\n    return x + y\n"), message="f")
    plain = changeset(Replace(path="a.py", symbol="g", code="def g(x):\n    return -x\n"), message="g")
    results = [_landed(each) for each in _waiting(repo, [_landing(repo, wide), _landing(repo, plain)])]
    affected = results[0].facts.affected
    assert affected
    assert [row.symbol for row in affected] == ["f"]
    assert repo.files()["a.py"] == b"def f(x, y):\n    return x + y\n\n\ndef g(x):\n    return -x\n"


@pytest.mark.parametrize("size", [1 << 10, 1 << 19])
def test_what_is_large_is_built_before(repo: Sandbox, size: int) -> None:
    """Whether it is there, or is to be put there."""
    repo.commit({"there.txt": b"x" * size})
    there = changeset(Text(path="there.txt", old="x", new="y", all=True))
    new = changeset(Write(path="new.txt", content="x" * size))
    with _workspace(repo) as ws:
        quick = [group_landing.is_quick(ws, sent, ws.at(MAIN)) for sent in (there, new)]
    assert quick == [size < 1 << 18] * 2


def test_who_saw_no_file_does_not_overwrite_one_that_came_meanwhile(repo: Sandbox) -> None:
    mine, yours = (
        changeset(Write(path="new.txt", content=content, overwrite=True)) for content in ("mine", "yours")
    )
    became = _waiting(repo, [_landing(repo, mine), _landing(repo, yours)])
    _landed(became[0])
    assert isinstance(became[1], ScalpelError)
    assert (became[1].code, became[1].data["content"]) == ("stale", "mine")
    assert repo.files()["new.txt"] == b"mine"


def test_who_waits_unbuilt_does_not_overwrite_what_has_changed_meanwhile(repo: Sandbox) -> None:
    """He is told what is there, as if he had come a moment later with what he has seen."""
    first = changeset(Text(path="a.txt", old="line 1\n", new="line one\n"), message="one")
    second = changeset(Text(path="a.txt", old="line 1\n", new="line 1.0\n"), message="two")
    became = _waiting(repo, [_landing(repo, first), _landing(repo, second)])
    assert _landed(became[0]).message == "one"
    assert isinstance(became[1], ScalpelError)
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"line one")
