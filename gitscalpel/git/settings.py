"""What git's configuration says about commits now, asked again only when it may have changed.

A process that lives for weeks must not sign, or sign in a name, as it was on
its first day; asking for every commit would cost more than ``git commit-tree``.
Unseen until something else changes: a file that is included and does not exist yet.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from gitscalpel.git import identity
from gitscalpel.git.configuration import is_true
from gitscalpel.git.identity import Who
from gitscalpel.git.repository import Repository

_PLACES = frozenset({"EMAIL", "HOME", "XDG_CONFIG_HOME"})

_Stamp = tuple[object, ...]


class Settings(msgspec.Struct, frozen=True):
    """How commits are made; None where git refuses to say who makes them."""

    signing: bool
    author: Who | None
    committer: Who | None


class ReadSettings:
    """The settings as they were when the repository was opened, for a process that ends soon."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    def now(self) -> Settings:
        """The settings; nobody is known of whom git would have to be asked."""
        config, environment = self._repo.config, self._repo.environment
        return Settings(
            self._repo.flag("commit.gpgSign"),
            identity.known("author", config, environment),
            identity.known("committer", config, environment),
        )


class LiveSettings:
    """The settings of one repository, as they are whenever somebody looks."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._origins: frozenset[Path] = frozenset()
        self._seen: _Stamp | None = None
        self._settings = Settings(False, None, None)

    def now(self) -> Settings:
        """The settings. Raises ``InputOutput`` if git cannot read its configuration."""
        stamp = self._stamp()
        while stamp != self._seen:
            before = stamp
            self._settings = self._ask()
            stamp, self._seen = self._stamp(), before  # they differ if a file was found, or changed meanwhile
        return self._settings

    def _ask(self) -> Settings:
        git = self._repo.git
        listed = os.fsdecode(git("config", "--list", "--show-origin", "-z")).split("\0")
        origins, pairs = listed[0::2], [pair.partition("\n") for pair in listed[1::2]]
        files = {origin.removeprefix("file:") for origin in origins if origin.startswith("file:")}
        self._origins = frozenset(git.directory / file for file in files)
        signing = [value for key, _, value in pairs if key == "commit.gpgsign"]
        return Settings(
            bool(signing) and is_true(signing[-1]),
            self._who("GIT_AUTHOR_IDENT", "GIT_AUTHOR_DATE"),
            self._who("GIT_COMMITTER_IDENT", "GIT_COMMITTER_DATE"),
        )

    def _who(self, variable: str, date: str) -> Who | None:
        result = self._repo.git.run("var", variable)
        if result.status:
            return None
        name, _, when = result.out.decode("utf-8", "surrogateescape").strip("\n").rpartition("> ")
        return Who(name + ">", when if self._repo.environment.get(date) else None)

    def _stamp(self) -> _Stamp:
        """What changes when the settings may have."""
        caller = self._repo.environment
        home = Path(caller.get("HOME", "/"))
        usual = {
            Path("/etc/gitconfig"),
            home / ".gitconfig",
            Path(caller.get("XDG_CONFIG_HOME") or home / ".config") / "git/config",
            self._repo.common_dir / "config",
            self._repo.git_dir / "config.worktree",
            self._repo.git_dir / "HEAD",  # includeIf "onbranch:…"
        }
        env = [item for item in caller.items() if item[0].startswith("GIT_") or item[0] in _PLACES]
        return (*sorted(env), *((file, _file_stamp(file)) for file in sorted(self._origins | usual)))


def _file_stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
