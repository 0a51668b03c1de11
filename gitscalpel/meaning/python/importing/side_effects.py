"""Imports that are written for what running a module does, although nobody uses the name that they bind."""

from __future__ import annotations

import sys

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Name, Statement
from gitscalpel.meaning.python.moving.registration import BY_NAME, HARMLESS
from gitscalpel.meaning.things import Module

_LIBRARY = frozenset(
    {"readline", "rlcompleter", "antigravity", "this", "cgitb", "faulthandler", "sitecustomize"}
)
"""Modules of the library that do something as they are imported."""


def imports_for_effect(files: Files, path: str, statement: Statement, name: Name) -> bool:
    """Return True if an import brings a module that calls or registers something as it is run."""
    if name.name == "*":
        return False
    if statement.module is None and name.name in _LIBRARY and name.name in sys.stdlib_module_names:
        return True
    said = name.name
    if statement.module is not None:
        said = f"{statement.module}{'' if statement.module.endswith('.') else '.'}{name.name}"
    module = modules.named(files, path, said)
    lexical = files.lexical(module.path) if isinstance(module, Module) else None
    if lexical is None or not isinstance(module, Module) or module.path == path:
        return False
    return any(_has_effect(node) for node in lexical.syntax.root.named_children)


def _has_effect(node: tree_sitter.Node) -> bool:
    """Return True for a statement of a module that calls something, or registers a definition."""
    if node.type in ("call", "await"):
        return True
    if node.type == "decorated_definition":
        names = (_last_name(each) for each in node.named_children if each.type == "decorator")
        return any(name not in HARMLESS and name not in BY_NAME for name in names)
    return False


def _last_name(decorator: tree_sitter.Node) -> bytes:
    """Return the last name of a decorator, without its arguments."""
    return (decorator.text or b"").lstrip(b"@").partition(b"(")[0].strip().rpartition(b".")[2]
