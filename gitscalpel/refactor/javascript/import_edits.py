"""Edit import statements: add, remove and sort names, and find unused ones.

Statements are sorted within a section without blank lines, comments and other statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import tree_sitter

from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.engine import ImportEditor, insert_listed_name, require_unbound
from gitscalpel.refactor.javascript.evaluation_order import find_element_factories
from gitscalpel.refactor.javascript.module_statements import (
    ALL,
    DEFAULT,
    GIVEN,
    ImportedName,
    ImportStatement,
    ImportStyle,
    WantedImport,
    open_file,
    read_statements,
    read_wanted,
    style_of,
)
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


def remove_names(text: bytes, gone: Iterable[tuple[ImportStatement, ImportedName]]) -> list[Splice]:
    """Return the splices that remove names; an import without names goes with its lines."""
    by_part: dict[int, tuple[ImportStatement, set[ImportedName]]] = {}
    for statement, name in gone:
        by_part.setdefault(statement.part.id, (statement, set()))[1].add(name)
    whole: dict[int, list[ImportStatement]] = {}
    found: list[Splice] = []
    for statement, names in by_part.values():
        if len(names) == len(statement.names):
            whole.setdefault(statement.node.id, []).append(statement)
        else:
            found += _remove_parts(statement, names)
    for statements in whole.values():
        found += _remove_statements(text, statements)
    return sorted(found)


def _remove_statements(text: bytes, statements: Sequence[ImportStatement]) -> Iterator[Splice]:
    first = statements[0]
    parts = [each for each in first.node.named_children if each.type == "variable_declarator"]
    if first.form == "common" and len(parts) > len(statements):
        gone = {each.part.id for each in statements}
        yield from remove_items([(p.start_byte, p.end_byte) for p in parts], [p.id in gone for p in parts])
        return
    end = first.end
    if end == first.node.end_byte:  # the statement shares its line
        while text[end : end + 1] in (b" ", b"\t"):
            end += 1
    yield Splice(first.start, end, b"")


def _remove_parts(statement: ImportStatement, gone: set[ImportedName]) -> Iterator[Splice]:
    braces = statement.braces
    in_braces = [
        name
        for name in statement.names
        if braces is not None and braces.start_byte <= name.start < braces.end_byte
    ]
    rest = [name for name in statement.names if name not in in_braces]  # default and namespace
    remaining = [name for name in in_braces if name not in gone]
    if in_braces and remaining:
        yield from remove_items([(n.start, n.end) for n in in_braces], [n in gone for n in in_braces])
    first = rest[0] if rest else None
    if first is not None and first in gone:
        following = braces.start_byte if remaining and braces is not None else rest[1].start
        yield Splice(first.start, following, b"")
    elif first is not None:
        dropped = [name.end for name in rest[1:] if name in gone]
        if in_braces and not remaining and braces is not None:
            dropped.append(braces.end_byte)
        if dropped:
            yield Splice(first.end, dropped[-1], b"")


def remove_items(items: list[tuple[int, int]], gone: list[bool]) -> Iterator[Splice]:
    """Yield the splices that remove items from a comma-separated list."""
    last = max(at for at, is_gone in enumerate(gone) if not is_gone)
    at = 0
    while at < len(items):
        if not gone[at]:
            at += 1
            continue
        start = at
        while at < len(items) and gone[at]:
            at += 1
        if start > last:
            yield Splice(items[last][1], items[-1][1], b"")
        else:
            yield Splice(items[start][0], items[at][0], b"")


def sort_statements(files: Files, path: str) -> list[Splice]:
    """Return the splices that sort statements with their comments, or none if they are sorted."""
    lexical = open_file(files, path)
    sections = _iter_sections(lexical.text, read_statements(lexical))
    return [splice for part in sections for splice in _sort_section(lexical.text, part)]


def sort_names(files: Files, path: str) -> list[Splice]:
    """Return the splices that sort the names in braces."""
    lexical = open_file(files, path)
    found = (each for each in read_statements(lexical) if each.form == "import")
    return [splice for each in found for splice in _sort_specifiers(lexical.text, each)]


def sort_key(statement: ImportStatement) -> tuple[bool, bool, str, str]:
    """Return the sort key of an import: packages before files, then by name."""
    return module_rank(statement.module, statement.form == "assigned")


def module_rank(module: str, is_assigned: bool = False) -> tuple[bool, bool, str, str]:
    """Return the sort key of an import of a module."""
    return is_assigned, module.startswith("."), module.lower(), module


def _iter_sections(text: bytes, found: list[ImportStatement]) -> Iterator[list[ImportStatement]]:
    """Yield the runs of adjacent imports on their own lines; imports for side effects stay in place."""
    section: list[ImportStatement] = []
    for each in found:
        is_alone = each.form != "common" and bool(each.names) and each.start == _find_line_start(text, each)
        if section and (not is_alone or section[-1].end != each.start):
            yield section
            section = []
        if is_alone:
            section.append(each)
    if section:
        yield section


def _find_line_start(text: bytes, statement: ImportStatement) -> int:
    is_whole = text[statement.end - 1 : statement.end] == b"\n" or statement.end == len(text)
    return text.rfind(b"\n", 0, statement.node.start_byte) + 1 if is_whole else -1


def _sort_section(text: bytes, section: list[ImportStatement]) -> Iterator[Splice]:
    in_order = sorted(section, key=sort_key)
    if in_order == section:
        return
    lines = [text[each.start : each.end] for each in in_order]
    block = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)
    is_ended = text[section[-1].end - 1 : section[-1].end] == b"\n"
    yield Splice(section[0].start, section[-1].end, block if is_ended else block[:-1])


def _sort_specifiers(text: bytes, statement: ImportStatement) -> Iterator[Splice]:
    braces = statement.braces
    if braces is None or any(child.type not in ("import_specifier",) for child in braces.named_children):
        return  # no names, or comments between them
    names = [name for name in statement.names if braces.start_byte < name.start < braces.end_byte]
    if not names:
        return
    first, last = names[0], names[-1]
    in_order = _sort_by_name(names)
    gaps = {text[a.end : b.start].strip() and text[a.end : a.end + 1] for a, b in pairwise(names)}
    if in_order == names and gaps <= {b","}:
        return
    gap = _find_separator(text, first, multi=b"\n" in text[first.start : last.end])
    new = (b"," + gap).join(text[each.start : each.end] for each in in_order)
    yield Splice(first.start, last.end, new)


def _sort_by_name(names: list[ImportedName]) -> list[ImportedName]:
    """Return names sorted case-insensitively, or unchanged if they are sorted by code point."""
    if names == sorted(names, key=lambda name: name.name):
        return names
    return sorted(names, key=lambda name: (name.name.lower(), name.name))


def _find_separator(text: bytes, name: ImportedName, *, multi: bool) -> bytes:
    line = text.rfind(b"\n", 0, name.start) + 1
    margin = text[line : name.start]
    return b"\n" + margin if multi and not margin.strip() else b" "


def find_import_position(lexical: Lexical) -> int:
    """Return the offset after the header of a file: ``#!`` line, licence and directives."""
    text, end = lexical.text, 0
    for node in lexical.syntax.root.named_children:
        if not (is_directive(node) or node.type == "hash_bang_line" or _is_file_comment(node, text)):
            break
        line = text.find(b"\n", node.end_byte)
        end = len(text) if line < 0 else line + 1
    return end


