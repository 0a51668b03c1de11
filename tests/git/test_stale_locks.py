"""Locks from before the last boot are removed once if they may be gitscalpel's, and all others stay."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel.git import ref_transaction
from gitscalpel.system import repo_lock
from tests.sandbox import Sandbox

OURS = {
    "index.lock": b"git-scalpel 0123456789abcdef\n",
    "HEAD.lock": b"",
    "packed-refs.lock": bytes(7),
    "refs/heads/main.lock": b"",
    "refs/scalpel/ops.lock": b"half of an id",
    "logs/refs/heads/main.lock": b"some of a log",
}
OTHERS = {
    "index.lock": b"DIRC, of a commit whose message is being written",
    "HEAD.lock": b"ref: refs/heads/other\n",
    "refs/heads/side.lock": b"0123456789012345678901234567890123456789\n",
}


@pytest.fixture
def remove_stale_locks(repo: Sandbox) -> Callable[..., set[str]]:
    def run(locks: dict[str, bytes], age: float, *refs: str) -> set[str]:
        """Lay locks that are older than the boot by ``age`` seconds, and return those that are removed."""
        folder = repo.root / ".git"
        for name, content in locks.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.utime(file, (repo_lock.boot_time() - age,) * 2)
        with repo.opened() as (opened, _):
            removed = ref_transaction.remove_older_than_boot(opened, refs)
        assert not [file for file in removed if file.exists()]
        return {str(file.relative_to(folder)) for file in removed}

    return run


def test_own_locks_before_boot_are_removed(remove_stale_locks: Callable[..., set[str]]) -> None:
    assert remove_stale_locks(OURS, 60) == set(OURS)


def test_own_locks_after_boot_stay(remove_stale_locks: Callable[..., set[str]]) -> None:
    assert remove_stale_locks(OURS, -60) == set()


def test_foreign_locks_stay_at_any_age(remove_stale_locks: Callable[..., set[str]]) -> None:
    assert remove_stale_locks(OTHERS, 60) == set()


def test_foreign_lock_of_a_landed_ref_is_removed(remove_stale_locks: Callable[..., set[str]]) -> None:
    assert remove_stale_locks(OTHERS, 60, "refs/heads/side") == {"refs/heads/side.lock"}


def test_stale_locks_are_searched_once_per_boot(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = repo.root / ".git/scalpel"
    assert not ref_transaction.is_boot_check_due(folder)
    folder.mkdir()
    assert ref_transaction.is_boot_check_due(folder)
    repo.land({"a": b"1\n"})  # landing recovers first
    assert not ref_transaction.is_boot_check_due(folder)
    monkeypatch.setattr(repo_lock, "boot_identity", lambda: b"another")
    assert ref_transaction.is_boot_check_due(folder)


def test_boot_time_is_in_the_past(tmp_path: Path) -> None:
    assert len(repo_lock.boot_identity()) == 36
    assert 0 < repo_lock.boot_time() < tmp_path.stat().st_mtime
