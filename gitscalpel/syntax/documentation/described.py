"""Which parameters a documentation comment or docstring describes.

Read are Google's and NumPy's sections, Sphinx' fields (``:param x:``), the tags of JSDoc, KDoc, Javadoc and
Doxygen (``@param x``), and rustdoc's list below ``# Arguments``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.regex import lazy

_TAG = lazy(r"[:@\\]param(?:eter)?(?:\[[\w,]+\]|\b)\s*(?:\{[^}]*\}\s*)?(?P<words>[^:\n]*:|\[?\$?[\w.*]+)")
_SECTION = lazy(r"(?P<indent>\s*)(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments):\s*$")
_ITEM = lazy(r"(?P<indent>\s+)\*{0,2}(?P<name>[A-Za-z_]\w*)\s*(?:\([^)]*\))?\s*:(?!:)")
_UNDERLINED = lazy(r"\s*(?:Other )?Parameters\s*$")
_UNDERLINE = lazy(r"\s*-{3,}\s*$")
_NUMPY_ITEM = lazy(
    r"(?P<indent>\s*)(?P<names>\*{0,2}[A-Za-z_]\w*(?:\s*,\s*\*{0,2}[A-Za-z_]\w*)*)\s*(?::.*)?$"
)
_ARGUMENTS = lazy(r"\s*(?:///?!?|\*)?\s*#+ (?:Arguments|Parameters)\s*$")
_BULLET = lazy(r"\s*(?:///?!?|\*)?\s*[-*] `(?P<name>\w+)`")
_SIGNS = " \t*/!"


class Described(NamedTuple):
    """A parameter that is described, and in which line of the text, from 0."""

    name: str
    line: int


def described(text: str) -> list[Described]:
    """The parameters that a documentation describes, in order."""
    lines = text.split("\n")
    found = [*_tags(lines), *_sections(lines), *_numpy(lines), *_rust(lines)]
    return sorted(dict.fromkeys(found), key=lambda each: each.line)


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
