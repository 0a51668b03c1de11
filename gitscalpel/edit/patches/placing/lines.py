"""The lines of a document, ready for lines to be looked up in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from gitscalpel.text.document import Document


class Lines:
    """The lines of a document without their line feeds."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.text.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.is_unfinished = bool(document.text) and not document.text.endswith(b"\n")

    @cached_property
    def plain(self) -> list[bytes]:
        """The lines without a carriage return at their end either."""
        return [line.removesuffix(b"\r") for line in self.lines]

    @cached_property
    def _where(self) -> dict[bytes, list[int]]:
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, line in enumerate(self.plain):
            found[line].append(at)
        return found

    def every(self, old: Sequence[bytes]) -> list[int]:
        """The index of every line at which ``old`` stands but for its line endings."""
        wanted = [line.removesuffix(b"\r") for line in old]
        rarest = min(range(len(wanted)), key=lambda n: len(self._where.get(wanted[n], ())))
        starts = (at - rarest for at in self._where.get(wanted[rarest], ()))
        return [at for at in starts if at >= 0 and self.plain[at : at + len(wanted)] == wanted]

    def span(self, at: int, count: int) -> tuple[int, int]:
        """The bytes of ``count`` lines from the index ``at`` on."""
        starts = self.document.starts
        return starts[min(at, len(starts) - 1)], starts[min(at + count, len(starts) - 1)]
