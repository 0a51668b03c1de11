"""Macros of C and C++: their definitions and expansion, and simpler text in place of their uses.

``FOREACH(item, list) {``, ``static UNUSED int f(void)`` or ``OP(LOAD, 1)`` without a semicolon are code once
expanded. If a text does not parse, nearby macros are expanded as the preprocessor does it, or replaced by
something simpler if their definitions are not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from typing import Literal

import msgspec

from gitscalpel.syntax.c_conditionals import COMMENT, LITERAL, blank_out
from gitscalpel.syntax.symbols import Span

Shape = Literal["nothing", "arguments", "statement", "name", "type", "item"]
"""In place of a use: nothing, its arguments as ``0``, ``;``, its name alone, ``int``, or ``0,``."""

_WITH_ARGUMENTS: tuple[Shape, ...] = ("nothing", "statement", "arguments", "name", "item", "type")
_WITHOUT: tuple[Shape, ...] = ("nothing", "type", "statement", "item")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_CAPITALS = re.compile(rb"_*[A-Z][A-Z0-9_]*[A-Z0-9]_*\Z")
_CALLED = re.compile(rb"([A-Za-z_]\w*)[ \t]*\Z")
_LITERAL = re.compile(
    rb'"(?:\\(?s:.)|[^"\\\n])*"|' + rb"'(?:\\[^'\n]{1,8}|[^'\\\n])'" + rb"|/\*(?s:.*?)\*/|//[^\n]*"
)
_BRACKETS = re.compile(rb"[()]|" + _LITERAL.pattern)
KEYWORDS = frozenset(
    b"alignas auto bool break case catch char class const constexpr continue decltype default delete do"
    b" double else enum explicit extern false float for friend goto if inline int long mutable namespace new"
    b" noexcept nullptr operator private protected public register requires return short signed static"
    b" struct switch template this throw true try typedef typename union unsigned using virtual void volatile"
    b" while".split()
)
_ENDS = {b";", b","}
_BEFORE, _BEHIND, _AROUND = 160, 80, 3_000
"""Bytes before and after a place in which names are candidates, and before it in which a call may begin."""
_PARTS = re.compile(
    rb"[(),]|\"(?:\\(?s:.)|[^\"\\\n])*\"|'(?:\\[^\n]{1,8}?|[^'\\\n])'|/\*(?s:.*?)\*/|//[^\n]*"
)
_MOST_CALLS = 400
_CALLS = 6
"""Maximum number of uses of a name that are parsed to learn how it is used."""
_PLACES, _NAMES = 4, 6
"""Maximum number of places of a text, and names at each, that are tried in one round."""


_TYPES = re.compile(
    rb"\b(?:void|int|char|bool|float|double|const|struct|typename|class|override)\b\s*[,)*&(]"
    rb"|[(,]\s*\(\s*\)\s*[,)]"
    rb"|[(,]\s*(?:[-+*/<>=!%&|^~]=?|[<>&|=]{2})\s*[,)]"
)
"""Arguments that are not expressions: a type, an empty list, an operator."""
_IN_CALL = re.compile(
    rb"[;{}=(,][ \t\r\n]*[A-Za-z_]\w*\((?:[^;{}()\"]*[,(])?[ \t]*[\w.>\[\])-]*[\w\])][ \t]+\Z"
)
"""Text in a call before a word that follows another word without a comma."""


class ParseTrial(msgspec.Struct, frozen=True):
    """The result of parsing a text."""

    places: Sequence[Span]  # stretches that do not parse, in document order; empty if all parses
    cost: tuple[int, int]  # amount of text that does not parse, to compare two trials of one text


class MacroSearchResult(msgspec.Struct, frozen=True):
    """The macros of a text under which it parses."""

    shapes: Mapping[bytes, Shape]  # replacement of each macro's uses, by name
    left: Span | None  # the first place that no macro explains; None if the text parses


class NameUses:
    """The uses of names in one text."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._uses_by_name: dict[bytes, list[tuple[Span, Span | None]]] = {}

    def uses_of(self, name: bytes) -> list[tuple[Span, Span | None]]:
        """Return each use of a name: its own span, and that of its arguments with parentheses."""
        if name not in self._uses_by_name:
            pattern = re.compile(rb"\b" + re.escape(name) + rb"\b(?=[ \t]*(?:\\?\r?\n[ \t]*)?(\()?)")
            self._uses_by_name[name] = [
                (Span(*found.span()), self._find_arguments(found.start(1)) if found[1] else None)
                for found in pattern.finditer(self._text)
            ]
        return self._uses_by_name[name]

    def _text_before(self, own: Span) -> bytes:
        return self._text[self._text.rfind(b"\n", 0, own.start) + 1 : own.start]

    def arguments_of(self, name: bytes) -> list[bytes]:
        """Return the arguments of each use of a name, with the parentheses."""
        return [self._text[span.start : span.end] for _, span in self.uses_of(name) if span is not None]

    def ends_with(self, name: bytes) -> bool:
        return self._text.rstrip().endswith(name)

    def is_attribute(self, name: bytes) -> bool:
        """Return True if each use of the name is within a declaration, after parameters or a name."""
        return not any(sign in (b"", b";", b"{", b"}", b":", b",") for sign in self._signs_before(name))

    def _signs_before(self, name: bytes) -> list[bytes]:
        starts = (own.start for own, _ in self.uses_of(name))
        return [self._text[max(0, start - 400) : start].rstrip()[-1:] for start in starts]

    def is_never_ended(self, name: bytes) -> bool:
        """Return True if calls of the name begin lines and none is followed by a semicolon."""
        calls = [
            self._text[arguments.end : arguments.end + 80].lstrip()[:1]
            for own, arguments in self.uses_of(name)
            if arguments is not None and not self._text_before(own).strip()
        ]
        is_block = bool(calls) and all(sign == b"{" for sign in calls)
        return is_block or (len(calls) > 2 and not any(sign in _ENDS for sign in calls))

    def takes_types(self, name: bytes) -> bool:
        """Return True if the arguments of each use contain types or operators, unlike those of a call."""
        calls = self.arguments_of(name)
        return bool(calls) and all(_TYPES.search(each) for each in calls)

    def _has_odd_arity(self, name: bytes) -> bool:
        """Return True if exactly one use has another number of arguments than all others."""
        counts = sorted(count_arguments(each) for each in self.arguments_of(name)[:_MOST_CALLS])
        return (
            len(counts) > 2
            and counts[0] != counts[-1]
            and (counts[1] == counts[-1] or counts[0] == counts[-2])
        )

    def _lacks_end_before(self, name: bytes) -> bool:
        """Return True if all uses except one begin a statement or declaration."""
        before = self._signs_before(name)
        return len(before) > 1 and sum(sign not in (b"", b";", b"{", b"}") for sign in before) == 1

    def _is_argument(self, name: bytes) -> bool:
        """Return True if a use without arguments follows another word in a call."""
        return any(
            span is None and _IN_CALL.search(self._text, max(0, own.start - _AROUND), own.start) is not None
            for own, span in self.uses_of(name)
        )

    def may_be(self, name: bytes, shape: Shape) -> bool:
        """Return False if a shape would hide a missing semicolon or comma.

        A use followed by one is a statement; another use that lacks it is damaged. A use as a statement or an
        item begins its line.
        """
        if self._has_odd_arity(name):
            return False
        if shape in ("arguments", "name"):
            return True
        if self._lacks_end_before(name) or (shape == "nothing" and self._is_argument(name)):
            return False
        return shape == "type" or (
            (shape == "nothing" or self._begins_lines(name)) and self._is_consistent(name)
        )

    def _begins_lines(self, name: bytes) -> bool:
        for own, arguments in self.uses_of(name):
            line_end = self._text.find(b"\n", own.end)
            rest = self._text[own.end : line_end if line_end >= 0 else None].strip()
            lead = self._text_before(own)
            if lead.strip() or (arguments is None and rest):
                return False
        return True

    def _is_consistent(self, name: bytes) -> bool:
        """Return False if one use lacks the semicolon or comma that others have."""
        ended, open_ended = 0, []
        for own, arguments in self.uses_of(name):
            lead = self._text_before(own)
            if arguments is not None and not lead.strip():
                next_sign = self._text[arguments.end : arguments.end + 8].lstrip(b" \t")[:1]
                ended += next_sign in _ENDS
                open_ended += [] if next_sign in _ENDS else [not lead or next_sign == b"{"]
        if _CAPITALS.match(name) or not open_ended:
            return not ended or len(open_ended) > 1
        return not ended and (len(open_ended) > 1 or all(open_ended))

    def _find_arguments(self, start: int) -> Span | None:
        depth = 0
        for found in _BRACKETS.finditer(self._text, start):
            depth += {b"(": 1, b")": -1}.get(found[0], 0)
            if not depth:
                return Span(start, found.end())
        return None

    def replace_uses(self, shapes: Mapping[bytes, Shape]) -> bytes:
        """Return the text with each name in its shape; every byte keeps its offset."""
        text = bytearray(self._text)
        for name, shape in shapes.items():
            for own, arguments in self.uses_of(name):
                start, end = own.start, (arguments or own).end
                if shape in ("arguments", "name"):
                    if arguments is None:
                        continue
                    start, end = arguments.start, arguments.end
                    if shape == "arguments":
                        start, end = start + 1, end - 1
                word = {"arguments": b"0", "statement": b";", "type": b"int", "item": b"0,"}.get(shape, b"")
                if len(word) <= end - start:
                    text[start:end] = word + blank_out(self._text[start + len(word) : end])
        return bytes(text)


