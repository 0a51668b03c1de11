"""Chooses what an object store reads with: the one place that knows there are several ways."""

from __future__ import annotations

from gitscalpel.git.catfile import CatFile
from gitscalpel.git.compose import CommitObjects
from gitscalpel.git.near import Near, Source
from gitscalpel.git.repository import Repository
from gitscalpel.git.settings import LiveSettings, ReadSettings
from gitscalpel.git.store import Store
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
    settings = LiveSettings(repo) if long_lived else ReadSettings(repo)
    source = _libgit2(repo) if long_lived or libgit2_is_at_hand else _here(repo)
    behind = CatFile(repo.git)
    return Store(repo, Near(source, behind) if source else behind, written, CommitObjects(settings))


def _libgit2(repo: Repository) -> Source | None:
    try:
        from gitscalpel.git import libgit2
    except ImportError:
        return None
    return libgit2.open_objects(repo)


def _here(repo: Repository) -> Source | None:
    from gitscalpel.git import here

    return here.Here(repo) if here.is_usual(repo) else None
