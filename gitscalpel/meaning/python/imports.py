"""What import statements bring in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.python import modules, stars, words
from gitscalpel.meaning.python.importing import offered
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Module, Unknown
from gitscalpel.syntax.occurrences import Mention


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name in an import statement is, where it comes from."""
    statement = statement_of(mention.node)
    if statement is None:
        return ()
    if mention.role == "module" or statement.type == "import_statement":
        dotted, files = _upto(resolver, path, mention), resolver.files
        is_near, whole = dotted.startswith("."), _whole(resolver, path, mention)
        found = modules.named(files, path, dotted) if is_near else modules.part(files, path, dotted, whole)
        return (_module_itself(found),)
    return taken(resolver, path, statement, mention.name)


def brings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name that an import binds is, where it comes from."""
    statement = statement_of(mention.node)
    if statement is None:
        return ()
    if statement.type == "import_statement" and _alias(mention) is None:
        return meant(resolver, path, mention)
    name = said(resolver, path, mention)
    if statement.type == "import_statement":
        return (_module_itself(modules.named(resolver.files, path, name)),)
    return taken(resolver, path, statement, name)


def said(resolver: Resolver, path: str, mention: Mention) -> str:
    """What an import names, whatever it is called."""
    alias = _alias(mention)
    named = alias.child_by_field_name("name") if alias is not None else None
    return mention.name if named is None else words.text(resolver, path, named)


def has_alias(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Whether the name is one that the import only gives (``import x as x`` gives none)."""
    return _alias(mention) is not None and said(resolver, path, mention) != mention.name


def _alias(mention: Mention) -> tree_sitter.Node | None:
    """What gives something else the name that an import binds."""
    above = mention.node.parent
    return above if above is not None and above.type == "aliased_import" else None


def starred(resolver: Resolver, path: str, name: str, before: int | None = None) -> tuple[Meaning, ...]:
    """What ``from m import *`` in a module may bring under a name; modules may do so in a circle.

    ``before`` is the byte at which it is to have done so; None: when all of the module has been run.
    """
    those = stars.statements(resolver.lexical(path).syntax)
    count = len(those) if before is None else sum(each.end_byte <= before for each in those)
    found = resolver.once(("starred", path, name, count), lambda: _starred(resolver, path, name, count), ())
    return found if found or count == len(those) else starred(resolver, path, name)


def all_of(resolver: Resolver, path: str) -> set[str]:
    """The modules of the tree of which a file imports all names."""
    those = stars.statements(resolver.lexical(path).syntax)
    found = (_source(resolver, path, each) for each in those)
    return {each.path for each in found if isinstance(each, Module)}


def _starred(resolver: Resolver, path: str, name: str, count: int) -> list[Meaning]:
    """The last one that is sure to be run hides those before it."""
    brought: list[Meaning] = []
    for statement in stars.statements(resolver.lexical(path).syntax)[:count]:
        module = _source(resolver, path, statement)
        if isinstance(module, Elsewhere):
            continue  # what it has is not known; it is not of this tree
        if module.path != path and _is_public(resolver, module, name):
            found = list(_found(resolver, module, name))
            is_sure = stars.is_run(statement) and any(_is_bound(resolver, each, name) for each in found)
            brought = found if is_sure else [*brought, *found]
    return brought


def _is_bound(resolver: Resolver, meaning: Meaning, name: str) -> bool:
    """Whether a module certainly binds a name when it is run."""
    if not isinstance(meaning, Binding) or meaning.scope == WHOLE:
        return False
    lexical = resolver.lexical(meaning.path)
    return any(stars.is_bound(each) for each in lexical.bound(name).get(lexical.syntax.root.id, ()))


