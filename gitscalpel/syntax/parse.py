"""One text with its tree: the only place that calls the parser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, TypeVar, cast

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax import bounds, hidden, reuse
from gitscalpel.syntax.language import Language
from gitscalpel.syntax.masking import Masked, masked

_PACK = "tree_sitter_language_pack"
_PACKAGES = "tree_sitter_"
"""How the packages of single grammars begin; some are newer than those in the pack."""
Read = TypeVar("Read")


@cache
def grammar(name: str) -> tree_sitter.Language:
    """Return a grammar of the language pack, loaded without the pack's own module, or of a package."""
    if name.startswith(_PACKAGES):
        return tree_sitter.Language(import_module(name).language())
    pack = find_spec(_PACK)
    for folder in (pack.submodule_search_locations or ()) if pack else ():
        for suffix in EXTENSION_SUFFIXES:
            library = Path(folder) / "bindings" / f"{name}{suffix}"
            if library.exists():
                # Under its full name: a library of this kind enters itself as a module, and json is one.
                full = f"{_PACK}.bindings.{name}"
                loader = ExtensionFileLoader(full, str(library))
                module = module_from_spec(spec_from_loader(full, loader))  # type: ignore[arg-type]
                return tree_sitter.Language(module.language())
    # Some grammars are packages of their own, which the pack knows.
    import tree_sitter_language_pack

    return tree_sitter_language_pack.get_language(name)  # type: ignore[arg-type]


class Syntax:
    """A parsed text, and what was read of it."""

    def __init__(
        self,
        language: Language,
        text: bytes,
        since: Syntax | None = None,
        *,
        is_masked: bool = False,
        takes_newer: bool = False,
    ) -> None:
        """Take a text.

        Args:
            language: its language.
            text: all of it.
            since: a text in the same language that differs little, with a tree that may be reused.
            is_masked: nothing is to be hidden from the grammar.
            takes_newer: syntax that is newer than the grammar is shown in older words. Names may be hidden by
                that, so only gates read so.
        """
        self._takes_newer = takes_newer
        self.language = language
        self._is_masked = is_masked
        self.text = text
        self._since = since
        self._reads: dict[object, Any] = {}
        self._found: dict[str, list[tree_sitter.Node]] = {}
        self._shown = b""

    def once(self, read: Callable[[Syntax], Read]) -> Read:
        """What ``read`` makes of it, made once for all who ask."""
        if read not in self._reads:
            self._reads[read] = read(self)
        return cast("Read", self._reads[read])

    @cached_property
    def masked(self) -> Masked:
        """The text as the grammar sees it."""
        return masked(self.text, *hidden.of("" if self._is_masked else self.language.hidden))

    @property
    def tree(self) -> tree_sitter.Tree:
        """The tree; it is made for who asks.

        Raises:
            DoesNotFit: ``too_large``: see ``bounds``.
        """
        if isinstance(self._made, DoesNotFit):
            raise bounds.refusal(self._made.message)
        return self._made

    def read(self) -> Syntax:
        """The same, once it is clear that there is a tree. Raises as :attr:`tree`."""
        if isinstance(self._made, DoesNotFit):
            raise bounds.refusal(self._made.message)
        return self

    @cached_property
    def _made(self) -> tree_sitter.Tree | DoesNotFit:
        shown = self.masked.shown
        since, self._since = self._since, None
        why = ""
        try:
            bounds.refuse_open(self.language.grammar, shown)
            tree = _parsed(self.language.grammar, shown, since.shown_tree if since else None)
            if tree.root_node.has_error and self._takes_newer:
                tree, shown = self._in_older_syntax(tree, shown)
            levels = bounds.TREE_OF_DATA if self.language.data else bounds.TREE
            bounds.refuse_deep(tree.root_node, levels)
        except DoesNotFit as error:
            why = error.message
        if why:  # without what led to the error: it would keep the parser, and hundreds of megabytes
            return bounds.refusal(why)
        self._shown = shown
        return tree

    def _in_older_syntax(self, tree: tree_sitter.Tree, shown: bytes) -> tuple[tree_sitter.Tree, bytes]:
        """Return the tree of the text in older syntax, and that text, if less of it does not parse."""
        from gitscalpel.syntax import newer_syntax  # most texts parse

        grammar = self.language.grammar
        patterns = newer_syntax.NEWER.get(grammar, ())
        older = masked(shown, patterns, newer_syntax.SHOWN.get(grammar, {})).shown
        if older == shown:
            return tree, shown
        found = _parsed(grammar, older)
        if _unparsed_bytes(found.root_node) >= _unparsed_bytes(tree.root_node):
            return tree, shown
        return found, older

    @property
    def shown_tree(self) -> tuple[bytes, tree_sitter.Tree] | None:
        """What the grammar was shown, and the tree, if there is one by now."""
        made = self.__dict__.get("_made")
        return (self._shown, made) if isinstance(made, tree_sitter.Tree) else None

    @property
    def root(self) -> tree_sitter.Node:
        """The root node."""
        return self.tree.root_node

    def of_type(self, node_type: str | None) -> list[tree_sitter.Node]:
        """The nodes of one type that the grammar knows, in document order; None: no type."""
        return [] if node_type is None else self.found(f"({node_type}) @found")

    def found(self, query: str) -> list[tree_sitter.Node]:
        """The nodes that a query captures as ``found``, in document order; to compile one is dear."""
        if query not in self._found:
            cursor = tree_sitter.QueryCursor(_query(self.language.grammar, query))
            found = cursor.captures(self.root).get("found", [])  # in whatever order the library has
            self._found[query] = sorted(found, key=lambda node: (node.start_byte, -node.end_byte))
        return self._found[query]


def _parsed(name: str, text: bytes, since: tuple[bytes, tree_sitter.Tree] | None = None) -> tree_sitter.Tree:
    reading = bounds.Reading(text)

    def parse(old: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
        # Given as a whole, a text is parsed to the end, however long it takes.
        nonlocal reading
        reading, parser = bounds.Reading(text), tree_sitter.Parser(grammar(name))
        if old is None:
            return parser.parse(reading.read, progress_callback=reading.stop)
        return parser.parse(reading.read, old, progress_callback=reading.stop)

    try:
        return (reuse.reparsed(name, since, text, parse) if since else None) or parse()
    except ValueError:
        raise bounds.refusal(reading.why) from None


def _unparsed_bytes(root: tree_sitter.Node) -> int:
    """Return how many bytes stand in faults, and one for each missing sign."""
    size, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            size += 1 + node.end_byte - node.start_byte
        else:
            waiting += [child for child in node.children if child.has_error or child.is_missing]
    return size


@cache
def _query(name: str, source: str) -> tree_sitter.Query:
    query: tree_sitter.Query = tree_sitter.Query(grammar(name), source)
    return query
