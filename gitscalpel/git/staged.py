"""What is staged: the index against a commit, as the next commit will have it.

Inside a hook git may use another index than the repository's own (``git commit PATH``, ``commit -a``), and
says so in ``GIT_INDEX_FILE``; a relative one starts where git runs, at the top of the files.
"""

from __future__ import annotations

import os

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Change, Oid
from gitscalpel.errors import DoesNotFit
from gitscalpel.git.repository import Repository
from gitscalpel.git.uncommitted import parsed

INDEX = "GIT_INDEX_FILE"
_UNMERGED = "000000"


def changes(repo: Repository, base: Oid, *, as_told: bool) -> list[Change]:
    """How the index differs from the tree or commit ``base``; nothing is written.

    Args:
        repo: seen from where the caller stands.
        base: what it is held against.
        as_told: the caller's own variable says which index is meant.

    Raises:
        DoesNotFit: ``conflicted``: a merge in it is not resolved.
    """
    words = ("diff-index", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", "-z", base)
    found = list(parsed(repo.git(*words, env=environment(repo, as_told=as_told))))
    unmerged = [quoted(path) for path, _, new in found if new is not None and new.mode == _UNMERGED]
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"the merge of {', '.join(unmerged[:5])} is not resolved",
            "resolve it and `git add` the files",
            paths=unmerged,
        )
    return found


def resolved(repo: Repository, *, as_told: bool) -> frozenset[str]:
    """Return the paths that were in conflict in the index until `git add` resolved them."""
    rows = repo.git("ls-files", "--resolve-undo", "--full-name", "-z", env=environment(repo, as_told=as_told))
    return frozenset(os.fsdecode(row.partition(b"\t")[2]) for row in rows.split(b"\0") if row)


def environment(repo: Repository, *, as_told: bool) -> dict[str, str]:
    """The variable by which git finds the index that is meant."""
    told = repo.environment.get(INDEX) if as_told else None
    return {INDEX: told} if told else {}
