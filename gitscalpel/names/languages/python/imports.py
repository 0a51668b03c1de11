"""Resolve the names that imports bring, also by a star or as submodules.

A name has the value that was bound last. With star imports the last binding is known if a statement of the
module itself comes after the star, or if none can have run yet. Otherwise it may be either. Importing a
submodule binds its name in the package again (https://docs.python.org/3/reference/import.html#submodules).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from tree_sitter import Node

from gitscalpel.changesets.answers import quote_path
from gitscalpel.names import lexical_scopes, nodes
from gitscalpel.names.entities import WHOLE, Binding, Elsewhere, Meaning, Module, Unknown, bindings_in
from gitscalpel.names.files import Files
from gitscalpel.names.language import Place
from gitscalpel.names.languages.python import modules, type_annotations
from gitscalpel.names.languages.python.modules import ModuleFile
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.syntax.parse import Syntax

_MAY = re.compile(rb"import[\s\\]*\*")
_AROUND = ("expression_statement", "decorated_definition")
_BINDING = (
    "function_definition",
    "class_definition",
    "import_statement",
    "import_from_statement",
    "assignment",
)


def star_statements(syntax: Syntax) -> list[Node]:
    return syntax.compute_once(_find_star_statements)


def _find_star_statements(syntax: Syntax) -> list[Node]:
    if _MAY.search(syntax.text) is None:  # most files have none, and are not looked through for that
        return []
    return [node.parent for node in syntax.of_type("wildcard_import") if node.parent is not None]


def is_always_run(statement: Node) -> bool:
    """Return True if a statement always runs when its module does."""
    return nodes.parent_of(statement, "module") is not None


def is_always_bound(mention: Mention) -> bool:
    return _find_binding_statement(mention.node) is not None


def is_after_stars(
    resolver: Resolver, path: str, bound: Iterable[Mention], before: int | None = None
) -> bool:
    """Return True if one of a module's own bindings certainly comes after its star imports.

    ``before`` is the offset before which the binding must run; None for anywhere.
    """
    ends = [each.end_byte for each in star_statements(resolver.lexical(path).syntax)]
    if before is not None:
        ends = [end for end in ends if end <= before]
    for statement in (_find_binding_statement(each.node) for each in bound):
        has_been = statement is not None and (before is None or statement.end_byte <= before)
        if statement is not None and has_been and all(end <= statement.start_byte for end in ends):
            return True
    return False


def _find_binding_statement(node: Node) -> Node | None:
    """Return the statement that binds a name each time that the module runs; None if it may not run."""
    statement = nodes.ancestor(node, *_BINDING)
    above = nodes.skip_types(statement, *_BINDING, *_AROUND)
    return statement if nodes.type_of(above) == "module" else None


def resolve_import(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the origin of a name in an import statement."""
    statement = statement_of(mention.node)
    if statement is None:
        return ()
    if mention.role != "module" and statement.type != "import_statement":
        return imported_members(resolver, path, statement, mention.name)
    dotted, files = _read_dotted_prefix(resolver, path, mention), resolver.files
    if dotted.startswith("."):
        return (_make_meaning(modules.find_by_name(files, path, dotted)),)
    named = nodes.parent_of(mention.node, "dotted_name")
    whole = type_annotations.text(resolver, path, named) or mention.name
    return (_make_meaning(modules.find_first_part(files, path, dotted, whole)),)


