"""Imports that do not find their module any more, as it is below another directory of the import path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.things import Module

_STATEMENTS = ("import_statement", "import_from_statement")


def list_unreached(journey: Journey, after: Files, paths: Iterable[str]) -> Iterator[str]:
    """Report absolute imports that a move has made, or made wrong, and that lead nowhere.

    Args:
        journey: the files that move.
        after: the tree with all edits.
        paths: the files whose imports may have changed, as they are called before.
    """
    for path in sorted(paths):
        to = journey.to(path)
        known = {name for name, _ in _imported_names(journey.before, path)}
        told = set[tuple[int, str]]()
        for name, line in _imported_names(after, to):
            top = name.partition(".")[0]
            is_ours = name not in known or _is_found(journey.before, path, name)
            if is_ours and (line, top) not in told and not _is_found(after, to, name):
                told.add((line, top))
                yield (
                    f"{quoted(to)}:{line}: {name} is not found from there: "
                    f"the directory that contains {top} has to be on the import path"
                )


def _is_found(files: Files, path: str, name: str) -> bool:
    """Return True if a name is a module, or that of something in a file that is a module."""
    if isinstance(modules.find(files, path, name, 0), Module):
        return True
    package, dot, _ = name.rpartition(".")
    found = modules.find(files, path, package, 0) if dot else None
    return isinstance(found, Module) and files.is_file(found.path)


def _imported_names(files: Files, path: str) -> Iterator[tuple[str, int]]:
    """Yield the dotted names that a file imports, each with its line; not those that begin with a dot."""
    lexical = files.lexical(path)
    for kind in _STATEMENTS if lexical is not None else ():
        for statement in lexical.syntax.of_type(kind) if lexical is not None else ():
            source = statement.child_by_field_name("module_name")
            if source is not None and source.type == "relative_import":
                continue
            head = f"{_text(source)}." if source is not None else ""
            for child in statement.children_by_field_name("name"):
                name = _text(child.child_by_field_name("name") or child)
                yield "".join(f"{head}{name}".split()), statement.start_point.row + 1


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
