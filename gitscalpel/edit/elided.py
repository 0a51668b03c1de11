"""Puts what a placeholder stands for in its place, or refuses: no such comment is ever written.

It is looked for in the text that an edit makes, so it is the same for code, text, lines and patches.
What it stands for lies between its neighbours: members of the definition around it, which are told by
their names, or lines that the replaced text holds once.
"""

from __future__ import annotations

from typing import NoReturn

import msgspec

from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.text import elision, endings
from gitscalpel.text.splice import results

_OF_SHAPE = frozenset(
    {"body_only", "syntax_error", "kind_mismatch", "name_mismatch", "extra_definitions", "duplicate_symbol"}
)
"""What code is refused for later than for what it leaves out."""


def filled(edit: Edit, source: Source) -> Edit:
    """The edit with what its placeholders stand for.

    Raises:
        DoesNotFit: ``elided``, where that is not certain.
    """
    marked = [_marks(made.new, source.text[made.start : made.end], source) for made in edit.splices]
    if not any(marked):
        return edit
    from gitscalpel.edit.left_out import Neighbours

    after = source.edited(edit)
    splices, notes = [], []
    for made, marks, (begin, _) in zip(edit.splices, marked, results(edit.splices), strict=True):
        neighbours = Neighbours(made, begin, source, after, marks)
        pieces, at = [], 0
        for mark in marks:
            first, end = neighbours.stands_for(mark) or _refuse(neighbours.new[mark])
            pieces += [*neighbours.new[at:mark], *neighbours.old[first:end]]
            at = mark + 1
            lines = "1 line" if end - first == 1 else f"{end - first} lines"
            notes.append(f"put {lines} of the file in the place of {_shown(neighbours.new[mark])}")
        text = b"\n".join([*pieces, *neighbours.new[at:]])
        splices.append(endings.splice(source.document, made.start, made.end, text) if marks else made)
    return msgspec.structs.replace(
        edit,
        splices=tuple(splices),
        corrections=(*edit.corrections, *notes),
        inserted=None if edit.inserted is None else tuple(made.new for made in splices),
    )


def instead_of(error: ScalpelError, code: str, source: Source) -> ScalpelError:
    """The refusal of code whose shape was refused, where it is the placeholders that are at fault."""
    lines = code.encode("utf-8", "surrogateescape").split(b"\n")
    known = {line.strip() for line in source.text.split(b"\n")}
    marks = [line for line in lines if _is_mark(line, source) and line.strip() not in known]
    return _refusal(marks[0]) if marks and error.code in _OF_SHAPE else error


def refuse_in_file(path: str, old: bytes, new: bytes) -> None:
    """Refuse new content of a whole file that leaves out what the old one holds.

    Raises:
        DoesNotFit: ``elided``.
    """
    if old:
        source = Source.read(path, new)
        for mark in _marks(source.text, old, source):
            _refuse(source.text.split(b"\n")[mark])


def _is_mark(line: bytes, source: Source) -> bool:
    return elision.is_elision(line, prose=source.language is not None and source.rules.blocks == "prose")


def _marks(new: bytes, old: bytes, source: Source) -> list[int]:
    """The lines of new text that stand for others; one that the old text holds is content."""
    if b"..." not in new and b"\xe2\x80\xa6" not in new and not elision.says_so(new):
        return []
    known = {line.strip() for line in old.split(b"\n")}
    return [
        row
        for row, line in enumerate(new.split(b"\n"))
        if _is_mark(line, source) and line.strip() not in known and (old.strip() or elision.says_so(line))
    ]


def _shown(line: bytes) -> str:
    return line.strip().decode("utf-8", "replace")


def _refuse(line: bytes) -> NoReturn:
    raise _refusal(line)


def _refusal(line: bytes) -> DoesNotFit:
    return DoesNotFit(
        "elided",
        f"{_shown(line)!r} stands for text that is left out, and it is not certain which",
        "send the whole text; or keep, next to the comment, lines that occur once in the replaced text; "
        "or change only a part, with text, lines or signature",
        placeholder=_shown(line),
    )
