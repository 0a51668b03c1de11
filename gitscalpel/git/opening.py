"""Chooses what an object store reads with: the one place that knows there are two ways."""

from __future__ import annotations

from gitscalpel.git.catfile import CatFile
from gitscalpel.git.compose import CommitObjects
from gitscalpel.git.repository import Repository
from gitscalpel.git.settings import LiveSettings, ReadSettings
from gitscalpel.git.store import Objects, Store
from gitscalpel.git.written import Written

libgit2_is_at_hand = False
"""It is imported already, and read with by whoever opens a store: so for all children of a server."""


def open_store(repo: Repository, long_lived: bool = False) -> Store:
    """Open the object store of ``repo``.

    Args:
        repo: the repository.
        long_lived: this process stays, so libgit2 is worth its import (where it is
            installed and can open the repository), and so is asking once who commits.
    """
    written = Written(repo.objects, repo.object_format)
    repo = repo.telling(written.starting)
    objects = _libgit2(repo) if long_lived or libgit2_is_at_hand else None
    settings = LiveSettings(repo) if long_lived else ReadSettings(repo)
    return Store(repo, objects or CatFile(repo.git), written, CommitObjects(settings))


def _libgit2(repo: Repository) -> Objects | None:
    try:
        from gitscalpel.git import libgit2
    except ImportError:
        return None
    return libgit2.open_objects(repo)