def find_macros(
    text: bytes,
    attempt: Callable[[bytes], ParseTrial | None],
    is_macro: Callable[[bytes], bool],
    known: Mapping[bytes, Shape],
    everywhere: NameUses,
) -> MacroSearchResult:
    """Find the macros that prevent a text, without directives, from being parsed.

    ``attempt`` parses a text, or returns None if that takes too long. The shapes in ``known`` are of macros
    in another text of the file, and are tried first. ``everywhere`` are the uses in the whole file, which
    show how its macros are used.
    """
    search = _Search(text, attempt, is_macro, known, everywhere)
    trial = attempt(search.uses.replace_uses(search.shapes))
    while trial is not None and trial.places:
        better = search.improve(trial)
        if better is None:
            break
        trial = better
    if trial is None:
        return MacroSearchResult(search.shapes, Span(0, 0))
    return MacroSearchResult(search.shapes, trial.places[0] if trial.places else None)


class _Search:
    """The search for macros in one text."""

    def __init__(
        self,
        text: bytes,
        attempt: Callable[[bytes], ParseTrial | None],
        is_macro: Callable[[bytes], bool],
        known: Mapping[bytes, Shape],
        everywhere: NameUses,
    ) -> None:
        self.uses, self.shapes = NameUses(text), dict(known)
        self._file_uses = everywhere
        self._plain = _LITERAL.sub(_blank_literal, text)
        self._attempt, self._is_macro = attempt, is_macro

    def improve(self, trial: ParseTrial) -> ParseTrial | None:
        """Add the first shape that reduces the text that does not parse; return None if there is none."""
        for name, shape in self._shapes_to_try(trial):
            tried = self._attempt(self.uses.replace_uses({**self.shapes, name: shape}))
            if tried is None:
                return None
            if tried.cost < trial.cost:
                self.shapes[name] = shape
                return tried
        return None

    def _shapes_to_try(self, trial: ParseTrial) -> Iterator[tuple[bytes, Shape]]:
        for place in trial.places[:_PLACES]:
            for name in _list_candidates(self._plain, place, self._is_macro):
                if self._file_uses.ends_with(name):  # a text that is cut off may end in the middle of a name
                    continue
                has_arguments = any(arguments for _, arguments in self.uses.uses_of(name))
                for shape in _WITH_ARGUMENTS if has_arguments else _WITHOUT:
                    if self.shapes.get(name) != shape and self._may_be(name, shape):
                        yield name, shape

    def _may_be(self, name: bytes, shape: Shape) -> bool:
        if shape in ("arguments", "name") and not self._has_odd_arguments(name):
            return False
        if self._file_uses.may_be(name, shape):
            return True
        # In a declaration that has no body, nothing ends before an attribute.
        return shape == "nothing" and b"{" not in self._plain and self._file_uses.is_attribute(name)

    def _has_odd_arguments(self, name: bytes) -> bool:
        """Return True if the arguments of the only use, or of several, are not expressions."""
        calls = self._file_uses.arguments_of(name)
        if len(calls) < 2:
            return True
        failing = 0
        for each in dict.fromkeys(calls[:_CALLS]):
            trial = self._attempt(b"int x = f" + each + b";")
            failing += trial is not None and bool(trial.places)
        return failing > 1


