"""Conditional compilation: the branches of `#if`, and the texts that a compiler would read.

A grammar sees all branches at once and cannot parse those that split a statement. A compiler reads one
branch of each. :meth:`Conditionals.readings` yields such texts, each with the branches it contains,
until every branch is in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from gitscalpel.syntax.symbols import Span

_COMMENT = rb"/\*(?s:.*?)\*/|//[^\n]*"
_QUOTED = rb'"(?:\\(?s:.)|[^"\\\n])*"'
_CHARACTER = rb"(?<![0-9a-fA-F])'(?:\\(?:['\\]|[^'\n]{1,9})|[^'\\\n]{1,8})'"
_FLAVOURS = {
    "c": re.compile(
        rb"(?P<directive>^[ \t]*\#[ \t]*(?P<word>[A-Za-z]*(?![A-Za-z]))"
        rb"(?P<rest>(?:\\\r?\n|/\*(?s:.*?)\*/|//[^\n]*|" + _QUOTED + rb"|[^\n])*))"
        rb'|R"(?P<raw>[^()\\\s]{0,16})\((?s:.*?)\)(?P=raw)"'
        rb"|" + _COMMENT + rb"|" + _QUOTED + rb"|" + _CHARACTER,
        re.MULTILINE,
    ),
    "csharp": re.compile(
        rb"(?P<directive>^[ \t]*\#[ \t]*(?P<word>if|elif|else|endif)\b(?P<rest>[^\n]*))"
        rb'|"""+(?s:.*?)"""|@\$?"(?:[^"]|"")*"'
        rb"|" + _COMMENT + rb"|" + _QUOTED + rb"|" + _CHARACTER,
        re.MULTILINE,
    ),
    "swift": re.compile(
        rb"(?P<directive>^[ \t]*\#(?P<word>if|elseif|else|endif|error|warning)\b(?P<rest>[^\n]*))"
        rb'|"""(?s:.*?)"""|' + _COMMENT + rb"|" + _QUOTED,
        re.MULTILINE,
    ),
}
"""By language: what a directive is; strings and comments, in which none begins, are matched beside it."""
_OPENING = {b"if", b"ifdef", b"ifndef"}
_FURTHER = {b"elif", b"elseif", b"elifdef", b"elifndef", b"else"}
_KNOWN = {
    *_OPENING,
    *_FURTHER,
    *b"endif define undef include include_next import embed pragma error warning line ident sccs".split(),
    *b"assert unassert using region endregion".split(),
    b"",
}
_NOTE = re.compile(rb"/\*(?s:.*?)\*/|//[^\n]*|\\\r?\n")
_DEFINED = re.compile(rb"\bdefined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?")
_NEGATED = re.compile(rb"!\(?[\w(),<>.\"/]+\)?\Z")
_INCLUDED = re.compile(rb'(?:"[^"]+"|<[^<>"]+>|[A-Za-z_]\w*\b[^"<>]*(?:"[^"]*"[^"]*)*)\Z')
_CALLED = re.compile(rb"\w+\(")
_PARAMETER = rb"[ \t]*(?:\w+[ \t]*(?:\.\.\.)?|\.\.\.)[ \t]*"
_PARAMETERS = re.compile(rb"\w+\((?:[ \t]*|" + _PARAMETER + rb"(?:," + _PARAMETER + rb")*)\)")
_LITERAL = re.compile(_QUOTED + rb"|" + _CHARACTER)
_FALSE, _TRUE = {b"0", b"false"}, {b"1", b"true"}
_BLANKS = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
_MOST = 32
"""Texts that are read of one file at most."""


class Branch:
    """The text between one directive of an ``#if`` and the next.

    Attributes:
        condition: the condition without comments; empty for ``#else``.
        start, end: byte offsets of the text between the directives.
        parent: the branch around it; None for the whole file.
        groups: the ``#if`` … ``#endif`` inside, each the list of its branches.
        is_refused: True if ``#error`` stands in it.
    """

    def __init__(self, condition: bytes, start: int, parent: Branch | None) -> None:
        self.condition = condition
        self.start = self.end = start
        self.parent = parent
        self.groups: list[list[Branch]] = []
        self.is_refused = False

    @property
    def is_dead(self) -> bool:
        """True below ``#if 0`` and beside ``#error``, where the text need not be code."""
        return self.condition in _FALSE or (self.is_refused and self.parent is not None)


