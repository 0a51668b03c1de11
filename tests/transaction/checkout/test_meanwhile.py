"""Somebody writes the same file at the worst moment: nothing of anybody's is overwritten."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository, ScalpelError, Text, changeset
from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git import working_tree
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.workspace.workspace import Target, Workspace
from tests.sandbox import Sandbox

LINES = b"one\ntwo\nthree\nfour\nfive\nsix\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.txt": LINES})
    return repo


def saved(path: Path, content: bytes) -> None:
    """Save as most editors do."""
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.rename(path)


def at_the_exchange(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Do these, one at each exchange, when all has been looked at and nothing is left but the system call."""
    left, exchange = list(acts), working_tree.exchange_files

    def exchanged(a: Path, b: Path) -> bool:
        if left:
            left.pop(0)()
        return exchange(a, b)

    monkeypatch.setattr(working_tree, "exchange_files", exchanged)


def six(repo: Sandbox) -> str:
    with gitscalpel.open(repo.root) as opened:
        return _six(opened)


def _six(opened: Repository) -> str:
    try:
        return opened.edit(Text(path="a.txt", old="six", new="6"), onto="@checkout").state
    except ScalpelError as error:
        return error.code


@pytest.mark.parametrize("how", [saved, Path.write_bytes])
def test_what_is_written_in_the_last_moment_is_edited_again(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, how: Callable[[Path, bytes], object]
) -> None:
    at_the_exchange(monkeypatch, lambda: how(repo.root / "a.txt", LINES.replace(b"one", b"1")))
    assert six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"one", b"1").replace(b"six", b"6")}


