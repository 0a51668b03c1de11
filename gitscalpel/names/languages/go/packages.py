"""Packages, their imports, and their test files.

A package consists of the files of a directory that declare the same name, and an import is the path of a
module (``go.mod``) and of a directory in it. https://go.dev/ref/spec#Packages
https://go.dev/ref/mod#module-path

Test files are compiled with the other files of their package, which are also compiled without them. So
a name in a file that is not a test may mean one thing in the program and another in its tests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Elsewhere, Module
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice


class Import(NamedTuple):
    """An import of a file.

    Attributes:
        alias: alias in the file, ``.`` for all names, empty for the package's own name.
        said: import path.
    """

    alias: str
    said: str


def package_of(resolver: Resolver, path: str) -> str:
    """Return the package that a file declares."""
    return resolver.once(("go package of", path), lambda: (_declared_package(resolver, path),), ("",))[0]


def _declared_package(resolver: Resolver, path: str) -> str:
    for clause in resolver.lexical(path).syntax.of_type("package_clause"):
        return nodes.text(resolver, path, clause.named_children[0] if clause.named_children else None)
    return ""


def package_files(resolver: Resolver, path: str, word: str) -> list[str]:
    """Return the files of a file's package that contain a word; other files are not read."""
    own, holding = package_of(resolver, path), _files_containing(resolver, word)
    beside = (each for each in _readable_files(resolver, posixpath.dirname(path)) if each in holding)
    return [each for each in beside if _is_readable(resolver, each) and package_of(resolver, each) == own]


def package_in_folder(resolver: Resolver, folder: str) -> tuple[str, ...]:
    """Return the files of the package that a directory's path imports, without tests."""
    return tuple(each for each in _readable_files(resolver, folder) if not is_test_file(each))


def is_test_file(path: str) -> bool:
    """Return True for a file that is compiled only for tests; only other test files see its names."""
    return path.endswith("_test.go")


def _readable_files(resolver: Resolver, folder: str) -> tuple[str, ...]:
    return resolver.once(("go files", folder), lambda: _find_readable(resolver, folder), ())


def _find_readable(resolver: Resolver, folder: str) -> Iterator[str]:
    for path in resolver.files.overlay.under(folder):
        if posixpath.dirname(path) == folder and path.endswith(".go") and resolver.files.is_file(path):
            yield path


def _is_readable(resolver: Resolver, path: str) -> bool:
    return resolver.files.lexical(path) is not None


def _files_containing(resolver: Resolver, word: str) -> frozenset[str]:
    found: tuple[frozenset[str], ...] = resolver.once(
        ("holding", word), lambda: (frozenset(resolver.files.holding(word)),), ()
    )
    return found[0] if found else frozenset()


def declared_at_top(resolver: Resolver, paths: Iterable[str], word: str) -> Iterator[Binding]:
    """Yield the top-level declarations of a name in files of a package."""
    holding = _files_containing(resolver, word)
    for path in paths:
        lexical = resolver.files.lexical(path) if path in holding else None
        mentions = lexical.bound(word).get(lexical.syntax.root.id, ()) if lexical is not None else ()
        for mention in mentions:
            if mention.kind != "import":
                yield from (m for m in resolver.named(path, mention) if isinstance(m, Binding))
                break


def imports_of(resolver: Resolver, path: str) -> tuple[Import, ...]:
    """Return the imports of a file."""
    return resolver.once(("go imports", path), lambda: _find_imports(resolver, path), ())


def _find_imports(resolver: Resolver, path: str) -> Iterator[Import]:
    for spec in resolver.lexical(path).syntax.of_type("import_spec"):
        said = nodes.text(resolver, path, spec.child_by_field_name("path"))[1:-1]
        yield Import(nodes.text(resolver, path, spec.child_by_field_name("name")), said)


def implied_import(resolver: Resolver, path: str, word: str) -> Iterator[Mention]:
    """Yield the import that binds a word as its package's name, at the place of the path."""
    lexical = resolver.lexical(path)
    for spec in lexical.syntax.of_type("import_spec"):
        literal = spec.child_by_field_name("path")
        if literal is None or spec.child_by_field_name("name") is not None:
            continue
        said = nodes.text(resolver, path, literal)[1:-1]
        if (
            _may_have_name(resolver, said, word)
            and package_name(resolver, find_package(resolver, said), said) == word
        ):
            at = lexical.mentions.at(word, literal.start_byte)
            yield msgspec.structs.replace(at, node=literal, role="bind", kind="import", key=False)
            return


def _may_have_name(resolver: Resolver, said: str, word: str) -> bool:
    """Return True if a package of a path may have a name: its files declare it and contain the word."""
    folders = resolver.once(("go folders", word), lambda: _folders_with(resolver, word), ())
    return _likely_name(said) == word or any(place in folders for place in _possible_folders(resolver, said))


