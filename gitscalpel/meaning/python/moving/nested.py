"""Imports in functions and other blocks: what they take from one module they take from another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def read(place: Place, name: str) -> list[tuple[Statement, Name]]:
    """Where a name is taken from a module below the top level."""
    lexical = place.files.lexical(place.path)
    nodes = lexical.syntax.of_type("import_from_statement") if lexical is not None else ()
    inner = [node for node in nodes if node.parent is not None and node.parent.type != "module"]
    found = [statements.of(node, place.text) for node in inner]
    return [(each, one) for each in found for one in each.names if one.name == name and each.module]


def followed(files: Files, path: str, name: str, module: Callable[[str], str | None]) -> Files:
    """A file whose inner imports take a name from where it is now.

    ``module`` says how that is named where it was named so; None: it was another one.
    """
    place = Place.of(files, path)
    splices = [each for one in read(place, name) for each in _respelled(place.text, *one, module)]
    return files.with_text(path, splice.apply(place.text, sorted(splices))) if splices else files


def without(text: bytes, statement: Statement, name: Name) -> Iterator[Splice]:
    """Take a name out of an inner import; a block that has nothing else keeps something."""
    block = statement.node.parent
    others = [each for each in block.named_children if each.type != "comment"] if block is not None else []
    if len(statement.names) == 1 and len(others) == 1:
        yield Splice(statement.node.start_byte, statement.node.end_byte, b"pass")
    else:
        yield from taking.without(text, [(statement, name)])


def _respelled(
    text: bytes, statement: Statement, name: Name, module: Callable[[str], str | None]
) -> Iterator[Splice]:
    now, node = module(statement.module or ""), statement.node
    source = node.child_by_field_name("module_name")
    if now is None or source is None:
        return
    if len(statement.names) == 1:
        yield Splice(source.start_byte, source.end_byte, now.encode())
        return
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
    between = b"; " if before.strip() else b"\n" + before
    yield Splice(node.start_byte, node.start_byte, f"from {now} import {name.said}".encode() + between)
    yield from taking.without(text, [(statement, name)])
