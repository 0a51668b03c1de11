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
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
    bindings_in,
    functions_in,
)
from gitscalpel.names.languages.javascript import modules
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.readings import (
    Reading,
    always,
    function_itself,
    instances_of,
    object_itself,
    reading_table,
    value_of,
)
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
    {"string", "number", "boolean", "bigint", "symbol", "void", "never", "null", "undefined", "true", "false"}
    | {"String", "Number", "Boolean", "RegExp", "Date", "Error", "Symbol"}
)
_OUTER = (
    *("variable_declarator", "lexical_declaration", "variable_declaration", "export_statement"),
    *("assignment_expression", "expression_statement", "pair", "field_definition"),
)
"""Nodes whose preceding comment describes a declaration in them."""


class Tag(NamedTuple):
    """Word after ``@`` of a tag in a JSDoc comment, with the byte spans of its type and documented name."""

    word: str
    kind: tuple[int, int] | None
    name: tuple[int, int] | None


def parse_tags(resolver: Resolver, path: str, comment: Node | None) -> list[Tag]:
    """Return the tags of a comment; none in other comments or another language."""
    if comment is None or comment.type != "comment":
        return []
    lexical, at = resolver.lexical(path), comment.start_byte
    text = lexical.text[at : comment.end_byte]
    if not text.startswith(b"/**") or lexical.syntax.language.name != "javascript":
        return []
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
        yield resolver.top_binding(path, mention.name)
    elif tag.word in _PROPERTIES:
        yield resolver.class_member(Class(path, mention.node), mention.name)
    elif tag.word in _PARAMETERS:
        for parameter in _find_documented_parameters(mention.node):
            if modules.text(resolver, path, parameter) == mention.name:
                yield from nodes.meanings_of(resolver, path, parameter)


def types_defined_in_comments(resolver: Resolver, path: str, name: str) -> Iterable[Binding]:
    is_defined = _find_definition(resolver, path, name) is not None
    return (resolver.top_binding(path, name),) if is_defined else ()


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
    for tag in parse_tags(resolver, path, comment):
        is_it = tag.word == "type" if not name else tag.word in _PARAMETERS
        if is_it and tag.kind is not None and (not name or _read_text(resolver, path, tag.name) == name):
            yield from objects_of_comment(resolver, path, comment, tag.kind)


def declared_results(resolver: Resolver, path: str, function: Node) -> Iterator[Value]:
    """Yield the results that a function declares by its type, or by the comment before it."""
    kind = find_part(function, "return_type")
    if kind is not None:
        yield from allowed_objects(resolver, path, kind)
        return
    comment = comment_before(function)
    for tag in parse_tags(resolver, path, comment):
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
            yield from _infer_named(
                resolver, path, comment, (name[0].decode("utf-8", "replace"), at + name.start())
            )


def _infer_named(resolver: Resolver, path: str, comment: Node, name: tuple[str, int]) -> Iterator[Value]:
    found = _resolve_type_name(resolver, path, resolver.lexical(path).mentions.at(*name))
    for meaning in found or (Unknown("it is no type"),):
        if isinstance(meaning, Binding) and (known := _find_definition(resolver, meaning.path, meaning.name)):
            yield from _infer_defined(resolver, meaning.path, *known)
            continue
        for value in resolver.values_of(meaning):
            own = resolver.class_of(value)
            yield Instance(own) if own is not None else value


def _infer_defined(resolver: Resolver, path: str, comment: Node, tag: Tag) -> Iterator[Value]:
    """Yield the objects of a type that a comment defines."""
    is_object = tag.kind is None or _read_text(resolver, path, tag.kind) in ("Object", "object")
    if is_object and tag.word != "callback":
        yield Instance(Class(path, comment))
    elif tag.kind is not None:
        yield from objects_of_comment(resolver, path, comment, tag.kind)
    else:
        yield Unknown("it is a function")