def member(resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
    """What a module has under a name; what nothing binds there is still its own."""
    found = resolver.once(("module", module.path, name), lambda: _found(resolver, module, name), ())
    if found:
        return found
    lexical = resolver.files.lexical(module.path)
    if lexical is None:
        return (Unknown(f"{module.path} has no file of its own"),)
    root = lexical.syntax.root
    return (Binding(module.path, (root.start_byte, root.end_byte), "module", name),)


def _found(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    """What certainly is a module's."""
    lexical = resolver.files.lexical(module.path)
    if lexical is not None:
        root = lexical.syntax.root
        bound = lexical.bound(name).get(root.id, ())
        if bound:
            yield Binding(module.path, (root.start_byte, root.end_byte), "module", name)
        found = () if stars.is_last(resolver, module.path, bound) else starred(resolver, module.path, name)
        yield from found
        if bound or found:
            return
    below = _submodule(resolver, module, name)
    if below is not None:
        yield _module_itself(below)


def _submodule(resolver: Resolver, module: Module, name: str) -> Module | None:
    folder = modules.folder(module)
    return None if folder is None else modules.below(resolver.files, folder, [name])


def _is_public(resolver: Resolver, module: Module, name: str) -> bool:
    """Return True if a star may bring a name: what ``__all__`` lists, else each name that is not private."""
    lexical = resolver.files.lexical(module.path)
    if lexical is None or not lexical.of("__all__"):
        return not name.startswith("_")
    place = Place.of(resolver.files, module.path)
    listed = [offered.said(place, each) for each in offered.items(place)]
    return name in listed or not offered.is_plain(place)


def taken(resolver: Resolver, path: str, statement: tree_sitter.Node, name: str) -> Iterable[Meaning]:
    """What ``from m import name`` takes."""
    module = _source(resolver, path, statement)
    if isinstance(module, Elsewhere):
        return (module,)
    if module.path == path:  # ``from . import x`` in the package itself
        below = _submodule(resolver, module, name)
        return () if below is None else (_module_itself(below),)
    return _but_own(resolver, path, statement, module, tuple(member(resolver, module, name)))


def _but_own(
    resolver: Resolver, path: str, statement: tree_sitter.Node, module: Module, found: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """The same without what the statement itself binds, which a package may have of it by a star.

    What it takes there is in the package's folder then: nothing else has given it that name.
    """
    at = (statement.start_byte, statement.end_byte)
    own = {each for each in found if isinstance(each, Binding) and each.path == path and each.scope != WHOLE}
    for each in own:
        bound = (m.start for _, m in resolver.binders(each))
        below = _submodule(resolver, module, each.name)
        if below is not None and any(at[0] <= start < at[1] for start in bound):
            itself = _module_itself(below)
            found = tuple(dict.fromkeys(itself if one == each else one for one in found))
    return found


def _source(resolver: Resolver, path: str, statement: tree_sitter.Node) -> Module | Elsewhere:
    named = statement.child_by_field_name("module_name")
    return modules.named(resolver.files, path, words.text(resolver, path, named) if named else "")


def _whole(resolver: Resolver, path: str, mention: Mention) -> str:
    """All of the dotted name in which a mention stands."""
    named = mention.node.parent
    is_part = named is not None and named.type == "dotted_name"
    return words.text(resolver, path, named) if named is not None and is_part else mention.name


def _upto(resolver: Resolver, path: str, mention: Mention) -> str:
    """The dotted name as far as the mention, with the dots that lead."""
    named = mention.node.parent
    if named is not None and named.parent is not None and named.parent.type == "relative_import":
        named = named.parent
    start = named.start_byte if named is not None else mention.start
    text = resolver.lexical(path).text[start : mention.end]
    return "".join(text.decode("utf-8", "surrogateescape").split())


def _module_itself(module: Module | Elsewhere) -> Meaning:
    return (
        module
        if isinstance(module, Elsewhere)
        else Binding(module.path, WHOLE, module.language, modules.name(module.path))
    )


def statement_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The import statement in which a node stands."""
    above: tree_sitter.Node | None = node
    while above is not None and above.type not in ("import_statement", "import_from_statement"):
        above = above.parent
    return above
