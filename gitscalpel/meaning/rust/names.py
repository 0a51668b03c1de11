"""What a module has under a name: its items, what globs bring, macros."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.rust import classes, lifetimes, modules, uses, words
from gitscalpel.meaning.things import Binding, Elsewhere, Meaning, Module, Unknown
from gitscalpel.syntax.occurrences import Mention, Scope

_MACROS = frozenset({"called", "attribute"})
_PRIMITIVES = frozenset(
    "bool char str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize".split()  # noqa: SIM905
)


def member(resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
    """What a module has under a name."""
    found = resolver.once(("item", module, name), lambda: _member(resolver, module, name), ())
    return found or (Elsewhere("nothing that is read here"),)


def opened(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    """What a ``use`` begins with; what globs bring into a block or module."""
    if scope.kind == "use":
        return uses.first(resolver, path, mention, mention.kind)
    key = ("globs", path, scope.span, scope.kind, mention.name)
    found = resolver.once(key, lambda: _brought(resolver, path, scope.node, mention.name), ())
    meet = resolver.lexical(path).rules.meet
    near = [each for each in found if not each.space or meet(each.space, mention.kind)]
    if mention.kind not in _MACROS:
        return near
    # What is no macro may be called so as well, and is not asked for.
    return [each for each in near if any(meet(p.mention.kind, mention.kind) for p in resolver.binders(each))]


def free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What is included; a macro of another file; a crate at the beginning of a path; or not of the tree."""
    if mention.name == "Self" or mention.kind == "lifetime":
        return _self(path, mention) if mention.name == "Self" else lifetimes.left_out(path, mention)
    found = tuple(_included(resolver, path, mention.name))
    if found:
        return found
    if mention.kind in _MACROS:
        found = _of_crate(resolver, path, mention) if mention.kind == "called" else ()
        return found or (Elsewhere("macros"),)
    if mention.kind == "path" and mention.name not in _PRIMITIVES:
        return uses.crate(resolver, mention.name)
    if mention.kind == "value" and macros(resolver, mention.name):
        return (
            *macros(resolver, mention.name),
            Unknown("it has no ! behind it, and only a macro is called so"),
        )
    return (Elsewhere("the language" if mention.name in _PRIMITIVES else "the prelude"),)


def _self(path: str, mention: Mention) -> Iterable[Meaning]:
    """``Self``, which each ``impl``, trait or type has for itself."""
    item = words.around(mention.node, "impl_item", "trait_item", *classes.ITEMS)
    return (Binding(path, (item.start_byte, item.end_byte), "item", "Self"),) if item is not None else ()


def _included(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """What ``include!("file")`` in a file brings."""
    for mention in resolver.lexical(path).of("include"):
        said = re.match(r'include!\s*[({[]\s*"([^"]+)"', words.text(resolver, path, mention.node.parent))
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), said[1])) if said else path
        lexical = resolver.files.lexical(place) if place != path else None
        if lexical is not None and place.endswith(".rs"):
            yield from _items(resolver, place, lexical.syntax.root, name)


def _of_crate(resolver: Resolver, path: str, mention: Mention) -> tuple[Binding, ...]:
    """The macros of a name: those of the crate before what other crates export."""
    found = macros(resolver, mention.name)
    if len(found) < 2:
        return found
    own = {*modules.crates(resolver, modules.of_node(path, mention.node))}
    mine = tuple(each for each in found if own & {*modules.crates(resolver, Module(each.path, "rust"))})
    return mine or found


def macros(resolver: Resolver, name: str) -> tuple[Binding, ...]:
    """The macros of a name at the top of any file."""
    return resolver.once(("macros", name), lambda: _macros(resolver, name), ())


def _macros(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for mentions in lexical.bound(name).values() if lexical is not None else ():
            for each in mentions:
                holder = each.scopes[0]
                if each.kind == "macro" and holder.kind in ("module", "mod") and lexical is not None:
                    yield from (m for m in resolver.named(path, each) if isinstance(m, Binding))


def _member(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    node = modules.body(resolver, module)
    if node is None:
        return
    yield from _items(resolver, module.path, node, name)
    bound = resolver.lexical(module.path).bound(name).get(node.id, ())
    if not bound:
        yield from _brought(resolver, module.path, node, name)
    if module.within is None and all(each.kind == "import" for each in bound):
        yield from macros(resolver, name)


def _items(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterator[Binding]:
    """The names that a module binds itself."""
    found: dict[Binding, None] = {}
    for mention in resolver.lexical(path).bound(name).get(node.id, ()):
        found |= {each: None for each in resolver.named(path, mention) if isinstance(each, Binding)}
    yield from found


def _brought(resolver: Resolver, path: str, scope: tree_sitter.Node, name: str) -> Iterator[Binding]:
    """What globs of a scope bring under a name."""
    for node in uses.globs(resolver, path, scope):
        for value in resolver.values(path, node):
            for each in resolver.members(value, name):
                if isinstance(each, Binding) and _is_seen(resolver, path, scope, value, each):
                    yield each


def otherwise(resolver: Resolver, place: Place) -> Iterator[Binding]:
    """What a name is if the condition (``#[cfg(…)]``) of the import that binds it does not hold."""
    path, mention = place
    statement = words.around(mention.node, "use_declaration") if mention.kind == "import" else None
    said = modules.attributes(resolver, path, statement) if statement is not None else ()
    if any(each.startswith("#[cfg(") for each in said):
        yield from _brought(resolver, path, resolver.lexical(path).holder(mention).node, mention.name)


def _is_seen(
    resolver: Resolver, path: str, scope: tree_sitter.Node, source: object, binding: Binding
) -> bool:
    """Whether a glob brings it: what is public, or what a module around has."""
    if binding.kind == "class":
        return True
    around = modules.of_node(path, scope) if scope.type != "source_file" else Module(path, "rust")
    if scope.type == "declaration_list":
        around = Module(path, "rust", (scope.start_byte, scope.end_byte))
    waiting, seen = [around], set[Module]()
    while waiting:
        each = waiting.pop()
        if each == source:
            return True
        waiting += [above for above in modules.parents(resolver, each) if above not in seen]
        seen.add(each)
    return any(_is_public(place.mention.node) for place in resolver.binders(binding))


def _is_public(node: tree_sitter.Node) -> bool:
    item = words.around(node, "use_declaration") or node.parent
    return item is not None and (
        item.type == "macro_definition" or any(each.type == "visibility_modifier" for each in item.children)
    )