def is_upper_case(name: bytes) -> bool:
    return _CAPITALS.match(name) is not None


def count_arguments(arguments: bytes) -> int:
    depth = count = 0
    for found in _PARTS.finditer(arguments):
        depth += {b"(": 1, b")": -1}.get(found[0], 0)
        count += found[0] == b"," and depth == 1
    return count + 1


def _blank_literal(literal: re.Match[bytes]) -> bytes:
    return literal[0][:1] + blank_out(literal[0][1:-1]) + literal[0][-1:]


def _list_candidates(text: bytes, place: Span, is_macro: Callable[[bytes], bool]) -> list[bytes]:
    """Return names that may be macros: calls around a place first, then the nearest."""
    start, end = max(0, place.start - _BEFORE), min(place.end, place.start + _BEFORE) + _BEHIND
    nearest = sorted(_NAME.finditer(text, start, end), key=lambda found: abs(found.start() - place.start))
    names = [*find_calls_around(text, place.start), *(found[0] for found in nearest)]
    found = (name for name in dict.fromkeys(names) if name not in KEYWORDS and is_macro(name))
    return list(islice(found, _NAMES))


def find_calls_around(text: bytes, at: int) -> Iterator[bytes]:
    """Yield the names before the parentheses that enclose an offset, the innermost first."""
    first, depth = max(0, at - _AROUND), 0
    for offset in range(at - 1, first - 1, -1):
        sign = text[offset : offset + 1]
        if sign in b";{}" and not depth:
            return
        if sign == b")":
            depth += 1
        elif sign == b"(" and depth:
            depth -= 1
        elif sign == b"(":
            called = _CALLED.search(text, max(first, offset - 100), offset)
            if called is not None:
                yield called[1]


