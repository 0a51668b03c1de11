"""Files that ``sudo git scalpel`` has left: the next call without sudo gets a hint."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.states import unprivileged

TEXT = ("text", "a.txt", "--old", "one", "--new", "two", "--json")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(
    "pattern",
    [
        ".git/scalpel",
        ".git/scalpel/*",
        ".git/objects/pack",
        ".git/refs/scalpel",
        ".git/refs/heads",
        ".git/index",
    ],
)
def test_files_of_root_have_a_chown_hint(tmp_path: Path, pattern: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": b"one\n"})
    run = unprivileged.give_directory(tmp_path)
    assert run(repo.root, *TEXT).status == 0
    assert run(repo.root, "undo").status == 0
    for file in repo.root.glob(pattern):
        os.lchown(file, 0, 0)
        file.chmod(0o755 if file.is_dir() else 0o600)
    answer = run(repo.root, *TEXT)
    assert answer.error["code"] == "io_error"
    assert f'`sudo chown -R "$(id -u)" {repo.root / ".git"}`' in answer.error["hint"]
