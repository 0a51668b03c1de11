"""Written types, also in JSDoc comments: of an expression, of items and promises, and what they allow.

TypeScript reads types in comments only in JavaScript files, and wants the type parameters of merged
declarations to have the same names.
https://www.typescriptlang.org/docs/handbook/declaration-merging.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.languages.javascript import modules
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_TAG = re.compile(
    rb"@(\w+)(?:[ \t]*\{((?:[^{}@]|\{[^{}@]*\})*)\})?"
    rb"(?:[ \t\r\n*]*?[ \t]\[?[ \t]*([A-Za-z_$][\w$]*)(?![\w$.]))?"
)
_NAMED = frozenset({"typedef", "callback"})
_PARAMETERS = frozenset({"param", "arg", "argument"})
_PROPERTIES = frozenset({"property", "prop"})
_GIVEN = frozenset({"returns", "return"})
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")
_IMPORTED = re.compile(rb"""import\(\s*(["'])([^"']+)\1\s*\)\s*\.\s*$""")
_WRAPPERS = re.compile(
    rb"\s*(?:[?!]\s*)?(?:(?:Promise|Readonly|Partial|Required)\s*\.?\s*<(.*)>|([^=]*?))\s*=?\s*$"
)
_PLAIN_WORDS = frozenset(
    {
        *(
            "string",
            "number",
            "boolean",
            "bigint",
            "symbol",
            "void",
            "never",
            "null",
            "undefined",
            "true",
            "false",
        ),
        *("String", "Number", "Boolean", "RegExp", "Date", "Error", "Symbol"),
    }
)
_OUTER = frozenset(
    {
        *("variable_declarator", "lexical_declaration", "variable_declaration", "export_statement"),
        *("assignment_expression", "expression_statement", "pair", "field_definition"),
    }
)
"""Nodes whose preceding comment describes a declaration in them."""


class Tag(NamedTuple):
    """Word after ``@`` of a tag in a JSDoc comment, with the byte spans of its type and documented name."""

    word: str
    kind: tuple[int, int] | None
    name: tuple[int, int] | None


def parse_tags(resolver: Resolver, path: str, comment: Node) -> list[Tag]:
    """Return the tags of a comment; none in other comments or another language."""
    lexical = resolver.lexical(path)
    text = lexical.text[comment.start_byte : comment.end_byte]
    if (
        comment.type != "comment"
        or not text.startswith(b"/**")
        or lexical.syntax.language.name != "javascript"
    ):
        return []
    at = comment.start_byte
    return [
        Tag(
            found[1].decode("ascii", "replace"),
            (at + found.start(2), at + found.end(2)) if found[2] is not None else None,
            (at + found.start(3), at + found.end(3)) if found[3] is not None else None,
        )
        for found in _TAG.finditer(text)
    ]


def resolve_in_comment(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    if mention.role != "comment":
        return
    for tag in parse_tags(resolver, path, mention.node):
        if tag.kind is not None and tag.kind[0] <= mention.start < tag.kind[1]:
            found = _resolve_type_name(resolver, path, mention)
            yield from (each for each in found if isinstance(each, Binding))
        elif tag.name == (mention.start, mention.end):
            yield from _resolve_tag_name(resolver, path, mention, tag)


def _resolve_tag_name(resolver: Resolver, path: str, mention: Mention, tag: Tag) -> Iterator[Meaning]:
    if tag.word in _NAMED:
        yield _comment_binding(resolver, path, mention.name)
    elif tag.word in _PROPERTIES:
        yield resolver.class_member(Class(path, mention.node), mention.name)
    elif tag.word in _PARAMETERS:
        for parameter in _documented_parameters(mention.node):
            if modules.text(resolver, path, parameter) == mention.name:
                yield from resolver.meanings(path, nodes.mention(resolver, path, parameter))


def _comment_binding(resolver: Resolver, path: str, name: str) -> Binding:
    root = resolver.lexical(path).syntax.root
    return Binding(path, (root.start_byte, root.end_byte), "module", name)


def types_defined_in_comments(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    if _find_definition(resolver, path, name) is not None:
        yield _comment_binding(resolver, path, name)


def _find_definition(resolver: Resolver, path: str, name: str) -> tuple[Node, Tag] | None:
    lexical = resolver.files.lexical(path)
    for mention in lexical.occurrences_of(name) if lexical is not None else ():
        for tag in parse_tags(resolver, path, mention.node) if mention.role == "comment" else ():
            if tag.word in _NAMED and tag.name == (mention.start, mention.end):
                return mention.node, tag
    return None


def _resolve_type_name(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a name in a type: of a scope, of comments, or of the module before it."""
    before = resolver.lexical(path).text[mention.node.start_byte : mention.start]
    loaded = _IMPORTED.search(before)
    if loaded is not None:
        module = modules.find_module(resolver, path, loaded[2].decode("utf-8", "replace"))
        return resolver.members(module, mention.name) if isinstance(module, Module) else ()
    if before.rstrip().endswith((b".", b'"', b"'")) or _is_key(resolver, path, mention):
        return ()
    found = tuple(resolver.scope_meanings(path, msgspec.structs.replace(mention, role="use", kind="any")))
    if any(isinstance(each, Binding) for each in found):
        return found
    return tuple(types_defined_in_comments(resolver, path, mention.name)) or found


def _is_key(resolver: Resolver, path: str, mention: Mention) -> bool:
    return resolver.lexical(path).text[mention.end : mention.end + 2].lstrip(b"? ").startswith(b":")


def declared_objects(resolver: Resolver, path: str, node: Node, name: str = "") -> Iterator[Value]:
    """Yield the values that the comment before a declaration gives it, or a parameter of a function."""
    comment = comment_before(node)
    for tag in parse_tags(resolver, path, comment) if comment is not None else ():
        is_it = tag.word == "type" if not name else tag.word in _PARAMETERS
        if is_it and tag.kind is not None and (not name or _text_at(resolver, path, tag.name) == name):
            yield from objects_of_comment(resolver, path, comment, tag.kind)


def returned_objects(resolver: Resolver, path: str, function: Node) -> Iterator[Value]:
    """Yield the values that the comment before a function declares as its result."""
    comment = comment_before(function)
    for tag in parse_tags(resolver, path, comment) if comment is not None else ():
        if tag.word in _GIVEN and tag.kind is not None:
            yield from objects_of_comment(resolver, path, comment, tag.kind)


def objects_of_comment(
    resolver: Resolver, path: str, comment: Node | None, span: tuple[int, int]
) -> Iterator[Value]:
    """Yield the values of a type in a comment: names, or unions of names."""
    text = resolver.lexical(path).text[slice(*span)]
    around = _WRAPPERS.match(text)
    group = 1 if around is not None and around[1] is not None else 2
    start = span[0] + (around.start(group) if around is not None else 0)
    for part in re.finditer(rb"[^|()]+", (around[group] if around is not None else text) or b""):
        word, at = part[0].strip().lstrip(b"?!"), start + part.start()
        at += len(part[0]) - len(part[0].lstrip(b" ?!"))
        name = _NAME.search(word, word.rfind(b".") + 1)
        if name is None or name.end() != len(word) or comment is None:
            yield Unknown("its type is not read here")
        elif word.decode("utf-8", "replace") in _PLAIN_WORDS:
            yield from () if word in (b"null", b"undefined", b"void") else (Elsewhere("builtins"),)
        else:
            yield from _objects_of_name(
                resolver, path, comment, (name[0].decode("utf-8", "replace"), at + name.start())
            )


def _objects_of_name(resolver: Resolver, path: str, comment: Node, name: tuple[str, int]) -> Iterator[Value]:
    for meaning in _resolve_type_name(resolver, path, resolver.lexical(path).mentions.at(*name)) or (
        Unknown("it is no type"),
    ):
        known = (
            _find_definition(resolver, meaning.path, meaning.name) if isinstance(meaning, Binding) else None
        )
        if known is not None and isinstance(meaning, Binding):
            node, tag = known
            is_object = tag.kind is None or _text_at(resolver, meaning.path, tag.kind) in ("Object", "object")
            if is_object and tag.word != "callback":
                yield Instance(Class(meaning.path, node))
            elif tag.kind is not None:
                yield from objects_of_comment(resolver, meaning.path, node, tag.kind)
            else:
                yield Unknown("it is a function")
            continue
        for value in resolver.values_of(meaning):
            own = resolver.class_of(value)
            yield Instance(own) if own is not None else value


def _text_at(resolver: Resolver, path: str, span: tuple[int, int] | None) -> str:
    return (
        "" if span is None else resolver.lexical(path).text[slice(*span)].decode("utf-8", "replace").strip()
    )


def comment_before(node: Node) -> Node | None:
    at: Node | None = node
    while at is not None:
        above, last = at.parent, at.prev_named_sibling
        if last is not None and last.type == "comment" and at.start_point.row - last.end_point.row <= 1:
            return last
        at = above if above is not None and above.type in _OUTER else None
    return None


def _documented_parameters(comment: Node) -> Iterator[Node]:
    node = comment.next_named_sibling
    while node is not None:
        parameter_list = node.child_by_field_name("parameters")
        if parameter_list is not None or node.child_by_field_name("parameter") is not None:
            for each in (
                parameter_list.named_children
                if parameter_list is not None
                else [node.child_by_field_name("parameter")]
            ):
                if each is not None:
                    yield each.child_by_field_name("left") or each
            return
        inner = next(
            (
                node.child_by_field_name(field)
                for field in ("declaration", "value", "right")
                if node.child_by_field_name(field)
            ),
            None,
        )
        is_outer = node.type in _OUTER or node.type == "variable_declarator"
        node = inner or (node.named_children[0] if is_outer and node.named_children else None)


_BODIES = ("object_type", "intersection_type")
_PLAIN = ("array_type", "tuple_type", "literal_type", "template_literal_type", "type_predicate_annotation")
_OF_THEIR_PART = frozenset(
    {"Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited", "Pick", "Omit"}
)
_OPEN = frozenset({"any", "unknown", "object"})


def allowed_objects(resolver: Resolver, path: str, node: Node | None) -> Iterator[Value]:
    read = _OBJECT_READERS.get(node.type) if node is not None else None
    if node is None:
        yield Unknown("it has no type")
    elif read is not None:
        yield from read(resolver, path, node)
    elif node.type in _BODIES:
        yield from _allowed_by_body(resolver, path, node)
    elif node.type == "function_type":
        yield Function(path, node)
    else:
        yield _allowed_outside(resolver, path, node)


def _allowed_by_child(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from allowed_objects(resolver, path, node.named_children[0] if node.named_children else None)


def _allowed_by_name(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def _allowed_by_query(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values of ``typeof x``."""
    yield from resolver.values(path, node.named_children[0])


def _allowed_by_this(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from resolver.values(path, node)


def _allowed_by_union(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for part in node.named_children:
        if modules.text(resolver, path, part) not in ("null", "undefined", "void"):
            yield from allowed_objects(resolver, path, part)


def _allowed_by_generic(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    name, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    if modules.text(resolver, path, name) in _OF_THEIR_PART and arguments is not None:
        yield from allowed_objects(resolver, path, arguments.named_children[0])
        return
    for value in allowed_objects(resolver, path, name):
        at = _mapped_argument(resolver, value)
        if at is not None and arguments is not None and at < len(arguments.named_children):
            yield from allowed_objects(resolver, path, arguments.named_children[at])
        else:
            yield value


def _mapped_argument(resolver: Resolver, value: Value) -> int | None:
    """Return the index of the type argument whose members a mapped type has."""
    of = value.of if isinstance(value, Instance) else None
    over = _mapped_type(of.node) if of is not None and of.node.type == "object_type" else None
    return _parameter_index(resolver, of.path, of.node, over) if of is not None and over is not None else None


def _allowed_by_body(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the object of a literal type; for a mapped type, of the type whose members it has."""
    over = _mapped_type(node)
    if over is None or _parameter_index(resolver, path, node, over) is not None:
        yield Instance(Class(path, node))
    else:
        yield from allowed_objects(resolver, path, over)


def _mapped_type(node: Node) -> Node | None:
    """Return the ``T`` of ``{ [K in keyof T]: ... }``."""
    inner = node.named_children[0].named_children if node.named_children else []
    clause = next((each for each in inner if each.type == "mapped_type_clause"), None)
    over = find_part(clause, "type")
    is_renamed = clause is not None and clause.child_by_field_name("alias") is not None
    return (
        over.named_children[0]
        if over is not None and over.type == "index_type_query" and not is_renamed
        else None
    )


def _parameter_index(resolver: Resolver, path: str, node: Node, over: Node) -> int | None:
    """Return the index of a type among the type parameters of the alias around it."""
    alias = nodes.ancestor(node, "type_alias_declaration")
    parameters = find_part(alias, "type_parameters")
    names = (
        [each.child_by_field_name("name") for each in parameters.named_children]
        if parameters is not None
        else []
    )
    type_text = modules.text(resolver, path, over)
    return next(
        (at for at, each in enumerate(names) if modules.text(resolver, path, each) == type_text), None
    )


def _allowed_outside(resolver: Resolver, path: str, node: Node) -> Value:
    is_open = modules.text(resolver, path, node) in _OPEN
    if node.type in _PLAIN or (node.type == "predefined_type" and not is_open):
        return Elsewhere("builtins")
    return Unknown("its type is not read here")


_OBJECT_READERS: Mapping[str, Callable[[Resolver, str, Node], Iterator[Value]]] = {
    **dict.fromkeys(("type_identifier", "identifier", "nested_type_identifier"), _allowed_by_name),
    **dict.fromkeys(
        ("type_annotation", "parenthesized_type", "readonly_type", "asserts_annotation"), _allowed_by_child
    ),
    "union_type": _allowed_by_union,
    "generic_type": _allowed_by_generic,
    "type_query": _allowed_by_query,
    "this_type": _allowed_by_this,
}
"""By node type: reader of the values that a type allows."""


_LISTS = frozenset(
    {
        *("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "Iterator"),
        *("IterableIterator", "AsyncIterableIterator", "Generator", "AsyncGenerator", "ArrayLike"),
    }
)
_PROMISES = frozenset({"Promise", "PromiseLike", "Awaited"})
_AROUND = ("type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type")


class WrittenType(NamedTuple):
    """A type: the path of its file and its node."""

    path: str
    node: Node


def expression_types(resolver: Resolver, path: str, node: Node | None) -> tuple[WrittenType, ...]:
    """Return the declared types of an expression; empty without any."""
    read = _TYPE_READERS.get(node.type) if node is not None else None
    if node is None or read is None:
        return ()
    key = ("typed", path, node.start_byte, node.end_byte, node.type)
    return resolver.once(key, lambda: read(resolver, path, node), ())


def pattern_types(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if kind is not None:
        yield WrittenType(path, kind)
    elif above.type == "variable_declarator":
        yield from expression_types(resolver, path, above.child_by_field_name("value"))
    elif above.type == "assignment_expression":
        yield from expression_types(resolver, path, above.child_by_field_name("right"))
    elif above.type == "for_in_statement" and is_over_items(above):
        yield from item_types(resolver, expression_types(resolver, path, above.child_by_field_name("right")))
    elif above.type == "array_pattern":
        yield from item_types(resolver, tuple(pattern_types(resolver, path, above)))
    elif above.type == "pair_pattern" and above.parent is not None:
        yield from _type_of_part(resolver, path, above.parent, above.child_by_field_name("key"))


def item_types(resolver: Resolver, types: tuple[WrittenType, ...]) -> Iterator[WrittenType]:
    for path, node in (each for written in types for each in resolve_alias(resolver, *written)):
        name, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if node.type == "array_type":
            yield WrittenType(path, node.named_children[0])
        elif node.type == "tuple_type":
            yield from (WrittenType(path, each) for each in node.named_children)
        elif arguments is not None and modules.text(resolver, path, name) in _LISTS:
            yield WrittenType(path, arguments.named_children[0])
        elif arguments is not None and modules.text(resolver, path, name) == "Record":
            yield WrittenType(path, arguments.named_children[-1])


def resolve_alias(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    """Yield a type without parentheses; for an alias, its target."""
    while node.type in _AROUND and node.named_children:
        node = node.named_children[0]
    arguments = node.child_by_field_name("type_arguments")
    if arguments is not None and modules.text(resolver, path, node.child_by_field_name("name")) in _PROMISES:
        yield from resolve_alias(resolver, path, arguments.named_children[0])
        return
    aliases = list(_alias_targets(resolver, path, node)) if node.type == "type_identifier" else []
    yield from aliases or [WrittenType(path, node)]


def is_over_items(loop: Node) -> bool:
    """Return True if a loop iterates over items (``of``), not over keys."""
    return any(child.type == "of" for child in loop.children)


def _alias_targets(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = place.mention.node.parent
            value = find_part(above, "value")
            if place.mention.kind == "alias" and value is not None:
                yield from resolver.once(
                    ("alias", place.path, value.start_byte),
                    lambda at=place.path, value=value: resolve_alias(resolver, at, value),  # type: ignore[misc]
                    (),
                )
            elif place.mention.kind == "import" and isinstance(meaning, Binding):
                yield from _imported_alias(resolver, meaning)


def _imported_alias(resolver: Resolver, meaning: Binding) -> Iterator[WrittenType]:
    for place in resolver.binders(meaning):
        for each in resolver.dialect(place.path).resolve_origin(resolver, place.path, place.mention):
            for origin_place in resolver.binders(each) if isinstance(each, Binding) else ():
                above = origin_place.mention.node.parent
                value = find_part(above, "value")
                if origin_place.mention.kind == "alias" and value is not None:
                    yield from resolve_alias(resolver, origin_place.path, value)


def declared_types(resolver: Resolver, meanings: Iterable[object]) -> Iterator[WrittenType]:
    for meaning in meanings:
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = modules.find_named_node(place.mention.node)
            kind = find_part(above, "type")
            if above is None:
                continue
            if kind is not None:
                yield WrittenType(place.path, kind)
            elif above.type.endswith(("_pattern", "for_in_statement")):
                yield from pattern_types(resolver, place.path, place.mention.node)
            else:
                yield from expression_types(resolver, place.path, above.child_by_field_name("value"))


def _type_of_part(resolver: Resolver, path: str, pattern: Node, key: Node | None) -> Iterator[WrittenType]:
    name = modules.text(resolver, path, key).strip("\"'`")
    for value in resolver.values(path, pattern):
        yield from declared_types(resolver, resolver.members(value, name))


def _type_of_name(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    yield from declared_types(resolver, resolver.meanings(path, nodes.mention(resolver, path, node)))


def _type_of_member(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    named = node.child_by_field_name("property")
    yield from _type_of_name(resolver, path, named) if named is not None else ()


def _type_of_call(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    callee = node.child_by_field_name("function")
    if callee is not None and callee.type == "await_expression":  # as the grammar reads ``await f<T>()``
        callee = callee.named_children[0]
    for value in resolver.values(path, callee):
        kind = value.node.child_by_field_name("return_type") if isinstance(value, Function) else None
        if isinstance(value, Function) and kind is not None:
            yield WrittenType(value.path, kind)


def _type_of_child(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    for child in node.named_children[:1]:
        yield from expression_types(resolver, path, child)


def _type_of_cast(_resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    if len(node.named_children) > 1:
        yield WrittenType(path, node.named_children[1])


def _type_of_subscript(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    index = node.child_by_field_name("index")
    if index is not None and index.type == "string" and index.named_children:
        yield from _type_of_name(resolver, path, index.named_children[0])
    elif index is not None:
        yield from item_types(resolver, expression_types(resolver, path, node.child_by_field_name("object")))


_TYPE_READERS: Mapping[str, Callable[[Resolver, str, Node], Iterator[WrittenType]]] = {
    "identifier": _type_of_name,
    "member_expression": _type_of_member,
    "call_expression": _type_of_call,
    "subscript_expression": _type_of_subscript,
    **dict.fromkeys(("parenthesized_expression", "non_null_expression", "await_expression"), _type_of_child),
    **dict.fromkeys(("as_expression", "satisfies_expression"), _type_of_cast),
}
"""By node type: reader of an expression's declared types."""


_CHAIN = ("member_expression", "call_expression", "subscript_expression", "non_null_expression")
_NAMES = frozenset({"Promise", "PromiseLike"})


def promised_type(resolver: Resolver, path: str, node: Node) -> Node | None:
    """Return the type of a promise's result; None if the type is not a promise."""
    name, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    is_promise = node.type == "generic_type" and modules.text(resolver, path, name) in _NAMES
    return (
        arguments.named_children[0]
        if is_promise and arguments is not None and arguments.named_children
        else None
    )


def infer_awaited(resolver: Resolver, values: Iterable[Value]) -> Iterator[Value]:
    """Yield the results of awaiting some values; values other than promises give themselves."""
    for value in values:
        inner = list(_held_types(resolver, value))
        for path, node in inner:
            yield from allowed_objects(resolver, path, node)
        yield from () if inner else (value,)


def is_awaited(call: Node) -> bool:
    """Return True if a preceding ``await`` applies to a call (read from the left in ``await f<T>().g()``)."""
    above = call.parent
    if above is not None and above.type in _CHAIN and above.children[0].id == call.id:
        return False
    node = call.children[0]
    while node.type in _CHAIN:
        node = node.children[0]
    return node.type == "await_expression"


def _held_types(resolver: Resolver, value: Value) -> Iterator[tuple[str, Node]]:
    classes = resolver.ancestry(value.of) if isinstance(value, Instance) else ()
    for each in (ancestor for ancestor in classes if isinstance(ancestor, Class)):
        for part in _part_types(each):
            inner = promised_type(resolver, each.path, part)
            if inner is not None:
                yield each.path, inner


def _part_types(of: Class) -> list[Node]:
    """Return the types that an intersection type names as its parts."""
    if of.node.type == "intersection_type":
        return of.node.named_children
    above = of.node.parent if of.node.type == "interface_body" else None
    clauses = children_of(above)
    return [node for each in clauses if each.type == "extends_type_clause" for node in each.named_children]


_UNKNOWN = Unknown("nobody says what is in it")


def infer_items(resolver: Resolver, path: str, node: Node | None) -> Iterator[Value]:
    found = list(item_types(resolver, expression_types(resolver, path, node)))
    for each in found:
        yield from allowed_objects(resolver, *each)
    if not found:
        written = list(_written_items(resolver, path, node)) if node is not None else []
        for at, item in written:
            yield from (_UNKNOWN,) if item.type == "spread_element" else resolver.values(at, item)
        if not written:
            yield _UNKNOWN


def infer_pattern_item(resolver: Resolver, path: str, pattern: Node, at: int) -> Iterator[Value]:
    found = list(item_types(resolver, tuple(pattern_types(resolver, path, pattern))))
    for each in found:
        yield from allowed_objects(resolver, *each)
    above = pattern.parent
    value = find_part(above, "value", "right")
    if not found and value is not None and value.type == "array" and at < value.named_child_count:
        yield from resolver.values(path, value.named_children[at])
    elif not found:
        yield _UNKNOWN


def _written_items(resolver: Resolver, path: str, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the items of a list literal, or of a name with a declared type (in TypeScript)."""
    if node.type == "array":
        yield from ((path, each) for each in node.named_children)
    elif node.type == "identifier" and resolver.lexical(path).syntax.language.name != "javascript":
        for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
            for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
                above = place.mention.node.parent
                value = find_part(above, "value")
                if value is not None and value.type == "array":
                    yield from ((place.path, each) for each in value.named_children)


_DECLARATIONS = ("class_declaration", "abstract_class_declaration", "interface_declaration")


def find_declaring_class(resolver: Resolver, binding: Binding) -> Binding | None:
    """Return the class or interface with a type parameter; None for other names."""
    node = _declaration_of(resolver, binding)
    name = find_part(node, "name")
    if name is None:
        return None
    found = resolver.meanings(binding.path, nodes.mention(resolver, binding.path, name))
    return next((each for each in found if isinstance(each, Binding)), None)


def type_parameter_redeclarations(
    resolver: Resolver, binding: Binding, declarations: Iterable[Binding]
) -> Iterator[Binding]:
    """Yield the type parameters of other declarations at the index of a type parameter."""
    own = _declaration_of(resolver, binding)
    at = _type_parameter_names(resolver, binding.path, own).index(binding.name) if own is not None else -1
    for declaration in declarations:
        for place in resolver.binders(declaration):
            node = place.mention.node.parent
            if node is None or node.type not in _DECLARATIONS:
                continue
            span = (node.start_byte, node.end_byte)
            is_own = place.path == binding.path and span == binding.scope
            if not is_own and _type_parameter_names(resolver, place.path, node)[at : at + 1] == [
                binding.name
            ]:
                yield Binding(place.path, span, binding.kind, binding.name, binding.space)


def _declaration_of(resolver: Resolver, binding: Binding) -> Node | None:
    if binding.kind != "generic":
        return None
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and (node.start_byte, node.end_byte) != binding.scope:
        node = node.parent
    is_known = node is not None and node.type in _DECLARATIONS
    return node if is_known and binding.name in _type_parameter_names(resolver, binding.path, node) else None


def _type_parameter_names(resolver: Resolver, path: str, declaration: Node | None) -> list[str]:
    return [
        modules.text(resolver, path, each.child_by_field_name("name") or each)
        for each in children_of(find_part(declaration, "type_parameters"))
        if each.type == "type_parameter"
    ]
