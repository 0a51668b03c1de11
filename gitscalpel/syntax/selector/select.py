"""Finds what a selector matches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import tree_sitter

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selector.parse import Filter, Part, Pick, Selector, Step, Test, parse, wrong
from gitscalpel.syntax.selector.places import ALIASES, Place, Places, types

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


def select(outline: Outline, selector: str, module: str = "") -> list[Place]:
    """The places that ``selector`` matches, in document order, each once.

    Args:
        outline: of the text.
        selector: as in CSTQuery: ``TYPE[attribute op "value"]:pseudo``, combined by blanks, ``//`` and
            ``>``, united by commas.
        module: the attribute ``module`` of what is no import, see ``module_of``; an import has that of what
            it brings in.

    Raises:
        BadCall: ``query_syntax``, with the column.
    """
    parsed = parse(selector)
    _refuse_unknown_types(parsed, outline, selector)
    places = Places(outline, module)
    found = _matches(parsed, places, None)
    return [place for place in places.all if place.node.id in found]


def module_of(path: str) -> str:
    """A file as the attribute ``module`` names it: ``pkg/mod.py`` is ``pkg.mod``."""
    return path.rpartition(".")[0].replace("/", ".") if "." in path.rpartition("/")[2] else path


def _matches(selector: Selector, places: Places, within: tree_sitter.Node | None) -> set[int]:
    """The ids of the nodes that match, below ``within`` (None: anywhere)."""
    return {place.node.id for path in selector for place in _path(path, places, within)}


def _path(path: Sequence[Step], places: Places, within: tree_sitter.Node | None) -> list[Place]:
    scopes: list[tree_sitter.Node | None] = [within]
    found: list[Place] = []
    for step in path:
        # Tests and pseudos hold within the scope of each match of what stands left of them.
        found = [place for scope in scopes for place in _step(step, places, scope)]
        scopes = list({place.node.id: place.node for place in found}.values())
    return found


def _step(step: Step, places: Places, scope: tree_sitter.Node | None) -> list[Place]:
    wanted = step.type.lower()
    found = [place for place in places.below(scope) if places.is_a(place, wanted)]
    if step.child and scope is not None:
        parents = ((place, places.parent(place)) for place in found)
        found = [place for place, parent in parents if parent is not None and parent.id == scope.id]
    for part in step.parts:
        found = _narrowed(part, found, places, wanted)
    return found


def _narrowed(part: Part, found: list[Place], places: Places, wanted: str) -> list[Place]:
    if isinstance(part, Test) and part.attribute == "type" and part.op in ("=", "!="):
        return [place for place in found if places.is_called(place, part.value) is (part.op == "=")]
    if isinstance(part, Test):
        of_all = all if part.op == "!=" else any
        values = ((place, places.values(place, part.attribute, wanted)) for place in found)
        return [place for place, those in values if of_all(_holds(part, value) for value in those)]
    if isinstance(part, Pick):
        return [found[part.number]] if -len(found) <= part.number < len(found) else []
    if part.name == "has":
        return [place for place in found if _matches(part.selector, places, place.node)]
    excluded = _matches(part.selector, places, None)
    return [place for place in found if place.node.id not in excluded]


def _holds(test: Test, value: str | int) -> bool:
    if test.op in _STRINGS:
        return _STRINGS[test.op](str(value), test.value)
    return isinstance(value, int) and _INTEGERS[test.op](value, int(test.value))


def _refuse_unknown_types(selector: Selector, outline: Outline, text: str) -> None:
    language = outline.syntax.language
    for path in selector:
        for step in path:
            if step.type != "*" and step.type.lower() not in {*ALIASES, *types(language)}:
                raise wrong(
                    text,
                    step.column,
                    f"there is no type {step.type!r} in {language.name}; there are {', '.join(ALIASES)} "
                    "and the node types of its grammar",
                )
            for part in step.parts:
                if isinstance(part, Filter):
                    _refuse_unknown_types(part.selector, outline, text)
