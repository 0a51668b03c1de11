"""What calls give: an instance of the class, what the function returns, a module."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import constructors, imports, jsdoc, paths, promises, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Module, Unknown, Value

_LOADING = frozenset(
    {"require", "import"}
    | {f"{tool}.{does}" for tool in ("jest", "vi") for does in ("requireActual", "importActual")}
)
"""What gives the module that it is told the name of."""
PASSING = frozenset({"Object.freeze", "Object.seal", "Object.preventExtensions"})
"""Functions of ECMA-262 that give back the object itself, which has no more members afterwards."""


def given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a call gives."""
    callee = node.child_by_field_name("function")
    if callee is None:
        return
    inner = callee.named_children[0] if callee.type == "await_expression" else callee
    found = _called(resolver, path, node, inner)
    yield from promises.awaited(resolver, found) if promises.is_awaited(node) else found


def _called(
    resolver: Resolver, path: str, node: tree_sitter.Node, callee: tree_sitter.Node
) -> Iterator[Value]:
    called = words.text(resolver, path, callee)
    if called in _LOADING:
        yield from _module(resolver, path, node, is_import=called.endswith(("import", "importActual")))
        return
    first = _first(node)
    if called in PASSING and first is not None:
        yield from resolver.values(path, first)
        return
    for value in resolver.values(path, callee):
        if isinstance(value, Function):
            yield from returned(resolver, value)
        else:
            known = isinstance(value, Unknown)
            yield value if known else Unknown("what it calls is defined outside, or is no function")


def misread(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The ``import()`` in ``f<typeof import("./a")>("./a")``, which the grammar takes for two comparisons."""
    left = node.child_by_field_name("left")
    inner = (
        left.child_by_field_name("right") if left is not None and left.type == "binary_expression" else None
    )
    if left is None or inner is None or inner.type != "unary_expression" or node.children[1].type != ">":
        return None
    loaded = inner.child_by_field_name("argument")
    is_type = left.children[1].type == "<" and inner.children[0].type == "typeof"
    is_import = (
        loaded is not None and loaded.type == "call_expression" and loaded.children[0].type == "import"
    )
    return loaded if is_type and is_import else None


def made(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``new`` gives."""
    callee = node.child_by_field_name("constructor")
    for value in resolver.values(path, callee) if callee is not None else ():
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, (Unknown, Elsewhere)):
            yield value
        elif isinstance(value, Function):
            yield from constructors.made(resolver, value)
        else:
            yield Unknown("it makes an object of no class")


def returned(resolver: Resolver, function: Function) -> Iterator[Value]:
    """What a function gives: by its type, else by what it returns."""
    node, path = function.node, function.path
    kind = node.child_by_field_name("return_type")
    body = node.child_by_field_name("body")
    told = list(jsdoc.given(resolver, path, node)) if kind is None else []
    if kind is not None:
        yield from types.objects(resolver, path, kind)
    elif told:
        yield from told
    elif body is None or "generator" in node.type:
        yield Unknown("nobody says what it gives")
    elif body.type != "statement_block":
        yield from resolver.values(path, body)
    else:
        results = list(constructors.results(body))
        for result in results:
            yield from resolver.values(path, result)
        if not results:
            yield Elsewhere("nothing")


def _module(resolver: Resolver, path: str, node: tree_sitter.Node, *, is_import: bool) -> Iterator[Value]:
    said = words.literal(resolver, path, _first(node))
    if not said:
        yield Unknown("which module it is turns out when it runs")
        return
    module = paths.find(resolver, path, said)
    yield from (module,) if is_import and isinstance(module, Module) else imports.required(resolver, module)


def _first(call: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the first argument of a call."""
    given = call.child_by_field_name("arguments")
    return next(iter(given.named_children), None) if given is not None else None
