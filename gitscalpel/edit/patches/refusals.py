"""What is said when a patch cannot be read or does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitscalpel.edit.patches.form import Hunk
from gitscalpel.errors import DoesNotFit
from gitscalpel.text.document import Document
from gitscalpel.text.match import split
from gitscalpel.text.nearest import nearest

_HINT = "make the patch again from the files as they are on the target branch"


def failed(message: str, hint: str = _HINT, **data: Any) -> DoesNotFit:
    """A patch that cannot be applied."""
    return DoesNotFit("patch_failed", message, hint, **data)


def not_found(path: str, hunk: Hunk, document: Document) -> DoesNotFit:
    """A hunk whose old lines do not stand in the file; shows the lines that come closest."""
    lines = split(document.text)
    near = [{"n": n, "text": lines[n - 1].decode("utf-8", "replace")} for n in nearest(lines, hunk.old)]
    shown = "; ".join(f"line {row['n']}: {row['text']}" for row in near)
    hint = "copy the old lines exactly as show prints them" + (f"; closest are {shown}" if shown else "")
    return failed(
        f"hunk {hunk.index} does not fit {path}: its old lines do not stand there",
        hint,
        path=path,
        hunk=hunk.index,
        nearest=near,
    )


def ambiguous(path: str, hunk: Hunk, found: Sequence[int]) -> DoesNotFit:
    """A hunk that fits in several places, none of them where it says."""
    count = len(hunk.old)
    ranges = [[at + 1, at + count] for at in found]
    return DoesNotFit(
        "ambiguous",
        f"hunk {hunk.index} fits {path} in {len(found)} places, at lines "
        + ", ".join(f"{first}-{last}" for first, last in ranges[:10]),
        "give more context lines around the change, or its right line number",
        path=path,
        hunk=hunk.index,
        ranges=ranges,
    )


def no_change(path: str) -> DoesNotFit:
    """A patch that leaves a file as it is."""
    return DoesNotFit(
        "no_change",
        f"the patch leaves {path} as it is",
        "check whether the change was made before",
        path=path,
    )
