"""Parse a selector by `grammar.lark`, and find the nodes that it matches."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import lark
import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.libcst_nodes import CstPlaces, attributes, class_named
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selector_nodes import ALIASES, Place, Places, types_of

if TYPE_CHECKING:
    from gitscalpel.syntax.libcst_nodes import CstPlace


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
    """``:first``, ``:last`` and ``:nth(N)``, as an index from 0, or from the end if negative."""

    number: int


class Filter(msgspec.Struct, frozen=True):
    """``:not(SELECTOR)`` and ``:has(SELECTOR)``."""

    name: str
    selector: Selector


Part = Test | Pick | Filter


class Step(msgspec.Struct, frozen=True):
    """One step of a path."""

    child: bool  # True if the node must be a direct child of a match of the step before
    type: str  # an alias or a node type as written; ``*`` for any
    column: int  # column of the step, from 1
    parts: tuple[Part, ...]  # tests and pseudos, in order


Selector = tuple[tuple[Step, ...], ...]
"""Alternative paths."""


@lru_cache(maxsize=64)
def parse(text: str) -> Selector:
    """Parse a selector. Raises ``query_syntax``, with the column."""
    if not text.strip():
        raise selector_error(text, 1, "the selector is empty")
    try:
        tree = _parser().parse(text.strip())
    except lark.UnexpectedInput as error:
        at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
        at = len(text.rstrip()) + 1 if at_end else len(text) - len(text.lstrip()) + error.column
        raise selector_error(text, at, _explain_error(text, at)) from None
    return _build_selector(tree, text)


def selector_error(text: str, column: int, why: str) -> BadCall:
    """Return the error of a selector, with a hint to search for a name or text if it is plain words."""
    words, hint = f"{text!r}, column {column}: {why}", _HINT
    if _WORDS.fullmatch(text) and text.strip():
        name = text.rsplit(maxsplit=1)[-1]
        hint = f"select a definition by its name, [name={name}], or search text: "
        hint += f'text("{text.strip()}")'
    return BadCall("query_syntax", words, hint, column=column)


@cache
def _parser() -> lark.Lark:
    grammar = File(__file__).with_name("grammar.lark").read_text("utf-8")
    return lark.Lark(grammar, parser="lalr", start="selector")


def _explain_error(text: str, column: int) -> str:
    rest = text[column - 1 :]
    if rest.startswith(":nth"):
        return ":nth takes an integer, such as :nth(0) or :nth(-1)"
    if rest.startswith(":"):
        return f"unknown pseudo {rest.split('(')[0]}; use :first :last :nth(N) :not(…) :has(…)"
    return f"{rest[:1]!r} does not fit here" if rest.strip() else "unexpected end"


def _build_selector(tree: Any, text: str) -> Selector:
    return tuple(_build_path(path, text) for path in tree.children if isinstance(path, lark.Tree))


def _build_path(tree: Any, text: str) -> tuple[Step, ...]:
    steps = []
    for child in tree.children:
        if isinstance(child, lark.Token):
            continue  # a leading //
        combinator, step = (
            (str(child.children[0]), child.children[1]) if child.data == "combined" else ("", child)
        )
        steps.append(_build_step(combinator.strip() == ">", step, text))
    return tuple(steps)


def _build_step(child: bool, tree: Any, text: str) -> Step:
    first = tree.children[0]
    named = isinstance(first, lark.Token)
    parts = tuple(_build_part(part, text) for part in (tree.children[1:] if named else tree.children))
    return Step(child, str(first) if named else "*", int(first.column) if named else 1, parts)


def _build_part(tree: Any, text: str) -> Part:
    if tree.data == "test":
        return _build_test(tree.children, text)
    if tree.data == "nth":
        return Pick(int(str(tree.children[0])[5:-1]))
    if tree.data in ("first", "last"):
        return Pick(0 if tree.data == "first" else -1)
    name = {"negation": "not", "holding": "has"}[tree.data]
    return Filter(name, _build_selector(tree.children[1], text))


def _build_test(tokens: Any, text: str) -> Test:
    _, name, op, value, _ = tokens
    attribute, op_text = str(name), str(op).strip()
    plain = str(value)[1:-1] if value.type in ("DOUBLE", "SINGLE") else str(value)
    if attribute not in ATTRIBUTES and attribute not in attributes():
        raise unknown_attribute_error(text, name.column, attribute)
    if op_text in INTEGERS and not re.fullmatch("-?[0-9]{1,18}", plain):
        raise selector_error(
            text, value.column, f"{op_text} compares integers, and {plain!r} is not an integer"
        )
    return Test(attribute, op_text, plain, int(name.column))


def unknown_attribute_error(text: str, column: int, attribute: str) -> BadCall:
    return selector_error(
        text, column, f"unknown attribute {attribute!r}; use one of {', '.join(ATTRIBUTES)}"
    )


if TYPE_CHECKING:
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
    """The nodes of one text, as one of its parsers sees them."""

    def of_type(self, scope: P | None, type_name: str, /) -> list[P]:
        """Return the places of a type below a place, or all if it is None, in document order."""

    def is_child(self, place: P, scope: P, type_name: str, /) -> bool:
        """Return True if a place, which the selector names as type ``type_name``, is directly in another."""

    def is_called(self, place: P, name: str) -> bool:
        """Return True if the name is a node type of the place."""

    def values(self, place: P, attribute: str, type_name: str) -> tuple[str | int, ...]:
        """Return the values of an attribute of a place."""


def select(outline: Outline, selector: str, module: str = "") -> list[Found]:
    """Return the places that ``selector`` matches, in document order, without duplicates.

    A selector is as in CSTQuery: ``TYPE[attribute op "value"]:pseudo``, combined by blanks, ``//`` and ``>``,
    united by commas. One whose names the grammar knows is evaluated on its tree, one with other LibCST class
    names on the tree of LibCST. ``module`` is the attribute of nodes that are not imports, see ``module_of``;
    an import has that of the imported module.

    Raises ``query_syntax``, with the column, ``unsupported_language`` or ``too_large`` if LibCST cannot read
    the text, or ``unavailable`` if LibCST is needed and not installed.
    """
    parsed = parse(selector)
    language = outline.syntax.language
    _require_known(parsed, language, selector)
    if _may_need_libcst(language) and _needs_libcst(parsed, language):
        read = CstPlaces(outline, module)
        return list(read.iter_results(_find_matches(parsed, read, None).values()))
    places = Places(outline, module)
    found = _find_matches(parsed, places, None).values()
    # The places of one step are in order already, and known without a walk over all nodes.
    return list(found) if len(parsed) == 1 and len(parsed[0]) == 1 else list(places.iter_results(found))


def module_of(path: str) -> str:
    """Return a file's name for the attribute ``module``: ``pkg/mod.py`` is ``pkg.mod``."""
    return path.rpartition(".")[0].replace("/", ".") if "." in path.rpartition("/")[2] else path


