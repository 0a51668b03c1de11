"""Which definition of a file an address means that is to move."""

from __future__ import annotations

from itertools import pairwise

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
from gitscalpel.syntax import addresses as resolve
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

_OF_MODULES = frozenset({"__all__", "__dir__", "__getattr__"})
"""Names that the language reads of a module (https://docs.python.org/3/reference/datamodel.html#modules)."""


def found(files: Files, path: str, address: str) -> tuple[str, Symbol]:
    """A definition at the top level of a file, and the address that names it alone.

    Raises:
        DoesNotFit: ``symbol_not_found``, …; ``kind_mismatch``: it is not at the top level,
            or the language looks for it where it is.
    """
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    try:
        symbol = resolve.resolve(source.outline, address)
    except DoesNotFit as error:
        address = _first(source.outline, error)
        symbol = resolve.resolve(source.outline, address)
    if symbol.parent is not None or symbol.local:
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.qualname} is not at the top level of {path}",
            "move what it stands in, or make it a function of the module first",
        )
    if symbol.name in _OF_MODULES:
        raise DoesNotFit(
            "kind_mismatch",
            f"{symbol.name} is looked for in {path} itself",
            "write another one where it is to be, and delete this one",
        )
    return address, symbol


def _first(outline: Outline, error: DoesNotFit) -> str:
    """The address of a variable whose file gives it one value after the other: where it gets the first."""
    several = error.data.get("candidates", ()) if error.code == "symbol_ambiguous" else ()
    addresses = [each["symbol"] for each in several]
    symbols = [resolve.resolve(outline, each) for each in addresses]
    if symbols and all(is_overload(each) for each in symbols[:-1]) and _are_neighbours(symbols):
        return str(addresses[-1])
    for each in addresses:
        symbol = resolve.resolve(outline, each)
        if symbol.kind != "variable" or not is_unconditional(symbol):
            raise error
    if not addresses:
        raise error
    return str(addresses[0])


def overloads(files: Files, path: str, symbol: Symbol) -> list[Symbol]:
    """Return the overloads of a function that stand right before it, in their order."""
    source = files.source(path)
    assert source is not None  # noqa: S101 - it has been found
    alike = [
        each for each in source.outline.symbols if each.name == symbol.name and each.start < symbol.start
    ]
    return alike if alike and all(map(is_overload, alike)) and _are_neighbours([*alike, symbol]) else []


def is_overload(symbol: Symbol) -> bool:
    """Return True if a function only says how another definition may be called."""
    around = symbol.own if symbol.own.type == "decorated_definition" else symbol.own.parent
    decorators = around.named_children if around is not None else []
    said = [(each.text or b"").lstrip(b"@ ") for each in decorators if each.type == "decorator"]
    return symbol.kind == "function" and any(each.rpartition(b".")[2] == b"overload" for each in said)


def _are_neighbours(symbols: list[Symbol]) -> bool:
    """Return True if nothing but comments stands between symbols at the top level of a file."""
    tops = [each.own for each in symbols]
    tops = [n.parent if n.parent is not None and n.parent.type == "decorated_definition" else n for n in tops]
    for one, other in pairwise(tops):
        between = one.next_named_sibling
        while between is not None and between.type == "comment":
            between = between.next_named_sibling
        if between is None or between.id != other.id:
            return False
    return all(each.parent is not None and each.parent.type == "module" for each in tops)


def is_unconditional(symbol: Symbol) -> bool:
    """Whether it stands in no branch of its module."""
    around = symbol.own.parent
    return around is not None and around.type == "module"
