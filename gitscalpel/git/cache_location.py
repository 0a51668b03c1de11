"""Directory of a repository's pool, outside of it: test runners find nothing below `.git`."""

from __future__ import annotations

import errno
import os
from hashlib import blake2b
from pathlib import Path

from gitscalpel.errors import Misconfigured, NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.git.repository import Repository

_KEY = "scalpel.worktreedir"
POOL_LOCK = "pool.lock"
"""Held by whoever looks for a free slot, or makes one."""


def pool_directory(repo: Repository) -> tuple[Path, str]:
    """The folder of this repository's slots, which are numbered, and the name of each one's root below.

    That is the repository's: some tools take the name of a project from it.

    Raises:
        NotAllowed: ``untrusted``: the repository's own configuration says where, and nobody has trusted that.
    """
    said = next((each.what for each in repo.untrusted if each.where == _KEY), None)
    if said is not None:
        raise NotAllowed(
            "untrusted",
            f"this repository's configuration has worktrees made in {said}, and you have not trusted that",
            f"if you have said so, {call('trust')} (SCALPEL_TRUST=1 in CI); or say it for all of yours: "
            "git config --global scalpel.worktreeDir FOLDER",
        )
    name = (repo.work_tree or repo.common_dir).name
    return pools_directory(repo) / f"{name}-{repository_digest(repo)}", name


def repository_digest(repo: Repository) -> str:
    """What tells the pools of repositories of one name apart."""
    return blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]


def pools_directory(repo: Repository) -> Path:
    """Where the slots of repositories lie."""
    configured = repo.config.get(_KEY)
    if configured and all(each.where != _KEY for each in repo.untrusted):
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    return _cache(repo)


def cache_directory(repo: Repository) -> Path:
    """This user's folder for what can be made again of a repository; where its slots lie too, mostly."""
    home = repo.common_dir.parent if repo.common_dir.name == ".git" else repo.common_dir
    return _cache(repo) / f"{home.name}-{repository_digest(repo)}"


def _cache(repo: Repository) -> Path:
    cache = Path(repo.environment.get("XDG_CACHE_HOME", ""))
    # The specification has relative ones ignored.
    cache = cache if cache.is_absolute() else Path("~/.cache").expanduser()
    return (cache / "git-scalpel").resolve()  # as git writes it down


def make_directory(folder: Path) -> None:
    """Make a folder of the pool. Raises ``Misconfigured``: ``unavailable``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise  # the disk's fault: another folder would not help
        raise Misconfigured(
            "unavailable",
            f"no worktree can be made in {folder}: {error.strerror}",
            "name a folder that you may write to: git config scalpel.worktreeDir FOLDER",
        ) from None
