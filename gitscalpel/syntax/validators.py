"""Errors that a grammar accepts and the language's own parser does not.

Grammars are made for highlighting and accept much. Python's compiler decides, and the standard library's
parsers of JSON, TOML and XML. No code is run. XML is parsed by expat, for unclosed tags and repeated
attributes only: templates, fragments and entities of an external document type are XML to their authors. HTML
must not end within a tag, comment or script, which would lose the rest of the page (parse errors
``eof-in-tag``, ``eof-in-comment`` and ``eof-in-script-html-comment-like-text`` of the HTML standard).

The compiler of Python is the interpreter's, so the grammar, which knows both, separates syntax that only a
newer Python accepts from syntax that none accepts.
"""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from json import JSONDecodeError, JSONDecoder
from xml.parsers import expat

import msgspec

from gitscalpel.syntax.parse import Syntax

LARGE = 2_000_000
"""Size in bytes above which parsers that take a second for each million are not run."""
_SLOW_READERS = frozenset({"html", "python", "toml", "xml"})


class ParseRefusal(msgspec.Struct, frozen=True):
    """A parse error: its position, from 1, and the message."""

    line: int
    column: int
    message: str


class Unread(msgspec.Struct, frozen=True):
    """A text that this parser cannot check, and the reason."""

    why: str


def validate(syntax: Syntax, raw: bytes) -> ParseRefusal | Unread | None:
    """Return the error of the language's own parser, or None without an error or a parser.

    The grammar finds no error in the text. ``raw`` is the text as stored in the file.
    """
    reader = syntax.language.reader
    if not reader:
        return None
    if len(raw) > LARGE and reader in _SLOW_READERS:
        return Unread("it is too large for the parser")
    try:
        return _READERS[reader](syntax, raw)
    except UnicodeDecodeError:
        return Unread("it is not UTF-8")
    except RecursionError:
        return Unread("it nests too deeply")


def read_jsonc(syntax: Syntax, _: bytes) -> ParseRefusal | Unread | None:
    """Check JSON with comments; an empty file is accepted."""
    values = [node for node in syntax.root.named_children if not node.is_extra]
    if len(values) < 2:
        return None
    row, column = values[1].start_point
    return ParseRefusal(row + 1, column + 1, "a second value follows the first")


# Numbers are not converted, since they may be of any length.
def _refuse_constant(name: str) -> None:
    """Raise ``ValueError`` for numbers that Python accepts and JSON does not have."""
    raise ValueError(f"JSON has no {name}")


_DECODER = JSONDecoder(parse_int=len, parse_float=len, parse_constant=_refuse_constant)


def read_json(syntax: Syntax, raw: bytes) -> ParseRefusal | Unread | None:
    """Check JSON; an empty file is accepted."""
    text = syntax.text.decode("utf-8")
    try:
        if text.strip():
            _DECODER.decode(text)
    except JSONDecodeError as error:
        if syntax.of_type("comment"):
            return read_jsonc(syntax, raw) or Unread("it has comments, which only some JSON parsers allow")
        return ParseRefusal(error.lineno, error.colno, error.msg)
    except ValueError as error:
        return ParseRefusal(1, 1, str(error))
    return None


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)\Z")


def read_toml(syntax: Syntax, _: bytes) -> ParseRefusal | Unread | None:
    text = syntax.text.decode("utf-8")
    try:
        tomllib.loads(text, parse_float=len)
    except tomllib.TOMLDecodeError as error:
        words = str(error)
        place = _PLACE.search(words)
        last = text.count("\n") + (not text.endswith("\n"))  # what is found at the end has no place
        line, column = (int(place[1]), int(place[2])) if place else (last, 1)
        return ParseRefusal(line, column, _PLACE.sub("", words))
    except ValueError:  # a number that is too long for Python
        return None
    return None


_UNCLOSED = re.compile(rb"(?<!\\\n)^\[[^\]\n]*$", re.MULTILINE)


def read_ini(syntax: Syntax, _: bytes) -> ParseRefusal | Unread | None:
    found = _UNCLOSED.search(syntax.text)
    if found is None:
        return None
    return ParseRefusal(syntax.text.count(b"\n", 0, found.start()) + 1, 1, "the section header is not closed")


_WRONG = frozenset(
    expat.errors.codes[words]
    for words in (expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE, expat.errors.XML_ERROR_TAG_MISMATCH)
)


