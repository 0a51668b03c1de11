"""Find and replace text in a file, or explain why it is not replaced.

The text has to occur once, unless the caller says how often. Errors list the candidates with their
lines, so that the next call can be right without another look at the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gitscalpel.changesets.operations import Text
from gitscalpel.edit import preconditions
from gitscalpel.edit.new_syntax_errors import find_new_errors, read_outlines, with_text
from gitscalpel.edit.source import CLOSING, Edit, Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import definition_survival
from gitscalpel.syntax.outline import has_too_many
from gitscalpel.text import line_endings, splice
from gitscalpel.text.fuzzy_match import Folded, Found, Hit, find_matches, split_lf_lines, without_overlaps
from gitscalpel.text.line_refs import line_hash
from gitscalpel.text.splice import Splice

_LISTED = 20


def not_found_error(source: Source, old: Sequence[bytes]) -> DoesNotFit:
    """Nothing matched; the lines that come nearest are named."""
    from gitscalpel.text.fuzzy_match import first_difference, nearest_lines

    lines = [source.document.line(number) for number in range(1, source.document.line_count + 1)]
    near = [_line(source, number) for number in nearest_lines(lines, old)]
    what = arg("old") if old else "what the pattern describes"
    message = f"{source.path} does not hold {what}"
    found = first_difference(lines, old)
    if found:
        message += f"; {found.words}"
    elif near:
        message += "; nearest: " + "; ".join(f"line {line['line']}: {line['text'].strip()}" for line in near)
    differs = {"differs": found.data} if found else {}
    hint = "copy the lines as they stand in the file" if near else "look at the file"
    return DoesNotFit(
        "not_found", message, f"{hint}; case and content must be equal", nearest=near, **differs
    )


def harmful_error(source: Source, found: Found, harm: str) -> DoesNotFit:
    """White space or escapes had to be forgiven, and the result would harm the file."""
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_where(source, found.hits)} only as {found.strategy}, "
        f"and replacing it so would {harm}",
        f"copy {arg('old')} as it stands in the file, and check that {arg('new')} is complete",
        candidates=describe_candidates(source, found.hits),
        strategy=found.strategy,
    )


def undetermined_error(source: Source, hit: Hit) -> DoesNotFit:
    """The indentations of old and of the file do not say how new is to be indented."""
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_where(source, [hit])} but for its indentation, "
        f"from which that of {arg('new')} cannot be told",
        f"indent {arg('old')} and {arg('new')} as the file does",
        candidates=describe_candidates(source, [hit]),
    )


def ambiguous_error(source: Source, hits: Sequence[Hit]) -> DoesNotFit:
    """Several places, and nothing that tells them apart."""
    return DoesNotFit(
        "ambiguous",
        f"{arg('old')} stands at {len(hits)} places: {_where(source, hits)}",
        f"add lines around it until it is the only one, or give {arg('occurrences')} (from 0)"
        + (f" or {arg('all')}" if _overlap(hits) else f", {arg('all')} or {arg('count')}"),
        candidates=describe_candidates(source, hits),
        count=len(hits),
    )


def restart_error(source: Source, hit: Hit, again: int) -> DoesNotFit:
    """A match over several lines inside which the pattern starts to match again."""
    return DoesNotFit(
        "ambiguous",
        f"the pattern matches {_where(source, [hit])} as a whole, and again from "
        f"character {again} of that match on",
        f"make the pattern start at what is unique, or name the text without {arg('regex')}",
        candidates=describe_candidates(source, [hit]),
    )


def count_error(source: Source, hits: Sequence[Hit], op: Text, total: int) -> DoesNotFit:
    """Not as many occurrences as the caller expects; those that overlap cannot all be replaced."""
    retry: dict[str, bool | int] = {"count": total}
    if _overlap(hits) and not op.all and op.occurrences is None:
        retry = {"all": True, "count": len(without_overlaps(tuple(hits)))}
    every = " with ".join(arg(name, value) for name, value in retry.items())
    return DoesNotFit(
        "count_mismatch",
        f"{arg('old')} stands at {total} place{'' if total == 1 else 's'}, not {op.count}: "
        f"{_where(source, hits)}",
        f"give {every} if all of them are meant, or {arg('occurrences')} to choose",
        candidates=describe_candidates(source, hits),
        count=total,
        retry=retry,
    )


def index_error(source: Source, hits: Sequence[Hit], index: int) -> DoesNotFit:
    """An occurrence beyond the last."""
    return DoesNotFit(
        "index_out_of_range",
        f"there is no occurrence {index}: {arg('old')} stands at {len(hits)} places, counted from 0",
        f"use 0 to {len(hits) - 1}",
        candidates=describe_candidates(source, hits),
        count=len(hits),
    )


def over_scoped_error(source: Source, made: Splice, matched: int, put_back: int) -> DoesNotFit:
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
    return len(without_overlaps(tuple(hits))) < len(hits)


def describe_candidates(source: Source, hits: Iterable[Hit]) -> list[dict[str, Any]]:
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


OVER_SCOPED = 20
"""Lines matched from which on less than half put back is taken for a slip."""


def replace_text(op: Text, source: Source) -> Edit:
    """Replace the text that ``op`` names.

    Raises:
        BadCall: ``invalid_args`` or ``empty_target`` for a bad pattern.
        DoesNotFit: ``not_found``, ``ambiguous``, ``count_mismatch``, ``index_out_of_range``,
            ``no_change`` or ``over_scoped``.
    """
    folded = Folded(source.text)
    if op.regex:
        return _by_pattern(op, source, folded)
    old, new = _plain(op.old), _plain(op.new)
    if unmarked := source.document.unmarked(old):
        new = new if unmarked == old else source.document.unmarked(new)
        old = unmarked
    found = find_matches(folded, old, new, known=source.numbers_at)
    if found is None:
        raise not_found_error(source, split_lf_lines(old))
    chosen = _chosen(op, found.hits, source)
    if found.strategy == "exact":
        made = _edit(op, source, chosen, [new] * len(chosen), strategy=found.strategy)
        is_bracket = len(chosen) == 1 and new.rstrip().endswith(CLOSING)
        return _without_bracket(op, source, chosen, made) if is_bracket else made
    corrections: tuple[str, ...] = ()
    if not chosen[0].lines:
        corrections = (f"old and new were sent with {found.forgives}",)
    news = [adapt_new_text(hit, found.old, found.new, source) for hit in chosen]
    edit = _edit(op, source, chosen, news, strategy=found.strategy, corrections=corrections)
    harm = find_harm(source, edit.splices)
    if harm:
        raise harmful_error(source, Found(found.strategy, chosen), harm)
    return edit


def _without_bracket(op: Text, source: Source, chosen: tuple[Hit, ...], made: Edit) -> Edit:
    """Return the edit, without a last bracket that the text behind repeats and that breaks the file."""
    from gitscalpel.edit import corrections

    (written,) = made.splices
    kept = corrections.drop_bracket(
        split_lf_lines(written.new), corrections.next_line(source.text, written.end)
    )
    if kept is None:
        return made
    new = b"\n".join(kept) + (b"\n" if written.new.endswith(b"\n") else b"")
    without = line_endings.splice(source.document, written.start, written.end, new)
    if new == source.text[written.start : written.end] or not corrections.is_bracket_needed(
        source, written, without
    ):
        return made
    return _edit(op, source, chosen, [new], strategy="exact", corrections=(corrections.BRACKET_DROPPED,))


def find_harm(source: Source, splices: tuple[Splice, ...]) -> str | None:
    """What ``splices`` would do to the file's syntax or to the definitions around them, in words."""
    before = source.judged
    if before is None:
        return None
    after = source.after(splices)
    if find_new_errors(source, with_text(source, after.text)).faults:
        return "break the syntax of the file"
    if has_too_many(after):
        return None
    was, now = read_outlines(before.syntax, after)
    return definition_survival.harmed(was, now, splices)


