"""Staged changes elsewhere in a landed file stay staged: index and disk are merged separately."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE
from tests.sandbox import Sandbox

NUMBERS = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
THEIRS = {"a.py": NUMBERS.replace(b"1", b"theirs")}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.py": NUMBERS, "b.py": b"b\n"})
    return repo


def index_content(repo: Sandbox, path: str) -> bytes:
    return (repo.git("show", f":{path}") + "\n").encode()


def test_staged_change_is_merged(repo: Sandbox) -> None:
    repo.write({"a.py": NUMBERS.replace(b"5", b"staged")})
    repo.git("add", "a.py")
    both = NUMBERS.replace(b"1", b"theirs").replace(b"5", b"staged")
    landed = repo.land(THEIRS)
    assert (repo.files()["a.py"], index_content(repo, "a.py")) == (both, both)
    assert repo.status() == "M  a.py"
    assert repo.git("show", "HEAD:a.py").encode() + b"\n" == THEIRS["a.py"]
    repo.move(repo.undoing(landed))
    assert (repo.files()["a.py"], repo.status()) == (NUMBERS.replace(b"5", b"staged"), "M  a.py")


def test_staged_and_unstaged_changes_are_merged_separately(repo: Sandbox) -> None:
    repo.write({"a.py": NUMBERS.replace(b"5", b"staged")})
    repo.git("add", "a.py")
    repo.write({"a.py": NUMBERS.replace(b"5", b"staged").replace(b"9", b"mine")})
    repo.land(THEIRS)
    assert index_content(repo, "a.py") == NUMBERS.replace(b"1", b"theirs").replace(b"5", b"staged")
    assert repo.files()["a.py"] == index_content(repo, "a.py").replace(b"9", b"mine")
    assert repo.status() == "MM a.py"


def test_staged_change_reverted_on_disk_stays_staged(repo: Sandbox) -> None:
    repo.write({"a.py": NUMBERS.replace(b"5", b"staged")})
    repo.git("add", "a.py")
    repo.write({"a.py": NUMBERS})
    repo.land(THEIRS)
    assert repo.files()["a.py"] == THEIRS["a.py"]
    assert index_content(repo, "a.py") == NUMBERS.replace(b"1", b"theirs").replace(b"5", b"staged")
    assert repo.status() == "MM a.py"


def test_staged_mode_stays(repo: Sandbox) -> None:
    repo.write({"a.py": (EXECUTABLE, NUMBERS)})
    repo.git("add", "a.py")
    repo.land(THEIRS)
    assert repo.git("ls-files", "-s", "a.py").startswith("100755")
    assert repo.files()["a.py*"] == THEIRS["a.py"]
    assert repo.status() == "M  a.py"
