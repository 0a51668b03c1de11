"""Finds a repository and reads its configuration without git, where both are of the usual kind.

A folder ``.git`` with files of its own, of this user, in a work tree around it, with a configuration that
includes nothing and extends nothing: nearly every repository. For all others there is None, and git is asked.
See setup.c (``setup_git_directory_gently``, ``ensure_valid_ownership``) in git.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from gitscalpel.git import config_file

_TOLD = ("GIT_CEILING", "GIT_DISCOVERY", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_TEST", "SUDO_UID")
"""Variables by which git looks elsewhere, or takes other values."""
_USUAL = ("/usr/bin/git", "/bin/git", "/usr/lib/git-core/git", "/usr/libexec/git-core/git")
"""A git that is built for these places keeps what is the machine's in ``/etc``. For ``git scalpel`` git puts
the folder of its own programs first in the search path: then it is found there."""
_TRUE = ("1", "true", "yes", "on")
_ALONE = "true"


class Found(msgspec.Struct, frozen=True):
    """A repository.

    Attributes:
        work_tree: the root of its files; its git directory is ``.git`` in that.
        prefix: where one stands below the root: ``""`` or ``"sub/"``.
        rows: scope, key and value of the configuration, as ``git config --list --show-scope`` has them.
    """

    work_tree: Path
    prefix: str
    rows: tuple[tuple[str, str, str], ...]


def find(directory: Path, environment: Mapping[str, str]) -> Found | None:
    """The repository that ``directory`` lies in; None: git is to be asked."""
    if any(name.startswith(_TOLD) for name in environment):
        return None
    try:
        here = Path(os.path.realpath(directory))
        root = _root(here)
        if root is None or not _is_usual_git(root / ".git"):
            return None
        rows = tuple(_rows(root / ".git", environment))
    except (OSError, config_file.Unclear):
        return None
    if any(scope == "local" and _is_special(key, value) for scope, key, value in rows):
        return None
    below = here.relative_to(root).as_posix()
    return Found(root, "" if below == "." else f"{below}/", rows)


def linked(root: Path, common_dir: Path) -> Path | None:
    """The git directory of a linked worktree; None: git is to be asked."""
    status = (root / ".git").lstat()
    link = os.fsdecode((root / ".git").read_bytes())
    git_dir = Path(os.path.realpath(root / link.removeprefix("gitdir: ").rstrip("\n")))
    mine = root.stat().st_uid == status.st_uid == os.geteuid() and stat.S_ISREG(status.st_mode)
    if not mine or not link.startswith("gitdir: ") or git_dir.parent != common_dir / "worktrees":
        return None
    above = os.path.realpath(git_dir / os.fsdecode((git_dir / "commondir").read_bytes()).rstrip("\n"))
    is_usual = Path(above) == common_dir and not (git_dir / "config.worktree").exists()
    return git_dir if is_usual and (git_dir / "HEAD").is_file() else None


def has_usual_places(environment: Mapping[str, str]) -> bool:
    """Whether the machine's own files of the git that is found lie in ``/etc``."""
    # `shutil` would load what reads archives, in every call
    found = (os.path.join(folder, "git") for folder in os.get_exec_path(environment))  # noqa: PTH118
    return next((path for path in found if os.access(path, os.X_OK)), None) in _USUAL


def _root(here: Path) -> Path | None:
    """The nearest folder with a ``.git``; None: it is no folder, or there is something else before it."""
    device = here.stat().st_dev
    for folder in (here, *here.parents):
        if folder.stat().st_dev != device or (folder / "HEAD").exists():
            return None
        try:
            found = (folder / ".git").lstat()
        except FileNotFoundError:
            continue
        mine = folder.stat().st_uid == found.st_uid == os.geteuid()
        return folder if mine and stat.S_ISDIR(found.st_mode) else None
    return None


def _is_usual_git(place: Path) -> bool:
    if (place / "commondir").exists() or (place / "config.worktree").exists():
        return False
    head = (place / "HEAD").read_bytes()
    return head.startswith(b"ref: refs/") and (place / "objects").is_dir() and (place / "refs").is_dir()


def _is_special(key: str, value: str) -> bool:
    if key == "core.bare":
        return value.lower() not in ("false", "no", "off", "0")
    if key == "core.repositoryformatversion":
        return value != "0"
    return key.startswith("extensions.") or key == "core.worktree"


def _rows(place: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for scope, file in (*_machine(environment), *_user(environment), ("local", place / "config")):
        try:
            text = os.fsdecode(file.read_bytes())
        except FileNotFoundError:
            continue
        for key, value in config_file.parse(text):
            if key.startswith(("include.", "includeif.")):
                raise config_file.Unclear
            yield scope, key, _ALONE if value is None else value


def _machine(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if environment.get("GIT_CONFIG_NOSYSTEM", "").lower() in _TRUE:
        return
    if "GIT_CONFIG_NOSYSTEM" in environment or not (
        "GIT_CONFIG_SYSTEM" in environment or has_usual_places(environment)
    ):
        raise config_file.Unclear
    yield "system", Path(environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))


def _user(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if "GIT_CONFIG_GLOBAL" in environment:
        yield "global", Path(environment["GIT_CONFIG_GLOBAL"])
        return
    home = environment.get("HOME", "")
    if not home:
        raise config_file.Unclear
    yield "global", Path(environment.get("XDG_CONFIG_HOME") or f"{home}/.config", "git/config")
    yield "global", Path(home, ".gitconfig")
