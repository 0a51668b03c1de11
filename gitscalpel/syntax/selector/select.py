"""Find the nodes that a selector matches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selector.node_model import ALIASES, Place, Places, types
from gitscalpel.syntax.selector.parse import (
    ATTRIBUTES,
    Filter,
    Part,
    Pick,
    Selector,
    Step,
    Test,
    parse,
    unknown_attribute,
    wrong,
)

if TYPE_CHECKING:
    from gitscalpel.syntax.selector.libcst_nodes import CstPlace

    Found = Place | CstPlace

_STRINGS: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "~=": operator.contains,
    "^=": str.startswith,
    "$=": str.endswith,
}
_INTEGERS: dict[str, Callable[[int, int], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


class _Node(Protocol):
    @property
    def id(self) -> int: ...


class _Place(Protocol):
    @property
    def node(self) -> _Node: ...


P = TypeVar("P", bound=_Place)


class Provider(Protocol[P]):
    """The nodes of one text, as one of its readers sees them."""

    def below(self, place: P | None) -> list[P]:
        """Return the places below a place. All, if it is None."""

    def is_child(self, place: P, scope: P, asked: str, /) -> bool:
        """Return True if a place, which was asked for as a type, is directly in another."""

    def is_a(self, place: P, asked: str, /) -> bool:
        """Return True if a place is of a type."""

    def is_called(self, place: P, name: str) -> bool:
        """Return True if a type is one of the place's own."""

    def values(self, place: P, attribute: str, asked: str) -> tuple[str | int, ...]:
        """Return the values of an attribute of a place."""


def select(outline: Outline, selector: str, module: str = "") -> list[Found]:
    """Return the places that ``selector`` matches, in document order, each once.

    A selector whose names the grammar knows is answered from its tree, one with other names of LibCST's
    classes from the tree that LibCST reads.

    Args:
        outline: of the text.
        selector: as in CSTQuery: ``TYPE[attribute op "value"]:pseudo``, combined by blanks, ``//`` and
            ``>``, united by commas.
        module: the attribute ``module`` of what is no import, see ``module_of``; an import has that of what
            it brings in.

    Raises:
        BadCall: ``query_syntax``, with the column.
        DoesNotFit: ``unsupported_language`` or ``too_large`` if LibCST cannot read the text.
        Misconfigured: ``unavailable`` if LibCST is needed and not installed.
    """
    parsed = parse(selector)
    _refuse_unknown(parsed, outline, selector)
    if _may_need_libcst(outline) and _needs_libcst(parsed, outline):
        from gitscalpel.syntax.selector.libcst_nodes import CstPlaces

        read = CstPlaces(outline, module)
        return list(read.found(_matches(parsed, read, None).values()))
    places = Places(outline, module)
    return list(places.found(_matches(parsed, places, None).values()))


def module_of(path: str) -> str:
    """A file as the attribute ``module`` names it: ``pkg/mod.py`` is ``pkg.mod``."""
    return path.rpartition(".")[0].replace("/", ".") if "." in path.rpartition("/")[2] else path


def _may_need_libcst(outline: Outline) -> bool:
    return outline.syntax.language.name == "python"


_NAMED_BY_FIELD = frozenset({"AsName", "ExceptHandler", "ImportAlias"})
"""Classes of LibCST that the grammar knows, but not by the name that they bring."""


def _needs_libcst(selector: Selector, outline: Outline) -> bool:
    """Return True if a selector names a class or an attribute that only LibCST knows."""
    for step in (step for path in selector for step in path):
        if step.type != "*" and not _is_of_grammar(step.type, outline):
            return True
        for part in step.parts:
            if isinstance(part, Filter) and _needs_libcst(part.selector, outline):
                return True
            if isinstance(part, Test) and _asks_libcst(part, step.type, outline):
                return True
    return False


def _asks_libcst(test: Test, asked: str, outline: Outline) -> bool:
    if test.attribute == "type":
        from gitscalpel.syntax.selector.libcst_nodes import class_named

        is_whole = test.op in ("=", "!=")
        return is_whole and not _is_of_grammar(test.value, outline) and bool(class_named(test.value))
    if test.attribute == "name":
        return asked in _NAMED_BY_FIELD
    return test.attribute not in ATTRIBUTES


def _matches(selector: Selector, places: Provider[P], within: P | None) -> dict[int, P]:
    """Return the places that match by the ids of their nodes, below ``within`` (None: anywhere)."""
    return {place.node.id: place for path in selector for place in _path(path, places, within)}


def _path(path: Sequence[Step], places: Provider[P], within: P | None) -> list[P]:
    scopes: list[P | None] = [within]
    found: list[P] = []
    for step in path:
        # Tests and pseudos hold within the scope of each match of what stands left of them.
        found = [place for scope in scopes for place in _step(step, places, scope)]
        scopes = list({place.node.id: place for place in found}.values())
    return found


def _step(step: Step, places: Provider[P], scope: P | None) -> list[P]:
    found = [place for place in places.below(scope) if places.is_a(place, step.type)]
    if step.child and scope is not None:
        found = [place for place in found if places.is_child(place, scope, step.type)]
    for part in step.parts:
        found = _narrowed(part, found, places, step.type)
    return found


def _narrowed(part: Part, found: list[P], places: Provider[P], wanted: str) -> list[P]:
    if isinstance(part, Test) and part.attribute == "type" and part.op in ("=", "!="):
        return [place for place in found if places.is_called(place, part.value) is (part.op == "=")]
    if isinstance(part, Test):
        of_all = all if part.op == "!=" else any
        values = ((place, places.values(place, part.attribute, wanted)) for place in found)
        return [place for place, those in values if of_all(_holds(part, value) for value in those)]
    if isinstance(part, Pick):
        return [found[part.number]] if -len(found) <= part.number < len(found) else []
    if part.name == "has":
        return [place for place in found if _matches(part.selector, places, place)]
    excluded = _matches(part.selector, places, None)
    return [place for place in found if place.node.id not in excluded]


def _holds(test: Test, value: str | int) -> bool:
    if test.op in _STRINGS:
        return _STRINGS[test.op](str(value), test.value)
    return isinstance(value, int) and _INTEGERS[test.op](value, int(test.value))


def _refuse_unknown(selector: Selector, outline: Outline, text: str) -> None:
    """Raise ``query_syntax`` for types and attributes that the language does not have."""
    language = outline.syntax.language
    for step in (step for path in selector for step in path):
        if step.type != "*" and not _is_known(step.type, outline):
            raise wrong(
                text,
                step.column,
                f"there is no type {step.type!r} in {language.name}; there are {', '.join(ALIASES)} "
                "and the node types of its grammar",
            )
        for part in step.parts:
            if isinstance(part, Filter):
                _refuse_unknown(part.selector, outline, text)
            elif (
                isinstance(part, Test) and part.attribute not in ATTRIBUTES and not _may_need_libcst(outline)
            ):
                raise unknown_attribute(text, part.column, part.attribute)


def _is_of_grammar(name: str, outline: Outline) -> bool:
    return name.lower() in ALIASES or name.lower() in types(outline.syntax.language)


def _is_known(name: str, outline: Outline) -> bool:
    if _is_of_grammar(name, outline):
        return True
    if not _may_need_libcst(outline):
        return False
    from gitscalpel.syntax.selector.libcst_nodes import class_named

    return bool(class_named(name))
