"""Control-flow keywords and their targets: the loop that `break` ends, the function of a `return`.

The queries ``queries/<language>.flow.scm`` define them, for languages that have one:

    scope.<kind>    a node that jumps of a kind end, or go on with; and in the same pattern
    word            the word with which it begins
    label           its label, which jumps may name
    jump.<kind>     a word that ends or continues the innermost scope of its kind; in the same pattern
    to              the label of the scope that it names instead
    maybe.<kind>    such a word whose effect is unknown (in a macro's call)
    inner.<kind>    a scope that is a part of the one around it (``else if``)
    wall.<kind>     a node that no jump of this kind leads out of
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cache

import msgspec
import tree_sitter

from gitscalpel.syntax.captures import QUERIES
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.parse import Syntax, compile_query


class RelatedKeywords(msgspec.Struct, frozen=True):
    """The control flow of one keyword, as byte offsets."""

    begins: tuple[int, ...]  # offset of the label or keyword at which the ended scope begins
    jumps: tuple[int, ...]  # offsets of the keywords that end or continue the scope
    unsure: tuple[int, ...] = ()  # offsets of keywords whose target is uncertain


class _Scope:
    def __init__(self) -> None:
        self.words: dict[str, set[int]] = {}
        self.label: tree_sitter.Node | None = None


class _Jump:
    def __init__(self, node: tree_sitter.Node, kind: str, *, sure: bool) -> None:
        self.node, self.kind, self.sure = node, kind, sure
        self.to: bytes | None = None


def find_related(syntax: Syntax, start: int) -> RelatedKeywords | None:
    """Return the control flow of the keyword at an offset, or None for any other word."""
    return syntax.compute_once(_Flow).find(start) if _query(syntax.language) is not None else None


class _Flow:
    def __init__(self, syntax: Syntax) -> None:
        self._scopes: dict[int, _Scope] = {}
        self._jumps: dict[int, _Jump] = {}
        self._limits: dict[str, set[int]] = {}
        query = _query(syntax.language)
        assert query is not None  # noqa: S101 - the caller has checked
        for _, found in tree_sitter.QueryCursor(query).matches(syntax.root):
            for name, (node, *_) in found.items():
                self._note_capture(*name.partition(".")[::2], node, found)

    def _note_capture(
        self, role: str, kind: str, node: tree_sitter.Node, found: dict[str, list[tree_sitter.Node]]
    ) -> None:
        if role == "scope":
            scope = self._scopes.setdefault(node.id, _Scope())
            scope.words.setdefault(kind, set()).update(each.start_byte for each in found.get("word", ()))
            scope.label = found["label"][0] if "label" in found else scope.label
        elif role in ("jump", "maybe"):
            jump = self._jumps.setdefault(node.start_byte, _Jump(node, kind, sure=role == "jump"))
            jump.to = found["to"][0].text if "to" in found else jump.to
        elif role in ("inner", "wall"):
            self._limits.setdefault(f"{role}.{kind}", set()).add(node.id)

    def find(self, start: int) -> RelatedKeywords | None:
        begun = {
            (id_, kind)
            for id_, scope in self._scopes.items()
            for kind, words in scope.words.items()
            if start in words
        }
        if begun:
            ids = {id_ for id_, _ in begun}
            jumps = [
                each
                for each in self._iter_ending_jumps(ids)
                if each.to or (self._find_ended_scope(each), each.kind) in begun
            ]
            return _find_related((start,), jumps)
        own = self._jumps.get(start)
        if own is None or not own.sure:
            return None
        ended = self._find_ended_scope(own)
        alike = (
            [each for each in self._iter_ending_jumps({ended}) if each.node.type == own.node.type]
            if ended
            else [own]
        )
        return _find_related(self._scope_starts(ended, own.kind), alike)

    def _iter_ending_jumps(self, ids: Container[int | None]) -> Iterator[_Jump]:
        return (each for each in self._jumps.values() if self._find_ended_scope(each) in ids)

    def _scope_starts(self, ended: int | None, kind: str) -> tuple[int, ...]:
        scope = self._scopes.get(ended) if ended is not None else None
        if scope is None:
            return ()
        return (scope.label.start_byte,) if scope.label else tuple(sorted(scope.words.get(kind, ())))

    def _find_ended_scope(self, jump: _Jump) -> int | None:
        """Return the id of the node whose scope a jump ends, or None if it is not in this text."""
        inner, wall = (self._limits.get(f"{role}.{jump.kind}", set()) for role in ("inner", "wall"))
        node = jump.node.parent
        while node is not None:
            scope = self._scopes.get(node.id)
            if scope is not None and node.id not in inner and _is_meant(jump, scope):
                return node.id
            node = None if node.id in wall else node.parent
        return None


def _is_meant(jump: _Jump, scope: _Scope) -> bool:
    if jump.to is None:
        return jump.kind in scope.words
    return scope.label is not None and scope.label.text == jump.to


def _find_related(begins: tuple[int, ...], jumps: list[_Jump]) -> RelatedKeywords:
    sure, unsure = (
        tuple(sorted(each.node.start_byte for each in jumps if each.sure == is_sure))
        for is_sure in (True, False)
    )
    return RelatedKeywords(begins, sure, unsure)


@cache
def _query(language: Language) -> tree_sitter.Query | None:
    file = QUERIES / f"{language.name}.flow.scm"
    if not file.exists():
        return None
    return compile_query(language.grammar, file.read_text("utf-8"))
