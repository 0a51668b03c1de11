"""Type annotations of Python, also in strings and comments.

The expected type of an expression is the annotation of the place where its value goes (PEP 589: a dict as
a ``TypedDict``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import canonical_name


def text(resolver: Resolver, path: str, node: Node) -> str:
    """Return the text of a node without whitespace, in the normal form of names."""
    source = resolver.lexical(path).text[node.start_byte : node.end_byte]
    return canonical_name("".join(source.decode("utf-8", "surrogateescape").split()), "python")


def last_name(resolver: Resolver, path: str, node: Node) -> str:
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
        while self._peek() == b"|":
            self._tokens.pop(0)
            yield self._read_type()

    def _read_type(self) -> StringType:
        name, token, start = self._tokens.pop(0) if self._tokens else (b"", b"", 0)
        if token == b"[":  # ``Callable[[A], B]``
            return StringType(b"", start, self._read_arguments())
        arguments: tuple[tuple[StringType, ...], ...] = ()
        if self._peek() == b"[":
            self._tokens.pop(0)
            arguments = self._read_arguments()
        return StringType(name, start, arguments)

    def _read_arguments(self) -> tuple[tuple[StringType, ...], ...]:
        """Return the types in opened brackets, and read the closing one."""
        found = []
        while self._tokens and self._peek() != b"]":
            found.append(tuple(self.either()))
            while self._tokens and self._peek() not in (b",", b"]"):  # what is not read here
                self._tokens.pop(0)
            if self._peek() == b",":
                self._tokens.pop(0)
        self._tokens[:1] = []
        return tuple(found)

    def _peek(self) -> bytes:
        return self._tokens[0][1] if self._tokens else b""

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
"""Generic types whose first argument alone is a type."""
_CLASS_TYPES = ("type", "Type")
"""Types whose objects are classes."""


def allowed_objects(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    node = _unwrap(node)
    if node.type == "binary_operator":  # A | B
        for part in node.named_children:
            yield from allowed_objects(resolver, path, part)
    elif node.type in ("subscript", "generic_type"):
        yield from _objects_of_generic(resolver, path, node)
    elif node.type in ("identifier", "attribute"):
        for value in resolver.values(path, node):
            yield from _instances_of_name(path, node, last_name(resolver, path, node), value)
    elif node.type == "string":
        yield from _objects_of_string(resolver, path, node)
    elif node.type != "none":
        yield Unknown("its annotation is not read here")


def allowed_parts(resolver: Resolver, path: str, node: Node, steps: tuple[int, ...]) -> Iterator[Value]:
    """Yield the objects in a nested part of ``tuple[A, B]`` annotations."""
    node = _unwrap(node)
    if not steps:
        yield from allowed_objects(resolver, path, node)
        return
    first = node.named_children[0] if node.type in ("subscript", "generic_type") else node
    inside = type_arguments(node) if last_name(resolver, path, first) in ("tuple", "Tuple") else []
    if len(inside) == 2 and _unwrap(inside[1]).type == "ellipsis":
        yield from allowed_parts(resolver, path, inside[0], steps[1:])
    elif -len(inside) <= steps[0] < len(inside):
        yield from allowed_parts(resolver, path, inside[steps[0]], steps[1:])
    else:
        yield Unknown("it is bound by what is taken apart")


def type_arguments(node: Node) -> list[Node]:
    node = _unwrap(node)
    return [
        each
        for part in node.named_children[1:]
        for each in (part.named_children if part.type == "type_parameter" else [part])
    ]


def _unwrap(node: Node) -> Node:
    return _unwrap(node.named_children[0]) if node.type == "type" and node.named_children else node


def _instances_of_name(path: str, node: Node, name: str, value: Value) -> Iterator[Value]:
    if isinstance(value, Elsewhere) and name == "Self":
        owner = nodes.ancestor(node, "class_definition")
        yield Unknown("it is itself") if owner is None else Instance(Class(path, owner))
    elif isinstance(value, Elsewhere) and name in _ANYTHING:
        yield Unknown("it may be anything")
    else:
        yield Instance(value) if isinstance(value, Class) else value


def _objects_of_string(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the objects of ``"A.B | Optional[C]"``, with names looked up at the place of the string."""
    text = resolver.lexical(path).text[node.start_byte : node.end_byte]
    for each in read_string_type(text):
        yield from _objects_of_part(resolver, path, node, each)


