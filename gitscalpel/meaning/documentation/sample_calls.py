"""Arguments of calls as prose writes them: ``f(a, b=1)`` in a code span or block."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "\"'`"
_NAMED = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=(?![=>])")
_OMITTED = ("...", "\N{HORIZONTAL ELLIPSIS}", "[,")
"""Marks of a call that does not show all of its arguments."""


class SampleCall(NamedTuple):
    """Arguments of a call: how many are given by place, and the names of the others."""

    by_place: int
    by_name: frozenset[str]


def parse_call(text: str, at: int) -> SampleCall | None:
    """Return the arguments of the call whose bracket opens before ``at``.

    Returns:
        None if the call does not end in this text, or leaves arguments out.
    """
    arguments = _split(text, at)
    if arguments is None or any(mark in each for each in arguments for mark in _OMITTED):
        return None
    if any(each.lstrip().startswith("*") for each in arguments):
        return None
    named = [_NAMED.match(each) for each in arguments]
    return SampleCall(named.count(None), frozenset(each["name"] for each in named if each))


def _split(text: str, at: int) -> list[str] | None:
    """Return the arguments between two brackets; None if the second one is missing."""
    found, start, depth, quote = [], at, 0, ""
    for index in range(at, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in _QUOTES:
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        if depth < 0 or (sign == "," and not depth and not quote):
            found.append(text[start:index])
            start = index + 1
        if depth < 0:
            return [each for each in found if each.strip()]
    return None
