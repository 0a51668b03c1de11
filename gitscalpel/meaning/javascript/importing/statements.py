"""The imports at the top level of a file: statements, and declarations that ``require`` gives a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec
import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.lexical import Lexical

Form = Literal["import", "assigned", "common"]
"""``import … from "m"``, ``import x = require("m")``, ``const x = require("m")``."""
DEFAULT, ALL, GIVEN = "default", "*", "="
"""What is imported where it is no name of the module: its default, all of it, what ``require`` gives."""


class Name(NamedTuple):
    """What an import brings.

    Attributes:
        name: in its module, or one of the above.
        alias: what it is called here.
        is_type: it is brought as a type.
        start, end: its bytes.
    """

    name: str
    alias: str
    is_type: bool
    start: int
    end: int


class Statement(msgspec.Struct, frozen=True):
    """An import.

    Attributes:
        module: from which, as it is written.
        form: how.
        names: what it brings; none of one that only runs the module.
        is_type: it brings nothing but types.
        node: the statement.
        part: of it that imports: itself, or one of several declarators.
        start, end: the statement with its lines and the comments that begin on its last one, where it
            shares none of them.
    """

    module: str
    form: Form
    names: tuple[Name, ...]
    is_type: bool
    node: tree_sitter.Node
    part: tree_sitter.Node
    start: int
    end: int

    @property
    def braces(self) -> tree_sitter.Node | None:
        """What holds the names that the module itself gives."""
        if self.form == "common":
            held = self.part.child_by_field_name("name")
            return held if held is not None and held.type == "object_pattern" else None
        inside = [each for child in self.node.named_children for each in child.named_children]
        return next((each for each in inside if each.type == "named_imports"), None)

    @property
    def has_rest(self) -> bool:
        """Whether one of the names is what the others leave (``...rest``), which each of them changes."""
        return self.braces is not None and any(c.type == "rest_pattern" for c in self.braces.named_children)

    @property
    def source(self) -> tree_sitter.Node | None:
        """The string that says from which module."""
        if self.form == "common":
            return _required(self.part)
        held = (each.child_by_field_name("source") for each in (self.node, *self.node.named_children))
        return next((each for each in held if each is not None), None)

    def brings(self, module: str, name: str, alias: str) -> bool:
        """Whether it brings a certain thing under a certain name."""
        return self.module == module and any((n.name, n.alias) == (name, alias) for n in self.names)


def opened(files: Files, path: str) -> Lexical:
    """A file that can be read."""
    lexical = files.lexical(path)
    assert lexical is not None  # noqa: S101 - it is a file of this language
    return lexical


def read(lexical: Lexical) -> list[Statement]:
    """The imports of a file, in their order."""
    return list(_read(lexical.syntax.root, lexical.text))


def _read(root: tree_sitter.Node, text: bytes) -> Iterator[Statement]:
    for node in root.named_children:
        if node.type == "import_statement":
            yield _imported(node, text)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for part in node.named_children:
                source = _required(part) if part.type == "variable_declarator" else None
                held = part.child_by_field_name("name")
                if source is not None and held is not None:
                    names = tuple(_taken(part, held, text))
                    yield Statement(
                        _inside(source, text), "common", names, False, node, part, *span(node, text)
                    )


def _imported(node: tree_sitter.Node, text: bytes) -> Statement:
    is_type = any(child.type == "type" for child in node.children)
    clause = next((each for each in node.named_children if each.type.endswith("_clause")), None)
    form: Form = "assigned" if clause is not None and clause.type == "import_require_clause" else "import"
    source = (clause if form == "assigned" and clause is not None else node).child_by_field_name("source")
    names = tuple(_names(clause, text, is_type)) if clause is not None else ()
    return Statement(
        _inside(source, text) if source is not None else "",
        form,
        names,
        is_type,
        node,
        node,
        *span(node, text),
    )


def _names(clause: tree_sitter.Node, text: bytes, is_type: bool) -> Iterator[Name]:
    whole = GIVEN if clause.type == "import_require_clause" else DEFAULT
    for child in clause.named_children:
        if child.type == "identifier":
            yield Name(whole, _said(child, text), is_type, child.start_byte, child.end_byte)
        elif child.type == "namespace_import":
            yield Name(ALL, _said(child.named_children[-1], text), is_type, child.start_byte, child.end_byte)
        elif child.type == "named_imports":
            for each in child.named_children:
                name, alias = (each.child_by_field_name(field) for field in ("name", "alias"))
                if name is not None:
                    own = is_type or any(c.type == "type" for c in each.children)
                    yield Name(
                        _said(name, text), _said(alias or name, text), own, each.start_byte, each.end_byte
                    )


def _required(declarator: tree_sitter.Node) -> tree_sitter.Node | None:
    """The string of ``x = require("m")``, and of ``x = require("m").y``."""
    held, call = (declarator.child_by_field_name(field) for field in ("name", "value"))
    if call is not None and call.type == "member_expression" and held is not None:
        call = call.child_by_field_name("object") if held.type == "identifier" else None
    called = (
        call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    )
    given = call.child_by_field_name("arguments") if call is not None else None
    if called is None or called.text != b"require" or given is None or given.named_child_count != 1:
        return None
    return given.named_children[0] if given.named_children[0].type == "string" else None


def _taken(declarator: tree_sitter.Node, held: tree_sitter.Node, text: bytes) -> Iterator[Name]:
    """What a declaration makes of what ``require`` gives."""
    value = declarator.child_by_field_name("value")
    member = value.child_by_field_name("property") if value is not None else None
    if held.type == "identifier":
        name = GIVEN if member is None else _said(member, text)
        yield Name(name, _said(held, text), False, held.start_byte, held.end_byte)
    for each in held.named_children if held.type == "object_pattern" else ():
        key, value = each.child_by_field_name("key") or each, each.child_by_field_name("value") or each
        yield Name(_said(key, text), _said(value, text), False, each.start_byte, each.end_byte)


def span(node: tree_sitter.Node, text: bytes) -> tuple[int, int]:
    """A statement's lines, with comments that begin on its last; its own bytes where it shares a line."""
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


def _said(node: tree_sitter.Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def _inside(string: tree_sitter.Node, text: bytes) -> str:
    return text[string.start_byte + 1 : string.end_byte - 1].decode("utf-8", "surrogateescape")
