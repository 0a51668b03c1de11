"""Type annotations of Python, also in strings and comments.

The expected type of an expression is the annotation of the place where its value goes (PEP 589: a dict as
a ``TypedDict``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
    functions_in,
    object_of,
    type_of,
)
from gitscalpel.names.nodes import find_part
from gitscalpel.names.readings import reading_table
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import canonical_name


def text(resolver: Resolver, path: str, node: Node | None) -> str:
    """Return the text of a node without whitespace, in the normal form of names; empty without a node."""
    return canonical_name("".join(nodes.text(resolver, path, node).split()), "python")


def last_name(resolver: Resolver, path: str, node: Node | None) -> str:
    return text(resolver, path, node).rpartition(".")[2]


def is_special(name: str) -> bool:
    """Return True for a name that the language reserves (``__init__``)."""
    return name.startswith("__") and name.endswith("__") and len(name) > len("____")


_TOKEN = re.compile(rb"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|[\[\],|]|[^\s'\"]")


class StringType(NamedTuple):
    """One of the types that a quoted annotation allows, with the types of each argument in brackets.

    The name is dotted, and empty if the form of the type is not supported.
    """

    said: bytes
    start: int
    given: tuple[tuple[StringType, ...], ...]


class _Reader:
    def __init__(self, text: bytes) -> None:
        self._tokens = [(each["name"] or b"", each[0], each.start()) for each in _TOKEN.finditer(text)]

    def either(self) -> Iterator[StringType]:
        """Yield the types between ``|``, up to the end."""
        yield self._read_type()
        while self._skip(b"|"):
            yield self._read_type()

    def _read_type(self) -> StringType:
        name, token, start = self._tokens.pop(0) if self._tokens else (b"", b"", 0)
        if token == b"[":  # ``Callable[[A], B]``
            return StringType(b"", start, self._read_arguments())
        return StringType(name, start, self._read_arguments() if self._skip(b"[") else ())

    def _read_arguments(self) -> tuple[tuple[StringType, ...], ...]:
        found = []
        while self._tokens and not self._skip(b"]"):
            found.append(tuple(self.either()))
            while self._tokens and self._tokens[0][1] not in (b",", b"]"):  # what is not read here
                self._tokens.pop(0)
            self._skip(b",")
        return tuple(found)

    def _skip(self, token: bytes) -> bool:
        is_next = bool(self._tokens) and self._tokens[0][1] == token
        if is_next:
            self._tokens.pop(0)
        return is_next

    @property
    def is_read(self) -> bool:
        return not self._tokens


def read_string_type(text: bytes) -> list[StringType]:
    """Return the types that a quoted annotation allows; one without a name if part of it cannot be read."""
    reader = _Reader(text)
    found = list(reader.either())
    return found if reader.is_read else [*found, StringType(b"", 0, ())]


_OF_THEIR_PARTS = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"}
)
_ANYTHING = frozenset({"Any", "object", "type", "Type"})
_ANNOTATED = "Annotated"
"""Generic type whose first argument alone is a type."""
_CLASS_TYPES = ("type", "Type")
"""Types whose objects are classes."""


def allowed_objects(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    node = _find_inner_type(node)
    if node.type == "binary_operator":  # A | B
        for part in node.named_children:
            yield from allowed_objects(resolver, path, part)
    elif node.type in ("subscript", "generic_type"):
        yield from _infer_generic(resolver, path, node)
    elif node.type in ("identifier", "attribute"):
        name = last_name(resolver, path, node)
        for value in resolver.values(path, node):
            yield _infer_object(path, node, name, value)
    elif node.type == "string":
        for each in read_string_type(resolver.lexical(path).text[node.start_byte : node.end_byte]):
            yield from _infer_part(resolver, path, node, each)
    elif node.type != "none":
        yield Unknown("its annotation is not read here")


def allowed_parts(resolver: Resolver, path: str, node: Node, steps: tuple[int, ...]) -> Iterator[Value]:
    """Yield the objects in a nested part of ``tuple[A, B]`` annotations."""
    node = _find_inner_type(node)
    if not steps:
        yield from allowed_objects(resolver, path, node)
        return
    first = node.named_children[0] if node.type in ("subscript", "generic_type") else node
    inside = type_arguments(node) if last_name(resolver, path, first) in ("tuple", "Tuple") else []
    if len(inside) == 2 and _find_inner_type(inside[1]).type == "ellipsis":
        yield from allowed_parts(resolver, path, inside[0], steps[1:])
    elif -len(inside) <= steps[0] < len(inside):
        yield from allowed_parts(resolver, path, inside[steps[0]], steps[1:])
    else:
        yield Unknown("it is bound by a pattern")


def type_arguments(node: Node) -> list[Node]:
    node = _find_inner_type(node)
    return [
        each
        for part in node.named_children[1:]
        for each in (part.named_children if part.type == "type_parameter" else [part])
    ]


def _find_inner_type(node: Node) -> Node:
    return _find_inner_type(node.named_children[0]) if node.type == "type" and node.named_children else node


def _infer_object(path: str, node: Node, name: str, value: Value) -> Value:
    if isinstance(value, Elsewhere) and name == "Self":
        owner = nodes.ancestor(node, "class_definition")
        return Unknown("it is itself") if owner is None else Instance(Class(path, owner))
    is_anything = isinstance(value, Elsewhere) and name in _ANYTHING
    return Unknown("it may be anything") if is_anything else object_of(value)


def _infer_part(resolver: Resolver, path: str, node: Node, string_type: StringType) -> Iterator[Value]:
    first, *rest = string_type.said.decode().split(".")
    last = [first, *rest][-1]
    if not first:
        yield Unknown("its annotation is not read here")
    elif (last in _CLASS_TYPES and string_type.given) or last in _OF_THEIR_PARTS:
        inside = string_type.given[:1] if last == _ANNOTATED else string_type.given
        for each in (each for alternatives in inside for each in alternatives):
            for value in _infer_part(resolver, path, node, each):
                yield type_of(value) if last in _CLASS_TYPES else value
    elif first != "None":
        for value in follow_dotted(resolver, path, first, node.start_byte + string_type.start, rest):
            yield _infer_object(path, node, last, value)


def follow_dotted(resolver: Resolver, path: str, first: str, start: int, rest: list[str]) -> list[Value]:
    """Return the values of a dotted name whose first word is at a byte offset."""
    named = resolver.scope_meanings(path, resolver.lexical(path).mentions.at(first, start))
    values = [*resolver.values_of_each(named)]
    for name in rest:
        values = [each for value in values for each in resolver.member_values(value, name)]
    return values


def _infer_generic(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    first = node.named_children[0]
    name, inside = last_name(resolver, path, first), type_arguments(node)
    if name in _CLASS_TYPES:
        for each in inside:
            yield from map(type_of, allowed_objects(resolver, path, each))
        return
    wanted = [first]
    if name in _OF_THEIR_PARTS:
        wanted = inside[:1] if name == _ANNOTATED else inside
    for each in wanted:
        yield from allowed_objects(resolver, path, each)


_Annotation = tuple[str, Node]
"""Path of the file and node of the type."""
_THROUGH = frozenset({"parenthesized_expression", "conditional_expression", "boolean_operator", "await"})
_ITEMS = frozenset(
    {"list", "tuple", "set", "list_comprehension", "set_comprehension", "generator_expression"}
)
_COPYING = frozenset({"update", "__ior__"})
IsExpected = Callable[[Resolver, Value], bool]


def expected_objects(resolver: Resolver, path: str, node: Node, is_expected: IsExpected) -> Iterator[Value]:
    """Yield the objects of a kind that an expression is expected to be."""
    for annotation_path, annotation in _find_expected_annotations(resolver, path, node):
        found = allowed_objects(resolver, annotation_path, annotation)
        yield from (each for each in found if isinstance(each, Instance) and is_expected(resolver, each))
    yield from (
        each
        for each in _infer_expected_without_annotation(resolver, path, node)
        if is_expected(resolver, each)
    )


def _infer_expected_without_annotation(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the objects that an expression is expected to be, without an annotation at its place."""
    above = node.parent
    kind = nodes.type_of(above)
    if kind in ("assignment", "augmented_assignment") and nodes.is_part(node, "right"):
        left = find_part(above, "left") if find_part(above, "type") is None else None
        yield from (each for each in resolver.values(path, left) if isinstance(each, Instance))
    if above is not None and kind in ("argument_list", "dictionary_splat"):
        yield from _infer_constructed_object(resolver, path, above)


