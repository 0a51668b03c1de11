"""A repository with all that belongs to it, in one folder, that can be brought back to how it was made.

It always lies in the same place, since linked worktrees know each other by their full paths.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.crash.judge import git
from tests.crash.scenarios import BASE, Scenario, Words
from tests.sandbox import SEALED, Sandbox


class Box:
    """The folder of one scenario.

    Attributes:
        root: of the checkout.
        cache: where the pool of worktrees lies.
        env: for all that runs in it.
        words: the command that is to be struck.
    """

    def __init__(self, folder: Path, scenario: Scenario) -> None:
        self._folder, self._place = folder, folder / "box"
        self.root, self.cache = self._place / "repo", self._place / "cache"
        self.env = sealed(self._place)
        os.environ.clear()
        os.environ.update(self.env)
        shutil.rmtree(self._place, ignore_errors=True)
        (self._place / "home").mkdir(parents=True)
        repo = Sandbox.init(self.root)
        repo.git("config", "gc.auto", "0")
        repo.commit(BASE)
        self.words: Words = scenario.make(repo)
        self.save("made")

    def save(self, name: str) -> None:
        """Keep the box as it is."""
        _copy(self._place, self._folder / name)

    def restore(self, name: str = "made") -> None:
        """Bring the box back to how it was kept."""
        _copy(self._folder / name, self._place)
        trees = git(self.env, self.root, "worktree", "list", "--porcelain").split("\n")
        for row in trees:
            folder = Path(row.removeprefix("worktree "))
            if row.startswith("worktree ") and folder.is_dir() and not _locked(self.root):
                git(self.env, folder, "update-index", "-q", "--refresh")  # copies have other inodes


def sealed(place: Path) -> dict[str, str]:
    """The environment of everything in a box."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    homes = {"HOME": "home", "XDG_CONFIG_HOME": "home", "XDG_CACHE_HOME": "cache"}
    own = {name: str(place / folder) for name, folder in homes.items()}
    # A preloaded interpreter is not to count what it writes for itself.
    return {**kept, **SEALED, **own, "PYTHONDONTWRITEBYTECODE": "1", "PATH": _path(kept["PATH"])}


def _path(path: str) -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{path}"


def _locked(root: Path) -> bool:
    return (root / ".git/index.lock").exists()


def _copy(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)
