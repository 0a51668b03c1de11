"""The code in Markdown and reStructuredText: spans, fences and blocks, and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SUFFIXES = (".md", ".markdown", ".mdx", ".rst")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_SPAN = re.compile(r"(?P<marks>`+)(?P<code>.+?)(?<!`)(?P=marks)(?!`)")
_BLOCK = re.compile(r"(?P<indent>\s*)(?:\.\. (?:code-block|code|sourcecode|doctest)::|.*(?<!:)::\s*$|>>> )")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")


class Code(NamedTuple):
    """A piece of code in prose: its line from 1, its first column from 0 in characters, its text."""

    line: int
    column: int
    text: str


def code(path: str, text: str) -> Iterator[Code]:
    """What a file of prose says in code, or in a heading, by line."""
    lines = text.split("\n")
    yield from _restructured(lines) if path.endswith(".rst") else _markdown(lines)


def _markdown(lines: list[str]) -> Iterator[Code]:
    fence = ""
    for number, line in enumerate(lines, 1):
        marks = _FENCE.match(line)
        if fence:
            if marks and marks["marks"].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            else:
                yield Code(number, 0, line)
        elif marks:
            fence = marks["marks"]
        elif _HEADING.match(line):
            yield Code(number, 0, line)
        else:
            yield from _spans(number, line)


def _restructured(lines: list[str]) -> Iterator[Code]:
    around: int | None = None
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if around is not None and line.strip() and indent <= around:
            around = None
        if around is not None or line.lstrip().startswith(">>> "):
            yield Code(number, 0, line)
            continue
        block = _BLOCK.match(line)
        around = len(block["indent"]) if block else None
        underlined = number < len(lines) and _UNDERLINE.match(lines[number]) and line.strip()
        yield from [Code(number, 0, line)] if underlined else _spans(number, line)


def _spans(number: int, line: str) -> Iterator[Code]:
    for found in _SPAN.finditer(line):
        yield Code(number, found.start("code"), found["code"])