def _infer_constructed_object(resolver: Resolver, path: str, above: Node) -> Iterator[Value]:
    """Yield the object that a call makes of a dict, or copies the dict into."""
    call = nodes.ancestor(above, "call") if above.type == "dictionary_splat" else above.parent
    called = find_part(call, "function")
    yield from (Instance(each) for each in resolver.values(path, called) if isinstance(each, Class))
    if nodes.type_of(called) == "attribute" and last_name(resolver, path, called) in _COPYING:
        receiver = find_part(called, "object")
        yield from (each for each in resolver.values(path, receiver) if isinstance(each, Instance))


def _find_expected_annotations(resolver: Resolver, path: str, node: Node) -> Iterator[_Annotation]:
    above = node.parent
    if above is None:
        return
    read = _ANNOTATION_READERS.get(above.type)
    if read is not None:
        yield from read(resolver, path, node, above)
    elif above.type in _THROUGH:
        yield from _find_expected_annotations(resolver, path, above)
    elif above.type in _ITEMS:
        for annotation_path, annotation in _find_expected_annotations(resolver, path, above):
            yield from ((annotation_path, each) for each in type_arguments(annotation)[:1])


def _expect_by_assignment(_resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[_Annotation]:
    annotation = find_part(above, "type")
    if annotation is not None and node.start_byte > annotation.start_byte:
        yield path, annotation


def _expect_by_return(_resolver: Resolver, path: str, _node: Node, above: Node) -> Iterator[_Annotation]:
    annotation = find_part(nodes.ancestor(above, "function_definition", "lambda"), "return_type")
    if annotation is not None:
        yield path, annotation


def _expect_by_argument(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter that takes a positional argument."""
    called = find_part(above.parent, "function")
    before = [each for each in nodes.without_comments(above) if each.end_byte <= node.start_byte]
    place = sum(each.type != "keyword_argument" for each in before)
    for value in resolver.values(path, called):
        for function in _find_functions(resolver, value):
            parameters = nodes.without_comments(find_part(function.node, "parameters"))
            at = place + (isinstance(value, Class) or _is_receiver_bound(resolver, path, called, function))
            annotation = find_part(parameters[at], "type") if at < len(parameters) else None
            if annotation is not None:
                yield function.path, annotation


def _expect_by_keyword(resolver: Resolver, path: str, _node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter or field that a keyword names."""
    return _find_declared_annotations(resolver, nodes.meanings_of(resolver, path, find_part(above, "name")))


def _expect_by_key(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotations that the type of a dict literal expects for the value of one key."""
    key, holder = find_part(above, "key"), above.parent
    if key is None or holder is None or key == node:
        return
    name = text(resolver, path, key).strip("'\"")
    for annotation_path, annotation in _find_expected_annotations(resolver, path, holder):
        arguments = type_arguments(annotation)
        if len(arguments) == 2:
            yield annotation_path, arguments[1]
            continue
        for value in allowed_objects(resolver, annotation_path, annotation):
            members = resolver.members(value, name) if isinstance(value, Instance) else ()
            yield from _find_declared_annotations(resolver, members)


def _find_declared_annotations(resolver: Resolver, meanings: Iterable[Meaning]) -> Iterator[_Annotation]:
    for path, mention in resolver.binders_of_each(meanings):
        annotation = find_part(mention.node.parent, "type")
        if annotation is not None:
            yield path, annotation


def _find_functions(resolver: Resolver, value: Value) -> list[Function]:
    constructors = resolver.member_values(value, "__init__") if isinstance(value, Class) else ()
    return functions_in((value, *constructors))


def _is_receiver_bound(resolver: Resolver, path: str, called: Node | None, function: Function) -> bool:
    """Return True if a call binds the first parameter of a function to the object before the dot."""
    is_inside = nodes.ancestor(function.node, "class_definition", "function_definition") is not None
    receiver = find_part(called, "object") if is_inside and nodes.type_of(called) == "attribute" else None
    return any(isinstance(each, Instance) for each in resolver.values(path, receiver))


_Read = Callable[[Resolver, str, Node, Node], Iterator[_Annotation]]
_ANNOTATION_READERS: Mapping[str, _Read] = reading_table(
    ("assignment typed_default_parameter", _expect_by_assignment),
    ("return_statement", _expect_by_return),
    ("argument_list", _expect_by_argument),
    ("keyword_argument", _expect_by_keyword),
    ("pair", _expect_by_key),
)
"""By the type of the node around an expression: reading of the expected annotation."""
