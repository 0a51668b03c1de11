"""Callers that wait for a branch land together with the holder of the branch lock, each once."""

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
def _hold_branch_lock(repo: Sandbox) -> Iterator[Path]:
    """Hold the lock of the branch, so that all others queue, and yield the directory of the queue."""
    with _workspace(repo) as ws:
        folder, name = lock_location(ws, MAIN)
    with hold_lock(folder, name=name):
        yield folder / f"{name}.line"


def _run_queued(repo: Sandbox, calls: Sequence[Callable[[], Result]]) -> list[Result | ScalpelError]:
    """Return the outcomes of calls that queued in this order while another caller held the lock."""
    outcomes: dict[int, Result | ScalpelError] = {}

    def call(number: int) -> None:
        try:
            outcomes[number] = calls[number]()
        except ScalpelError as error:
            outcomes[number] = error

    threads = [threading.Thread(target=call, args=(number,)) for number in range(len(calls))]
    with _hold_branch_lock(repo) as line:
        for count, thread in enumerate(threads, 1):
            thread.start()
            while len(ticket_names(line)) < count and thread.is_alive():
                threading.Event().wait(0.002)
    for thread in threads:
        thread.join()
    assert ticket_names(line) == []
    return [outcomes[number] for number in range(len(calls))]


def _make_landing(repo: Sandbox, sent: Changeset, **variables: str) -> Callable[[], Result]:
    def land() -> Result:
        with _workspace(repo, **variables) as ws:
            return landing.submit(ws, sent, MAIN)

    return land


def _require_landed(outcomes: Result | ScalpelError) -> Result:
    assert isinstance(outcomes, Result), outcomes
    assert outcomes.landed is not None
    return outcomes


def _count_moves(repo: Sandbox) -> int:
    """Return how often the branch has moved since its first commit."""
    return len(repo.git("reflog", "main").splitlines()) - 1


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": LINES, "b.txt": b"b\n"})


def test_queued_callers_land_in_one_step(repo: Sandbox) -> None:
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(number)) for number in range(5)])
    results = [_require_landed(outcome) for outcome in outcomes]
    assert _count_moves(repo) == 1
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


def test_each_queued_landing_has_its_own_undo(repo: Sandbox) -> None:
    results = [
        _require_landed(outcome)
        for outcome in _run_queued(repo, [_make_landing(repo, _edit(n)) for n in (1, 2, 3)])
    ]
    with Repository(repo.root) as opened:
        log = [entry.record for entry in opened.log()]
        assert [entry.tx for entry in log] == [result.tx for result in reversed(results)]
        opened.undo(str(results[1].tx))
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1").replace(b"line 3", b"LINE 3")


def test_conflicting_request_fails_alone(repo: Sandbox) -> None:
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(number)) for number in (1, 1, 2)])
    assert isinstance(outcomes[1], ScalpelError)
    assert outcomes[1].code == "not_found"
    assert [_require_landed(outcome).message for outcome in (outcomes[0], outcomes[2])] == [
        "edit 1",
        "edit 2",
    ]
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1").replace(b"line 2", b"LINE 2")


def test_dirty_file_blocks_only_its_own_request(repo: Sandbox) -> None:
    other = changeset(Text(path="b.txt", old="b", new="B"), message="b")
    calls = [_make_landing(repo, _edit(1)), _make_landing(repo, other), _make_landing(repo, _edit(2))]
    repo.write({"b.txt": b"mine\n"})
    first, dirty, last = _run_queued(repo, calls)
    assert isinstance(dirty, ScalpelError)
    assert dirty.code == "dirty_overlap"
    assert [_require_landed(outcome).message for outcome in (first, last)] == ["edit 1", "edit 2"]
    assert repo.files()["b.txt"] == b"mine\n"


def test_request_with_one_id_lands_once(repo: Sandbox) -> None:
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(1, request_id="r")) for _ in range(3)])
    assert len({_require_landed(outcome).tx for outcome in outcomes}) == 1
    assert repo.git("rev-list", "--count", "main") == "2"


def test_agents_and_authors_are_kept(repo: Sandbox) -> None:
    """A request of another agent lands in the group. A request of another author lands alone."""
    calls = [
        _make_landing(repo, _edit(1), SCALPEL_AGENT="one"),
        _make_landing(repo, _edit(2), SCALPEL_AGENT="two"),
        _make_landing(repo, _edit(3), GIT_AUTHOR_NAME="Somebody Else"),
    ]
    results = [_require_landed(outcome) for outcome in _run_queued(repo, calls)]
    with Repository(repo.root) as opened:
        agents = {entry.record.tx: entry.record.agent for entry in opened.log()}
    assert [agents[str(result.tx)] for result in results] == ["one", "two", ""]
    authors = dict(line.split("|") for line in repo.git("log", "--format=%s|%an").split("\n"))
    assert authors["edit 3"] == "Somebody Else"
    assert authors["edit 2"] != "Somebody Else"
    assert _count_moves(repo) == 2


