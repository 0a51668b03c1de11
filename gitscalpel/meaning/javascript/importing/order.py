"""Imports are put in order: within what no blank line, comment or other statement parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gitscalpel.meaning.javascript.importing.statements import Name, Statement
from gitscalpel.text.splice import Splice


def sort(text: bytes, found: list[Statement]) -> list[Splice]:
    """The splices that put statements in order, each with its comments; none where they are."""
    return [splice for section in _sections(text, found) for splice in _sorted(text, section)]


def names(text: bytes, found: list[Statement]) -> list[Splice]:
    """The splices that put the names in braces in order, a comma behind each."""
    return [splice for each in found if each.form == "import" for splice in _named(text, each)]


def key(statement: Statement) -> tuple[bool, bool, str, str]:
    """Its place: packages before files, by name."""
    return rank(statement.module, statement.form == "assigned")


def rank(module: str, is_assigned: bool = False) -> tuple[bool, bool, str, str]:
    """The place of an import of a module."""
    return is_assigned, module.startswith("."), module.lower(), module


def _sections(text: bytes, found: list[Statement]) -> Iterator[list[Statement]]:
    """Those that follow each other in lines of their own; what is imported to be run stays where it is."""
    section: list[Statement] = []
    for each in found:
        is_alone = each.form != "common" and bool(each.names) and each.start == _line(text, each)
        if section and (not is_alone or section[-1].end != each.start):
            yield section
            section = []
        if is_alone:
            section.append(each)
    if section:
        yield section


def _line(text: bytes, statement: Statement) -> int:
    """Where its first line begins; nowhere, where it shares its last with others."""
    is_whole = text[statement.end - 1 : statement.end] == b"\n" or statement.end == len(text)
    return text.rfind(b"\n", 0, statement.node.start_byte) + 1 if is_whole else -1


def _sorted(text: bytes, section: list[Statement]) -> Iterator[Splice]:
    in_order = sorted(section, key=key)
    if in_order == section:
        return
    lines = [text[each.start : each.end] for each in in_order]
    block = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)
    is_ended = text[section[-1].end - 1 : section[-1].end] == b"\n"
    yield Splice(section[0].start, section[-1].end, block if is_ended else block[:-1])


def _named(text: bytes, statement: Statement) -> Iterator[Splice]:
    braces = statement.braces
    if braces is None or any(child.type not in ("import_specifier",) for child in braces.named_children):
        return  # nothing, or comments
    held = [name for name in statement.names if braces.start_byte < name.start < braces.end_byte]
    if not held:
        return
    first, last = held[0], held[-1]
    in_order = _in_order(held)
    gaps = {text[a.end : b.start].strip() and text[a.end : a.end + 1] for a, b in pairwise(held)}
    if in_order == held and gaps <= {b","}:
        return
    gap = _gap(text, first, multi=b"\n" in text[first.start : last.end])
    new = (b"," + gap).join(text[each.start : each.end] for each in in_order)
    yield Splice(first.start, last.end, new)


def _in_order(held: list[Name]) -> list[Name]:
    """By name, as it is where either way of counting capitals has it."""
    if held == sorted(held, key=lambda name: name.name):
        return held
    return sorted(held, key=lambda name: (name.name.lower(), name.name))


def _gap(text: bytes, name: Name, *, multi: bool) -> bytes:
    line = text.rfind(b"\n", 0, name.start) + 1
    margin = text[line : name.start]
    return b"\n" + margin if multi and not margin.strip() else b" "
