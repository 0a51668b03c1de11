"""Tell a text that is broken from one that its grammar does not know.

A fault of a grammar is a suspicion. Before it is held against a text, the text is read as its compiler
reads it: one branch of each ``#if``, without macros, and by a second grammar where the language has one.
A text that parses so is sound. Any other is broken, except for faults beside constructs that the grammar is
known not to cover, in a text whose brackets are balanced: these are named as unchecked.
"""

from __future__ import annotations

import re

import msgspec

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.regex import lazy
from gitscalpel.report import quoted
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax import macros
from gitscalpel.syntax.conditionals import Branch, Conditionals, has_conditionals
from gitscalpel.syntax.faults import faults, loose
from gitscalpel.syntax.language import Language
from gitscalpel.syntax.languages import LANGUAGES
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span

_BUDGET = 2_500_000
"""Bytes that are parsed for one file at most, with a share for each attempt: about a second."""
_ATTEMPT = 2_000
_FILES = 40
"""Files in which the definition of one macro is looked for at most."""
_GAPS = {
    "cpp": lazy(rb"\b(?:typename|template|decltype|noexcept)\b|->\*|\.\*|\(\^"),
    "c": lazy(rb"\(\^|\b(?:vector|asm|__\w+)\b|\btemplate\b"),
}
"""By language with macros: constructs in whose statement its grammar is known to find faults."""
_BLOCK = rb"\^[ \t]*(?:\w+[ \t*]*)?(?:\((?:[^()]|\([^()]*\))*\)[ \t]*)?\{"
_UNKNOWN = {
    "c": lazy(_BLOCK),
    "cpp": lazy(_BLOCK),
    "bash": lazy(rb"\*\"\n\"[^\"\n]*\"\n\"\*\)"),
    "scala": lazy(rb"<(\w+)(?:[ \t][^<>\n]*)?>(?s:.*?)</\1>|<\w+[^<>\n]*/>"),
    "toml": lazy(rb"=[ \t]*\{[^{}\"'\n]*\n|=[ \t]*\{[^{}\n]*,[ \t]*\}"),
}
"""By language: what its grammar never parses: blocks of clang, patterns of several lines, XML."""
_TOKENS = lazy(
    rb'R"([^()\\\s]{0,16})\((?s:.*?)\)\1"|"(?:\\(?s:.)|[^"\\\n])*"|'
    + rb"'(?:\\[^'\n]{1,8}|[^'\\\n])'"
    + rb"|/\*(?s:.*?)\*/|//[^\n]*|[\"()\[\]{}]"
)
_FLOW = lazy(
    rb"(?:\s|#![^\n]*|//[^\n]*\n|/\*(?s:.*?)\*/|['\"]use strict['\"];?)*?(?://|/\*)(?:[^\n*]|\*(?!/)|\n)*?@flow\b"
)
_TEMPLATE = lazy(
    rb"\{\{-?[ \t]*(?:(?:if|range|with|define|block|include|template|end|else)\b"
    rb"|\.(?:Values|Release|Chart)\b|cookiecutter\.)"
    rb"|\{%[-+]?[ \t]*(?:if|for|set|block|extends|include|import|from|macro|raw|end\w+)\b[^\n]*%\}"
)
"""Directives of templates: Helm and other Go templates, Jinja, Twig, Liquid, cookiecutter."""
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_FENCE = lazy(rb"```|~~~")
_PROSE = lazy(rb"(?:^|\s)[A-Za-z']+(?: [A-Za-z',]+){4}|^[ \t]*(?:```|~~~|<{7}|={7}|>{7}|@@ )", 8)


class Attribution(msgspec.Struct, frozen=True):
    """The cause of the faults of a text.

    Attributes:
        is_broken: True if the text is to blame.
        unchecked: the place that cannot be judged, in words; empty if the text parses after all.
        is_judged: False if the text is in a language without a grammar here.
    """

    is_broken: bool
    unchecked: str = ""
    is_judged: bool = True


_BROKEN, _SOUND = Attribution(True), Attribution(False)
_NOT_JUDGED = Attribution(False, is_judged=False)


class Macros:
    """The names that are macros by their definitions in the files of a change."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._known: dict[bytes, bool] = {}

    def defines(self, text: bytes, name: bytes) -> bool:
        """Return True if ``#define name`` stands in the text or in any file."""
        if name not in self._known:
            self._known[name] = any(_defines(each, name) for each in (text, *self._texts(name)))
        return self._known[name]

    def _texts(self, name: bytes) -> list[bytes]:
        found = list(self._overlay.mentions(name.decode("ascii")))[:_FILES]
        return [self._overlay.content(path) or b"" for path in found]


def attribute(source: Source, known: Macros, *, may_be_template: bool = True) -> Attribution:
    """Return the cause of the faults of a file."""
    language, result = source.language, _SOUND
    if language is not None and language.name == "javascript" and _FLOW.match(source.text):
        return _NOT_JUDGED  # Flow is a language of its own
    if source.path.endswith(".json5"):
        return _SOUND if _is_object(source.text) else _BROKEN
    if may_be_template and _TEMPLATE.search(source.text):
        why = "it is a template of another file, so its syntax was not judged"
        return Attribution(False, f"{quoted(source.path)}: {why}", is_judged=False)
    for syntax in dict.fromkeys(source.readings):
        if language is None or not faults(syntax):
            continue
        found = _attribute_text(language, syntax.text, known)
        if found.is_broken:
            return found
        if found.unchecked:
            result = Attribution(False, f"{quoted(source.path)}: {found.unchecked}")
    return result


