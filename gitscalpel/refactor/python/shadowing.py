"""Find moved Python files that hide a module of a library from other files.

A program looks for modules in its own directory first, and ``python -m`` in the current one. Packages
hide nothing, and modules that Python loads before the program (``os``, ``sys``) cannot be hidden.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterator, Mapping

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.lowered_operation import OpenSource
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules

_LOADED = frozenset(
    {
        *sys.builtin_module_names,
        "abc",
        "codecs",
        "encodings",
        "genericpath",
        "io",
        "ntpath",
        "os",
        "posixpath",
    }
    | {"site", "stat", "sysconfig", "zipimport", "_collections_abc", "importlib", "runpy"}
)
"""Modules that are loaded before a program begins."""
_WIDELY_USED = frozenset(
    {
        "argparse",
        "ast",
        "asyncio",
        "base64",
        "bisect",
        "calendar",
        "collections",
        "contextlib",
        "copy",
        "copyreg",
    }
    | {
        "dataclasses",
        "datetime",
        "decimal",
        "dis",
        "email",
        "enum",
        "fnmatch",
        "functools",
        "gettext",
        "glob",
    }
    | {
        "hashlib",
        "heapq",
        "hmac",
        "html",
        "http",
        "inspect",
        "ipaddress",
        "json",
        "keyword",
        "linecache",
        "locale",
    }
    | {
        "logging",
        "mimetypes",
        "numbers",
        "opcode",
        "operator",
        "pathlib",
        "pickle",
        "platform",
        "queue",
        "quopri",
    }
    | {
        "random",
        "re",
        "reprlib",
        "secrets",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "ssl",
        "string",
        "struct",
    }
    | {"subprocess", "tempfile", "textwrap", "threading", "token", "tokenize", "traceback", "types", "typing"}
    | {"urllib", "uuid", "warnings", "weakref", "zipfile"}
)
"""Modules of the standard library that others of it import."""


def list_hidden(overlay: Overlay, read: OpenSource, moved: Mapping[str, str]) -> Iterator[str]:
    """Report the imports that meant a library before a change and mean a file of the tree after it.

    Args:
        overlay: the tree after the change.
        read: opens a file of a path with its bytes.
        moved: by path after, where files came from.
    """
    before, after = Files(Overlay(overlay.below), read), Files(overlay, read)
    to = {path: new for new, path in moved.items()}
    for change in overlay.changes:
        if change.old is None and change.new is not None and change.path.endswith(".py"):
            yield from _hidden_by(before, after, change.path, to)
            if change.path in moved:
                yield from _hidden_from(before, after, moved[change.path], change.path)


def _hidden_by(before: Files, after: Files, path: str, moved: Mapping[str, str]) -> Iterator[str]:
    """Report whom a new file hides a library from."""
    folder, name = _called(path)
    if name in _LOADED or not name.isidentifier() or modules.is_package(after, folder):
        return
    is_found = False
    for place in before.holding(name):
        to = moved.get(place, place)
        if to == path or not after.is_file(to) or folder not in ("", _root(after, to)):
            continue
        lines = _lines(before, place, name)
        if lines and not isinstance(modules.find_module(before, place, name, 0), Module):
            is_found = True
            where = unresolved_notes.format_lines(to, lines)
            yield f"{where}: import {name} means {quoted(path)} now, and not the library"
    if (
        not is_found
        and name in _WIDELY_USED
        and name in sys.stdlib_module_names
        and _has_others(after, folder, path)
    ):
        yield f"{quoted(path)}: programs in this folder get it for {name} of the standard library"


def _hidden_from(before: Files, after: Files, path: str, to: str) -> Iterator[str]:
    """Report which libraries are hidden from a file in its new place."""
    if posixpath.dirname(path) == posixpath.dirname(to):
        return
    for name, line in _imported(after, to):
        if name in _LOADED or isinstance(modules.find_module(before, path, name, 0), Module):
            continue
        found = modules.find_module(after, to, name, 0)
        was_there = isinstance(found, Module) and before.is_file(found.path)
        if isinstance(found, Module) and was_there and _called(found.path)[0] == _root(after, to):
            where = unresolved_notes.format_lines(to, [line])
            yield f"{where}: import {name} means {quoted(found.path)} now, and not the library"


def _called(path: str) -> tuple[str, str]:
    """Return the folder in which a module is found, and its name there."""
    parts = modules.path_parts(path)
    return "/".join(parts[:-1]), parts[-1] if parts else ""


def _root(files: Files, path: str) -> str:
    """Return the folder above the packages of a file."""
    folder = posixpath.dirname(path)
    while modules.is_package(files, folder):
        folder = posixpath.dirname(folder)
    return folder


def _has_others(files: Files, folder: str, path: str) -> bool:
    """Return True if a folder holds another program."""
    there = (each for each in files.overlay.under(folder) if posixpath.dirname(each) == folder)
    return any(each.endswith(".py") and each != path for each in there)


def _lines(files: Files, path: str, name: str) -> list[int]:
    return sorted({line for said, line in _imported(files, path) if said == name})


def _imported(files: Files, path: str) -> Iterator[tuple[str, int]]:
    """Yield the first part of each absolute import of a file, and its line."""
    lexical = files.lexical(path) if path.endswith(".py") else None
    for kind, field in (("import_statement", "name"), ("import_from_statement", "module_name")):
        for node in lexical.syntax.of_type(kind) if lexical is not None else ():
            for child in node.children_by_field_name(field):
                said = child.child_by_field_name("name") or child
                text = (said.text or b"").decode("utf-8", "surrogateescape")
                if not text.startswith("."):
                    yield text.partition(".")[0], node.start_point[0] + 1