def _by_pattern(op: Text, source: Source, folded: Folded) -> Edit:
    from gitscalpel.text.regex_replacement import Pattern

    pattern = Pattern(op.old, folded)
    if not pattern.hits:
        raise not_found_error(source, [])
    chosen = _chosen(op, pattern.hits, source)
    order = {hit: index for index, hit in enumerate(pattern.hits)}
    indices = [order[hit] for hit in chosen]
    again = pattern.restart(indices)
    if again is not None:
        raise restart_error(source, pattern.hits[again[0]], again[1])
    news = [_plain(pattern.expand(index, op.new)) for index in indices]
    return _edit(op, source, chosen, news, strategy="regex")


def _plain(said: str) -> bytes:
    return line_endings.plain(said.encode("utf-8", "surrogateescape"))


def _chosen(op: Text, hits: tuple[Hit, ...], source: Source) -> tuple[Hit, ...]:
    """The hits to replace; exactly one unless the operation says otherwise."""
    separate = without_overlaps(hits)
    total = len(separate if op.all else hits)
    if op.count is not None and op.count != total:
        raise count_error(source, hits, op, total)
    if op.occurrences is not None:
        if max(op.occurrences) >= len(hits):
            raise index_error(source, hits, max(op.occurrences))
        chosen = tuple(hits[index] for index in sorted(set(op.occurrences)))
        if len(without_overlaps(chosen)) != len(chosen):
            raise ambiguous_error(source, hits)
        return chosen
    if op.all:
        return separate
    if len(hits) != (op.count or 1) or len(separate) != len(hits):
        raise ambiguous_error(source, hits)
    return hits


