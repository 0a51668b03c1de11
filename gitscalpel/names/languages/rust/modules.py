"""Modules, crates, and use declarations.

``mod x;`` names ``x.rs`` or ``x/mod.rs``, starting at the root file of a crate. A file may be a module
of several crates (``lib.rs`` and ``main.rs``). https://doc.rust-lang.org/reference/items/modules.html
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.names.entities import WHOLE, Binding, Elsewhere, Meaning, Module, Unknown
from gitscalpel.names.languages.rust import items
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention, Scope

_ROOTS = ("lib.rs", "main.rs")


def module_at(path: str, node: tree_sitter.Node) -> Module:
    """The module in which a node stands."""
    item = items.ancestor(node, "mod_item")
    body = item.child_by_field_name("body") if item is not None else None
    if item is not None and body is not None and body.start_byte <= node.start_byte:
        return Module(path, "rust", (body.start_byte, body.end_byte))
    return module_at(path, item) if item is not None else Module(path, "rust")


def module_body(resolver: Resolver, module: Module) -> tree_sitter.Node | None:
    """What holds the items of a module."""
    lexical = resolver.files.lexical(module.path)
    if lexical is None or module.within is None:
        return lexical.syntax.root if lexical is not None else None
    start, end = module.within
    found = lexical.syntax.root.descendant_for_byte_range(start, end - 1)
    while found is not None and (found.start_byte, found.end_byte) != module.within:
        found = found.parent
    return found


def declared_module(resolver: Resolver, path: str, item: tree_sitter.Node) -> Module | None:
    """The module that a ``mod`` item declares or holds."""
    held = item.child_by_field_name("body")
    if held is not None:
        return Module(path, "rust", (held.start_byte, held.end_byte))
    said = _path_of(resolver, path, item)
    folder = posixpath.dirname(path)
    if said:
        return _file(resolver, [posixpath.normpath(posixpath.join(folder, said))])
    name, inner = items.name_of(resolver, path, item), _names_around(resolver, path, item)
    stem = posixpath.basename(path).removesuffix(".rs")
    folders = [posixpath.join(folder, *([] if f"{stem}.rs" in (*_ROOTS, "mod.rs") else [stem]), *inner)]
    if not _declarers(resolver, path):  # a crate of its own, whatever it is called
        folders.append(posixpath.join(folder, *inner))
    return _file(resolver, [f"{posixpath.join(f, name)}{end}" for f in folders for end in (".rs", "/mod.rs")])


def parent_modules(resolver: Resolver, module: Module) -> Iterable[Module]:
    """The modules around a module: mostly one, and none around a crate."""
    if module.within is not None:
        node = module_body(resolver, module)
        item = node.parent if node is not None else None
        return (module_at(module.path, item),) if item is not None else ()
    return resolver.once(("parents", module.path), lambda: _parents(resolver, module.path), ())


def crates_of(resolver: Resolver, module: Module) -> list[Module]:
    """The crates that a module is in."""
    found, waiting, seen = list[Module](), [module], set[Module]()
    while waiting:
        each = waiting.pop()
        above = list(parent_modules(resolver, each)) if each not in seen else []
        if not above and each not in seen:
            found.append(Module(each.path, "rust"))
        seen.add(each)
        waiting += above
    return found


def crates_named(resolver: Resolver, name: str) -> Iterable[Module]:
    """The library of the tree that other crates call so."""
    return resolver.once(("crate", name), lambda: _named(resolver, name), ())


def undeclared_files(resolver: Resolver, name: str) -> Iterable[str]:
    """The files of a name that no other file declares as a module: each may be a crate that is called so."""
    return resolver.once(("alone", name), lambda: _alone(resolver, name), ())


def _alone(resolver: Resolver, name: str) -> Iterator[str]:
    for path in resolver.files.overlay.under(""):
        if posixpath.basename(path) == f"{name}.rs" and not _declarers(resolver, path):
            yield path


def _named(resolver: Resolver, name: str) -> Iterator[Module]:
    for path in resolver.files.holding(max(name.split("_"), key=len)):
        source = resolver.files.source(path) if posixpath.basename(path) == "Cargo.toml" else None
        found = re.search(rb'(?m)^name\s*=\s*"([\w-]+)"', source.text) if source is not None else None
        root = posixpath.join(posixpath.dirname(path), "src/lib.rs")
        if found and found[1].decode().replace("-", "_") == name and resolver.files.is_file(root):
            yield Module(root, "rust")


def _parents(resolver: Resolver, path: str) -> Iterator[Module]:
    for above in _declarers(resolver, path):
        for item in resolver.lexical(above).syntax.of_type("mod_item"):
            if item.child_by_field_name("body") is None and declared_module(resolver, above, item) == Module(
                path, "rust"
            ):
                yield module_at(above, item)


def _declarers(resolver: Resolver, path: str) -> Iterable[str]:
    """The files that may declare a file as their module."""
    return resolver.once(("declarers", path), lambda: _declaring(resolver, path), ())


def _declaring(resolver: Resolver, path: str) -> Iterator[str]:
    folder, _, base = path.rpartition("/")
    stem = base.removesuffix(".rs")
    if stem == "mod":
        folder, _, stem = folder.rpartition("/")
    if base in _ROOTS or not stem:
        return
    says = re.compile(rb'\bmod\s+(r#)?%s\s*;|#\[path\s*=\s*"[^"]*%s' % (stem.encode(), base.encode()))
    for each in resolver.files.holding(stem):
        near = posixpath.dirname(each)
        if (
            each == path
            or not each.endswith(".rs")
            or not f"{folder}/".startswith(f"{near}/" if near else "")
        ):
            continue
        source = resolver.files.source(each)
        if source is not None and says.search(source.text) and resolver.files.lexical(each) is not None:
            yield each


def _path_of(resolver: Resolver, path: str, item: tree_sitter.Node) -> str:
    """What ``#[path = "…"]`` before an item says."""
    said = (re.match(r'#\[path\s*=\s*"([^"]+)"', each) for each in attributes_of(resolver, path, item))
    return next((found[1] for found in said if found), "")


