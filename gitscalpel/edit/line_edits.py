"""Replace, insert and delete whole lines by number, or insert at the ends of a file.

Line numbers refer to the file before the changeset and are carried to where these lines are now. Common
mistakes in the sent lines are corrected. Code without a position is inserted at the beginning or end of
a file if its language is unknown.
"""

from __future__ import annotations

from typing import NamedTuple

from gitscalpel.changesets.operations import Insert, Lines
from gitscalpel.edit import corrections, preconditions
from gitscalpel.edit.source import CLOSING, Edit, Source
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.text import line_endings
from gitscalpel.text.document import Document
from gitscalpel.text.fuzzy_match import split_lf_lines
from gitscalpel.text.line_refs import LineRange, Located, locate_lines
from gitscalpel.text.splice import Splice


class CorrectedLines(NamedTuple):
    """The lines to write, and what was done to them or looks odd about them."""

    code: list[bytes]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def edit_lines(op: Lines, source: Source) -> Edit:
    """Write ``op.code`` at the lines that ``op`` addresses.

    Raises:
        BadCall: ``invalid_args`` for an insertion of nothing.
        DoesNotFit: ``out_of_range`` or ``no_change``.
        WorldMoved: ``stale``, if a line is not the one that the caller saw.
    """
    raw = op.code.encode("utf-8", "surrogateescape")
    if op.position is not None and not raw:
        raise BadCall(
            "invalid_args",
            f"there is nothing to insert: {arg('code')} is empty",
            f'give the lines to insert ("\\n" is a blank line), or leave {arg("position")} out to delete',
        )
    located = _located(op, source.original)
    origin = _origin(op, located, source.original)
    preconditions.check_span(op, source, origin)
    start, end = source.track.forward(*origin)
    if op.verbatim:
        made, corrected = Splice(start, end, raw), _verbatim(raw, source.text[end:])
    else:
        said = source.document.unmarked(raw) if start == 0 else raw
        made, corrected = _written(op, split_lf_lines(line_endings.plain(said)), source, (start, end))
    if source.text[made.start : made.end] == made.new:
        raise DoesNotFit(
            "no_change",
            f"line {located.first} already reads so"
            if located.first == located.last
            else f"lines {located.first}-{located.last} already read so",
            "check whether the change was made before",
        )
    moved = f"followed line {op.lines.first.number} to line {located.first}"
    cut = op.position is not None and not op.verbatim and _is_cut(source.text, start)
    return Edit(
        (made,),
        target=(start, end),
        origin=origin,
        corrections=(*((moved,) if located.moved else ()), *corrected.notes),
        warnings=corrected.warnings,
        replaced=(source.text[start:end],),
        inserted=(b"\n".join(corrected.code),),
        margins=line_endings.margins(made.new, b"\n" * cut, b""),
    )


def _verbatim(raw: bytes, following: bytes) -> CorrectedLines:
    """The code to the byte; that it joins what follows is told, since a line ending is easily forgotten."""
    joins = bool(raw) and not raw.endswith(b"\n") and bool(following)
    told = "code has no line ending at its end, so the next line goes on in its last one"
    return CorrectedLines([raw], warnings=(told,) if joins else ())


def _written(
    op: Lines, code: list[bytes], source: Source, place: tuple[int, int]
) -> tuple[Splice, CorrectedLines]:
    """The code as whole lines, with the usual slips corrected and the endings that belong there."""
    corrected = _corrected(op, code, source, place)
    start, end = place
    if op.position is None:
        made, corrected = _without_bracket(source, corrected, place)
    else:
        made = insert_lines(source.document, corrected.code, start)
    unchanged = source.text[made.start : made.end] == made.new
    if unchanged and op.code.endswith("\n") and _is_cut(source.text, end):
        # The ending that code brings counts for nothing, unless it is all that can be meant.
        made = Splice(end, end, line_endings.fit(b"\n", source.document, end, end))
        corrected = corrected._replace(notes=(*corrected.notes, "gave the last line of the file an ending"))
    return made, corrected


