"""What import statements bring in."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from gitscalpel.meaning.javascript import exports, paths, specifiers, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.syntax.occurrences import Mention

DEFAULT = "default"


def brings(resolver: Resolver, path: str, mention: Mention, name: str = "") -> Iterable[Meaning]:
    """What a module has under the name that is imported from it."""
    module = exports.source(resolver, path, mention.node)
    is_whole = _is_whole(mention) and not name
    if not isinstance(module, Module):
        return () if is_whole else (module or Unknown("it comes from nowhere that is known"),)
    if is_whole:
        has_one = is_default(mention) or exports.is_assigned(resolver, module)
        found = exports.member(resolver, module, "default") if has_one else ()
        return [each for each in found if isinstance(each, Binding) and each.name == mention.name]
    found = exports.member(resolver, module, name or mention.name)
    return found or (Unknown(f"{module.path} is not known to export it"),)


def named(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """The file of the tree that the last part of an import's string names."""
    string = mention.node if mention.node.type == "string" else mention.node.parent
    said = words.literal(resolver, path, string)
    is_last = posixpath.basename(said).partition(".")[0] == mention.name
    if string is None or not is_last or not specifiers.is_one(resolver, path, string):
        return ()
    module = paths.find(resolver, path, said)
    if not isinstance(module, Module):
        return ()
    return (Binding(module.path, WHOLE, module.language, mention.name),)


def is_same(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Whether an import keeps the name that it has where it comes from."""
    above = mention.node.parent
    if above is None or above.type != "import_specifier" or _is_whole(mention):
        return _is_whole(mention)
    return words.text(resolver, path, above.child_by_field_name("name")) == mention.name


def _is_whole(mention: Mention) -> bool:
    """Whether it names what a module is, and nothing in it."""
    above = mention.node.parent
    return is_default(mention) or (above is not None and above.type == "namespace_import")


def is_specifier(mention: Mention) -> bool:
    """Whether an alias may stand beside it."""
    above = mention.node.parent
    return above is not None and above.type == "import_specifier" and not above.child_by_field_name("alias")


def is_default(mention: Mention) -> bool:
    """Whether it names what a module has as its default."""
    above = mention.node.parent
    if above is not None and above.type in ("import_specifier", "export_specifier"):  # `{ default as x }`
        name = above.child_by_field_name("name")
        return name is not None and name.text == b"default" and name.id != mention.node.id
    return above is not None and above.type in ("import_clause", "import_require_clause")


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name that an import binds is worth."""
    above = mention.node.parent
    if above is None:
        return (Unknown("it is no import"),)
    if above.type == "import_specifier" and not is_default(mention):
        name = words.text(resolver, path, above.child_by_field_name("name"))
        return [v for each in brings(resolver, path, mention, name) for v in resolver.worth(each)]
    if above.type == "import_alias":
        return [v for each in above.named_children[1:] for v in resolver.values(path, each)]
    return _whole(resolver, path, mention, is_default=is_default(mention))


def _whole(resolver: Resolver, path: str, mention: Mention, *, is_default: bool) -> Iterable[Value]:
    """A module, or what it has as its default."""
    module = exports.source(resolver, path, mention.node)
    if not isinstance(module, Module):
        return (module or Unknown("it comes from nowhere that is known"),)
    return default(resolver, module) if is_default else (module,)


def default(resolver: Resolver, module: Module) -> Iterable[Value]:
    """What a module has as its default, which need not have a name; else what ``require`` gives."""
    found = exports.member(resolver, module, DEFAULT)
    if found:
        return [value for each in found for value in resolver.worth(each)]
    given = [v for node in exports.given(resolver, module) for v in resolver.values(module.path, node)]
    return given or required(resolver, module)


def _common(resolver: Resolver, path: str) -> Iterable[Value]:
    return [value for node in exports.assigned(resolver, path) for value in resolver.values(path, node)]


def required(resolver: Resolver, module: Module | Elsewhere) -> Iterable[Value]:
    """What ``require`` gives."""
    if isinstance(module, Elsewhere):
        return (module,)
    common = [each for each in _common(resolver, module.path) if isinstance(each, (Class, Function))]
    return common or (module,)
