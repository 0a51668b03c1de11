"""Resolve the names that imports bring, and the local names of a default export.

Each importing file chooses its own name for the default of a module.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names.aliases import is_taken_unnamed
from gitscalpel.names.entities import (
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
from gitscalpel.names.languages.javascript import exports, modules, name_nodes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

DEFAULT = "default"


def import_target(resolver: Resolver, path: str, mention: Mention, name: str = "") -> Iterable[Meaning]:
    """What a module has under the name that is imported from it."""
    module = exports.source_module(resolver, path, mention.node)
    is_whole = _is_whole(mention) and not name
    if not isinstance(module, Module):
        return () if is_whole else (module or Unknown("it comes from nowhere that is known"),)
    if is_whole:
        has_one = is_default(mention) or exports.is_export_assigned(resolver, module)
        found = exports.module_member(resolver, module, "default") if has_one else ()
        return [each for each in found if isinstance(each, Binding) and each.name == mention.name]
    found = exports.module_member(resolver, module, name or mention.name)
    return found or (Unknown(f"{module.path} is not known to export it"),)


def imported_file(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """The file of the tree that the last part of an import's string names."""
    string = mention.node if mention.node.type == "string" else mention.node.parent
    said = name_nodes.literal(resolver, path, string)
    is_last = posixpath.basename(said).partition(".")[0] == mention.name
    if string is None or not is_last or not modules.is_specifier(resolver, path, string):
        return ()
    module = modules.find_module(resolver, path, said)
    if not isinstance(module, Module):
        return ()
    return (Binding(module.path, WHOLE, module.language, mention.name),)


def keeps_name(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Whether an import keeps the name that it has where it comes from."""
    above = mention.node.parent
    if above is None or above.type != "import_specifier" or _is_whole(mention):
        return _is_whole(mention)
    return name_nodes.text(resolver, path, above.child_by_field_name("name")) == mention.name


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


def infer_import(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name that an import binds is worth."""
    above = mention.node.parent
    if above is None:
        return (Unknown("it is no import"),)
    if above.type == "import_specifier" and not is_default(mention):
        name = name_nodes.text(resolver, path, above.child_by_field_name("name"))
        return [v for each in import_target(resolver, path, mention, name) for v in resolver.worth(each)]
    if above.type == "import_alias":
        return [v for each in above.named_children[1:] for v in resolver.values(path, each)]
    return _whole(resolver, path, mention, is_default=is_default(mention))


def _whole(resolver: Resolver, path: str, mention: Mention, *, is_default: bool) -> Iterable[Value]:
    """A module, or what it has as its default."""
    module = exports.source_module(resolver, path, mention.node)
    if not isinstance(module, Module):
        return (module or Unknown("it comes from nowhere that is known"),)
    return infer_default(resolver, module) if is_default else (module,)


def infer_default(resolver: Resolver, module: Module) -> Iterable[Value]:
    """What a module has as its default, which need not have a name; else what ``require`` gives."""
    found = exports.module_member(resolver, module, DEFAULT)
    if found:
        return [value for each in found for value in resolver.worth(each)]
    given = [
        v for node in exports.default_expression(resolver, module) for v in resolver.values(module.path, node)
    ]
    return given or infer_required(resolver, module)


def _common(resolver: Resolver, path: str) -> Iterable[Value]:
    return [
        value for node in exports.assigned_exports(resolver, path) for value in resolver.values(path, node)
    ]


def infer_required(resolver: Resolver, module: Module | Elsewhere) -> Iterable[Value]:
    """What ``require`` gives."""
    if isinstance(module, Elsewhere):
        return (module,)
    common = [each for each in _common(resolver, module.path) if isinstance(each, (Class, Function))]
    return common or (module,)


_SAID = re.compile(rb"""\b(?:from|require\s*\()\s*(["'])([^"'\n]+)\1""")
_WORD = re.compile(r"\w+")
_DEFAULT = "default"


def default_names(resolver: Resolver, path: str, name: str) -> Iterable[str]:
    """The names that others give to what a file calls ``name``, if that is its default."""
    if not is_taken_unnamed(resolver.lexical(path)) or not _is_default(resolver, path, name):
        return ()
    return resolver.once(("defaults", path), lambda: dict.fromkeys(_given(resolver, path)), ())


def _is_default(resolver: Resolver, path: str, name: str) -> bool:
    module = Module(path, resolver.files.language(path))
    found = exports.module_member(resolver, module, _DEFAULT)
    return any(isinstance(each, Binding) and each.name == name for each in found)


def _given(resolver: Resolver, path: str) -> Iterator[str]:
    waiting, seen = [path], {path}
    while waiting:
        one = waiting.pop()
        for other in _importing(resolver, one):
            taken = [*_taken(resolver, other, one)]
            yield from (each for each in taken if each != _DEFAULT)
            passes = _DEFAULT in taken or any(_is_default(resolver, other, each) for each in taken)
            if passes and other not in seen:
                seen.add(other)
                waiting.append(other)


def _taken(resolver: Resolver, path: str, of: str) -> Iterator[str]:
    """What a file calls the default of another one; ``default``, where it passes it on as its own."""
    syntax = resolver.lexical(path).syntax
    for kind in ("import_statement", "export_statement", "import_require_clause"):
        for statement in syntax.of_type(kind):
            module = exports.source_module(resolver, path, statement)
            if isinstance(module, Module) and module.path == of:
                yield from (name_nodes.text(resolver, path, each) for each in _named(statement))


def _named(statement: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.type in ("import_specifier", "export_specifier"):
            name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
            if name is not None and name.text == _DEFAULT.encode():
                yield alias or name
        elif node.type in ("import_clause", "import_require_clause"):
            yield from (each for each in node.named_children if each.type == "identifier")
        waiting += node.named_children


def _importing(resolver: Resolver, path: str) -> Iterator[str]:
    """The files that name another one."""
    folder, stem = posixpath.dirname(path), _stem(path)
    said = [stem, *modules.configured_names(resolver.files, path), *modules.package_names(resolver, path)]
    said += [posixpath.basename(folder)] if stem == "index" else []
    longest = {max(found, key=len) for each in said if (found := _WORD.findall(each))}
    near = resolver.files.holding("from") if stem == "index" else ()
    those = {each for word in longest for each in resolver.files.holding(word)}
    those |= {each for each in near if not folder or each.startswith(folder + "/")}
    for other in sorted(those - {path}):
        source = resolver.files.source(other) if other.endswith(modules.SUFFIXES) else None
        found = _SAID.findall(source.text) if source is not None else []
        if any(_leads(resolver, other, each.decode("utf-8", "replace"), path, longest) for _, each in found):
            yield other


def _leads(resolver: Resolver, path: str, said: str, to: str, longest: set[str]) -> bool:
    if not any(word in said for word in longest) and _WORD.search(said):
        return False
    module = modules.find_module(resolver, path, said)
    return isinstance(module, Module) and module.path == to and resolver.files.lexical(path) is not None


def _stem(path: str) -> str:
    name = posixpath.basename(path)
    suffix = max((each for each in modules.SUFFIXES if name.endswith(each)), key=len, default="")
    return name.removesuffix(suffix)
