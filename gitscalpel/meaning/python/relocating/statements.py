"""An import statement, spelled for where modules are after a move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python import imports, words
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.relocating import keeping, naming
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Module
from gitscalpel.text.splice import Splice


class Taken(NamedTuple):
    """A name that an import takes from a module.

    Attributes:
        node: where it stands, with its alias.
        named: the part of that without the alias.
        module: from which it is taken after the move; empty: it is a module without a package.
        name: what it is called there then.
    """

    node: tree_sitter.Node
    named: tree_sitter.Node
    module: str
    name: str


def respelled(
    resolver: Resolver, journey: Journey, path: str, statement: tree_sitter.Node
) -> Iterator[Splice]:
    """The splices of one statement of a file, as it is before."""
    if statement.type == "import_statement":
        yield from _plain(resolver, journey, path, statement)
        return
    source = statement.child_by_field_name("module_name")
    if source is None:
        return
    said = words.text(resolver, path, source)
    module = naming.find(journey, path, said)
    if module is None:
        return
    now = naming.respelled(journey, path, said, module.path)
    taken = list(_taken(resolver, journey, path, statement, (said, now)))
    modules = {each.module for each in taken} or {now}
    if len(modules) == 1 and "" not in modules:
        (now,) = modules
        yield from _put(resolver, path, source, now)
        for each in taken:
            yield from _put(resolver, path, each.named, each.name)
    else:
        yield from _apart(resolver, path, statement, taken, now)


def _plain(resolver: Resolver, journey: Journey, path: str, statement: tree_sitter.Node) -> Iterator[Splice]:
    for child in statement.children_by_field_name("name"):
        named = child.child_by_field_name("name") or child
        said = words.text(resolver, path, named)
        module = naming.find(journey, path, said)
        if module is not None:
            now = naming.respelled(journey, path, said, module.path)
            is_bare = named.id == child.id and "." not in said
            if is_bare and keeping.keeps(resolver, journey, path, said, now=now, target=module.path):
                now = f"{now} as {said}"
            yield from _put(resolver, path, named, now)


def _taken(
    resolver: Resolver,
    journey: Journey,
    path: str,
    statement: tree_sitter.Node,
    source: tuple[str, str],
) -> Iterator[Taken]:
    said, now = source
    for child in statement.children_by_field_name("name"):
        named = child.child_by_field_name("name") or child
        name = words.text(resolver, path, named)
        found = [m for m in imports.taken(resolver, path, statement, name) if isinstance(m, Binding)]
        whole = next((m.path for m in found if m.scope == WHOLE), None)
        below = whole or _passed_on(resolver, journey, found)
        if below is None:
            yield Taken(child, named, now, name)
            continue
        dotted = said + name if said.endswith(".") else f"{said}.{name}"
        module, dot, last = naming.respelled(journey, path, dotted, below).rpartition(".")
        if dot and not module.strip("."):
            module += dot
        if named.id == child.id and keeping.keeps(resolver, journey, path, name, now=last, target=below):
            last = f"{last} as {name}"
        # A module is found in the folder, wherever its package's own file goes.
        is_moved = whole is not None or journey.means(below) != below or journey.to(path) != path
        yield Taken(child, named, module if is_moved else now, last)


def _passed_on(resolver: Resolver, journey: Journey, found: list[Binding]) -> str | None:
    """The path of what moves, where a module has it from others, and will call it otherwise."""
    values = [value for each in found for value in resolver.worth(each)]
    those = {value.path for value in values if isinstance(value, Module)}
    return next((each for each in those if len(those) == 1 and journey.means(each) != each), None)


def _apart(
    resolver: Resolver, path: str, statement: tree_sitter.Node, taken: list[Taken], now: str
) -> Iterator[Splice]:
    """A statement whose names come from several modules after the move."""
    text = resolver.lexical(path).text
    gone = [each for each in taken if each.module != now]
    lines = [_statement(resolver, path, each) for each in gone]
    begins = text.rfind(b"\n", 0, statement.start_byte) + 1
    before = text[begins : statement.start_byte]
    between = b"; " if before.strip() else b"\n" + before
    if len(gone) == len(taken):
        yield Splice(statement.start_byte, statement.end_byte, between.join(lines))
        return
    yield Splice(statement.start_byte, statement.start_byte, b"".join(line + between for line in lines))
    source = statement.child_by_field_name("module_name")
    assert source is not None  # noqa: S101 - it is a from-import
    yield from _put(resolver, path, source, now)
    whole = statements.of(statement, text)
    names = {each.node.start_byte for each in gone}
    yield from taking.without(text, [(whole, name) for name in whole.names if name.start in names])


def _statement(resolver: Resolver, path: str, each: Taken) -> bytes:
    alias = each.node.child_by_field_name("alias")
    name = each.name + (f" as {words.text(resolver, path, alias)}" if alias is not None else "")
    line = f"from {each.module} import {name}" if each.module else f"import {name}"
    return line.encode("utf-8", "surrogateescape")


def _put(resolver: Resolver, path: str, node: tree_sitter.Node, new: str) -> Iterator[Splice]:
    if words.text(resolver, path, node) != new:
        yield Splice(node.start_byte, node.end_byte, new.encode("utf-8", "surrogateescape"))