def _may_need_libcst(language: Language) -> bool:
    return language.name == "python"


_NAMED_BY_FIELD = frozenset({"AsName", "ExceptHandler", "ImportAlias"})
"""Classes of LibCST that the grammar knows, but whose name is in a field of LibCST."""


def _needs_libcst(selector: Selector, language: Language) -> bool:
    """Return True if a selector names a class or an attribute that only LibCST knows."""
    for step in (step for path in selector for step in path):
        if step.type != "*" and not _is_of_grammar(step.type, language):
            return True
        for part in step.parts:
            if isinstance(part, Filter) and _needs_libcst(part.selector, language):
                return True
            if isinstance(part, Test) and _needs_libcst_attribute(part, step.type, language):
                return True
    return False


def _needs_libcst_attribute(test: Test, type_name: str, language: Language) -> bool:
    if test.attribute == "type":
        is_whole = test.op in ("=", "!=")
        return is_whole and not _is_of_grammar(test.value, language) and bool(class_named(test.value))
    if test.attribute == "name":
        return type_name in _NAMED_BY_FIELD
    return test.attribute not in ATTRIBUTES


def _find_matches(selector: Selector, places: Provider[P], within: P | None) -> dict[int, P]:
    """Return the matching places by node id, below ``within`` or anywhere if it is None."""
    return {place.node.id: place for path in selector for place in _follow_path(path, places, within)}


