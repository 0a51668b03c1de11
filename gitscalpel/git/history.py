"""Which commits are new: reachable from one, and from nothing that is known."""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.repository import Repository


def new_in(repo: Repository, tip: str, known: Sequence[str] = (), beside: str = "--remotes") -> list[Oid]:
    """The commits of ``tip`` that neither ``known`` nor any ref of a kind holds, children before parents.

    Args:
        repo: where.
        tip: a commit, or what names one; a tag of something else has none.
        known: further commits that are not new.
        beside: ``--remotes``: what remote-tracking branches hold is known; ``--branches``: what branches do.
    """
    if repo.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tip}^{{commit}}").status:
        return []
    words = ("rev-list", "--topo-order", f"{tip}^{{commit}}", "--not", beside, *known)
    return [Oid(line) for line in repo.git(*words, "--").decode("ascii").split()]


def touching(repo: Repository, tip: Oid, path: str, limit: int) -> list[Oid]:
    """Return the latest commits on the first-parent line of ``tip`` that change a file, newest first."""
    words = ("--literal-pathspecs", "rev-list", "--first-parent", f"--max-count={limit}", tip, "--", path)
    return [Oid(line) for line in repo.git(*words).decode("ascii").split()]
