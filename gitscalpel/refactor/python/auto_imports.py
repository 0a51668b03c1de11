"""Add the Python imports that an edit needs, and remove those that it makes unused.

An import is added for a name that nothing binds after the edit, if there is exactly one way: as the
other files of the tree import it, from the file that defines it, or as a module of the standard
library.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.operations import Imports
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.python import import_statements
from gitscalpel.names.languages.python.import_statements import WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.python import import_cycles, import_edits, module_names
from gitscalpel.refactor.python.import_cycles import MovedDefinition
from gitscalpel.refactor.python.import_edits import edit_imports
from gitscalpel.refactor.python.import_order import ImportOrder
from gitscalpel.text import splice

_KNOWN = frozenset({*dir(builtins), "__file__", "__name__", "__doc__", "__path__", "__class__"})
_MOST = 50
"""Files that hold a name which are asked how they bring it."""


def complete_imports(before: Files, files: Files, path: str) -> tuple[bytes, list[str]]:
    """The text of a file with its imports, and what could not be brought, in words."""
    now, was = files.lexical(path), before.lexical(path)
    assert now is not None  # noqa: S101 - it is a Python file
    known = set(_unbound(was)) if was is not None else set()
    wanted: list[WantedImport] = []
    left: list[str] = []
    for name in _unbound(now):
        if name in known:
            continue
        ways = _ways(files, path, name)
        if len(ways) == 1:
            wanted += ways
        else:
            how = ", ".join(way.statement for way in ways[:3])
            why = f"there are several ways to bring it ({how})" if ways else "nothing in the tree brings it"
            left.append(f"{quoted(path)}: {name} is not imported: {why}")
    text = _without_unused(before, files, path)
    was_needed = {name for name, _ in import_edits.iter_needed_at_run_time(was)} if was is not None else set()
    typed = [way for name, way in import_edits.iter_needed_at_run_time(now) if name not in was_needed]
    for way in (*wanted, *typed):
        op = Imports(path=path, add=[way.statement])
        there = files.with_text(path, text)
        try:
            new = edit_imports(op, path, there)
        except DoesNotFit as error:
            left.append(f"{quoted(path)}: {way.bound} is not imported: {error.message}")
            continue
        closed = next(import_cycles.find_closed_cycles(there, there.with_text(path, new), [path]), "")
        why = ""
        if closed and way in typed:
            why = f"only type checkers import it, and with an import at run time {closed}"
        elif closed:
            new, why = _import_in_time(there, path, new)
        if why:
            left.append(f"{quoted(path)}: {way.bound} is not imported: {why}")
        else:
            text = new
    return text, left


def _import_in_time(before: Files, path: str, text: bytes) -> tuple[bytes, str]:
    """Put a new import that closes a circle where each name is there in time.

    Returns:
        the text of the file, and why there is no such place, in words; empty if there is one.
    """
    order = ImportOrder(before, path, MovedDefinition("", ""))
    after, failures = order.settle(before.with_text(path, text), may_search=False)
    if failures:
        first = failures[0]
        where = f"{quoted(first.path)}:{first.line}"
        return text, f"{where} would need {first.name} of {quoted(first.source)} before it is there"
    lexical = after.lexical(path)
    return (text if lexical is None else lexical.text), ""


def _without_unused(before: Files, files: Files, path: str) -> bytes:
    """The text without the imports that nobody uses, but those that nobody used before."""
    useless = set(_useless(before, path)) if before.lexical(path) is not None else set()
    place = import_statements.ModuleFile.of(files, path)
    found = import_statements.read_statements(place.root, place.text)
    gone = [
        (statement, name)
        for statement, name in import_edits.find_unused_names(Resolver(files, dialect), path, found)
        if (statement.module, name.said) not in useless
    ]
    return splice.apply(place.text, import_edits.remove_names(place.text, gone, keep_blank=True))


def _useless(files: Files, path: str) -> Iterator[tuple[str | None, str]]:
    place = import_statements.ModuleFile.of(files, path)
    found = import_statements.read_statements(place.root, place.text)
    for statement, name in import_edits.find_unused_names(Resolver(files, dialect), path, found):
        yield statement.module, name.said


def _unbound(lexical: Lexical) -> Iterator[str]:
    """The names that nothing binds where they are used, in order; none where a star may bring any."""
    root = lexical.syntax.root
    if any(each.is_star for each in import_statements.read_statements(root, lexical.text)):
        return
    for name in dict.fromkeys(_names(root)):
        if name in _KNOWN:
            continue
        uses = (mention for mention in lexical.of(name) if mention.role == "use")
        if any(lexical.scope_of(mention) is None for mention in uses):
            yield name


def _names(root: tree_sitter.Node) -> Iterator[str]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield (node.text or b"").decode("utf-8", "surrogateescape")
        waiting += reversed(node.children)


def _ways(files: Files, path: str, name: str) -> list[WantedImport]:
    """How a name can be brought: all ways there are, as others do it, else from where it is defined."""
    holding = [each for each in files.holding(name) if each != path and each.endswith(".py")][:_MOST]
    brought = list(dict.fromkeys(way for each in holding for way in _brought(files, each, name)))
    if brought:
        return brought
    defined = [each for each in holding if _defines(files, each, name)]
    ways = [
        WantedImport(module_names.name_in_style_of(files, path, each, _style(files, path)), name, None)
        for each in defined
    ]
    if not ways and name in sys.stdlib_module_names:
        ways = [WantedImport(None, name, None)]
    return list(dict.fromkeys(ways))


def _brought(files: Files, path: str, name: str) -> Iterator[WantedImport]:
    lexical = files.lexical(path)
    if lexical is None:
        return
    for statement in import_statements.read_statements(lexical.syntax.root, lexical.text):
        for each in statement.names:
            is_relative = (statement.module or "").startswith(".")
            if each.bound == name and statement.module != "__future__" and not is_relative:
                yield WantedImport(statement.module, each.name, each.alias)


def _defines(files: Files, path: str, name: str) -> bool:
    """Whether it is defined at the top of a file."""
    lexical = files.lexical(path)
    own = lexical.bound(name).get(lexical.syntax.root.id, ()) if lexical is not None else ()
    return any(mention.kind != "import" for mention in own)


def _style(files: Files, path: str) -> str:
    lexical = files.lexical(path)
    found = (
        import_statements.read_statements(lexical.syntax.root, lexical.text) if lexical is not None else []
    )
    return module_names.import_style(found)
