"""Which file is which module: ``mod x;`` leads to ``x.rs`` or ``x/mod.rs``, from the file of a crate on.

https://doc.rust-lang.org/reference/items/modules.html. A file may be a module of several crates
(``lib.rs`` and ``main.rs``).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words
from gitscalpel.meaning.things import Module

_ROOTS = ("lib.rs", "main.rs")


def of_node(path: str, node: tree_sitter.Node) -> Module:
    """The module in which a node stands."""
    item = words.around(node, "mod_item")
    body = item.child_by_field_name("body") if item is not None else None
    if item is not None and body is not None and body.start_byte <= node.start_byte:
        return Module(path, "rust", (body.start_byte, body.end_byte))
    return of_node(path, item) if item is not None else Module(path, "rust")


def body(resolver: Resolver, module: Module) -> tree_sitter.Node | None:
    """What holds the items of a module."""
    lexical = resolver.files.lexical(module.path)
    if lexical is None or module.within is None:
        return lexical.syntax.root if lexical is not None else None
    start, end = module.within
    found = lexical.syntax.root.descendant_for_byte_range(start, end - 1)
    while found is not None and (found.start_byte, found.end_byte) != module.within:
        found = found.parent
    return found


def declared(resolver: Resolver, path: str, item: tree_sitter.Node) -> Module | None:
    """The module that a ``mod`` item declares or holds."""
    held = item.child_by_field_name("body")
    if held is not None:
        return Module(path, "rust", (held.start_byte, held.end_byte))
    said = _path_of(resolver, path, item)
    folder = posixpath.dirname(path)
    if said:
        return _file(resolver, [posixpath.normpath(posixpath.join(folder, said))])
    name, inner = words.name(resolver, path, item), _names_around(resolver, path, item)
    stem = posixpath.basename(path).removesuffix(".rs")
    folders = [posixpath.join(folder, *([] if f"{stem}.rs" in (*_ROOTS, "mod.rs") else [stem]), *inner)]
    if not _declarers(resolver, path):  # a crate of its own, whatever it is called
        folders.append(posixpath.join(folder, *inner))
    return _file(resolver, [f"{posixpath.join(f, name)}{end}" for f in folders for end in (".rs", "/mod.rs")])


def parents(resolver: Resolver, module: Module) -> Iterable[Module]:
    """The modules around a module: mostly one, and none around a crate."""
    if module.within is not None:
        node = body(resolver, module)
        item = node.parent if node is not None else None
        return (of_node(module.path, item),) if item is not None else ()
    return resolver.once(("parents", module.path), lambda: _parents(resolver, module.path), ())


def crates(resolver: Resolver, module: Module) -> list[Module]:
    """The crates that a module is in."""
    found, waiting, seen = list[Module](), [module], set[Module]()
    while waiting:
        each = waiting.pop()
        above = list(parents(resolver, each)) if each not in seen else []
        if not above and each not in seen:
            found.append(Module(each.path, "rust"))
        seen.add(each)
        waiting += above
    return found


def named(resolver: Resolver, name: str) -> Iterable[Module]:
    """The library of the tree that other crates call so."""
    return resolver.once(("crate", name), lambda: _named(resolver, name), ())


def alone(resolver: Resolver, name: str) -> Iterable[str]:
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
            if item.child_by_field_name("body") is None and declared(resolver, above, item) == Module(
                path, "rust"
            ):
                yield of_node(above, item)


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
    said = (re.match(r'#\[path\s*=\s*"([^"]+)"', each) for each in attributes(resolver, path, item))
    return next((found[1] for found in said if found), "")


def attributes(resolver: Resolver, path: str, item: tree_sitter.Node) -> Iterator[str]:
    """The attributes before an item, nearest first."""
    before = item.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if before.type == "attribute_item":
            yield words.text(resolver, path, before)
        before = before.prev_named_sibling


def _names_around(resolver: Resolver, path: str, item: tree_sitter.Node) -> list[str]:
    above = words.around(item, "mod_item")
    return [] if above is None else [*_names_around(resolver, path, above), words.name(resolver, path, above)]


def _file(resolver: Resolver, places: list[str]) -> Module | None:
    return next((Module(place, "rust") for place in places if resolver.files.is_file(place)), None)