def read_xml(syntax: Syntax, raw: bytes) -> ParseRefusal | Unread | None:
    try:
        return _expat_refusal(raw, None)
    except (ValueError, LookupError):  # an encoding that expat does not know
        return _expat_refusal(syntax.text, "utf-8")


def _expat_refusal(text: bytes, encoding: str | None) -> ParseRefusal | None:
    try:
        expat.ParserCreate(encoding).Parse(text, True)
    except expat.ExpatError as error:
        if error.code in _WRONG:
            return ParseRefusal(error.lineno, error.offset + 1, expat.ErrorString(error.code))
    return None


_TOKENS = re.compile(
    rb"<!--(?:-?>|(?s:.*?)--!?>|(?P<comment>))"
    rb"|<%(?s:.*?)%>|<\?(?s:.*?)(?:\?>|\Z)|\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}"
    rb"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>"
    rb"(?:(?s:.*?)</(?P=raw)\s*[^>]*>|(?P<raw_end>))"
    rb"|</?[a-zA-Z](?:\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}|<[%?](?s:.*?)[%?]>|=\s*\"[^\"]*\"|=\s*'[^']*'|[^>])*(?P<tag>>|\Z)"
)
_CLOSED = re.compile(rb"/>\s*\Z")
_UNCLOSED_HTML = {
    "comment": "the comment is not closed",
    "raw_end": "the element is not closed",
    "tag": "the tag is not closed",
}


def read_html(syntax: Syntax, _: bytes) -> ParseRefusal | Unread | None:
    for found in _TOKENS.finditer(syntax.text.lower()):
        group = next((name for name in _UNCLOSED_HTML if found[name] == b""), None)
        if group is None or (group == "raw_end" and _CLOSED.search(found[0])):
            continue
        start = found.start()
        line_start = syntax.text.rfind(b"\n", 0, start) + 1
        return ParseRefusal(
            syntax.text.count(b"\n", 0, start) + 1, start - line_start + 1, _UNCLOSED_HTML[group]
        )
    return None


_PYTHON_2 = re.compile(rb"#![^\n]*python2")
_NEWER: tuple[tuple[tuple[int, int], str], ...] = (
    ((3, 11), '(except_clause "*") @found'),
    ((3, 11), "(subscript subscript: (list_splat)) @found"),
    ((3, 13), "(type_alias_statement) @found (type_parameter) @found"),
    ((3, 14), "(except_clause value: (_) value: (_)) @found"),
    ((3, 14), '((string (string_start) @start) @found (#match? @start "^[tT]"))'),
)
"""Syntax that a version introduced or extended."""
_ENDING = re.compile(rb"\r\n?|\n")
_FREE_F_STRINGS = (3, 12)
_F_STRING = "(string (interpolation)) @found"
_QUIET = threading.Lock()
"""All threads share the warning filters."""


def read_python(syntax: Syntax, raw: bytes) -> ParseRefusal | Unread | None:
    """Check Python; a compiler warning is not an error."""
    if _PYTHON_2.match(raw):
        return Unread("it is for Python 2")
    try:
        refusal = _compile_python(raw)
    except (RecursionError, MemoryError, OverflowError):
        return Unread("it nests too deeply for Python's compiler")
    if refusal is not None and (_is_newer(syntax, refusal.line) or _is_in_f_strings(syntax, refusal)):
        return Unread(f"it may use syntax newer than Python {_python_version()}")
    return refusal


