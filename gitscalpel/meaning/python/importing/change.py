"""An ``imports`` operation on a Python file, as edits: one thing after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gitscalpel.changesets.operations import Imports
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import nodes
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing import (
    adding,
    asked,
    order,
    statements,
    taking,
    top,
    type_checking,
    unused,
)
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

Step = Callable[[Place, list[Statement]], list[Splice]]


def changed(op: Imports, path: str, files: Files) -> bytes:
    """The text of a file as ``op`` leaves it.

    Raises:
        BadCall: ``invalid_args``: what is to be added or removed is no import.
        DoesNotFit: ``duplicate_symbol``: the name is something else there; ``ambiguous``.
    """
    place = Place.of(files, path)
    for step in _steps(op):
        text = splice.apply(place.text, step(place, statements.read(place.root, place.text)))
        place = Place.of(place.files.with_text(path, text), path)
    return place.text


def _steps(op: Imports) -> Iterator[Step]:
    yield from (partial(_add, wanted=each) for each in asked.read(op.listed("add"), "add"))
    yield from (partial(_remove, wanted=each) for each in asked.read(op.listed("remove"), "remove"))
    if op.remove_unused or op.organize:
        yield _remove_unused
    if op.remove_duplicates or op.organize:
        yield _remove_duplicates
    if op.sort or op.organize:
        yield _sort
        yield _part


def _add(place: Place, found: list[Statement], *, wanted: asked.Wanted) -> list[Splice]:
    splices = adding.add(place, found, top.of(place.root, place.text), wanted)
    lexical = place.files.lexical(place.path)
    bound = lexical.bound(wanted.bound).get(place.root.id, []) if splices and lexical else []
    others = [each for each in bound if not _is_same(place, each, wanted)]
    if others:
        line = place.text.count(b"\n", 0, others[0].start) + 1
        raise DoesNotFit(
            "duplicate_symbol",
            f"{wanted.bound} is something else already in {place.path}:{line}",
            f'give it another name: "{wanted._replace(alias="other").statement}"',
        )
    return sorted([*splices, *type_checking.without(place, wanted)]) if splices else []


def _is_same(place: Place, mention: Mention, wanted: asked.Wanted) -> bool:
    """Return True if an import binds a name to the very thing that is wanted."""
    node = nodes.around(mention.node, "import_statement", "import_from_statement")
    if node is None or mention.kind != "import":
        return False
    statement = statements.of(node, place.text)
    bound = next(each for each in statement.names if each.start <= mention.start < each.end)
    return _origin(statement.module, bound.name, bound.alias) == _origin(*wanted)


def _origin(module: str | None, name: str, alias: str | None) -> str:
    """Return the dotted name of what an import binds: of ``import a.b`` it is ``a``."""
    if module is None:
        return name if alias else name.partition(".")[0]
    return f"{module}{'' if module.endswith('.') else '.'}{name}"


def _remove(place: Place, found: list[Statement], *, wanted: asked.Wanted) -> list[Splice]:
    gone = [
        (statement, name)
        for statement in found
        for name in statement.names
        if (statement.module, name.name, name.alias) == (wanted.module, wanted.name, wanted.alias)
    ]
    return taking.without(place.text, gone)


def _remove_unused(place: Place, found: list[Statement]) -> list[Splice]:
    return taking.without(place.text, unused.names(Resolver(place.files, dialect), place.path, found))


def _remove_duplicates(place: Place, found: list[Statement]) -> list[Splice]:
    seen: set[tuple[str | None, str, str | None]] = set()
    gone: list[tuple[Statement, Name]] = []
    for statement in found:
        for name in statement.names:
            key = (statement.module, name.name, name.alias)
            if key in seen:
                gone.append((statement, name))
            seen.add(key)
    return taking.without(place.text, gone)


def _sort(place: Place, found: list[Statement]) -> list[Splice]:
    return order.sort(place, found, top.of(place.root, place.text))


def _part(place: Place, found: list[Statement]) -> list[Splice]:
    return list(order.parted(place.text, found))