def _follow_path(path: Sequence[Step], places: Provider[P], within: P | None) -> list[P]:
    scopes: list[P | None] = [within]
    found: list[P] = []
    for step in path:
        # Tests and pseudos apply within the scope of each match of the step before.
        found = [place for scope in scopes for place in _take_step(step, places, scope)]
        scopes = list({place.node.id: place for place in found}.values())
    return found


def _take_step(step: Step, places: Provider[P], scope: P | None) -> list[P]:
    found = places.of_type(scope, step.type)
    if step.child and scope is not None:
        found = [place for place in found if places.is_child(place, scope, step.type)]
    for part in step.parts:
        found = _exclude_nodes(part, found, places, step.type)
    return found


def _exclude_nodes(part: Part, found: list[P], places: Provider[P], type_name: str) -> list[P]:
    if isinstance(part, Test) and part.attribute == "type" and part.op in ("=", "!="):
        return [place for place in found if places.is_called(place, part.value) is (part.op == "=")]
    if isinstance(part, Test):
        of_all = all if part.op == "!=" else any
        pairs = ((place, places.values(place, part.attribute, type_name)) for place in found)
        return [place for place, values in pairs if of_all(_is_satisfied(part, value) for value in values)]
    if isinstance(part, Pick):
        return [found[part.number]] if -len(found) <= part.number < len(found) else []
    if part.name == "has":
        return [place for place in found if _find_matches(part.selector, places, place)]
    excluded = _find_matches(part.selector, places, None)
    return [place for place in found if place.node.id not in excluded]


def _is_satisfied(test: Test, value: str | int) -> bool:
    if test.op in _STRINGS:
        return _STRINGS[test.op](str(value), test.value)
    return isinstance(value, int) and _INTEGERS[test.op](value, int(test.value))


def require_known_somewhere(selector: Selector, text: str, languages: Sequence[Language]) -> None:
    """Raise ``query_syntax`` if each of some languages lacks a type or attribute of a selector."""
    error: BadCall | None = None
    for language in languages:
        try:
            _require_known(selector, language, text)
        except BadCall as unknown:
            error = unknown
        else:
            return
    if error is not None:
        raise error


def _require_known(selector: Selector, language: Language, text: str) -> None:
    for step in (step for path in selector for step in path):
        if step.type != "*" and not _is_known(step.type, language):
            raise selector_error(
                text,
                step.column,
                f"unknown type {step.type!r} in {language.name}; use {', '.join(ALIASES)} "
                "or a node type of its grammar",
            )
        for part in step.parts:
            if isinstance(part, Filter):
                _require_known(part.selector, language, text)
            elif (
                isinstance(part, Test) and part.attribute not in ATTRIBUTES and not _may_need_libcst(language)
            ):
                raise unknown_attribute_error(text, part.column, part.attribute)


def _is_of_grammar(name: str, language: Language) -> bool:
    return name.lower() in ALIASES or name.lower() in types_of(language)


def _is_known(name: str, language: Language) -> bool:
    return _is_of_grammar(name, language) or (_may_need_libcst(language) and bool(class_named(name)))


_WORD = re.compile("[A-Za-z0-9_]+")
_INVENTED_NAMES = frozenset({"Companion"})
"""Names that a query gives to definitions without a name (``#set! name`` in ``queries/*.scm``)."""


def required_words(selector: Selector) -> frozenset[str] | None:
    """Return words of which every text with a match contains one. None if no such words are known."""
    words = {_required_word(path) for path in selector}
    return None if "" in words else frozenset(words)


def _required_word(path: Sequence[Step]) -> str:
    """Return the longest word that every text with a match of a path contains, or ""."""
    words = [word for step in path for part in step.parts for word in _iter_words(part)]
    return max(words, key=len, default="")


def _iter_words(part: Part) -> Iterator[str]:
    """Yield words that a text contains if a node in it passes a test or filter."""
    if isinstance(part, Filter) and part.name == "has":
        inner = required_words(part.selector)
        yield from inner if inner is not None and len(inner) == 1 else ()
    elif (
        isinstance(part, Test) and part.attribute in ("name", "qualname") and part.op not in ("!=", *INTEGERS)
    ):
        yield from (word for word in _WORD.findall(part.value) if word not in _INVENTED_NAMES)