def read_directives(lexical: Lexical) -> list[bytes]:
    """Return the directives at the start of a file (``"use strict"``)."""
    found = []
    for node in lexical.syntax.root.named_children:
        if is_directive(node):
            found.append(lexical.text[node.start_byte : node.end_byte])
        elif node.type not in ("comment", "hash_bang_line"):
            break
    return found


def is_directive(node: tree_sitter.Node) -> bool:
    """Return True if a statement is only a string."""
    return node.type == "expression_statement" and [c.type for c in node.named_children] == ["string"]


def _is_file_comment(node: tree_sitter.Node, text: bytes) -> bool:
    """Return True if a comment belongs to the file, and not to the code after it."""
    if node.type != "comment":
        return False
    behind = text[text.find(b"\n", node.end_byte) + 1 :] if b"\n" in text[node.end_byte :] else b""
    follows = node.next_named_sibling
    is_block = follows is not None and follows.type == "comment" and _is_file_comment(follows, text)
    return behind.startswith((b"\n", b"\r\n")) or follows is None or is_block


def add_name(lexical: Lexical, wanted: WantedImport, style: ImportStyle) -> list[Splice]:
    """Return the splices that import a name in the style of a file, or none if the file has the import."""
    found = read_statements(lexical)
    same = [each for each in found if each.module == wanted.module]
    existing = [(each, name) for each in same for name in each.names if wanted.matches(name)]
    if any(wanted.is_type or not name.is_type for _, name in existing) or (not wanted.name and same):
        return []
    new = _insert_name(lexical, found, same, wanted, style)
    if not existing:
        return [new]
    statement, name = existing[0]
    if len(statement.names) == 1 or not statement.is_type:
        return [_make_value_import(statement, name, wanted)]
    return sorted([*remove_names(lexical.text, existing), new])  # the other names stay types


