"""Evidence that a text is damaged, and not only unknown to its grammar.

Tools and people lose or double a comma, a semicolon or a colon. Such a text parses once that character is
restored between two operands, unlike syntax that a grammar does not know. Agents also leave sentences, fences
and parts of hunks, which are not code in any language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import msgspec

from gitscalpel.syntax.symbols import Span

_TOKENS = re.compile(
    rb"(?P<comment>/\*(?s:.*?)\*/|//[^\n]*)"
    rb"|(?P<operand>(?P<string>\"(?:\\(?s:.)|[^\"\\\n])*\"|'(?:\\(?s:.)|[^'\\\n])*')|[\w$@#]+)"
    rb"|(?P<close>[)\]}]|(?<=[\w)\]])(?:\+\+|--))|(?P<mark>[,;:])|(?P<other>[^\s\w]|\Z)"
)
_STRING = re.compile(rb"\"(?:\\(?s:.)|[^\"\\\n])*\"|'(?:\\(?s:.)|[^'\\\n])*'")
_PLAIN = bytes(95 if byte in b"()[]{};," else byte for byte in range(256))
_BEFORE, _BEHIND = 2, 2
"""Lines before and after an error in which a mark may be missing."""
_WIDTH = 400
"""Maximum bytes of these lines, on each side."""
_AROUND = 3_000
"""Maximum bytes between the begin of a call and a mark in it."""
_PLACES, _ATTEMPTS = 4, 40
_FEW = 12
_ADDED = (b",", b";", b":")
_CAPITALS = re.compile(rb"_*[A-Z][A-Z0-9_]*\b")
_CALLED = re.compile(rb"(?:\A|[;{}=(,!&|?:+<>-]|\breturn)\s*(?:[\w]+(?:\.|->|::))*(\w+)[ ]?\Z")
_CALLEE = re.compile(rb"(\w+)\s*\Z")
_DIRECTIVE = re.compile(rb"\n {3,}\r?\n")
"""A line of blanks, in the place of a directive; comments are shown as tabs."""
_NEVER_ENDED = frozenset(b"if else for while switch do catch template".split())
"""Words that begin lines without a semicolon at their end."""
_GO_ON = frozenset(b"else catch override final noexcept try requires and or throw".split())
"""Keywords that continue the code before them, also that of the line above."""
_QUALIFIERS = frozenset(b"const volatile mutable not".split())
"""Keywords that continue the code before them in their line."""
_OPERANDS = frozenset(b"this nullptr true false break continue return".split())
_SPECIFIERS = frozenset(
    b"static inline extern const constexpr virtual explicit friend struct class enum union typename register"
    b" volatile unsigned signed template typedef new delete return".split()
)
_MODIFIERS = frozenset(
    b"inout borrowing consuming sending isolated some any each repeat try await consume copy var let is as"
    b" case if switch unsafe".split()
)
WORDS = frozenset(
    b"import package in is as by consume copy await try async throws rethrows where some any each repeat"
    b" inout borrowing consuming sending isolated nonisolated let var val fun func class struct enum case"
    b" return throw if else guard for while do catch switch when default init get set override private"
    b" public internal protected fileprivate open data sealed suspend inline operator infix lateinit const"
    b" static actual expect macro indirect unowned weak lazy final mutating nonmutating defer extension"
    b" protocol typealias actor of out reified crossinline noinline vararg constructor companion object"
    b" interface annotation value tailrec external package and or not convenience required dynamic optional"
    b" subscript associatedtype deinit precedencegroup unsafe discard yield".split()
)
"""Words of languages in which line ends terminate statements. No mark is missing next to them."""
_NUMBER = re.compile(rb"\d\w*")
_TYPE = re.compile(rb"\b(?:struct|class|union|enum)\b[^;{}()]*\Z")
_CLASS_BASES = frozenset(b"public private protected virtual".split())
_HUNK = re.compile(
    rb"^-[^-\n][^\n]*\n(?:[-+][^\n]*\n)*\+[^+\n]"  # a line that another one replaces
    rb"|^[-+][ \t]*[)\]}]*[ \t]*\r?$"  # nothing, or ends of blocks
    rb"|^(?:```|~~~)|^(?:<{7}|={7}|>{7})(?:[ \t]|\r?$)|^@@ ",
    re.MULTILINE,
)
_SENTENCE = re.compile(rb"^[ \t]*(?:\*[ ]+)?[A-Za-z']+,?(?: [A-Za-z']+[,.]?){6}", re.MULTILINE)
_WORDS = re.compile(rb"[A-Za-z']+(?!,)\b")


_NEVER = re.compile(
    rb"(?<![=!<>\[~+*/%&|^-])(?<!operator)=\s*[;)\]}]|,\s*;|\b(?:if|while|for|switch)\s*\{|\(\s*[,;]"
    rb"|\b(?:int|char|const|void|float|double|bool|struct|class|let|var|val|if|else)[ ]*=(?!=)"
)
"""Adjacent signs that no language with braces allows."""


class Repair(msgspec.Struct, frozen=True):
    """A change of one punctuation mark: an empty ``sign`` removes a doubled one."""

    start: int
    end: int
    sign: bytes

    def apply(self, text: bytes) -> bytes:
        return text[: self.start] + self.sign + text[self.end :]


class NameKnowledge(Protocol):
    """Knowledge of the names in a text whose statements end with punctuation."""

    @property
    def keywords(self) -> frozenset[bytes]: ...

    def is_macro(self, name: bytes) -> bool:
        """Return True if a name may be a macro with any expansion."""

    def needs_no_end(self, name: bytes) -> bool:
        """Return True if a use of the name needs no terminator."""

    def takes(self, name: bytes, number: int) -> bool:
        """Return True if all calls of the name except one have this number of arguments."""


def find_repair(
    text: bytes,
    places: Sequence[Span],
    parse: Callable[[Repair], Sequence[Span] | None],
    names: NameKnowledge | None = None,
    *,
    is_certain: bool = False,
) -> Repair | None:
    """Return a change of one punctuation mark after which fewer ``places`` do not parse, or None.

    ``parse`` returns the places that do not parse after a repair, or None if that takes too long. ``names``
    is None for a language in which line ends terminate statements. With ``is_certain`` only marks are
    considered that no macro explains.
    """
    finder = _Finder(text, names, is_certain)
    for repair in islice(finder.repairs(places), _ATTEMPTS):
        remaining = parse(repair)
        if remaining is None:
            return None
        if len(remaining) < len(places) and _are_known_errors(remaining, places, repair):
            return repair
    return None


def _are_known_errors(remaining: Sequence[Span], places: Sequence[Span], repair: Repair) -> bool:
    """Return True if a repair leaves the other errors unchanged, except for a few."""
    grown = len(repair.sign) - (repair.end - repair.start)
    moved = {Span(*(at - grown if at > repair.start else at for at in place)) for place in remaining}
    return len(places) < _FEW or moved <= set(places)


_Token = re.Match[bytes]


class _Gap(NamedTuple):
    """Two adjacent tokens, the tokens ``last`` before and ``following`` after both, and the text between."""

    last: bytes
    before: _Token
    token: _Token
    following: bytes
    between: bytes

    @property
    def is_other_line(self) -> bool:
        return b"\n" in self.between


class _Finder:
    def __init__(self, text: bytes, names: NameKnowledge | None, is_certain: bool) -> None:
        self._text, self._names, self._is_certain = text, names, is_certain
        self._keywords = names.keywords if names else frozenset[bytes]()
        self._plain = _STRING.sub(_without_brackets, text)

    def repairs(self, places: Sequence[Span]) -> Iterator[Repair]:
        """Yield possible repairs, each once, those nearest to an error first."""
        seen: set[Repair] = set()
        for place in places[:_PLACES]:
            repairs_by_distance: list[tuple[int, Repair]] = []
            for at in {place.start, place.end}:
                repairs_by_distance += [(abs(repair.start - at), repair) for repair in self._repairs_near(at)]
            for _, repair in sorted(repairs_by_distance, key=lambda each: each[0]):
                if repair not in seen:
                    seen.add(repair)
                    yield repair

    def _repairs_near(self, at: int) -> Iterator[Repair]:
        start, end = at, at
        for _ in range(_BEFORE + 1):
            start = max(self._text.rfind(b"\n", 0, start), 0)
        for _ in range(_BEHIND + 1):
            found = self._text.find(b"\n", end + 1)
            end = found if found >= 0 else len(self._text)
        tokens = [
            token
            for token in _TOKENS.finditer(self._text, max(start, at - _WIDTH), min(end, at + _WIDTH))
            if not token["comment"] and (token[0] or token.start() == len(self._text))
        ]
        for number in range(1, len(tokens)):
            before, token = tokens[number - 1 : number + 1]
            yield from _iter_doubled_signs(self._text, before, token, self._names is not None)
            last = tokens[number - 2][0] if number > 1 else b""
            following = tokens[number + 1][0] if number + 1 < len(tokens) else b""
            gap = _Gap(last, before, token, following, self._text[before.end() : token.start()])
            if before["operand"] or before["close"]:
                for sign in self._missing_marks(gap):
                    yield Repair(before.end(), before.end(), sign)

    def _missing_marks(self, gap: _Gap) -> Sequence[bytes]:
        before, token = gap.before, gap.token
        if self._names and token[0] == b"else" and before[0] not in (b"}", b")", b"else"):
            return (b";",)
        if before[0] in _CLASS_BASES:
            return (b":",) if gap.is_other_line else ()
        if self._is_closed(gap):
            return ()
        if self._is_label(gap):
            return (b":",)
        if token["operand"] and not gap.is_other_line and _are_values(before, token):
            return _ADDED
        return self._certainly_missing(gap) if self._is_certain else self._likely_missing(gap)

    def _is_closed(self, gap: _Gap) -> bool:
        """Return True if nothing can be missing after a keyword, a macro or a directive."""
        before, token = gap.before[0], gap.token[0]
        if (_DIRECTIVE.search(gap.between) and token) or token in _GO_ON or before in _GO_ON:
            return True
        is_keyword = before in self._keywords and before not in _OPERANDS
        is_type = gap.is_other_line and gap.last == b"new"
        return (is_keyword and not is_type) or self._ends_macro_use(gap.before)

    def _is_label(self, gap: _Gap) -> bool:
        """Return True if a ``switch`` label has no colon."""
        line = self._line_at(gap.before.start())
        is_label = line.split(None, 1)[:1] in ([b"case"], [b"default"]) and b":" not in line
        return is_label and (gap.is_other_line or gap.token[0] == b"{")

    def _certainly_missing(self, gap: _Gap) -> Sequence[bytes]:
        if not gap.token["operand"] or self._names is None:
            return ()
        if gap.is_other_line:
            line = self._line_at(gap.before.start())
            return _ADDED if self._is_separate_line(line, gap.before, gap.token) else ()
        is_argument = gap.token[0] not in self._keywords and self._is_argument(gap)
        return (b",",) if is_argument else ()

    def _likely_missing(self, gap: _Gap) -> Sequence[bytes]:
        before, token = gap.before, gap.token
        if self._names is None and token[0] in (b"[", b"*"):
            return self._missing_at_label(gap)
        if token[0] in (b"{", b"}", b""):
            return _missing_at_brace(gap)
        if not token["operand"] or (before[0] == b"}" and not self._closes_value(before)):
            return ()
        if token[0] in _CLASS_BASES:
            return (b":",)
        return self._missing_at_line_end(gap) if self._names is None else self._missing_in_line(gap)

    def _missing_at_line_end(self, gap: _Gap) -> Sequence[bytes]:
        """Return the punctuation that may be missing at a gap, if line ends terminate statements."""
        before, token = gap.before, gap.token
        if label := self._missing_at_label(gap):
            return label
        if before[0] in WORDS or token[0] in WORDS or _is_beside_macro(gap):
            return ()
        if gap.is_other_line and not self._is_in_list(before.end()):
            return ()
        return () if gap.is_other_line and self._may_continue(before, token) else _ADDED

    def _missing_in_line(self, gap: _Gap) -> Sequence[bytes]:
        last, before, token = gap.last, gap.before, gap.token
        if gap.is_other_line:
            return () if self._may_continue(before, token) else _ADDED
        if _is_beside_macro(gap) or (token[0] in _QUALIFIERS and before["close"]):
            return ()
        if before["close"] or self._find_called_name(before.end()) is not None:
            return _ADDED
        if last in (b"(", b","):
            return _ADDED if last == b"," and gap.following == b";" else ()
        if last and (last[-1:] in b"*&" or last[-1:].isalnum()):  # the name of a parameter or a variable
            following = gap.following
            is_type = following[:1] in b"*&" or following[-1:].isalnum() or token[0] in self._keywords
            return (b",", b";") if is_type and following and last not in _SPECIFIERS else ()
        # ``T name`` declares a name unless an operator precedes it.
        return () if not last or last in b";{}>:" or last[-1:] in b"_)" else _ADDED

    def _missing_at_label(self, gap: _Gap) -> Sequence[bytes]:
        """Return the mark that may be missing before or after an argument label."""
        last, before, token = gap.last, gap.before, gap.token
        if before[0] == b"default" and last != b",":
            return (b":",)
        if token[0] == b"[":
            return (b":",) if last in (b"let", b"var", b"(", b",") and before["operand"] else ()
        if not self._is_in_list(before.end()):
            return ()
        if token[0] == b"*":
            return (b",",) if gap.following == b")" else ()
        is_value = before["close"] or before["string"] or last != b","
        if gap.following == b":" and token["operand"] and is_value:
            return (b",",)
        is_label = last in (b"(", b",") and before["operand"] and before[0] not in _MODIFIERS
        return (b":",) if is_label and token["operand"] and before[0] in WORDS else ()

    def _may_continue(self, before: _Token, token: _Token) -> bool:
        """Return True if a line may continue the one above without an operator between."""
        line, next_line = self._line_at(before.start()), self._line_at(token.start())
        is_deeper = len(next_line) - len(next_line.lstrip()) > len(line) - len(line.lstrip())
        return is_deeper and _CAPITALS.fullmatch(token[0]) is not None

    def _ends_macro_use(self, before: _Token) -> bool:
        """Return True if a token ends a use of a macro, or a condition."""
        if self._names is None or before["string"]:
            return False
        if before[0] == b")":
            at = self._find_opener(before.end())
            called = _CALLEE.search(self._text, max(0, at - 100), at)
            if called is None:
                return False
            if called[1] in _NEVER_ENDED and not self._line_at(at).lstrip().startswith(b"}"):
                return True
            if self._names.needs_no_end(called[1]):
                return True
            is_macro = self._names.is_macro(called[1]) or _CAPITALS.fullmatch(called[1])
            return self._is_certain and bool(is_macro)
        return self._names.needs_no_end(before[0]) or (self._is_certain and self._names.is_macro(before[0]))

    def _closes_value(self, brace: _Token) -> bool:
        """Return True if a brace closes a list of values or a type, not a block."""
        opener = self._find_opener(brace.end())
        text_before = self._text[max(0, opener - _WIDTH) : opener].rstrip()
        return text_before[-1:] in (b"=", b",", b"(", b"{", b"]") or _TYPE.search(text_before) is not None

    def _find_opener(self, end: int) -> int:
        """Return the offset of the bracket that matches the one before ``end``."""
        depth, at = 0, end
        while at > max(0, end - _AROUND):
            at -= 1
            sign = self._plain[at : at + 1]
            depth += (sign in b")]}") - (sign in b"([{")
            if not depth:
                break
        return at

    def _is_separate_line(self, line: bytes, before: _Token, token: _Token) -> bool:
        """Return True if two lines of the same indentation are separate statements or arguments."""
        next_line = self._line_at(token.start())
        lead = next_line[: len(next_line) - len(next_line.lstrip())]
        if not lead or line[: len(lead)] != lead or line[len(lead) : len(lead) + 1].isspace():
            return False
        first = line.split(None, 1)[0].partition(b"(")[0]
        if before[0] == b"}" or before["string"]:
            return False
        if _CAPITALS.match(token[0]) and before[0] == b")" and b" = " not in line:
            return re.match(rb"[\w.>:-]+\(", line.lstrip()) is not None
        return self._names is not None and not self._names.is_macro(first)

    def _line_at(self, at: int) -> bytes:
        start, end = self._text.rfind(b"\n", 0, at) + 1, self._text.find(b"\n", at)
        return self._text[start : end if end >= 0 else None]

    def _is_argument(self, gap: _Gap) -> bool:
        """Return True if two operands are adjacent in a call, without a type before them."""
        last, before, token = gap.last, gap.before, gap.token
        if before["string"] or token["string"] or self._names is None:
            return False
        if not before["close"] and last not in (b"(", b","):
            return False
        called = self._find_called_name(before.end())
        if called is None or _CAPITALS.fullmatch(called[0]):
            return False
        name, opener = called
        is_plain = not _CAPITALS.fullmatch(before[0]) or token[0][:1].isdigit()
        if is_plain and not self._names.is_macro(name):
            return True
        return self._names.takes(name, _count_arguments(self._plain, opener) + 1)

    def _is_in_list(self, end: int) -> bool:
        """Return True if an offset is inside parentheses or square brackets."""
        depth = 0
        for at in range(end - 1, max(0, end - _AROUND), -1):
            sign = self._plain[at : at + 1]
            depth += (sign in b")]}") - (sign in b"([{")
            if depth < 0:
                return sign != b"{"
        return False

    def _find_called_name(self, end: int) -> tuple[bytes, int] | None:
        """Return the name and parenthesis of the call with an argument that ends at an offset, or None."""
        depth, at = 0, end
        while at > max(0, end - _AROUND):
            at -= 1
            sign = self._plain[at : at + 1]
            depth += (sign in b")]}") - (sign in b"([{")
            if depth < 0 or (sign == b";" and not depth):
                break
        if self._plain[at : at + 1] != b"(":
            return None
        text_before = b" ".join(self._plain[max(0, at - _AROUND) : at].split()[-4:])
        called = _CALLED.search(text_before)
        return (called[1], at) if called is not None and called[1] not in self._keywords else None


def _missing_at_brace(gap: _Gap) -> Sequence[bytes]:
    is_block = gap.before[0] == b"}"
    if gap.token[0] == b"{":
        return (b",",) if is_block else ()
    return () if is_block else (b";",)


def _are_values(before: _Token, token: _Token) -> bool:
    """Return True if a number or string precedes a value, or a string precedes a number."""
    if _NUMBER.match(before[0]):
        return _CAPITALS.fullmatch(token[0]) is None
    return bool(before["string"]) and _NUMBER.match(token[0]) is not None


def _is_beside_macro(gap: _Gap) -> bool:
    """Return True if one token is a string, and the other may be a macro that expands to one."""
    before, token = gap.before, gap.token
    if before["string"]:
        return _CAPITALS.match(token[0]) is not None
    return bool(token["string"]) and _CAPITALS.match(before[0]) is not None


def _without_brackets(string: _Token) -> bytes:
    return string[0].translate(_PLAIN)


def _count_arguments(text: bytes, at: int) -> int:
    depth = number = 0
    for offset in range(at, min(len(text), at + _AROUND)):
        sign = text[offset : offset + 1]
        depth += (sign in b"([{") - (sign in b")]}")
        number += sign == b"," and depth == 1
        if not depth:
            break
    return number + 1


def _iter_doubled_signs(text: bytes, before: _Token, token: _Token, has_scopes: bool) -> Iterator[Repair]:
    """Yield repairs of doubled punctuation, and of halves of ``::``."""
    is_beside = before.end() == token.start()
    if token["mark"] and before[0] == token[0] and is_beside:
        is_name = (
            text[token.end() : token.end() + 1].isalpha() or text[token.end() : token.end() + 1] in b"_~"
        )
        if token[0] != b":" or not is_name or text[before.start() - 1 : before.start()] == b":":
            yield Repair(token.start(), token.end(), b"")
    if has_scopes and b":" in (before[0], token[0]) and is_beside and (before["operand"] or token["operand"]):
        yield Repair(token.start(), token.start(), b":")


def has_impossible_pair(text: bytes, places: Sequence[Span]) -> bool:
    """Return True if the lines of an error contain adjacent tokens that are never adjacent in code.

    The text is without comments and strings.
    """
    for place in places:
        start = text.rfind(b"\n", 0, place.start) + 1
        end = text.find(b"\n", place.end)
        if _NEVER.search(text, start, end if end >= 0 else len(text)):
            return True
    return False


def has_non_code(text: bytes, keywords: frozenset[bytes] = frozenset()) -> bool:
    """Return True if a text has lines of a hunk, a fence, a conflict marker, or a sentence.

    The text is without comments and strings. Words of ``keywords`` may be adjacent in code.
    """
    if _HUNK.search(text):
        return True
    for found in _SENTENCE.finditer(text):
        words = _WORDS.findall(found[0])
        if sum(word not in keywords and not word.isupper() for word in words) > 4:
            return True
    return False
