"""Name a module in an import of another file, and report new files that hide a module of a library.

A program looks for modules in its own directory first, and ``python -m`` in the current one.
"""

from __future__ import annotations

import keyword
import posixpath
import sys
from collections.abc import Iterable, Iterator, Mapping

from gitscalpel.changesets.answers import quote_path, remark
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.outcome import OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.entities import Module
from gitscalpel.names.files import FileMoves, Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.modules import ImportStatement, ModuleFile
from gitscalpel.names.nodes import find_part, node_text

_INIT = ("__init__.py", "__init__.pyi")


def dotted_name(files: Files, path: str, by: str = "") -> str:
    """Return the absolute name of a module, from the folder above its outermost package.

    It starts further up if the import path of the file ``by`` does not contain that folder.
    """
    folder, _, last = path.rpartition("/")
    parts = [] if last in _INIT else [last.rpartition(".")[0]]
    root = modules.package_root(files, folder, by)
    searched = set(modules.import_roots(files, by)) - modules.packages_around(files, by) if by else {root}
    while folder and (len(folder) > len(root) or folder not in searched):
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    return ".".join(parts)


def relative_name(files: Files, path: str, other: str) -> str | None:
    """Return the relative name of the module ``other`` in ``path``, or None outside of the package."""
    folders, parts = path.split("/")[:-1], modules.path_parts(other)
    shared = len(posixpath.commonprefix([folders, parts]))
    depth = len(folders)  # number of folders above the outermost package
    while depth and modules.is_package(files, "/".join(folders[:depth])):
        depth -= 1
    if shared <= (depth if depth < len(folders) else 0):
        return None
    return "." * (len(folders) - shared + 1) + ".".join(parts[shared:])


def name_in_style_of(files: Files, path: str, other: str, before: str) -> str:
    """Return the name of the module ``other`` in ``path``, relative if the name ``before`` is relative."""
    found = relative_name(files, path, other) if before.startswith(".") else None
    return found or dotted_name(files, other, path)


def name_module(files: Files, path: str, other: str) -> str:
    """Return the name of the module ``other`` in the prevailing style of ``path``."""
    return name_in_style_of(files, path, other, import_style(ModuleFile.read_file(files, path).statements))


def import_style(imported: Iterable[ImportStatement]) -> str:
    """Return ``.`` if most imports of a file are relative, or an empty string."""
    names = [each.module for each in imported if each.module and each.module != "__future__"]
    relative = sum(name.startswith(".") for name in names)
    return "." if relative * 2 > len(names) else ""


_SUFFIXES = (".py", ".pyi")


def find_named(journey: FileMoves, path: str, name: str) -> Module | None:
    found = modules.find_by_name(journey.before, path, name)
    return found if isinstance(found, Module) else None


def rename_module(journey: FileMoves, path: str, name: str, target: str) -> str:
    to = journey.target_after(target)
    if name.startswith("."):
        if to == target and journey.path_after(path) == path:
            return name
        return relative_name(journey.after, journey.path_after(path), to) or _make_absolute_name(journey, to)
    return name if to == target else _name_below_root(journey, name, target, to)


def _name_below_root(journey: FileMoves, old_name: str, target: str, to: str) -> str:
    """Return the new dotted name from the folder in which the old name was looked up."""
    place, name_parts = modules.path_parts(target), old_name.split(".")
    root = place[: len(place) - len(name_parts)]
    above = journey.path_after("/".join(root)).split("/") if root else []
    for folder in (above, root):
        now = modules.path_parts(to)
        if len(now) > len(folder) and now[: len(folder)] == folder and place[len(root) :] == name_parts:
            return ".".join(now[len(folder) :])
    return _make_absolute_name(journey, to)


def _make_absolute_name(journey: FileMoves, path: str) -> str:
    is_file = path.endswith(_SUFFIXES)
    return dotted_name(journey.after, path) if is_file else ".".join(modules.path_parts(path))


def require_importable(journey: FileMoves, path: str, place: str) -> None:
    """Raise ``kind_mismatch`` if Python could not find an imported module after the move."""
    to = journey.target_after(path)
    why = "" if to == path else _find_hindrance(journey, path, to)
    if why:
        raise DoesNotFit(
            "kind_mismatch",
            f"{place} imports {quote_path(path)}, and {why}",
            "choose another path, or move the file alone (keep_imports) and edit the imports yourself",
            path=path,
        )


def _find_hindrance(journey: FileMoves, path: str, to: str) -> str:
    """Return the reason why Python does not find a module at ``to``, or an empty string."""
    is_file = path.endswith(_SUFFIXES)
    if is_file and not to.endswith(_SUFFIXES):
        return f"{quote_path(to)} is not a Python file"
    if path.endswith(".py") and to.endswith(".pyi") and not journey.after.is_file(to[:-1]):
        return f"{quote_path(to)} is a stub, which Python does not run"
    for name in _make_absolute_name(journey, to).split("."):
        if not name.isidentifier() or keyword.iskeyword(name):
            return f"{quote_path(name)} cannot be imported: it is not a Python name"
    hidden = _find_shadowing_file(journey.after, to)
    return f"{quote_path(hidden)} would be imported instead of {quote_path(to)}" if hidden else ""