def test_where_the_place_itself_has_changed_it_is_stale(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = LINES.replace(b"six", b"seven")
    at_the_exchange(monkeypatch, lambda: saved(repo.root / "a.txt", mine))
    assert six(repo) == "stale"
    assert repo.files() == {"a.txt": mine}


def test_who_never_stops_is_left_alone(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = (LINES.replace(b"one", b"%d" % number) for number in range(1000))
    written: list[bytes] = []

    def save() -> None:
        written.append(next(versions))
        saved(repo.root / "a.txt", written[-1])

    at_the_exchange(monkeypatch, *[save, save, lambda: None] * 40)  # and while what came away goes back
    assert six(repo) == "stale"
    assert repo.files()["a.txt"] == written[-1]
    assert list(repo.files()) == ["a.txt"]


def _kept(repo: Sandbox, content: bytes) -> str:
    """Where it lies in the quarantine."""
    files = (file for file in (repo.root / ".git/scalpel/quarantine").rglob("*") if file.is_file())
    (found,) = (str(file) for file in files if file.read_bytes() == content)
    return found


def test_what_is_written_into_both_files_is_kept_of_both(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program appends to the file before it changes places, and to ours before it goes back."""
    mine = LINES.replace(b"six", b"seven")

    def append() -> None:
        with (repo.root / "a.txt").open("ab") as file:
            file.write(b"more\n")

    at_the_exchange(monkeypatch, lambda: (repo.root / "a.txt").write_bytes(mine), append)
    told: list[str] = []
    with Repository(repo.root, warn=told.append) as opened, pytest.raises(ScalpelError):
        opened.edit(Text(path="a.txt", old="six", new="6"), onto="@checkout")
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6") + b"more\n"}
    assert _kept(repo, mine) in "".join(told)
    with gitscalpel.open(repo.root) as opened:
        said = {found.name: found.says for found in opened.fsck() if found.what == "quarantine"}
    assert said[_kept(repo, mine)] == "saved in an editor while a.txt was edited, and then overwritten"


def test_what_comes_away_and_is_saved_over_is_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is to go away, is written in the last moment, and once more where it was."""
    mine = LINES.replace(b"six", b"seven")
    rename, left = Path.rename, [mine]

    def renamed(self: Path, goal: Path) -> Path:
        if self.name == "a.txt" and left:
            self.write_bytes(left.pop())
            gone = rename(self, goal)
            self.write_bytes(b"new\n")
            return gone
        return rename(self, goal)

    monkeypatch.setattr(Path, "rename", renamed)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit(gitscalpel.Remove(path="a.txt"))
    assert refused.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": b"new\n"}
    assert _kept(repo, mine) in str(refused.value)


def test_a_request_that_somebody_else_has_just_done_is_answered_so(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent twice at the same moment: the second looks at the files when the first has written them."""
    told, checkout = [], Workspace.checkout
    sent = changeset(Text(path="a.txt", old="six", new="6"), request_id="r1")

    def send() -> None:
        with gitscalpel.open(repo.root) as opened:
            told.append(opened.apply(sent, onto="@checkout"))

    def looked(ws: Workspace) -> Target:
        monkeypatch.setattr(Workspace, "checkout", checkout)
        send()
        return checkout(ws)

    monkeypatch.setattr(Workspace, "checkout", looked)
    send()
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6")}
    assert told[0].tx == told[1].tx
    assert [each.state for each in told] == ["edited", "edited"]


def test_who_has_the_file_open_is_waited_for(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that truncates and writes has the old file in its hand while it is exchanged."""
    descriptor = os.open(repo.root / "a.txt", os.O_WRONLY)
    is_quiet = working_tree.wait_for_writers

    def written_late(path: Path, patience: working_tree.WriterPatience) -> None:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, LINES.replace(b"one", b"1"))
        os.close(descriptor)
        monkeypatch.setattr(working_tree, "wait_for_writers", is_quiet)
        is_quiet(path, patience)

    monkeypatch.setattr(working_tree, "wait_for_writers", written_late)
    assert six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"one", b"1").replace(b"six", b"6")}


@pytest.mark.skipif(sys.platform != "linux", reason="no leases here, so nobody is waited for")
def test_waiting_ends_when_the_writer_does(tmp_path: Path) -> None:
    from threading import Timer

    file = tmp_path / "f"
    file.write_bytes(b"x")
    descriptor = os.open(file, os.O_WRONLY)
    Timer(0.1, os.close, [descriptor]).start()
    working_tree.wait_for_writers(file, working_tree.WriterPatience())
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(descriptor, b"")


def test_the_bytes_of_a_landing_are_guarded_as_well(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = LINES.replace(b"one", b"1")
    at_the_exchange(monkeypatch, lambda: saved(repo.root / "a.txt", mine))
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit(Text(path="a.txt", old="six", new="6"))
    assert refused.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": mine}


def test_without_the_system_call_it_is_renamed(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_tree, "exchange_files", lambda _a, _b: False)
    assert six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6")}


def test_what_appears_in_the_last_moment_is_not_overwritten(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def linked(old: Path, new: Path, **how: bool) -> None:
        if new.name == "new.txt":
            new.write_bytes(b"mine\n")
        link(old, new, **how)

    monkeypatch.setattr(os, "link", linked)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError):
        opened.edit(gitscalpel.Write(path="new.txt", content="ours\n"), onto="@checkout")
    assert repo.files() == {"a.txt": LINES, "new.txt": b"mine\n"}


def test_who_saves_again_while_that_goes_back_is_not_lost(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = LINES.replace(b"one", b"1"), LINES.replace(b"one", b"11")
    at_the_exchange(
        monkeypatch,
        lambda: saved(repo.root / "a.txt", first),
        lambda: saved(repo.root / "a.txt", second),
    )
    assert six(repo) == "edited"
    assert repo.files() == {"a.txt": second.replace(b"six", b"6")}


def test_what_is_written_before_a_removal_stays(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, mine = Path.rename, LINES.replace(b"one", b"1")
    left = [mine]

    def renamed(self: Path, goal: Path) -> Path:
        if self.name == "a.txt" and left:
            self.write_bytes(left.pop())
        return rename(self, goal)

    monkeypatch.setattr(Path, "rename", renamed)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit(gitscalpel.Remove(path="a.txt"))
    assert refused.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": mine}


@pytest.mark.parametrize("after", [b"new\n", None])
def test_what_had_come_away_goes_back_after_a_kill(tmp_path: Path, after: bytes | None) -> None:
    """Killed between the system call and the look at what came away."""
    ids = {content: Oid(f"{number:040}") for number, content in enumerate([b"old\n", b"new\n", b"mine\n"])}
    work = WorkTree(tmp_path, ids.__getitem__)
    if after is not None:
        (tmp_path / "f").write_bytes(after)
    aside = working_tree.sibling_path(tmp_path / "f", "0" * 16)
    aside.write_bytes(b"mine\n")
    new = Entry(REGULAR, ids[after]) if after is not None else None
    work.sweep("f", "0" * 16, Entry(REGULAR, ids[b"old\n"]), new)
    assert (tmp_path / "f").read_bytes() == b"mine\n"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_what_nobody_knows_is_kept_after_a_kill(tmp_path: Path) -> None:
    """Killed as above, and somebody has written into what had taken the place."""
    contents = [b"old\n", b"new\n", b"mine\n", b"new\nmore\n"]
    ids = {content: Oid(f"{number:040}") for number, content in enumerate(contents)}
    work = WorkTree(tmp_path / "work", ids.__getitem__, quarantine=tmp_path / "kept")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/f").write_bytes(b"new\nmore\n")
    working_tree.sibling_path(tmp_path / "work/f", "0" * 16).write_bytes(b"mine\n")
    work.sweep("f", "0" * 16, *(Entry(REGULAR, ids[content]) for content in (b"old\n", b"new\n")))
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["f"]
    assert (tmp_path / "work/f").read_bytes() == b"new\nmore\n"
    assert [path.read_bytes() for path in (tmp_path / "kept").rglob("f")] == [b"mine\n"]


def test_half_of_a_file_does_not_take_its_place(tmp_path: Path) -> None:
    ids = {content: Oid(f"{number:040}") for number, content in enumerate([b"old\n", b"new\n", b"ne"])}
    (tmp_path / "f").write_bytes(b"old\n")
    working_tree.sibling_path(tmp_path / "f", "0" * 16).write_bytes(b"ne")
    entries = (Entry(REGULAR, ids[content]) for content in (b"old\n", b"new\n"))
    WorkTree(tmp_path, ids.__getitem__).sweep("f", "0" * 16, *entries)
    assert (tmp_path / "f").read_bytes() == b"old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
