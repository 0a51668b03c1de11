"""Namespaces: dotted, and opened more than once, so that each part sees what another one exports."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import exports, paths, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_VALUES = frozenset({"variable", "var", "function", "class", "enum", "namespace", "member", "static"})
"""Kinds of names that stand for values."""
_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")
_MODULES = ("internal_module", "module")


def reopened(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What the other parts of the namespaces around a name have under it."""
    for scope in mention.scopes:
        name = scope.node.child_by_field_name("name") if scope.kind == "namespace" else None
        for value in _opened(resolver, path, name) if name is not None else ():
            if isinstance(value, Module):
                yield from exports.member(resolver, value, mention.name)


def _opened(resolver: Resolver, path: str, name: tree_sitter.Node) -> Iterator[Value]:
    """All parts of what a namespace is called."""
    if name.type == "identifier":
        yield from resolver.values(path, name)
    elif name.type == "string":
        yield paths.find(resolver, path, words.literal(resolver, path, name))
    elif name.type == "nested_identifier":
        outer, word = name.child_by_field_name("object"), name.child_by_field_name("property")
        for value in _opened(resolver, path, outer) if outer is not None else ():
            for each in resolver.members(value, words.text(resolver, path, word)):
                yield from resolver.worth(each)


def worth(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """The namespace that a name is given; of ``a.b``, ``a`` is one that has nothing but ``b``."""
    language = resolver.lexical(path).syntax.language.name
    if above.type in _MODULES:
        yield Module(path, language, (above.start_byte, above.end_byte))
    elif above.type == "nested_identifier" and above.parent is not None and above.parent.type in _MODULES:
        is_last = above.child_by_field_name("property") == mention.node
        part = above.parent if is_last else above
        yield Module(path, language, (part.start_byte, part.end_byte))
    else:
        yield Unknown("its parts are not read here")


def augmented(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the same name of a module in its file and in each ``declare module`` that adds to it.

    https://www.typescriptlang.org/docs/handbook/declaration-merging.html#module-augmentation
    """
    module = _module_of(resolver, binding)
    if module is None:
        return
    parts = [*_augmenting(resolver, module)]
    own = exports.member(resolver, module, binding.name) if parts else ()
    if binding.kind == "module" and binding not in own:
        return
    for path, node in parts:
        for mention in resolver.lexical(path).bound(binding.name).get(node.id, ()):
            own = (*own, *resolver.meanings(path, mention))
    for each in dict.fromkeys(own):
        if isinstance(each, Binding) and each != binding and _meet(resolver, each, binding):
            yield each


def _meet(resolver: Resolver, one: Binding, other: Binding) -> bool:
    """Return True if two names are in one name space: a type is not one with a value of its name."""
    mine, its = ({place.mention.kind for place in resolver.binders(each)} for each in (one, other))
    return any(resolver.rules(one.path).meet(kind, another) for kind in mine for another in its)


def _module_of(resolver: Resolver, binding: Binding) -> Module | None:
    """Return the module of which a name at the top of a file, or of a ``declare module``, may be one."""
    if binding.kind not in ("module", "block"):
        return None
    if binding.kind == "module" and binding.scope != WHOLE and binding.path.endswith(_SUFFIXES):
        return Module(binding.path, resolver.lexical(binding.path).syntax.language.name)
    for path, node, module in _augmentations(resolver):
        if (path, (node.start_byte, node.end_byte)) == (binding.path, binding.scope):
            return module
    return None


def _augmenting(resolver: Resolver, module: Module) -> Iterator[tuple[str, tree_sitter.Node]]:
    for path, node, found in _augmentations(resolver):
        if found.path == module.path:
            yield path, node


def _augmentations(resolver: Resolver) -> tuple[tuple[str, tree_sitter.Node, Module], ...]:
    """Return the body of each ``declare module "…"`` of the tree that adds to a file of it."""
    return resolver.once(("augmentations",), lambda: _find_augmentations(resolver), ())


def _find_augmentations(resolver: Resolver) -> Iterator[tuple[str, tree_sitter.Node, Module]]:
    for path in resolver.files.holding("declare module"):
        lexical = resolver.files.lexical(path)
        for statement in lexical.syntax.root.named_children if lexical is not None else ():
            node = statement.named_children[0] if statement.type == "ambient_declaration" else statement
            name = node.child_by_field_name("name") if node.type == "module" else None
            if name is not None and name.type == "string":
                module = paths.find(resolver, path, words.literal(resolver, path, name))
                body = node.child_by_field_name("body")
                if isinstance(module, Module) and module.within is None and body is not None:
                    yield path, body, module


def is_declared_only(resolver: Resolver, place: Place) -> bool:
    """Return True if a place declares (``declare``) a value that nothing in the tree need define."""
    mention = place.mention
    ambient = words.around(mention.node, "ambient_declaration")
    if ambient is None or mention.kind not in _VALUES:
        return False
    interface = words.around(mention.node, "interface_declaration", "type_alias_declaration")
    is_in_type = interface is not None and interface.start_byte >= ambient.start_byte
    is_global = any(child.type == "global" for child in ambient.children)
    if is_in_type and not is_global:
        return False
    body = ambient.named_children[0].child_by_field_name("body") if ambient.named_children else None
    return all((path, node) != (place.path, body) for path, node, _ in _augmentations(resolver))


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same name of a module, or of a dotted namespace, in its other parts."""
    yield from augmented(resolver, binding)
    for place in resolver.binders(binding) if binding.kind == "namespace" else ():
        above = place.mention.node.parent
        outer = above.child_by_field_name("object") if above is not None else None
        if outer is None or place.mention.kind != "namespace" or outer.id == place.mention.node.id:
            continue
        for value in resolver.values(place.path, outer):
            for each in exports.member(resolver, value, binding.name) if isinstance(value, Module) else ():
                if isinstance(each, Binding) and each != binding:
                    yield each
