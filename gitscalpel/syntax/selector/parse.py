"""Parse a selector by `grammar.lark`; errors name the column."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path as File
from typing import Any

import lark
import msgspec

from gitscalpel.errors import BadCall

INTEGERS = (">", "<", ">=", "<=")
NUMBERS = ("start_line", "end_line", "children_count")
ATTRIBUTES = ("name", "qualname", "type", "kind", "module", *NUMBERS)
_WORDS = re.compile(r"[\w\s]+")
_HINT = 'write for example method[name="f"], class[name=A] > method:first, or Return[start_line>=10]'


class Test(msgspec.Struct, frozen=True):
    """``[attribute op value]``, and the column of the attribute, from 1."""

    attribute: str
    op: str
    value: str
    column: int = 1


class Pick(msgspec.Struct, frozen=True):
    """``:first``, ``:last`` and ``:nth(N)``: one of several, from 0, or from the end if negative."""

    number: int


class Filter(msgspec.Struct, frozen=True):
    """``:not(SELECTOR)`` and ``:has(SELECTOR)``."""

    name: str
    selector: Selector


Part = Test | Pick | Filter


class Step(msgspec.Struct, frozen=True):
    """One step of a path.

    Attributes:
        child: it stands directly in what the step before matched.
        type: an alias or a node type as it was written; ``*`` for any.
        column: where it stands, from 1.
        parts: tests and pseudos in their order.
    """

    child: bool
    type: str
    column: int
    parts: tuple[Part, ...]


Selector = tuple[tuple[Step, ...], ...]
"""Paths that are united."""


@lru_cache(maxsize=64)
def parse(text: str) -> Selector:
    """Read a selector.

    Raises:
        BadCall: ``query_syntax``, with the column.
    """
    if not text.strip():
        raise wrong(text, 1, "the selector is empty")
    try:
        tree = _parser().parse(text.strip())
    except lark.UnexpectedInput as error:
        at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
        at = len(text.rstrip()) + 1 if at_end else len(text) - len(text.lstrip()) + error.column
        raise wrong(text, at, _reason(text, at)) from None
    return _selector(tree, text)


def wrong(text: str, column: int, why: str) -> BadCall:
    """The refusal of a selector; who sends mere words looks for a name, or for text."""
    words, hint = f"{text!r}, column {column}: {why}", _HINT
    if _WORDS.fullmatch(text) and text.strip():
        name = text.rsplit(maxsplit=1)[-1]
        hint = f"a definition is found by its name, [name={name}]; find looks for text as well: "
        hint += f'text("{text.strip()}")'
    return BadCall("query_syntax", words, hint, column=column)


@cache
def _parser() -> lark.Lark:
    grammar = File(__file__).with_name("grammar.lark").read_text("utf-8")
    return lark.Lark(grammar, parser="lalr", start="selector")


def _reason(text: str, column: int) -> str:
    rest = text[column - 1 :]
    if rest.startswith(":nth"):
        return ":nth takes an integer, such as :nth(0) or :nth(-1)"
    if rest.startswith(":"):
        return f"there is no pseudo {rest.split('(')[0]}; there are :first :last :nth(N) :not(…) :has(…)"
    return f"{rest[:1]!r} does not fit here" if rest.strip() else "something is missing at the end"


def _selector(tree: Any, text: str) -> Selector:
    return tuple(_path(path, text) for path in tree.children if isinstance(path, lark.Tree))


def _path(tree: Any, text: str) -> tuple[Step, ...]:
    steps = []
    for child in tree.children:
        if isinstance(child, lark.Token):
            continue  # a leading //
        combinator, step = (
            (str(child.children[0]), child.children[1]) if child.data == "combined" else ("", child)
        )
        steps.append(_step(combinator.strip() == ">", step, text))
    return tuple(steps)


def _step(child: bool, tree: Any, text: str) -> Step:
    first = tree.children[0]
    named = isinstance(first, lark.Token)
    parts = tuple(_part(part, text) for part in (tree.children[1:] if named else tree.children))
    return Step(child, str(first) if named else "*", int(first.column) if named else 1, parts)


def _part(tree: Any, text: str) -> Part:
    if tree.data == "test":
        return _test(tree.children, text)
    if tree.data == "nth":
        return Pick(int(str(tree.children[0])[5:-1]))
    if tree.data in ("first", "last"):
        return Pick(0 if tree.data == "first" else -1)
    name = {"negation": "not", "holding": "has"}[tree.data]
    return Filter(name, _selector(tree.children[1], text))


def _test(tokens: Any, text: str) -> Test:
    _, name, op, value, _ = tokens
    attribute, op_text = str(name), str(op).strip()
    plain = str(value)[1:-1] if value.type in ("DOUBLE", "SINGLE") else str(value)
    if attribute not in ATTRIBUTES:
        from gitscalpel.syntax.selector.libcst_nodes import attributes

        if attribute not in attributes():
            raise unknown_attribute(text, name.column, attribute)
    if op_text in INTEGERS and not re.fullmatch("-?[0-9]{1,18}", plain):
        raise wrong(text, value.column, f"{op_text} compares integers, and {plain!r} is none")
    return Test(attribute, op_text, plain, int(name.column))


def unknown_attribute(text: str, column: int, attribute: str) -> BadCall:
    """Return the refusal of an attribute that nodes do not have."""
    return wrong(text, column, f"there is no attribute {attribute!r}; there are {', '.join(ATTRIBUTES)}")
