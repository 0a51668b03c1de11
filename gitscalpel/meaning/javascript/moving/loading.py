"""Which files a file loads as it is loaded itself, and which of them load it in turn."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import exports, paths, words
from gitscalpel.meaning.javascript.importing import statements, unused
from gitscalpel.meaning.javascript.importing.statements import Statement
from gitscalpel.meaning.javascript.moving import running
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Module


class Loading:
    """The files of a tree, and what loads what.

    Args:
        files: of the tree.

    Attributes:
        resolver: of the tree.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.resolver = Resolver(files, dialect)
        self._loads: dict[str, set[str]] = {}
        self._around: dict[str, set[str]] = {}

    def is_read(self, path: str) -> bool:
        """Whether it is a file of these languages."""
        lexical = self._files.lexical(path)
        return lexical is not None and lexical.syntax.language.name in paths.LANGUAGES

    def loads(self, path: str) -> set[str]:
        """The files that one imports, but for types, and passes on."""
        if path not in self._loads:
            self._loads[path] = set(self._loaded(path)) - {path} if self.is_read(path) else set()
        return self._loads[path]

    def around(self, path: str) -> set[str]:
        """The files that import a file, however far, and that it imports; itself, where there are some."""
        if path not in self._around:
            into: dict[str, set[str]] = {}
            for here in (waiting := [path]):
                for other in sorted(self.loads(here)):
                    waiting += [other] if other not in into and other != path else []
                    into.setdefault(other, set()).add(here)
            found = set[str]()
            for here in (back := [path]):
                new = into.get(here, set()) - found
                found |= new
                back += sorted(new)
            self._around[path] = found
        return self._around[path]

    def way(self, start: str, goal: str) -> tuple[str, ...]:
        """The files between two on the shortest way along imports, where there is one."""
        ways: dict[str, tuple[str, ...]] = {start: ()}
        for here in (waiting := [start]):
            for other in sorted(self.loads(here)):
                if other == goal:
                    return ways[here]
                if other not in ways:
                    ways[other] = (*ways[here], other)
                    waiting.append(other)
        return ()

    def reached(self, path: str) -> set[str]:
        """Return the files that a file imports, however far."""
        found = set[str]()
        for here in (waiting := [path]):
            new = self.loads(here) - found
            found |= new
            waiting += sorted(new)
        return found

    def required(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the files that ``require`` loads outside of functions, and the byte of each call."""
        for said, start in self._required(path):
            module = paths.find(self.resolver, path, said)
            if isinstance(module, Module):
                yield module.path, start

    def _loaded(self, path: str) -> Iterator[str]:
        lexical = self.resolver.lexical(path)
        brought = [
            paths.find(self.resolver, path, each.module)
            for each in statements.read(lexical)
            if self._is_kept(path, each)
        ]
        passed = [
            exports.source(self.resolver, path, node)
            for node in lexical.syntax.root.named_children
            if node.type == "export_statement" and not any(child.type == "type" for child in node.children)
        ]
        yield from (each.path for each in (*brought, *passed) if isinstance(each, Module))
        yield from (each for each, _ in self.required(path))

    def _required(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the modules that ``require`` loads outside of functions, and the byte of each call."""
        for node in self.resolver.lexical(path).syntax.of_type("call_expression"):
            called = node.child_by_field_name("function")
            if called is not None and called.text == b"require" and not running.is_later(node):
                given = node.child_by_field_name("arguments")
                first = given.named_children[0] if given is not None and given.named_children else None
                yield words.literal(self.resolver, path, first), node.start_byte

    def _is_kept(self, path: str, statement: Statement) -> bool:
        """Whether an import is there when the file is run: a compiler drops one of types alone."""
        names = [each.alias for each in statement.names if not each.is_type]
        if statement.is_type or (statement.names and not names):
            return False
        if statement.form != "import" or not names or self._files.language(path) == "javascript":
            return True
        made_with = unused.of_elements(self.resolver, path)
        return any(each in made_with or running.is_used(self.resolver, path, each) for each in names)
