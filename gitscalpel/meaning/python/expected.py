"""Types that annotations expect of an expression where it stands (PEP 589: a dict as a ``TypedDict``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.python import annotated, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Function, Instance, Value

_Annotation = tuple[str, tree_sitter.Node]
"""Path of the file and the type's node."""
_THROUGH = frozenset({"parenthesized_expression", "conditional_expression", "boolean_operator", "await"})
_ITEMS = frozenset(
    {"list", "tuple", "set", "list_comprehension", "set_comprehension", "generator_expression"}
)
_COPYING = frozenset({"update", "__ior__"})
IsOne = Callable[[Resolver, Value], bool]


def objects(resolver: Resolver, path: str, node: tree_sitter.Node, is_one: IsOne) -> Iterator[Value]:
    """Yield the objects of a kind that an expression is expected to be.

    Args:
        resolver: of the tree.
        path: path of the file.
        node: expression.
        is_one: returns True for an object of the kind.
    """
    for where, annotation in _annotations(resolver, path, node):
        found = annotated.objects(resolver, where, annotation)
        yield from (each for each in found if isinstance(each, Instance) and is_one(resolver, each))
    yield from (each for each in _without(resolver, path, node) if is_one(resolver, each))


def _without(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield what an expression is expected to be where no annotation stands with it."""
    above = node.parent
    if above is None:
        return
    if above.type in ("assignment", "augmented_assignment") and node == above.child_by_field_name("right"):
        left = above.child_by_field_name("left")
        if left is not None and above.child_by_field_name("type") is None:
            yield from (each for each in resolver.values(path, left) if isinstance(each, Instance))
    if above.type in ("argument_list", "dictionary_splat"):
        yield from _constructed(resolver, path, above)


def _constructed(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    """Yield the object that a call makes of a dict, or copies it into."""
    call = nodes.around(above, "call") if above.type == "dictionary_splat" else above.parent
    called = call.child_by_field_name("function") if call is not None else None
    if called is None:
        return
    yield from (Instance(each) for each in resolver.values(path, called) if isinstance(each, Class))
    receiver = called.child_by_field_name("object") if called.type == "attribute" else None
    if receiver is not None and words.last(resolver, path, called) in _COPYING:
        yield from (each for each in resolver.values(path, receiver) if isinstance(each, Instance))


def _annotations(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[_Annotation]:
    """Yield the annotations of what an expression becomes."""
    above = node.parent
    if above is None:
        return
    read = _READ.get(above.type)
    if read is not None:
        yield from read(resolver, path, node, above)
    elif above.type in _THROUGH:
        yield from _annotations(resolver, path, above)
    elif above.type in _ITEMS:
        for where, annotation in _annotations(resolver, path, above):
            yield from ((where, each) for each in annotated.given(annotation)[:1])


def _assigned(
    _resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[_Annotation]:
    annotation = above.child_by_field_name("type")
    if annotation is not None and node.start_byte > annotation.start_byte:
        yield path, annotation


def _returned(
    _resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[_Annotation]:
    function = nodes.around(above, "function_definition", "lambda")
    annotation = function.child_by_field_name("return_type") if function is not None else None
    if annotation is not None:
        yield path, annotation


def _argument(
    resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter that takes an argument by its place."""
    call = above.parent
    called = call.child_by_field_name("function") if call is not None else None
    before = [each for each in above.named_children if each.end_byte <= node.start_byte]
    place = sum(each.type not in ("comment", "keyword_argument") for each in before)
    for value in resolver.values(path, called) if called is not None else ():
        for function in _functions(resolver, value):
            takes = function.node.child_by_field_name("parameters")
            given = (
                [each for each in takes.named_children if each.type != "comment"] if takes is not None else []
            )
            is_bound = isinstance(value, Class) or (
                called is not None and _is_method(resolver, path, called, function)
            )
            at = place + is_bound
            annotation = given[at].child_by_field_name("type") if at < len(given) else None
            if annotation is not None:
                yield function.path, annotation


def _keyword(
    resolver: Resolver, path: str, _node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[_Annotation]:
    """Yield the annotation of the parameter or field that a keyword names."""
    name = above.child_by_field_name("name")
    if name is None:
        return
    for meaning in resolver.meanings(path, words.mention(resolver, path, name)):
        yield from _declared(resolver, meaning) if isinstance(meaning, Binding) else ()


def _valued(
    resolver: Resolver, path: str, node: tree_sitter.Node, above: tree_sitter.Node
) -> Iterator[_Annotation]:
    """Yield the annotation of the value of a dict's key."""
    key, holder = above.child_by_field_name("key"), above.parent
    if key is None or holder is None or key == node:
        return
    name = words.text(resolver, path, key).strip("'\"")
    for where, annotation in _annotations(resolver, path, holder):
        given = annotated.given(annotation)
        if len(given) == 2:
            yield where, given[1]
            continue
        for value in annotated.objects(resolver, where, annotation):
            for member in resolver.members(value, name) if isinstance(value, Instance) else ():
                yield from _declared(resolver, member) if isinstance(member, Binding) else ()


def _declared(resolver: Resolver, binding: Binding) -> Iterator[_Annotation]:
    """Yield the annotations with which a name is bound."""
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        annotation = above.child_by_field_name("type") if above is not None else None
        if annotation is not None:
            yield place.path, annotation


def _functions(resolver: Resolver, value: Value) -> Iterator[Function]:
    if isinstance(value, Function):
        yield value
    for member in resolver.members(value, "__init__") if isinstance(value, Class) else ():
        yield from (each for each in resolver.worth(member) if isinstance(each, Function))


def _is_method(resolver: Resolver, path: str, called: tree_sitter.Node, function: Function) -> bool:
    """Return True if a call gives a function its first parameter by what stands before the dot."""
    receiver = called.child_by_field_name("object") if called.type == "attribute" else None
    if receiver is None or nodes.around(function.node, "class_definition", "function_definition") is None:
        return False
    return any(isinstance(each, Instance) for each in resolver.values(path, receiver))


_Read = Callable[[Resolver, str, tree_sitter.Node, tree_sitter.Node], Iterator[_Annotation]]
_READ: dict[str, _Read] = {
    "assignment": _assigned,
    "typed_default_parameter": _assigned,
    "return_statement": _returned,
    "argument_list": _argument,
    "keyword_argument": _keyword,
    "pair": _valued,
}
"""Readers of the annotation that what stands around an expression has."""