@pytest.mark.parametrize("within", [None, ("src/**",)])
def test_path_limits_of_a_queued_caller_are_kept(repo: Sandbox, within: tuple[str, ...] | None) -> None:
    """The holder of the lock may change every file."""
    with Workspace(Session(folder=repo.root, within=within, confirmed="client")) as other:
        calls = [_make_landing(repo, _edit(1)), lambda: landing.submit(other, _edit(2), MAIN)]
        first, second = _run_queued(repo, calls)
    assert _require_landed(first).message == "edit 1"
    if within is not None:
        assert isinstance(second, ScalpelError)
        assert second.code == "policy_denied"
        assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"LINE 1")
    with Repository(repo.root) as opened:
        confirmed = {entry.record.message: entry.record.confirmed for entry in opened.log()}
    assert confirmed == {"edit 1": ""} | ({} if within else {"edit 2": "client"})


def test_ticket_contains_the_whole_request(repo: Sandbox) -> None:
    """The ticket omits the branch, which its queue names, and mails, because a message credits them.

    A changeset that needs an approval is staged, so no ticket waits for it.
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
    with _workspace(repo) as ws, _hold_branch_lock(repo):
        written = group_landing.write_ticket(ws, Request(sent, None), _unbuilt(ws, sent))
        ticket = group_landing.read_ticket(ws, MAIN, written)
    assert ticket is not None
    assert ticket.request == Request(sent, None)


def test_stricter_gate_of_a_queued_request_applies(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": LINES, "a.py": b"def f(x):\n    return x\n"})
    old = "def f(x):\n    return x\n"
    op = Text(path="a.py", old=old, new=old + "\n\ndef g(x):\n    return x\n")
    strict = changeset(op, message="g", structure="strict")
    first, second = _run_queued(repo, [_make_landing(repo, _edit(1)), _make_landing(repo, strict)])
    assert _require_landed(first).message == "edit 1"
    assert isinstance(second, ScalpelError)
    assert second.code == "structural_gate"


def test_unanswered_caller_finds_its_landing_in_the_log(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder of the lock was killed between landing and writing the answers."""
    monkeypatch.setattr(group_landing, "write_answers", lambda *_: None)
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(number)) for number in range(4)])
    assert [_require_landed(outcome).message for outcome in outcomes] == [f"edit {n}" for n in range(4)]
    assert repo.git("rev-list", "--count", "main") == "5"


