"""Whether all in a merged file was written by somebody, stands as often as the changes say, and in order.

It looks at lines and words and knows nothing of definitions, so it holds what knows of them to account.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count, pairwise

from gitscalpel.text.common import longest_run

_WORDS = re.compile(rb"\w+|[^\w\s]")
_LETTER = re.compile(rb"\w")
_COMMA = b" \t\r\f,"
"""What the end of a line may get or lose: the comma that what follows it needs."""

Texts = tuple[bytes, bytes, bytes, bytes]
"""The base, ours, theirs and what came of them."""
Lines = list[bytes]


def is_written(texts: Texts, woven: Callable[[], frozenset[bytes]]) -> bool:
    """Whether each line is one that somebody wrote, as often and in the order that both sides say.

    Args:
        texts: the base, ours, theirs and the merged text.
        woven: the lines, without white space around them, that hold what may be put together anew.
    """
    rows = [[line.strip() for line in text.split(b"\n")] for text in texts]
    known = {*rows[0], *rows[1], *rows[2]}
    strange = {*rows[3]} - known
    if strange:
        bare = {line.rstrip(_COMMA) for line in known}
        anew = woven()
        if any(line.rstrip(_COMMA) not in bare for line in strange - anew):
            return False
        if not _agree([Counter(_WORDS.findall(text)) for text in texts]):
            return False
        rows = [[line for line in lines if line not in anew] for lines in rows]
    rows = [[line.rstrip(_COMMA) for line in lines if _LETTER.search(line)] for lines in rows]
    counts = [Counter(lines) for lines in rows]
    if not _agree(counts):
        return False
    base, ours, theirs, merged = _single(rows, counts)
    return _in_order(base, ours, theirs, merged) and _in_order(base, theirs, ours, merged)


def _agree(counts: list[Counter[bytes]]) -> bool:
    """Whether everything is there as often as the changes say, as far as its number says it."""
    base, ours, theirs, merged = counts
    return all(
        _is_told(base[item], ours[item], theirs[item], merged[item])
        for item in {*base, *ours, *theirs, *merged}
    )


def _is_told(base: int, ours: int, theirs: int, merged: int) -> bool:
    if max(base, ours, theirs) <= 1 and base in (ours, theirs):
        return merged == (theirs if ours == base else ours)
    both = ours + theirs - base
    return min(ours, theirs, both) <= merged <= max(ours, theirs, both)


def _in_order(base: Lines, side: Lines, other: Lines, merged: Lines) -> bool:
    """Whether what one side wrote stands in its order, unless the other moved it or put it there as well."""
    before, there, places = (dict(zip(lines, count(), strict=False)) for lines in (base, other, merged))
    kept = [line for line in base if line in there]
    stays = longest_run(there[line] for line in kept)
    moved = {line for line in kept if there[line] not in stays}
    if moved:  # and what is new may have moved along
        own = [line for line in side if line in before and line not in moved and line in places]
    else:
        own = [line for line in side if line in places and (line in before or line not in there)]
    return all(places[a] < places[b] for a, b in pairwise(own))


def _single(rows: Sequence[Lines], counts: Sequence[Counter[bytes]]) -> list[Lines]:
    """The lines that stand in none of the texts twice: of those it is known which is which."""
    several = {line for each in counts for line, number in each.items() if number > 1}
    return [[line for line in lines if line not in several] for lines in rows]