def _objects_of_part(resolver: Resolver, path: str, node: Node, string_type: StringType) -> Iterator[Value]:
    first, *rest = string_type.said.decode().split(".")
    last = [first, *rest][-1]
    if not first:
        yield Unknown("its annotation is not read here")
    elif (last in _CLASS_TYPES and string_type.given) or last in _OF_THEIR_PARTS:
        inside = string_type.given[:1] if last == _ANNOTATED else string_type.given
        for each in (each for alternatives in inside for each in alternatives):
            for value in _objects_of_part(resolver, path, node, each):
                yield value.of if isinstance(value, Instance) and last in _CLASS_TYPES else value
    elif first != "None":
        for value in follow_dotted(resolver, path, first, node.start_byte + string_type.start, rest):
            yield from _instances_of_name(path, node, last, value)


def follow_dotted(resolver: Resolver, path: str, first: str, start: int, rest: list[str]) -> list[Value]:
    """Return the values of a dotted name whose first word is at a byte offset."""
    named = resolver.scope_meanings(path, resolver.lexical(path).mentions.at(first, start))
    values = [value for meaning in named for value in resolver.values_of(meaning)]
    for name in rest:
        members = [member for value in values for member in resolver.members(value, name)]
        values = [value for member in members for value in resolver.values_of(member)]
    return values


