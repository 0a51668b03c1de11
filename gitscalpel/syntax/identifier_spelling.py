r"""Spellings of one identifier.

A language may let several texts be the same identifier: ``f\u0069x`` is ``fix`` in JavaScript, TypeScript,
Java, C#, C and C++, Rust compares names in the normal form NFC (rust-lang RFC 2457), and Python in NFKC
(https://docs.python.org/3/reference/lexical_analysis.html#identifiers), so that ``\ufb01x`` is ``fix``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u+([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_LAST = 0x10FFFF
_NAME = re.compile(rb"(?:[\w$\x80-\xff]|\\u\{[0-9A-Fa-f]+\}|\\u+[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})+")
_CUT_OFF = re.compile(rb"\\u\{\w+\}$")
_LONGEST = 12
"""Bytes of an escape in braces."""
_COMPATIBLE = (
    *(b"\xf0\x9d", b"\xf0\x9f\xaf", b"\xef\xac", b"\xef\xb8", b"\xef\xb9", b"\xef\xbc", b"\xef\xbd"),
    *(b"\xe1\xb4", b"\xe1\xb5", b"\xe1\xb6", b"\xe2\x84", b"\xe2\x85", b"\xe2\x81\xb1", b"\xe2\x81\xbf"),
    *(b"\xe2\x82\x90", b"\xe2\x82\x91", b"\xe2\x82\x92", b"\xe2\x82\x93", b"\xe2\x82\x95", b"\xe2\x82\x96"),
    *(b"\xe2\x82\x97", b"\xe2\x82\x98", b"\xe2\x82\x99", b"\xe2\x82\x9a", b"\xe2\x82\x9b", b"\xe2\x82\x9c"),
    *(b"\xe2\xb1\xbc", b"\xe2\xb1\xbd", b"\xea\x9f", b"\xf0\x90\x9e", b"\xc2\xaa", b"\xc2\xba", b"\xc5\xbf"),
    *(b"\xc4\xb2", b"\xc4\xb3", b"\xc7", b"\xca\xb0", b"\xca\xb2", b"\xca\xb3", b"\xca\xb7", b"\xca\xb8"),
    *(b"\xcb\xa1", b"\xcb\xa2", b"\xcb\xa3"),
)
"""How characters begin in UTF-8 that are letters of ASCII in the normal form NFKC (Unicode 14)."""
Spans = tuple[tuple[int, int], ...]


class _Rule(NamedTuple):
    r"""Rule of a language.

    Attributes:
        canonical: return the name that an identifier's text is.
        marks: texts of which one is in each file that spells a name otherwise. Empty if the name decides.
        forms: normal forms that are the same name.
    """

    canonical: Callable[[str], str]
    marks: tuple[str, ...]
    forms: tuple[_Form, ...] = ()


def _unescape(text: str) -> str:
    found, end = "", 0
    for escape in _ESCAPE.finditer(text) if "\\" in text else ():
        code = int(escape[1] or escape[2] or escape[3], 16)
        found += text[end : escape.start()] + (chr(code) if code <= _LAST else escape[0])
        end = escape.end()
    return found + text[end:]


def _normalize(text: str, form: _Form) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize(form, text)


_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "java", "csharp"), _Rule(_unescape, ("\\u",))),
    **dict.fromkeys(("c", "cpp"), _Rule(_unescape, ("\\u", "\\U"))),
    "rust": _Rule(partial(_normalize, form="NFC"), (), ("NFC", "NFD")),
    "python": _Rule(partial(_normalize, form="NFKC"), (), ("NFKC", "NFKD", "NFC", "NFD")),
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
    if rule is None or rule.marks:
        return () if rule is None else rule.marks
    forms = {_normalize(name, form) for form in rule.forms} - {name}
    compatible = _COMPATIBLE if "NFKC" in rule.forms else ()
    some = "\n".join((*sorted(forms), *(mark.decode("utf-8", "surrogateescape") for mark in compatible)))
    return (some,) if some else ()