def parse_python(raw: bytes) -> ast.AST | None:
    """Return Python's syntax tree of a file, or None if it does not parse."""
    import ast

    try:
        tree = _compile_quietly(raw, ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree if isinstance(tree, ast.AST) else None


def _compile_quietly(raw: bytes, flags: int = 0) -> object:
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(raw, "<edited>", "exec", flags, dont_inherit=True, optimize=0)


def _compile_python(raw: bytes) -> ParseRefusal | None:
    try:
        _compile_quietly(raw)
    except SyntaxError as error:
        position = (_git_line(raw, error.lineno or 1), max(error.offset or 1, 1))
        return ParseRefusal(*position, f"{error.msg} (Python {_python_version()})")
    except ValueError as error:  # a NUL
        return ParseRefusal(1, 1, str(error))
    return None


def _git_line(raw: bytes, number: int) -> int:
    """Return git's line number for one of Python, which also counts a lone CR as a line ending."""
    ends = list(_ENDING.finditer(raw))[: number - 1]
    return 1 + sum(end[0] != b"\r" for end in ends)


def _python_version() -> str:
    return ".".join(map(str, sys.version_info[:2]))


def _is_newer(syntax: Syntax, line: int) -> bool:
    """Return True if the line has syntax for which the running interpreter is too old."""
    return any(
        node.start_point.row < line <= node.end_point.row + 1
        for version, query in _NEWER
        if sys.version_info[:2] < version
        for node in syntax.query_nodes(query)
    )


def _is_in_f_strings(syntax: Syntax, refusal: ParseRefusal) -> bool:
    """Return True if the error changes with plain f-strings, since newer ones may contain any code."""
    if sys.version_info[:2] >= _FREE_F_STRINGS:
        return False
    pieces, at = [], 0
    for node in syntax.query_nodes(_F_STRING):
        if node.start_byte >= at:
            inside = syntax.text[node.start_byte : node.end_byte]
            plain = b'""' if b"\n" not in inside else b'"""' + b"\n" * inside.count(b"\n") + b'"""'
            pieces += [syntax.text[at : node.start_byte], plain]
            at = node.end_byte
    if not pieces:
        return False
    new_refusal = _compile_python(b"".join([*pieces, syntax.text[at:]]))
    return new_refusal is None or (new_refusal.line, new_refusal.message) != (refusal.line, refusal.message)


STAR = "*"
"""Stands for the unknown names that an ``import *`` binds."""


def find_bindings(raw: bytes) -> Mapping[str, tuple[str, ...]] | None:
    """Return the bindings of each name, in document order, by its path (``Outer.inner``).

    A function or class is given by its kind, another statement as a whole. None if the running Python cannot
    parse the file.
    """
    tree = parse_python(raw)
    if tree is None:
        return None
    found: defaultdict[str, list[str]] = defaultdict(list)
    try:
        for path, kind in _Scope(()).iter_within(tree):
            found[path].append(kind)
    except RecursionError:
        return None
    return {path: tuple(kinds) for path, kinds in found.items()}


class _Scope:
    """A module, class or function, by its path, and its names that belong to the module."""

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path
        self.elsewhere: set[str] = set()

    def iter_within(self, tree: ast.AST) -> Iterator[tuple[str, str]]:
        """Yield the path and kind of each binding in ``tree``."""
        declared = [node for node in ast.walk(tree) if isinstance(node, (ast.Global, ast.Nonlocal))]
        self.elsewhere = {name for node in declared for name in node.names}
        for child in ast.iter_child_nodes(tree):
            yield from self._iter_bindings(child, child)

    def _iter_bindings(self, node: ast.AST, statement: ast.AST) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield self._find_scope_path(node.name), type(node).__name__
            for child in _iter_outside(node):
                yield from self._iter_bindings(child, child)
            yield from _Scope((*self.path, node.name)).iter_within(node)
            return
        for name in _bound_names(node):
            yield self._find_scope_path(name), ast.dump(statement)
        inner = [node.iter, *node.ifs] if isinstance(node, ast.comprehension) else ast.iter_child_nodes(node)
        for child in inner:
            yield from self._iter_bindings(child, statement)

    def _find_scope_path(self, name: str) -> str:
        """Return the path of a name's scope; global and nonlocal names count as the module's."""
        is_whole = "." in name or name == STAR or name in self.elsewhere
        return name if is_whole else ".".join((*self.path, name))


def _iter_outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    """Yield the parts of a definition that run outside it: decorators, defaults, annotations, bases."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
        return
    args = node.args
    yield from (*args.defaults, *filter(None, (*args.kw_defaults, node.returns)))
    for each in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if each is not None and each.annotation is not None:
            yield each.annotation


def _bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Name, ast.Attribute)):
        return [] if isinstance(node.ctx, ast.Load) else _split_dotted(node)
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    return [node.rest] if isinstance(node, ast.MatchMapping) and node.rest else []


def _split_dotted(node: ast.expr) -> list[str]:
    """Return ``a.b.c`` if a chain of attributes begins with a name, else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [".".join([node.id, *reversed(parts)])] if isinstance(node, ast.Name) else []


_READERS: dict[str, Callable[[Syntax, bytes], ParseRefusal | Unread | None]] = {
    "html": read_html,
    "ini": read_ini,
    "json": read_json,
    "jsonc": read_jsonc,
    "python": read_python,
    "toml": read_toml,
    "xml": read_xml,
}
"""Readers by the name that a language's entry gives in ``reader``."""
