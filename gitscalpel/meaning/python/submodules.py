"""Names of a package that modules in its folder have as well.

Who imports such a module gives the package its name, whatever that has had under it, unless that comes later.
https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.asked import Place
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import imports, loading, modules, stars
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding


def hidden(resolver: Resolver, members: Collection[Binding], name: str) -> Iterator[tuple[Place, str]]:
    """Where a module is named that a package no longer has, as it has one of these names; and what is so.

    Args:
        resolver: of the tree.
        members: all that are one name.
        name: that they have.
    """
    for path, package in _packages(resolver.files, name):
        ends = [*_ends(resolver, package, members, name)]
        if ends:
            is_loaded = path in loading.loaded(resolver.files, package, max(ends))
            said = f"{quoted(path)}, and {quoted(package)} would have this one under its name"
            for place in _naming(resolver, path, name):
                if not is_loaded or _is_alias(place.mention.node):
                    yield place, said


def _packages(files: Files, name: str) -> Iterator[tuple[str, str]]:
    """The modules of a name that are in a package, and the file of that."""
    ends = (f"/{name}.py", f"/{name}/__init__.py")
    for path in files.overlay.under(""):
        end = next((each for each in ends if path.endswith(each)), None)
        found = modules.package(files, path.removesuffix(end)) if end else None
        if found is not None and files.lexical(found.path) is not None:
            yield path, found.path


def _ends(resolver: Resolver, package: str, members: Collection[Binding], name: str) -> Iterator[int]:
    """The bytes of a package's file behind which it has one of these."""
    lexical = resolver.lexical(package)
    root = lexical.syntax.root
    own = Binding(package, (root.start_byte, root.end_byte), "module", name)
    for mention in lexical.bound(name).get(root.id, ()) if own in members else ():
        yield mention.end
    for statement in stars.statements(lexical.syntax):
        found = imports.taken(resolver, package, statement, name)
        if not set(members).isdisjoint(found):
            yield statement.end_byte


def _naming(resolver: Resolver, path: str, name: str) -> Iterator[Place]:
    """Where imports name a module."""
    module = Binding(path, WHOLE, "python", name)
    for other in resolver.files.naming(name, "python"):
        lexical = resolver.files.lexical(other)
        for mention in lexical.of(name) if lexical is not None else ():
            is_import = mention.role in ("module", "imported") or mention.kind == "import"
            if is_import and module in resolver.meanings(other, mention):
                yield Place(other, mention)


def _is_alias(node: tree_sitter.Node) -> bool:
    """Whether it is what ``import a.b as c`` takes of a package."""
    above = node.parent
    around = above.parent if above is not None else None
    return around is not None and around.type == "aliased_import"
