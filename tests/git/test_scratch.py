"""A scratch directory counts as abandoned once its process is dead, and never before."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from gitscalpel.git import scratch


def take_abandoned_names(folder: Path) -> list[str]:
    with ExitStack() as held:
        return [each.path.name for each in scratch.take_abandoned(folder, held)]


def make_and_release(folder: Path) -> scratch.Scratch:
    with scratch.hold_new_scratch(folder) as made:
        made.write("transaction", b"what it was about")
        return made


def test_scratch_is_abandoned_after_its_lock_is_released(tmp_path: Path) -> None:
    with scratch.make_scratch(tmp_path) as held:
        held.write("transaction", b"x")
        assert take_abandoned_names(tmp_path) == []
    assert list((tmp_path / "scratch").iterdir()) == []
    released = make_and_release(tmp_path)
    assert take_abandoned_names(tmp_path) == [released.path.name]
    assert scratch.has_abandoned(tmp_path)


@pytest.mark.parametrize("with_lock", [False, True])
def test_empty_scratch_is_removed_silently(tmp_path: Path, with_lock: bool) -> None:
    path = tmp_path / "scratch/0123"
    path.mkdir(parents=True)
    if with_lock:
        (path / "lock").touch()
    assert take_abandoned_names(tmp_path) == []
    assert not path.exists()


def test_scratch_that_is_being_removed_is_not_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    before = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        before(path, missing_ok)
        monkeypatch.setattr(Path, "unlink", before)  # the search itself may remove files
        found.extend(take_abandoned_names(tmp_path))
        monkeypatch.setattr(Path, "unlink", unlink)

    monkeypatch.setattr(Path, "unlink", unlink)
    with scratch.make_scratch(tmp_path) as held:
        for name in ("a", "lock.held", "z"):
            (held.path / name).write_bytes(b"x")
    assert found == []
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("torn", [b"", b"git-scalpel sealed 1 \0\0\0\0"])
def test_note_torn_by_a_power_cut_reads_as_empty(tmp_path: Path, torn: bytes) -> None:
    released = make_and_release(tmp_path)
    note = released.path / "transaction"
    assert not released.doubtful
    note.write_bytes(torn)
    assert (released.read("transaction"), released.doubtful) == (b"", False)
    note.write_bytes(b"by somebody else")
    assert released.doubtful


def test_concurrent_cleanup_does_not_break_new_scratches(tmp_path: Path) -> None:
    ended = threading.Event()

    def clear_up() -> None:
        while not ended.is_set():
            with ExitStack() as stack:
                scratch.take_abandoned(tmp_path, stack)

    clearing = threading.Thread(target=clear_up)
    clearing.start()
    try:
        for _ in range(1500):
            with scratch.make_scratch(tmp_path) as made:
                assert made.path.is_dir()
    finally:
        ended.set()
        clearing.join()
    assert not [*(tmp_path / "scratch").iterdir()]
