"""Python as its own compiler reads it: `return` outside functions, names bound twice, what must come first.

Only the whole compiler knows these; nothing is run. It is that of the interpreter at hand, so what only a
newer one takes is told from what none takes by the grammar, which knows both.
"""

from __future__ import annotations

import re
import sys
import threading
import warnings
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter

from gitscalpel.syntax.parse import Syntax, grammar
from gitscalpel.syntax.readers.said import LARGE, Refusal, Unread

if TYPE_CHECKING:
    import ast

_PYTHON_2 = re.compile(rb"#![^\n]*python2")
_NEWER: tuple[tuple[tuple[int, int], str], ...] = (
    ((3, 11), '(except_clause "*") @newer'),
    ((3, 11), "(subscript subscript: (list_splat)) @newer"),
    ((3, 13), "(type_alias_statement) @newer (type_parameter) @newer"),
    ((3, 14), "(except_clause value: (_) value: (_)) @newer"),
    ((3, 14), '((string (string_start) @start) @newer (#match? @start "^[tT]"))'),
)
"""What came with a version, or can be written in more ways since."""
_ENDING = re.compile(rb"\r\n?|\n")
_FREE_F_STRINGS = (3, 12)
_F_STRING = "(string (interpolation)) @newer"
_QUIET = threading.Lock()
"""Filters of warnings are one for all threads."""


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`; a warning of the compiler is no refusal."""
    if len(raw) > LARGE:
        return Unread("it is too large for Python's compiler")
    if _PYTHON_2.match(raw):
        return Unread("it is for Python 2")
    try:
        refusal = _compiled(raw)
    except (RecursionError, MemoryError, OverflowError):
        return Unread("it nests too deeply for Python's compiler")
    if refusal is not None and (_is_newer(syntax, refusal.line) or _is_in_f_strings(syntax, refusal)):
        return Unread(f"it may hold what is newer than Python {_version()}, whose compiler refuses it")
    return refusal


def parsed(raw: bytes) -> ast.AST | None:
    """The tree that Python makes of a file; None where it makes none."""
    import ast

    try:
        tree = _quietly(raw, ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree if isinstance(tree, ast.AST) else None


def _quietly(raw: bytes, flags: int = 0) -> object:
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(raw, "<edited>", "exec", flags, dont_inherit=True, optimize=0)


def _compiled(raw: bytes) -> Refusal | None:
    try:
        _quietly(raw)
    except SyntaxError as error:
        where = (_line(raw, error.lineno or 1), max(error.offset or 1, 1))
        return Refusal(*where, f"{error.msg} (Python {_version()})")
    except ValueError as error:  # a NUL
        return Refusal(1, 1, str(error))
    return None


def _line(raw: bytes, number: int) -> int:
    """The line as git counts it, of one as Python does, for which a lone CR ends one as well."""
    ends = list(_ENDING.finditer(raw))[: number - 1]
    return 1 + sum(end[0] != b"\r" for end in ends)


def _version() -> str:
    return ".".join(map(str, sys.version_info[:2]))


def _is_newer(syntax: Syntax, line: int) -> bool:
    """Whether the line belongs to what the interpreter at hand is too old for."""
    return any(
        node.start_point.row < line <= node.end_point.row + 1
        for version, query in _NEWER
        if sys.version_info[:2] < version
        for node in _found(syntax, query)
    )


def _is_in_f_strings(syntax: Syntax, refusal: Refusal) -> bool:
    """Whether it is gone, or another one, once the f-strings are plain: newer ones may hold any code."""
    if sys.version_info[:2] >= _FREE_F_STRINGS:
        return False
    pieces, at = [], 0
    for node in _found(syntax, _F_STRING):
        if node.start_byte >= at:
            inside = syntax.text[node.start_byte : node.end_byte]
            plain = b'""' if b"\n" not in inside else b'"""' + b"\n" * inside.count(b"\n") + b'"""'
            pieces += [syntax.text[at : node.start_byte], plain]
            at = node.end_byte
    if not pieces:
        return False
    now = _compiled(b"".join([*pieces, syntax.text[at:]]))
    return now is None or (now.line, now.message) != (refusal.line, refusal.message)


def _found(syntax: Syntax, query: str) -> list[tree_sitter.Node]:
    found = tree_sitter.QueryCursor(_query(query)).captures(syntax.root).get("newer", [])
    return sorted(found, key=lambda node: node.start_byte)


@cache
def _query(source: str) -> tree_sitter.Query:
    query: tree_sitter.Query = tree_sitter.Query(grammar("python"), source)
    return query