class Reading(msgspec.Struct, frozen=True):
    """One text that a compiler may read; every byte keeps its offset.

    Attributes:
        text: the file with its directives and all other branches blanked.
        branches: the branches that are in it.
    """

    text: bytes
    branches: frozenset[Branch]


def has_conditionals(language: str) -> bool:
    """Return True if files of the language can be compiled conditionally."""
    return language in _FLAVOURS or language == "cpp"


class Conditionals:
    """The directives of one text.

    Raises:
        ValueError: ``#else`` or ``#endif`` without ``#if``, ``#if`` without ``#endif``, a damaged directive.
    """

    def __init__(self, language: str, text: bytes) -> None:
        self._text = text
        self._directives: list[tuple[int, int]] = []
        self._groups: list[tuple[Span, list[int]]] = []
        self.whole = Branch(b"", 0, None)
        self._scan(_FLAVOURS["c" if language == "cpp" else language])

    def _scan(self, pattern: re.Pattern[bytes]) -> None:
        open_groups: list[list[Branch]] = []
        starts: list[list[int]] = []
        current = self.whole
        for found in pattern.finditer(self._text):
            if found["directive"] is None:
                continue
            self._directives.append(found.span())
            word, condition = found["word"], _condition(found["word"], found["rest"])
            self._read_directive(current, word, condition, found["rest"])
            if word in _OPENING:
                open_groups.append([Branch(condition, found.end(), current)])
                starts.append([found.start()])
                current.groups.append(open_groups[-1])
                current = open_groups[-1][0]
            elif word in _FURTHER or word == b"endif":
                if current.parent is None:
                    raise ValueError(f"#{word.decode()} without its #if")
                current.end = found.start()
                starts[-1].append(found.start())
                if word == b"endif":
                    directives = starts.pop()
                    self._groups.append((Span(directives[0], found.end()), directives))
                    open_groups.pop()
                    current = current.parent
                else:
                    open_groups[-1].append(Branch(condition, found.end(), current.parent))
                    current = open_groups[-1][-1]
        if current.parent is not None:
            raise ValueError("#if without its #endif")
        self.whole.end = len(self._text)

    def _read_directive(self, branch: Branch, word: bytes, condition: bytes, rest: bytes) -> None:
        if not _is_sound(word, condition) or (word not in _KNOWN and not branch.is_dead):
            raise ValueError(f"#{word.decode()} cannot be read")
        if word == b"define":
            self._guard(branch, rest)
        elif word == b"error":
            branch.is_refused = True

    def _guard(self, branch: Branch, rest: bytes) -> None:
        """Take a header's guard for met: the name that must not be defined is defined first of all in it."""
        name = rest.split(None, 1)[0] if rest.strip() else b""
        if (
            branch.condition == b"!defined(" + name + b")"
            and not self._text[branch.start : self._directives[-1][0]].strip()
        ):
            branch.condition = b"1"

    def groups(self) -> list[tuple[Span, list[int]]]:
        """Return each ``#if`` … ``#endif`` with the offsets of its directives, the inner ones first."""
        return self._groups

    def branches(self) -> list[Branch]:
        """Return the branches that contain code which some compiler may read, in document order."""
        found, waiting = [], [self.whole]
        while waiting:
            for group in waiting.pop().groups:
                alive = [branch for branch in group if not branch.is_dead]
                found += [branch for branch in alive if self._text[branch.start : branch.end].strip()]
                waiting += alive
        return sorted(found, key=lambda branch: branch.start)

    def without_dead(self) -> bytes:
        """Return the text without directives, and without branches that no compiler reads."""
        text = bytearray(self._text)
        for start, end in self._directives:
            text[start:end] = blanked(self._text[start:end])
        waiting = [self.whole]
        while waiting:
            for branch in (branch for group in waiting.pop().groups for branch in group):
                if branch.is_dead:
                    text[branch.start : branch.end] = blanked(self._text[branch.start : branch.end])
                else:
                    waiting.append(branch)
        return bytes(text)

    def readings(self) -> Iterator[Reading]:
        """Yield texts until each branch was in one: all conditions met, none, then those still missing."""
        left = self.branches()
        for assumed in (True, False):
            reading = self.read(assumed, ())
            left = [branch for branch in left if branch not in reading.branches]
            yield reading
        for branch in left[: _MOST - 2]:
            yield self.read(True, _with_parents(branch))

    def around(self, branch: Branch) -> Reading:
        """Return the text in which the branch stands while all other conditions are not met."""
        return self.read(False, _with_parents(branch))

    def read(self, assumed: bool, forced: tuple[Branch, ...] = ()) -> Reading:
        """Return the text where each plain condition is ``assumed``, and some branches are taken anyhow."""
        text, chosen = bytearray(self._text), set[Branch]()
        for start, end in self._directives:
            text[start:end] = blanked(self._text[start:end])
        conditions = {branch.condition for branch in forced}
        waiting = [self.whole]
        while waiting:
            for group in waiting.pop().groups:
                taken = next((each for each in group if each in forced), None)
                taken = taken or next((each for each in group if _is_met(each, assumed, conditions)), None)
                for branch in group:
                    if branch is taken:
                        chosen.add(branch)
                        waiting.append(branch)
                    else:
                        text[branch.start : branch.end] = blanked(self._text[branch.start : branch.end])
        return Reading(bytes(text), frozenset(chosen))


