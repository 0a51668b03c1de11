"""Read import and export statements, and write them in the style of their file.

A definition is exported in the file's own way, as an ES module or CommonJS.
https://nodejs.org/api/packages.html#determining-module-system
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeVar

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import find_part, node_text, top_statement
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.text.splice import Splice

ImportForm = Literal["import", "assigned", "common"]
"""``import … from "m"``, ``import x = require("m")``, ``const x = require("m")``."""
DEFAULT, ALL, GIVEN = "default", "*", "="
"""Special imported names: the default export, the namespace, and the result of ``require``."""


class ImportedName(NamedTuple):
    """A name that an import binds."""

    name: str  # exported name, or one of the constants above
    alias: str  # local name
    is_type: bool  # True if imported as a type
    start: int
    end: int


class ImportStatement(msgspec.Struct, frozen=True):
    """An import."""

    module: str  # specifier as written
    form: ImportForm  # kind of import
    names: tuple[ImportedName, ...]  # imported names, none for an import that only runs the module
    is_type: bool  # True if only types are imported
    node: tree_sitter.Node
    part: tree_sitter.Node  # the importing node: the statement itself, or one of several declarators
    # Byte range of the statement with its lines and trailing comments, unless other code shares its lines.
    start: int
    end: int

    @property
    def braces(self) -> tree_sitter.Node | None:
        """The node with the names in braces, or None."""
        if self.form == "common":
            pattern = self.part.child_by_field_name("name")
            return pattern if pattern is not None and pattern.type == "object_pattern" else None
        inside = [each for child in self.node.named_children for each in child.named_children]
        return next((each for each in inside if each.type == "named_imports"), None)

    @property
    def has_rest(self) -> bool:
        """True if a pattern has a rest element (``...rest``), which depends on the other names."""
        return self.braces is not None and any(c.type == "rest_pattern" for c in self.braces.named_children)

    @property
    def source(self) -> tree_sitter.Node | None:
        """The string with the specifier, or None."""
        if self.form == "common":
            return _find_required_source(self.part)
        sources = (each.child_by_field_name("source") for each in (self.node, *self.node.named_children))
        return next((each for each in sources if each is not None), None)

    def brings(self, module: str, name: str, alias: str) -> bool:
        """Return True if the import binds a name of a module under an alias."""
        return self.module == module and any((n.name, n.alias) == (name, alias) for n in self.names)


def open_file(files: Files, path: str) -> Lexical:
    """Return the scopes of a readable file."""
    lexical = files.lexical(path)
    assert lexical is not None  # noqa: S101 - it is a file of this language
    return lexical


def read_statements(lexical: Lexical) -> list[ImportStatement]:
    """Return the imports of a file, in order."""
    return [*lexical.syntax.compute_once(_read_all_statements)]


def _read_all_statements(syntax: Syntax) -> tuple[ImportStatement, ...]:
    return tuple(_iter_statements(syntax.root, syntax.text))


def _iter_statements(root: tree_sitter.Node, text: bytes) -> Iterator[ImportStatement]:
    for node in root.named_children:
        if node.type == "import_statement":
            yield _read_import(node, text)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for part in node.named_children:
                source = _find_required_source(part) if part.type == "variable_declarator" else None
                pattern, span = part.child_by_field_name("name"), statement_span(node, text)
                if source is not None and pattern is not None:
                    names = tuple(_iter_required_names(part, pattern, text))
                    module = _read_string(source, text)
                    yield ImportStatement(module, "common", names, False, node, part, *span)


def _read_import(node: tree_sitter.Node, text: bytes) -> ImportStatement:
    is_type = any(child.type == "type" for child in node.children)
    clause = next((each for each in node.named_children if each.type.endswith("_clause")), None)
    is_assigned = clause is not None and clause.type == "import_require_clause"
    source = find_part(clause if is_assigned else node, "source")
    module = _read_string(source, text) if source is not None else ""
    names = tuple(_iter_names(clause, text, is_type)) if clause is not None else ()
    form: ImportForm = "assigned" if is_assigned else "import"
    return ImportStatement(module, form, names, is_type, node, node, *statement_span(node, text))


def _iter_names(clause: tree_sitter.Node, text: bytes, is_type: bool) -> Iterator[ImportedName]:
    whole = GIVEN if clause.type == "import_require_clause" else DEFAULT
    for child in clause.named_children:
        if child.type == "named_imports":
            for each in child.named_children:
                name, alias = find_part(each, "name"), find_part(each, "alias", "name")
                if name is not None and alias is not None:
                    own = is_type or any(c.type == "type" for c in each.children)
                    yield _make_imported_name(_read_text(name, text), alias, each, text, is_type=own)
        elif child.type in ("identifier", "namespace_import"):
            exported = ALL if child.type == "namespace_import" else whole
            alias = child.named_children[-1] if child.named_children else child
            yield _make_imported_name(exported, alias, child, text, is_type=is_type)


def _make_imported_name(
    name: str, alias: tree_sitter.Node, node: tree_sitter.Node, text: bytes, *, is_type: bool = False
) -> ImportedName:
    return ImportedName(name, _read_text(alias, text), is_type, node.start_byte, node.end_byte)


def _find_required_source(declarator: tree_sitter.Node) -> tree_sitter.Node | None:
    pattern, call = find_part(declarator, "name"), find_part(declarator, "value")
    if call is not None and call.type == "member_expression" and pattern is not None:
        call = find_part(call, "object") if pattern.type == "identifier" else None
    called = find_part(call, "function") if call is not None and call.type == "call_expression" else None
    arguments = find_part(call, "arguments")
    if called is None or called.text != b"require" or arguments is None or arguments.named_child_count != 1:
        return None
    return arguments.named_children[0] if arguments.named_children[0].type == "string" else None


def _iter_required_names(
    declarator: tree_sitter.Node, pattern: tree_sitter.Node, text: bytes
) -> Iterator[ImportedName]:
    member = find_part(find_part(declarator, "value"), "property")
    if pattern.type == "identifier":
        name = GIVEN if member is None else _read_text(member, text)
        yield _make_imported_name(name, pattern, pattern, text)
    for each in pattern.named_children if pattern.type == "object_pattern" else ():
        key, value = find_part(each, "key") or each, find_part(each, "value") or each
        yield _make_imported_name(_read_text(key, text), value, each, text)


def statement_span(node: tree_sitter.Node, text: bytes) -> tuple[int, int]:
    """Return the byte range of a statement, with its lines and trailing comments unless code shares them."""
    line, start, end = text.rfind(b"\n", 0, node.start_byte) + 1, node.start_byte, node.end_byte
    follows = node.next_sibling
    while follows is not None and follows.type == "comment" and b"\n" not in text[end : follows.start_byte]:
        end = follows.end_byte
        follows = follows.next_sibling
    stop = text.find(b"\n", end)
    stop = len(text) if stop < 0 else stop + 1
    if text[line:start].strip() or text[end:stop].strip():
        return node.start_byte, node.end_byte
    return line, stop


def _read_text(node: tree_sitter.Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def _read_string(string: tree_sitter.Node, text: bytes) -> str:
    return text[string.start_byte + 1 : string.end_byte - 1].decode("utf-8", "surrogateescape")


class ImportStyle(NamedTuple):
    """Style in which a file writes its imports."""

    quote: str  # quotation mark
    end: str  # end of a statement, ``;`` or empty
    common: bool  # True if the file uses ``require`` and no import statement
    gap: str  # text between a brace and a name
    inline: bool = False  # True if types are marked one by one, ``import { type A }``

    def braces(self, text: str) -> str:
        return f"{{{self.gap}{text}{self.gap}}}"

    def string(self, text: str) -> str:
        """Return a string literal."""
        return f"{self.quote}{text}{self.quote}"


_Read = TypeVar("_Read")


def style_of(lexical: Lexical, *others: Lexical) -> ImportStyle:
    """Return the style of a file; the other files show what the file itself does not."""
    files = (lexical, *others)

    def first(read: Callable[[Lexical], _Read | None], default: _Read) -> _Read:
        return next((found for each in files if (found := read(each)) is not None), default)

    return ImportStyle(
        quote=first(_find_quote, '"'),
        end=first(_find_end, ";"),
        common=first(_is_common, False),
        gap=first(_find_gap, " "),
        inline=first(_is_inline, False),
    )


def _find_quote(lexical: Lexical) -> str | None:
    found = [each.source for each in read_statements(lexical)] or list(lexical.syntax.of_type("string"))
    first = next((each for each in found if each is not None), None)
    quote = b"" if first is None else lexical.text[first.start_byte : first.start_byte + 1]
    return quote.decode("latin-1") or None


def _find_gap(lexical: Lexical) -> str | None:
    """Return the text between a brace and a name in the first single-line import, or None."""
    for each in read_statements(lexical):
        start = len(lexical.text) if each.braces is None else each.braces.start_byte + 1
        names = [name for name in each.names if name.start >= start]
        before = lexical.text[start : names[0].start] if names else b"\n"
        if before in (b"", b" "):
            return before.decode("ascii")
    return None


def _is_inline(lexical: Lexical) -> bool | None:
    """Return True if the first imported type is marked individually, or None if there is none."""
    types = (each for each in read_statements(lexical) if any(name.is_type for name in each.names))
    return next((not each.is_type for each in types), None)


def _find_end(lexical: Lexical) -> str | None:
    nodes = lexical.syntax.root.named_children
    imports = [each for each in nodes if each.type == "import_statement"]
    simple = [each for each in nodes if each.type in ("expression_statement", "lexical_declaration")]
    for node in (*imports, *simple):
        return ";" if lexical.text[node.end_byte - 1 : node.end_byte] == b";" else ""
    return None


def _is_common(lexical: Lexical) -> bool | None:
    """Return True for a CommonJS module, False for an ES module, or None if unknown."""
    if lexical.syntax.language.name != "javascript":
        return False
    if any(_is_module_statement(each) for each in lexical.syntax.root.named_children):
        return False
    return True if _uses_commonjs(lexical) else None


def _is_module_statement(node: tree_sitter.Node) -> bool:
    return node.type in ("import_statement", "export_statement")


class WantedImport(NamedTuple):
    """One name to import, or a module to run if the name is empty."""

    module: str
    name: str
    alias: str
    form: ImportForm = "import"
    is_type: bool = False

    @property
    def said(self) -> str:
        """The name as written in braces."""
        joint = ": " if self.form == "common" else " as "
        return self.name if self.name == self.alias else f"{self.name}{joint}{self.alias}"

    def matches(self, name: ImportedName) -> bool:
        """Return True if an import binds the same name under the same alias, as a type or not."""
        return (name.name, name.alias) == (self.name, self.alias)

    def statement(self, style: ImportStyle) -> str:
        """Return the import statement for this name alone."""
        source = style.string(self.module)
        if self.form == "common":
            clause = self.alias if self.name == GIVEN else style.braces(self.said)
            return f"const {clause} = require({source}){style.end}"
        if self.form == "assigned":
            return f"import {self.alias} = require({source}){style.end}"
        if not self.name:
            return f"import {source}{style.end}"
        whole = {DEFAULT: self.alias, ALL: f"* as {self.alias}"}
        is_inline = self.is_type and style.inline and self.name not in whole
        word = "import type" if self.is_type and not is_inline else "import"
        clause = style.braces(f"type {self.said}" if is_inline else self.said)
        return f"{word} {whole.get(self.name, clause)} from {source}{style.end}"


def read_wanted(lines: Iterable[str], field: str) -> Iterator[WantedImport]:
    """Yield the names in import statements. Raises ``invalid_args`` if a text is not an import."""
    language = recognise("a.ts", b"")
    assert language is not None  # noqa: S101 - it is one of the languages
    for line in lines:
        syntax = Syntax(language, line.strip().encode("utf-8", "surrogateescape") + b"\n")
        found = read_statements(Lexical(syntax))
        if (
            find_faults(syntax)
            or not found
            or {each.node.id for each in found} != {node.id for node in syntax.root.named_children}
        ):
            raise BadCall(
                "invalid_args",
                f"{line!r} is not an import",
                f"write statements in {arg(field)}: \"import {{ a, b as c }} from 'm'\", \"import 'm'\"",
            )
        for each in found:
            yield from (WantedImport(each.module, n.name, n.alias, each.form, n.is_type) for n in each.names)
            if not each.names:
                yield WantedImport(each.module, "", "")


def exported_name(lexical: Lexical, word: str) -> str | None:
    """Return the name under which a file exports a top-level name, or None."""
    declared = declared_export_name(lexical, word)
    if declared is not None:
        return declared
    for node in lexical.syntax.root.named_children:
        if node.type == "export_statement" and node.child_by_field_name("source") is None:
            value = node.child_by_field_name("value")
            if value is not None and value.type == "identifier" and value.text == word.encode():
                return DEFAULT
            for each in export_specifiers(node):
                if node_text(find_part(each, "name")) == word:
                    return node_text(find_part(each, "alias", "name"))
    return word if any(True for _ in _find_commonjs_exports(lexical, word)) else None


def declared_export_name(lexical: Lexical, word: str) -> str | None:
    """Return the export name of a definition if its own declaration exports it, or None."""
    for node in find_defining_statements(lexical, word):
        if node.type == "export_statement":
            return DEFAULT if is_default_export(node) else word
    return None


def find_defining_statements(lexical: Lexical, word: str) -> list[tree_sitter.Node]:
    """Return the statements of a file that define a top-level name."""
    bound = lexical.top_bindings(word)
    defining = [each.node for each in bound if each.kind not in ("import", "export", "passed")]
    return list({node.id: node for node in map(top_statement, defining)}.values())


def add_export(files: Files, path: str, word: str, *, common: bool) -> Files:
    """Return the files with a definition of one file exported."""
    lexical = open_file(files, path)
    nodes = find_defining_statements(lexical, word)
    if common:
        return files.with_splices(path, [_add_commonjs_export(lexical, word, nodes[-1])])
    splices = [add_export_keyword(node) for node in nodes if node.type != "export_statement"]
    return files.with_splices(path, splices)


def add_export_keyword(node: tree_sitter.Node) -> Splice:
    """Return the splice that adds ``export`` to a declaration, after its decorators."""
    first = next((child for child in node.children if child.type not in ("decorator", "comment")), node)
    at = first.start_byte if node.child_count and node.children[0].type == "decorator" else node.start_byte
    return Splice(at, at, b"export ")


def format_commonjs_export(word: str, *, is_set: bool = False) -> bytes:
    """Return a CommonJS export; ``is_set`` if ``module.exports`` has been assigned before it."""
    return f"{'module.' if is_set else ''}exports.{word} = {word};".encode("utf-8", "surrogateescape")


def check_export(lexical: Lexical, path: str, text: bytes, exported: str | None) -> None:
    """Raise if a file cannot export the definition in addition to its own exports.

    Raises ``duplicate_symbol`` if the file has a default export, or ``kind_mismatch`` if it exports a single
    value.
    """
    for node in lexical.syntax.root.named_children:
        if node.type != "export_statement":
            continue
        line = node.start_point[0] + 1
        if exported == DEFAULT and (is_default_export(node) or _has_listed_default(node)):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{path}:{line} already has a default export",
                "export it under its own name first",
            )
        is_whole = any(child.type == "=" for child in node.children)
        if is_whole and any(each.startswith(b"export ") for each in text.splitlines()):
            raise DoesNotFit(
                "kind_mismatch",
                f"{path}:{line} exports a single value and cannot export anything else",
                "move it to another file",
            )


def _has_listed_default(node: tree_sitter.Node) -> bool:
    found = (find_part(each, "alias", "name") for each in export_specifiers(node))
    return any(each is not None and each.text == DEFAULT.encode() for each in found)


def is_default_export(node: tree_sitter.Node) -> bool:
    return any(child.type == "default" for child in node.children)


def _add_commonjs_export(lexical: Lexical, word: str, behind: tree_sitter.Node) -> Splice:
    """Return the splice that adds ``exports.x = x``, or ``x`` to the object in ``module.exports``."""
    for value in iter_assigned_modules(lexical):
        if value.type != "object":
            raise DoesNotFit(
                "kind_mismatch",
                f"{word} cannot be exported in addition to the value of module.exports",
                "change the file to export an object first",
            )
        items = value.named_children
        raw = word.encode("utf-8", "surrogateescape")
        if items:
            return Splice(items[-1].end_byte, items[-1].end_byte, b", " + raw)
        return Splice(value.start_byte, value.end_byte, b"{ " + raw + b" }")
    return Splice(behind.end_byte, behind.end_byte, b"\n" + format_commonjs_export(word))


def iter_assigned_modules(lexical: Lexical) -> Iterator[tree_sitter.Node]:
    """Yield the values assigned to ``module.exports``."""
    for target, value in _iter_assignments(lexical):
        if target.text == b"module.exports":
            yield value


def _find_commonjs_exports(lexical: Lexical, word: str) -> Iterator[tree_sitter.Node]:
    raw = word.encode("utf-8", "surrogateescape")
    for target, value in _iter_assignments(lexical):
        if target.text in (b"exports." + raw, b"module.exports." + raw) and value.text == raw:
            yield value
        elif target.text == b"module.exports" and value.type == "object":
            yield from (
                each
                for each in value.named_children
                if each.type == "shorthand_property_identifier" and each.text == raw
            )


def _iter_assignments(lexical: Lexical) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    for node in lexical.syntax.root.named_children:
        inner = node.named_children[0] if node.type == "expression_statement" else None
        while inner is not None and inner.type == "assignment_expression":
            target, value = inner.child_by_field_name("left"), inner.child_by_field_name("right")
            if target is not None and value is not None:
                yield target, value
            inner = value


def export_specifiers(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    clause = next((each for each in node.named_children if each.type == "export_clause"), None)
    return [] if clause is None else [e for e in clause.named_children if e.type == "export_specifier"]


_ES, _COMMON = "an ES module", "CommonJS"
_KIND_BY_SUFFIX = {".mjs": _ES, ".mts": _ES, ".cjs": _COMMON, ".cts": _COMMON}
_COMMONJS_NAMES = ("require", "exports", "module")


def check_module_kinds(files: Files, path: str, to: str) -> None:
    """Raise ``kind_mismatch`` if two files are modules of different kinds."""
    own, other = _find_module_kind(files, path), _find_module_kind(files, to)
    if own and other and own != other:
        raise DoesNotFit(
            "kind_mismatch",
            f"{quote_path(path)} is {own}, and {quote_path(to)} is {other}",
            "name a file of the same kind, or convert one of them first",
        )


def _find_module_kind(files: Files, path: str) -> str:
    named = _KIND_BY_SUFFIX.get(path[path.rfind(".") :], "")
    lexical = files.lexical(path) if files.is_file(path) else None
    if named or lexical is None:
        return named
    if any(_is_module_statement(node) for node in lexical.syntax.root.named_children):
        return _ES
    return _COMMON if _uses_commonjs(lexical) else ""


def _uses_commonjs(lexical: Lexical) -> bool:
    uses = (each for word in _COMMONJS_NAMES for each in lexical.occurrences_of(word) if each.role == "use")
    return any(lexical.scope_of(each) is None for each in uses)