def test_unanswered_caller_removes_a_stale_journal(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The holder was killed after the branch had moved. Its journal would hinder git commands of the user."""
    clear, journals = journal.remove_journal, list[Path]()
    monkeypatch.setattr(
        journal, "remove_journal", lambda folder: clear(folder) if journals else journals.append(folder)
    )
    monkeypatch.setattr(group_landing, "write_answers", lambda *_: None)
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(number)) for number in range(2)])
    assert [_require_landed(outcome).message for outcome in outcomes] == ["edit 0", "edit 1"]
    assert journals
    with Repository(repo.root) as opened:
        assert opened.status().recovery == "none"


def test_callers_land_after_the_lock_holder_is_killed(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    join = group_landing.collect_companions
    monkeypatch.setattr(group_landing, "collect_companions", lambda ws, first: join(ws, first) and [])
    outcomes = _run_queued(repo, [_make_landing(repo, _edit(number)) for number in range(4)])
    assert [_require_landed(outcome).message for outcome in outcomes] == [f"edit {n}" for n in range(4)]
    assert repo.git("rev-list", "--count", "main") == "5"


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_taken_ticket_can_be_interrupted(repo: Sandbox, is_interrupted: bool) -> None:
    """The holder took the ticket, but failed to land it or was killed, so the change has not landed."""
    words = [sys.executable, "-m", "gitscalpel", "text", "a.txt", "--old", "line 1", "--new", "LINE 1"]
    with _hold_branch_lock(repo) as line:
        child = subprocess.Popen(words, cwd=repo.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (tickets := list(iter_waiting(line))):
            time.sleep(0.005)
        assert tickets[0].take() is not None
        time.sleep(0.3)  # it waits by now
        if is_interrupted:
            child.send_signal(signal.SIGINT)
            time.sleep(0.3)
    assert child.wait(30) == (130 if is_interrupted else 0)
    assert repo.git("rev-list", "--count", "main") == ("1" if is_interrupted else "2")
    assert ticket_names(line) == []


@pytest.mark.parametrize("is_built", [True, False])
@pytest.mark.parametrize("sealed_by", ["this user", "nobody", "this user, as an answer"])
def test_only_tickets_sealed_by_this_user_land(repo: Sandbox, sealed_by: str, is_built: bool) -> None:
    with _workspace(repo) as ws, _hold_branch_lock(repo) as line:
        folder, _ = lock_location(ws, MAIN)
        make = _built if is_built else _unbuilt
        ticket = group_landing.write_ticket(ws, Request(_edit(1), None), make(ws, _edit(1)))
        if sealed_by != "this user":
            ticket = trust.strip_seal(ticket)
        if sealed_by == "this user, as an answer":
            ticket = trust.seal_content(folder, "answer", ticket)
        position = QueueTicket(line, ticket)
        joined = group_landing.collect_companions(ws, _built(ws, _edit(2)))
        position.leave()
    assert [companion.change.meta.message for companion in joined] == (
        ["edit 1"] if sealed_by == "this user" else []
    )


def _built(ws: Workspace, sent: Changeset) -> Change:
    return build.build(ws, sent, ws.at(MAIN))


def _unbuilt(ws: Workspace, sent: Changeset) -> Change:
    return group_landing.make_unbuilt(ws, sent, ws.at(MAIN))


@pytest.mark.parametrize("ahead", [True, False])
def test_queued_changeset_is_built_once(repo: Sandbox, monkeypatch: pytest.MonkeyPatch, ahead: bool) -> None:
    """Each changeset is built once, in one process or another, on the tip that it lands on."""
    built: list[str] = []
    apply = build.apply_operations

    def record_and_apply(ws: Workspace, sent: Changeset, *more: Any, **named: Any) -> Any:
        built.append(str(sent.message))
        return apply(ws, sent, *more, **named)

    monkeypatch.setattr(build, "apply_operations", record_and_apply)
    if ahead:
        for number in range(3):
            _make_landing(repo, _edit(number))()
    else:
        _run_queued(repo, [_make_landing(repo, _edit(number)) for number in range(3)])
    assert built == [f"edit {number}" for number in range(3)]


def test_slow_changeset_is_built_before_queueing(tmp_path: Path) -> None:
    """References are searched in all files before queueing, and other callers land meanwhile."""
    repo = Sandbox.of(
        tmp_path / "repo",
        {"a.py": b"def f(x):\n    return x\n\n\ndef g(x):\n    return x\n", "b.py": b"import a\n\na.f(1)\n"},
    )
    wide = changeset(Replace(path="a.py", symbol="f", code="def f(x, y):\n    return x + y\n"), message="f")
    narrow = changeset(Replace(path="a.py", symbol="g", code="def g(x):\n    return -x\n"), message="g")
    results = [
        _require_landed(outcome)
        for outcome in _run_queued(repo, [_make_landing(repo, wide), _make_landing(repo, narrow)])
    ]
    affected = results[0].facts.affected
    assert affected
    assert [row.symbol for row in affected] == ["f"]
    assert repo.files()["a.py"] == b"def f(x, y):\n    return x + y\n\n\ndef g(x):\n    return -x\n"


@pytest.mark.parametrize("size", [1 << 10, 1 << 19])
def test_large_changeset_is_not_quick(repo: Sandbox, size: int) -> None:
    """A file or an operation may be large."""
    repo.commit({"there.txt": b"x" * size})
    large_file = changeset(Text(path="there.txt", old="x", new="y", all=True))
    large_write = changeset(Write(path="new.txt", content="x" * size))
    with _workspace(repo) as ws:
        is_quick = [group_landing.is_quick(ws, sent, ws.at(MAIN)) for sent in (large_file, large_write)]
    assert is_quick == [size < 1 << 18] * 2


def test_overwrite_does_not_replace_a_concurrent_new_file(repo: Sandbox) -> None:
    mine, yours = (
        changeset(Write(path="new.txt", content=content, overwrite=True)) for content in ("mine", "yours")
    )
    outcomes = _run_queued(repo, [_make_landing(repo, mine), _make_landing(repo, yours)])
    _require_landed(outcomes[0])
    assert isinstance(outcomes[1], ScalpelError)
    assert (outcomes[1].code, outcomes[1].data["content"]) == ("stale", "mine")
    assert repo.files()["new.txt"] == b"mine"


def test_queued_edit_does_not_overwrite_a_concurrent_edit(repo: Sandbox) -> None:
    """The caller gets the current content, as if the request had come a moment later."""
    first = changeset(Text(path="a.txt", old="line 1\n", new="line one\n"), message="one")
    second = changeset(Text(path="a.txt", old="line 1\n", new="line 1.0\n"), message="two")
    outcomes = _run_queued(repo, [_make_landing(repo, first), _make_landing(repo, second)])
    assert _require_landed(outcomes[0]).message == "one"
    assert isinstance(outcomes[1], ScalpelError)
    assert repo.files()["a.txt"] == LINES.replace(b"line 1", b"line one")