_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^()\n]*(?:\\\r?\n[^()\n]*)*\))?"
    rb"((?:\\\r?\n|/\*(?s:.*?)\*/|[^\n])*)",
    re.MULTILINE,
)
_TOKENS = re.compile(COMMENT + rb"|" + LITERAL + rb"|[A-Za-z_]\w*|\d[\w.']*|\s+|##|.", re.DOTALL)
_CONTINUED = re.compile(rb"\\\r?\n")
_ATTRIBUTES = re.compile(
    rb"(?:\s|\b(?:__attribute__|__attribute|__declspec|_Pragma|__pragma)\s*"
    rb"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\[\[[^\[\]]*\]\]|\b__extension__\b)*\Z"
)
_NAMESPACES = re.compile(
    rb"(?:\s|(?:\b(?:inline|export)\s+)?\bnamespace\b[^{};]*\{|\bextern\s*\"C(?:\+\+)?\"\s*\{)+\Z|[\s}]+\Z"
)
"""Macros that begin or end namespaces, whose other half is another macro."""
_PLACEHOLDER = re.compile(rb"@(\w+)@")
"""A placeholder that ``configure`` replaces by a value."""
_WORD = re.compile(rb"[A-Za-z_]\w*\Z")
_DEPTH = 12
_SIZE, _TIMES = 120_000, 6
"""Bytes that an expansion may add: to any text, and for each byte of it."""


class MacroDefinition(msgspec.Struct, frozen=True):
    """One ``#define``."""

    offset: int  # byte offset in its file
    parameters: tuple[bytes, ...] | None  # names of the parameters, or None for a macro without arguments
    body: bytes  # replacement text; empty for attributes and for one end of a namespace


def find_definitions(text: bytes) -> dict[bytes, list[MacroDefinition]]:
    """Return the definitions of a text by name, in document order."""
    found: dict[bytes, list[MacroDefinition]] = {}
    for each in _DEFINE.finditer(text):
        body = re.sub(rb"\s+", b" ", _without_comments(_CONTINUED.sub(b" ", each[3])))
        body = _PLACEHOLDER.sub(rb"\1", body)
        parameter_list = each[2]
        parameters = None
        if parameter_list is not None:
            names = (part.strip() for part in _CONTINUED.sub(b" ", parameter_list[1:-1]).split(b","))
            parameters = tuple(name for name in names if name)
        body = b"" if _ATTRIBUTES.match(body) or _NAMESPACES.match(body) else body.strip()
        if body.count(b"{") != body.count(b"}"):  # the other half of the block is another macro
            body = b""
        found.setdefault(each[1], []).append(MacroDefinition(each.start(), parameters, body))
    return found


def _split_tokens(text: bytes) -> list[bytes]:
    return [each[0] for each in _TOKENS.finditer(text)]


