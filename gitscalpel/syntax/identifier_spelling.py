r"""Spellings of one identifier.

A language may let several texts be the same identifier: ``f\u0069x`` is ``fix`` in JavaScript, TypeScript,
Java, C#, C and C++, and Rust compares names in the normal form NFC (rust-lang RFC 2457).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gitscalpel.regex import lazy

_ESCAPE = lazy(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u+([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_LAST = 0x10FFFF
_NAME = lazy(rb"(?:[\w$\x80-\xff]|\\u\{[0-9A-Fa-f]+\}|\\u+[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})+")
_CUT_OFF = lazy(rb"\\u\{\w+\}$")
_LONGEST = 12
"""Bytes of an escape in braces."""
Spans = tuple[tuple[int, int], ...]


class _Rule(NamedTuple):
    r"""Rule of a language.

    Attributes:
        canonical: return the name that an identifier's text is.
        marks: texts of which one is in each file that spells a name otherwise. Empty if the name decides.
    """

    canonical: Callable[[str], str]
    marks: tuple[str, ...]


def _unescape(text: str) -> str:
    found, end = "", 0
    for escape in _ESCAPE.finditer(text) if "\\" in text else ():
        code = int(escape[1] or escape[2] or escape[3], 16)
        found += text[end : escape.start()] + (chr(code) if code <= _LAST else escape[0])
        end = escape.end()
    return found + text[end:]


def _compose(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "java", "csharp"), _Rule(_unescape, ("\\u",))),
    **dict.fromkeys(("c", "cpp"), _Rule(_unescape, ("\\u", "\\U"))),
    "rust": _Rule(_compose, ()),
}


def canonical_name(text: str, language: str) -> str:
    """Return the name that an identifier's text is in a language."""
    rule = _RULES.get(language)
    return rule.canonical(text) if rule is not None else text


def find_other_spellings(text: bytes, language: str) -> dict[str, Spans]:
    """Return the identifiers of a text that are not spelled as their names: their spans by name."""
    rule, found = _RULES.get(language), dict[str, Spans]()
    if rule is None or not _may_differ(text, rule):
        return found
    for span in _NAME.finditer(text):
        if not _may_differ(span[0], rule):
            continue
        spelled = span[0].decode("utf-8", "replace")
        name = rule.canonical(spelled)
        if name != spelled:
            found[name] = (*found.get(name, ()), span.span())
    return found


def _may_differ(text: bytes, rule: _Rule) -> bool:
    return any(mark.encode() in text for mark in rule.marks) if rule.marks else not text.isascii()


def is_cut(text: bytes, start: int, end: int, language: str) -> bool:
    r"""Return True if an identifier goes on with an escape beside a word (``f`` of ``f\u0069x``)."""
    rule = _RULES.get(language)
    if rule is None or not rule.marks:
        return False
    before = text[max(start - _LONGEST, 0) : start]
    is_behind = before.endswith(b"}") and _CUT_OFF.search(before) is not None
    return is_behind or text[end : end + 2] in (b"\\u", b"\\U")


def other_spelling_marks(name: str, language: str) -> tuple[str, ...]:
    """Return texts of which one is in each file that spells a name otherwise."""
    rule = _RULES.get(language)
    if rule is None or rule.marks or name.isascii():
        return () if rule is None else rule.marks
    import unicodedata

    return tuple({unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)} - {name})
