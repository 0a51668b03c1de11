"""Where a type is asked for, and what is handed there: from where it stands up to what is given a value."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import heirs
from gitscalpel.meaning.asked import Handed
from gitscalpel.meaning.javascript import callers, constructors, elements, words
from gitscalpel.meaning.javascript.handing import outside, sites, steps, uses
from gitscalpel.meaning.javascript.handing.steps import Gives, Item, Member, Steps, Takes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import OUTSIDE, Class, Instance, Unknown

_DEEP = 3
"""Steps into what holds a type, at most."""
_MOST = 200
"""Places that are looked at, the nearest first."""
_UNKNOWN = Unknown("the one type is asked for in more places than are looked at")
_AROUND = (
    *("type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type"),
    *("union_type", "intersection_type", "constraint", "default_type"),
)
_OF_ITEMS = frozenset(
    {"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "Iterator", "ArrayLike"}
    | {"IterableIterator", "Generator", "AsyncGenerator", "Record", "Map", "ReadonlyMap", "WeakMap"}
)
_OF_THEIR_PART = frozenset(
    {"Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable"}
    | {"Pick", "Omit", "Exclude", "Extract"}
)
_CALLED = (
    *("method_definition", "method_signature", "abstract_method_signature"),
    *("function_declaration", "generator_function_declaration", "function_signature"),
)
_HELD = ("variable_declarator", "public_field_definition", "pair", "assignment_expression")


class Asking:
    """What is handed where one class is asked for.

    Args:
        resolver: of the tree.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._heirs = heirs.known(resolver)
        self._seen: set[tuple[object, ...]] = set()
        self._waiting: deque[tuple[str, tree_sitter.Node, Steps]] = deque()

    def of(self, asked: Class) -> Iterator[Handed]:
        """What is handed as far as anybody can tell, and where; unknown at the end: there are more places."""
        yield from self._part(asked, ())
        while self._waiting:
            path, node, into = self._waiting.popleft()
            if len(self._seen) > _MOST:
                yield Handed(_UNKNOWN, path, node.start_byte)
                return
            above = node.parent
            key = (path, node.start_byte, node.end_byte, into)
            if above is None or key in self._seen or len(into) > _DEEP:
                continue
            self._seen.add(key)
            read = _READ.get(above.type)
            if above.child_by_field_name("return_type") == node:
                read = Asking._returned
            found = read(self, path, node, above, into) if read is not None else None
            for each in found or ():
                if not isinstance(each.value, Unknown):
                    yield each

    def _part(self, asked: Class, into: Steps) -> Iterator[Handed]:
        """What is at the end of the steps, of what is handed where a class is asked for."""
        key = (asked.path, asked.scope, into)
        if key in self._seen or len(into) > _DEEP:
            return
        self._seen.add(key)
        above = asked.node.parent
        if asked.node.type in ("interface_body", "class_body") and above is not None:
            self._named(asked.path, above, into)
        else:
            self._at(asked.path, asked.node, into)
        for heir in self._heirs.of(asked) if into else ():
            for value in steps.along(self._resolver, [Instance(heir)], into):
                yield Handed(value, heir.path, heir.node.start_byte)

    def _named(self, path: str, declaration: tree_sitter.Node, into: Steps) -> None:
        """Look wherever a declared type is named."""
        name = declaration.child_by_field_name("name")
        for place in uses.of(self._resolver, path, name, sites.typed) if name is not None else ():
            for each in sites.typed(place.mention):
                self._at(place.path, each, into)

    def _at(self, path: str, node: tree_sitter.Node, into: Steps) -> None:
        """Look where a type stands."""
        self._waiting.append((path, node, into))

    def _around(self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps) -> None:
        self._at(path, above, into)

    def _item(self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps) -> None:
        self._at(path, above, (Item(), *into))

    def _keyed(
        self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        """What is under any key."""
        if above.parent is not None:
            yield from self._part(Class(path, above.parent), (Item(), *into))

    def _argument(
        self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        """``F<A>``."""
        holder = above.parent
        if holder is None:
            return
        said = words.text(self._resolver, path, holder.child_by_field_name("name"))
        if holder.type in ("call_expression", "new_expression"):
            for each in sites.arguments(holder):
                yield from self._given(path, each, into)
                yield from self._given(path, each, (Item(), *into)) if each.type == "array" else ()
            yield from self._at_value(path, holder, (Item(), *into))
        elif holder.type == "type_assertion":
            yield from self._given(path, holder.named_children[-1], into)
        elif elements.is_component(said):
            yield from self._elements(path, holder, into)
        elif said in _OF_ITEMS:
            self._at(path, holder, (Item(), *into))
        elif said in _OF_THEIR_PART:
            self._at(path, holder, into)

    def _elements(self, path: str, kind: tree_sitter.Node, into: Steps) -> Iterator[Handed]:
        """What is spread into elements of a component: ``const A: FC<Props>``."""
        holder = words.around(kind, "variable_declarator", "statement_block", "program")
        name = holder.child_by_field_name("name") if holder is not None else None
        for place in uses.of(self._resolver, path, name, sites.elements) if name is not None else ():
            for each in sites.elements(place.mention):
                yield from self._given(place.path, each, into)

    def _at_value(self, path: str, value: tree_sitter.Node, into: Steps) -> Iterator[Handed]:
        """What is added to a list that is made there: ``const a = new Set<A>()``."""
        above = value.parent
        if above is not None and above.type in ("variable_declarator", "public_field_definition"):
            yield from self._set(path, above, into)

    def _declared(
        self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        """A variable or property."""
        value = above.child_by_field_name("value")
        yield from self._given(path, value, into) if value is not None else ()
        yield from self._set(path, above, into)
        if above.type in ("property_signature", "public_field_definition") and above.parent is not None:
            name = words.text(self._resolver, path, above.child_by_field_name("name"))
            yield from self._part(Class(path, above.parent), (Member(name.strip("\"'")), *into))

    def _set(self, path: str, above: tree_sitter.Node, into: Steps) -> Iterator[Handed]:
        """What a variable or property is set to, and what is added to it."""
        name = above.child_by_field_name("name") or above.child_by_field_name("pattern")
        if name is None or not _is_name(name):
            return
        for place in uses.of(self._resolver, path, name, sites.set_to):
            for each in sites.set_to(place.mention):
                yield from self._given(place.path, each, into)
        if into and isinstance(into[0], Item):
            for place in uses.of(self._resolver, path, name, sites.added):
                for each in sites.added(place.mention):
                    yield from self._given(place.path, each, into[1:])

    def _parameter(
        self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        value, pattern = above.child_by_field_name("value"), above.child_by_field_name("pattern")
        function = above.parent.parent if above.parent is not None else None
        yield from self._given(path, value, into) if value is not None else ()
        yield from self._set(path, above, into)
        if function is None or pattern is None:
            return
        if any(each.type == "accessibility_modifier" for each in above.children):
            body = words.around(above, "class_body")
            name = words.text(self._resolver, path, pattern)
            yield from self._part(Class(path, body), (Member(name), *into)) if body is not None else ()
        is_rest = pattern.type == "rest_pattern"
        yield from self._called(path, function, steps.number(above), into, is_rest=is_rest)

    def _called(
        self, path: str, function: tree_sitter.Node, at: int, into: Steps, *, is_rest: bool
    ) -> Iterator[Handed]:
        """What callers give for a parameter."""
        if function.type in ("function_type", "constructor_type"):
            self._at(path, function, (Takes(at), *into))
            return
        name, holder = self._handle(function), function.parent
        for place in uses.of(self._resolver, path, name, sites.taken) if name is not None else ():
            for each in sites.called(place.mention):
                given = sites.arguments(each)[at:]
                for one in given if is_rest else given[:1]:
                    yield from self._given(place.path, one, into[1:] if is_rest else into)
            for each in sites.elements(place.mention) if at == 0 else ():
                yield from self._given(place.path, each, into)
            yield from self._passed(place.path, place.mention.node, at, into)
        if holder is not None and holder.type == "arguments":
            yield from self._passed(path, function, at, into)
        if function.type.endswith("method_signature") and holder is not None and name is not None:
            inside = (Member(words.text(self._resolver, path, name)), Takes(at), *into)
            yield from self._part(Class(path, holder), inside)

    def _handle(self, function: tree_sitter.Node) -> tree_sitter.Node | None:
        """What a function is called by; a constructor, by the name of its class."""
        above, name = function.parent, function.child_by_field_name("name")
        if (
            name is not None
            and name.text == b"constructor"
            and above is not None
            and above.parent is not None
        ):
            return above.parent.child_by_field_name("name")
        if function.type in _CALLED or above is None or above.type not in _HELD:
            return name
        if above.type == "assignment_expression":
            left = above.child_by_field_name("left")
            return None if left is None else (left.child_by_field_name("property") or left)
        return above.child_by_field_name("name") or above.child_by_field_name("key")

    def _passed(self, path: str, node: tree_sitter.Node, at: int, into: Steps) -> Iterator[Handed]:
        """What a function is called with that is handed to another one."""
        if node.parent is None or node.parent.type != "arguments" or (into and isinstance(into[0], Item)):
            return
        for value in steps.along(self._resolver, callers.handed(self._resolver, path, node, at), into):
            yield Handed(value, path, node.start_byte)

    def _returned(
        self, path: str, _node: tree_sitter.Node, function: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        """What a function gives that says so."""
        if function.type in ("function_type", "constructor_type"):
            self._at(path, function, (Gives(), *into))
            return
        body, holder = function.child_by_field_name("body"), function.parent
        if body is not None and body.type != "statement_block":
            yield from self._given(path, body, into)
        for each in constructors.results(body) if body is not None else ():
            yield from self._given(path, each, into)
        name = function.child_by_field_name("name")
        if "method" in function.type and holder is not None and name is not None:
            inside = (Member(words.text(self._resolver, path, name)), Gives(), *into)
            yield from self._part(Class(path, holder), inside)

    def _alias(self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps) -> None:
        self._named(path, above, into)

    def _extended(self, path: str, _node: tree_sitter.Node, above: tree_sitter.Node, into: Steps) -> None:
        """What is handed to those that inherit from it."""
        declaration = words.around(
            above, "interface_declaration", "class_declaration", "abstract_class_declaration"
        )
        if declaration is not None:
            self._named(path, declaration, into)

    def _said(
        self, path: str, node: tree_sitter.Node, above: tree_sitter.Node, into: Steps
    ) -> Iterator[Handed]:
        """``x as A``."""
        value = above.named_children[0]
        yield from self._given(path, value, into) if value.id != node.id else ()

    def _given(self, path: str, node: tree_sitter.Node, into: Steps) -> Iterator[Handed]:
        for each in outside.objects(self._resolver, path, node, into):
            yield Handed(OUTSIDE, path, each.start_byte)
        for value in steps.values(self._resolver, path, node, into):
            yield Handed(value, path, node.start_byte)


def _is_name(node: tree_sitter.Node) -> bool:
    return node.type.endswith("identifier") or node.type in ("string", "computed_property_name")


_Read = Callable[[Asking, str, tree_sitter.Node, tree_sitter.Node, Steps], Iterator[Handed] | None]
# The methods below are this module's own.
_READ: Mapping[str, _Read] = {
    **dict.fromkeys(_AROUND, Asking._around),
    **dict.fromkeys(("array_type", "tuple_type"), Asking._item),
    "index_signature": Asking._keyed,
    "type_arguments": Asking._argument,
    **dict.fromkeys(
        ("variable_declarator", "public_field_definition", "property_signature"), Asking._declared
    ),
    **dict.fromkeys(("required_parameter", "optional_parameter"), Asking._parameter),
    **dict.fromkeys(("type_alias_declaration", "type_parameter"), Asking._alias),
    **dict.fromkeys(("extends_type_clause", "extends_clause"), Asking._extended),
    **dict.fromkeys(("as_expression", "satisfies_expression"), Asking._said),
}
"""How what stands around a type says what is handed there."""