def _attribute_text(language: Language, text: bytes, known: Macros) -> Attribution:
    """Return the cause of the faults of one reading of a file."""
    newer = Syntax(language, text, takes_newer=True)
    if not faults(newer):
        why = "it has newer syntax than its compiler here, so only its grammar has judged it"
        return Attribution(False, why) if language.reader else _SOUND
    shown = newer.shown_tree
    found = _Case(language, shown[0] if shown else text, known).attribute()
    return _Case(language, text, known).by_constructs() if found.is_broken else found


class _Case:
    """One text that does not parse."""

    def __init__(self, language: Language, text: bytes, known: Macros) -> None:
        self._language = language
        self._text = text
        self._macros = known
        self._left = _BUDGET
        self._shapes: dict[bytes, macros.Shape] = {}
        self._place: Span | None = None

    def attribute(self) -> Attribution:
        if any(_FENCE.search(self._text, place.start, place.end) for place in self._places(self._text) or ()):
            return _BROKEN
        if self._language.second and self._places(self._text, self._language.second) == []:
            return _SOUND
        if not has_conditionals(self._language.name):
            return _BROKEN
        try:
            return self._by_branches(Conditionals(self._language.name, self._text))
        except ValueError:
            return _BROKEN

    def by_constructs(self) -> Attribution:
        """Return the cause of faults in a text that may contain what its grammar never parses."""
        pattern = _UNKNOWN.get(self._language.name)
        found = pattern.search(self._text) if pattern else None
        is_whole = self._language.name == "bash" or _is_balanced(self._text)  # case x) has half a pair
        if found is None or not is_whole or self._has_prose():
            return _BROKEN
        self._place = Span(*found.span())
        return Attribution(False, self._gap())

    def _has_prose(self) -> bool:
        places = self._places(self._text) or ()
        return any(_PROSE.search(self._text[place.start : place.end]) for place in places)

    def _by_branches(self, conditionals: Conditionals) -> Attribution:
        """Return the cause of the faults of a text that is compiled in parts.

        Each branch has to parse in one reading at least, and so has what is in all of them.
        """
        covered: set[Branch] = set()
        is_whole = True
        for number, reading in enumerate(conditionals.readings()):
            parses = self._parses(reading.text)
            if parses is None:
                return _BROKEN
            if parses:
                covered |= reading.branches
            elif not number:
                is_whole = False
        for branch in conditionals.branches():
            if branch in covered:
                continue
            parses = self._parses(conditionals.around(branch).text)
            if parses is None:
                return _BROKEN
            is_whole &= parses
        return _SOUND if is_whole else Attribution(False, self._gap())

    def _gap(self) -> str:
        line = self._text.count(b"\n", 0, self._place.start if self._place else 0) + 1
        name = self._language.name
        why = f"contains syntax that the grammar of {name} does not know"
        return f"line {line} {why}, so it was not judged there"

    def _parses(self, text: bytes) -> bool | None:
        """Return True if a text parses without its macros, False if unknown, None if it is broken."""
        if self._language.name not in _GAPS:  # a language without macros
            return self._is_sound(text) or None
        if not _is_balanced(text):
            return None
        found = macros.explain(text, self._attempt, self._is_macro, self._shapes)
        if found.left is None:
            self._shapes = dict(found.shapes)
            return True
        return False if self._is_unknown(text, found) else None

    def _is_sound(self, text: bytes) -> bool:
        """Return True if one of the grammars parses the text."""
        grammars = ("", self._language.second) if self._language.second else ("",)
        return any(self._places(text, grammar) == [] for grammar in grammars)

    def _is_unknown(self, text: bytes, found: macros.Explained) -> bool:
        gaps = _GAPS[self._language.name]
        places = self._places(macros.Uses(text).shown(found.shapes)) or ()
        if len(places) > 3 + text.count(b"\n") // 100:
            return False
        for place in places:
            start = text.rfind(b"\n", 0, max(0, text.rfind(b"\n", 0, place.start))) + 1
            around = text[start : text.find(b"\n", place.start) + 1 or None]
            if not gaps.search(around) or _PROSE.search(text[place.start : place.end]):
                return False
        self._place = places[0] if places else None
        return True

    def _is_macro(self, name: bytes) -> bool:
        return self._macros.defines(self._text, name)

    def _attempt(self, text: bytes) -> macros.Trial | None:
        self._left -= len(text) + _ATTEMPT
        places = self._places(text) if self._left > 0 else None
        if places is None:
            return None
        return macros.Trial(places, (len(places), sum(place.end - place.start for place in places)))

    def _places(self, text: bytes, grammar: str = "") -> list[Span] | None:
        """Return the stretches that do not parse; None if the text is too large to be parsed."""
        language = (
            msgspec.structs.replace(self._language, grammar=grammar, hidden="") if grammar else self._language
        )
        try:
            return loose(Syntax(language, text, is_masked=True))
        except (DoesNotFit, ImportError):  # the second grammar may not be installed
            return None


def _is_object(text: bytes) -> bool:
    """Return True if a text is a value as ECMAScript writes it, such as JSON5."""
    javascript = next(language for language in LANGUAGES if language.name == "javascript")
    return not Syntax(javascript, b"(" + text.removeprefix(b"\xef\xbb\xbf") + b"\n)").root.has_error


def _defines(text: bytes, name: bytes) -> bool:
    return (
        re.search(rb"^[ \t]*#[ \t]*define[ \t]+" + re.escape(name) + rb"\b", text, re.MULTILINE) is not None
    )


def _is_balanced(text: bytes) -> bool:
    """Return True if each bracket outside of strings and comments has its other half."""
    waiting: list[bytes] = []
    for found in _TOKENS.finditer(text):
        sign = found[0]
        if sign == b'"':
            return False
        if sign in (b"(", b"[", b"{"):
            waiting.append(sign)
        elif sign in _PAIRS and (not waiting or waiting.pop() != _PAIRS[sign]):
            return False
    return not waiting
