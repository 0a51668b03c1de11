"""Modules: their files, the root of the packages around them, import statements, and exports.

https://docs.python.org/3/reference/import.html: a directory without an ``__init__.py`` may be a namespace
package. Searched are the directories above the outermost package of the importing file, and ``src``.
Where the outermost package begins without ``__init__.py``, the imports of the tree decide.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import BadCall, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.names.entities import Elsewhere, Module
from gitscalpel.names.files import Files
from gitscalpel.names.nodes import children_of, find_part, span_of, type_of
from gitscalpel.names.resolver import find_reachable
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import find_faults

_SUFFIXES = (".py", ".pyi")
ROOTS = ("", "src", "lib", "python")
"""Directories of any project in which packages are searched."""
_DEPENDENCY_FILES = (
    *("pyproject.toml", "setup.py", "setup.cfg"),
    *("requirements.txt", "Pipfile", "environment.yml"),
)
"""Files that declare the dependencies of a project."""


def find_module(files: Files, path: str, dotted: str, level: int) -> Module | Elsewhere:
    """Return the module that a file imports by a dotted name, after ``level`` leading dots."""
    parts = dotted.split(".") if dotted else []
    if level:
        base = path.split("/")[:-1]
        if level - 1 > len(base):
            return Elsewhere(dotted)
        base = base[: len(base) - (level - 1)]
        return find_below(files, "/".join(base), parts) or Elsewhere(dotted)
    for root in import_roots(files, path):
        found = find_below(files, root, parts)
        if found is not None and not _is_hidden_by_library(files, root, parts[0]):
            return found
    return _find_by_link(files, path, parts) or Elsewhere(dotted)


def _is_hidden_by_library(files: Files, root: str, name: str) -> bool:
    """Return True for a directory that is not a package and has the name of a library module."""
    found = find_below(files, root, [name]) if name in sys.stdlib_module_names else None
    return found is not None and not files.is_file(found.path)


def find_by_name(files: Files, path: str, written: str) -> Module | Elsewhere:
    """Return the module of a dotted name as a file writes it, with leading dots."""
    dotted = written.lstrip(".")
    return find_module(files, path, dotted, len(written) - len(dotted))


def find_file(files: Files, path: str, written: str) -> str | None:
    found = find_by_name(files, path, written)
    return found.path if isinstance(found, Module) else None


def find_first_part(files: Files, path: str, dotted: str, whole: str) -> Module | Elsewhere:
    """Return the module of the first part of a dotted name, in the place where the whole name is found."""
    for root in import_roots(files, path) if dotted != whole else ():
        if find_below(files, root, whole.split(".")) is not None:
            return find_below(files, root, dotted.split(".")) or Elsewhere(dotted)
    return find_module(files, path, dotted, 0)


def _find_by_link(files: Files, path: str, parts: list[str]) -> Module | None:
    """Return the module that a symbolic link of the tree leads to."""
    for root in import_roots(files, path) if parts and parts[0] not in sys.stdlib_module_names else ():
        place = "/".join([root, *parts] if root else parts)
        for suffix in (*_SUFFIXES, ""):
            goal = files.resolve_links(place + suffix)
            if goal == place + suffix:
                continue
            found = package_of(files, goal) if not suffix else None
            if found is not None or (suffix and files.is_file(goal)):
                return found or Module(goal, "python")
    return None


def is_library(files: Files, dotted: str) -> bool:
    """Return True if a module outside the tree can exist in the standard library or in a dependency."""
    top = dotted.partition(".")[0]
    return top in sys.stdlib_module_names or (bool(top) and any(map(files.is_file, _DEPENDENCY_FILES)))


def find_below(files: Files, folder: str, parts: list[str]) -> Module | None:
    place = "/".join([folder, *parts] if folder else parts)
    if parts:
        for suffix in _SUFFIXES:
            if files.is_file(place + suffix):
                return Module(place + suffix, "python")
    return package_of(files, place)


def package_of(files: Files, folder: str) -> Module | None:
    """Return a directory as a package; None if it contains no modules."""
    for suffix in _SUFFIXES:
        init = f"{folder}/__init__{suffix}" if folder else f"__init__{suffix}"
        if files.is_file(init):
            return Module(init, "python")
    if any(path.endswith(_SUFFIXES) for path in files.overlay.under(folder)):
        return Module(folder, "python")
    return None


def name_of(path: str) -> str:
    stem = path.rpartition("/")[2].partition(".")[0]
    return name_of(path.rpartition("/")[0]) if stem == "__init__" else stem


def folder_of(module: Module) -> str | None:
    """Return the directory of a package's modules; None for a plain module."""
    head, _, last = module.path.rpartition("/")
    if last.startswith("__init__."):
        return head
    return None if last.endswith(_SUFFIXES) else module.path


