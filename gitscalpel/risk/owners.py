"""Owners: whether the files are somebody else's, as CODEOWNERS says. Who seldom works there knows it less.

Bird and others, Don't Touch My Code! Examining the Effects of Ownership on Software Quality, 2011.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.errors import Misconfigured
from gitscalpel.globs import Globs
from gitscalpel.report import quoted
from gitscalpel.risk.about import About
from gitscalpel.risk.measured import Measured, many
from gitscalpel.snapshot import Snapshot, content_of

NAME = "owners"
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""In the order in which GitHub looks, then GitLab's."""


class Owners:
    """What a CODEOWNERS file says; of the patterns that match, the last one counts.

    Args:
        text: its text. A pattern that nobody can read is passed over.
    """

    def __init__(self, text: str) -> None:
        self._rows: list[tuple[Globs, tuple[str, ...]]] = []
        for line in text.splitlines():
            pattern, *owners = line.partition(" #")[0].split() or [""]
            if pattern and not pattern.startswith(("#", "[", "^[")):
                try:
                    self._rows.append((Globs([pattern]), tuple(owners)))
                except Misconfigured:
                    continue

    @classmethod
    def of(cls, files: Snapshot) -> Owners | None:
        """That of a tree; None: it has none."""
        found = (content_of(files, place) for place in PLACES)
        text = next((content for content in found if content is not None), None)
        return None if text is None else cls(text.decode("utf-8", "replace"))

    def owners(self, path: str) -> tuple[str, ...]:
        """Whose a file is; nobody's: none."""
        return next((owners for globs, owners in reversed(self._rows) if globs.match(path)), ())

    def of_others(self, paths: Iterable[str], authors: frozenset[str]) -> list[str]:
        """The files that are somebody's, and as far as anybody can tell none of these authors'."""
        known = {name for mail in authors for name in _names(mail)}
        owned = ((path, self.owners(path)) for path in paths)
        return [path for path, owners in owned if owners and not known & {o.lower() for o in owners}]


def measure(about: About) -> Measured:
    """The share of its files that are others'."""
    owners = Owners.of(about.outcome.overlay.below)
    if owners is None:
        return Measured(0, 0.0, "there is no CODEOWNERS")
    others = owners.of_others(about.paths, about.authors)
    if not others:
        return Measured(0, 0.0, "its files are its authors', or nobody's")
    whose = f"{quoted(others[0])} is of {', '.join(owners.owners(others[0]))}"
    words = f"{len(others)} of {many(len(about.paths), 'file')} belong to others: {whose}"
    return Measured(len(others), len(others) / len(about.paths), words)


def _names(mail: str) -> tuple[str, str]:
    """How an author may be named there: by mail, or by a handle, which is what stands before the @."""
    handle = mail.partition("@")[0].rpartition("+")[2]  # 123+name@users.noreply.github.com
    return mail.lower(), f"@{handle.lower()}"
