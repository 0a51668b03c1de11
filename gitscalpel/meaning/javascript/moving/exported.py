"""Under which name a file exports a definition of its own, and that it does."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript.importing.statements import DEFAULT, opened
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def name(lexical: Lexical, word: str) -> str | None:
    """What others import to get it; None: it is not exported."""
    for node in statements(lexical, word):
        if node.type == "export_statement":
            return DEFAULT if is_default(node) else word
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


def declared(lexical: Lexical, word: str) -> str | None:
    """The same, where its own declaration says so: then it goes along with it."""
    found = {
        DEFAULT if is_default(n) else word for n in statements(lexical, word) if n.type == "export_statement"
    }
    return next(iter(found), None)


def statements(lexical: Lexical, word: str) -> list[tree_sitter.Node]:
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


def with_export(files: Files, path: str, word: str, *, common: bool) -> Files:
    """The files, with a definition of one exported."""
    lexical = opened(files, path)
    nodes = statements(lexical, word)
    if common:
        return files.with_text(path, splice.apply(lexical.text, [_given(lexical, word, nodes[-1])]))
    splices = [begin(node) for node in nodes if node.type != "export_statement"]
    return files.with_text(path, splice.apply(lexical.text, splices))


def begin(node: tree_sitter.Node) -> Splice:
    """The word before a declaration, behind its decorators."""
    first = next((child for child in node.children if child.type not in ("decorator", "comment")), node)
    at = first.start_byte if node.child_count and node.children[0].type == "decorator" else node.start_byte
    return Splice(at, at, b"export ")


def given(word: str, *, is_set: bool = False) -> bytes:
    """The statement that exports in CommonJS; ``is_set``: behind one that says what is exported."""
    return f"{'module.' if is_set else ''}exports.{word} = {word};".encode("utf-8", "surrogateescape")


def refuse(lexical: Lexical, path: str, text: bytes, said: str | None) -> None:
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
        if said == DEFAULT and (is_default(node) or _lists_default(node)):
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


def is_default(node: tree_sitter.Node) -> bool:
    """Whether a statement exports the default."""
    return any(child.type == "default" for child in node.children)


def _given(lexical: Lexical, word: str, behind: tree_sitter.Node) -> Splice:
    """``exports.x = x``, or ``x`` among what ``module.exports`` is set to."""
    for value in wholes(lexical):
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
    return Splice(behind.end_byte, behind.end_byte, b"\n" + given(word))


def wholes(lexical: Lexical) -> Iterator[tree_sitter.Node]:
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
