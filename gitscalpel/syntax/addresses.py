"""Addresses of symbols: their syntax, the addresses in an outline, and their resolution.

An address has dots between segments, quotes, positions ``[n]`` and a ``#n`` at its end. Each address that an
outline prints refers to one symbol; an ambiguous one is refused, with the candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg, call
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import ANONYMOUS, FUNCTIONS, TYPES, Symbol, quote_segment

PLACE = re.compile(r"\[[0-9]+\]")
_SEGMENT = re.compile(
    r'@?"(?P<quoted>(?:[^"]|"")*)"|`(?P<ticked>[^`]*)`'
    r'|(?P<place>\[[0-9]+\])|(?P<plain>[^."`]+?(?=\[[0-9]+\]|[."`]|\Z))'
)
_INDEX = re.compile(r"(?P<path>.*[^#])#(?P<n>[0-9]{1,18})\Z", re.DOTALL)


class Address(msgspec.Struct, frozen=True):
    """A parsed address; ``number`` counts from 1 and is None without ``#n``."""

    absolute: bool
    segments: tuple[str, ...]
    number: int | None


def iter_readings(address: str) -> Iterator[Address]:
    """Yield the possible readings of an address, the most likely first.

    An address without a match may be a literal name (``.btn``, ``1.0.0``), a path in the source's notation,
    or a name with dots and a name below it (``.btn.color``). Raises ``invalid_args`` if it has no reading.
    """
    numbered = _INDEX.match(address.strip())
    path_text = numbered["path"] if numbered else address.strip()
    number = int(numbered["n"]) if numbered else None
    refused: BadCall | None = None
    try:
        first = _parse(address)
        yield first
        split = ((segment, part) for segment in first.segments for part in segment.split(":"))
        parts = tuple(part for segment, part in split if part or not segment)  # "" is a name in data
    except BadCall as error:
        refused, parts = error, ()
    if path_text:
        yield Address(False, (path_text,), number)
    if parts:
        yield msgspec.structs.replace(first, segments=parts)
    for at in range(len(path_text) - 1, 0, -1):
        if path_text[at] == "." and path_text[at + 1 :]:
            yield Address(False, (path_text[:at], path_text[at + 1 :]), number)
    if refused is not None:
        raise refused


def _parse(address: str) -> Address:
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
        goes_on = text[end : end + 1] == "[" and _SEGMENT.match(text, end)
        if not found or (end < len(text) and not goes_on and (text[end] != "." or end + 1 == len(text))):
            raise BadCall(
                "invalid_args",
                f"{address!r} is not a symbol path: column {end + 1} is not valid",
                "separate names with dots, as in Outer.inner; quote a name that contains dots",
            )
        segments.append(_unquote_segment(found))
        at = end if goes_on else end + 1
    if not segments:
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")
    return Address(absolute, tuple(segments), index)


def _unquote_segment(found: re.Match[str]) -> str:
    if found["quoted"] is not None:
        return found["quoted"].replace('""', '"')
    return found["ticked"] if found["ticked"] is not None else (found["place"] or found["plain"]).strip()


def list_addresses(outline: Outline) -> dict[int, str]:
    """Return a unique address for each symbol, by its ``id()``.

    The address is the symbol's path, from the nearest anchor (``#id``) if it has one, with ``#n`` if several
    symbols share it.
    """
    addresses = {id(symbol): _spell_address(symbol) for symbol in outline.walk()}
    counts = Counter(addresses.values())
    seen: Counter[str] = Counter()
    for symbol in outline.walk():
        name = addresses[id(symbol)]
        if counts[name] > 1:
            seen[name] += 1
            addresses[id(symbol)] = f"{name}#{seen[name]}"
    return addresses


def _spell_address(symbol: Symbol) -> str:
    line = symbol.line
    start = next((n for n in range(len(line) - 1, -1, -1) if line[n].anchor is not None), None)
    if start is None:
        return symbol.qualname
    tail = [quote_segment(segment) for each in line[start + 1 :] for segment in each.own_path]
    return ".".join([str(line[start].anchor), *tail]).replace(".[", "[")