def _read_text(resolver: Resolver, path: str, span: tuple[int, int] | None) -> str:
    return (
        "" if span is None else resolver.lexical(path).text[slice(*span)].decode("utf-8", "replace").strip()
    )


def comment_before(node: Node) -> Node | None:
    at: Node | None = node
    while at is not None:
        last = at.prev_named_sibling
        if last is not None and last.type == "comment" and at.start_point.row - last.end_point.row <= 1:
            return last
        at = nodes.parent_of(at, *_OUTER)
    return None


def _find_documented_parameters(comment: Node) -> Iterator[Node]:
    node = comment.next_named_sibling
    while node is not None:
        listed, single = find_part(node, "parameters"), find_part(node, "parameter")
        for each in [single] if listed is None and single is not None else children_of(listed):
            yield find_part(each, "left") or each
        if listed is not None or single is not None:
            return
        is_outer = node.type in _OUTER
        node = find_part(node, "declaration", "value", "right") or (find_part(node, 0) if is_outer else None)


_OF_THEIR_PART = frozenset(
    {"Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited", "Pick", "Omit"}
)
_OPEN = frozenset({"any", "unknown", "object"})


def allowed_objects(resolver: Resolver, path: str, node: Node | None) -> Iterable[Value]:
    if node is None:
        return (Unknown("it has no type"),)
    read = _OBJECT_READERS.get(node.type, _infer_allowed_outside)
    return read(resolver, path, node)


