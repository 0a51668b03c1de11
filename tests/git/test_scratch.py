"""A folder is left behind once its process is dead, and never before."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from gitscalpel.git import scratch


def left(folder: Path) -> list[str]:
    with ExitStack() as held:
        return [each.path.name for each in scratch.take_abandoned(folder, held)]


def made_and_let_go_of(folder: Path) -> scratch.Scratch:
    with scratch.hold_new_scratch(folder) as made:
        made.write("transaction", b"what it was about")
        return made


def test_it_is_left_once_nobody_holds_it(tmp_path: Path) -> None:
    with scratch.make_scratch(tmp_path) as held:
        held.write("transaction", b"x")
        assert left(tmp_path) == []
    assert list((tmp_path / "scratch").iterdir()) == []
    gone = made_and_let_go_of(tmp_path)
    assert left(tmp_path) == [gone.path.name]
    assert scratch.has_abandoned(tmp_path)


@pytest.mark.parametrize("with_lock", [False, True])
def test_one_that_holds_nothing_yet_is_cleared_away_without_a_word(tmp_path: Path, with_lock: bool) -> None:
    path = tmp_path / "scratch/0123"
    path.mkdir(parents=True)
    if with_lock:
        (path / "lock").touch()
    assert left(tmp_path) == []
    assert not path.exists()


def test_one_that_is_being_cleared_is_not_taken_for_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    before = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        before(path, missing_ok)
        monkeypatch.setattr(Path, "unlink", before)  # who looks may clear away
        found.extend(left(tmp_path))
        monkeypatch.setattr(Path, "unlink", unlink)

    monkeypatch.setattr(Path, "unlink", unlink)
    with scratch.make_scratch(tmp_path) as held:
        for name in ("a", "lock.held", "z"):
            (held.path / name).write_bytes(b"x")
    assert found == []
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("torn", [b"", b"git-scalpel sealed 1 \0\0\0\0"])
def test_a_note_that_a_power_cut_has_torn_says_nothing_and_is_nobody_elses(
    tmp_path: Path, torn: bytes
) -> None:
    gone = made_and_let_go_of(tmp_path)
    note = gone.path / "transaction"
    assert not gone.doubtful
    note.write_bytes(torn)
    assert (gone.read("transaction"), gone.doubtful) == (b"", False)
    note.write_bytes(b"by somebody else")
    assert gone.doubtful


def test_who_clears_up_may_take_a_folder_that_is_just_being_made(tmp_path: Path) -> None:
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