_NAMED_FIRST = TYPES - {"impl", "extension"} | {"module"}
"""Kinds that a name refers to first, before their impl blocks and extensions."""
_SUFFIX, _NOT_AT_ALL = 2, 5
_SHOWN = 20
"""Maximum number of candidates in the message of an ambiguous address; its data has all."""
_LOOSE = re.compile(r"\s*([^\w\s])\s*")
_BRACKETED = re.compile(r"\A\(([^\w\s()]+)\)\Z")


def resolve_address(outline: Outline, address: str, kind: str | None = None) -> Symbol:
    """Return the only symbol with this address.

    Raises:
        BadCall: ``invalid_args``, if the address cannot be read.
        DoesNotFit: ``symbol_not_found``, ``symbol_ambiguous``, ``index_out_of_range`` or
            ``kind_mismatch``, with the candidates in ``data``.
    """
    for reading in iter_readings(address):
        found = _best_matches(outline, reading.segments, reading.absolute)
        if found:
            break
    if not found:
        raise _not_found_error(outline, address)
    of_kind = [s for s in found if kind is None or is_kind(s, kind)]
    if not of_kind:
        kinds = ", ".join(sorted({s.kind for s in found}))
        raise DoesNotFit(
            "kind_mismatch",
            f"{address} is a {kinds}, not a {kind}",
            f"leave {arg('kind')} out, or give {arg('kind', kinds)}",
            candidates=describe_candidates(found),
        )
    index = reading.number
    if index is not None:
        if not 1 <= index <= len(of_kind):
            raise DoesNotFit(
                "index_out_of_range",
                f"{address}: only {len(of_kind)} symbols have that name",
                f"use #1 to #{len(of_kind)}, in document order",
                candidates=describe_candidates(of_kind),
            )
        return of_kind[index - 1]
    foremost = _prefer_type(of_kind) if kind is None else _drop_announcements(of_kind)
    if len(foremost) > 1:
        raise _ambiguous_error(address, of_kind)
    return foremost[0]


def address_of(outline: Outline, symbol: Symbol) -> str:
    """Return an address of a symbol in an outline: its path, with a number if others share it."""
    same_path = [each for each in outline.walk() if each.path == symbol.path]
    is_alone = len(same_path) < 2 or _prefer_type(same_path) == [symbol]
    return symbol.qualname if is_alone else f"{symbol.qualname}#{same_path.index(symbol) + 1}"


def is_kind(symbol: Symbol, kind: str) -> bool:
    """Return True if ``symbol`` is of a kind. A method is a function, too."""
    if kind == symbol.kind:
        return True
    return kind == "function" and symbol.kind in FUNCTIONS


def _line_of(symbol: Symbol) -> int:
    lead = (symbol.node.text or b"")[: symbol.start - symbol.node.start_byte] if symbol.verbatim else b""
    return symbol.node.start_point.row + 1 + lead.count(b"\n")


def describe_candidates(symbols: list[Symbol]) -> list[dict[str, Any]]:
    """Return the symbols for an error, each with its unique address."""
    listed = []
    counts, seen = Counter(s.path for s in symbols), Counter[tuple[str, ...]]()
    for symbol in symbols:
        seen[symbol.path] += 1
        number = f"#{seen[symbol.path]}" if counts[symbol.path] > 1 else ""
        listed.append({"symbol": symbol.qualname + number, "kind": symbol.kind, "line": _line_of(symbol)})
    return listed


def _best_matches(outline: Outline, segments: tuple[str, ...], absolute: bool) -> list[Symbol]:
    """Return the best matches of a path: exact or ignoring white space, the whole path or its end."""
    compact = tuple(map(_compact, segments))
    matches_by_rank: dict[int, list[Symbol]] = {}
    for symbol in outline.walk():
        if compact[-1] in (symbol.anchor, _compact(symbol.name)):
            matches_by_rank.setdefault(_rank_match(symbol, segments, compact), []).append(symbol)
    best = min(matches_by_rank, default=_NOT_AT_ALL)
    if best < (_SUFFIX if absolute else _NOT_AT_ALL):
        return matches_by_rank[best]
    return _find_numbered(outline, compact, absolute) if any(map(PLACE.match, compact)) else []