def _infer_allowed_by_child(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    return allowed_objects(resolver, path, find_part(node, 0))


def _infer_allowed_by_union(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for part in node.named_children:
        if modules.text(resolver, path, part) not in ("null", "undefined", "void"):
            yield from allowed_objects(resolver, path, part)


def _infer_allowed_by_generic(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    name, arguments = find_part(node, "name"), children_of(find_part(node, "type_arguments"))
    if arguments and modules.text(resolver, path, name) in _OF_THEIR_PART:
        yield from allowed_objects(resolver, path, arguments[0])
        return
    for value in allowed_objects(resolver, path, name):
        at = _find_mapped_argument(resolver, value)
        is_given = at is not None and at < len(arguments)
        yield from allowed_objects(resolver, path, arguments[at or 0]) if is_given else (value,)


def _find_mapped_argument(resolver: Resolver, value: Value) -> int | None:
    """Return the index of the type argument whose members a mapped type has."""
    of = value.of if isinstance(value, Instance) and value.of.node.type == "object_type" else None
    over = _find_mapped_type(of.node) if of is not None else None
    return (
        _find_parameter_index(resolver, of.path, of.node, over)
        if of is not None and over is not None
        else None
    )


def _infer_allowed_by_body(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    """Return the object of a literal type; for a mapped type, of the type whose members it has."""
    over = _find_mapped_type(node)
    if over is None or _find_parameter_index(resolver, path, node, over) is not None:
        return object_itself(resolver, path, node)
    return allowed_objects(resolver, path, over)


def _find_mapped_type(node: Node) -> Node | None:
    """Return the ``T`` of ``{ [K in keyof T]: ... }``."""
    clause = nodes.child_of_type(find_part(node, 0), "mapped_type_clause")
    over = find_part(clause, "type")
    is_plain = nodes.type_of(over) == "index_type_query" and find_part(clause, "alias") is None
    return find_part(over, 0) if is_plain else None


def _find_parameter_index(resolver: Resolver, path: str, node: Node, over: Node) -> int | None:
    alias = nodes.ancestor(node, "type_alias_declaration")
    parameters = children_of(find_part(alias, "type_parameters"))
    names = [modules.text(resolver, path, find_part(each, "name")) for each in parameters]
    type_text = modules.text(resolver, path, over)
    return names.index(type_text) if type_text in names else None


def _infer_allowed_outside(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    is_plain = node.type == "predefined_type" and modules.text(resolver, path, node) not in _OPEN
    return (Elsewhere("builtins") if is_plain else Unknown("its type is not read here"),)


_OBJECT_READERS: Mapping[str, Reading] = reading_table(
    ("type_identifier identifier nested_type_identifier", instances_of),
    ("type_annotation parenthesized_type readonly_type asserts_annotation", _infer_allowed_by_child),
    ("union_type", _infer_allowed_by_union),
    ("generic_type", _infer_allowed_by_generic),
    ("type_query", value_of(0)),
    ("this_type", lambda resolver, path, node: resolver.values(path, node)),
    ("object_type intersection_type", _infer_allowed_by_body),
    ("function_type", function_itself),
    (
        "array_type tuple_type literal_type template_literal_type type_predicate_annotation",
        always(Elsewhere("builtins")),
    ),
)
"""By node type: reading of the values that a type allows."""


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


def written_type(path: str, declaration: Node | None, field: str) -> tuple[WrittenType, ...]:
    """Return the type in a field of a declaration; empty if it declares none."""
    kind = find_part(declaration, field)
    return () if kind is None else (WrittenType(path, kind),)


def expression_types(resolver: Resolver, path: str, node: Node | None) -> tuple[WrittenType, ...]:
    """Return the declared types of an expression; empty without any."""
    read = _TYPE_READERS.get(node.type) if node is not None else None
    if node is None or read is None:
        return ()
    key = ("typed", path, node.start_byte, node.end_byte, node.type)
    return resolver.compute_once(key, lambda: read(resolver, path, node), ())


def pattern_types(resolver: Resolver, path: str, node: Node) -> Iterable[WrittenType]:
    above = node.parent
    kind = find_part(above, "type")
    if above is None or kind is not None:
        return written_type(path, above, "type")
    if above.type in ("variable_declarator", "assignment_expression"):
        return expression_types(resolver, path, find_part(above, "value", "right"))
    if above.type == "for_in_statement" and is_over_items(above):
        return item_types(resolver, expression_types(resolver, path, find_part(above, "right")))
    if above.type == "array_pattern":
        return item_types(resolver, tuple(pattern_types(resolver, path, above)))
    if above.type == "pair_pattern" and above.parent is not None:
        return _find_part_type(resolver, path, above.parent, find_part(above, "key"))
    return ()


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
    aliases = list(_find_alias_targets(resolver, path, node)) if node.type == "type_identifier" else []
    yield from aliases or [WrittenType(path, node)]


def is_over_items(loop: Node | None) -> bool:
    """Return True if a loop iterates over items (``of``), not over keys."""
    return nodes.has_child(loop, "of")


def is_choice(node: Node) -> bool:
    """Return True if an expression has the value of one of its operands."""
    return nodes.type_of(find_part(node, "operator")) in ("||", "&&", "??")


def _find_alias_targets(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    for meaning in bindings_in(nodes.meanings_of(resolver, path, node)):
        for place in resolver.binders(meaning):
            value = find_part(place.mention.node.parent, "value")
            if place.mention.kind == "alias" and value is not None:
                yield from resolver.compute_once(
                    ("alias", place.path, value.start_byte),
                    lambda at=place.path, value=value: resolve_alias(resolver, at, value),  # type: ignore[misc]
                    (),
                )
            elif place.mention.kind == "import":
                yield from _find_imported_alias(resolver, meaning)


def _find_imported_alias(resolver: Resolver, meaning: Binding) -> Iterator[WrittenType]:
    for place in resolver.binders(meaning):
        origin = resolver.dialect(place.path).resolve_origin(resolver, place.path, place.mention)
        for other in resolver.binders_of_each(origin):
            value = find_part(other.mention.node.parent, "value")
            if other.mention.kind == "alias" and value is not None:
                yield from resolve_alias(resolver, other.path, value)


def declared_types(resolver: Resolver, meanings: Iterable[Meaning]) -> Iterator[WrittenType]:
    for place in resolver.binders_of_each(meanings):
        above = modules.find_named_node(place.mention.node)
        written = written_type(place.path, above, "type")
        if written or above is None:
            yield from written
        elif above.type.endswith(("_pattern", "for_in_statement")):
            yield from pattern_types(resolver, place.path, place.mention.node)
        else:
            yield from expression_types(resolver, place.path, find_part(above, "value"))


def _find_part_type(resolver: Resolver, path: str, pattern: Node, key: Node | None) -> Iterator[WrittenType]:
    name = modules.text(resolver, path, key).strip("\"'`")
    for value in resolver.values(path, pattern):
        yield from declared_types(resolver, resolver.members(value, name))


def _find_type_of_name(resolver: Resolver, path: str, node: Node | None) -> Iterator[WrittenType]:
    return declared_types(resolver, nodes.meanings_of(resolver, path, node))


def _find_type_of_member(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    return _find_type_of_name(resolver, path, find_part(node, "property"))


def _find_type_of_call(resolver: Resolver, path: str, node: Node) -> Iterator[WrittenType]:
    callee = find_part(node, "function")
    if callee is not None and callee.type == "await_expression":  # as the grammar reads ``await f<T>()``
        callee = callee.named_children[0]
    for function in functions_in(resolver.values(path, callee)):
        yield from written_type(function.path, function.node, "return_type")


def _find_type_of_child(resolver: Resolver, path: str, node: Node) -> Iterable[WrittenType]:
    return expression_types(resolver, path, find_part(node, 0))


def _find_type_of_cast(_resolver: Resolver, path: str, node: Node) -> Iterable[WrittenType]:
    return [WrittenType(path, each) for each in node.named_children[1:2]]


def _find_type_of_subscript(resolver: Resolver, path: str, node: Node) -> Iterable[WrittenType]:
    index = find_part(node, "index")
    if index is not None and index.type == "string" and index.named_children:
        return _find_type_of_name(resolver, path, index.named_children[0])
    held = expression_types(resolver, path, find_part(node, "object")) if index is not None else ()
    return item_types(resolver, held)


_TYPE_READERS: Mapping[str, Callable[[Resolver, str, Node], Iterable[WrittenType]]] = reading_table(
    ("identifier", _find_type_of_name),
    ("member_expression", _find_type_of_member),
    ("call_expression", _find_type_of_call),
    ("subscript_expression", _find_type_of_subscript),
    ("parenthesized_expression non_null_expression await_expression", _find_type_of_child),
    ("as_expression satisfies_expression", _find_type_of_cast),
)
"""By node type: reading of an expression's declared types."""


_CHAIN = ("member_expression", "call_expression", "subscript_expression", "non_null_expression")
_NAMES = frozenset({"Promise", "PromiseLike"})


def promised_type(resolver: Resolver, path: str, node: Node) -> Node | None:
    """Return the type of a promise's result; None if the type is not a promise."""
    is_promise = modules.text(resolver, path, find_part(node, "name")) in _NAMES
    arguments = find_part(node, "type_arguments") if is_promise and node.type == "generic_type" else None
    return find_part(arguments, 0)


def infer_awaited(resolver: Resolver, values: Iterable[Value]) -> Iterator[Value]:
    """Yield the results of awaiting some values; values other than promises give themselves."""
    for value in values:
        inner = list(_find_promised_types(resolver, value))
        for path, node in inner:
            yield from allowed_objects(resolver, path, node)
        yield from () if inner else (value,)


def is_awaited(call: Node) -> bool:
    """Return True if a preceding ``await`` applies to a call.

    In ``await f<T>().g()``, this is the call of ``g``, although the grammar attaches ``await`` to ``f``.
    """
    above = call.parent
    if above is not None and above.type in _CHAIN and above.children[0].id == call.id:
        return False
    node = call.children[0]
    while node.type in _CHAIN:
        node = node.children[0]
    return node.type == "await_expression"


def _find_promised_types(resolver: Resolver, value: Value) -> Iterator[tuple[str, Node]]:
    classes = resolver.ancestry(value.of) if isinstance(value, Instance) else ()
    for each in (ancestor for ancestor in classes if isinstance(ancestor, Class)):
        for part in _find_part_types(each):
            inner = promised_type(resolver, each.path, part)
            if inner is not None:
                yield each.path, inner


def _find_part_types(of: Class) -> list[Node]:
    """Return the types that an intersection type names as its parts."""
    if of.node.type == "intersection_type":
        return of.node.named_children
    above = of.node.parent if of.node.type == "interface_body" else None
    clauses = children_of(above)
    return [node for each in clauses if each.type == "extends_type_clause" for node in each.named_children]


_UNKNOWN = Unknown("the type of its content is unknown")


def infer_items(resolver: Resolver, path: str, node: Node | None) -> Iterator[Value]:
    found = list(item_types(resolver, expression_types(resolver, path, node)))
    written = list(_find_written_items(resolver, path, node)) if node is not None and not found else []
    for each in found:
        yield from allowed_objects(resolver, *each)
    for at, item in written:
        yield from (_UNKNOWN,) if item.type == "spread_element" else resolver.values(at, item)
    if not found and not written:
        yield _UNKNOWN


def infer_pattern_item(resolver: Resolver, path: str, pattern: Node, at: int) -> Iterator[Value]:
    found = list(item_types(resolver, tuple(pattern_types(resolver, path, pattern))))
    for each in found:
        yield from allowed_objects(resolver, *each)
    value = find_part(pattern.parent, "value", "right")
    items = children_of(value) if nodes.type_of(value) == "array" else []
    if not found:
        yield from resolver.values(path, items[at]) if at < len(items) else (_UNKNOWN,)


def _find_written_items(resolver: Resolver, path: str, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the items of a list literal, or of a name with a declared type (in TypeScript)."""
    if node.type == "array":
        yield from ((path, each) for each in node.named_children)
    elif node.type == "identifier" and resolver.lexical(path).syntax.language.name != "javascript":
        for place in resolver.binders_of_each(nodes.meanings_of(resolver, path, node)):
            value = find_part(place.mention.node.parent, "value")
            if nodes.type_of(value) == "array":
                yield from ((place.path, each) for each in children_of(value))


_DECLARATIONS = ("class_declaration", "abstract_class_declaration", "interface_declaration")


def find_declaring_class(resolver: Resolver, binding: Binding) -> Binding | None:
    """Return the class or interface with a type parameter; None for other names."""
    name = find_part(_find_declaration(resolver, binding), "name")
    return next(iter(bindings_in(nodes.meanings_of(resolver, binding.path, name))), None)


def type_parameter_redeclarations(
    resolver: Resolver, binding: Binding, declarations: Iterable[Binding]
) -> Iterator[Binding]:
    """Yield the type parameters of other declarations at the index of a type parameter."""
    own = _find_declaration(resolver, binding)
    at = _read_type_parameters(resolver, binding.path, own).index(binding.name) if own is not None else -1
    for place in resolver.binders_of_each(declarations):
        node = nodes.parent_of(place.mention.node, *_DECLARATIONS)
        if node is None or (place.path, nodes.span_of(node)) == (binding.path, binding.scope):
            continue
        if _read_type_parameters(resolver, place.path, node)[at : at + 1] == [binding.name]:
            yield binding._replace(path=place.path, scope=nodes.span_of(node))


def _find_declaration(resolver: Resolver, binding: Binding) -> Node | None:
    node = resolver.node_at(binding.path, binding.scope) if binding.kind == "generic" else None
    is_known = nodes.type_of(node) in _DECLARATIONS
    return node if is_known and binding.name in _read_type_parameters(resolver, binding.path, node) else None


def _read_type_parameters(resolver: Resolver, path: str, declaration: Node | None) -> list[str]:
    return [
        modules.text(resolver, path, each.child_by_field_name("name") or each)
        for each in children_of(find_part(declaration, "type_parameters"))
        if each.type == "type_parameter"
    ]