def _make_value_import(statement: ImportStatement, name: ImportedName, wanted: WantedImport) -> Splice:
    if not statement.is_type:
        return Splice(name.start, name.end, wanted.said.encode("utf-8", "surrogateescape"))
    word = next(each for each in statement.node.children if each.type == "type")
    follows = word.next_sibling
    return Splice(word.start_byte, follows.start_byte if follows is not None else word.end_byte, b"")


def _insert_name(
    lexical: Lexical,
    found: list[ImportStatement],
    same: list[ImportStatement],
    wanted: WantedImport,
    style: ImportStyle,
) -> Splice:
    for each in same if wanted.name not in ("", ALL, GIVEN) else ():
        splice = _insert_into_statement(lexical.text, each, wanted, style)
        if splice is not None:
            return splice
    return _insert_statement(lexical, found, wanted, style)


def _insert_into_statement(
    text: bytes, statement: ImportStatement, wanted: WantedImport, style: ImportStyle
) -> Splice | None:
    if statement.form != wanted.form or (statement.is_type and not wanted.is_type) or statement.has_rest:
        return None
    braces = statement.braces
    if wanted.name == DEFAULT and wanted.form == "import":
        has_one = any(name.name == DEFAULT for name in statement.names) or statement.is_type
        new = f"{wanted.alias}, ".encode("utf-8", "surrogateescape")
        return None if has_one or braces is None else Splice(braces.start_byte, braces.start_byte, new)
    in_braces = [
        n for n in statement.names if braces is not None and braces.start_byte < n.start < braces.end_byte
    ]
    if braces is None and statement.form == "import" and [n.name for n in statement.names] == [DEFAULT]:
        new = f", {style.braces(wanted.said)}".encode("utf-8", "surrogateescape")
        at = statement.names[0].end
        return None if statement.is_type or wanted.is_type else Splice(at, at, new)
    if braces is None or not in_braces:
        return None
    word = "type " if wanted.is_type and not statement.is_type else ""
    names = [(each.name, each.start, each.end) for each in in_braces]
    return insert_listed_name(text, names, braces.start_byte, wanted.name, word + wanted.said)


def _insert_statement(
    lexical: Lexical, found: list[ImportStatement], wanted: WantedImport, style: ImportStyle
) -> Splice:
    text = lexical.text
    line = wanted.statement(style).encode("utf-8", "surrogateescape") + b"\n"
    mates = [each for each in found if (each.form == "common") == (wanted.form == "common")]
    if not mates:
        at = find_import_position(lexical)
        behind = text[at:]
        is_apart = not behind.strip() or behind.startswith((b"\n", b"\r\n")) or bool(found)
        return Splice(at, at, line + (b"" if is_apart else b"\n"))
    keys = [sort_key(each) for each in mates]
    own = module_rank(wanted.module, wanted.form == "assigned")
    before = [each for each in mates if keys != sorted(keys) or sort_key(each) <= own]
    if not before:
        return _insert_line(text, mates[0].start, line)
    return _insert_line(text, before[-1].end, line)


def _insert_line(text: bytes, place: int, line: bytes) -> Splice:
    is_start = place == 0 or text[place - 1 : place] == b"\n"
    return Splice(place, place, line if is_start else b"\n" + line.rstrip(b"\n"))


_DOC_REFERENCE = re.compile(
    rb"[{<|(,.]\s*$|@(?:link|see|extends|implements|augments|type|param|returns?)\s+\{?\s*$"
)
"""Documentation syntax before a name of the program: ``{x``, ``@see x``."""


