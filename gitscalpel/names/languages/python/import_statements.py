"""Read import statements, the exports of a module, and the files that it loads.

`ImportStatement` is a statement at the top level of a file, `WantedImport` a name that a request or a move
adds. A star import brings the names in ``__all__``, or else all public names.
https://docs.python.org/3/reference/simple_stmts.html#import

An import runs the packages around a module before the module, except packages that are already being run
because the importing file is in them. https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import BadCall, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.names.entities import Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.nodes import find_part
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import faults

_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class ModuleFile(NamedTuple):
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
    def of(cls, files: Files, path: str) -> ModuleFile:
        """Read a file.

        Raises:
            GateRefused: ``syntax_error``: the grammar cannot read it.
        """
        lexical = files.lexical(path)
        if lexical is None:
            raise GateRefused(
                "syntax_error",
                f"{quoted(path)}: {files.why_unread(path)}",
                "fix the syntax of this file first, then move its definitions",
            )
        return cls(files, path, lexical.text, lexical.syntax.root)

    @property
    def statements(self) -> list[ImportStatement]:
        """Import statements at the top level of the file."""
        return read_statements(self.root, self.text)


class ImportedName(NamedTuple):
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


class ImportStatement(msgspec.Struct, frozen=True):
    """An import statement.

    Attributes:
        module: from which; None: of a plain import.
        names: what it brings.
        node: in the tree.
        start: where its first line begins, or that of the comments right above it.
        end: behind its last line.
    """

    module: str | None
    names: tuple[ImportedName, ...]
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


def read_statements(root: tree_sitter.Node, text: bytes) -> list[ImportStatement]:
    """The statements that stand at the top level of a file, each in lines of its own."""
    return [parse_statement(node, text) for node in root.named_children if node.type in _IMPORTS]


def has_future_annotations(root: tree_sitter.Node) -> bool:
    """Return True if a file says ``from __future__ import annotations``."""
    said = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in said)


def parse_statement(node: tree_sitter.Node, text: bytes) -> ImportStatement:
    """What one statement says."""
    module = None
    if node.type == "future_import_statement":
        module = "__future__"
    elif node.type == "import_from_statement":
        named = node.child_by_field_name("module_name")
        module = "" if named is None else _said(named, text)
    return ImportStatement(module, tuple(_names(node, text)), node, _above(node, text), _below(node, text))


def _names(node: tree_sitter.Node, text: bytes) -> Iterator[ImportedName]:
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        named = child.child_by_field_name("name") or child
        yield ImportedName(
            _said(named, text),
            None if alias is None else _said(alias, text),
            child.start_byte,
            child.end_byte,
        )
    for child in node.named_children:
        if child.type == "wildcard_import":
            yield ImportedName("*", None, child.start_byte, child.end_byte)


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


class WantedImport(NamedTuple):
    """One name that an import brings; ``module`` is None for a plain import."""

    module: str | None
    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        """The name that it binds."""
        return self.alias or self.name.partition(".")[0]

    @property
    def statement(self) -> str:
        """The import that brings it alone."""
        said = f"{self.name} as {self.alias}" if self.alias else self.name
        return f"import {said}" if self.module is None else f"from {self.module} import {said}"


def read_wanted(given: Iterable[str], field: str) -> Iterator[WantedImport]:
    """The names that import statements name, one by one.

    Raises:
        BadCall: ``invalid_args``: something else stands there.
    """
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    for line in given:
        text = line.strip().encode("utf-8", "surrogateescape") + b"\n"
        syntax = Syntax(python, text)
        found = read_statements(syntax.root, text)
        if faults(syntax) or not found or len(found) != syntax.root.named_child_count:
            raise BadCall(
                "invalid_args",
                f"{line!r} is no import statement",
                f'give {arg(field)} as they are written: "import os.path", "from m import a, b as c"',
            )
        for statement in found:
            for name in statement.names:
                yield WantedImport(statement.module, name.name, name.alias)


def export_items(place: ModuleFile) -> list[tree_sitter.Node]:
    """The strings of the file's one list."""
    lexical = place.files.lexical(place.path)
    for mention in lexical.of("__all__") if lexical is not None else ():
        statement = mention.node.parent
        right = find_part(statement, "right")
        if mention.role == "bind" and right is not None and right.type in ("list", "tuple"):
            return [child for child in right.named_children if child.type == "string"]
    return []


