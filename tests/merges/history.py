"""The files of a history's merges in which git sees a conflict, three ways and as they were committed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_FILES = 8
"""Of one merge at most so many files: generated ones are many, and alike."""
_TRIED = 12
"""So many merges are tried for each that is wanted: most have no conflict."""


class Case(NamedTuple):
    """One file of one merge: its bytes in the base, both parents and the merge's own commit."""

    commit: str
    path: str
    base: bytes
    ours: bytes
    theirs: bytes
    committed: bytes | None


class History:
    """A repository that is only read; what git writes while it merges goes to ``scratch``.

    Raises:
        ValueError: there is no repository.
    """

    def __init__(self, repo: Path, scratch: Path) -> None:
        places = (repo, repo / ".git", repo / "repo", repo / "repo" / ".git")
        found = [place for place in places if (place / "HEAD").is_file() and (place / "objects").is_dir()]
        if not found:
            raise ValueError(f"{repo} is no repository")
        scratch.mkdir(parents=True, exist_ok=True)
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_DIR": str(found[0]),
            "GIT_OBJECT_DIRECTORY": str(scratch),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((found[0] / "objects").resolve()),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }

    def conflicts(self, merges: int) -> Iterator[Case]:
        """The conflicting files of up to so many merges, from all over the history."""
        told = self._git("rev-list", "--all", "--min-parents=2", "--max-parents=2", "--parents")
        every = [row.split() for row in (told or b"").decode("ascii").splitlines()]
        found = 0
        for commit, ours, theirs in every[:: max(1, len(every) // (_TRIED * merges))]:
            cases = list(islice(self._of(commit, ours, theirs), _FILES))
            yield from cases
            found += bool(cases)
            if found >= merges:
                return

    def _of(self, commit: str, ours: str, theirs: str) -> Iterator[Case]:
        told = self._git("merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs, accept=(1,))
        stages: dict[str, dict[int, str]] = {}
        for row in (told or b"").split(b"\0")[1:]:
            what, tab, path = row.decode("utf-8", "surrogateescape").partition("\t")
            if tab:
                mode, oid, stage = what.split()
                if mode in {"100644", "100755"}:
                    stages.setdefault(path, {})[int(stage)] = oid
        for path, held in stages.items():
            blobs = [self._git("cat-file", "blob", held[stage]) for stage in (1, 2, 3) if stage in held]
            texts = [blob for blob in blobs if blob is not None and b"\0" not in blob]
            if len(texts) == 3:
                base, mine, yours = texts
                yield Case(commit, path, base, mine, yours, self._git("cat-file", "blob", f"{commit}:{path}"))

    def _git(self, *args: str, accept: tuple[int, ...] = (0,)) -> bytes | None:
        done = subprocess.run(["git", *args], env=self._env, capture_output=True, check=False)
        return done.stdout if done.returncode in accept else None