def blanked(text: bytes) -> bytes:
    """Return blanks in the place of all but line endings."""
    return text.translate(_BLANKS)


def _condition(word: bytes, rest: bytes) -> bytes:
    condition = b" ".join(_NOTE.sub(b" ", rest).split())
    if word.endswith(b"ndef"):
        return b"!defined(" + condition + b")"
    return b"defined(" + condition + b")" if word.endswith(b"def") else condition


def _is_sound(word: bytes, rest: bytes) -> bool:
    """Return False if a directive is damaged: a quote or a parenthesis without its other half."""
    if word == b"define":
        return not _CALLED.match(rest) or _PARAMETERS.match(rest) is not None
    if word == b"include":
        return _INCLUDED.match(rest) is not None
    if word in _OPENING or word in _FURTHER:
        rest = _LITERAL.sub(b"", rest)
        return rest.count(b"(") == rest.count(b")") and b'"' not in rest
    return True


def _is_met(branch: Branch, assumed: bool, forced: set[bytes]) -> bool:
    """Return True if a compiler for which each plain condition is ``assumed`` takes the branch."""
    condition = branch.condition
    if branch.is_dead:
        return False
    if not condition or condition in forced:
        return True
    condition = _DEFINED.sub(rb"\1", condition).replace(b" ", b"")
    if condition in (b"__cplusplus", b"!__cplusplus"):  # what is in both is for both
        return condition[:1] != b"!"
    is_negated = False
    while _NEGATED.match(condition):
        condition, is_negated = condition[1:], not is_negated
        if condition[:1] == b"(" and condition[-1:] == b")":
            condition = condition[1:-1]
    if condition in _FALSE or condition in _TRUE:
        return (condition in _TRUE) != is_negated
    return assumed != is_negated


def _with_parents(branch: Branch) -> tuple[Branch, ...]:
    found, at = [], branch
    while at.parent is not None:
        found.append(at)
        at = at.parent
    return tuple(found)
