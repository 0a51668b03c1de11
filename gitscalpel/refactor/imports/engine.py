"""Edit and complete the imports of a file, the same way for all languages.

A language reads and writes its statements in its package: `ImportEditor` in ``import_edits``, and
`ImportCompleter` in ``missing_imports``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.operations import Imports
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

EditStep = Callable[[Files, str], list[Splice]]
"""Returns the splices of one step for the file at a path."""


class ImportEditor(NamedTuple):
    """Functions of a language for the steps of an ``imports`` operation."""

    read_wanted: Callable[[Iterable[str], str], Iterator[Any]]  # the imports in the lines of a field
    add: Callable[[Files, str, Any], list[Splice]]
    remove: Callable[[Files, str, Any], list[Splice]]
    remove_unused: EditStep
    remove_duplicates: tuple[EditStep, ...]
    sort: tuple[EditStep, ...]


def edit_imports(op: Imports, path: str, files: Files, editor: ImportEditor) -> Files:
    """Return the files after the operation.

    Raises ``invalid_args`` if an argument to add or remove is not an import, ``duplicate_symbol`` if the name
    has another meaning in the file, or ``ambiguous``.
    """
    for change, field in ((editor.add, "add"), (editor.remove, "remove")):
        for wanted in editor.read_wanted(op.listed(field), field):
            files = files.with_splices(path, change(files, path, wanted))
    steps: list[EditStep] = [editor.remove_unused] if op.remove_unused or op.organize else []
    steps += editor.remove_duplicates if op.remove_duplicates or op.organize else ()
    steps += editor.sort if op.sort or op.organize else ()
    for step in steps:
        files = files.with_splices(path, step(files, path))
    return files


def require_unbound(files: Files, path: str, name: str, bound: Sequence[Mention], renamed: str) -> None:
    """Raise ``duplicate_symbol`` if a name to import (alias: ``renamed``) has another meaning in the file."""
    if bound:
        place = _locate(files, path, bound[0])
        hint = f"give it another name: {renamed}"
        raise DoesNotFit("duplicate_symbol", f"{name} already has another meaning in {place}", hint)


def _locate(files: Files, path: str, mention: Mention) -> str:
    source = files.source(path)
    line = 1 if source is None else source.text.count(b"\n", 0, mention.start) + 1
    return f"{path}:{line}"


class ImportCompleter(NamedTuple):
    """Functions of a language that find and place missing imports."""

    iter_unbound: Callable[[Resolver, str], Iterator[str]]  # names without a binding, in order
    find_import: Callable[[Resolver, str, str], Any]  # the import, or the reason why there is none, or ""
    remove_new_unused: Callable[[Files, Files, str], list[Splice]]
    add: Callable[[Files, str, Any], tuple[Files, str]]  # the files, and the reason if it was not added
    bound_name: Callable[[Any], str]
    find_late_imports: Callable[[Files, Files, str], list[Any]] | None = None  # for type checkers so far


def complete_imports(
    before: Files, files: Files, path: str, completer: ImportCompleter
) -> tuple[Files, list[str]]:
    """Return the files with the imports of a changed file completed, and notes about unbound names.

    An import is added for a name if there is exactly one way. Names that were unbound, and imports that were
    unused before, stay unchanged.
    """
    resolver, wanted, notes = Resolver(files, dialect), list[Any](), list[str]()
    is_new = before.lexical(path) is None
    known = set() if is_new else set(completer.iter_unbound(Resolver(before, dialect), path))
    for name in completer.iter_unbound(resolver, path):
        found = completer.find_import(resolver, path, name) if name not in known else ""
        if not isinstance(found, str):
            wanted.append(found)
        elif found:
            notes.append(f"{quote_path(path)}: {name} is not imported: {found}")
    wanted += completer.find_late_imports(before, files, path) if completer.find_late_imports else ()
    files = files.with_splices(path, completer.remove_new_unused(before, files, path))
    for each in wanted:
        files, reason = completer.add(files, path, each)
        if reason:
            notes.append(f"{quote_path(path)}: {completer.bound_name(each)} is not imported: {reason}")
    return files, notes


def insert_listed_name(
    text: bytes, names: Sequence[tuple[str, int, int]], start: int, name: str, new: str
) -> Splice:
    """Return the splice that adds a name to a list: in order if the list is sorted, or else last.

    ``names`` are name, first byte and end of each listed name; those on lines of their own below ``start``,
    the first byte of the statement, stay so. ``new`` is the name as written.
    """
    words = [each.lower() for each, _, _ in names]
    later = [each for each in names if each[0].lower() > name.lower()] if words == sorted(words) else []
    _, first, end = later[0] if later else names[-1]
    margin = text[text.rfind(b"\n", 0, first) + 1 : first]
    is_own_line = not margin.strip() and first - len(margin) > start
    separator, raw = b",\n" + margin if is_own_line else b", ", new.encode("utf-8", "surrogateescape")
    return Splice(first, first, raw + separator) if later else Splice(end, end, separator + raw)


def require_undefined(files: Files, path: str, name: str, but: Container[str]) -> None:
    """Raise ``duplicate_symbol`` if the top level binds a name by other kinds of binding than ``but``."""
    for mention in files.top_bindings(path, name):
        if mention.kind not in but:
            reason = f"{name} is already defined in {_locate(files, path, mention)}"
            raise DoesNotFit("duplicate_symbol", reason, "rename one of them first")
