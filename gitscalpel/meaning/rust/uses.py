"""What ``use`` brings in: trees of paths, each from where the one around it leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import modules, words
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention, Scope

_LOCAL = ("let", "parameter", "pattern")
_PARTS = ("scoped_identifier", "use_as_clause", "use_wildcard", "scoped_use_list")


def origin(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name that an import binds is where it comes from."""
    above = mention.node.parent
    if above is None:
        return ()
    if above.type == "use_as_clause":
        named = above.child_by_field_name("path")
        last = named.child_by_field_name("name") if named is not None else None
        source = last or named
        if source is None or source.type not in ("identifier", "scoped_identifier"):
            return _itself(resolver, path, above)
        return resolver.meanings(path, words.mention(resolver, path, source))
    if above.type == "extern_crate_declaration":
        return crate(resolver, words.name(resolver, path, above))
    if above.type == "scoped_identifier" and words.is_field(mention.node, above, "name"):
        before = above.child_by_field_name("path")
        return (
            within(resolver, path, before, mention) if before is not None else crate(resolver, mention.name)
        )
    return first(resolver, path, mention, "any")


def is_new(mention: Mention) -> bool:
    """Whether the import calls it otherwise."""
    above = mention.node.parent
    return above is not None and above.child_by_field_name("alias") is not None


def first(resolver: Resolver, path: str, mention: Mention, kind: str) -> Iterable[Meaning]:
    """What the first name of a path in a ``use`` means."""
    before = prefix(mention.node)
    if before is not None:
        return within(resolver, path, before, msgspec.structs.replace(mention, kind=kind))
    statement = words.around(mention.node, "use_declaration")
    lexical = resolver.lexical(path)
    outer = tuple(scope for scope in mention.scopes if not _is_closed(lexical, mention.name, scope))
    asked = msgspec.structs.replace(mention, role="use", kind=kind, scopes=outer)
    scope = lexical.scope_of(asked)
    binders = lexical.bound(mention.name).get(scope.node.id, ()) if scope is not None else ()
    if any(statement is None or words.around(each.node, "use_declaration") != statement for each in binders):
        found = tuple(resolver.named(path, asked))
        others = tuple(each for each in found if not _is_import(each))
        return others if len({*found}) > 1 and len(others) == 1 else found
    brought = () if scope is not None else tuple(resolver.named(path, asked))
    return [each for each in brought if isinstance(each, Binding)] or crate(resolver, mention.name)


def _is_closed(lexical: Lexical, name: str, scope: Scope) -> bool:
    """Whether a path in a ``use`` does not look into a scope: it sees no local names."""
    bound = lexical.bound(name).get(scope.node.id, ())
    return scope.kind == "use" or (bool(bound) and all(each.kind in _LOCAL for each in bound))


def crate(resolver: Resolver, name: str) -> Iterable[Meaning]:
    """The crate of a name."""
    found = [Binding(each.path, WHOLE, "rust", name) for each in modules.named(resolver, name)]
    alone = [] if found else [Binding(path, WHOLE, "rust", name) for path in modules.alone(resolver, name)]
    doubt = (Unknown("a crate of another name may be meant"),) if alone else ()
    return (*found, *alone, *doubt) or (Elsewhere("another crate"),)


def within(resolver: Resolver, path: str, before: tree_sitter.Node, mention: Mention) -> Iterable[Meaning]:
    """What has the name in what a path leads to."""
    found: list[Meaning] = []
    for value in resolver.values(path, before):
        found += resolver.members(value, mention.name)
    meet = resolver.lexical(path).rules.meet
    near = [
        each
        for each in found
        if not (isinstance(each, Binding) and each.space) or meet(each.space, mention.kind)
    ]
    return dict.fromkeys(near or found)


def prefix(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The path before the braces that a path stands in."""
    each = node
    while each.parent is not None and each.parent.type in _PARTS:
        each = each.parent
    holder = each.parent.parent if each.parent is not None and each.parent.type == "use_list" else None
    if holder is None:
        return None
    return holder.child_by_field_name("path") or prefix(holder)


def globs(resolver: Resolver, path: str, scope: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What ``use …::*`` in a scope brings everything of."""
    for node in resolver.lexical(path).syntax.of_type("use_wildcard"):
        statement = words.around(node, "use_declaration")
        if statement is not None and statement.parent is not None and statement.parent.id == scope.id:
            named = node.named_children[0] if node.named_children else prefix(node)
            if named is not None:
                yield named


def _itself(resolver: Resolver, path: str, clause: tree_sitter.Node) -> Iterable[Meaning]:
    """``{self as x}``: the name before the braces."""
    before = prefix(clause)
    last = before.child_by_field_name("name") or before if before is not None else None
    if last is None or last.type != "identifier":
        return (Elsewhere("a crate"),)
    return resolver.meanings(path, words.mention(resolver, path, last))


def _is_import(meaning: Meaning) -> bool:
    return isinstance(meaning, Binding) and meaning.space == "import"
