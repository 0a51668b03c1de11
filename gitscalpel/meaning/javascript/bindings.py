"""What a name is worth where it is bound: by a declaration, a pattern, or as a member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.javascript import calls, exports, imports, jsdoc, namespaces, patterns, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_Bound = Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    above = words.owner(mention.node)
    if above is None:
        return (Unknown("it is bound by nothing"),)
    if mention.role == "member" or (mention.role == "use" and mention.key):
        return _set(resolver, path, mention, above)
    read = _READ.get(mention.kind)
    return read(resolver, path, mention, above) if read else (Unknown("it is bound by what runs"),)


def _body(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    body = above.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)


def _umd(resolver: Resolver, path: str, _mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    yield Module(path, resolver.lexical(path).syntax.language.name)


def _function(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, above)


def _alias(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, above.child_by_field_name("value"))


def _generic(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    limit = above.child_by_field_name("constraint")
    if limit is None or not limit.named_children:
        yield Unknown("it is a type that is chosen later")
    else:
        yield from types.objects(resolver, path, limit.named_children[0])


def _import(resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node) -> Iterable[Value]:
    return imports.worth(resolver, path, mention)


def _export(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    name = above.child_by_field_name("name")
    if name is None or mention.kind == "passed":
        yield from imports.worth(resolver, path, mention)
        return
    own = mention.node.id == name.id
    meant = (
        exports.named(resolver, path, mention)
        if own
        else resolver.meanings(path, words.mention(resolver, path, name))
    )
    for meaning in meant:
        yield from resolver.worth(meaning)


def _pattern(resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node) -> Iterable[Value]:
    return patterns.given(resolver, path, mention.node)


def _member(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    if "method" in above.type:
        if any(child.type in ("get", "set") for child in above.children):
            yield from calls.returned(resolver, Function(path, above))
        else:
            yield Function(path, above)
        return
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    told = list(jsdoc.said(resolver, path, above)) if kind is None else []
    if told:
        yield from told
    elif kind is None and value is not None:
        yield from resolver.values(path, value)
    else:
        yield from types.objects(resolver, path, kind)


def _enumerator(
    _resolver: Resolver, _path: str, _mention: Mention, _above: tree_sitter.Node
) -> Iterator[Value]:
    yield Elsewhere("builtins")


def _set(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterable[Value]:
    """A key of an object, or ``a.b = value``."""
    if mention.role == "use":
        return [v for each in resolver.meanings(path, mention) for v in resolver.worth(each)]
    if above.type == "method_definition":
        return _member(resolver, path, mention, above)
    value = above.child_by_field_name("value")
    if above.type == "pair" and value is not None:
        return resolver.values(path, value)
    statement = above.parent
    right = statement.child_by_field_name("right") if statement is not None else None
    return resolver.values(path, right) if right is not None else (Unknown("it is set by what runs"),)


_READ: Mapping[str, _Bound] = {
    **dict.fromkeys(("class", "self", "interface", "enum"), _body),
    "namespace": namespaces.worth,
    "umd": _umd,
    "function": _function,
    "alias": _alias,
    "generic": _generic,
    "import": _import,
    **dict.fromkeys(("export", "passed"), _export),
    **dict.fromkeys(("variable", "var", "parameter"), _pattern),
    **dict.fromkeys(("member", "static", "private"), _member),
    "enumerator": _enumerator,
}
"""How what a kind of binding binds is read."""
