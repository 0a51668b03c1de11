"""A repository with links and submodules that lead out of it, in a directory that must not change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from gitscalpel.changesets.file_tree import SYMLINK
from tests.sandbox import Content, Sandbox

CANARY = b"canary\n"


class Grounds(NamedTuple):
    """The repository, and the directory around it."""

    repo: Sandbox
    around: Path

    def fingerprint(self) -> dict[str, object]:
        """Return all that must not change: files around, work tree, and git's directory without data."""
        found: dict[str, object] = {}
        for here, folders, names in os.walk(self.around):
            if here == str(self.repo.root / ".git"):
                folders[:] = sorted({"hooks", "info", "modules", "refs", "worktrees"} & set(folders))
            if here.endswith(".git/refs"):
                folders[:] = [name for name in folders if name != "scalpel"]
            for name in [*names, *folders]:
                full = Path(here) / name
                found[str(full)] = full.readlink() if full.is_symlink() else _content(full)
        return found


def make_grounds(around: Path) -> Grounds:
    """Make the repository and the directory around it."""
    (around / "canary").mkdir(parents=True)
    (around / "canary/f.py").write_bytes(CANARY)
    repo = Sandbox.init(around / "repo")
    Sandbox.of(repo.root / "sub", {"f.py": CANARY})
    files: dict[str, Content] = {
        "f.py": b"def f():\n    return 1\n",
        "d/f.py": b"def f():\n    return 1\n",
        "in": (SYMLINK, b"d"),
        "out": (SYMLINK, b"../canary"),
        "out-file": (SYMLINK, b"../canary/f.py"),
        "d/out": (SYMLINK, b"../../canary"),
        "absolute": (SYMLINK, os.fsencode(around / "canary")),
        "up": (SYMLINK, b".."),
        "up-twice": (SYMLINK, b"d/../../canary"),
        "out-of-out": (SYMLINK, b"in/out"),
        "etc": (SYMLINK, b"/etc"),
        "self": (SYMLINK, b"self"),
        "ping": (SYMLINK, b"pong"),
        "pong": (SYMLINK, b"ping"),
        "git": (SYMLINK, b".git"),
        "git-config": (SYMLINK, b".git/config"),
        "d/git": (SYMLINK, b"../.git"),
        "GIT": (SYMLINK, b".GIT/"),
        "to-sub": (SYMLINK, b"sub"),
        ".gitattributes": (SYMLINK, b"../canary/f.py"),
        ".gitmodules": b'[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n',
    }
    files |= {f"chain{number}": (SYMLINK, b"chain%d" % (number + 1)) for number in range(60)}
    repo.commit(files)
    Sandbox.of(repo.root / "nested", {"f.py": CANARY})
    return Grounds(repo, around)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() and file.name != "index" else None
