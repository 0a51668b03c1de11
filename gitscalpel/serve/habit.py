"""What git's configuration says of the server: ``scalpel.server`` is ``auto``, as by default, or ``off``.

git is asked only where one of the files that it would read has a word of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gitscalpel.git.run import WHERE, Git

_KEY = "scalpel.server"
_WORDS = (b"scalpel", b"include")
_ELSEWHERE = ("GIT_DIR", "GIT_CONFIG")
"""Variables by which git reads other files, or is told otherwise."""


def allows(environment: Mapping[str, str]) -> bool:
    """Whether whoever stands in the current folder lets servers do his calls."""
    told = any(name.startswith(_ELSEWHERE) for name in environment)
    if not told and not any(_may_speak(file) for file in _files(environment)):
        return True
    asked = Git(Path.cwd(), environment, kept=WHERE).run("config", "--get", _KEY)
    return asked.out.strip() != b"off"


def _may_speak(file: Path) -> bool:
    try:
        content = file.read_bytes().lower()
    except OSError:
        return False
    return any(word in content for word in _WORDS)


def _files(environment: Mapping[str, str]) -> Iterator[Path]:
    yield Path("/etc/gitconfig")
    home = environment.get("HOME", "")
    if home:
        yield Path(home, ".gitconfig")
    yield Path(environment.get("XDG_CONFIG_HOME") or Path(home, ".config"), "git/config")
    here = Path(os.getcwd())  # noqa: PTH109 - as the caller has it
    for folder in (here, *here.parents):
        place = folder / ".git"
        if place.exists():
            yield from _inside(place)
            return


def _inside(place: Path) -> Iterator[Path]:
    """The configuration of a repository; of a worktree beside it, both."""
    if place.is_file():
        place = place.parent / place.read_text(errors="replace").removeprefix("gitdir:").strip()
        yield place / "config.worktree"
        place = place / "../.."
    yield place / "config"
    yield place / "config.worktree"
