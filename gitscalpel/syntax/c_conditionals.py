"""Conditional compilation of C and C++: texts that a compiler would read, and their parts.

A grammar sees all branches of an ``#if`` at once and cannot parse those that split a statement. A compiler
reads one branch of each. :meth:`Conditionals.readings` yields such texts, until every branch is in one.

After an unknown macro a grammar may fail for hundreds of lines. So each item of a file, namespace or class is
parsed by itself: an error stays in its part, and a part parsed in one branch of an ``#if`` is not parsed
again in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from gitscalpel.syntax.languages import Language
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
"""By ``Language.directives``: directives, and strings and comments, in which no directive begins."""
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
"""Maximum number of readings of one file."""


class Branch:
    """The text between two directives of an ``#if``, or the whole file, which has no ``parent``.

    Attributes:
        condition: the condition without comments; empty for ``#else``.
        groups: the ``#if`` … ``#endif`` groups inside, each a list of branches.
        is_refused: True if it contains ``#error``.
    """

    def __init__(self, condition: bytes, start: int, parent: Branch | None) -> None:
        self.condition = condition
        self.start = self.end = start
        self.parent = parent
        self.groups: list[list[Branch]] = []
        self.is_refused = False

    @property
    def is_dead(self) -> bool:
        """True below ``#if 0`` and next to ``#error``, where the text need not be code."""
        return self.condition in _FALSE or (self.is_refused and self.parent is not None)


class CompilerReading(msgspec.Struct, frozen=True):
    """A text that a compiler may read; every byte keeps its offset."""

    text: bytes  # the file with its directives and all other branches blanked
    branches: frozenset[Branch]  # the branches that it contains


class Conditionals:
    """The directives of one text.

    Raises:
        ValueError: ``#else`` or ``#endif`` without ``#if``, ``#if`` without ``#endif``, a damaged directive.
    """

    def __init__(self, language: Language, text: bytes) -> None:
        self._text = text
        self._directives: list[tuple[int, int]] = []
        # Each ``#if`` … ``#endif`` with the offsets of its directives, inner ones first.
        self.groups: list[tuple[Span, list[int]]] = []
        self.whole = Branch(b"", 0, None)
        self._scan_directives(_FLAVOURS[language.directives])

    def _scan_directives(self, pattern: re.Pattern[bytes]) -> None:
        open_groups: list[list[Branch]] = []
        starts: list[list[int]] = []
        current = self.whole
        for found in pattern.finditer(self._text):
            if found["directive"] is None:
                continue
            self._directives.append(found.span())
            word, condition = found["word"], _read_condition(found["word"], found["rest"])
            self._read_directive(current, word, condition, found["rest"])
            if word in _OPENING:
                open_groups.append([Branch(condition, found.end(), current)])
                starts.append([found.start()])
                current.groups.append(open_groups[-1])
                current = open_groups[-1][0]
            elif word in _FURTHER or word == b"endif":
                if current.parent is None:
                    raise ValueError(f"#{word.decode()} without #if")
                current.end = found.start()
                starts[-1].append(found.start())
                if word == b"endif":
                    directives = starts.pop()
                    self.groups.append((Span(directives[0], found.end()), directives))
                    open_groups.pop()
                    current = current.parent
                else:
                    open_groups[-1].append(Branch(condition, found.end(), current.parent))
                    current = open_groups[-1][-1]
        if current.parent is not None:
            raise ValueError("#if without #endif")
        self.whole.end = len(self._text)

    def _read_directive(self, branch: Branch, word: bytes, condition: bytes, rest: bytes) -> None:
        if not _is_well_formed(word, condition) or (word not in _KNOWN and not branch.is_dead):
            raise ValueError(f"#{word.decode()} is unknown or damaged")
        if word == b"define":
            self._mark_guard_met(branch, rest)
        elif word == b"error":
            branch.is_refused = True

    def _mark_guard_met(self, branch: Branch, rest: bytes) -> None:
        """Mark a header guard as met if its name is defined first in its branch."""
        name = rest.split(None, 1)[0] if rest.strip() else b""
        if (
            branch.condition == b"!defined(" + name + b")"
            and not self._text[branch.start : self._directives[-1][0]].strip()
        ):
            branch.condition = b"1"

    def branches(self) -> list[Branch]:
        """Return the branches that some compiler may read, in document order."""
        found, waiting = [], [self.whole]
        while waiting:
            for group in waiting.pop().groups:
                alive = [branch for branch in group if not branch.is_dead]
                found += [branch for branch in alive if self._text[branch.start : branch.end].strip()]
                waiting += alive
        return sorted(found, key=lambda branch: branch.start)

    def _without_directives(self) -> bytearray:
        text = bytearray(self._text)
        for start, end in self._directives:
            text[start:end] = blank_out(self._text[start:end])
        return text

    def without_dead(self) -> bytes:
        text, waiting = self._without_directives(), [self.whole]
        while waiting:
            for branch in (branch for group in waiting.pop().groups for branch in group):
                if branch.is_dead:
                    text[branch.start : branch.end] = blank_out(self._text[branch.start : branch.end])
                else:
                    waiting.append(branch)
        return bytes(text)

    def readings(self) -> Iterator[CompilerReading]:
        """Yield readings until each branch was in one: all conditions met, none, then missing branches."""
        missing = self.branches()
        for assumed in (True, False):
            reading = self.read(assumed, ())
            missing = [branch for branch in missing if branch not in reading.branches]
            yield reading
        for branch in missing[: _MOST - 2]:
            yield self.read(True, _with_parents(branch))

    def around(self, branch: Branch) -> CompilerReading:
        """Return the reading with this branch and all other conditions not met."""
        return self.read(False, _with_parents(branch))

    def read(self, assumed: bool, forced: tuple[Branch, ...] = ()) -> CompilerReading:
        """Return the reading in which plain conditions are ``assumed`` and ``forced`` branches taken."""
        text, chosen = self._without_directives(), set[Branch]()
        conditions = {branch.condition for branch in forced}
        waiting = [self.whole]
        while waiting:
            for group in waiting.pop().groups:
                pick = next((each for each in group if each in forced), None)
                pick = pick or next((each for each in group if _is_met(each, assumed, conditions)), None)
                for branch in group:
                    if branch is pick:
                        chosen.add(branch)
                        waiting.append(branch)
                    else:
                        text[branch.start : branch.end] = blank_out(self._text[branch.start : branch.end])
        return CompilerReading(bytes(text), frozenset(chosen))


