"""An ``imports`` operation on a JavaScript or TypeScript file, as edits: one thing after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gitscalpel.changesets.operations import Imports
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript.importing import adding, asked, order, statements, style, taking, unused
from gitscalpel.meaning.javascript.importing.statements import Name, Statement
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

Step = Callable[[Files, str], list[Splice]]


def changed(op: Imports, path: str, files: Files) -> bytes:
    """The text of a file as ``op`` leaves it.

    Raises:
        BadCall: ``invalid_args``: what is to be added or removed is no import.
        DoesNotFit: ``duplicate_symbol``: the name is something else there.
    """
    for step in _steps(op):
        text = splice.apply(statements.opened(files, path).text, step(files, path))
        files = files.with_text(path, text)
    return statements.opened(files, path).text


def _steps(op: Imports) -> Iterator[Step]:
    yield from (partial(_add, wanted=each) for each in asked.read(op.listed("add"), "add"))
    yield from (partial(_remove, wanted=each) for each in asked.read(op.listed("remove"), "remove"))
    if op.remove_unused or op.organize:
        yield _remove_unused
    if op.remove_duplicates or op.organize:
        yield _remove_duplicates
        yield _shorten
    if op.sort or op.organize:
        yield _sort_names
        yield _sort


def _add(files: Files, path: str, *, wanted: asked.Wanted) -> list[Splice]:
    lexical = statements.opened(files, path)
    found = statements.read(lexical)
    splices = adding.add(lexical, found, wanted, style.of(lexical))
    own = {n.alias for each in found if each.module == wanted.module for n in each.names if wanted.is_it(n)}
    is_new = bool(splices) and bool(wanted.alias) and wanted.alias not in own
    bound = lexical.bound(wanted.alias).get(lexical.syntax.root.id, []) if is_new else []
    if bound:
        line = lexical.text.count(b"\n", 0, bound[0].start) + 1
        raise DoesNotFit(
            "duplicate_symbol",
            f"{wanted.alias} is something else already in {path}:{line}",
            f"give it another name: {wanted._replace(alias='other').statement(style.of(lexical))}",
        )
    return splices


def _remove(files: Files, path: str, *, wanted: asked.Wanted) -> list[Splice]:
    lexical = statements.opened(files, path)
    found = [each for each in statements.read(lexical) if each.module == wanted.module]
    if not wanted.name:
        return [s for each in found if not each.names for s in taking.wholly(lexical.text, each)]
    gone = [(s, n) for s in found for n in s.names if (n.name, n.alias) == (wanted.name, wanted.alias)]
    return taking.without(lexical.text, gone)


def _remove_unused(files: Files, path: str) -> list[Splice]:
    lexical = statements.opened(files, path)
    found = [each for each in statements.read(lexical) if each.form != "common"]
    return taking.without(lexical.text, unused.names(Resolver(files, dialect), path, found))


def _remove_duplicates(files: Files, path: str) -> list[Splice]:
    """What is brought twice, once: as a value, where it is one."""
    lexical = statements.opened(files, path)
    seen: dict[tuple[str, str, str], tuple[Statement, Name]] = {}
    gone: list[tuple[Statement, Name]] = []
    for statement in statements.read(lexical):
        for name in statement.names if statement.form != "common" else ():
            key = (statement.module, name.name, name.alias)
            first = seen.setdefault(key, (statement, name))
            if first[1] == name:
                continue
            if first[1].is_type and not name.is_type:
                gone.append(first)
                seen[key] = (statement, name)
            else:
                gone.append((statement, name))
    return taking.without(lexical.text, gone)


def _shorten(files: Files, path: str) -> list[Splice]:
    """``{ a as a }``."""
    lexical = statements.opened(files, path)
    found = []
    for node in lexical.syntax.of_type("import_specifier"):
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None and alias is not None and name.text == alias.text:
            found.append(Splice(name.end_byte, alias.end_byte, b""))
    return found


def _sort_names(files: Files, path: str) -> list[Splice]:
    lexical = statements.opened(files, path)
    return order.names(lexical.text, statements.read(lexical))


def _sort(files: Files, path: str) -> list[Splice]:
    lexical = statements.opened(files, path)
    return order.sort(lexical.text, statements.read(lexical))