def attributes_of(resolver: Resolver, path: str, item: tree_sitter.Node) -> Iterator[str]:
    """The attributes before an item, nearest first."""
    before = item.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if before.type == "attribute_item":
            yield items.node_text(resolver, path, before)
        before = before.prev_named_sibling


def _names_around(resolver: Resolver, path: str, item: tree_sitter.Node) -> list[str]:
    above = items.ancestor(item, "mod_item")
    return (
        [] if above is None else [*_names_around(resolver, path, above), items.name_of(resolver, path, above)]
    )


def _file(resolver: Resolver, places: list[str]) -> Module | None:
    return next((Module(place, "rust") for place in places if resolver.files.is_file(place)), None)


_LOCAL = ("let", "parameter", "pattern")
_PARTS = ("scoped_identifier", "use_as_clause", "use_wildcard", "scoped_use_list")


def import_origin(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
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
        return resolver.meanings(path, items.mention_of(resolver, path, source))
    if above.type == "extern_crate_declaration":
        return crate_meanings(resolver, items.name_of(resolver, path, above))
    if above.type == "scoped_identifier" and items.is_field(mention.node, above, "name"):
        before = above.child_by_field_name("path")
        return (
            look_up_in_path(resolver, path, before, mention)
            if before is not None
            else crate_meanings(resolver, mention.name)
        )
    return first_of_path(resolver, path, mention, "any")


def is_alias(mention: Mention) -> bool:
    """Whether the import calls it otherwise."""
    above = mention.node.parent
    return above is not None and above.child_by_field_name("alias") is not None


def first_of_path(resolver: Resolver, path: str, mention: Mention, kind: str) -> Iterable[Meaning]:
    """What the first name of a path in a ``use`` means."""
    before = use_prefix(mention.node)
    if before is not None:
        return look_up_in_path(resolver, path, before, msgspec.structs.replace(mention, kind=kind))
    statement = items.ancestor(mention.node, "use_declaration")
    lexical = resolver.lexical(path)
    outer = tuple(scope for scope in mention.scopes if not _is_closed(lexical, mention.name, scope))
    asked = msgspec.structs.replace(mention, role="use", kind=kind, scopes=outer)
    scope = lexical.scope_of(asked)
    binders = lexical.bound(mention.name).get(scope.node.id, ()) if scope is not None else ()
    if any(
        statement is None or items.ancestor(each.node, "use_declaration") != statement for each in binders
    ):
        found = tuple(resolver.named(path, asked))
        others = tuple(each for each in found if not _is_import(each))
        return others if len({*found}) > 1 and len(others) == 1 else found
    brought = () if scope is not None else tuple(resolver.named(path, asked))
    return [each for each in brought if isinstance(each, Binding)] or crate_meanings(resolver, mention.name)


def _is_closed(lexical: Lexical, name: str, scope: Scope) -> bool:
    """Whether a path in a ``use`` does not look into a scope: it sees no local names."""
    bound = lexical.bound(name).get(scope.node.id, ())
    return scope.kind == "use" or (bool(bound) and all(each.kind in _LOCAL for each in bound))


def crate_meanings(resolver: Resolver, name: str) -> Iterable[Meaning]:
    """The crate of a name."""
    found = [Binding(each.path, WHOLE, "rust", name) for each in crates_named(resolver, name)]
    alone = [] if found else [Binding(path, WHOLE, "rust", name) for path in undeclared_files(resolver, name)]
    doubt = (Unknown("a crate of another name may be meant"),) if alone else ()
    return (*found, *alone, *doubt) or (Elsewhere("another crate"),)


def look_up_in_path(
    resolver: Resolver, path: str, before: tree_sitter.Node, mention: Mention
) -> Iterable[Meaning]:
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


def use_prefix(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The path before the braces that a path stands in."""
    each = node
    while each.parent is not None and each.parent.type in _PARTS:
        each = each.parent
    holder = each.parent.parent if each.parent is not None and each.parent.type == "use_list" else None
    if holder is None:
        return None
    return holder.child_by_field_name("path") or use_prefix(holder)


def glob_imports(resolver: Resolver, path: str, scope: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What ``use …::*`` in a scope brings everything of."""
    for node in resolver.lexical(path).syntax.of_type("use_wildcard"):
        statement = items.ancestor(node, "use_declaration")
        if statement is not None and statement.parent is not None and statement.parent.id == scope.id:
            named = node.named_children[0] if node.named_children else use_prefix(node)
            if named is not None:
                yield named


def _itself(resolver: Resolver, path: str, clause: tree_sitter.Node) -> Iterable[Meaning]:
    """``{self as x}``: the name before the braces."""
    before = use_prefix(clause)
    last = before.child_by_field_name("name") or before if before is not None else None
    if last is None or last.type != "identifier":
        return (Elsewhere("a crate"),)
    return resolver.meanings(path, items.mention_of(resolver, path, last))


def _is_import(meaning: Meaning) -> bool:
    return isinstance(meaning, Binding) and meaning.space == "import"
