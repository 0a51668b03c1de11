"""Update the files that import, pass on or publish a moved definition.

A file may publish a module as a namespace: ``export * as util from "./util"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.javascript import modules, name_nodes
from gitscalpel.names.references import Reference
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.javascript import import_edits, import_statements, module_specifiers
from gitscalpel.refactor.javascript.import_statements import (
    ALL,
    DEFAULT,
    GIVEN,
    ImportedName,
    ImportStatement,
    WantedImport,
    open_file,
)
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


class MovedExport(NamedTuple):
    """What moves where.

    Attributes:
        word: its name.
        exported: as what others import it; None: nobody can.
        came: the path of the file in which it was.
        to: that of the file in which it will be.
        is_type: it is one, and no value.
    """

    word: str
    exported: str | None
    came: str
    to: str
    is_type: bool


def update_importer(
    files: Files, path: str, way: MovedExport, through: list[Reference]
) -> tuple[Files, list[int]]:
    """A file that names the definition, after it; and the bytes of uses that stay as they are.

    Args:
        files: of the tree.
        path: of the file, which is neither where it was nor where it goes.
        way: of the definition.
        through: uses through its module.
    """
    files, left = _through(files, path, way, through)
    for statement, name in _imported(files, path, way):
        module = module_specifiers.specifier_for(files, path, way.to, (path, statement.module))
        files = _instead(files, path, (statement, name), module)
    return _passed(files, path, way), left


def add_import(files: Files, path: str, wanted: WantedImport, *others: str) -> Files:
    """A file with one more import; ``others``: files that show its style where it does not."""
    lexical = open_file(files, path)
    how = import_statements.style_of(lexical, *(open_file(files, each) for each in others))
    if how.common and wanted.form == "import":
        wanted = wanted._replace(form="common", name=GIVEN if wanted.name == ALL else wanted.name)
    found = import_statements.read_statements(lexical)
    if any(each.brings(wanted.module, wanted.name, wanted.alias) for each in found):
        return files  # also as a type: see `import_as_value`
    splices = import_edits.add_name(lexical, found, wanted, how)
    return files.with_text(path, splice.apply(lexical.text, splices)) if splices else files


def import_as_value(files: Files, path: str, wanted: WantedImport) -> Files:
    """A file that no longer imports as a type alone what is wanted as a value."""
    lexical = open_file(files, path)
    named = (wanted.module, wanted.name, wanted.alias)
    typed = [
        (statement, each)
        for statement in import_statements.read_statements(lexical)
        for each in statement.names
        if each.is_type and (statement.module, each.name, each.alias) == named
    ]
    return files.with_text(path, splice.apply(lexical.text, import_edits.remove_names(lexical.text, typed)))


def remove_unused_imports(files: Files, path: str, names: Iterable[str]) -> Files:
    """A file without the imports of some names, where nobody uses them any more."""
    among, lexical = set(names), open_file(files, path)
    resolver = Resolver(files, dialect)
    gone = [
        (statement, name)
        for statement, name in import_edits.find_unused_names(
            resolver, path, import_statements.read_statements(lexical)
        )
        if name.alias in among and not statement.has_rest
    ]
    splices = import_edits.remove_names(lexical.text, gone)
    return files.with_text(path, splice.apply(lexical.text, splices)) if splices else files


def remove_imports(files: Files, path: str, way: MovedExport) -> Files:
    """A file without its imports of the definition: the one in which it will be."""
    lexical = open_file(files, path)
    splices = import_edits.remove_names(lexical.text, _imported(files, path, way))
    return files.with_text(path, splice.apply(lexical.text, splices))


def imports_of_module(files: Files, path: str, came: str) -> list[ImportStatement]:
    """The imports of a file that name another one."""
    resolver = Resolver(files, dialect)
    found = import_statements.read_statements(open_file(files, path))
    return [s for s in found if getattr(modules.find_module(resolver, path, s.module), "path", None) == came]


def unqualify_uses(files: Files, path: str, through: list[Reference]) -> Files:
    """A file that has the definition itself: it names it without its module."""
    lexical = open_file(files, path)
    text = lexical.text
    for each in through:
        inner = [scope.node.id for scope in each.mention.scopes[:-1]]
        if not lexical.bound(each.mention.name).keys().isdisjoint(inner):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.mention.name} is something else where {path} uses it",
                "rename one of them first",
            )
    splices = [
        Splice(receiver.start_byte, each.mention.start, b"")
        for each in through
        if (receiver := dialect("typescript").receiver(each.mention)) is not None
    ]
    return files.with_text(path, splice.apply(text, sorted(splices)))


def _imported(files: Files, path: str, way: MovedExport) -> list[tuple[ImportStatement, ImportedName]]:
    return [
        (s, n) for s in imports_of_module(files, path, way.came) for n in s.names if n.name == way.exported
    ]


def _instead(files: Files, path: str, was: tuple[ImportStatement, ImportedName], module: str) -> Files:
    """A file in which one import is another one."""
    statement, name = was
    lexical = open_file(files, path)
    source = statement.source
    is_alone = len(statement.names) == 1 and source is not None
    if (
        is_alone
        and source is not None
        and all(s.module != module for s in import_statements.read_statements(lexical))
    ):
        new = Splice(source.start_byte + 1, source.end_byte - 1, module.encode("utf-8", "surrogateescape"))
        return files.with_text(path, splice.apply(lexical.text, [new]))  # it stays where it is
    again = next(
        (s, n) for s in import_statements.read_statements(lexical) for n in s.names
        if (s.module, n.name, n.alias) == (statement.module, name.name, name.alias)
    )  # fmt: skip
    files = files.with_text(
        path, splice.apply(lexical.text, import_edits.remove_names(lexical.text, [again]))
    )
    return add_import(files, path, WantedImport(module, name.name, name.alias, statement.form, name.is_type))


def _through(files: Files, path: str, way: MovedExport, found: list[Reference]) -> tuple[Files, list[int]]:
    """``module.name`` becomes ``other.name``, and that other module is imported as the first one is."""
    imported = {
        n.alias: s
        for s in imports_of_module(files, path, way.came)
        for n in s.names
        if n.name in (ALL, GIVEN)
    }
    lexical = open_file(files, path)
    splices: list[Splice] = []
    left: list[int] = []
    used: dict[str, str] = {}
    for each in found:
        receiver = dialect("typescript").receiver(each.mention)
        said = (receiver.text or b"").decode("utf-8", "surrogateescape") if receiver is not None else ""
        if receiver is None or said not in imported:
            left.append(each.mention.start)
            continue
        used.setdefault(said, _free(files, path, way.to, used))
        splices.append(Splice(receiver.start_byte, receiver.end_byte, used[said].encode()))
    files = files.with_text(path, splice.apply(lexical.text, sorted(splices)))
    for said, alias in used.items():
        files = _another(files, path, (said, alias), way)
    return remove_unused_imports(files, path, used), left


def _another(files: Files, path: str, names: tuple[str, str], way: MovedExport) -> Files:
    """A file that imports the other module in the way in which it imports the first."""
    said, alias = names
    statement = next(
        s for s in imports_of_module(files, path, way.came) if any(n.alias == said for n in s.names)
    )
    module = module_specifiers.specifier_for(files, path, way.to, (path, statement.module))
    lexical = open_file(files, path)
    if statement.form != "common":
        name = next(n for n in statement.names if n.alias == said)
        return add_import(files, path, WantedImport(module, name.name, alias, statement.form))
    string = import_statements.style_of(lexical).string(module)
    new = f", {alias} = require({string})".encode("utf-8", "surrogateescape")
    at = statement.part.end_byte
    return files.with_text(path, splice.apply(lexical.text, [Splice(at, at, new)]))


def _free(files: Files, path: str, to: str, used: dict[str, str]) -> str:
    """A name for a module that its file does not have yet."""
    stem = to.rpartition("/")[2]
    for suffix in (".d.ts", *modules.SUFFIXES):
        stem = stem.removesuffix(suffix)
    parts = re.findall(r"[\w$]+", stem)
    name = "".join([*parts[:1], *(part[:1].upper() + part[1:] for part in parts[1:])]) or "module"
    name = f"_{name}" if name[0].isdigit() else name
    lexical = open_file(files, path)
    tried, n = name, 1
    while any(each.role not in ("comment", "string", "text", "member") for each in lexical.of(tried)) or (
        tried in used.values()
    ):
        n += 1
        tried = f"{name}{n}"
    return tried


def keep_exports(files: Files, path: str, way: MovedExport) -> Files:
    """Return the files in which the new file of a definition exports it itself, instead of passing it on."""
    for node in _passing(files, path, way.came):
        text = open_file(files, path).text
        clause = next((each for each in node.named_children if each.type == "export_clause"), None)
        items = [e for e in clause.named_children if e.type == "export_specifier"] if clause else []
        mine = [
            e for e in items if (e.child_by_field_name("name") or e).text == (way.exported or "").encode()
        ]
        if clause is None or not mine:
            continue
        is_type = any(child.type == "type" for child in node.children)
        said = [new for each in mine if (new := _own_export(text, each, way, is_type=is_type))]
        end = b";" if text[node.end_byte - 1 : node.end_byte] == b";" else b""
        line = b"export { " + b", ".join(said) + b" }" + end if said else b""
        if len(mine) == len(items):
            start, stop = (
                import_statements.statement_span(node, text) if not said else (node.start_byte, node.end_byte)
            )
            splices = [Splice(start, stop, line)]
        else:
            spans = [(each.start_byte, each.end_byte) for each in items]
            splices = [*import_edits.remove_items(spans, [each in mine for each in items])]
            splices += [Splice(node.end_byte, node.end_byte, b"\n" + line)] if said else []
        return keep_exports(files.with_text(path, splice.apply(text, splices)), path, way)
    return files


def _own_export(text: bytes, item: tree_sitter.Node, way: MovedExport, *, is_type: bool) -> bytes:
    """Return what exports the definition as an item did; empty if its declaration does."""
    alias = item.child_by_field_name("alias") or item.child_by_field_name("name") or item
    said = text[alias.start_byte : alias.end_byte]
    if said == (way.exported or "").encode():
        return b""
    head = b"type " if is_type or any(child.type == "type" for child in item.children) else b""
    return head + way.word.encode("utf-8", "surrogateescape") + b" as " + said


def _passed(files: Files, path: str, way: MovedExport) -> Files:
    """A file that passes on what the other exports."""
    for node in _passing(files, path, way.came):
        lexical = open_file(files, path)
        source = node.child_by_field_name("source")
        assert source is not None  # noqa: S101 - that is why it is here
        said = name_nodes.literal(Resolver(files, dialect), path, source)
        module = module_specifiers.specifier_for(files, path, way.to, (path, said))
        splices = list(_passed_on(lexical.text, node, source, module, way))
        if splices:
            return _passed(files.with_text(path, splice.apply(lexical.text, splices)), path, way)
    return files


def _passed_on(
    text: bytes, node: tree_sitter.Node, source: tree_sitter.Node, module: str, way: MovedExport
) -> Iterator[Splice]:
    quote, is_ended = (
        text[source.start_byte : source.start_byte + 1],
        text[node.end_byte - 1 : node.end_byte] == b";",
    )
    tail = b" from " + quote + module.encode("utf-8", "surrogateescape") + quote + (b";" if is_ended else b"")
    clause = next((each for each in node.named_children if each.type == "export_clause"), None)
    if clause is None:
        new = b"\nexport " + (b"type " if way.is_type else b"") + b"{ " + way.word.encode() + b" }" + tail
        is_all = any(child.type == "*" for child in node.children)
        if is_all and way.exported == way.word and text[node.end_byte :].startswith(new) is False:
            yield Splice(node.end_byte, node.end_byte, new)
        return
    items = [each for each in clause.named_children if each.type == "export_specifier"]
    mine = [
        each
        for each in items
        if (each.child_by_field_name("name") or each).text == (way.exported or "").encode()
    ]
    if mine and len(mine) == len(items):
        yield Splice(source.start_byte + 1, source.end_byte - 1, module.encode("utf-8", "surrogateescape"))
    elif mine:
        yield from import_edits.remove_items(
            [(i.start_byte, i.end_byte) for i in items], [i in mine for i in items]
        )
        said = b", ".join(text[each.start_byte : each.end_byte] for each in mine)
        yield Splice(node.end_byte, node.end_byte, b"\nexport { " + said + b" }" + tail)


def _passing(files: Files, path: str, came: str) -> list[tree_sitter.Node]:
    resolver = Resolver(files, dialect)
    found = []
    for node in open_file(files, path).syntax.root.named_children:
        source = node.child_by_field_name("source") if node.type == "export_statement" else None
        if source is not None:
            module = modules.find_module(resolver, path, name_nodes.literal(resolver, path, source))
            found += [node] if getattr(module, "path", None) == came else []
    return found


_NAMES = ("identifier", "shorthand_property_identifier")


def find_publisher(files: Files, path: str) -> str | None:
    """Return the path of a file that publishes another one as a namespace; None if there is none."""
    resolver = Resolver(files, dialect)
    for other in module_specifiers.find_naming_files(files, path):
        if other != path and any(True for _ in _publishing(resolver, other, path)):
            return other
    return None


def republish(files: Files, path: str, way: MovedExport) -> Files:
    """Return the files in which the old module of a definition goes on exporting it."""
    lexical = open_file(files, path)
    how = import_statements.style_of(lexical)
    module = how.string(module_specifiers.specifier_for(files, path, way.to))
    name = "default" if way.exported == DEFAULT else way.exported or way.word
    line = f"export {'type ' if way.is_type else ''}{how.braces(name)} from {module}{how.end}"
    found = import_statements.read_statements(lexical)
    at = max((each.end for each in found), default=0)
    new = line.encode("utf-8", "surrogateescape") + b"\n"
    if not found:
        at = len(lexical.text.rstrip())
        new = (b"\n\n" if at else b"") + new
        return files.with_text(path, splice.apply(lexical.text, [Splice(at, len(lexical.text), new)]))
    return files.with_text(path, splice.apply(lexical.text, [Splice(at, at, new)]))


def _publishing(resolver: Resolver, path: str, module: str) -> Iterator[tree_sitter.Node]:
    """Yield the statements of a file that export all of a module under one name."""
    lexical = resolver.lexical(path)
    aliases = {
        name.alias.encode("utf-8", "surrogateescape")
        for statement in import_statements.read_statements(lexical)
        if _is(resolver, path, statement.module, module)
        for name in statement.names
        if name.name in (ALL, GIVEN)
    }
    for node in lexical.syntax.root.named_children:
        source = node.child_by_field_name("source")
        if node.type != "export_statement":
            continue
        if source is None and _says(node, aliases):
            yield node
        elif source is not None and _is_whole(node):
            said = name_nodes.literal(resolver, path, source)
            yield from [node] if _is(resolver, path, said, module) else []


def _is_whole(node: tree_sitter.Node) -> bool:
    return any(child.type == "namespace_export" for child in node.children)


def _is(resolver: Resolver, path: str, said: str, module: str) -> bool:
    return getattr(modules.find_module(resolver, path, said), "path", None) == module


def _says(node: tree_sitter.Node, names: set[bytes]) -> bool:
    return bool(names) and any(each.type in _NAMES and each.text in names for each in _whole(node))


def _whole(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of a statement that are not in a function or a member of something."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if each.type == "member_expression" and each.id != node.id:
            continue
        is_function = "function" in each.type or each.type in (
            "class_declaration",
            "class",
            "method_definition",
        )
        waiting += [] if is_function else each.named_children
