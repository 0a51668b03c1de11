"""Chooses what an object store reads with: the one place that knows there are two ways."""

from __future__ import annotations

from gitscalpel.git.catfile import CatFile
from gitscalpel.git.compose import CommitObjects
from gitscalpel.git.repository import Repository
from gitscalpel.git.settings import LiveSettings, ReadSettings
from gitscalpel.git.store import Objects, Store
from gitscalpel.git.written import Written


def open_store(repo: Repository, long_lived: bool = False) -> Store:
    """Open the object store of ``repo``.

    Args:
        repo: the repository.
        long_lived: this process stays, so libgit2 is worth its import (where it is
            installed and can open the repository), and so is asking once who commits.
    """
    written = Written(repo.objects, repo.object_format)
    repo = repo.telling(written.starting)
    if not long_lived:
        return Store(repo, CatFile(repo.git), written, CommitObjects(ReadSettings(repo)))
    return Store(repo, _libgit2(repo) or CatFile(repo.git), written, CommitObjects(LiveSettings(repo)))


def _libgit2(repo: Repository) -> Objects | None:
    try:
        from gitscalpel.git import libgit2
    except ImportError:
        return None
    return libgit2.open_objects(repo)