def _folders_with(resolver: Resolver, word: str) -> Iterator[str]:
    yield from {posixpath.dirname(each) for each in _files_containing(resolver, word) if each.endswith(".go")}


def find_package(resolver: Resolver, said: str) -> Module | Elsewhere:
    """Return the package with an import path."""
    within: tuple[Module | Elsewhere, ...] = (Elsewhere(said),)
    return resolver.once(("go package", said), lambda: (_find_uncached(resolver, said),), within)[0]


def _find_uncached(resolver: Resolver, said: str) -> Module | Elsewhere:
    found = (
        Module(place, "go")
        for place in _possible_folders(resolver, said)
        if package_in_folder(resolver, place)
    )
    return next(found, Elsewhere("another module"))


def _possible_folders(resolver: Resolver, said: str) -> Iterator[str]:
    """Yield the directories that may contain a package with an import path, in modules of the tree."""
    for folder, module in resolver.once(("go modules",), lambda: _modules_of(resolver), ()):
        if said == module or said.startswith(module + "/"):
            place = posixpath.normpath(posixpath.join(folder, said[len(module) + 1 :]))
            yield "" if place == "." else place


def _modules_of(resolver: Resolver) -> Iterator[tuple[str, str]]:
    """Yield the modules of the tree: directory and path, longest path first."""
    found = []
    for path in resolver.files.holding("module"):
        source = resolver.files.source(path) if posixpath.basename(path) == "go.mod" else None
        said = re.search(rb'(?m)^\s*module\s+"?([^\s"]+)', source.text) if source is not None else None
        if said:
            found.append((posixpath.dirname(path), said[1].decode("utf-8", "surrogateescape")))
    yield from sorted(found, key=lambda each: -len(each[1]))


def package_name(resolver: Resolver, package: Module | Elsewhere, said: str) -> str:
    """Return the declared name of a package; for one outside the tree, the likely name by its path."""
    if isinstance(package, Module):
        read = (each for each in package_in_folder(resolver, package.path) if _is_readable(resolver, each))
        return next((package_of(resolver, each) for each in read), "")
    return _likely_name(said)


def _likely_name(said: str) -> str:
    """Return the likely package name for an import path."""
    parts = [part for part in said.split("/") if not re.fullmatch(r"v\d+", part)] or [said]
    return re.sub(r"\.v\d+$", "", parts[-1])


def is_same_package(resolver: Resolver, path: str, other: str) -> bool:
    """Return True if two files belong to the same package."""
    folders = {posixpath.dirname(path), posixpath.dirname(other)}
    return len(folders) == 1 and package_of(resolver, path) == package_of(resolver, other)


def rename_import(resolver: Resolver, path: str, mention: Mention, new: str) -> Splice:
    """Return the splice of a name; an import gets an alias unless the package has that name."""
    spec = mention.node.parent
    literal = spec.child_by_field_name("path") if spec is not None and spec.type == "import_spec" else None
    if literal is None:
        return mention.renamed(new)
    said = nodes.text(resolver, path, literal)
    is_own = package_name(resolver, find_package(resolver, said[1:-1]), said[1:-1]) == new
    written = said if is_own else f"{new} {said}"
    return Splice(mention.start, literal.end_byte, written.encode("utf-8", "surrogateescape"))


def package_member(resolver: Resolver, package: Module, word: str) -> tuple[Binding, ...]:
    """Return the exported meanings of a package's name."""
    if not word[:1].isupper():
        return ()
    key = ("exported", package.path, word)
    return resolver.once(
        key, lambda: declared_at_top(resolver, package_in_folder(resolver, package.path), word), ()
    )


_WHY = "in tests it is this one, and elsewhere it is not"


def meanings_in_tests(resolver: Resolver, path: str, mention: Mention) -> Iterator[tuple[Binding, str]]:
    """Yield the meanings of a name in tests, and the reason why there are others."""
    if is_test_file(path) or not any(map(is_test_file, resolver.files.holding(mention.name))):
        return
    if mention.role == "member":
        receiver = resolver.dialect(path).receiver(mention)
        for value in resolver.values(path, receiver):
            for each in resolver.members(value, mention.name):
                if isinstance(each, Binding) and _is_only_in_tests(resolver, path, each):
                    yield each, _WHY
    elif mention.role == "use" and resolver.lexical(path).scope_of(mention) is None:
        files = package_files(resolver, path, mention.name)
        beside = [each for each in files if is_test_file(each)]
        yield from ((each, _WHY) for each in declared_at_top(resolver, beside, mention.name))


def _is_only_in_tests(resolver: Resolver, path: str, binding: Binding) -> bool:
    """Return True if only tests of a file's package define a name."""
    files = [each for each, _ in resolver.binders(binding)]
    return all(is_test_file(each) and is_same_package(resolver, path, each) for each in files)
