"""Find the imports that an edit of a Python file needs, and those that it makes unused.

A name is imported as the other files of the tree import it, from the file that defines it, or as a module of
the standard library.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.modules import ModuleFile, WantedImport
from gitscalpel.names.nodes import node_text, walk
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.imports.engine import ImportCompleter
from gitscalpel.refactor.python import import_cycles, import_edits, module_names
from gitscalpel.refactor.python.import_cycles import MovedDefinition
from gitscalpel.refactor.python.import_order import ImportOrder
from gitscalpel.text.splice import Splice

_ALWAYS_BOUND = frozenset({*dir(builtins), "__file__", "__name__", "__doc__", "__path__", "__class__"})
_MAX_SEARCHED_FILES = 50
"""Largest number of files that contain a name to search for its import."""


def _add_import(files: Files, path: str, wanted: WantedImport) -> tuple[Files, str]:
    try:
        after = files.with_splices(path, import_edits.add_checked(files, path, wanted))
    except DoesNotFit as error:
        return files, error.message
    closed = next(import_cycles.find_closed_cycles(files, after, [path]), "")
    if not closed:
        return after, ""
    lexical = files.lexical(path)
    if lexical is not None and wanted in import_edits.iter_needed_at_run_time(lexical):
        return files, f"only type checkers import it, and with an import at run time {closed}"
    after, failures = ImportOrder(files, path, MovedDefinition("", "")).settle(after, may_search=False)
    if failures:
        first = failures[0]
        spot = f"{quote_path(first.path)}:{first.line}"
        return files, f"{spot} would need {first.name} of {quote_path(first.source)} before it exists"
    return after, ""


def _iter_unbound(resolver: Resolver, path: str) -> Iterator[str]:
    """Yield the names without a binding, in order, or nothing if a star import may bind any name."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    if any(each.is_star for each in modules.read_statements(root, lexical.text)):
        return
    for name in dict.fromkeys(node_text(each) for each in walk(root) if each.type == "identifier"):
        if name in _ALWAYS_BOUND:
            continue
        uses = (mention for mention in lexical.occurrences_of(name) if mention.role == "use")
        if any(lexical.scope_of(mention) is None for mention in uses):
            yield name


def _find_imports_of(files: Files, path: str, name: str) -> list[WantedImport]:
    """Return the imports that other files use for a name, or else imports from the files that define it."""
    holding = [each for each in files.holding(name) if each != path and each.endswith(".py")][
        :_MAX_SEARCHED_FILES
    ]
    imported = list(
        dict.fromkeys(wanted for each in holding for wanted in _iter_absolute_imports(files, each, name))
    )
    if imported:
        return imported
    defined = [each for each in holding if _defines(files, each, name)]
    imports = [WantedImport(module_names.name_module(files, path, each), name, None) for each in defined]
    if not imports and name in sys.stdlib_module_names:
        imports = [WantedImport(None, name, None)]
    return list(dict.fromkeys(imports))


def _iter_absolute_imports(files: Files, path: str, name: str) -> Iterator[WantedImport]:
    lexical = files.lexical(path)
    found = modules.read_statements(lexical.syntax.root, lexical.text) if lexical is not None else ()
    for statement in found:
        if statement.module != "__future__" and not (statement.module or "").startswith("."):
            for each in statement.names:
                if each.bound == name:
                    yield WantedImport(statement.module, each.name, each.alias)


def _defines(files: Files, path: str, name: str) -> bool:
    return any(mention.kind != "import" for mention in files.top_bindings(path, name))


def _find_import(resolver: Resolver, path: str, name: str) -> WantedImport | str:
    found = _find_imports_of(resolver.files, path, name)
    if len(found) == 1:
        return found[0]
    statements = ", ".join(wanted.statement for wanted in found[:3])
    return (
        f"there are several ways to import it ({statements})" if found else "no file of the tree exports it"
    )


def _find_late_imports(before: Files, files: Files, path: str) -> list[WantedImport]:
    """Return the imports of type checkers that run-time code needs now, and did not need before."""
    now, was = files.lexical(path), before.lexical(path)
    known = {each.bound for each in import_edits.iter_needed_at_run_time(was)} if was is not None else set()
    found = import_edits.iter_needed_at_run_time(now) if now is not None else ()
    return [each for each in found if each.bound not in known]


def _remove_new_unused(before: Files, files: Files, path: str) -> list[Splice]:
    known = set[tuple[str | None, str]]()
    if before.lexical(path) is not None:
        unused = import_edits.find_unused_names(before, path)
        known = {(statement.module, name.said) for statement, name in unused}
    unused = import_edits.find_unused_names(files, path)
    gone = [(statement, name) for statement, name in unused if (statement.module, name.said) not in known]
    return import_edits.remove_names(ModuleFile.read_file(files, path).text, gone, keep_blank=True)


COMPLETER = ImportCompleter(
    iter_unbound=_iter_unbound,
    find_import=_find_import,
    find_late_imports=_find_late_imports,
    remove_new_unused=_remove_new_unused,
    add=_add_import,
    bound_name=lambda wanted: str(wanted.bound),
)
