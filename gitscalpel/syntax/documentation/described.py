"""Parameters that a documentation comment or docstring describes.

Google's and NumPy's sections, Sphinx fields (``:param x:``), the tags of JSDoc, KDoc, Javadoc and
Doxygen (``@param x``), and rustdoc's list below ``# Arguments`` are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

_TAG = re.compile(
    r"[:@\\]param(?:eter)?(?:\[[\w,]+\]|\b)\s*(?:\{[^}]*\}\s*)?(?P<words>[^:\n]*:|\[?\$?[\w.*]+)"
)
_SECTION = re.compile(
    r"(?P<indent>\s*)(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments):\s*$"
)
_ITEM = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>[A-Za-z_]\w*)\s*(?:\([^)]*\))?\s*:(?!:)")
_UNDERLINED = re.compile(r"\s*(?:Other )?Parameters\s*$")
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")
_NUMPY_ITEM = re.compile(
    r"(?P<indent>\s*)(?P<names>\*{0,2}[A-Za-z_]\w*(?:\s*,\s*\*{0,2}[A-Za-z_]\w*)*)\s*(?::.*)?$"
)
_ARGUMENTS = re.compile(r"\s*(?:///?!?|\*)?\s*#+ (?:Arguments|Parameters)\s*$")
_BULLET = re.compile(r"\s*(?:///?!?|\*)?\s*[-*] `(?P<name>\w+)`")
_CONSTRUCTORS = frozenset({"__init__", "constructor"})
_SIGNS = " \t*/!"


class Described(NamedTuple):
    """A parameter that is described, and in which line of the text, from 0."""

    name: str
    line: int


Style: TypeAlias = Literal["tag", "google", "numpy", "rust"]
"""A way to describe parameters: tags of Sphinx and JSDoc, sections of Google and NumPy, rustdoc's list."""


class Documentation(NamedTuple):
    """The text that documents a definition, and its bytes in the file."""

    text: str
    start: int
    end: int


def described(text: str) -> list[Described]:
    """Return the parameters that a documentation describes, in order."""
    return [each for each, _ in described_in_styles(text)]


def described_in_styles(text: str) -> list[tuple[Described, Style]]:
    """Return the parameters that a documentation describes, in order, each with the way in which it does."""
    lines = text.split("\n")
    readers: tuple[tuple[Style, Callable[[list[str]], Iterator[Described]]], ...] = (
        ("tag", _tags),
        ("google", _sections),
        ("numpy", _numpy),
        ("rust", _rust),
    )
    found: dict[Described, Style] = {}
    for style, reader in readers:
        for each in reader(lines):
            found.setdefault(each, style)
    return sorted(found.items(), key=lambda each: each[0].line)


def documentation(outline: Outline, symbol: Symbol) -> Documentation:
    """Return what describes the parameters of a definition: of a constructor without any, its class's."""
    own = _documentation(outline, symbol)
    if symbol.name not in _CONSTRUCTORS or symbol.parent is None or described(own.text):
        return own
    above = _documentation(outline, symbol.parent)
    return above if described(above.text) else own


def _documentation(outline: Outline, symbol: Symbol) -> Documentation:
    """Return the documentation string of a definition, else what stands above it."""
    text = outline.syntax.text
    start, end = symbol.outer, symbol.start
    body = symbol.body_node
    for node in outline.nodes("doc"):
        if node.id in outline.docstrings and body is not None and _opens(node.parent, body.id):
            start, end = node.start_byte, node.end_byte
    return Documentation(text[start:end].decode("utf-8", "replace"), start, end)


def _opens(node: object, block: int) -> bool:
    """Return True if a string's statement, or the string itself, stands in a block."""
    parent = getattr(node, "parent", None)
    return getattr(node, "id", None) == block or getattr(parent, "id", None) == block


def _tags(lines: list[str]) -> Iterator[Described]:
    for number, line in enumerate(lines):
        for match in _TAG.finditer(line):
            words = match["words"].strip(":[] ").split()
            name = words[-1].lstrip("$*").rstrip(",") if words else ""
            if name.isidentifier():  # `options.depth` describes a part of one
                yield Described(name, number)


def _sections(lines: list[str]) -> Iterator[Described]:
    """Google's: the lines below ``Args:`` that stand deeper, those that begin an item."""
    around = first = None
    for number, line in enumerate(lines):
        opens = _SECTION.match(line)
        if opens:
            around, first = len(opens["indent"]), None
        elif around is not None and line.strip():
            indent = len(line) - len(line.lstrip())
            item = _ITEM.match(line)
            if indent <= around:
                around = None
            elif item and first in (None, indent):
                first = indent
                yield Described(item["name"], number)


def _numpy(lines: list[str]) -> Iterator[Described]:
    """NumPy's: the lines below the underlined heading that stand as deep as it, up to the next heading."""
    at = 0
    while at + 1 < len(lines):
        if not (_UNDERLINED.match(lines[at]) and _UNDERLINE.match(lines[at + 1])):
            at += 1
            continue
        indent, at = len(lines[at]) - len(lines[at].lstrip()), at + 2
        while at < len(lines) and not (at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])):
            item = _NUMPY_ITEM.match(lines[at])
            if item and len(item["indent"]) == indent:
                yield from (Described(name.strip(" *"), at) for name in item["names"].split(","))
            at += 1


def _rust(lines: list[str]) -> Iterator[Described]:
    within = False
    for number, line in enumerate(lines):
        within = bool(_ARGUMENTS.match(line)) or (within and not line.strip(_SIGNS).startswith("#"))
        item = _BULLET.match(line) if within else None
        if item:
            yield Described(item["name"], number)
