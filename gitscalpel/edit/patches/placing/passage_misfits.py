"""What is said when the old text of a patch stands nowhere in the file, or not as often as it says."""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.edit.patches.pieces import Passage
from gitscalpel.edit.patches.placing.misfits import (
    closest,
    differing,
    near,
    refuse_left_out,
    told,
    worded,
)
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import endings
from gitscalpel.text.match import split


def passage_not_found(source: Source, passage: Passage) -> DoesNotFit:
    """Text that does not stand in the file; shows the lines that come closest."""
    old = split(endings.plain(passage.old))
    refuse_left_out(source.path, source.document, old, f"edit {passage.index}", edit=passage.index)
    shown, found = near(source.document, old), differing(source.document, old)
    hint = "copy the old text exactly as it stands in the file"
    return DoesNotFit(
        "not_found",
        f"edit {passage.index} of {source.path}: its old text does not stand there" + worded(found),
        closest(hint, shown),
        path=source.path,
        edit=passage.index,
        nearest=shown,
        **told(found),
    )


def passage_ambiguous(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    """Text that stands in the file several times."""
    at = source.document.line_at
    ranges = [[at(start), max(at(start), at(end - 1))] for start, end in found]
    return DoesNotFit(
        "ambiguous",
        f"edit {passage.index} of {source.path}: its old text stands there {len(found)} times, at lines "
        + ", ".join(f"{first}-{last}" if first < last else str(first) for first, last in ranges[:10]),
        "add lines around it until it is the only one, or say that all are meant (replace_all)",
        path=source.path,
        edit=passage.index,
        ranges=ranges,
    )


def passage_count(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    """Text that stands in the file another number of times than the edit says."""
    at = source.document.line_at
    return DoesNotFit(
        "count_mismatch",
        f"edit {passage.index} of {source.path}: its old text stands there {len(found)} times, and "
        f"{passage.count} are expected",
        "say how many there are, or add lines around those that are meant",
        path=source.path,
        edit=passage.index,
        lines=[at(start) for start, _ in found],
        count=len(found),
    )


def passage_over_scoped(path: str, matched: int, put_back: int) -> DoesNotFit:
    """Old text that fits only by forgiving, and of which less than half is put back."""
    return DoesNotFit(
        "over_scoped",
        f"the old text matches {matched} lines of {path} by forgiving, and {put_back} come in their place",
        "copy the old text exactly as it stands in the file, or name only what changes",
        path=path,
        matched=matched,
        put_back=put_back,
    )
