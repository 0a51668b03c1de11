"""From a symbol's address to exactly one symbol, or a refusal that lists the candidates."""

from __future__ import annotations

import re
from typing import Any

from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import ANONYMOUS, FUNCTIONS, TYPES, Symbol

_SEGMENT = re.compile(r'@?"(?P<quoted>[^"]*)"|`(?P<ticked>[^`]*)`|(?P<plain>[^."`]+)')
_LOOSE = re.compile(r"\s*([^\w\s])\s*")
_INDEX = re.compile(r"(?P<path>.*[^#])#(?P<n>[0-9]+)\Z", re.DOTALL)
_NAMED_FIRST = TYPES - {"impl", "extension"} | {"module"}
"""The kinds that a name means before those that may be about them."""


def resolve(outline: Outline, address: str, kind: str | None = None) -> Symbol:
    """The one symbol that ``address`` names.

    Raises:
        BadCall: ``invalid_args``, if the address cannot be read.
        DoesNotFit: ``symbol_not_found``, ``symbol_ambiguous``, ``index_out_of_range`` or
            ``kind_mismatch``, with the candidates in ``data``.
    """
    absolute, segments, index = parse(address)
    found = _candidates(outline, segments, absolute)
    if not found:  # spelt as in the source
        parts = tuple(part for segment in segments for part in segment.split(":") if part)
        found = _candidates(outline, parts, absolute) if parts else []
    if not found:
        raise _not_found(outline, address)
    of_kind = [s for s in found if kind is None or is_kind(s, kind)]
    if not of_kind:
        kinds = ", ".join(sorted({s.kind for s in found}))
        raise DoesNotFit(
            "kind_mismatch",
            f"{address} is a {kinds}, not a {kind}",
            f"leave kind out, or give kind {kinds}",
            candidates=candidates(found),
        )
    if index is not None:
        if not 1 <= index <= len(of_kind):
            raise DoesNotFit(
                "index_out_of_range",
                f"{address}: there are {len(of_kind)} of that name",
                f"count from #1 to #{len(of_kind)}, in document order",
                candidates=candidates(of_kind),
            )
        return of_kind[index - 1]
    foremost = _foremost(of_kind) if kind is None else _defined(of_kind)
    if len(foremost) > 1:
        raise _ambiguous(address, of_kind)
    return foremost[0]


def parse(address: str) -> tuple[bool, tuple[str, ...], int | None]:
    """Split an address into: absolute or not, its segments, and the ``#n`` at its end."""
    text = address.strip()
    absolute = text.startswith("/")
    text = text.removeprefix("/")
    numbered = _INDEX.match(text)
    index = int(numbered["n"]) if numbered else None
    text = numbered["path"] if numbered else text
    segments, at = [], 0
    while at < len(text):
        found = _SEGMENT.match(text, at)
        end = found.end() if found else at
        if not found or (end < len(text) and (text[end] != "." or end + 1 == len(text))):
            raise BadCall(
                "invalid_args",
                f"{address!r} is no symbol path: column {end + 1} does not fit",
                "write names with dots between them, such as Outer.inner; quote a name that has dots",
            )
        quoted = next((g for g in (found["quoted"], found["ticked"]) if g is not None), None)
        segments.append(found["plain"].strip() if quoted is None else quoted)
        at = end + 1
    if not segments:
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")
    return absolute, tuple(segments), index


def is_kind(symbol: Symbol, kind: str) -> bool:
    """Whether ``symbol`` is what ``kind`` asks for; a method is a function, too."""
    if kind == symbol.kind:
        return True
    return kind == "function" and symbol.kind in FUNCTIONS


def candidates(symbols: list[Symbol]) -> list[dict[str, Any]]:
    """The symbols as an error lists them, each with the address that picks it."""
    listed = []
    seen: dict[tuple[str, ...], int] = {}
    same = [s.path for s in symbols]
    for symbol in symbols:
        seen[symbol.path] = seen.get(symbol.path, 0) + 1
        several = same.count(symbol.path) > 1
        listed.append(
            {
                "symbol": f"{symbol.qualname}#{seen[symbol.path]}" if several else symbol.qualname,
                "kind": symbol.kind,
                "line": symbol.node.start_point.row + 1,
            }
        )
    return listed


def _candidates(outline: Outline, segments: tuple[str, ...], absolute: bool) -> list[Symbol]:
    exact, suffix, past = [], [], []
    asked = tuple(map(_tight, segments))
    for symbol in outline.walk():
        path = tuple(map(_tight, symbol.path))
        if path == asked:
            exact.append(symbol)
        elif path[-len(asked) :] == asked:
            suffix.append(symbol)
        elif _named(path)[-len(asked) :] == asked:
            past.append(symbol)
    return exact or ([] if absolute else suffix or past)


def _named(path: tuple[str, ...]) -> tuple[str, ...]:
    """A path without its anonymous classes, which nobody has to spell."""
    return tuple(segment for segment in path if segment != ANONYMOUS)


def _tight(segment: str) -> str:
    """A segment without the white space beside its signs: ``operator ==`` is ``operator==``."""
    return segment if segment.isidentifier() else _LOOSE.sub(r"\1", segment)


def _foremost(found: list[Symbol]) -> list[Symbol]:
    """Where only its impl blocks and constructors share a type's name, the type."""
    defined = _defined(found)
    types = [s for s in defined if s.kind in _NAMED_FIRST]
    return types if len(types) == 1 and all(_gives_way(s, types[0]) for s in defined) else defined


def _gives_way(symbol: Symbol, to: Symbol) -> bool:
    constructs = symbol.kind in FUNCTIONS and symbol.path == (*to.path, to.name)
    return symbol is to or constructs or symbol.kind in ("impl", "extension")


def _defined(found: list[Symbol]) -> list[Symbol]:
    """Without what only announces another of them."""
    paths = {s.path for s in found if not s.declared}
    return [s for s in found if not s.declared or not any(s.path[-len(path) :] == path for path in paths)]


def _not_found(outline: Outline, address: str) -> DoesNotFit:
    import difflib

    names = {s.qualname: s for s in outline.walk()}
    near = difflib.get_close_matches(address, names, 3, 0.5)
    last = address.rpartition(".")[2]
    near += [n for n, s in names.items() if s.name == last or s.name.lower() == last.lower()][:3]
    near = list(dict.fromkeys(near))
    hint = f"did you mean {' or '.join(near)}?" if near else "git scalpel outline lists the symbols of a file"
    return DoesNotFit(
        "symbol_not_found",
        f"there is no symbol {address} in this file",
        hint + ("" if names else "; it defines none"),
        candidates=candidates([names[n] for n in near]),
    )


def _ambiguous(address: str, found: list[Symbol]) -> DoesNotFit:
    listed = candidates(found)
    places = ", ".join(f"{c['symbol']} ({c['kind']}, line {c['line']})" for c in listed)
    return DoesNotFit(
        "symbol_ambiguous",
        f"{address} names {len(found)} symbols: {places}",
        "give the longer path or the #n of the one you mean, for example " + str(listed[0]["symbol"]),
        candidates=listed,
    )
