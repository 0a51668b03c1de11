"""Export a definition as its file does, as an ES module or CommonJS.

The exports and imports of one kind of module are errors in the other.
https://nodejs.org/api/packages.html#determining-module-system
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.refactor.javascript.import_statements import DEFAULT, open_file
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def exported_name(lexical: Lexical, word: str) -> str | None:
    """What others import to get it; None: it is not exported."""
    for node in defining_statements(lexical, word):
        if node.type == "export_statement":
            return DEFAULT if is_default_export(node) else word
    for node in lexical.syntax.root.named_children:
        if node.type == "export_statement" and node.child_by_field_name("source") is None:
            value = node.child_by_field_name("value")
            if value is not None and value.type == "identifier" and value.text == word.encode():
                return DEFAULT
            for each in _listed(node):
                own, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if own is not None and own.text == word.encode():
                    return ((alias or own).text or b"").decode("utf-8", "surrogateescape")
    return word if any(True for _ in _set(lexical, word)) else None


def declared_export_name(lexical: Lexical, word: str) -> str | None:
    """The same, where its own declaration says so: then it goes along with it."""
    found = {
        DEFAULT if is_default_export(n) else word
        for n in defining_statements(lexical, word)
        if n.type == "export_statement"
    }
    return next(iter(found), None)


def defining_statements(lexical: Lexical, word: str) -> list[tree_sitter.Node]:
    """The statements of a file that define a name at its top."""
    root = lexical.syntax.root
    found: dict[int, tree_sitter.Node] = {}
    for mention in lexical.bound(word).get(root.id, ()):
        node = mention.node
        while node.parent is not None and node.parent.id != root.id:
            node = node.parent
        if mention.kind not in ("import", "export", "passed"):
            found[node.id] = node
    return list(found.values())


def add_export(files: Files, path: str, word: str, *, common: bool) -> Files:
    """The files, with a definition of one exported."""
    lexical = open_file(files, path)
    nodes = defining_statements(lexical, word)
    if common:
        return files.with_text(path, splice.apply(lexical.text, [_given(lexical, word, nodes[-1])]))
    splices = [declaration_start(node) for node in nodes if node.type != "export_statement"]
    return files.with_text(path, splice.apply(lexical.text, splices))


def declaration_start(node: tree_sitter.Node) -> Splice:
    """The word before a declaration, behind its decorators."""
    first = next((child for child in node.children if child.type not in ("decorator", "comment")), node)
    at = first.start_byte if node.child_count and node.children[0].type == "decorator" else node.start_byte
    return Splice(at, at, b"export ")


def commonjs_export(word: str, *, is_set: bool = False) -> bytes:
    """The statement that exports in CommonJS; ``is_set``: behind one that says what is exported."""
    return f"{'module.' if is_set else ''}exports.{word} = {word};".encode("utf-8", "surrogateescape")


def check_export(lexical: Lexical, path: str, text: bytes, said: str | None) -> None:
    """Refuse a definition whose export a file cannot have beside its own.

    Args:
        lexical: the file's.
        path: of the file.
        text: the definition.
        said: under which name it is exported there.

    Raises:
        DoesNotFit: ``duplicate_symbol``: the file has a default; ``kind_mismatch``: it exports one thing.
    """
    for node in lexical.syntax.root.named_children:
        if node.type != "export_statement":
            continue
        line = node.start_point[0] + 1
        if said == DEFAULT and (is_default_export(node) or _lists_default(node)):
            raise DoesNotFit(
                "duplicate_symbol",
                f"{path}:{line} has a default already",
                "export it under its own name first",
            )
        is_whole = any(child.type == "=" for child in node.children)
        if is_whole and any(each.startswith(b"export ") for each in text.splitlines()):
            raise DoesNotFit(
                "kind_mismatch",
                f"{path}:{line} exports one thing, and can export nothing else",
                "move it to another file",
            )


def _lists_default(node: tree_sitter.Node) -> bool:
    found = [each.child_by_field_name("alias") or each.child_by_field_name("name") for each in _listed(node)]
    return any(each is not None and each.text == DEFAULT.encode() for each in found)


def is_default_export(node: tree_sitter.Node) -> bool:
    """Whether a statement exports the default."""
    return any(child.type == "default" for child in node.children)


def _given(lexical: Lexical, word: str, behind: tree_sitter.Node) -> Splice:
    """``exports.x = x``, or ``x`` among what ``module.exports`` is set to."""
    for value in assigned_modules(lexical):
        if value.type != "object":
            raise DoesNotFit(
                "kind_mismatch",
                f"{word} cannot be exported beside what module.exports is set to",
                "have the file export an object first",
            )
        items = value.named_children
        raw = word.encode("utf-8", "surrogateescape")
        if items:
            return Splice(items[-1].end_byte, items[-1].end_byte, b", " + raw)
        return Splice(value.start_byte, value.end_byte, b"{ " + raw + b" }")
    return Splice(behind.end_byte, behind.end_byte, b"\n" + commonjs_export(word))


def assigned_modules(lexical: Lexical) -> Iterator[tree_sitter.Node]:
    """What ``module.exports`` is set to."""
    for left, right in _assigned(lexical):
        if left.text == b"module.exports":
            yield right


def _set(lexical: Lexical, word: str) -> Iterator[tree_sitter.Node]:
    """Where a file gives others a name of its own as CommonJS does, under the same name."""
    raw = word.encode("utf-8", "surrogateescape")
    for left, right in _assigned(lexical):
        if left.text in (b"exports." + raw, b"module.exports." + raw) and right.text == raw:
            yield right
        elif left.text == b"module.exports" and right.type == "object":
            yield from (
                each
                for each in right.named_children
                if each.type == "shorthand_property_identifier" and each.text == raw
            )


def _assigned(lexical: Lexical) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    for node in lexical.syntax.root.named_children:
        inner = node.named_children[0] if node.type == "expression_statement" else None
        while inner is not None and inner.type == "assignment_expression":
            left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
            if left is not None and right is not None:
                yield left, right
            inner = right


def _listed(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    clause = next((each for each in node.named_children if each.type == "export_clause"), None)
    return [] if clause is None else [e for e in clause.named_children if e.type == "export_specifier"]


_ES, _COMMON = "an ES module", "CommonJS"
_ENDINGS = {".mjs": _ES, ".mts": _ES, ".cjs": _COMMON, ".cts": _COMMON}
_STATEMENTS = ("import_statement", "export_statement")
_WORDS = ("require", "exports", "module")


def check_module_kinds(files: Files, path: str, to: str) -> None:
    """Refuse what would go from a file of one kind into one of the other.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    own, other = _of(files, path), _of(files, to)
    if own and other and own != other:
        raise DoesNotFit(
            "kind_mismatch",
            f"{quoted(path)} is {own}, and {quoted(to)} is {other}",
            "name a file of the same kind, or make one of them what the other one is first",
        )


def _of(files: Files, path: str) -> str:
    """What a file is; empty where nothing says so."""
    named = _ENDINGS.get(path[path.rfind(".") :], "")
    lexical = files.lexical(path) if files.is_file(path) else None
    if named or lexical is None:
        return named
    if any(node.type in _STATEMENTS for node in lexical.syntax.root.named_children):
        return _ES
    return _COMMON if _is_common(lexical) else ""


def _is_common(lexical: Lexical) -> bool:
    return any(
        mention.role == "use" and lexical.scope_of(mention) is None
        for word in _WORDS
        for mention in lexical.of(word)
    )