def _objects_of_generic(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    first = node.named_children[0]
    if last_name(resolver, path, first) in _CLASS_TYPES:
        for each in type_arguments(node):
            for value in allowed_objects(resolver, path, each):
                yield value.of if isinstance(value, Instance) else value
        return
    if last_name(resolver, path, first) not in _OF_THEIR_PARTS:
        yield from allowed_objects(resolver, path, first)
        return
    inside = type_arguments(node)
    for each in inside[:1] if last_name(resolver, path, first) == _ANNOTATED else inside:
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
    for annotation_path, annotation in _expected_annotations(resolver, path, node):
        found = allowed_objects(resolver, annotation_path, annotation)
        yield from (each for each in found if isinstance(each, Instance) and is_expected(resolver, each))
    yield from (
        each for each in _expected_without_annotation(resolver, path, node) if is_expected(resolver, each)
    )


def _expected_without_annotation(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the objects that an expression is expected to be, without an annotation at its place."""
    above = node.parent
    if above is None:
        return
    if above.type in ("assignment", "augmented_assignment") and node == above.child_by_field_name("right"):
        left = above.child_by_field_name("left")
        if left is not None and above.child_by_field_name("type") is None:
            yield from (each for each in resolver.values(path, left) if isinstance(each, Instance))
    if above.type in ("argument_list", "dictionary_splat"):
        yield from _constructed_object(resolver, path, above)


def _constructed_object(resolver: Resolver, path: str, above: Node) -> Iterator[Value]:
    """Yield the object that a call makes of a dict, or copies the dict into."""
    call = nodes.ancestor(above, "call") if above.type == "dictionary_splat" else above.parent
    called = find_part(call, "function")
    if called is None:
        return
    yield from (Instance(each) for each in resolver.values(path, called) if isinstance(each, Class))
    receiver = called.child_by_field_name("object") if called.type == "attribute" else None
    if receiver is not None and last_name(resolver, path, called) in _COPYING:
        yield from (each for each in resolver.values(path, receiver) if isinstance(each, Instance))


def _expected_annotations(resolver: Resolver, path: str, node: Node) -> Iterator[_Annotation]:
    above = node.parent
    if above is None:
        return
    read = _ANNOTATION_READERS.get(above.type)
    if read is not None:
        yield from read(resolver, path, node, above)
    elif above.type in _THROUGH:
        yield from _expected_annotations(resolver, path, above)
    elif above.type in _ITEMS:
        for annotation_path, annotation in _expected_annotations(resolver, path, above):
            yield from ((annotation_path, each) for each in type_arguments(annotation)[:1])


def _annotations_of_assignment(
    _resolver: Resolver, path: str, node: Node, above: Node
) -> Iterator[_Annotation]:
    annotation = above.child_by_field_name("type")
    if annotation is not None and node.start_byte > annotation.start_byte:
        yield path, annotation


def _annotations_of_return(_resolver: Resolver, path: str, _node: Node, above: Node) -> Iterator[_Annotation]:
    function = nodes.ancestor(above, "function_definition", "lambda")
    annotation = find_part(function, "return_type")
    if annotation is not None:
        yield path, annotation


def _annotations_of_argument(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter that takes a positional argument."""
    call = above.parent
    called = find_part(call, "function")
    before = [each for each in above.named_children if each.end_byte <= node.start_byte]
    place = sum(each.type not in ("comment", "keyword_argument") for each in before)
    for value in resolver.values(path, called):
        for function in _functions_of(resolver, value):
            parameters = function.node.child_by_field_name("parameters")
            plain_parameters = (
                [each for each in parameters.named_children if each.type != "comment"]
                if parameters is not None
                else []
            )
            is_bound = isinstance(value, Class) or (
                called is not None and _binds_receiver(resolver, path, called, function)
            )
            at = place + is_bound
            annotation = (
                plain_parameters[at].child_by_field_name("type") if at < len(plain_parameters) else None
            )
            if annotation is not None:
                yield function.path, annotation


def _annotations_of_keyword(resolver: Resolver, path: str, _node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter or field that a keyword names."""
    name = above.child_by_field_name("name")
    if name is None:
        return
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, name)):
        yield from _annotations_of_binding(resolver, meaning) if isinstance(meaning, Binding) else ()


def _annotations_of_key(resolver: Resolver, path: str, node: Node, above: Node) -> Iterator[_Annotation]:
    """Yield the annotation for the value of a dict's key."""
    key, holder = above.child_by_field_name("key"), above.parent
    if key is None or holder is None or key == node:
        return
    name = text(resolver, path, key).strip("'\"")
    for annotation_path, annotation in _expected_annotations(resolver, path, holder):
        arguments = type_arguments(annotation)
        if len(arguments) == 2:
            yield annotation_path, arguments[1]
            continue
        for value in allowed_objects(resolver, annotation_path, annotation):
            for member in resolver.members(value, name) if isinstance(value, Instance) else ():
                yield from _annotations_of_binding(resolver, member) if isinstance(member, Binding) else ()


def _annotations_of_binding(resolver: Resolver, binding: Binding) -> Iterator[_Annotation]:
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        annotation = find_part(above, "type")
        if annotation is not None:
            yield place.path, annotation


def _functions_of(resolver: Resolver, value: Value) -> Iterator[Function]:
    if isinstance(value, Function):
        yield value
    for member in resolver.members(value, "__init__") if isinstance(value, Class) else ():
        yield from (each for each in resolver.values_of(member) if isinstance(each, Function))


def _binds_receiver(resolver: Resolver, path: str, called: Node, function: Function) -> bool:
    """Return True if a call binds the first parameter of a function to the object before the dot."""
    receiver = called.child_by_field_name("object") if called.type == "attribute" else None
    if receiver is None or nodes.ancestor(function.node, "class_definition", "function_definition") is None:
        return False
    return any(isinstance(each, Instance) for each in resolver.values(path, receiver))


_Read = Callable[[Resolver, str, Node, Node], Iterator[_Annotation]]
_ANNOTATION_READERS: dict[str, _Read] = {
    "assignment": _annotations_of_assignment,
    "typed_default_parameter": _annotations_of_assignment,
    "return_statement": _annotations_of_return,
    "argument_list": _annotations_of_argument,
    "keyword_argument": _annotations_of_keyword,
    "pair": _annotations_of_key,
}
"""By the type of the node around an expression: reader of the expected annotation."""
