"""C and C++ text in parts: the items of a file, namespace or class.

A grammar that meets an unknown macro is lost for hundreds of lines. Each part is parsed by itself, so a
fault stays in its part, and a part parsed in one branch of an ``#if`` is not parsed again in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from gitscalpel.syntax.preprocessor.conditionals import Branch, Conditionals, blanked
from gitscalpel.syntax.symbols import Span

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
_COMMENT = re.compile(COMMENT + rb"|" + LITERAL)
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


class Item(msgspec.Struct, frozen=True):
    """One part of a text.

    Attributes:
        start, end: byte offsets, from the first sign that is no comment on.
        kind: ``head`` ends before the members of a class, ``tail`` begins behind these.
        owner: the name of the class that it is a member of; empty if it is none.
    """

    start: int
    end: int
    kind: Literal["whole", "head", "tail"]
    owner: bytes

    @property
    def lead(self) -> int:
        """The number of bytes that ``text`` puts before its own."""
        tail = len(b"struct _ {} ") if self.kind == "tail" else 0
        return tail + (len(b"struct " + self.owner + b" {\n") if self.owner else 0)

    def text(self, text: bytes) -> bytes:
        """Return what can be parsed by itself."""
        own = text[self.start : self.end]
        if self.kind == "head":
            own += b"\n{} _;" if _DECLARES.match(own) else b"\n{};"
        elif self.kind == "tail":
            own = b"struct _ {} " + own
        return b"struct " + self.owner + b" {\n" + own + b"\n};" if self.owner else own


class Class(msgspec.Struct):
    """One class of a text.

    Attributes:
        name: its name, or ``_``.
        whole: from the first sign of its head to the end of its declaration.
        body: the members, without the braces.
    """

    name: bytes
    whole: Span
    body: Span


class Parts(msgspec.Struct, frozen=True):
    """The parts of a text.

    Attributes:
        items: in document order.
        classes: all classes, the inner ones first.
    """

    items: list[Item]
    classes: list[Class]

    def owner_at(self, offset: int) -> bytes:
        """Return the name of the innermost class around an offset; empty if there is none."""
        around = (each.name for each in self.classes if each.body.start <= offset < each.body.end)
        return next(around, b"")


def split_parts(text: bytes, owner: bytes = b"") -> Parts:
    """Return the parts of a text without directives, those in namespaces and classes one by one.

    Args:
        text: the text.
        owner: the name of the class that all of it stands in.

    Raises:
        ValueError: a bracket or a quote lacks its other half.
    """
    splitter = _Splitter(text, owner)
    return Parts(list(splitter.split()), splitter.classes)


class _Splitter:
    def __init__(self, text: bytes, owner: bytes) -> None:
        self._text, self._at = text, 0
        self._open: list[tuple[bytes, bytes | None, int, int]] = []
        """By open bracket: the sign, the class or namespace that it opens, and where head and body begin."""
        self._owners = [owner]
        self._depth = 0
        self.classes: list[Class] = []
        self._begin_item(0)

    def _begin_item(self, at: int, *, is_tail: bool = False) -> None:
        self._at = at
        self._is_tail, self._needs_end = is_tail, is_tail

    def split(self) -> Iterator[Item]:
        for found in _TOKENS.finditer(self._text):
            sign = found[0]
            if sign in (b'"', b"'"):
                raise ValueError("a quote without its other half")
            if sign in (b"(", b"[", b"{"):
                yield from self._open_bracket(sign, found.start(), found.end())
            elif sign in _PAIRS:
                if not self._open or self._open[-1][0] != _PAIRS[sign]:
                    raise ValueError("a bracket without its other half")
                yield from self._close_bracket(sign, found.start(), found.end())
            elif not self._depth and sign == b";":
                yield from self._item(found.end(), found.end())
            elif not self._depth and sign == b"=" and not _TEMPLATE.match(self._text, self._at):
                self._needs_end |= not self._text[: found.start()].rstrip().endswith(b"operator")
        if self._open:
            raise ValueError("a bracket without its other half")
        yield from self._item(len(self._text), len(self._text))

    def _open_bracket(self, sign: bytes, start: int, end: int) -> Iterator[Item]:
        opened, head_start = None, self._at
        if sign == b"{" and not self._depth and not self._needs_end:
            head = _COMMENT.sub(_blank, self._text[self._at : start])
            if transparent := _TRANSPARENT.search(head):
                yield from self._item(self._at + transparent.start(), end)
                opened = b""
            elif (kind := _aggregate(head)).startswith(b"enum"):
                self._needs_end = True
            elif kind:
                yield from self._item(start, end, "head")
                opened = _class_name(head)
                self._owners.append(opened)
        self._open.append((sign, opened, head_start, end))
        self._depth += opened is None

    def _close_bracket(self, sign: bytes, start: int, end: int) -> Iterator[Item]:
        _, opened, head_start, inside = self._open.pop()
        if opened is not None:
            yield from self._item(start, end)
            if opened:
                self._owners.pop()
                space = _SPACE.match(self._text, head_start)
                whole = Span(space.end() if space else head_start, end)
                self.classes.append(Class(opened, whole, Span(inside, start)))
                self._begin_item(end, is_tail=True)
            return
        self._depth -= 1
        if self._depth or sign != b"}" or self._needs_end:
            return
        after = _SPACE.match(self._text, end)
        following = self._text[after.end() : after.end() + 1] if after else b""
        if not following or following[0] not in _GOES_ON:
            yield from self._item(end, end)

    def _item(self, end: int, following: int, kind: Literal["whole", "head"] = "whole") -> Iterator[Item]:
        space = _SPACE.match(self._text, self._at, end)
        start = space.end() if space else self._at
        if self._is_tail and self.classes:
            self.classes[-1].whole = Span(self.classes[-1].whole.start, end)
        own = self._text[start:end].rstrip()
        end = start + len(own)
        if own != b";" if self._is_tail else own:
            yield Item(start, end, "tail" if self._is_tail else kind, self._owners[-1])
        self._begin_item(following)


def _blank(found: re.Match[bytes]) -> bytes:
    return found[0] if found[0] == b'"C"' or found[0] == b'"C++"' else blanked(found[0])


def _aggregate(head: bytes) -> bytes:
    """Return the keyword of a head after which a class begins; empty if there is none."""
    head = _CALL.sub(b"", head)
    if b"(" in _TEMPLATE_PARAMETERS.sub(b"", head):
        return b""
    found = _AGGREGATE.findall(head)
    return found[-1] if found else b""


def _class_name(head: bytes) -> bytes:
    head = _CALL.sub(b"", head)
    last = [found.end() for found in _AGGREGATE.finditer(head)][-1]
    names = _NAME.findall(head[last:].partition(b":")[0].partition(b"<")[0])
    names = [name for name in names if name != b"final"]
    return names[-1] if names else b"_"


class Region(msgspec.Struct, frozen=True):
    """A stretch of a text that can be read by itself: both ends of every ``#if`` that it cuts are in it.

    Attributes:
        span: the stretch.
        owner: the name of the class around it; empty if there is none.
        item: the part that it is; None if it has several, or directives.
    """

    span: Span
    owner: bytes
    item: Item | None


def find_regions(conditionals: Conditionals) -> list[Region]:
    """Return the stretches of a text that are read one by one.

    Raises:
        ValueError: the brackets are balanced neither where all conditions are met nor where none is.
    """
    parts: list[Parts] = []
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
    directives = [each for _, each in conditionals.groups()]
    groups = conditionals.groups()
    known: list[Span] = []
    while spans != known:
        known = _merged(spans)
        spans = [_extended(span, groups, wholes) for span in known]
    inside = [start for each in directives for start in each]
    return [_region(span, items, inside, parts) for span in spans]


def _class_around(span: Span, parts: list[Parts]) -> Span:
    """Return the class whose head or tail a part is."""
    around = (
        each.whole
        for some in parts
        for each in some.classes
        if each.whole.start <= span.start < each.whole.end
        and not each.body.start <= span.start < each.body.end
    )
    return next(around, span)


def _region(span: Span, items: dict[Span, Item], directives: list[int], parts: list[Parts]) -> Region:
    owner = next(filter(None, (each.owner_at(span.start) for each in parts)), b"")
    item = items.get(span)
    is_cut = any(span.start < each < span.end for each in directives)
    return Region(span, owner, None if is_cut else item)


def _merged(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start < found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _extended(span: Span, groups: list[tuple[Span, list[int]]], wholes: dict[Span, Span]) -> Span:
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
    """Return True if a text is compiled in parts."""
    return _DIRECTIVE.search(text) is not None


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(?:if|el|endif)", re.MULTILINE)