def _without_comments(text: bytes) -> bytes:
    return b"".join(b" " if sign[:2] in (b"/*", b"//") else sign for sign in _split_tokens(text))


_STANDARD = {
    **{
        name: MacroDefinition(0, (b"a", b"t"), b"0") for name in (b"va_arg", b"__builtin_va_arg", b"offsetof")
    },
    b"__builtin_available": MacroDefinition(0, (b"v...",), b"1"),
    b"z_const": MacroDefinition(0, None, b"const"),
    **{name: MacroDefinition(0, (b"t",), b"0") for name in (b"alignof", b"_Alignof", b"__alignof__")},
}
_FORMAT = re.compile(rb"(?:PRI|SCN)[diouxX](?:LEAST|FAST)?(?:8|16|32|64|MAX|PTR)\Z")


class MacroTable:
    """The known macros of one file: its own definitions, and those of other files."""

    def __init__(
        self,
        own: Mapping[bytes, Sequence[MacroDefinition]],
        others: Mapping[bytes, Sequence[MacroDefinition]],
    ) -> None:
        self._own, self._others = own, others

    def __contains__(self, name: bytes) -> bool:
        return (
            name in self._own
            or name in self._others
            or name in _STANDARD
            or (name[:3] in (b"PRI", b"SCN") and _FORMAT.match(name) is not None)
        )

    def _definitions_of(self, name: bytes) -> list[MacroDefinition]:
        return [*self._own.get(name, ()), *self._others.get(name, ())]

    def needs_no_end(self, name: bytes) -> bool:
        """Return True if a definition of the macro is empty, an attribute or half of a block."""
        return any(not each.body for each in self._definitions_of(name))

    def counts(self, name: bytes) -> set[int]:
        """Return the numbers of arguments that a macro accepts, or nothing if unknown or variable."""
        parameter_lists = [
            each.parameters for each in self._definitions_of(name) if each.parameters is not None
        ]
        is_fixed = not any(each and each[-1].endswith(b"...") for each in parameter_lists)
        return {len(each) for each in parameter_lists} if is_fixed else set()

    def may_be_nothing(self, name: bytes) -> bool:
        """Return True if a macro has both an empty and another definition."""
        bodies = (each.body for each in self._definitions_of(name))
        return len({not body for body in bodies}) > 1

    def alternatives(self, name: bytes, offset: int) -> list[MacroDefinition]:
        """Return the definitions of a macro: the last one above an offset first, empty ones last."""
        if name in _STANDARD:
            return [_STANDARD[name]]
        own = self._own.get(name, ())
        own_above = [each for each in own if each.offset < offset][::-1]
        found = [*own_above, *(each for each in own if each.offset >= offset), *self._others.get(name, ())]
        if not found:
            return [MacroDefinition(0, None, b'"s"')]
        if own and own_above and len({each.body for each in own}) > 1 and own_above[0].body:
            return found
        return sorted(found, key=lambda each: not each.body)

    def expand(
        self,
        text: bytes,
        offset: int,
        choice: int,
        excluded: frozenset[bytes] = frozenset(),
        inside: Sequence[tuple[int, int]] | None = None,
    ) -> bytes | None:
        """Return a text without directives with its macros expanded, or None if the result is too large.

        The text begins at ``offset`` of its file. ``choice`` is the index of the definition to use, or of the
        last if there are fewer. Names in ``excluded`` are not expanded, nor is text outside the stretches
        ``inside`` (None for all of it).
        """
        return _Expansion(self, offset, choice, inside).expand(text, excluded)


