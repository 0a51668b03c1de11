"""Another program writes the same file at the worst moment, and no content is overwritten."""

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


def save_by_rename(path: Path, content: bytes) -> None:
    """Replace the file as most editors do."""
    sibling = path.with_suffix(".new")
    sibling.write_bytes(content)
    sibling.rename(path)


def run_at_exchange(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> None:
    """Run one of ``acts`` before each exchange of files, right before the system call."""
    pending, exchange = list(acts), working_tree.exchange_files

    def act_and_exchange(a: Path, b: Path) -> bool:
        if pending:
            pending.pop(0)()
        return exchange(a, b)

    monkeypatch.setattr(working_tree, "exchange_files", act_and_exchange)


def edit_six(repo: Sandbox) -> str:
    with gitscalpel.open(repo.root) as opened:
        return _edit_six(opened)


def _edit_six(opened: Repository) -> str:
    try:
        return opened.edit(Text(path="a.txt", old="six", new="6"), onto="@checkout").state
    except ScalpelError as error:
        return error.code


@pytest.mark.parametrize("save_file", [save_by_rename, Path.write_bytes])
def test_concurrent_write_elsewhere_is_merged(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch, save_file: Callable[[Path, bytes], object]
) -> None:
    run_at_exchange(monkeypatch, lambda: save_file(repo.root / "a.txt", LINES.replace(b"one", b"1")))
    assert edit_six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"one", b"1").replace(b"six", b"6")}


def test_concurrent_write_at_the_edit_is_stale(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    other_content = LINES.replace(b"six", b"seven")
    run_at_exchange(monkeypatch, lambda: save_by_rename(repo.root / "a.txt", other_content))
    assert edit_six(repo) == "stale"
    assert repo.files() == {"a.txt": other_content}


def test_endless_writer_makes_the_edit_stale(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = (LINES.replace(b"one", b"%d" % number) for number in range(1000))
    written: list[bytes] = []

    def save() -> None:
        written.append(next(versions))
        save_by_rename(repo.root / "a.txt", written[-1])

    run_at_exchange(monkeypatch, *[save, save, lambda: None] * 40)  # also while the replaced file is restored
    assert edit_six(repo) == "stale"
    assert repo.files()["a.txt"] == written[-1]
    assert list(repo.files()) == ["a.txt"]


def _kept_path(repo: Sandbox, content: bytes) -> str:
    """Return the path of the content in the quarantine."""
    files = (file for file in (repo.root / ".git/scalpel/quarantine").rglob("*") if file.is_file())
    (match,) = (str(file) for file in files if file.read_bytes() == content)
    return match


def test_writes_to_both_files_are_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program appends to the file before the exchange, and to ours before it is exchanged back."""
    other_content = LINES.replace(b"six", b"seven")

    def append() -> None:
        with (repo.root / "a.txt").open("ab") as file:
            file.write(b"more\n")

    run_at_exchange(monkeypatch, lambda: (repo.root / "a.txt").write_bytes(other_content), append)
    warnings: list[str] = []
    with Repository(repo.root, warn=warnings.append) as opened, pytest.raises(ScalpelError):
        opened.edit(Text(path="a.txt", old="six", new="6"), onto="@checkout")
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6") + b"more\n"}
    assert _kept_path(repo, other_content) in "".join(warnings)
    with gitscalpel.open(repo.root) as opened:
        reasons = {found.name: found.says for found in opened.fsck() if found.what == "quarantine"}
    assert (
        reasons[_kept_path(repo, other_content)]
        == "saved in an editor while a.txt was edited, and then overwritten"
    )


def test_write_before_a_removal_and_after_it_is_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file to be removed is written at the last moment, and written again at its path."""
    other_content = LINES.replace(b"six", b"seven")
    rename, left = Path.rename, [other_content]

    def write_and_rename(self: Path, goal: Path) -> Path:
        if self.name == "a.txt" and left:
            self.write_bytes(left.pop())
            moved_path = rename(self, goal)
            self.write_bytes(b"new\n")
            return moved_path
        return rename(self, goal)

    monkeypatch.setattr(Path, "rename", write_and_rename)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(gitscalpel.Remove(path="a.txt"))
    assert caught.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": b"new\n"}
    assert _kept_path(repo, other_content) in str(caught.value)


def test_request_applied_by_another_process_is_found(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request is sent twice at once: the second reads the files after the first has written them."""
    results, checkout = [], Workspace.checkout
    request = changeset(Text(path="a.txt", old="six", new="6"), request_id="r1")

    def send() -> None:
        with gitscalpel.open(repo.root) as opened:
            results.append(opened.apply(request, onto="@checkout"))

    def look_after_other(ws: Workspace) -> Target:
        monkeypatch.setattr(Workspace, "checkout", checkout)
        send()
        return checkout(ws)

    monkeypatch.setattr(Workspace, "checkout", look_after_other)
    send()
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6")}
    assert results[0].tx == results[1].tx
    assert [result.state for result in results] == ["edited", "edited"]


def test_writer_with_an_open_file_is_awaited(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that truncates and writes has the old file open during the exchange."""
    descriptor = os.open(repo.root / "a.txt", os.O_WRONLY)
    wait_for_writers = working_tree.wait_for_writers

    def write_late(path: Path, patience: working_tree.WriterPatience) -> None:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, LINES.replace(b"one", b"1"))
        os.close(descriptor)
        monkeypatch.setattr(working_tree, "wait_for_writers", wait_for_writers)
        wait_for_writers(path, patience)

    monkeypatch.setattr(working_tree, "wait_for_writers", write_late)
    assert edit_six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"one", b"1").replace(b"six", b"6")}


