"""Names are taken out of imports; what remains of them stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitscalpel.meaning.javascript.importing.statements import Name, Statement
from gitscalpel.text.splice import Splice


def without(text: bytes, gone: Iterable[tuple[Statement, Name]]) -> list[Splice]:
    """The splices that take names out; an import of which nothing remains goes with its lines."""
    by_part: dict[int, tuple[Statement, set[Name]]] = {}
    for statement, name in gone:
        by_part.setdefault(statement.part.id, (statement, set()))[1].add(name)
    whole: dict[int, list[Statement]] = {}
    found: list[Splice] = []
    for statement, names in by_part.values():
        if len(names) == len(statement.names):
            whole.setdefault(statement.node.id, []).append(statement)
        else:
            found += _parts(statement, names)
    for those in whole.values():
        found += _wholes(text, those)
    return sorted(found)


def wholly(text: bytes, statement: Statement) -> list[Splice]:
    """The splices that take an import out."""
    return list(_wholes(text, [statement]))


def _wholes(text: bytes, those: Sequence[Statement]) -> Iterator[Splice]:
    """A statement with its lines; of a declaration that has more, the declarators."""
    first = those[0]
    parts = [each for each in first.node.named_children if each.type == "variable_declarator"]
    if first.form == "common" and len(parts) > len(those):
        gone = {each.part.id for each in those}
        yield from of_list([(p.start_byte, p.end_byte) for p in parts], [p.id in gone for p in parts])
        return
    end = first.end
    if end == first.node.end_byte:  # it shares its line
        while text[end : end + 1] in (b" ", b"\t"):
            end += 1
    yield Splice(first.start, end, b"")


def _parts(statement: Statement, gone: set[Name]) -> Iterator[Splice]:
    braces = statement.braces
    held = [
        name
        for name in statement.names
        if braces is not None and braces.start_byte <= name.start < braces.end_byte
    ]
    rest = [name for name in statement.names if name not in held]  # a default, all of it
    kept = [name for name in held if name not in gone]
    if held and kept:
        yield from of_list([(n.start, n.end) for n in held], [n in gone for n in held])
    first = rest[0] if rest else None
    if first is not None and first in gone:
        following = braces.start_byte if kept and braces is not None else rest[1].start
        yield Splice(first.start, following, b"")
    elif first is not None:
        dropped = [name.end for name in rest[1:] if name in gone]
        if held and not kept and braces is not None:
            dropped.append(braces.end_byte)
        if dropped:
            yield Splice(first.end, dropped[-1], b"")


def of_list(items: list[tuple[int, int]], gone: list[bool]) -> Iterator[Splice]:
    """The splices that take items out of a list with commas; the first that stays keeps its place."""
    last = max(at for at, is_gone in enumerate(gone) if not is_gone)
    at = 0
    while at < len(items):
        if not gone[at]:
            at += 1
            continue
        start = at
        while at < len(items) and gone[at]:
            at += 1
        if start > last:
            yield Splice(items[last][1], items[-1][1], b"")
        else:
            yield Splice(items[start][0], items[at][0], b"")