class _Expansion:
    def __init__(
        self, table: MacroTable, offset: int, choice: int, inside: Sequence[tuple[int, int]] | None
    ) -> None:
        self._table, self._offset, self._choice = table, offset, choice
        self._start, self._inside = offset, inside
        self._bytes_left = 0

    def expand(self, text: bytes, excluded: frozenset[bytes]) -> bytes | None:
        self._bytes_left = _SIZE + _TIMES * len(text)
        expanded = b"".join(self._expand(_split_tokens(text), excluded, 0))
        return None if self._bytes_left < 0 else expanded

    def _expand(self, tokens: list[bytes], hidden: frozenset[bytes], depth: int) -> list[bytes]:
        found: list[bytes] = []
        at = 0
        while at < len(tokens):
            sign = tokens[at]
            at += 1
            self._offset += 0 if depth else len(sign)
            is_near = depth > 0 or self._is_inside(self._offset - self._start)
            is_macro = is_near and sign not in hidden and depth < _DEPTH and self._is_macro(sign)
            call = _find_arguments(tokens, at) if is_macro else None
            definition = self._choose_definition(sign, call[1] if call else None) if is_macro else None
            if definition is None:
                found.append(sign)
                continue
            arguments: list[list[bytes]] = []
            if definition.parameters is not None and call is not None:
                self._offset += 0 if depth else sum(map(len, tokens[at : call[0]]))
                at = call[0]
                arguments = [self._expand(each, hidden, depth + 1) for each in call[1]]
            body = _substitute_parameters(definition, arguments)
            self._bytes_left -= len(body)
            found += [b" ", *self._expand(body, hidden | {sign}, depth + 1), b" "]
        return found

    def _is_inside(self, at: int) -> bool:
        return self._inside is None or any(start <= at < end for start, end in self._inside)

    def _is_macro(self, sign: bytes) -> bool:
        return self._bytes_left >= 0 and _WORD.match(sign) is not None and sign in self._table

    def _choose_definition(self, name: bytes, arguments: list[list[bytes]] | None) -> MacroDefinition | None:
        """Return the chosen one of the definitions that match a use."""
        found = [
            each
            for each in self._table.alternatives(name, self._offset)
            if each.parameters is None or (arguments is not None and _accepts(each.parameters, arguments))
        ]
        return found[min(self._choice, len(found) - 1)] if found else None


def _find_arguments(tokens: list[bytes], at: int) -> tuple[int, list[list[bytes]]] | None:
    """Return the index after the arguments of a call, and the arguments, or None without a call."""
    while at < len(tokens) and (tokens[at].isspace() or tokens[at][:2] in (b"/*", b"//")):
        at += 1
    if at >= len(tokens) or tokens[at] != b"(":
        return None
    arguments: list[list[bytes]] = [[]]
    depth = 0
    for index in range(at, len(tokens)):
        sign = tokens[index]
        depth += (sign == b"(") - (sign == b")")
        if not depth:
            return index + 1, arguments
        if sign == b"," and depth == 1:
            arguments.append([])
        elif index > at:
            arguments[-1].append(sign)
    return None


def _accepts(parameters: Sequence[bytes], arguments: list[list[bytes]]) -> bool:
    if parameters and parameters[-1].endswith(b"..."):
        return len(arguments) >= len(parameters) - 1
    if not parameters:
        return len(arguments) == 1 and not b"".join(arguments[0]).strip()
    return len(arguments) == len(parameters)


def _substitute_parameters(definition: MacroDefinition, arguments: list[list[bytes]]) -> list[bytes]:
    values = _bind_arguments(definition.parameters or (), arguments)
    found: list[bytes] = []
    tokens = _split_tokens(definition.body)
    at = 0
    while at < len(tokens):
        sign = tokens[at]
        at += 1
        if sign == b"#" and at < len(tokens) and tokens[at].strip() in values:
            found.append(b'"s"')
            at += 1
        elif sign == b"##":
            while found and found[-1].isspace():
                found.pop()
            while at < len(tokens) and tokens[at].isspace():
                at += 1
            joined = values.get(tokens[at], [tokens[at]]) if at < len(tokens) else []
            is_rest = at < len(tokens) and tokens[at] == b"__VA_ARGS__"
            at += 1
            if is_rest and found and found[-1] == b",":
                found = [*found, *joined] if b"".join(joined).strip() else found[:-1]
            else:
                _join_tokens(found, joined)
        else:
            found += values.get(sign, [sign])
    return found


def _join_tokens(found: list[bytes], joined: Iterable[bytes]) -> None:
    rest = list(dropwhile(bytes.isspace, joined))
    if found and rest:
        found[-1] += rest.pop(0)
    found += rest


def _bind_arguments(parameters: Sequence[bytes], arguments: list[list[bytes]]) -> dict[bytes, list[bytes]]:
    values: dict[bytes, list[bytes]] = {}
    for number, name in enumerate(parameters):
        if name.endswith(b"..."):
            rest: list[bytes] = []
            for each in arguments[number:]:
                rest += [*([b","] if rest else []), *each]
            values[name[:-3].strip() or b"__VA_ARGS__"] = rest
        else:
            values[name] = arguments[number] if number < len(arguments) else []
    return values
