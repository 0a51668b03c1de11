"""How a symbol's address is read: dots between segments, quotes, places ``[n]`` and a ``#n`` at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from gitscalpel.errors import BadCall

PLACE = re.compile(r"\[[0-9]+\]")
_SEGMENT = re.compile(
    r'@?"(?P<quoted>(?:[^"]|"")*)"|`(?P<ticked>[^`]*)`'
    r'|(?P<place>\[[0-9]+\])|(?P<plain>[^."`]+?(?=\[[0-9]+\]|[."`]|\Z))'
)
_INDEX = re.compile(r"(?P<path>.*[^#])#(?P<n>[0-9]{1,18})\Z", re.DOTALL)


class Address(msgspec.Struct, frozen=True):
    """An address in its parts; ``number`` counts from 1, None where there is none."""

    absolute: bool
    segments: tuple[str, ...]
    number: int | None


def readings(address: str) -> Iterator[Address]:
    """What an address may mean, the likeliest first.

    What fits nothing may be a name as it stands (``.btn``, ``1.0.0``), a path as the source spells it,
    or a name with dots and one below it (``.btn.color``).

    Raises:
        BadCall: ``invalid_args``, if it is no path, and the caller does not take it for a name.
    """
    numbered = _INDEX.match(address.strip())
    whole = numbered["path"] if numbered else address.strip()
    number = int(numbered["n"]) if numbered else None
    refused: BadCall | None = None
    try:
        first = _parse(address)
        yield first
        split = ((segment, part) for segment in first.segments for part in segment.split(":"))
        parts = tuple(part for segment, part in split if part or not segment)  # "" is a name in data
    except BadCall as error:
        refused, parts = error, ()
    if whole:
        yield Address(False, (whole,), number)
    if parts:
        yield msgspec.structs.replace(first, segments=parts)
    for at in range(len(whole) - 1, 0, -1):
        if whole[at] == "." and whole[at + 1 :]:
            yield Address(False, (whole[:at], whole[at + 1 :]), number)
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
                f"{address!r} is not a symbol path: column {end + 1} does not fit",
                "write names with dots between them, such as Outer.inner; quote a name that has dots",
            )
        segments.append(_segment(found))
        at = end if goes_on else end + 1
    if not segments:
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")
    return Address(absolute, tuple(segments), index)


def _segment(found: re.Match[str]) -> str:
    """A segment without its quotes, in which a double quote is written twice."""
    if found["quoted"] is not None:
        return found["quoted"].replace('""', '"')
    return found["ticked"] if found["ticked"] is not None else (found["place"] or found["plain"]).strip()