def find_unused_names(
    resolver: Resolver, path: str, found: Iterable[ImportStatement]
) -> Iterator[tuple[ImportStatement, ImportedName]]:
    """Yield the imported names that a file does not use."""
    for statement in found:
        for name in statement.names:
            if not is_name_used(resolver, path, name.alias):
                yield statement, name


def is_name_used(resolver: Resolver, path: str, name: str) -> bool:
    """Return True if a file uses a top-level name: in code, as a type, or in documentation."""
    lexical = resolver.lexical(path)
    if name in find_element_factories(resolver, path):
        return True
    own = resolver.top_binding(path, name)[:4]
    return any(_is_use(resolver, path, each, own) for each in lexical.occurrences_of(name))


def _is_use(resolver: Resolver, path: str, mention: Mention, own: tuple[object, ...]) -> bool:
    if mention.role == "comment":
        text = resolver.lexical(path).text
        is_doc = text[mention.node.start_byte : mention.node.start_byte + 3] == b"/**"
        return is_doc and _DOC_REFERENCE.search(text[mention.node.start_byte : mention.start]) is not None
    if mention.role == "bind" and mention.kind != "export":
        return False
    if mention.role in ("string", "text", "imported", "member"):
        return False
    meanings = (*resolver.meanings(path, mention), *_find_exported_bindings(resolver, path, mention))
    return any(isinstance(each, Binding) and each[:4] == own for each in meanings)


def _find_exported_bindings(resolver: Resolver, path: str, mention: Mention) -> Iterable[object]:
    return resolver.dialect(path).key(resolver, path, mention) if mention.key else ()


def add_checked(files: Files, path: str, wanted: WantedImport) -> list[Splice]:
    """Return the splices that import a name, or raise ``duplicate_symbol`` if it has another meaning."""
    lexical = open_file(files, path)
    style = style_of(lexical)
    splices = add_name(lexical, wanted, style)
    is_type_only = any(
        statement.module == wanted.module and wanted.matches(name)
        for statement in read_statements(lexical)
        for name in statement.names
    )
    if splices and wanted.alias and not is_type_only:
        renamed = wanted._replace(alias="other").statement(style)
        require_unbound(files, path, wanted.alias, lexical.top_bindings(wanted.alias), renamed)
    return splices


def _remove_import(files: Files, path: str, wanted: WantedImport) -> list[Splice]:
    lexical = open_file(files, path)
    found = [each for each in read_statements(lexical) if each.module == wanted.module]
    if not wanted.name:
        return [s for each in found if not each.names for s in _remove_statements(lexical.text, [each])]
    return remove_names(lexical.text, [(s, n) for s in found for n in s.names if wanted.matches(n)])


def _remove_duplicates(files: Files, path: str) -> list[Splice]:
    lexical = open_file(files, path)
    seen: dict[tuple[str, str, str], tuple[ImportStatement, ImportedName]] = {}
    gone: list[tuple[ImportStatement, ImportedName]] = []
    for statement in read_statements(lexical):
        for name in statement.names if statement.form != "common" else ():
            key = (statement.module, name.name, name.alias)
            first = seen.setdefault(key, (statement, name))
            if first[1] == name:
                continue
            if first[1].is_type and not name.is_type:  # the value can also be used as a type
                gone.append(first)
                seen[key] = (statement, name)
            else:
                gone.append((statement, name))
    return remove_names(lexical.text, gone)


def _shorten_aliases(files: Files, path: str) -> list[Splice]:
    found = []
    for node in open_file(files, path).syntax.of_type("import_specifier"):
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None and alias is not None and name.text == alias.text:
            found.append(Splice(name.end_byte, alias.end_byte, b""))
    return found


def iter_unused(resolver: Resolver, path: str) -> Iterator[tuple[ImportStatement, ImportedName]]:
    """Yield the unused imports of a file, except for calls of ``require``, which may have an effect."""
    found = (each for each in read_statements(resolver.lexical(path)) if each.form != "common")
    yield from find_unused_names(resolver, path, found)


def _remove_unused(files: Files, path: str) -> list[Splice]:
    return remove_names(open_file(files, path).text, iter_unused(Resolver(files, dialect), path))


EDITOR = ImportEditor(
    read_wanted,
    add_checked,
    _remove_import,
    _remove_unused,
    (_remove_duplicates, _shorten_aliases),
    (sort_names, sort_statements),
)