def import_target(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    statement = statement_of(mention.node)
    if statement is None:
        return ()
    if statement.type == "import_statement" and _find_alias(mention) is None:
        return resolve_import(resolver, path, mention)
    name = imported_module(resolver, path, mention)
    if statement.type == "import_statement":
        return (_make_meaning(modules.find_by_name(resolver.files, path, name)),)
    return imported_members(resolver, path, statement, name)


def imported_module(resolver: Resolver, path: str, mention: Mention) -> str:
    """Return the dotted name of the module that an import names, without its alias."""
    return type_annotations.text(resolver, path, find_part(_find_alias(mention), "name")) or mention.name


def has_alias(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if the import gives the name as an alias (``import x as x`` does not)."""
    return _find_alias(mention) is not None and imported_module(resolver, path, mention) != mention.name


def _find_alias(mention: Mention) -> Node | None:
    return nodes.parent_of(mention.node, "aliased_import")


def star_members(resolver: Resolver, path: str, name: str, before: int | None = None) -> tuple[Meaning, ...]:
    """Return the meanings that ``from m import *`` in a module may bring for a name.

    ``before`` is the offset before which the import must run; None if all of the module has run.
    """
    statements = star_statements(resolver.lexical(path).syntax)
    count = len(statements) if before is None else sum(each.end_byte <= before for each in statements)
    found = _find_star_meanings(resolver, path, name, count)
    return found if found or count == len(statements) else star_members(resolver, path, name)


def star_modules(resolver: Resolver, path: str) -> set[str]:
    statements = star_statements(resolver.lexical(path).syntax)
    found = (_find_source_module(resolver, path, each) for each in statements)
    return {each.path for each in found if isinstance(each, Module)}


@cache_answers
def _find_star_meanings(resolver: Resolver, path: str, name: str, count: int) -> list[Meaning]:
    """Return the meanings from star imports; the last import that certainly runs hides those before it."""
    imported: list[Meaning] = []
    for statement in star_statements(resolver.lexical(path).syntax)[:count]:
        module = _find_source_module(resolver, path, statement)
        if isinstance(module, Elsewhere):
            continue  # what it has is not known; it is not of this tree
        if module.path != path and _is_public(resolver, module, name):
            found = list(_find_certain_members(resolver, module, name))
            is_sure = is_always_run(statement) and any(_is_bound(resolver, each, name) for each in found)
            imported = found if is_sure else [*imported, *found]
    return imported


def _is_bound(resolver: Resolver, meaning: Meaning, name: str) -> bool:
    """Return True if a module certainly binds a name when it runs."""
    if not isinstance(meaning, Binding) or meaning.scope == WHOLE:
        return False
    return any(map(is_always_bound, own_bindings(resolver.lexical(meaning.path), name)))


def own_bindings(lexical: Lexical, name: str) -> Sequence[Mention]:
    """Return the places where the top level of a module binds a name."""
    return lexical.bindings_by_scope(name).get(lexical.syntax.root.id, ())


def module_member(resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
    """Return the meanings of a module's name; a name that is not bound there is still the module's own."""
    found = _load_certain_members(resolver, module, name)
    if found:
        return found
    if resolver.files.lexical(module.path) is None:
        return (Unknown(f"{module.path} has no file of its own"),)
    return (resolver.top_binding(module.path, name),)


def _find_certain_members(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    lexical, path = resolver.files.lexical(module.path), module.path
    if lexical is not None:
        bound = own_bindings(lexical, name)
        if bound:
            yield resolver.top_binding(path, name)
        found = () if is_after_stars(resolver, path, bound) else star_members(resolver, path, name)
        yield from found
        if bound or found:
            return
    below = _find_submodule(resolver, module, name)
    if below is not None:
        yield _make_meaning(below)


_load_certain_members = cache_answers(_find_certain_members)


def _find_submodule(resolver: Resolver, module: Module, name: str) -> Module | None:
    folder = modules.folder_of(module)
    return None if folder is None else modules.find_below(resolver.files, folder, [name])


def _is_public(resolver: Resolver, module: Module, name: str) -> bool:
    """Return True if a star may bring a name: a name in ``__all__``, or else any name that is not private."""
    lexical = resolver.files.lexical(module.path)
    if lexical is None or not lexical.occurrences_of("__all__"):
        return not name.startswith("_")
    place = ModuleFile.read_file(resolver.files, module.path)
    listed = [modules.exported_name(place, each) for each in modules.export_items(place)]
    return name in listed or not modules.has_plain_exports(place)


def imported_members(resolver: Resolver, path: str, statement: Node, name: str) -> Iterable[Meaning]:
    """Return the meanings of ``name`` in ``from module import name``."""
    module = _find_source_module(resolver, path, statement)
    if isinstance(module, Elsewhere):
        return (module,)
    if module.path == path:  # ``from . import x`` in the package itself
        below = _find_submodule(resolver, module, name)
        return () if below is None else (_make_meaning(below),)
    return _replace_own(resolver, path, statement, module, tuple(module_member(resolver, module, name)))


def _replace_own(
    resolver: Resolver, path: str, statement: Node, module: Module, found: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """Return the meanings without the statement's own binding, which a package may get back by a star.

    The import then finds the submodule in the package's directory, since nothing else has bound the name.
    """
    for each in {each for each in bindings_in(found) if each.path == path and each.scope != WHOLE}:
        below = _find_submodule(resolver, module, each.name)
        is_own = any(nodes.covers(statement, mention.start) for _, mention in resolver.binders(each))
        if below is not None and is_own:
            itself = _make_meaning(below)
            found = tuple(dict.fromkeys(itself if meaning == each else meaning for meaning in found))
    return found


def _find_source_module(resolver: Resolver, path: str, statement: Node) -> Module | Elsewhere:
    name = type_annotations.text(resolver, path, find_part(statement, "module_name"))
    return modules.find_by_name(resolver.files, path, name)


def _read_dotted_prefix(resolver: Resolver, path: str, mention: Mention) -> str:
    named = nodes.parent_of(mention.node)
    named = nodes.parent_of(named, "relative_import") or named
    start = named.start_byte if named is not None else mention.start
    text = resolver.lexical(path).text[start : mention.end]
    return "".join(text.decode("utf-8", "surrogateescape").split())


def _make_meaning(module: Module | Elsewhere) -> Meaning:
    if isinstance(module, Elsewhere):
        return module
    return Binding(module.path, WHOLE, module.language, modules.name_of(module.path))


def statement_of(node: Node) -> Node | None:
    above: Node | None = node
    while above is not None and above.type not in ("import_statement", "import_from_statement"):
        above = above.parent
    return above


_IMMEDIATE = ("class", "comprehension")
"""Scopes whose code runs where it is defined."""


def resolve_starred(
    resolver: Resolver, path: str, mention: Mention, scope: Scope, own: list[Meaning]
) -> Iterable[Meaning]:
    """Return the meanings of a module's name at a place; ``own`` are those by the module's own bindings."""
    is_changed = nodes.parent_of(mention.node, "augmented_assignment") is not None
    if mention.role == "bind" and not is_changed:
        return own
    before = lookup_position(mention)
    imported = star_members(resolver, path, mention.name, before)
    if not imported:
        return own
    bound = resolver.lexical(path).bindings_by_scope(mention.name)[scope.node.id]
    others = [each for each in bound if each != mention]
    if before is not None and lexical_scopes.is_read_before_binding(mention, others):
        return [*own, *imported] if is_changed else imported
    return own if is_after_stars(resolver, path, others, before) else [*own, *imported]


def lookup_position(mention: Mention) -> int | None:
    """Return the offset at which a running module looks up a name; None in a function, which runs later."""
    inside = [each for each in mention.scopes if each.kind != "module"]
    return mention.start if all(each.kind in _IMMEDIATE for each in inside) else None


def star_redeclarations(resolver: Resolver, binding: Binding) -> Iterable[Meaning]:
    """Return the names that a star import may bind in place of a module's binding."""
    lexical = resolver.files.lexical(binding.path) if binding.kind == "module" else None
    if lexical is None or not star_statements(lexical.syntax):  # or a folder that is a package
        return ()
    bound = own_bindings(lexical, binding.name)
    is_mixed = bound and not is_after_stars(resolver, binding.path, bound)
    return star_members(resolver, binding.path, binding.name) if is_mixed else ()


def find_hidden_submodules(
    resolver: Resolver, members: Collection[Binding], name: str
) -> Iterator[tuple[Place, str]]:
    """Yield places that name a module which a package's own name now hides, each with the module's path."""
    for path, package in _find_submodules(resolver.files, name):
        ends = [*_find_ends(resolver, package, members, name)]
        if ends:
            is_loaded = path in modules.all_loads(resolver.files, package, max(ends))
            meaning = f"{quote_path(path)}, and {quote_path(package)} would have this one under its name"
            for place in _find_import_places(resolver, path, name):
                if not is_loaded or _is_alias(place.mention.node):
                    yield place, meaning


def _find_submodules(files: Files, name: str) -> Iterator[tuple[str, str]]:
    ends = (f"/{name}.py", f"/{name}/__init__.py")
    for path in files.overlay.under(""):
        end = next((each for each in ends if path.endswith(each)), None)
        found = modules.package_of(files, path.removesuffix(end)) if end else None
        if found is not None and files.lexical(found.path) is not None:
            yield path, found.path


def _find_ends(resolver: Resolver, package: str, members: Collection[Binding], name: str) -> Iterator[int]:
    """Yield the offsets in a package's file after which it has bound one of these names."""
    lexical = resolver.lexical(package)
    if resolver.top_binding(package, name) in members:
        yield from (mention.end for mention in own_bindings(lexical, name))
    for statement in star_statements(lexical.syntax):
        if not set(members).isdisjoint(imported_members(resolver, package, statement, name)):
            yield statement.end_byte


def _find_import_places(resolver: Resolver, path: str, name: str) -> Iterator[Place]:
    module = Binding(path, WHOLE, "python", name)
    for importing in resolver.files.naming(name, "python"):
        lexical = resolver.files.lexical(importing)
        for mention in lexical.occurrences_of(name) if lexical is not None else ():
            is_import = mention.role in ("module", "imported") or mention.kind == "import"
            if is_import and module in resolver.meanings(importing, mention):
                yield Place(importing, mention)


def _is_alias(node: Node) -> bool:
    return nodes.parent_of(nodes.parent_of(node), "aliased_import") is not None
