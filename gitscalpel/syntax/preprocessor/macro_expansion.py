"""Macro definitions, and texts in which their uses are expanded as the preprocessor does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gitscalpel.syntax.preprocessor.items import COMMENT, LITERAL

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
"""What ``configure`` puts a value in for."""
_WORD = re.compile(rb"[A-Za-z_]\w*\Z")
_DEPTH = 12
_SIZE, _TIMES = 120_000, 6
"""Bytes that an expansion may add: to any text, and for each byte of it."""


class Definition(msgspec.Struct, frozen=True):
    """One ``#define``.

    Attributes:
        offset: the byte at which it stands in its file.
        parameters: the names of the parameters; None if the macro takes no arguments.
        body: what a use is replaced by; empty for attributes and for one end of a namespace.
    """

    offset: int
    parameters: tuple[bytes, ...] | None
    body: bytes


def find_definitions(text: bytes) -> dict[bytes, list[Definition]]:
    """Return the definitions of a text by name, in document order."""
    found: dict[bytes, list[Definition]] = {}
    for each in _DEFINE.finditer(text):
        body = re.sub(rb"\s+", b" ", _without_comments(_CONTINUED.sub(b" ", each[3])))
        body = _PLACEHOLDER.sub(rb"\1", body)
        given = each[2]
        parameters = None
        if given is not None:
            names = (part.strip() for part in _CONTINUED.sub(b" ", given[1:-1]).split(b","))
            parameters = tuple(name for name in names if name)
        body = b"" if _ATTRIBUTES.match(body) or _NAMESPACES.match(body) else body.strip()
        if body.count(b"{") != body.count(b"}"):  # the other half of the block is another macro
            body = b""
        found.setdefault(each[1], []).append(Definition(each.start(), parameters, body))
    return found


def _tokens(text: bytes) -> list[bytes]:
    return [each[0] for each in _TOKENS.finditer(text)]


def _without_comments(text: bytes) -> bytes:
    return b"".join(b" " if sign[:2] in (b"/*", b"//") else sign for sign in _tokens(text))


_STANDARD = {
    **{name: Definition(0, (b"a", b"t"), b"0") for name in (b"va_arg", b"__builtin_va_arg", b"offsetof")},
    b"__builtin_available": Definition(0, (b"v...",), b"1"),
    b"z_const": Definition(0, None, b"const"),
    **{name: Definition(0, (b"t",), b"0") for name in (b"alignof", b"_Alignof", b"__alignof__")},
}
_FORMAT = re.compile(rb"(?:PRI|SCN)[diouxX](?:LEAST|FAST)?(?:8|16|32|64|MAX|PTR)\Z")


class MacroTable:
    """The macros that are known in one file.

    Args:
        own: the definitions of the file itself.
        others: those of other files.
    """

    def __init__(
        self, own: Mapping[bytes, Sequence[Definition]], others: Mapping[bytes, Sequence[Definition]]
    ) -> None:
        self._own, self._others = own, others

    def __contains__(self, name: bytes) -> bool:
        return (
            name in self._own
            or name in self._others
            or name in _STANDARD
            or (name[:3] in (b"PRI", b"SCN") and _FORMAT.match(name) is not None)
        )

    def needs_no_end(self, name: bytes) -> bool:
        """Return True if a macro is nothing, an attribute or half of a block by one of its definitions."""
        return any(not each.body for each in (*self._own.get(name, ()), *self._others.get(name, ())))

    def counts(self, name: bytes) -> set[int]:
        """Return the numbers of arguments that a macro takes; none if that is not known or not fixed."""
        found = [*self._own.get(name, ()), *self._others.get(name, ())]
        given = [each.parameters for each in found if each.parameters is not None]
        is_fixed = not any(each and each[-1].endswith(b"...") for each in given)
        return {len(each) for each in given} if is_fixed else set()

    def may_be_nothing(self, name: bytes) -> bool:
        """Return True if a macro is nothing by one of its definitions, and something by another."""
        bodies = (each.body for each in (*self._own.get(name, ()), *self._others.get(name, ())))
        return len({not body for body in bodies}) > 1

    def alternatives(self, name: bytes, offset: int) -> list[Definition]:
        """Return the definitions of a macro, the last one above an offset first, empty ones last."""
        if name in _STANDARD:
            return [_STANDARD[name]]
        own = self._own.get(name, ())
        above = [each for each in own if each.offset < offset][::-1]
        found = [*above, *(each for each in own if each.offset >= offset), *self._others.get(name, ())]
        if not found:
            return [Definition(0, None, b'"s"')]
        if own and above and len({each.body for each in own}) > 1 and above[0].body:
            return found
        return sorted(found, key=lambda each: not each.body)

    def expand(
        self,
        text: bytes,
        offset: int,
        choice: int,
        kept: frozenset[bytes] = frozenset(),
        inside: Sequence[tuple[int, int]] | None = None,
    ) -> bytes | None:
        """Return a text with its macros expanded; None if that takes too much room.

        Args:
            text: a text without directives.
            offset: where it begins in its file.
            choice: which of several definitions to take, from 0; the last if there are fewer.
            kept: names that are not expanded.
            inside: stretches of the text in which macros are expanded; None for all of it.
        """
        return _Expansion(self, offset, choice, inside).expand(text, kept)


class _Expansion:
    def __init__(
        self, table: MacroTable, offset: int, choice: int, inside: Sequence[tuple[int, int]] | None
    ) -> None:
        self._table, self._offset, self._choice = table, offset, choice
        self._start, self._inside = offset, inside
        self._left = 0

    def expand(self, text: bytes, kept: frozenset[bytes]) -> bytes | None:
        self._left = _SIZE + _TIMES * len(text)
        expanded = b"".join(self._expand(_tokens(text), kept, 0))
        return None if self._left < 0 else expanded

    def _expand(self, tokens: list[bytes], hidden: frozenset[bytes], depth: int) -> list[bytes]:
        found: list[bytes] = []
        at = 0
        while at < len(tokens):
            sign = tokens[at]
            at += 1
            self._offset += 0 if depth else len(sign)
            is_near = depth > 0 or self._is_inside(self._offset - self._start)
            is_macro = is_near and sign not in hidden and depth < _DEPTH and self._is_macro(sign)
            behind = _arguments(tokens, at) if is_macro else None
            definition = self._definition(sign, behind[1] if behind else None) if is_macro else None
            if definition is None:
                found.append(sign)
                continue
            arguments: list[list[bytes]] = []
            if definition.parameters is not None and behind is not None:
                self._offset += 0 if depth else sum(map(len, tokens[at : behind[0]]))
                at = behind[0]
                arguments = [self._expand(each, hidden, depth + 1) for each in behind[1]]
            body = _substituted(definition, arguments)
            self._left -= len(body)
            found += [b" ", *self._expand(body, hidden | {sign}, depth + 1), b" "]
        return found

    def _is_inside(self, at: int) -> bool:
        return self._inside is None or any(start <= at < end for start, end in self._inside)

    def _is_macro(self, sign: bytes) -> bool:
        return self._left >= 0 and _WORD.match(sign) is not None and sign in self._table

    def _definition(self, name: bytes, arguments: list[list[bytes]] | None) -> Definition | None:
        """Return the chosen one of the definitions that fit a use."""
        found = [
            each
            for each in self._table.alternatives(name, self._offset)
            if each.parameters is None or (arguments is not None and _fits(each.parameters, arguments))
        ]
        return found[min(self._choice, len(found) - 1)] if found else None


def _arguments(tokens: list[bytes], at: int) -> tuple[int, list[list[bytes]]] | None:
    """Return the index behind the arguments of a call and these; None if none begin here."""
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


def _fits(parameters: Sequence[bytes], arguments: list[list[bytes]]) -> bool:
    """Return True if a call has as many arguments as its macro takes."""
    if parameters and parameters[-1].endswith(b"..."):
        return len(arguments) >= len(parameters) - 1
    if not parameters:
        return len(arguments) == 1 and not b"".join(arguments[0]).strip()
    return len(arguments) == len(parameters)


def _substituted(definition: Definition, arguments: list[list[bytes]]) -> list[bytes]:
    values = _values(definition.parameters or (), arguments)
    found: list[bytes] = []
    tokens = _tokens(definition.body)
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
                _join(found, joined)
        else:
            found += values.get(sign, [sign])
    return found


def _join(found: list[bytes], joined: Iterable[bytes]) -> None:
    rest = list(joined)
    while rest and rest[0].isspace():
        rest.pop(0)
    if not found or not rest:
        found += rest
        return
    found[-1] = found[-1] + rest.pop(0)
    found += rest


def _values(parameters: Sequence[bytes], arguments: list[list[bytes]]) -> dict[bytes, list[bytes]]:
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
