"""Selectors: so far one step, ``TYPE[attribute op value]…``, of definitions."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from gitscalpel.errors import BadCall
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Symbol

_TYPE = re.compile(r"\s*(?:\*|(?P<type>[A-Za-z_]\w*))?")
_TEST = re.compile(
    r"""\[\s*@?(?P<attribute>\w+)\s*(?P<op>[~^$!]?=)\s*
    (?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\]\s"']+))\s*\]""",
    re.VERBOSE,
)
_TESTS: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "~=": operator.contains,
    "^=": str.startswith,
    "$=": str.endswith,
}


class Test(NamedTuple):
    """One ``[attribute op value]``."""

    attribute: str
    op: str
    value: str


def select(outline: Outline, selector: str) -> list[Symbol]:
    """The definitions that ``selector`` matches, in document order.

    Raises:
        BadCall: ``query_syntax``, with the column.
    """
    alias, tests = parse(selector)
    return [
        symbol
        for symbol in outline.walk()
        if _is(symbol, alias) and all(_TESTS[t.op](_attribute(symbol, t.attribute), t.value) for t in tests)
    ]


def parse(selector: str) -> tuple[str, list[Test]]:
    """Split a selector into its type (lower case, ``*`` if none) and its tests."""
    head = _TYPE.match(selector)
    alias = ((head["type"] if head else None) or "*").lower()
    at = head.end() if head else 0
    if alias not in ("*", "class", "function", "method"):
        raise _wrong(selector, 0, f"there is no type {alias!r}; there are class, function and method")
    tests = []
    while at < len(selector.rstrip()):
        test = _TEST.match(selector, at)
        if not test:
            raise _wrong(selector, at, "an attribute test such as [name=f] would fit here")
        if test["attribute"] not in ("name", "qualname", "kind"):
            raise _wrong(
                selector, at, f"there is no attribute {test['attribute']!r}; use name, qualname or kind"
            )
        value = next(v for v in (test["double"], test["single"], test["bare"]) if v is not None)
        tests.append(Test(test["attribute"], test["op"], value))
        at = test.end()
    if not selector.strip():
        raise _wrong(selector, 0, "the selector is empty")
    return alias, tests


def _is(symbol: Symbol, alias: str) -> bool:
    brings_type = symbol.kind == "method" and len(symbol.segments) > 1
    in_type = brings_type or (symbol.parent is not None and symbol.parent.kind in TYPES)
    return (
        alias == "*"
        or (alias == "class" and symbol.kind in TYPES)
        or (alias == "method" and symbol.kind in FUNCTIONS and in_type)
        or (alias == "function" and symbol.kind in FUNCTIONS and not in_type and not symbol.local)
    )


def _attribute(symbol: Symbol, name: str) -> str:
    return str(getattr(symbol, name))


def _wrong(selector: str, at: int, why: str) -> BadCall:
    return BadCall(
        "query_syntax",
        f"{selector!r}, column {at + 1}: {why}",
        "write for example function[name=f] or method[qualname=A.m]",
        column=at + 1,
    )
