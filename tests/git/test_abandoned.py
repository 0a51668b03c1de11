"""Locks from before the machine's start go, once, if they may be ours; all others stay."""

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
def released(repo: Sandbox) -> Callable[..., set[str]]:
    def run(locks: dict[str, bytes], age: float, *named: str) -> set[str]:
        """Lay locks that are older than the machine's start by so many seconds; those that are released."""
        folder = repo.root / ".git"
        for name, content in locks.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.utime(file, (repo_lock.boot_time() - age,) * 2)
        with repo.opened() as (opened, _):
            gone = ref_transaction.remove_older_than_boot(opened, named)
        assert not [file for file in gone if file.exists()]
        return {str(file.relative_to(folder)) for file in gone}

    return run


def test_those_that_may_be_ours_go(released: Callable[..., set[str]]) -> None:
    assert released(OURS, 60) == set(OURS)


def test_what_is_younger_than_the_start_stays(released: Callable[..., set[str]]) -> None:
    assert released(OURS, -60) == set()


def test_others_stay_however_old_they_are(released: Callable[..., set[str]]) -> None:
    assert released(OTHERS, 60) == set()


def test_what_a_landing_was_about_goes(released: Callable[..., set[str]]) -> None:
    assert released(OTHERS, 60, "refs/heads/side") == {"refs/heads/side.lock"}


def test_it_is_looked_for_once_after_each_start(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = repo.root / ".git/scalpel"
    assert not ref_transaction.is_boot_check_due(folder)
    folder.mkdir()
    assert ref_transaction.is_boot_check_due(folder)
    repo.land({"a": b"1\n"})  # which heals first
    assert not ref_transaction.is_boot_check_due(folder)
    monkeypatch.setattr(repo_lock, "boot_identity", lambda: b"another")
    assert ref_transaction.is_boot_check_due(folder)


def test_the_machine_was_started_before_this(tmp_path: Path) -> None:
    assert len(repo_lock.boot_identity()) == 36
    assert 0 < repo_lock.boot_time() < tmp_path.stat().st_mtime