def _find_shadowing_file(files: Files, to: str) -> str:
    """Return the file that Python finds instead of ``to`` or a package around it, or an empty string.

    A package with an ``__init__.py`` takes precedence over a module of its name, and a module over a plain
    directory.
    """
    place, suffix = posixpath.splitext(to)
    if suffix == ".py" and files.is_file(f"{place}/__init__.py") and not to.endswith("/__init__.py"):
        return f"{place}/__init__.py"
    folder = posixpath.dirname(to)
    while folder:
        if files.is_file(f"{folder}.py") and not files.is_file(f"{folder}/__init__.py"):
            return f"{folder}.py"
        folder = posixpath.dirname(folder)
    return ""


_PRELOADED = frozenset(
    """
    abc codecs encodings genericpath io ntpath os posixpath site stat sysconfig zipimport
    _collections_abc importlib runpy
    """.split()  # noqa: SIM905 - it is read more easily so
) | {*sys.builtin_module_names}
"""Modules that are loaded before a program starts."""
_WIDELY_USED = frozenset(
    """
    argparse ast asyncio base64 bisect calendar collections contextlib copy copyreg dataclasses datetime
    decimal dis email enum fnmatch functools gettext glob hashlib heapq hmac html http inspect ipaddress
    json keyword linecache locale logging mimetypes numbers opcode operator pathlib pickle platform
    queue quopri random re reprlib secrets selectors shutil signal socket ssl string struct subprocess
    tempfile textwrap threading token tokenize traceback types typing urllib uuid warnings weakref
    zipfile
    """.split()  # noqa: SIM905 - it is read more easily so
)
"""Modules that other modules of the standard library import."""


def list_hidden(overlay: Overlay, read: OpenSource, moved: Mapping[str, str]) -> Iterator[str]:
    """Yield notes about imports that meant a library before a change and mean a file of the tree after it."""
    before, after = Files(Overlay(overlay.below), read), Files(overlay, read)
    to = {path: new for new, path in moved.items()}
    for change in overlay.changes:
        if change.old is None and change.new is not None and change.path.endswith(".py"):
            yield from _list_hidden_by(before, after, change.path, to)
            if change.path in moved:
                yield from _list_hidden_from(before, after, moved[change.path], change.path)


def _list_hidden_by(before: Files, after: Files, path: str, moved: Mapping[str, str]) -> Iterator[str]:
    folder, name = _split_module_path(path)
    if name in _PRELOADED or not name.isidentifier() or modules.is_package(after, folder):
        return
    is_found = False
    for place in before.holding(name):
        to = moved.get(place, place)
        if to == path or not after.is_file(to) or folder not in ("", _find_folder_above_packages(after, to)):
            continue
        lines = sorted({line for word, line in _iter_imported_names(before, place) if word == name})
        if lines and not isinstance(modules.find_module(before, place, name, 0), Module):
            is_found = True
            words = f"import {name} now means {quote_path(path)} instead of the library"
            yield remark(words, path=to, lines=lines, kind="import")
    is_standard = name in _WIDELY_USED and name in sys.stdlib_module_names
    if not is_found and is_standard and _has_other_program(after, folder, path):
        spot = quote_path(path)
        yield f"{spot}: programs in this folder import it instead of {name} of the standard library"


def _list_hidden_from(before: Files, after: Files, path: str, to: str) -> Iterator[str]:
    if posixpath.dirname(path) == posixpath.dirname(to):
        return
    for name, line in _iter_imported_names(after, to):
        if name in _PRELOADED or isinstance(modules.find_module(before, path, name, 0), Module):
            continue
        found = modules.find_module(after, to, name, 0)
        if not isinstance(found, Module) or not before.is_file(found.path):
            continue
        if _split_module_path(found.path)[0] == _find_folder_above_packages(after, to):
            words = f"import {name} now means {quote_path(found.path)} instead of the library"
            yield remark(words, path=to, lines=[line], kind="import")


def _split_module_path(path: str) -> tuple[str, str]:
    parts = modules.path_parts(path)
    return "/".join(parts[:-1]), parts[-1] if parts else ""


def _find_folder_above_packages(files: Files, path: str) -> str:
    folder = posixpath.dirname(path)
    while modules.is_package(files, folder):
        folder = posixpath.dirname(folder)
    return folder


def _has_other_program(files: Files, folder: str, path: str) -> bool:
    neighbours = (each for each in files.overlay.under(folder) if posixpath.dirname(each) == folder)
    return any(each.endswith(".py") and each != path for each in neighbours)


def _iter_imported_names(files: Files, path: str) -> Iterator[tuple[str, int]]:
    lexical = files.lexical(path) if path.endswith(".py") else None
    for kind, field in (("import_statement", "name"), ("import_from_statement", "module_name")):
        for node in lexical.syntax.of_type(kind) if lexical is not None else ():
            for child in node.children_by_field_name(field):
                name = node_text(find_part(child, "name") or child)
                if not name.startswith("."):
                    yield name.partition(".")[0], node.start_point[0] + 1
