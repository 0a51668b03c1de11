"""Find and replace text: one place or none, unless the caller says how many."""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.changesets.operations import Text
from gitscalpel.edit import stale
from gitscalpel.edit.new_faults import find_new_faults, read_outlines, with_text
from gitscalpel.edit.source import CLOSING, Edit, Source
from gitscalpel.edit.text_refusals import (
    ambiguous,
    count_mismatch,
    harmful,
    index_out_of_range,
    not_found,
    over_scoped,
    restarts,
    undetermined,
)
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import definition_survival
from gitscalpel.syntax.outline import has_too_many
from gitscalpel.text import endings, splice
from gitscalpel.text.match import Folded, Found, Hit, apart, find, split
from gitscalpel.text.splice import Splice

OVER_SCOPED = 20
"""Lines matched from which on less than half put back is taken for a slip."""


def text(op: Text, source: Source) -> Edit:
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
    found = find(folded, old, new, known=source.numbers_at)
    if found is None:
        raise not_found(source, split(old))
    chosen = _chosen(op, found.hits, source)
    if found.strategy == "exact":
        made = _edit(op, source, chosen, [new] * len(chosen), strategy=found.strategy)
        is_bracket = len(chosen) == 1 and new.rstrip().endswith(CLOSING)
        return _without_bracket(op, source, chosen, made) if is_bracket else made
    corrections: tuple[str, ...] = ()
    if not chosen[0].lines:
        corrections = (f"old and new were sent with {found.forgives}",)
    news = [carried(hit, found.old, found.new, source) for hit in chosen]
    edit = _edit(op, source, chosen, news, strategy=found.strategy, corrections=corrections)
    harm = harmed(source, edit.splices)
    if harm:
        raise harmful(source, Found(found.strategy, chosen), harm)
    return edit


def _without_bracket(op: Text, source: Source, chosen: tuple[Hit, ...], made: Edit) -> Edit:
    """Return the edit, without a last bracket that the text behind repeats and that breaks the file."""
    from gitscalpel.edit import bracket_echo

    (written,) = made.splices
    kept = bracket_echo.drop(split(written.new), bracket_echo.next_line(source.text, written.end))
    if kept is None:
        return made
    new = b"\n".join(kept) + (b"\n" if written.new.endswith(b"\n") else b"")
    without = endings.splice(source.document, written.start, written.end, new)
    if new == source.text[written.start : written.end] or not bracket_echo.is_needed(
        source, written, without
    ):
        return made
    return _edit(op, source, chosen, [new], strategy="exact", corrections=(bracket_echo.DROPPED,))


def harmed(source: Source, splices: tuple[Splice, ...]) -> str | None:
    """What ``splices`` would do to the file's syntax or to the definitions around them, in words."""
    before = source.judged
    if before is None:
        return None
    after = source.after(splices)
    if find_new_faults(source, with_text(source, after.text)).faults:
        return "break the syntax of the file"
    if has_too_many(after):
        return None
    was, now = read_outlines(before.syntax, after)
    return definition_survival.harmed(was, now, splices)


def _by_pattern(op: Text, source: Source, folded: Folded) -> Edit:
    from gitscalpel.text.pattern import Pattern

    pattern = Pattern(op.old, folded)
    if not pattern.hits:
        raise not_found(source, [])
    chosen = _chosen(op, pattern.hits, source)
    order = {hit: index for index, hit in enumerate(pattern.hits)}
    indices = [order[hit] for hit in chosen]
    again = pattern.restart(indices)
    if again is not None:
        raise restarts(source, pattern.hits[again[0]], again[1])
    news = [_plain(pattern.expand(index, op.new)) for index in indices]
    return _edit(op, source, chosen, news, strategy="regex")


def _plain(said: str) -> bytes:
    return endings.plain(said.encode("utf-8", "surrogateescape"))


def _chosen(op: Text, hits: tuple[Hit, ...], source: Source) -> tuple[Hit, ...]:
    """The hits to replace; exactly one unless the operation says otherwise."""
    separate = apart(hits)
    total = len(separate if op.all else hits)
    if op.count is not None and op.count != total:
        raise count_mismatch(source, hits, op, total)
    if op.occurrences is not None:
        if max(op.occurrences) >= len(hits):
            raise index_out_of_range(source, hits, max(op.occurrences))
        chosen = tuple(hits[index] for index in sorted(set(op.occurrences)))
        if len(apart(chosen)) != len(chosen):
            raise ambiguous(source, hits)
        return chosen
    if op.all:
        return separate
    if len(hits) != (op.count or 1) or len(separate) != len(hits):
        raise ambiguous(source, hits)
    return hits


def carried(hit: Hit, old: bytes, new: bytes, source: Source, *, uniform: bool = False) -> bytes:
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
    from gitscalpel.text.reindent import carry

    lines = carry(split(old), hit.lines, split(new), source.text, uniform=uniform)
    if lines is None:
        raise undetermined(source, hit)
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
    stale.check_span(op, source, source.track.back(hits[0].start, hits[-1].end))
    splices = tuple(
        endings.splice(source.document, hit.start, hit.end, new) for hit, new in zip(hits, news, strict=True)
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
    matched = len(split(source.text[made.start : made.end]))
    put_back = len(split(made.new))
    if matched >= OVER_SCOPED and 2 * put_back < matched:
        raise over_scoped(source, made, matched, put_back)
