"""Under which names files take what another one has as its default: they need not say what it is called."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.aliases import is_taken_unnamed
from gitscalpel.meaning.javascript import config, exports, packages, paths, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module

_SAID = re.compile(rb"""\b(?:from|require\s*\()\s*(["'])([^"'\n]+)\1""")
_WORD = re.compile(r"\w+")
_DEFAULT = "default"


def given(resolver: Resolver, path: str, name: str) -> Iterable[str]:
    """The names that others give to what a file calls ``name``, if that is its default."""
    if not is_taken_unnamed(resolver.lexical(path)) or not _is_default(resolver, path, name):
        return ()
    return resolver.once(("defaults", path), lambda: dict.fromkeys(_given(resolver, path)), ())


def _is_default(resolver: Resolver, path: str, name: str) -> bool:
    module = Module(path, resolver.files.language(path))
    found = exports.member(resolver, module, _DEFAULT)
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
            module = exports.source(resolver, path, statement)
            if isinstance(module, Module) and module.path == of:
                yield from (words.text(resolver, path, each) for each in _named(statement))


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
    said = [stem, *config.called(resolver.files, path), *packages.called(resolver, path)]
    said += [posixpath.basename(folder)] if stem == "index" else []
    longest = {max(found, key=len) for each in said if (found := _WORD.findall(each))}
    near = resolver.files.holding("from") if stem == "index" else ()
    those = {each for word in longest for each in resolver.files.holding(word)}
    those |= {each for each in near if not folder or each.startswith(folder + "/")}
    for other in sorted(those - {path}):
        source = resolver.files.source(other) if other.endswith(paths.SUFFIXES) else None
        found = _SAID.findall(source.text) if source is not None else []
        if any(_leads(resolver, other, each.decode("utf-8", "replace"), path, longest) for _, each in found):
            yield other


def _leads(resolver: Resolver, path: str, said: str, to: str, longest: set[str]) -> bool:
    if not any(word in said for word in longest) and _WORD.search(said):
        return False
    module = paths.find(resolver, path, said)
    return isinstance(module, Module) and module.path == to and resolver.files.lexical(path) is not None


def _stem(path: str) -> str:
    name = posixpath.basename(path)
    suffix = max((each for each in paths.SUFFIXES if name.endswith(each)), key=len, default="")
    return name.removesuffix(suffix)
