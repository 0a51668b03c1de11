"""The import statements at the top level of a file, and what each names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.meaning.files import Files

_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class Place(NamedTuple):
    """A file in its tree.

    Attributes:
        files: of the tree.
        path: of the file.
        text: of the file.
        root: of its syntax.
    """

    files: Files
    path: str
    text: bytes
    root: tree_sitter.Node

    @classmethod
    def of(cls, files: Files, path: str) -> Place:
        """A file that can be read."""
        lexical = files.lexical(path)
        assert lexical is not None  # noqa: S101 - it is a file of this language
        return cls(files, path, lexical.text, lexical.syntax.root)


class Name(NamedTuple):
    """What an import brings.

    Attributes:
        name: in its module; the module itself for a plain import; ``*`` for everything.
        alias: what it is called here; None: as it is.
        start, end: its bytes.
    """

    name: str
    alias: str | None
    start: int
    end: int

    @property
    def bound(self) -> str:
        """The name that it binds."""
        return self.alias or self.name.partition(".")[0]

    @property
    def said(self) -> str:
        """As it is written."""
        return f"{self.name} as {self.alias}" if self.alias else self.name


class Statement(msgspec.Struct, frozen=True):
    """An import statement.

    Attributes:
        module: from which; None: of a plain import.
        names: what it brings.
        node: in the tree.
        start: where its first line begins, or that of the comments right above it.
        end: behind its last line.
    """

    module: str | None
    names: tuple[Name, ...]
    node: tree_sitter.Node
    start: int
    end: int

    @property
    def is_star(self) -> bool:
        """Whether it brings whatever there is."""
        return any(name.name == "*" for name in self.names)

    def brings(self, module: str | None, name: str, alias: str | None) -> bool:
        """Whether it brings a certain thing under a certain name."""
        return self.module == module and any((n.name, n.alias) == (name, alias) for n in self.names)


def read(root: tree_sitter.Node, text: bytes) -> list[Statement]:
    """The statements that stand at the top level of a file, each in lines of its own."""
    return [of(node, text) for node in root.named_children if node.type in _IMPORTS]


def of(node: tree_sitter.Node, text: bytes) -> Statement:
    """What one statement says."""
    module = None
    if node.type == "future_import_statement":
        module = "__future__"
    elif node.type == "import_from_statement":
        named = node.child_by_field_name("module_name")
        module = "" if named is None else _said(named, text)
    return Statement(module, tuple(_names(node, text)), node, _above(node, text), _below(node, text))


def _names(node: tree_sitter.Node, text: bytes) -> Iterator[Name]:
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        named = child.child_by_field_name("name") or child
        yield Name(
            _said(named, text),
            None if alias is None else _said(alias, text),
            child.start_byte,
            child.end_byte,
        )
    for child in node.named_children:
        if child.type == "wildcard_import":
            yield Name("*", None, child.start_byte, child.end_byte)


def _said(node: tree_sitter.Node, text: bytes) -> str:
    return "".join(text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape").split())


def _above(node: tree_sitter.Node, text: bytes) -> int:
    """Where the statement's lines begin, with the comments right above it."""
    first, start = node, text.rfind(b"\n", 0, node.start_byte) + 1
    while (above := first.prev_sibling) is not None and above.type == "comment":
        line = text.rfind(b"\n", 0, above.start_byte) + 1
        is_alone = not text[line : above.start_byte].strip()
        if above.end_point.row + 1 != first.start_point.row or not is_alone or line == 0:
            break  # what opens a file is about all of it
        first, start = above, line
    return start


def _below(node: tree_sitter.Node, text: bytes) -> int:
    end = text.find(b"\n", node.end_byte)
    return len(text) if end < 0 else end + 1
