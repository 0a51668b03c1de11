"""Find and replace text, or replace, insert and delete whole lines by number.

Text has to occur once, unless the caller says how often. Callers seldom test their patterns, so accidental
matches are refused: empty ones, and matches inside which the pattern matches again. Replacements are literal.
Line numbers refer to the file before the changeset and are mapped to the current place of the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gitscalpel.changesets.operations import Insert, Lines, Text
from gitscalpel.edit import corrections, preconditions
from gitscalpel.edit.new_syntax_errors import find_new_errors, read_outlines, with_text
from gitscalpel.edit.source import CLOSING, Edit, Source
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import symbol_changes
from gitscalpel.syntax.outline import has_too_many
from gitscalpel.system.regex_worker import CallerPattern
from gitscalpel.text import line_endings, splice
from gitscalpel.text.document import Document
from gitscalpel.text.fuzzy_match import (
    FoldedText,
    Hit,
    MatchResult,
    drop_overlaps,
    find_first_difference,
    find_matches,
    find_nearest_lines,
    split_lf_lines,
)
from gitscalpel.text.indentation import reindent
from gitscalpel.text.line_refs import LineRange, Located, line_hash, locate_lines
from gitscalpel.text.splice import Splice

_LISTED = 20


def not_found_error(source: Source, old: Sequence[bytes]) -> DoesNotFit:
    lines = [source.document.line(number) for number in range(1, source.document.line_count + 1)]
    nearest = [_describe_line(source, number) for number in find_nearest_lines(lines, old)]
    target = arg("old") if old else "a match of the pattern"
    message = f"{source.path} does not contain {target}"
    difference = find_first_difference(lines, old)
    if difference:
        message += f"; {difference.words}"
    elif nearest:
        message += "; nearest: " + "; ".join(
            f"line {line['line']}: {line['text'].strip()}" for line in nearest
        )
    differs = {"differs": difference.data} if difference else {}
    hint = "copy the lines exactly from the file" if nearest else "look at the file"
    return DoesNotFit(
        "not_found", message, f"{hint}; upper and lower case matter", nearest=nearest, **differs
    )


def harmful_error(source: Source, match: MatchResult, harm: str) -> DoesNotFit:
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_describe_places(source, match.hits)} only leniently ({match.strategy}), "
        f"and the replacement would {harm}",
        f"copy {arg('old')} exactly from the file, and check that {arg('new')} is complete",
        candidates=describe_candidates(source, match.hits),
        strategy=match.strategy,
    )


def undetermined_error(source: Source, hit: Hit) -> DoesNotFit:
    return DoesNotFit(
        "not_found",
        f"{arg('old')} matches {_describe_places(source, [hit])} except for its indentation, "
        f"so the indentation of {arg('new')} is not known",
        f"indent {arg('old')} and {arg('new')} as the file does",
        candidates=describe_candidates(source, [hit]),
    )


def ambiguous_error(source: Source, hits: Sequence[Hit]) -> DoesNotFit:
    return DoesNotFit(
        "ambiguous",
        f"{arg('old')} occurs {len(hits)} times: {_describe_places(source, hits)}",
        f"add lines around it until it is unique, or give {arg('occurrences')} (from 0)"
        + (f" or {arg('all')}" if _has_overlaps(hits) else f", {arg('all')} or {arg('count')}"),
        candidates=describe_candidates(source, hits),
        count=len(hits),
    )


def restart_error(source: Source, hit: Hit, again: int) -> DoesNotFit:
    """Return the error of a multi-line match inside which the pattern matches again."""
    return DoesNotFit(
        "ambiguous",
        f"the pattern matches {_describe_places(source, [hit])}, and again inside that match, from "
        f"its character {again} on",
        f"begin the pattern with text that is unique, or give the text without {arg('regex')}",
        candidates=describe_candidates(source, [hit]),
    )


def count_error(source: Source, hits: Sequence[Hit], op: Text, total: int) -> DoesNotFit:
    retry: dict[str, bool | int] = {"count": total}
    if _has_overlaps(hits) and not op.all and op.occurrences is None:
        retry = {"all": True, "count": len(drop_overlaps(tuple(hits)))}
    arguments = " with ".join(arg(name, value) for name, value in retry.items())
    return DoesNotFit(
        "count_mismatch",
        f"{arg('old')} occurs {total} time{'' if total == 1 else 's'}, not {op.count}: "
        f"{_describe_places(source, hits)}",
        f"give {arguments} if you mean all of them, or {arg('occurrences')} to choose",
        candidates=describe_candidates(source, hits),
        count=total,
        retry=retry,
    )


def index_error(source: Source, hits: Sequence[Hit], index: int) -> DoesNotFit:
    return DoesNotFit(
        "index_out_of_range",
        f"occurrence {index} not found: {arg('old')} occurs {len(hits)} times, counted from 0",
        f"use 0 to {len(hits) - 1}",
        candidates=describe_candidates(source, hits),
        count=len(hits),
    )


def over_scoped_error(source: Source, replacement: Splice, matched: int, put_back: int) -> DoesNotFit:
    first, last = _match_span(source, Hit(replacement.start, replacement.end))
    return DoesNotFit(
        "over_scoped",
        f"{arg('old')} matches {matched} lines ({first}-{last}) and {arg('new')} has {put_back}",
        "give only the lines that change; to remove a definition, use `delete`; to remove lines, use `lines` "
        "with an empty "
        f"{arg('code')}",
        lines=[first, last],
        matched=matched,
        put_back=put_back,
    )


def _has_overlaps(hits: Sequence[Hit]) -> bool:
    return len(drop_overlaps(tuple(hits))) < len(hits)


def describe_candidates(source: Source, hits: Iterable[Hit]) -> list[dict[str, Any]]:
    listed = []
    for occurrence, hit in zip(range(_LISTED), hits, strict=False):
        first, last = _match_span(source, hit)
        first_line = _describe_line(source, first)["text"]
        listed.append({"occurrence": occurrence, "lines": [first, last], "text": first_line})
    return listed


def _describe_line(source: Source, number: int) -> dict[str, Any]:
    line = source.document.line(number)
    return {"line": number, "hash": line_hash(line), "text": line.decode("utf-8", "surrogateescape")}


def _match_span(source: Source, hit: Hit) -> tuple[int, int]:
    first = source.document.line_at(hit.start)
    return first, max(first, source.document.line_at(max(hit.start, hit.end - 1)))


def _describe_places(source: Source, hits: Sequence[Hit]) -> str:
    spans = [_match_span(source, hit) for hit in hits[:_LISTED]]
    ranges = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    more = f" and {len(hits) - _LISTED} more" if len(hits) > _LISTED else ""
    return f"{'line' if len(hits) == 1 and spans[0][0] == spans[0][1] else 'lines'} {ranges}{more}"


OVER_SCOPED = 20  # a match of so many lines that puts back less than half of them is refused as a slip


def replace_text(op: Text, source: Source) -> Edit:
    """Replace the text that ``op`` addresses.

    Raises ``invalid_args`` or ``empty_target`` for a bad pattern, ``not_found``, ``ambiguous``,
    ``count_mismatch``, ``index_out_of_range``, ``no_change`` or ``over_scoped``.
    """
    folded = FoldedText(source.text)
    if op.regex:
        return _replace_by_pattern(op, source, folded)
    old, new = _encode_plain(op.old), _encode_plain(op.new)
    if unmarked := source.document.strip_bom(old):
        new = new if unmarked == old else source.document.strip_bom(new)
        old = unmarked
    match = find_matches(folded, old, new, known=source.line_numbers_at)
    if match is None:
        raise not_found_error(source, split_lf_lines(old))
    chosen_hits = _choose_hits(op, match.hits, source)
    if match.strategy == "exact":
        exact_edit = _make_edit(op, source, chosen_hits, [new] * len(chosen_hits), strategy=match.strategy)
        is_bracket = len(chosen_hits) == 1 and new.rstrip().endswith(CLOSING)
        return _drop_needless_bracket(op, source, chosen_hits, exact_edit) if is_bracket else exact_edit
    notes: tuple[str, ...] = ()
    if not chosen_hits[0].lines:
        notes = (f"old and new were sent with {match.forgives}",)
    new_texts = [adapt_new_text(hit, match.old, match.new, source) for hit in chosen_hits]
    edit = _make_edit(op, source, chosen_hits, new_texts, strategy=match.strategy, corrections=notes)
    harm = find_harm(source, edit.splices)
    if harm:
        raise harmful_error(source, MatchResult(match.strategy, chosen_hits), harm)
    return edit


def _drop_needless_bracket(op: Text, source: Source, chosen_hits: tuple[Hit, ...], edit: Edit) -> Edit:
    """Return the edit without a final bracket that follows anyway and breaks the file."""
    (whole,) = edit.splices

    def join(lines: list[bytes]) -> bytes:
        return b"\n".join(lines) + (b"\n" if whole.new.endswith(b"\n") else b"")

    def make_splice(lines: list[bytes]) -> Splice:
        return line_endings.make_splice(source.document, whole.start, whole.end, join(lines))

    shorter = corrections.drop_needless_bracket(source, split_lf_lines(whole.new), whole, make_splice)
    if shorter is None or join(shorter[0]) == source.text[whole.start : whole.end]:
        return edit
    notes = (corrections.BRACKET_DROPPED,)
    return _make_edit(op, source, chosen_hits, [join(shorter[0])], strategy="exact", corrections=notes)


def find_harm(source: Source, splices: tuple[Splice, ...]) -> str | None:
    """Describe how ``splices`` would harm the syntax or the surrounding definitions, or return None."""
    before = source.judged
    if before is None:
        return None
    after = source.after(splices)
    if find_new_errors(source, with_text(source, after.text)).faults:
        return "break the syntax of the file"
    if has_too_many(after):
        return None
    old_outline, new_outline = read_outlines(before.syntax, after)
    return symbol_changes.describe_harm(old_outline, new_outline, splices)


def _replace_by_pattern(op: Text, source: Source, folded: FoldedText) -> Edit:
    pattern = Pattern(op.old, folded)
    if not pattern.hits:
        raise not_found_error(source, [])
    chosen_hits = _choose_hits(op, pattern.hits, source)
    order = {hit: index for index, hit in enumerate(pattern.hits)}
    indices = [order[hit] for hit in chosen_hits]
    restart = pattern.restart(indices)
    if restart is not None:
        raise restart_error(source, pattern.hits[restart[0]], restart[1])
    new_texts = [_encode_plain(pattern.expand(index, op.new)) for index in indices]
    return _make_edit(op, source, chosen_hits, new_texts, strategy="regex")


def _encode_plain(text: str) -> bytes:
    return line_endings.convert_to_lf(text.encode("utf-8", "surrogateescape"))


def _choose_hits(op: Text, hits: tuple[Hit, ...], source: Source) -> tuple[Hit, ...]:
    separate = drop_overlaps(hits)
    total = len(separate if op.all else hits)
    if op.count is not None and op.count != total:
        raise count_error(source, hits, op, total)
    if op.occurrences is not None:
        if max(op.occurrences) >= len(hits):
            raise index_error(source, hits, max(op.occurrences))
        chosen = tuple(hits[index] for index in sorted(set(op.occurrences)))
        if len(drop_overlaps(chosen)) != len(chosen):
            raise ambiguous_error(source, hits)
        return chosen
    if op.all:
        return separate
    if len(hits) != (op.count or 1) or len(separate) != len(hits):
        raise ambiguous_error(source, hits)
    return hits


def adapt_new_text(hit: Hit, old: bytes, new: bytes, source: Source, *, uniform: bool = False) -> bytes:
    """Return ``new`` in the file's form at the place where ``old`` was found.

    A hit without its own lines equals ``old`` exactly. If ``uniform``, one rule must explain the indentation
    of all lines. Raises ``not_found`` if the indentation of ``new`` cannot be determined.
    """
    if not hit.lines:
        return new
    lines = reindent(split_lf_lines(old), hit.lines, split_lf_lines(new), source.text, uniform=uniform)
    if lines is None:
        raise undetermined_error(source, hit)
    is_ended = new.endswith(b"\n")
    if old.endswith(b"\n") and not source.text[hit.start : hit.end].endswith(b"\n"):
        is_ended = False  # the last line of a file that ends without a line ending
    return b"\n".join(lines) + (b"\n" if is_ended else b"")


def _make_edit(
    op: Text,
    source: Source,
    hits: Sequence[Hit],
    new_texts: Sequence[bytes],
    *,
    strategy: str,
    corrections: tuple[str, ...] = (),
) -> Edit:
    preconditions.check_span(op, source, source.track.back(hits[0].start, hits[-1].end))
    splices = tuple(
        line_endings.make_splice(source.document, hit.start, hit.end, new)
        for hit, new in zip(hits, new_texts, strict=True)
    )
    for replacement in splices if strategy != "exact" else ():  # an exact block is what it says
        _require_scope(source, replacement)
    if splice.apply(source.text, splices) == source.text:
        raise DoesNotFit(
            "no_change",
            "the replacement leaves the file as it is",
            f"{arg('old')} and {arg('new')} are the same here; check whether the change is already made",
        )
    return Edit(
        splices,
        target=(splices[0].start, _find_covered_end(hits[-1], splices[-1], source.text)),
        matched=strategy,
        corrections=corrections,
        replaced=tuple(source.text[replacement.start : replacement.end] for replacement in splices),
        inserted=tuple(replacement.new for replacement in splices),
    )


def _find_covered_end(hit: Hit, replacement: Splice, text: bytes) -> int:
    """Return the end of the match; a blank last line counts only with its line ending."""
    is_blank = hit.lines[-1:] == (b"",) and text.count(b"\n", hit.start, hit.end) < len(hit.lines)
    return replacement.end + 1 if is_blank and replacement.end == hit.end else replacement.end


def _require_scope(source: Source, replacement: Splice) -> None:
    matched = len(split_lf_lines(source.text[replacement.start : replacement.end]))
    put_back = len(split_lf_lines(replacement.new))
    if matched >= OVER_SCOPED and 2 * put_back < matched:
        raise over_scoped_error(source, replacement, matched, put_back)


class CorrectedLines(NamedTuple):
    """The lines to write, with the corrections made and warnings."""

    code: list[bytes]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def edit_lines(op: Lines, source: Source) -> Edit:
    """Write ``op.code`` at the lines that ``op`` addresses.

    Raises ``invalid_args`` for an insertion of nothing, ``out_of_range``, ``no_change``, or ``stale`` if a
    line differs from the one that the caller saw.
    """
    raw = op.code.encode("utf-8", "surrogateescape")
    if op.position is not None and not raw:
        raise BadCall(
            "invalid_args",
            f"nothing to insert: {arg('code')} is empty",
            f'give the lines to insert ("\\n" is a blank line), or leave {arg("position")} out to delete',
        )
    located = _locate_range(op, source.original)
    origin = _origin_range(op, located, source.original)
    preconditions.check_span(op, source, origin)
    start, end = source.track.forward(*origin)
    if op.verbatim:
        replacement, corrected = Splice(start, end, raw), _keep_verbatim(raw, source.text[end:])
    else:
        bare_code = source.document.strip_bom(raw) if start == 0 else raw
        replacement, corrected = _write_lines(
            op, split_lf_lines(line_endings.convert_to_lf(bare_code)), source, (start, end)
        )
    if source.text[replacement.start : replacement.end] == replacement.new:
        raise DoesNotFit(
            "no_change",
            f"line {located.first} already has this text"
            if located.first == located.last
            else f"lines {located.first}-{located.last} already have this text",
            "check whether the change has already been made",
        )
    moved_note = f"followed line {op.lines.first.number} to line {located.first}"
    is_cut = op.position is not None and not op.verbatim and _is_cut(source.text, start)
    return Edit(
        (replacement,),
        target=(start, end),
        origin=origin,
        corrections=(*((moved_note,) if located.moved else ()), *corrected.notes),
        warnings=corrected.warnings,
        replaced=(source.text[start:end],),
        inserted=(b"\n".join(corrected.code),),
        margins=line_endings.measure_margins(replacement.new, b"\n" * is_cut, b""),
    )


def _keep_verbatim(raw: bytes, following: bytes) -> CorrectedLines:
    joins = bool(raw) and not raw.endswith(b"\n") and bool(following)
    warning = "code does not end with a line ending, so the next line continues its last line"
    return CorrectedLines([raw], warnings=(warning,) if joins else ())


def _write_lines(
    op: Lines, code: list[bytes], source: Source, place: tuple[int, int]
) -> tuple[Splice, CorrectedLines]:
    corrected = _correct_lines(op, code, source, place)
    start, end = place
    if op.position is None:
        replacement, corrected = _drop_repeated_bracket(source, corrected, place)
    else:
        replacement = insert_lines(source.document, corrected.code, start)
    unchanged = source.text[replacement.start : replacement.end] == replacement.new
    if unchanged and op.code.endswith("\n") and _is_cut(source.text, end):
        # The ending that code brings counts for nothing, unless it is all that can be meant.
        replacement = Splice(end, end, line_endings.fit_line_endings(b"\n", source.document, end, end))
        corrected = corrected._replace(
            notes=(*corrected.notes, "added a line ending to the last line of the file")
        )
    return replacement, corrected


def _drop_repeated_bracket(
    source: Source, corrected: CorrectedLines, place: tuple[int, int]
) -> tuple[Splice, CorrectedLines]:
    replacement = replace_lines(source.document, corrected.code, *place)
    if not corrected.code or not corrected.code[-1].endswith(CLOSING):
        return replacement, corrected
    shorter = corrections.drop_needless_bracket(
        source, corrected.code, replacement, lambda lines: replace_lines(source.document, lines, *place)
    )
    if shorter is None:
        return replacement, corrected
    notes = (*corrected.notes, corrections.BRACKET_DROPPED)
    return shorter[1], corrected._replace(code=shorter[0], notes=notes)


def _locate_range(op: Lines, original: Document) -> Located:
    addressed = op.lines
    if op.position is not None and not original.text and _is_line_one(addressed):
        return Located(1, 0)
    return locate_lines(addressed, original, op.relocate)


def _is_line_one(addressed: LineRange) -> bool:
    return (
        addressed.first.number == addressed.last.number == 1
        and addressed.first.hash is addressed.last.hash is addressed.content is None
    )


def _origin_range(op: Lines, located: Located, original: Document) -> tuple[int, int]:
    if located.last == 0:
        return 0, 0
    start, end = original.span(located.first, located.last)
    if op.position is None:
        return start, end
    return (start, start) if op.position == "before" else (end, end)


def _correct_lines(op: Lines, code: list[bytes], source: Source, place: tuple[int, int]) -> CorrectedLines:
    """Return ``code`` without line numbers and repeated neighbours, and in a replacement reindented."""
    notes: list[str] = []
    start, end = place
    before, after = _line_before(source.text, start), _line_after(source.text, end)
    unnumbered = (
        corrections.strip_range_numbers(code, op.lines.first.number, op.lines.last.number) if code else None
    )
    if unnumbered is not None:
        code = unnumbered
        notes.append("stripped line numbers from the code")
    addressed = split_lf_lines(line_endings.convert_to_lf(source.text[start:end]))
    if op.position is None and corrections.is_commented_out(code, addressed):
        return CorrectedLines(code, tuple(notes))
    kept_lines = corrections.drop_echo(code, addressed, before, after)
    shifted = None if op.position else corrections.indent_like(kept_lines, addressed, source.text)
    if shifted is not None:
        notes.append("indented the code like the line that it replaces")
        # An echo that came without its indentation can be told only now.
        has_all_lines = len(kept_lines) == len(code)
        kept_lines = corrections.drop_echo(shifted, addressed, before, after) if has_all_lines else shifted
    if len(kept_lines) != len(code):
        notes.append("dropped lines that repeat those just outside the range")
    neighbours = [line for line in (before, after) if line is not None] if op.position else addressed[:1]
    warning = corrections.indent_jump_warning(kept_lines, neighbours, source.text)
    return CorrectedLines(kept_lines, tuple(notes), (warning,) if warning else ())


def replace_lines(document: Document, code: list[bytes], start: int, end: int) -> Splice:
    text = document.text
    old = text[start:end]
    if code:
        is_ended = old.endswith(b"\n") or (not old and end < len(text))
        new = b"\n".join(code) + (b"\n" if is_ended else b"")
        return Splice(start, end, line_endings.fit_line_endings(new, document, start, end))
    if old and end == len(text) and not old.endswith(b"\n"):
        # The file ends without a line ending, and still does when its last lines are gone.
        start -= 2 if text[:start].endswith(b"\r\n") else int(text[:start].endswith(b"\n"))
    return Splice(start, end, b"")


def insert_lines(document: Document, code: list[bytes], at: int) -> Splice:
    """Insert whole lines at the beginning of a line, or at the end of the file."""
    text = document.text
    is_unfinished = _is_cut(text, at)
    new = (b"\n" if is_unfinished else b"") + b"\n".join(code)
    if not is_unfinished or at < len(text):
        new += b"\n"
    return Splice(at, at, line_endings.fit_line_endings(new, document, at, at))


def _is_cut(text: bytes, at: int) -> bool:
    """Return True if ``at`` is after a last line without an ending."""
    return at > 0 and text[at - 1 : at] != b"\n"


def _line_before(text: bytes, at: int) -> bytes | None:
    if at == 0:
        return None
    line = text[text.rfind(b"\n", 0, at - 1) + 1 : at]
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _line_after(text: bytes, at: int) -> bytes | None:
    if at >= len(text):
        return None
    feed = text.find(b"\n", at)
    return text[at : len(text) if feed < 0 else feed].removesuffix(b"\r")


def insert_at_edge(op: Insert, source: Source) -> Edit:
    """Insert code unchanged at the start, below a ``#!`` line, or the end of a file in an unknown language.

    Raises ``unencodable``.
    """
    text, code = source.text, line_endings.strip_line_endings(op.code.encode("utf-8", "surrogateescape"))
    at = len(text)
    if op.position == "first":
        at = text.find(b"\n") + 1 or at if text.startswith(b"#!") else 0
    ends_here = text and not text.endswith(b"\n") and at == len(text)
    before, after = (b"\n", b"") if ends_here else (b"", b"\n")
    new = line_endings.fit_line_endings(before + code + after, source.document, at, at)
    return Edit((Splice(at, at, new),), (at, at), margins=line_endings.measure_margins(new, before, after))


_CRLF = re.compile(r"(?<!\\)((?:\\\\)*)\\r\\n")
_GROUP = re.compile(r"\\(?:([1-9][0-9]?)|g<(\w+)>)")


class Pattern:
    """A compiled pattern and its matches in one text."""

    def __init__(self, pattern: str, text: FoldedText) -> None:
        """Match ``pattern`` against ``text``.

        Raises ``invalid_args`` if the pattern is invalid, ``empty_target`` if all matches are empty, or
        ``too_slow``, which later calls may raise as well.
        """
        self._text = text.text.decode("utf-8", "surrogateescape")
        self._pattern = _compile(pattern)
        matches = self._pattern.matches(self._text)
        self.matches = tuple(match for match in matches if match[0][0] < match[0][1])
        if matches and not self.matches:
            raise BadCall(
                "empty_target",
                f"the pattern {pattern!r} matches only empty text",
                "write a pattern that matches the text to replace",
            )
        self.hits = tuple(self._list_hits(text))

    def _list_hits(self, text: FoldedText) -> list[Hit]:
        hits, char_at, byte_at = [], 0, 0
        for match in self.matches:
            first, last = match[0]
            start = byte_at + _encoded_size(self._text[char_at:first])
            char_at, byte_at = last, start + _encoded_size(self._text[first:last])
            hits.append(Hit(text.raw_offset(start), text.raw_offset(byte_at)))
        return hits

    def restart(self, indices: Iterable[int]) -> tuple[int, int] | None:
        """Return the first multi-line match inside which the pattern matches again, or None.

        The match is given by its index and the offset of the second match in characters.
        """
        spans = [(index, self.matches[index][0]) for index in indices]
        multiline_spans = [each for each in spans if "\n" in self._text[slice(*each[1])].removesuffix("\n")]
        restart = (
            self._pattern.restart(self._text, [span for _, span in multiline_spans])
            if multiline_spans
            else None
        )
        if restart is None:
            return None
        index, (start, _) = multiline_spans[restart[0]]
        return index, restart[1] - start

    def expand(self, index: int, new: str) -> str:
        r"""Return ``new`` with ``\1`` and ``\g<name>`` replaced; everything else is literal.

        Raises ``invalid_args`` if the pattern has no such group.
        """
        match = self.matches[index]

        def expand_group(reference: re.Match[str]) -> str:
            name = reference[1] or reference[2]
            try:
                start, end = match[self._group_number(name)]
            except (IndexError, KeyError):
                raise BadCall(
                    "invalid_args",
                    f"{arg('new')} refers to group {name!r}, which the pattern does not have",
                    f"use one of its {self._pattern.groups} numbered groups"
                    + "".join(f", {known!r}" for known in self._pattern.names),
                ) from None
            return self._text[start:end] if start >= 0 else ""

        return _GROUP.sub(expand_group, new)

    def _group_number(self, group: str) -> int:
        return int(group) if group.isdecimal() and len(group) < 10 else self._pattern.names[group]


def _compile(pattern: str) -> CallerPattern[str]:
    try:
        # The text has LF endings only, so a CRLF in the pattern is one as well, written out or escaped.
        folded = _CRLF.sub(r"\1\\n", pattern.replace("\r\n", "\n"))
        return CallerPattern(folded, re.DOTALL | re.MULTILINE)
    except re.error as error:
        position = getattr(error, "pos", None)
        position_text = "" if position is None else f" (character {position})"
        raise BadCall(
            "invalid_args",
            f"{arg('old')} is not a regular expression: {getattr(error, 'msg', error)}{position_text}",
            f"correct it, or leave {arg('regex')} out to match the text as it is",
            position=position,
        ) from None


def _encoded_size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