def _without_bracket(
    source: Source, corrected: CorrectedLines, place: tuple[int, int]
) -> tuple[Splice, CorrectedLines]:
    """Return the replacement, without a last bracket that repeats the line behind and breaks the file."""
    made = replace_lines(source.document, corrected.code, *place)
    if not corrected.code or not corrected.code[-1].endswith(CLOSING):
        return made, corrected
    from gitscalpel.edit import corrections

    kept = corrections.drop_bracket(corrected.code, corrections.next_line(source.text, place[1]))
    if kept is None:
        return made, corrected
    without = replace_lines(source.document, kept, *place)
    if not corrections.is_bracket_needed(source, made, without):
        return made, corrected
    return without, corrected._replace(code=kept, notes=(*corrected.notes, corrections.BRACKET_DROPPED))


def _located(op: Lines, original: Document) -> Located:
    at = op.lines
    if op.position is not None and not original.text and _is_line_one(at):
        return Located(1, 0)
    return locate_lines(at, original, op.relocate)


def _is_line_one(at: LineRange) -> bool:
    return at.first.number == at.last.number == 1 and at.first.hash is at.last.hash is at.content is None


def _origin(op: Lines, located: Located, original: Document) -> tuple[int, int]:
    """The byte range in the original text; an insertion's is empty."""
    if located.last == 0:
        return 0, 0
    start, end = original.span(located.first, located.last)
    if op.position is None:
        return start, end
    return (start, start) if op.position == "before" else (end, end)


def _corrected(op: Lines, code: list[bytes], source: Source, place: tuple[int, int]) -> CorrectedLines:
    """``code`` without line numbers and echoes and, in a replacement, at the right indentation."""
    notes: list[str] = []
    start, end = place
    before, after = _line_before(source.text, start), _line_after(source.text, end)
    bare = corrections.without_numbers(code, op.lines.first.number, op.lines.last.number) if code else None
    if bare is not None:
        code = bare
        notes.append("stripped line numbers from the code")
    addressed = split_lf_lines(line_endings.plain(source.text[start:end]))
    if op.position is None and corrections.comments_out(code, addressed):
        return CorrectedLines(code, tuple(notes))
    kept = corrections.without_echo(code, addressed, before, after)
    shifted = None if op.position else corrections.indent_like(kept, addressed, source.text)
    if shifted is not None:
        notes.append("indented the code as the line that it replaces")
        # An echo that came without its indentation can be told only now.
        unheard = len(kept) == len(code)
        kept = corrections.without_echo(shifted, addressed, before, after) if unheard else shifted
    if len(kept) != len(code):
        notes.append("dropped lines that repeat those just outside the range")
    around = [line for line in (before, after) if line is not None] if op.position else addressed[:1]
    warning = corrections.indent_jump(kept, around, source.text)
    return CorrectedLines(kept, tuple(notes), (warning,) if warning else ())


def replace_lines(document: Document, code: list[bytes], start: int, end: int) -> Splice:
    """Replace the whole lines ``[start, end)``; the last one ends as the last of them did."""
    text = document.text
    old = text[start:end]
    if code:
        ended = old.endswith(b"\n") or (not old and end < len(text))
        new = b"\n".join(code) + (b"\n" if ended else b"")
        return Splice(start, end, line_endings.fit(new, document, start, end))
    if old and end == len(text) and not old.endswith(b"\n"):
        # The file ends without a line ending, and still does when its last lines are gone.
        start -= 2 if text[:start].endswith(b"\r\n") else int(text[:start].endswith(b"\n"))
    return Splice(start, end, b"")


def insert_lines(document: Document, code: list[bytes], at: int) -> Splice:
    """Put whole lines at the beginning of a line, or at the end of the file."""
    text = document.text
    unfinished = _is_cut(text, at)
    new = (b"\n" if unfinished else b"") + b"\n".join(code)
    if not unfinished or at < len(text):
        new += b"\n"
    return Splice(at, at, line_endings.fit(new, document, at, at))


def _is_cut(text: bytes, at: int) -> bool:
    """Whether ``at`` is behind a last line that has no ending."""
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
    """Lines as they came, below a ``#!`` line, or below the last line; nothing parts them from the rest.

    Raises:
        DoesNotFit: ``unencodable``.
    """
    text, code = source.text, line_endings.trim(op.code.encode("utf-8", "surrogateescape"))
    at = len(text)
    if op.position == "first":
        at = text.find(b"\n") + 1 or at if text.startswith(b"#!") else 0
    ends_here = text and not text.endswith(b"\n") and at == len(text)
    before, after = (b"\n", b"") if ends_here else (b"", b"\n")
    new = line_endings.fit(before + code + after, source.document, at, at)
    return Edit((Splice(at, at, new),), (at, at), margins=line_endings.margins(new, before, after))
