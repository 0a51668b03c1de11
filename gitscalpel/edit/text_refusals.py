"""Why a text was not replaced, and what the caller can do about it.

Candidates are listed with their lines, so that the next call can be right
without another look at the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gitscalpel.changesets.operations import Text
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.text.anchors import line_hash
from gitscalpel.text.match import Found, Hit, apart
from gitscalpel.text.splice import Splice

_LISTED = 20


def not_found(source: Source, old: Sequence[bytes]) -> DoesNotFit:
    """Nothing matched; the lines that come nearest are named."""
    from gitscalpel.text.nearest import difference, nearest

    lines = [source.document.line(number) for number in range(1, source.document.line_count + 1)]
    near = [_line(source, number) for number in nearest(lines, old)]
    what = arg("old") if old else "what the pattern describes"
    message = f"{source.path} does not hold {what}"
    found = difference(lines, old)
    if found:
        message += f"; {found.words}"
    elif near:
        message += "; nearest: " + "; ".join(f"line {line['line']}: {line['text'].strip()}" for line in near)
    differs = {"differs": found.data} if found else {}
    hint = "copy the lines as they stand in the file" if near else "look at the file"
    return DoesNotFit(
        "not_found", message, f"{hint}; case and content must be equal", nearest=near, **differs
    )


def harmful(source: Source, found: Found, harm: str) -> DoesNotFit:
    """White space or escapes had to be forgiven, and the result would harm the file."""
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_where(source, found.hits)} only as {found.strategy}, "
        f"and replacing it so would {harm}",
        f"copy {arg('old')} as it stands in the file, and check that {arg('new')} is complete",
        candidates=candidates(source, found.hits),
        strategy=found.strategy,
    )


def undetermined(source: Source, hit: Hit) -> DoesNotFit:
    """The indentations of old and of the file do not say how new is to be indented."""
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_where(source, [hit])} but for its indentation, "
        f"from which that of {arg('new')} cannot be told",
        f"indent {arg('old')} and {arg('new')} as the file does",
        candidates=candidates(source, [hit]),
    )


def ambiguous(source: Source, hits: Sequence[Hit]) -> DoesNotFit:
    """Several places, and nothing that tells them apart."""
    return DoesNotFit(
        "ambiguous",
        f"{arg('old')} stands at {len(hits)} places: {_where(source, hits)}",
        f"add lines around it until it is the only one, or give {arg('occurrences')} (from 0)"
        + (f" or {arg('all')}" if _overlap(hits) else f", {arg('all')} or {arg('count')}"),
        candidates=candidates(source, hits),
        count=len(hits),
    )


def restarts(source: Source, hit: Hit, again: int) -> DoesNotFit:
    """A match over several lines inside which the pattern starts to match again."""
    return DoesNotFit(
        "ambiguous",
        f"the pattern matches {_where(source, [hit])} as a whole, and again from "
        f"character {again} of that match on",
        f"make the pattern start at what is unique, or name the text without {arg('regex')}",
        candidates=candidates(source, [hit]),
    )


def count_mismatch(source: Source, hits: Sequence[Hit], op: Text, total: int) -> DoesNotFit:
    """Not as many occurrences as the caller expects; those that overlap cannot all be replaced."""
    retry: dict[str, bool | int] = {"count": total}
    if _overlap(hits) and not op.all and op.occurrences is None:
        retry = {"all": True, "count": len(apart(tuple(hits)))}
    every = " with ".join(arg(name, value) for name, value in retry.items())
    return DoesNotFit(
        "count_mismatch",
        f"{arg('old')} stands at {total} place{'' if total == 1 else 's'}, not {op.count}: "
        f"{_where(source, hits)}",
        f"give {every} if all of them are meant, or {arg('occurrences')} to choose",
        candidates=candidates(source, hits),
        count=total,
        retry=retry,
    )


def index_out_of_range(source: Source, hits: Sequence[Hit], index: int) -> DoesNotFit:
    """An occurrence beyond the last."""
    return DoesNotFit(
        "index_out_of_range",
        f"there is no occurrence {index}: {arg('old')} stands at {len(hits)} places, counted from 0",
        f"use 0 to {len(hits) - 1}",
        candidates=candidates(source, hits),
        count=len(hits),
    )


def over_scoped(source: Source, made: Splice, matched: int, put_back: int) -> DoesNotFit:
    """Far more is deleted than put back."""
    first, last = _span(source, Hit(made.start, made.end))
    return DoesNotFit(
        "over_scoped",
        f"{arg('old')} matches {matched} lines ({first}-{last}) and {arg('new')} has {put_back}",
        f"name only what changes; a definition goes with delete, lines with lines and an empty {arg('code')}",
        lines=[first, last],
        matched=matched,
        put_back=put_back,
    )


def _overlap(hits: Sequence[Hit]) -> bool:
    return len(apart(tuple(hits))) < len(hits)


def candidates(source: Source, hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """The first places, each with its line range and the text of its first line."""
    listed = []
    for occurrence, hit in zip(range(_LISTED), hits, strict=False):
        first, last = _span(source, hit)
        begins = _line(source, first)["text"]
        listed.append({"occurrence": occurrence, "lines": [first, last], "text": begins})
    return listed


def _line(source: Source, number: int) -> dict[str, Any]:
    line = source.document.line(number)
    return {"line": number, "hash": line_hash(line), "text": line.decode("utf-8", "surrogateescape")}


def _span(source: Source, hit: Hit) -> tuple[int, int]:
    first = source.document.line_at(hit.start)
    return first, max(first, source.document.line_at(max(hit.start, hit.end - 1)))


def _where(source: Source, hits: Sequence[Hit]) -> str:
    spans = [_span(source, hit) for hit in hits[:_LISTED]]
    named = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    more = f" and {len(hits) - _LISTED} more" if len(hits) > _LISTED else ""
    return f"{'line' if len(hits) == 1 and spans[0][0] == spans[0][1] else 'lines'} {named}{more}"
