"""What is said when a sketch of a whole file does not say what its ellipses stand for."""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.edit.patches.placing.misfits import closest, near, quoted
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import DoesNotFit
from gitscalpel.text.document import Document


def anchor_not_found(path: str, document: Document, anchor: Sequence[bytes]) -> DoesNotFit:
    """Lines beside an ellipsis that do not stand in the file."""
    shown = near(document, anchor)
    hint = "write above and below each ellipsis a line exactly as the file has it"
    return failed(
        f"the block for {path} has an ellipsis beside lines that the file does not hold: {quoted(anchor)}",
        closest(hint, shown),
        path=path,
        anchor=quoted(anchor),
        nearest=shown,
    )


def anchor_ambiguous(path: str, anchor: Sequence[bytes], found: Sequence[int]) -> DoesNotFit:
    """Lines beside an ellipsis that stand in the file several times."""
    ranges = [[at + 1, at + len(anchor)] for at in found]
    return DoesNotFit(
        "ambiguous",
        f"the block for {path} has an ellipsis beside lines that the file holds {len(found)} times, at lines "
        + ", ".join(str(first) for first, _ in ranges[:10])
        + f": {quoted(anchor)}",
        "let the ellipsis stand for less, up to a line that the file holds once",
        path=path,
        anchor=quoted(anchor),
        ranges=ranges,
    )


def sketch_over_scoped(path: str, removed: int, written: int) -> DoesNotFit:
    """A block that lacks many lines of the file and has no ellipsis there."""
    return DoesNotFit(
        "over_scoped",
        f"the block for {path} lacks {removed} lines of the file and writes {written} in their place",
        "write ... existing code ... as a comment where lines stay; to remove lines, use delete or lines",
        path=path,
        removed=removed,
        written=written,
    )