def has_plain_exports(place: ModuleFile) -> bool:
    """Return True if the file's one list is all that it says of its exports."""
    lexical = place.files.lexical(place.path)
    mentions = (
        [each for each in lexical.of("__all__") if each.role in ("bind", "use")]
        if lexical is not None
        else []
    )
    if len(mentions) != 1:
        return False
    statement = mentions[0].node.parent
    right = find_part(statement, "right")
    if right is None or right.type not in ("list", "tuple"):
        return False
    return all(child.type in ("string", "comment") for child in right.named_children)


def exported_name(place: ModuleFile, node: tree_sitter.Node) -> str:
    """What one of them says."""
    return place.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape").strip("'\"")


def is_left_out(files: Files, path: str, name: str) -> bool:
    """Whether a file has such a list, and the name is not in it."""
    place = ModuleFile.of(files, path)
    listed = export_items(place)
    return bool(listed) and all(exported_name(place, each) != name for each in listed)


def is_star_exported(place: ModuleFile, module: str, name: str) -> bool:
    """Whether ``from module import *`` in a file brings a name, as far as anybody can tell."""
    path = modules.find_file(place.files, place.path, module)
    if path is None or place.files.lexical(path) is None:
        return True
    return not is_left_out(place.files, path, name)


def direct_loads(files: Files, path: str, end: int | None = None) -> set[str]:
    """The files that a file imports, and the packages on the way; ``end``: by what is before that byte."""
    found = set[str]()
    for said in _module_names(files, path, end):
        module = modules.find_file(files, path, said)
        if module is not None:
            found |= {module, *_packages_above(files, path, said)}
    return found - {path}


def named_loads(files: Files, path: str) -> set[str]:
    """The files that a file imports by their name, and not because they are packages on the way."""
    found = {modules.find_file(files, path, said) for said in _module_names(files, path, None)}
    return {each for each in found if each is not None} - {path}


def _module_names(files: Files, path: str, end: int | None) -> set[str]:
    """What may be modules in the imports of a file, as it names them."""
    lexical = files.lexical(path)
    if lexical is None or lexical.syntax.language.name != "python":
        return set()
    said, around = set[str](), set[str]()
    for each in read_statements(lexical.syntax.root, lexical.text):
        if end is not None and each.node.end_byte > end:
            continue
        if each.module is None:
            said |= {name.name for name in each.names}
            continue
        found = modules.find_by_name(files, path, each.module)
        if isinstance(found, Module) and modules.folder_of(found) is None:
            said.add(each.module)  # in which there are no others
        else:
            dot = "" if each.module.endswith(".") else "."
            said |= {each.module, *(f"{each.module}{dot}{name.name}" for name in each.names)}
            inside = [f"{each.module}{name.name}" for name in each.names if not each.module.strip(".")]
            if any(modules.find_file(files, path, one) is None for one in inside):
                around.add(each.module)  # the package has it that the file is in, and is no module of it
    return around | {each for each in said if each.strip(".")}


def _packages_above(files: Files, path: str, said: str) -> Iterator[str]:
    """The packages that are run before a module that a file names."""
    head = said.rpartition(".")[0]
    while head.strip("."):
        is_by_place = head.startswith(".")
        found = (
            modules.find_by_name(files, path, head)
            if is_by_place
            else modules.find_first_part(files, path, head, said)
        )
        folder = modules.folder_of(found) if isinstance(found, Module) else None
        if isinstance(found, Module) and folder is not None and not path.startswith(f"{folder}/"):
            yield found.path
        head = head.rpartition(".")[0]


def all_loads(files: Files, path: str, end: int) -> set[str]:
    """The files that have been loaded, however far, by what stands in a file before a byte."""
    found = direct_loads(files, path, end)
    waiting = list(found)
    while waiting:
        new = direct_loads(files, waiting.pop()) - found - {path}
        found |= new
        waiting += sorted(new)
    return found