def adapt_new_text(hit: Hit, old: bytes, new: bytes, source: Source, *, uniform: bool = False) -> bytes:
    """``new`` as the file would write it where ``old`` was found.

    Args:
        hit: the place; without lines of its own it holds ``old`` exactly.
        old: what was looked for, as it was sent or read.
        new: what comes there, likewise.
        source: the file.
        uniform: one rule must say how all lines are indented.

    Raises:
        DoesNotFit: ``not_found``, if the indentations do not say how ``new`` is to be indented.
    """
    if not hit.lines:
        return new
    from gitscalpel.text.indentation import reindent

    lines = reindent(split_lf_lines(old), hit.lines, split_lf_lines(new), source.text, uniform=uniform)
    if lines is None:
        raise undetermined_error(source, hit)
    ended = new.endswith(b"\n")
    if old.endswith(b"\n") and not source.text[hit.start : hit.end].endswith(b"\n"):
        ended = False  # the last line of a file that ends without a line ending
    return b"\n".join(lines) + (b"\n" if ended else b"")


def _edit(
    op: Text,
    source: Source,
    hits: Sequence[Hit],
    news: Sequence[bytes],
    *,
    strategy: str,
    corrections: tuple[str, ...] = (),
) -> Edit:
    preconditions.check_span(op, source, source.track.back(hits[0].start, hits[-1].end))
    splices = tuple(
        line_endings.splice(source.document, hit.start, hit.end, new)
        for hit, new in zip(hits, news, strict=True)
    )
    for made in splices if strategy != "exact" else ():  # an exact block is what it says
        _refuse_over_scoped(source, made)
    if splice.apply(source.text, splices) == source.text:
        raise DoesNotFit(
            "no_change",
            "the replacement leaves the file as it is",
            f"{arg('old')} and {arg('new')} say the same here; check whether the change was made before",
        )
    return Edit(
        splices,
        target=(splices[0].start, _covered(hits[-1], splices[-1], source.text)),
        matched=strategy,
        corrections=corrections,
        replaced=tuple(source.text[made.start : made.end] for made in splices),
        inserted=tuple(made.new for made in splices),
    )


def _covered(hit: Hit, made: Splice, text: bytes) -> int:
    """Where what was found ends: a last line that is blank has nothing but its ending to cover."""
    is_blank = hit.lines[-1:] == (b"",) and text.count(b"\n", hit.start, hit.end) < len(hit.lines)
    return made.end + 1 if is_blank and made.end == hit.end else made.end


def _refuse_over_scoped(source: Source, made: Splice) -> None:
    matched = len(split_lf_lines(source.text[made.start : made.end]))
    put_back = len(split_lf_lines(made.new))
    if matched >= OVER_SCOPED and 2 * put_back < matched:
        raise over_scoped_error(source, made, matched, put_back)