@pytest.mark.skipif(sys.platform != "linux", reason="file leases are specific to Linux")
def test_wait_ends_when_the_writer_closes(tmp_path: Path) -> None:
    from threading import Timer

    file = tmp_path / "f"
    file.write_bytes(b"x")
    descriptor = os.open(file, os.O_WRONLY)
    Timer(0.1, os.close, [descriptor]).start()
    working_tree.wait_for_writers(file, working_tree.WriterPatience())
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(descriptor, b"")


def test_landing_does_not_overwrite_a_concurrent_write(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_content = LINES.replace(b"one", b"1")
    run_at_exchange(monkeypatch, lambda: save_by_rename(repo.root / "a.txt", other_content))
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(Text(path="a.txt", old="six", new="6"))
    assert caught.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": other_content}


def test_edit_renames_without_the_exchange_call(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_tree, "exchange_files", lambda _a, _b: False)
    assert edit_six(repo) == "edited"
    assert repo.files() == {"a.txt": LINES.replace(b"six", b"6")}


def test_new_file_of_another_program_is_not_overwritten(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def write_and_link(old: Path, new: Path, **save_file: bool) -> None:
        if new.name == "new.txt":
            new.write_bytes(b"mine\n")
        link(old, new, **save_file)

    monkeypatch.setattr(os, "link", write_and_link)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError):
        opened.edit(gitscalpel.Write(path="new.txt", content="ours\n"), onto="@checkout")
    assert repo.files() == {"a.txt": LINES, "new.txt": b"mine\n"}


def test_second_concurrent_write_is_not_lost(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = LINES.replace(b"one", b"1"), LINES.replace(b"one", b"11")
    run_at_exchange(
        monkeypatch,
        lambda: save_by_rename(repo.root / "a.txt", first),
        lambda: save_by_rename(repo.root / "a.txt", second),
    )
    assert edit_six(repo) == "edited"
    assert repo.files() == {"a.txt": second.replace(b"six", b"6")}


def test_write_before_a_removal_is_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, other_content = Path.rename, LINES.replace(b"one", b"1")
    left = [other_content]

    def write_and_rename(self: Path, goal: Path) -> Path:
        if self.name == "a.txt" and left:
            self.write_bytes(left.pop())
        return rename(self, goal)

    monkeypatch.setattr(Path, "rename", write_and_rename)
    with gitscalpel.open(repo.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(gitscalpel.Remove(path="a.txt"))
    assert caught.value.code == "dirty_overlap"
    assert repo.files() == {"a.txt": other_content}


@pytest.mark.parametrize("after", [b"new\n", None])
def test_replaced_file_is_restored_after_a_kill(tmp_path: Path, after: bytes | None) -> None:
    """The process was killed between the system call and the check of the replaced file."""
    ids = {content: Oid(f"{number:040}") for number, content in enumerate([b"old\n", b"new\n", b"mine\n"])}
    work = WorkTree(tmp_path, ids.__getitem__)
    if after is not None:
        (tmp_path / "f").write_bytes(after)
    sibling = working_tree.sibling_path(tmp_path / "f", "0" * 16)
    sibling.write_bytes(b"mine\n")
    new = Entry(REGULAR, ids[after]) if after is not None else None
    work.sweep("f", "0" * 16, Entry(REGULAR, ids[b"old\n"]), new)
    assert (tmp_path / "f").read_bytes() == b"mine\n"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_unknown_content_is_quarantined_after_a_kill(tmp_path: Path) -> None:
    """As above, and another program has written to the new file."""
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


def test_partial_file_is_removed_after_a_kill(tmp_path: Path) -> None:
    ids = {content: Oid(f"{number:040}") for number, content in enumerate([b"old\n", b"new\n", b"ne"])}
    (tmp_path / "f").write_bytes(b"old\n")
    working_tree.sibling_path(tmp_path / "f", "0" * 16).write_bytes(b"ne")
    entries = (Entry(REGULAR, ids[content]) for content in (b"old\n", b"new\n"))
    WorkTree(tmp_path, ids.__getitem__).sweep("f", "0" * 16, *entries)
    assert (tmp_path / "f").read_bytes() == b"old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