def blank_out(text: bytes) -> bytes:
    """Return the text with everything except line endings blanked."""
    return text.translate(_BLANKS)


def _read_condition(word: bytes, rest: bytes) -> bytes:
    condition = b" ".join(_NOTE.sub(b" ", rest).split())
    if word.endswith(b"ndef"):
        return b"!defined(" + condition + b")"
    return b"defined(" + condition + b")" if word.endswith(b"def") else condition


def _is_well_formed(word: bytes, rest: bytes) -> bool:
    """Return False if the directive is damaged: a quote or a parenthesis without its counterpart."""
    if word == b"define":
        return not _CALLED.match(rest) or _PARAMETERS.match(rest) is not None
    if word == b"include":
        return _INCLUDED.match(rest) is not None
    if word in _OPENING or word in _FURTHER:
        rest = _LITERAL.sub(b"", rest)
        return rest.count(b"(") == rest.count(b")") and b'"' not in rest
    return True


def _is_met(branch: Branch, assumed: bool, forced: set[bytes]) -> bool:
    """Return True if a compiler takes the branch when each plain condition is ``assumed``."""
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


COMMENT = rb"/\*(?s:.*?)\*/|//(?:\\\r?\n|[^\n])*"
LITERAL = (
    rb'\bu?8?R"(?P<raw>[^()\\\s]{0,16})\((?s:.*?)\)(?P=raw)"|"(?:\\(?s:.)|[^"\\\n])*"|'
    + rb"(?<![0-9a-fA-F])'(?:\\(?:['\\]|[^'\n]{1,9})|[^'\\\n]{1,8})'"
)
_TOKENS = re.compile(
    COMMENT
    + rb"|"
    + LITERAL
    + rb"|[\"()\[\]{};]|(?<![0-9a-fA-F])'|'(?![0-9a-fA-F])|(?<![-=<>!+*/%&|^])=(?!=)"
)
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_COMMENT_OR_LITERAL = re.compile(COMMENT + rb"|" + LITERAL)
_SPACE = re.compile(rb"(?:\s|" + COMMENT + rb")*")
_TRANSPARENT = re.compile(
    rb"(?:\binline\s+|\bexport\s+)?(?<!using )\bnamespace\b[^;(){}=]*(?:\([^()]*\)[^;(){}=]*)?\Z"
    rb'|\b(?:export|extern\s*"C(?:\+\+)?")\s*\Z'
)
_AGGREGATE = re.compile(rb"\b(struct|class|union|enum(?:\s+(?:class|struct))?)\b(?!\s*[,>])")
_CALL = re.compile(
    rb"\b(?:__attribute__|__declspec|alignas|_Alignas|[A-Z][A-Z0-9_]*)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)
_TEMPLATE = re.compile(rb"\s*template\b")
_TEMPLATE_PARAMETERS = re.compile(rb"\A\s*template\b.*?>(?=\s*(?:template|class|struct|union)\b)", re.DOTALL)
_DECLARES = re.compile(rb"(?:typedef|static|const|extern|volatile)\b")
_GOES_ON = frozenset(b";,=){.[-")
_NAME = re.compile(rb"[A-Za-z_]\w*")


class CodeItem(msgspec.Struct, frozen=True):
    """One item of a text."""

    start: int  # after leading comments
    end: int
    kind: Literal[
        "whole", "head", "tail"
    ]  # ``head`` ends before the members of a class, ``tail`` begins after
    owner: bytes  # name of the class that contains the item, or empty

    @property
    def lead(self) -> int:
        """Number of bytes that ``text`` prepends."""
        tail = len(b"struct _ {} ") if self.kind == "tail" else 0
        return tail + (len(b"struct " + self.owner + b" {\n") if self.owner else 0)

    def text(self, text: bytes) -> bytes:
        """Return the item as a text that can be parsed by itself."""
        own = text[self.start : self.end]
        if self.kind == "head":
            own += b"\n{} _;" if _DECLARES.match(own) else b"\n{};"
        elif self.kind == "tail":
            own = b"struct _ {} " + own
        return b"struct " + self.owner + b" {\n" + own + b"\n};" if self.owner else own


class ClassSpan(msgspec.Struct):
    """One class in a text."""

    name: bytes  # its name, or ``_``
    whole: Span  # range from the start of its head to the end of its declaration
    body: Span  # range of the members, without the braces


class TextParts(msgspec.Struct, frozen=True):
    """The items and classes of a text."""

    items: list[CodeItem]  # the items, in document order
    classes: list[ClassSpan]  # all classes, inner ones first

    def owner_at(self, offset: int) -> bytes:
        """Return the name of the innermost class around an offset, or empty."""
        around = (each.name for each in self.classes if each.body.start <= offset < each.body.end)
        return next(around, b"")


def split_parts(text: bytes, owner: bytes = b"") -> TextParts:
    """Split a text without directives, in the class ``owner``, into items, also of namespaces and classes.

    Raises ``ValueError`` for an unbalanced bracket or quote.
    """
    splitter = _Splitter(text, owner)
    return TextParts(list(splitter.split()), splitter.classes)


class _Splitter:
    def __init__(self, text: bytes, owner: bytes) -> None:
        self._text, self._at = text, 0
        self._open: list[tuple[bytes, bytes | None, int, int]] = []
        """By open bracket: the sign, the class or namespace that it opens, and where head and body begin."""
        self._owners = [owner]
        self._depth = 0
        self.classes: list[ClassSpan] = []
        self._begin_item(0)

    def _begin_item(self, at: int, *, is_tail: bool = False) -> None:
        self._at = at
        self._is_tail, self._needs_end = is_tail, is_tail

    def split(self) -> Iterator[CodeItem]:
        for found in _TOKENS.finditer(self._text):
            sign = found[0]
            if sign in (b'"', b"'"):
                raise ValueError("unbalanced quote")
            if sign in (b"(", b"[", b"{"):
                yield from self._open_bracket(sign, found.start(), found.end())
            elif sign in _PAIRS:
                if not self._open or self._open[-1][0] != _PAIRS[sign]:
                    raise ValueError("unbalanced bracket")
                yield from self._close_bracket(sign, found.start(), found.end())
            elif not self._depth and sign == b";":
                yield from self._end_item(found.end(), found.end())
            elif not self._depth and sign == b"=" and not _TEMPLATE.match(self._text, self._at):
                self._needs_end |= not self._text[: found.start()].rstrip().endswith(b"operator")
        if self._open:
            raise ValueError("unbalanced bracket")
        yield from self._end_item(len(self._text), len(self._text))

    def _open_bracket(self, sign: bytes, start: int, end: int) -> Iterator[CodeItem]:
        opened, head_start = None, self._at
        if sign == b"{" and not self._depth and not self._needs_end:
            head = _COMMENT_OR_LITERAL.sub(_blank_match, self._text[self._at : start])
            if transparent := _TRANSPARENT.search(head):
                yield from self._end_item(self._at + transparent.start(), end)
                opened = b""
            elif (kind := _class_keyword(head)).startswith(b"enum"):
                self._needs_end = True
            elif kind:
                yield from self._end_item(start, end, "head")
                opened = _name_class(head)
                self._owners.append(opened)
        self._open.append((sign, opened, head_start, end))
        self._depth += opened is None

    def _close_bracket(self, sign: bytes, start: int, end: int) -> Iterator[CodeItem]:
        _, opened, head_start, inside = self._open.pop()
        if opened is not None:
            yield from self._end_item(start, end)
            if opened:
                self._owners.pop()
                space = _SPACE.match(self._text, head_start)
                whole = Span(space.end() if space else head_start, end)
                self.classes.append(ClassSpan(opened, whole, Span(inside, start)))
                self._begin_item(end, is_tail=True)
            return
        self._depth -= 1
        if self._depth or sign != b"}" or self._needs_end:
            return
        after = _SPACE.match(self._text, end)
        following = self._text[after.end() : after.end() + 1] if after else b""
        if not following or following[0] not in _GOES_ON:
            yield from self._end_item(end, end)

    def _end_item(
        self, end: int, following: int, kind: Literal["whole", "head"] = "whole"
    ) -> Iterator[CodeItem]:
        space = _SPACE.match(self._text, self._at, end)
        start = space.end() if space else self._at
        if self._is_tail and self.classes:
            self.classes[-1].whole = Span(self.classes[-1].whole.start, end)
        own = self._text[start:end].rstrip()
        end = start + len(own)
        if own != b";" if self._is_tail else own:
            yield CodeItem(start, end, "tail" if self._is_tail else kind, self._owners[-1])
        self._begin_item(following)


def _blank_match(found: re.Match[bytes]) -> bytes:
    return found[0] if found[0] == b'"C"' or found[0] == b'"C++"' else blank_out(found[0])


def _class_keyword(head: bytes) -> bytes:
    """Return the keyword of a head that introduces a class, or empty."""
    head = _CALL.sub(b"", head)
    if b"(" in _TEMPLATE_PARAMETERS.sub(b"", head):
        return b""
    found = _AGGREGATE.findall(head)
    return found[-1] if found else b""


def _name_class(head: bytes) -> bytes:
    head = _CALL.sub(b"", head)
    last = [found.end() for found in _AGGREGATE.finditer(head)][-1]
    names = _NAME.findall(head[last:].partition(b":")[0].partition(b"<")[0])
    names = [name for name in names if name != b"final"]
    return names[-1] if names else b"_"


class Region(msgspec.Struct, frozen=True):
    """A stretch of a text that can be parsed by itself, with both ends of every ``#if`` in it."""

    span: Span  # byte range
    owner: bytes  # name of the enclosing class, or empty
    item: CodeItem | None  # the item, or None if there are several items or directives


def find_regions(conditionals: Conditionals) -> list[Region]:
    """Return the stretches of a text to be parsed one by one.

    Raises ``ValueError`` for brackets that are unbalanced both if all conditions are met and if none is.
    """
    parts: list[TextParts] = []
    seen: set[Branch] = set()
    error = None
    for assumed in (True, False):
        reading = conditionals.read(assumed)
        try:
            parts.append(split_parts(reading.text))
            seen |= reading.branches
        except ValueError as unbalanced:
            error = unbalanced
    if error and not parts:
        raise error
    items = {Span(item.start, item.end): item for each in parts for item in each.items}
    wholes = {span: _class_around(span, parts) for span, item in items.items() if item.kind != "whole"}
    spans = [*items, *(Span(each.start, each.end) for each in conditionals.branches() if each not in seen)]
    groups = conditionals.groups
    previous_spans: list[Span] = []
    while spans != previous_spans:
        previous_spans = _merge_spans(spans)
        spans = [_extend_span(span, groups, wholes) for span in previous_spans]
    directives = [start for _, starts in groups for start in starts]
    return [_make_region(span, items, directives, parts) for span in spans]


def _class_around(span: Span, parts: list[TextParts]) -> Span:
    around = (
        each.whole
        for text_parts in parts
        for each in text_parts.classes
        if each.whole.start <= span.start < each.whole.end
        and not each.body.start <= span.start < each.body.end
    )
    return next(around, span)


def _make_region(
    span: Span, items: dict[Span, CodeItem], directives: list[int], parts: list[TextParts]
) -> Region:
    owner = next(filter(None, (each.owner_at(span.start) for each in parts)), b"")
    item = items.get(span)
    is_cut = any(span.start < each < span.end for each in directives)
    return Region(span, owner, None if is_cut else item)


def _merge_spans(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start < found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _extend_span(span: Span, groups: list[tuple[Span, list[int]]], wholes: dict[Span, Span]) -> Span:
    start, end = span
    for whole, directives in groups:
        if whole.start < end and whole.end > start and any(start < each < end for each in directives):
            start, end = min(start, whole.start), max(end, whole.end)
    if span in wholes and Span(start, end) == span:
        return span
    for part, whole in wholes.items():
        if part.start < end and part.end > start:
            start, end = min(start, whole.start), max(end, whole.end)
    return Span(start, end)


def has_directive(text: bytes) -> bool:
    """Return True if a text has conditional compilation."""
    return _DIRECTIVE.search(text) is not None


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(?:if|el|endif)", re.MULTILINE)