def import_roots(files: Files, path: str) -> Iterator[str]:
    """Yield the directories in which the imports of a file are searched, best first."""
    folder = path.rpartition("/")[0]
    while is_package(files, folder):
        folder = folder.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield from ROOTS


_BY_PLACE = re.compile(rb"(?m)^[ \t]*from[ \t]+(\.+)[ \t]*([\w.]*)")
_BY_NAME = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([^\W\d][\w.]*)|import[ \t]+([^\W\d][^\n;#(]*))")
_INIT = ("__init__.py", "__init__.pyi")


def package_root(files: Files, folder: str, by: str) -> str:
    """Return the directory above the outermost package around a directory, by the imports of ``by``.

    If ``by`` imports nothing from there, the imports of other files decide.
    """
    remaining, below = 0, ""
    while folder:
        if remaining <= 0 and not is_package(files, folder):
            remaining = _count_packages(files, folder, below, by)
            if remaining <= 0:
                break
        (folder, _, below), remaining = folder.rpartition("/"), remaining - 1
    return folder


def packages_around(files: Files, path: str) -> set[str]:
    """Return the packages around a file, which are not searched for its absolute imports."""
    folder, found = path.rpartition("/")[0], set[str]()
    above = package_root(files, folder, path)
    while folder != above:
        found.add(folder)
        folder = folder.rpartition("/")[0]
    return found


def is_package(files: Files, folder: str) -> bool:
    return bool(folder) and any(files.is_file(f"{folder}/{init}") for init in _INIT)


def is_package_file(path: str) -> bool:
    return path.rpartition("/")[2] in _INIT


def path_parts(path: str) -> list[str]:
    """Return the directories and the name of a module: both ``a/b/__init__.py`` and ``a/b.py`` give a, b."""
    head, _, last = path.rpartition("/")
    if last in _INIT:
        return head.split("/") if head else []
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path.split("/") if path else []


def _count_packages(files: Files, folder: str, below: str, by: str) -> int:
    """Return the number of directories, from one upwards, that are packages; see ``package_root``.

    ``below`` is the package in the directory to look for, if there is one.
    """
    own = _count_named(files, folder, by)
    if own is not None:
        return own
    if below and folder in ROOTS:
        return 0
    question = f"{folder}:{below}"
    if question not in files.learned:
        files.learned[question] = _count_by_importers(files, folder, below or folder.rpartition("/")[2])
    return files.learned[question] or _count_by_outer_package(files, folder, by)


def _count_by_importers(files: Files, folder: str, word: str) -> int:
    """Return the number by the imports of most files with a word, or more if relative imports need it."""
    others = list(files.naming(word, "python"))
    named = Counter(
        count for count in (_count_named(files, folder, path) for path in others) if count is not None
    )
    most = max(named, key=lambda count: (named[count], count), default=0)
    return max(
        most, _count_needed(files, folder), *(_count_relative(files, folder, path) for path in others), 0
    )


def _count_by_outer_package(files: Files, folder: str, by: str) -> int:
    """Return the number by the imports of a file from a package around the directory."""
    above, depth = folder.rpartition("/")[0], 1
    while above:
        found = _count_named(files, above, by)
        if found:
            return depth + found
        above, depth = above.rpartition("/")[0], depth + 1
    return 0


def _count_named(files: Files, folder: str, path: str) -> int | None:
    """Return the number of directories, from one upwards, in the imports of a file; None without any."""
    source = files.source(path) if path else None
    folder_parts, found = folder.split("/"), list[int]()
    for module_name, module_names in _BY_NAME.findall(source.text) if source is not None else ():
        for imported in (module_name or module_names).decode("utf-8", "surrogateescape").split(","):
            module = find_module(files, path, (imported.split() or [""])[0], 0)
            place = path_parts(module.path) if isinstance(module, Module) else []
            if place[: len(folder_parts)] == folder_parts:
                found.append(len(folder_parts) - (len(place) - len(imported.split()[0].split("."))))
    return max(found, default=None)


def _count_relative(files: Files, folder: str, path: str) -> int:
    """Return the number of packages by the relative imports of the files above a directory."""
    parts, folder_parts, source = path.split("/")[:-1], folder.split("/"), files.source(path)
    counts = [0]
    for dots, name in _BY_PLACE.findall(source.text) if source is not None else ():
        base = parts[: len(parts) - len(dots) + 1]
        whole = [*base, *name.decode("utf-8", "surrogateescape").split(".")]
        if base and len(base) < len(folder_parts) and whole[: len(folder_parts)] == folder_parts:
            counts.append(len(folder_parts) - len(base) + 1)
    return max(counts)


def _count_needed(files: Files, folder: str) -> int:
    """Return the number of packages that the relative imports of the files in a directory need."""
    inside = (path for path in files.overlay.under(folder) if path.rpartition("/")[0] == folder)
    sources = [files.source(path) for path in inside if path.endswith(_SUFFIXES)]
    texts = [each.text for each in sources if each is not None]
    return max((len(dots) for text in texts for dots, _ in _BY_PLACE.findall(text)), default=0)


_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class ModuleFile(NamedTuple):
    """A Python file in its tree."""

    files: Files
    path: str
    text: bytes
    root: Node

    @classmethod
    def read_file(cls, files: Files, path: str) -> ModuleFile:
        """Read a file. Raises ``syntax_error`` if the grammar cannot."""
        lexical = files.lexical(path)
        if lexical is None:
            raise GateRefused(
                "syntax_error",
                f"{quote_path(path)}: {files.why_unread(path)}",
                "fix the syntax of this file first, then move its definitions",
            )
        return cls(files, path, lexical.text, lexical.syntax.root)

    @property
    def statements(self) -> list[ImportStatement]:
        return read_statements(self.root, self.text)


class ImportedName(NamedTuple):
    """A name that an import statement brings; ``*`` for all names, a plain import's name is the module."""

    name: str
    alias: str | None
    start: int
    end: int

    @property
    def bound(self) -> str:
        return self.alias or self.name.partition(".")[0]

    @property
    def said(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name


class ImportStatement(msgspec.Struct, frozen=True):
    """An import statement."""

    module: str | None  # module of a ``from`` import; None for a plain import
    names: tuple[ImportedName, ...]
    node: Node
    start: int  # start of its first line, or of the comments directly above it
    end: int  # end of its last line

    @property
    def is_star(self) -> bool:
        return any(name.name == "*" for name in self.names)

    def brings(self, module: str | None, name: str, alias: str | None) -> bool:
        """Return True if the statement imports a name under an alias or without one."""
        return self.module == module and any(
            (imported.name, imported.alias) == (name, alias) for imported in self.names
        )


def read_statements(root: Node, text: bytes) -> list[ImportStatement]:
    """Return the import statements at the top level of a file that are on lines of their own."""
    return [parse_statement(node, text) for node in root.named_children if node.type in _IMPORTS]


def has_future_annotations(root: Node) -> bool:
    """Return True if a file contains ``from __future__ import annotations``."""
    statements = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in statements)


def parse_statement(node: Node, text: bytes) -> ImportStatement:
    module = "__future__" if node.type == "future_import_statement" else None
    if node.type == "import_from_statement":
        module = _read_joined_text(find_part(node, "module_name"), text)
    names = (*_read_names(node, text),)
    return ImportStatement(module, names, node, _find_start(node, text), _find_end(node, text))


def _read_names(node: Node, text: bytes) -> Iterator[ImportedName]:
    for child in node.children_by_field_name("name"):
        name = _read_joined_text(find_part(child, "name") or child, text)
        yield ImportedName(name, _read_joined_text(find_part(child, "alias"), text) or None, *span_of(child))
    for child in node.named_children:
        if child.type == "wildcard_import":
            yield ImportedName("*", None, *span_of(child))


def _read_joined_text(node: Node | None, text: bytes) -> str:
    source = b"" if node is None else text[node.start_byte : node.end_byte]
    return "".join(source.decode("utf-8", "surrogateescape").split())


def _find_start(node: Node, text: bytes) -> int:
    first, start = node, text.rfind(b"\n", 0, node.start_byte) + 1
    while (above := first.prev_sibling) is not None and above.type == "comment":
        line = text.rfind(b"\n", 0, above.start_byte) + 1
        is_alone = not text[line : above.start_byte].strip()
        if above.end_point.row + 1 != first.start_point.row or not is_alone or line == 0:
            break  # what opens a file is about all of it
        first, start = above, line
    return start


def _find_end(node: Node, text: bytes) -> int:
    end = text.find(b"\n", node.end_byte)
    return len(text) if end < 0 else end + 1


class WantedImport(NamedTuple):
    """A name to import; ``module`` is None for a plain import."""

    module: str | None
    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        return self.alias or self.name.partition(".")[0]

    @property
    def statement(self) -> str:
        imported = f"{self.name} as {self.alias}" if self.alias else self.name
        return f"import {imported}" if self.module is None else f"from {self.module} import {imported}"


def read_wanted(lines: Iterable[str], field: str) -> Iterator[WantedImport]:
    """Yield the names in import statements, one by one.

    Raises ``invalid_args`` if the text is not an import statement.
    """
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    for line in lines:
        text = line.strip().encode("utf-8", "surrogateescape") + b"\n"
        syntax = Syntax(python, text)
        found = read_statements(syntax.root, text)
        if find_faults(syntax) or not found or len(found) != syntax.root.named_child_count:
            raise BadCall(
                "invalid_args",
                f"{line!r} is not an import statement",
                f'give {arg(field)} as import statements: "import os.path", "from m import a, b as c"',
            )
        for statement in found:
            for name in statement.names:
                yield WantedImport(statement.module, name.name, name.alias)


def export_items(place: ModuleFile) -> list[Node]:
    """Return the strings in the only ``__all__`` list of a file."""
    for listed in _find_export_lists(place, "bind"):
        if listed is not None:
            return [child for child in listed.named_children if child.type == "string"]
    return []


def _find_export_lists(place: ModuleFile, *roles: str) -> list[Node | None]:
    lexical = place.files.lexical(place.path)
    mentions = lexical.occurrences_of("__all__") if lexical is not None else ()
    values = (find_part(each.node.parent, "right") for each in mentions if each.role in roles)
    return [value if type_of(value) in ("list", "tuple") else None for value in values]


def has_plain_exports(place: ModuleFile) -> bool:
    """Return True if the only use of ``__all__`` in a file is one assignment of a list of strings."""
    lists = _find_export_lists(place, "bind", "use")
    items = [child for listed in lists for child in children_of(listed)]
    is_listed = len(lists) == 1 and lists[0] is not None
    return is_listed and all(child.type in ("string", "comment") for child in items)


def exported_name(place: ModuleFile, node: Node) -> str:
    return place.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape").strip("'\"")


def is_left_out(files: Files, path: str, name: str) -> bool:
    """Return True if a file has an export list without the name."""
    place = ModuleFile.read_file(files, path)
    listed = export_items(place)
    return bool(listed) and all(exported_name(place, each) != name for each in listed)


def is_star_exported(place: ModuleFile, module: str, name: str) -> bool:
    """Return True if ``from module import *`` in a file may bring a name."""
    path = find_file(place.files, place.path, module)
    if path is None or place.files.lexical(path) is None:
        return True
    return not is_left_out(place.files, path, name)


def direct_loads(files: Files, path: str, end: int | None = None) -> set[str]:
    """Return the files that a file imports, and the packages around them. ``end`` limits the read text."""
    found = set[str]()
    for module_name in _read_module_names(files, path, end):
        module = find_file(files, path, module_name)
        if module is not None:
            found |= {module, *_find_packages_above(files, path, module_name)}
    return found - {path}


def named_loads(files: Files, path: str) -> set[str]:
    """Return the files that a file imports by name, without the packages around them."""
    found = {find_file(files, path, module_name) for module_name in _read_module_names(files, path, None)}
    return {each for each in found if each is not None} - {path}


def _read_module_names(files: Files, path: str, end: int | None) -> set[str]:
    """Return the dotted names of possible modules in the imports of a file."""
    lexical = files.lexical(path)
    if lexical is None or lexical.syntax.language.name != "python":
        return set()
    module_names, around = set[str](), set[str]()
    for each in read_statements(lexical.syntax.root, lexical.text):
        if end is not None and each.node.end_byte > end:
            continue
        if each.module is None:
            module_names |= {name.name for name in each.names}
            continue
        module_names.add(each.module)
        found = find_by_name(files, path, each.module)
        if isinstance(found, Module) and folder_of(found) is None:
            continue  # in which there are no others
        dot = "" if each.module.endswith(".") else "."
        submodules = [f"{each.module}{dot}{name.name}" for name in each.names]
        module_names.update(submodules)
        if not each.module.strip(".") and any(find_file(files, path, one) is None for one in submodules):
            around.add(each.module)  # the package has it that the file is in, and is no module of it
    return around | {each for each in module_names if each.strip(".")}


def _find_packages_above(files: Files, path: str, dotted: str) -> Iterator[str]:
    head = dotted.rpartition(".")[0]
    while head.strip("."):
        is_by_place = head.startswith(".")
        found = find_by_name(files, path, head) if is_by_place else find_first_part(files, path, head, dotted)
        folder = folder_of(found) if isinstance(found, Module) else None
        if isinstance(found, Module) and folder is not None and not path.startswith(f"{folder}/"):
            yield found.path
        head = head.rpartition(".")[0]


def all_loads(files: Files, path: str, end: int) -> set[str]:
    """Return the files loaded directly or indirectly by the imports before an offset."""
    return {*find_reachable(direct_loads(files, path, end), lambda each: direct_loads(files, each) - {path})}
