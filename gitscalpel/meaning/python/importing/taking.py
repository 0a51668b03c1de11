"""Names are taken out of import statements; what remains of them stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitscalpel.meaning.python.importing.statements import Name, Statement
from gitscalpel.text.splice import Splice

_COMMA = re.compile(rb"[ \t]*,[ \t]*")


def without(text: bytes, gone: Iterable[tuple[Statement, Name]], *, keep_blank: bool = False) -> list[Splice]:
    """Return the splices that take names out; a statement without names goes with its comments and lines.

    Args:
        text: of the file.
        gone: the names, each with its statement.
        keep_blank: leave the blank lines behind a statement, for an import that comes in its place.
    """
    by_start: dict[int, tuple[Statement, list[Name]]] = {}
    for statement, name in gone:
        by_start.setdefault(statement.start, (statement, []))[1].append(name)
    found: list[Splice] = []
    for statement, names in by_start.values():
        if len(names) == len(statement.names):
            found.append(_whole(text, statement, keep_blank))
        else:
            found += _parts(text, statement, names)
    return sorted(found)


def _whole(text: bytes, statement: Statement, keep_blank: bool) -> Splice:
    """A statement with its lines; of one that shares a line with others, itself alone."""
    node = statement.node
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
    behind = text[node.end_byte : statement.end]
    if b";" in before:  # x = 1; import y
        return Splice(text.rindex(b";", 0, node.start_byte), node.end_byte, b"")
    if behind.lstrip(b" \t").startswith(b";"):
        rest = behind[behind.index(b";") + 1 :]
        return Splice(node.start_byte, statement.end - len(rest.lstrip(b" \t")), b"")
    blank = 0 if keep_blank else _blank_left_over(text, statement)
    return Splice(statement.start, statement.end + blank, b"")


def _blank_left_over(text: bytes, statement: Statement) -> int:
    """Return the number of bytes behind a statement that are one blank line too many without it."""
    before, behind = text[: statement.start], text[statement.end :]
    above = len(before) - len(before.rstrip(b"\r\n"))
    below = len(behind) - len(behind.lstrip(b"\r\n"))
    if not before.strip():
        return below
    ending = 2 if before.endswith(b"\r\n") else 1
    return min(below, above - ending) if above > ending and below else 0


def _parts(text: bytes, statement: Statement, names: list[Name]) -> Iterator[Splice]:
    kept = [name for name in statement.names if name not in names]
    first, last = statement.names[0], statement.names[-1]
    inside = text[first.start : last.end]
    if all(_is_alone(text, name) for name in statement.names):
        for name in names:
            yield Splice(text.rfind(b"\n", 0, name.start) + 1, text.find(b"\n", name.end) + 1, b"")
    elif b"#" not in inside and b"\n" not in inside:
        yield Splice(first.start, last.end, ", ".join(name.said for name in kept).encode())
    else:
        for name in names:
            found = _COMMA.match(text, name.end)
            yield Splice(name.start, found.end() if found else name.end, b"")


def _is_alone(text: bytes, name: Name) -> bool:
    """Whether it has a line of its own."""
    line = text.rfind(b"\n", 0, name.start) + 1
    end = text.find(b"\n", name.end)
    after = text[name.end : end if end >= 0 else len(text)].split(b"#")[0].strip()
    return not text[line : name.start].strip() and after in (b",", b"")
