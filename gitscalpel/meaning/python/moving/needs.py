"""What a definition uses of its module: what has to be there where it goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import modules, quoted
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.meaning.python.moving import rooted, spelling
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def names(resolver: Resolver, path: str, span: tuple[int, int]) -> list[str]:
    """The names of the module's own scope that stand in some bytes of it, in order."""
    return list(dict.fromkeys(name for name, _ in uses(resolver, path, span)))


def uses(resolver: Resolver, path: str, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Where names of the module's own scope are used in some bytes of it."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    for word, start in _words(lexical.text, root, span):
        mention = lexical.mentions.at(word, start)
        own = Binding(path, (root.start_byte, root.end_byte), "module", word)
        is_name = mention.role in ("use", "global") and own in resolver.meanings(path, mention)
        if is_name or (mention.role == "string" and own in quoted.meant(resolver, path, mention)):
            yield word, start


def wanted(
    place: Place, name: str, found: list[Statement], there: tuple[str, str], text: bytes
) -> Iterator[Wanted]:
    """The imports that bring a name of a module, whose imports are ``found``, to another.

    ``there`` is the path of that one, and how it names modules of its package. ``text`` is what needs the
    name: of several submodules that are imported under the name of their package, those that it names.
    """
    binding = [(each, one) for each in found for one in each.names if one.bound == name]
    said = [(each, one) for each, one in binding if one.alias is None and _names_whole(text, one.name)]
    for statement, each in said if len(binding) > 1 and said else binding[:1]:
        module = statement.module
        if module is not None and module.startswith("."):
            module = _placed(place, module, there[0]) or _in_style(place, module, there)
        yield Wanted(module, each.name, each.alias)
    if not binding:
        yield Wanted(spelling.like(place.files, there[0], place.path, there[1]), name, None)


def starred(resolver: Resolver, path: str, span: tuple[int, int], there: tuple[str, str]) -> Iterator[Wanted]:
    """The imports that bring to another module what some bytes of one have by a star import; see `wanted`."""
    lexical = resolver.lexical(path)
    for word, start in dict(_words(lexical.text, lexical.syntax.root, span)).items():
        mention = lexical.mentions.at(word, start)
        if mention.role == "use" and lexical.scope_of(mention) is None:
            for found in resolver.meanings(path, mention):
                if isinstance(found, Binding):
                    yield Wanted(spelling.like(resolver.files, there[0], found.path, there[1]), word, None)


def _names_whole(text: bytes, module: str) -> bool:
    return (
        "." in module
        and re.search(rb"(?<![\w.])" + re.escape(module.encode()) + rb"(?!\w)", text) is not None
    )


def _placed(place: Place, module: str, there: str) -> str | None:
    """A relative module as another file names it by its place, where a folder without a file is a package."""
    if rooted.is_package(place.files, place.path.rpartition("/")[0]):
        return None
    found = modules.named(place.files, place.path, module)
    if not isinstance(found, Module):
        return module if there.rpartition("/")[0] == place.path.rpartition("/")[0] else None
    near = spelling.relative(place.files, there, found.path)
    return near or spelling.dotted(place.files, found.path, there)


def _in_style(place: Place, module: str, there: tuple[str, str]) -> str:
    """Return a relative module as another file names modules of its package; else with its whole name."""
    found = modules.named(place.files, place.path, module) if there[1] == "." else None
    near = spelling.relative(place.files, there[0], found.path) if isinstance(found, Module) else None
    return near or _absolute(place, module)


def _absolute(place: Place, module: str) -> str:
    """A relative module as its whole name."""
    here = spelling.dotted(place.files, place.path).split(".")
    if not place.path.endswith(("__init__.py", "__init__.pyi")):
        here = here[:-1]
    rest = module.lstrip(".")
    up = len(module) - len(rest) - 1
    return ".".join([*here[: len(here) - up], *([rest] if rest else [])])


def _words(text: bytes, root: tree_sitter.Node, span: tuple[int, int]) -> Iterator[tuple[str, int]]:
    """Identifiers, and what may be types in strings, with their first bytes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte <= span[0] or node.start_byte >= span[1]:
            continue
        if node.type in ("identifier", "string_content"):
            for found in _WORD.finditer(text, node.start_byte, node.end_byte):
                yield found[0].decode("utf-8", "surrogateescape"), found.start()
        waiting += reversed(node.children)
