"""Reads a file of git's configuration as git does; what is not certain to be read alike is left to git.

The syntax: https://git-scm.com/docs/git-config#_syntax, and ``parse_value`` of config.c in git.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECTION = re.compile(r'\[(?P<name>[A-Za-z0-9-]+)(?:[ \t]+"(?P<sub>(?:[^"\\\n\0]|\\[^\n\0])*)")?\][ \t]*')
_KEY = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9-]*)[ \t]*(?P<equals>=?)[ \t]*")
_PIECE = re.compile(r'(?P<plain>[^\s"\\#;]+)|(?P<space>[ ]+)|(?P<escape>\\[ntb"\\\n])|(?P<quote>")')
_QUOTED = re.compile(r'(?P<plain>[^"\\\n\t]+)|(?P<escape>\\[ntb"\\\n])|(?P<quote>")')
_SIGNS = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}
_BLANK = re.compile(r"[ \t]*(?:[#;][^\n]*)?(?:\n|\Z)")
_ESCAPED = re.compile(r"\\(.)")


class Unclear(ValueError):
    """It takes git to read this."""


def parse(text: str) -> Iterator[tuple[str, str | None]]:
    """Keys in their canonical form and values; None: the key stands alone.

    Raises:
        Unclear: what follows takes git.
    """
    if "\0" in text:
        raise Unclear
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\r" in text:
        raise Unclear
    at, section = 0, ""
    while at < len(text):
        at = _indented(text, at)
        blank = _BLANK.match(text, at)
        if blank is not None:
            at = blank.end()
            continue
        head = _SECTION.match(text, at)
        if head is not None:
            sub = head["sub"]
            section = head["name"].lower() + ("" if sub is None else "." + _ESCAPED.sub(r"\1", sub)) + "."
            at = head.end()
            continue
        key = _KEY.match(text, at)
        if key is None or not section:
            raise Unclear
        value, at = _value(text, key.end()) if key["equals"] else (None, _end(text, key.end()))
        yield section + key["key"].lower(), value


def _indented(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _value(text: str, at: int) -> tuple[str, int]:
    """A value and where the next line begins: blanks around it do not count, those in quotes do."""
    parts: list[str] = []
    spaces, quoted = "", False
    while quoted or not (end := _BLANK.match(text, at)):
        piece = (_QUOTED if quoted else _PIECE).match(text, at)
        if piece is None:
            raise Unclear
        at = piece.end()
        if piece.lastgroup == "space":
            spaces = piece["space"] if any(parts) else ""
            continue
        if piece.lastgroup == "quote":
            quoted = not quoted
        said = _SIGNS[piece["escape"][1]] if piece["escape"] else piece["plain"] or ""
        parts += [spaces, said]
        spaces = ""
    return "".join(parts), end.end()


def _end(text: str, at: int) -> int:
    if text[at : at + 1] not in ("", "\n"):
        raise Unclear
    return at + 1