def _rank_match(symbol: Symbol, segments: tuple[str, ...], compact: tuple[str, ...]) -> int:
    """Return the rank of a match, from 0; higher is worse."""
    path = tuple(map(_compact, symbol.path))
    if symbol.path == segments:
        return 0
    if path == compact:
        return 1
    ends = path, _find_anchor_path(symbol), tuple(segment for segment in path if segment != ANONYMOUS)
    return next(
        (_SUFFIX + n for n, end in enumerate(ends) if end[-len(compact) :] == compact),
        _NOT_AT_ALL,
    )


def _find_anchor_path(symbol: Symbol) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for ancestor in reversed(symbol.line):
        if ancestor.anchor is not None:
            return (ancestor.anchor, *found)
        found = (*ancestor.own_path, *found)
    return ()


def _find_numbered(outline: Outline, compact: tuple[str, ...], absolute: bool) -> list[Symbol]:
    """Return the matches of a path that counts siblings of one name from 0 (``Project.ItemGroup[1]``).

    Definitions cannot be counted this way, and list items have their own positions.
    """
    return [s for s in outline.walk() if _has_indices(s, list(compact), outline.places, absolute)]


def _has_indices(symbol: Symbol, rest: list[str], places: dict[int, int], absolute: bool) -> bool:
    for owner in reversed(symbol.line):
        if not rest:
            return not absolute
        is_counted = PLACE.match(rest[-1]) and owner.index is None
        if is_counted and (owner.defines or owner.kind == "key" or rest.pop() != f"[{places[id(owner)]}]"):
            return False
        own = [_compact(segment) for segment in owner.own_path]
        if rest[-len(own) :] != own:
            return False
        del rest[-len(own) :]
    return not rest


def _compact(segment: str) -> str:
    """Return a segment without spaces around operators (``operator==``), or enclosing parentheses (``+``)."""
    return segment if segment.isidentifier() else _BRACKETED.sub(r"\1", _LOOSE.sub(r"\1", segment))


def _prefer_type(found: list[Symbol]) -> list[Symbol]:
    """Return the type, if the others of the name are only its impl blocks and constructors."""
    defined = _drop_announcements(found)
    types = [s for s in defined if s.kind in _NAMED_FIRST]
    return types if len(types) == 1 and all(_yields_to_type(s, types[0]) for s in defined) else defined


def _yields_to_type(symbol: Symbol, to: Symbol) -> bool:
    constructs = symbol.kind in FUNCTIONS and symbol.path == (*to.path, to.name)
    return symbol is to or constructs or symbol.kind in ("impl", "extension")


def _drop_announcements(found: list[Symbol]) -> list[Symbol]:
    paths = {s.path for s in found if not s.declared}
    return [s for s in found if not s.declared or not any(s.path[-len(path) :] == path for path in paths)]


def _not_found_error(outline: Outline, address: str) -> DoesNotFit:
    import difflib

    names = {s.qualname: s for s in outline.walk()}
    similar = difflib.get_close_matches(address, names, 3, 0.5)
    last = address.rpartition(".")[2]
    similar += [n for n, s in names.items() if s.name == last or s.name.lower() == last.lower()][:3]
    similar = list(dict.fromkeys(similar))
    hint = (
        f"did you mean {' or '.join(similar)}?"
        if similar
        else f"{call('outline')} lists the symbols of a file"
    )
    return DoesNotFit(
        "symbol_not_found",
        f"no such symbol in this file: {address}",
        hint + ("" if names else "; it defines none"),
        candidates=describe_candidates([names[n] for n in similar]),
    )


def _ambiguous_error(address: str, found: list[Symbol]) -> DoesNotFit:
    listed = describe_candidates(found)
    places = ", ".join(f"{each['symbol']} ({each['kind']}, line {each['line']})" for each in listed[:_SHOWN])
    places += f", and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return DoesNotFit(
        "symbol_ambiguous",
        f"{address} names {len(found)} symbols: {places}",
        "give a longer path, or add #n to choose one, for example " + str(listed[0]["symbol"]),
        candidates=listed,
    )
