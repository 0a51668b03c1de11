"""How code is spelt: comments and modifiers of each language, mutations, and how it is indented."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from gitscalpel.syntax.symbols import Symbol
from tests.generator.fixtures import Fixture, begin

PHRASES = (
    "... existing code ...",
    "... rest unchanged ...",
    "... rest of the code unchanged ...",
    "... existing code",
)
MARK = "Anew"
"""What a copy's name ends with."""
_BRACKETED = {
    **dict.fromkeys(("markdown", "html", "xml"), ("<!-- ", " -->")),
    **dict.fromkeys(("css",), ("/* ", " */")),
    **dict.fromkeys(("ocaml", "ocaml_interface"), ("(* ", " *)")),
}
_WITHOUT = frozenset({"json", "rst"})
WORDS = {
    "java": "public private protected static final abstract synchronized",
    "csharp": "public private protected internal static sealed virtual async partial readonly",
    "php": "public private protected static final abstract readonly",
    "kotlin": "public private protected internal open abstract override suspend inline",
    "scala": "private protected final lazy implicit override sealed",
    "swift": "public private fileprivate internal static final open override",
    "typescript": "public private protected static readonly abstract async declare",
    "tsx": "public private protected static readonly abstract async",
    "javascript": "static async",
    "python": "async",
    "rust": "pub const async unsafe",
    "cpp": "static virtual inline constexpr explicit",
    "c": "static inline const extern",
    "dart": "static final late abstract external const",
    "zig": "pub inline export extern",
}


def comment(language: str, line_comment: bytes, words: str) -> str | None:
    """A comment on a line of its own; None where the language has none."""
    if language in _WITHOUT:
        return None
    opening, closing = _BRACKETED.get(language, (line_comment.decode() + " ", ""))
    return f"{opening}{words}{closing}" if opening.strip() else None


def remark(fixture: Fixture, words: str) -> str | None:
    """A comment in the fixture's language."""
    return comment(fixture.language, fixture.source.rules.line_comment, words)


def indentation(line: str) -> str:
    """The blanks that begin a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def rows_in_strings(fixture: Fixture, start: int, own: str) -> set[int]:
    """The rows of a part of the text, from 0, that begin inside a string, or behind a backslash."""
    first = fixture.raw.count(b"\n", 0, start)
    goes_on = {n + 1 for n, line in enumerate(own.split("\n")) if line.rstrip("\r").endswith("\\")}
    return goes_on | {row - first for row in fixture.string_rows if 0 < row - first <= own.count("\n")}


def spelt(
    rng: random.Random, fixture: Fixture, start: int, own: str, ways: Sequence[str] = ("bare", "full", "flat")
) -> str:
    """``own``, which is to stand at ``start``, as it may be sent: as it stands, or dedented."""
    line_start = fixture.raw.rfind(b"\n", 0, start) + 1
    margin = fixture.raw[line_start:start].decode()
    own = own.replace("\r\n", "\n")
    lines = own.split("\n")
    strings = rows_in_strings(fixture, start, own)
    free = [line for n, line in enumerate(lines[1:], 1) if n not in strings and line.strip()]
    if margin.strip() or not margin or not all(line.startswith(margin) for line in free):
        return own
    how = rng.choice([way for way in ways if way != "flat" or not strings])
    if how == "full":
        return margin + own
    if how == "flat":
        return "\n".join([lines[0], *(line.removeprefix(margin) for line in lines[1:])])
    return own


def mutated(rng: random.Random, fixture: Fixture, symbol: Symbol) -> str | None:
    """A symbol's text with one thing changed behind its header."""
    first = begin(symbol)
    own, header = fixture.own(first, symbol.end), fixture.own(first, symbol.header_end)
    body = own[len(header) :]
    how = rng.choice((_number, _word, _dropped, _remarked))
    changed = how(rng, fixture, body, rows_in_strings(fixture, first, own), header.count("\n"))
    return None if changed is None or changed == body else header + changed


def _number(rng: random.Random, fixture: Fixture, body: str, strings: set[int], above: int) -> str | None:
    found = list(re.finditer(r"\b\d+\b", body))
    if not found:
        return None
    at = rng.choice(found)
    return body[: at.start()] + str(int(at[0]) + 40) + body[at.end() :]


def _word(rng: random.Random, fixture: Fixture, body: str, strings: set[int], above: int) -> str | None:
    found = list(re.finditer(r"\b[a-z]{3,}\b", body))
    if not found:
        return None
    at = rng.choice(found)
    return body[: at.start()] + at[0] + "Changed" + body[at.end() :]


def _dropped(rng: random.Random, fixture: Fixture, body: str, strings: set[int], above: int) -> str | None:
    lines = body.split("\n")
    if len(lines) < 4:
        return None
    at = rng.randrange(1, len(lines) - 1)
    return "\n".join(lines[:at] + lines[at + rng.choice((1, 1, 2)) :]) if at < len(lines) - 2 else None


def _remarked(rng: random.Random, fixture: Fixture, body: str, strings: set[int], above: int) -> str | None:
    lines, said = body.split("\n"), remark(fixture, "looked at")
    if len(lines) < 3 or said is None:
        return None
    at = rng.randrange(1, len(lines))
    if at + above in strings or not lines[at].strip():
        return None
    ending = "\r" if lines[at - 1].endswith("\r") else ""
    return "\n".join([*lines[:at], indentation(lines[at]) + said + ending, *lines[at:]])


def renamed(fixture: Fixture, symbol: Symbol, mark: str = MARK) -> str | None:
    """A symbol's text under another name; None where that is no simple word, or is not its own."""
    name = symbol.name
    header = fixture.own(begin(symbol), symbol.header_end)
    if _is_special(fixture, symbol) or not re.fullmatch(r"[^\W\d]\w*", name):
        return None
    text, count = re.subn(rf"(?<![\w$]){re.escape(name)}(?!\w)", name + mark, header)
    if fixture.language == "haskell" and re.search(
        rf"^[ \t]*{re.escape(name)}\b", body_of(fixture, symbol), re.M
    ):
        return None  # one of several clauses
    if fixture.language == "rst":  # its lines are as long as the title
        text = re.sub(r"^([=~+-])\1+", lambda m: m[0] + m[1] * len(mark), text, flags=re.MULTILINE)
    body = body_of(fixture, symbol)
    body = re.sub(rf"</{re.escape(name)}>(?=\s*(<!--.*)?\Z)", f"</{name}{mark}>", body)
    return text + body if count == 1 else None


def body_of(fixture: Fixture, symbol: Symbol) -> str:
    """What stands behind a symbol's header."""
    return fixture.own(symbol.header_end, symbol.end)


def _is_special(fixture: Fixture, symbol: Symbol) -> bool:
    """Whether its name is not its own, or it is a part of a statement that others share."""
    named_after = symbol.parent is not None and symbol.parent.name == symbol.name
    word = symbol.kind in ("constructor", "item") or symbol.name in ("defstruct", "defexception")
    siblings = symbol.parent.children if symbol.parent else fixture.outline.symbols
    line = fixture.source.document.line_at
    beside = [s for s in siblings if s.kind == symbol.kind and line(s.start) == line(symbol.start)]
    bound = len(fixture.outline.bound_with(symbol)) > 1
    within = symbol.parent is not None and line(symbol.parent.start) == line(symbol.start)
    shares = symbol.defines and (len(beside) > 1 or (within and fixture.source.rules.blocks == "indent"))
    return bound or named_after or word or shares or "$$" in fixture.own(symbol.start, symbol.end)
