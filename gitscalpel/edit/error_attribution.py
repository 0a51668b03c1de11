"""Cause of the syntax errors of a text: the text itself, or its grammar.

Before an error counts, the text is read as its compiler reads it: one branch of each ``#if``, without macros,
and by a second grammar if the language has one. A text that parses that way is sound. Any other is broken,
except for errors near constructs that the grammar is known not to cover, in a text with balanced brackets:
those are reported as unchecked. Loaded only if a text does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.c_error_attribution import CText
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit, InputOutput
from gitscalpel.syntax.c_conditionals import Branch, Conditionals, blank_out
from gitscalpel.syntax.c_macros import MacroDefinition, find_definitions
from gitscalpel.syntax.damage import WORDS, Repair, find_repair, has_impossible_pair, has_non_code
from gitscalpel.syntax.languages import LANGUAGES, Language
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span
from gitscalpel.syntax.syntax_errors import find_faults, find_unparsed_spans
from gitscalpel.syntax.validators import validate

_BUDGET = 4_000_000  # bytes parsed for one file at most, with a share for each attempt: about a second
_ATTEMPT = 2_000
_REUSED = 4  # one part in four of a text is parsed again if one sign differs
_MOST_PLACES = 200
_FILES = 40  # files in which macros are looked up at most
_NAME = re.compile(rb"[A-Za-z_]\w*")
_CALLED = re.compile(rb"\b([A-Za-z_]\w+)(?=\()")
_NESTED = 40  # macros called by others that are looked up at most
_DEFINITIONS = 4_000_000  # bytes of those files at most
_C_SUFFIXES = (
    *(suffix for each in LANGUAGES if each.has_macros for suffix in each.suffixes),
    *(".in", ".inc", ".def"),
)
_SCRIPT_IMPORT = re.compile(rb"^import(?=[ ]+[\w.]+(?:[ ]+as[ ]+\w+)?[ ]*\r?$)", re.MULTILINE)
# Code in a string, with strings and parentheses in it.
_CODE = rb"(?:\\\(|\$\{)(?:[^\"(){}\n]|\"[^\"\n]*\"|\((?:[^\"()\n]|\"[^\"\n]*\"|\([^()\n]*\))*\))*[)}]"
_TOKENS = re.compile(
    rb'R"([^()\\\s]{0,16})\((?s:.*?)\)\1"|"""(?s:.*?)"""|"(?:'
    + _CODE
    + rb'|\\(?s:.)|[^"\\\n])*"|'
    + rb"'(?:\\[^'\n]{1,8}|[^'\\\n])'"
    + rb"|/\*(?s:.*?)\*/|//[^\n]*|[\"()\[\]{}]"
)
# Strict parsers that accept more than the grammar does, such as ``1E+34`` in JSON.
_STRICT = frozenset({"json", "python", "toml"})
_FLOW = re.compile(
    rb"(?:\s|#![^\n]*|//[^\n]*\n|/\*(?s:.*?)\*/|['\"]use strict['\"];?)*?(?://|/\*)(?:[^\n*]|\*(?!/)|\n)*?@flow\b"
)
# Directives of templates: Helm and other Go templates, Jinja, Twig, Liquid, cookiecutter.
_TEMPLATE = re.compile(
    rb"\{\{-?[ \t]*(?:(?:if|range|with|define|block|include|template|end|else)\b"
    rb"|\.(?:Values|Release|Chart)\b|cookiecutter\.)"
    rb"|\{%[-+]?[ \t]*(?:if|for|set|block|extends|include|import|from|macro|raw|end\w+)\b[^\n]*%\}"
)
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_ZSH = re.compile(rb"#!\S*\benv[ \t]+zsh\b|#!\S*/zsh\b|#(?:compdef|autoload)\b")
_FENCE = re.compile(rb"```|~~~")
_PROSE = re.compile(rb"(?:^|\s)[A-Za-z']+(?: [A-Za-z',]+){4}|^[ \t]*(?:```|~~~|<{7}|={7}|>{7}|@@ )", 8)

_CPP_ALONE = re.compile(
    rb"^[ \t]+\w+[ \t]+\w+[ \t]*=[ \t]*[\w.]+;|\b(?:class|namespace|nullptr)\b|\w::\w", re.MULTILINE
)
# Damage that the second grammar of a language accepts.
_SECOND_MISSES = re.compile(
    rb"\bfun\b[^\n{=]*\)(?:[ ]+(?!where\b)|[ ]*::[ ]*)\w[\w.<>?]*[ ]*[{=]|\)[ ]*::[ ]*[A-Z]|,[ ]*,"
    rb"|^[^\"\n]*(?:\"[^\"\n]*\"[^\"\n]*)*[^\"\n]\"\"?$",
    re.MULTILINE,
)
_SENTENCE = re.compile(rb"[ \t]*[A-Za-z']+(?: [A-Za-z',]+){6}")
# Lines of a diff, or a fence.
_HUNK = re.compile(rb"(?m)^-[^-\n][^\n]*\n(?:[-+][^\n]*\n)*\+[^+\n]|^(?:```|~~~)")


class Attribution(msgspec.Struct, frozen=True):
    """The cause of the syntax errors of a text."""

    is_broken: bool  # True if the text itself has an error
    unchecked: str = ""  # description of the place that cannot be judged; empty if the text parses after all
    is_judged: bool = True  # False if the language of the text has no grammar here


_BROKEN, _SOUND = Attribution(True), Attribution(False)
_NOT_JUDGED = Attribution(False, is_judged=False)


class OverlayMacros:
    """The macro definitions in the files of a change; empty if the files are not known."""

    def __init__(self, overlay: Overlay | None) -> None:
        self._overlay = overlay
        self._known: dict[bytes, list[MacroDefinition]] = {}
        self._searched_names: set[bytes] = set()
        self._paths: set[str] = set()

    def find(self, names: Iterable[bytes]) -> dict[bytes, list[MacroDefinition]]:
        """Return the definitions of some names, and of the names in their expansions."""
        names = list(names)
        self._read_definitions(names)
        bodies = b" ".join(each.body for name in names for each in self._known.get(name, ()))
        self._read_definitions(
            [name for name in dict.fromkeys(_CALLED.findall(bodies)) if name not in self._known][:_NESTED]
        )
        definitions: dict[bytes, list[MacroDefinition]] = {}
        pending = names
        while pending:
            name = pending.pop()
            if name in self._known and name not in definitions:
                definitions[name] = self._known[name]
                for each in definitions[name]:
                    pending += _NAME.findall(each.body)
        return definitions

    def _read_definitions(self, names: list[bytes]) -> None:
        missing = [name for name in names if name not in self._searched_names]
        self._searched_names.update(missing)
        if self._overlay is None or not missing:
            return
        size = 0
        for path in self._find_files(self._overlay, missing):
            text = self._overlay.content(path) or b""
            size += len(text)
            if size > _DEFINITIONS:
                break
            if path not in self._paths:
                self._paths.add(path)
                for name, definitions in find_definitions(text).items():
                    self._known.setdefault(name, []).extend(definitions)

    @staticmethod
    def _find_files(overlay: Overlay, names: list[bytes]) -> list[str]:
        suffixes = (b"(", b" ", b"\t")
        words = [b"define" + b + name + e for name in names for b in (b" ", b"\t") for e in suffixes]
        try:
            paths = overlay.mentions(b"\n".join(words).decode("ascii"))
        except InputOutput:  # a blob is missing, as in partial clones
            return []
        return [path for path in paths if path.lower().endswith(_C_SUFFIXES)][:_FILES]


def attribute_errors(source: Source, macros: OverlayMacros, parsed: bytes | None = None) -> Attribution:
    """Return the cause of the syntax errors of a file.

    ``parsed`` is its previous text, if that parsed. The text is then not a template, even if its strings look
    like one, and the grammar knows each construct in it.
    """
    language, result = source.language, _SOUND
    if language is not None and language.name == "javascript" and _FLOW.match(source.text):
        return _NOT_JUDGED  # Flow is a language of its own
    if language is not None and language.name == "bash" and _is_zsh(source):
        return Attribution(
            False, f"{quote_path(source.path)}: zsh has syntax that the grammar of bash does not know"
        )
    if source.path.endswith(".json5"):
        return _SOUND if _is_ecmascript_value(source.text) else _BROKEN
    if parsed is None and _TEMPLATE.search(source.text):
        reason = "it is a template of another file, so its syntax was not checked"
        return Attribution(False, f"{quote_path(source.path)}: {reason}", is_judged=False)
    for syntax in dict.fromkeys(source.readings):
        if (
            language is None
            or not find_faults(syntax)
            or (language.name == "xml" and not syntax.text.strip())
        ):
            continue  # an empty XML file is not written yet
        attribution = _attribute_text(language, source.path, syntax.text, macros, parsed)
        if attribution.is_broken and not _is_accepted(syntax, source):
            return attribution
        if attribution.unchecked:
            result = Attribution(False, f"{quote_path(source.path)}: {attribution.unchecked}")
    return result


def _is_accepted(syntax: Syntax, source: Source) -> bool:
    return syntax.language.reader in _STRICT and validate(syntax, source.document.raw) is None


def _attribute_text(
    language: Language, path: str, text: bytes, macros: OverlayMacros, parsed: bytes | None
) -> Attribution:
    if language.has_macros:
        attribution = _BrokenText(language, text, macros).attribute()
        is_header = path.endswith(".h") and (language.name == "cpp" or _CPP_ALONE.search(text))
        if attribution.is_broken and is_header:  # nothing else tells whose header it is
            other = next(each for each in LANGUAGES if each.has_macros and each != language)
            attribution = _BrokenText(other, text, macros).attribute()
        return attribution
    if path.endswith(".kts"):
        text = _SCRIPT_IMPORT.sub(b"val x=", text)  # imports of a script may follow statements
    newer = Syntax(language, text, takes_newer=True)
    if not find_faults(newer):
        reason = "it has newer syntax than its compiler here, so only its grammar checked it"
        return Attribution(False, reason) if language.reader else _SOUND
    shown_tree = newer.shown_tree
    attribution = _BrokenText(language, shown_tree[0] if shown_tree else text, macros).attribute()
    if attribution.is_broken and language.is_sparse:
        return _BrokenText(language, text, macros).by_damage(newer)
    return _BrokenText(language, text, macros).by_constructs(parsed) if attribution.is_broken else attribution


def _count_matches(pattern: re.Pattern[bytes], text: bytes) -> int:
    return sum(1 for _ in pattern.finditer(text))


class _BrokenText:
    def __init__(self, language: Language, text: bytes, macros: OverlayMacros) -> None:
        self._language = language
        self._text = text
        self._macros = macros
        self._remaining_bytes = _BUDGET

    def attribute(self) -> Attribution:
        if self._language.has_macros:
            return self._attribute_parts()
        if self._has_match(_FENCE):
            return _BROKEN
        if self._language.second and self._find_errors(self._text, self._language.second) == []:
            return _BROKEN if self._is_missed() else _SOUND
        if not self._language.directives:
            return _BROKEN
        try:
            return self._attribute_branches(Conditionals(self._language, self._text))
        except ValueError:
            return _BROKEN

    def _is_missed(self) -> bool:
        """Return True if near an error of the first grammar there is damage that the second accepts."""
        if self._text.count(b"/*") > self._text.count(b"*/"):
            return True
        places = self._find_errors(self._text) or []
        if self._is_prose(self._text, places):
            return True

        def parse(repair: Repair) -> list[Span] | None:
            return self._find_errors(repair.apply(self._text))

        if find_repair(self._text, places, parse, is_certain=True):
            return True
        for place in places:
            start = self._text.rfind(b"\n", 0, place.start) + 1
            end = self._text.find(b"\n", place.start)
            line = self._text[start : end if end >= 0 else None]
            if _SECOND_MISSES.search(line) or line[:1] in (b"-", b"+"):
                return True
        return False

    @property
    def is_exhausted(self) -> bool:
        return self._remaining_bytes < 0

    def _attribute_parts(self) -> Attribution:
        verdict = CText(self._language, self._text, self, self._macros).judge()
        if verdict.is_broken or verdict.unknown is None:
            return _BROKEN if verdict.is_broken else _SOUND
        return self._report_gap(verdict.unknown)

    def by_constructs(self, parsed: bytes | None) -> Attribution:
        """Return the cause of errors in a text with constructs that its grammar never parses."""
        if not self._language.unparsed:
            return _BROKEN
        pattern = re.compile(self._language.unparsed, re.MULTILINE)
        construct = pattern.search(self._text)
        if parsed is not None and _count_matches(pattern, self._text) <= _count_matches(pattern, parsed):
            return _BROKEN
        is_balanced = self._language.name == "bash" or _is_balanced(self._text)  # case x) has half a pair
        if construct is None or not is_balanced or self._has_match(_PROSE):
            return _BROKEN
        return self._report_gap(construct.start())

    def by_damage(self, syntax: Syntax) -> Attribution:
        """Return the cause of errors in a text whose grammar has too many gaps to list."""
        places = find_unparsed_spans(syntax)
        code = _TOKENS.sub(_blank_token, self._text)
        if not places or not _is_balanced(self._text) or has_non_code(code, WORDS):
            return _BROKEN
        strings = (match[0] for match in _TOKENS.finditer(self._text) if match[0][:1] == b'"')
        if not all(map(_is_balanced_inside, strings)):
            return _BROKEN
        if places[-1].end >= len(code.rstrip()) and not code.rstrip().endswith(b"}"):
            return _BROKEN  # it is cut off
        if has_impossible_pair(code, places) or len(places) > _MOST_PLACES:
            return _BROKEN
        plain = _TOKENS.sub(_fill_comment, syntax.shown_tree[0] if syntax.shown_tree else self._text)

        def parse(repair: Repair) -> list[Span] | None:
            self._remaining_bytes -= len(plain) // _REUSED + _ATTEMPT
            if self._remaining_bytes <= 0:
                return None
            return find_unparsed_spans(Syntax(self._language, repair.apply(plain), syntax))

        if find_repair(plain, places, parse) is not None:
            return _BROKEN
        return self._report_gap(places[0].start)

    def _has_match(self, pattern: re.Pattern[bytes]) -> bool:
        places = self._find_errors(self._text) or ()
        return any(pattern.search(self._text[place.start : place.end]) for place in places)

    def _attribute_branches(self, conditionals: Conditionals) -> Attribution:
        """Return the cause of the errors of a text whose branches must each be in a reading that parses."""
        covered: set[Branch] = set()
        for reading in conditionals.readings():
            if not self._is_sound(reading.text):
                return _BROKEN
            covered |= reading.branches
        others = (branch for branch in conditionals.branches() if branch not in covered)
        return _SOUND if all(self._is_sound(conditionals.around(each).text) for each in others) else _BROKEN

    def _report_gap(self, offset: int) -> Attribution:
        line = self._text.count(b"\n", 0, offset) + 1
        fact = f"contains syntax that the grammar of {self._language.name} does not know"
        return Attribution(False, f"line {line} {fact}, so it was not checked there")

    def _is_sound(self, text: bytes) -> bool:
        grammars = ("", self._language.second) if self._language.second else ("",)
        return any(self._find_errors(text, grammar) == [] for grammar in grammars)

    def places(self, text: bytes, *, is_masked: bool, takes_newer: bool) -> list[Span] | None:
        """Return the stretches that do not parse, or None if parsing takes too long."""
        self._remaining_bytes -= len(text) + _ATTEMPT
        if self._remaining_bytes < 0:
            return None
        syntax = Syntax(self._language, text, is_masked=is_masked, takes_newer=takes_newer)
        try:
            return find_unparsed_spans(syntax)
        except DoesNotFit:
            return None

    def _is_prose(self, text: bytes, places: list[Span]) -> bool:
        if _HUNK.search(text) or any(_PROSE.search(text, place.start, place.end) for place in places):
            return True
        starts = {text.rfind(b"\n", 0, place.start) + 1 for place in places}
        return any(_SENTENCE.match(text, start) for start in starts)

    def _find_errors(self, text: bytes, grammar: str = "") -> list[Span] | None:
        """Return the stretches that do not parse, or None if the text is too large."""
        language = (
            msgspec.structs.replace(self._language, grammar=grammar, hidden="") if grammar else self._language
        )
        try:
            return find_unparsed_spans(Syntax(language, text, is_masked=True))
        except (DoesNotFit, ImportError):  # the second grammar may not be installed
            return None


def _is_zsh(source: Source) -> bool:
    name = source.path.rpartition("/")[2]
    return (
        name.endswith(".zsh")
        or name.startswith((".zsh", ".zprofile", ".zlog"))
        or bool(_ZSH.match(source.text))
    )


def _is_ecmascript_value(text: bytes) -> bool:
    javascript = next(language for language in LANGUAGES if language.name == "javascript")
    return not Syntax(javascript, b"(" + text.removeprefix(b"\xef\xbb\xbf") + b"\n)").root.has_error


def _blank_token(match: re.Match[bytes]) -> bytes:
    return blank_out(match[0]) if len(match[0]) > 1 else match[0]


def _fill_comment(match: re.Match[bytes]) -> bytes:
    is_comment = match[0][:2] in (b"/*", b"//")
    return blank_out(match[0]).replace(b" ", b"\t") if is_comment else match[0]


def _is_balanced(text: bytes) -> bool:
    open_brackets: list[bytes] = []
    for match in _TOKENS.finditer(text):
        sign = match[0]
        if sign == b'"':
            return False
        if sign in (b"(", b"[", b"{"):
            open_brackets.append(sign)
        elif sign in _PAIRS and (not open_brackets or open_brackets.pop() != _PAIRS[sign]):
            return False
    return not open_brackets


def _is_balanced_inside(string: bytes) -> bool:
    if _ESCAPED.search(string):
        return False
    for match in _INTERPOLATED.finditer(string):
        depth = 0
        for sign in string[match.end() - 1 :]:
            depth += (sign in b"({[") - (sign in b")}]")
            if not depth:
                break
        if depth:
            return False
    return True


_INTERPOLATED = re.compile(rb"\\\(")
_ESCAPED = re.compile(rb"(?<!\\)(?:\\\\)*\\[a-mo-qsv-z$]")  # an escape that Swift does not have
