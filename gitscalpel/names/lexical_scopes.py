"""Scopes of one file: find the scope that binds a name, from the text alone.

A name that is read before its scope binds it is the name of the scope around: ``str = str``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import tree_sitter

from gitscalpel.names import scope_rules
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.occurrences import Mention, Mentions, Scope
from gitscalpel.syntax.parse import Syntax

_LOOPS = ("for_statement", "while_statement")
_BIND_LAST = ("assignment", "named_expression", "class_definition", "function_definition")
"""Statements that bind their name after the rest of them is evaluated."""
_BRANCHES = {
    "if_statement": ("elif_clause", "else_clause"),
    "match_statement": ("case_clause",),
    "try_statement": ("except_clause", "except_group_clause"),
}
"""Branches that run if another branch does not run or does not finish."""


def is_read_before_binding(use: Mention, bound: Iterable[Mention]) -> bool:
    """Return True if a scope's code reads a name before any binding of the scope has run.

    Modules and classes run from top to bottom. Type annotations may be read later.
    """
    ancestors = {each.id: each for each in _ancestors(use.node)}
    if any(each.type == "type" for each in ancestors.values()):
        return False
    return not any(_may_precede(each.node, use.node, ancestors) for each in bound)


def _may_precede(
    binding: tree_sitter.Node, use: tree_sitter.Node, ancestors: dict[int, tree_sitter.Node]
) -> bool:
    inner, common = binding, binding.parent
    while common is not None and common.id not in ancestors:
        inner, common = common, common.parent
    if common is None:
        return True
    part = next(each for each in (use, *ancestors.values()) if each.parent and each.parent.id == common.id)
    is_header = common.type == "for_statement" and common.child_by_field_name("right") == part
    if any(each.type in _LOOPS for each in (*(() if is_header else (common,)), *_ancestors(common))):
        return True
    if is_header or common.type in _BIND_LAST:
        return False
    if part.type in _BRANCHES.get(common.type, ()) and inner.type in ("block", *_BRANCHES[common.type]):
        return False
    return inner.start_byte < part.start_byte


def _ancestors(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


_BINDS = ("bind", "early")


class Lexical:
    """The names of one text, looked up word by word."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.text = syntax.text
        self.mentions = Mentions(syntax)
        rules = scope_rules.rules_of(syntax.language.name)
        assert rules is not None, syntax.language.name  # noqa: S101 - see `knows`
        self.rules = rules
        self._bound: dict[str, dict[int, list[Mention]]] = {}
        self._declares: dict[str, dict[int, Mention]] = {}
        self._sequels: dict[str, dict[int, list[Scope]]] = {}
        self._spanned: dict[str, dict[tuple[int, int], list[tuple[Mention, Scope]]]] = {}
        self._kinds: dict[str, dict[int, dict[str, None]]] = {}
        self._numbers: dict[tuple[str, int], dict[tuple[str, int], int]] = {}
        self._grouped: dict[tuple[str, int], list[set[str]]] = {}
        self._spaces: dict[tuple[str, int, str], tuple[str, ...]] = {}

    @staticmethod
    def knows(language: Language) -> bool:
        return scope_rules.is_followed(language.name)

    def occurrences_of(self, word: str) -> tuple[Mention, ...]:
        return self.mentions.find(word)

    def bindings_by_scope(self, word: str) -> dict[int, list[Mention]]:
        """Return the bindings of a word by the node id of their scope."""
        by_scope = self._bound.get(word)
        if by_scope is None:
            by_scope = defaultdict(list)
            for mention in self.mentions.possible_bindings(word):
                if mention.role in _BINDS:
                    by_scope[self.holder(mention).node.id].append(mention)
            self._bound[word] = by_scope = dict(by_scope)
        return by_scope

    def top_bindings(self, word: str) -> list[Mention]:
        return self.bindings_by_scope(word).get(self.syntax.root.id, [])

    def binding_in(self, word: str, span: tuple[int, int]) -> list[tuple[Mention, Scope]]:
        """Return the bindings of a word in the scope with a byte span; cached, as there may be thousands."""
        by_span = self._spanned.get(word)
        if by_span is None:
            by_span = defaultdict(list)
            for mentions in self.bindings_by_scope(word).values():
                for mention in mentions:
                    scope = self.holder(mention)
                    by_span[scope.span].append((mention, scope))
            self._spanned[word] = by_span = dict(by_span)
        return by_span.get(span, [])

    def spaces(self, mention: Mention, scope: Scope) -> tuple[str, ...]:
        """Return the namespaces that an occurrence may belong to in a scope; usually just one."""
        if mention.role in _BINDS and mention.kind in self.rules.single:
            number = self._number(mention, scope)
            if number > 1:
                return (f"{mention.kind}#{number}",)
        if self.rules.signature_of is not None:
            return self._spaces_by_signature(mention, scope, self.rules.signature_of)
        groups = self._group_kinds(mention.name, scope)
        if len(groups) < 2 and groups != [{self.rules.static}]:
            return ("",)
        meet = self.rules.meet
        return tuple(
            sorted(min(group) for group in groups if any(meet(kind, mention.kind) for kind in group))
        )

    def _number(self, mention: Mention, scope: Scope) -> int:
        """Return the 1-based number of a binding among those of its kind and name in a scope."""
        key = mention.name, scope.node.id
        numbers = self._numbers.get(key)
        if numbers is None:
            counts: dict[str, int] = defaultdict(int)
            numbers = self._numbers[key] = {}
            for each in self.bindings_by_scope(mention.name)[scope.node.id]:
                counts[each.kind] += 1
                numbers.setdefault((each.kind, each.start), counts[each.kind])
        return numbers[mention.kind, mention.start]

    def _spaces_by_signature(
        self, mention: Mention, scope: Scope, signature_of: Callable[[Mention], str]
    ) -> tuple[str, ...]:
        """Return the signatures of a binding, or those that a use may mean, as namespaces."""
        if mention.role in _BINDS:
            return (signature_of(mention),)
        key = mention.name, scope.node.id, mention.kind
        if key not in self._spaces:
            bound = self.bindings_by_scope(mention.name).get(scope.node.id, ())
            spaces = {signature_of(each): None for each in bound if self.rules.meet(each.kind, mention.kind)}
            self._spaces[key] = tuple(spaces) or ("",)
        return self._spaces[key]

    def _group_kinds(self, word: str, scope: Scope) -> list[set[str]]:
        """Return the kinds of a word's bindings in a scope, grouped by shared meaning."""
        known = self._grouped.get((word, scope.node.id))
        if known is not None:
            return known
        groups: list[set[str]] = []
        for kind in self._kinds_in(word, scope.node.id):
            joined = [group for group in groups if any(self.rules.meet(kind, other) for other in group)]
            groups = [group for group in groups if group not in joined] + [{kind}.union(*joined)]
        self._grouped[word, scope.node.id] = groups
        return groups

    def _kinds_in(self, word: str, scope: int) -> dict[str, None]:
        kinds = self._kinds.get(word)
        if kinds is None:
            kinds = {
                at: dict.fromkeys(each.kind for each in bound)
                for at, bound in self.bindings_by_scope(word).items()
            }
            self._kinds[word] = kinds
        return kinds.get(scope, {})

    def holder(self, mention: Mention) -> Scope:
        scope = self._find_holder(mention)
        return self._joined_scope(mention, scope) if mention.kind in self.rules.joins else scope

    def region(self, mention: Mention) -> tuple[int, int]:
        """Return the byte span around a binding in which no other binding has its name.

        The body of a condition or function is one region with the condition or the parameters.
        """
        holder = self.holder(mention)
        around = mention.scopes[_count_inner_scopes(mention, holder) :]
        at = 1 if holder.kind in self.rules.sequels and len(around) > 1 else 0
        if at and holder.kind == "signature" and around[1].kind != "function":
            at = 0
        while at + 1 < len(around) and around[at].kind == "block" and _continues(around[at], around[at + 1]):
            at += 1
        return around[at].span

    def _joined_scope(self, mention: Mention, found: Scope) -> Scope:
        """Return the scope around that has bound the name already, or ``found``."""
        around = mention.scopes[_count_inner_scopes(mention, found) + 1]
        for each in self.mentions.possible_bindings(mention.name):
            if each.start >= mention.start:
                break
            if each.role in _BINDS and self.rules.meet(each.kind, mention.kind):
                holder = self._find_holder(each)
                at = _count_inner_scopes(each, holder)
                if holder.node.id == around.node.id:
                    return holder
                if holder.kind in self.rules.sequels and each.scopes[at + 1].node.id == around.node.id:
                    return self.holder(each)
        return found

    def _find_holder(self, mention: Mention) -> Scope:
        for at, scope in enumerate(mention.scopes):
            if self.rules.can_contain(scope.kind, mention.kind):
                return self._declared_scope(mention.name, scope, mention.scopes[at + 1 :]) or scope
        return mention.scopes[-1]

    def scope_of(self, mention: Mention) -> Scope | None:
        """Return the scope whose name an occurrence uses or binds; None if no scope of this file binds it."""
        if mention.role in _BINDS:
            return self.holder(mention)
        if mention.role == "global":
            return mention.scopes[-1]
        bound = self.bindings_by_scope(mention.name)
        for scope in mention.early:
            if any(each.role == "early" for each in bound.get(scope.node.id, ())):
                return scope
        scopes = mention.scopes[1:] if mention.role == "nonlocal" else mention.scopes
        return next(self._visible_scopes(mention, scopes), None)

    def _visible_scopes(self, mention: Mention, scopes: tuple[Scope, ...]) -> Iterator[Scope]:
        late: list[Scope] = []
        hidden: frozenset[str] = frozenset()
        bound = self.bindings_by_scope(mention.name)
        for at, scope in enumerate(scopes):
            if scope.kind == "class" and at > 0 and not self.rules.classes_enclose:
                continue
            if self._is_read_before_bound(mention, scope, scopes[:at]):
                continue
            yield from self._ended_scopes(mention, scope, hidden)
            declared = self._declared_scope(mention.name, scope, scopes[at + 1 :])
            if declared is not None:
                yield declared
            elif self._binds(
                scope, mention, hidden | self._barred_kinds(mention.name, scope, scopes[at + 1 :])
            ):
                if (
                    scope.kind != "class"
                    or self.rules.classes_enclose
                    or self._is_bound_before(bound, scope, mention)
                ):
                    yield scope
                else:
                    late.append(scope)
            hidden |= self.rules.hides.get(scope.kind, frozenset())
        yield from late

    def _is_read_before_bound(self, mention: Mention, scope: Scope, inside: tuple[Scope, ...]) -> bool:
        """Return True if the name is built in and the scope has not bound it yet where it is read."""
        if mention.name not in self.rules.own or scope.kind not in ("module", "class"):
            return False
        is_run = all(each.kind in ("class", "comprehension") for each in inside)
        return is_run and is_read_before_binding(
            mention, self.bindings_by_scope(mention.name).get(scope.node.id, ())
        )

    def _binds(self, scope: Scope, mention: Mention, hidden: frozenset[str]) -> bool:
        return any(
            kind not in hidden and self.rules.meet(kind, mention.kind)
            for kind in self._kinds_in(mention.name, scope.node.id)
        )

    def _barred_kinds(self, word: str, scope: Scope, around: tuple[Scope, ...]) -> frozenset[str]:
        """Return the kinds of bindings that are not valid here because the function around has the name."""
        above = scope.node.parent
        if not self.rules.barred or not around or above is None or above.id != around[0].node.id:
            return frozenset()
        kinds = self._kinds_in(word, above.id) if around[0].kind == "function" else ()
        return frozenset(kind for kind, by in self.rules.barred.items() if not by.isdisjoint(kinds))

    def _ended_scopes(self, mention: Mention, scope: Scope, hidden: frozenset[str]) -> Iterator[Scope]:
        """Yield the scopes that ended before an occurrence and whose names stay visible, last first."""
        for each in reversed(self._sequel_scopes(mention.name).get(scope.node.id, ())):
            if each.node.end_byte <= mention.start and self._binds(each, mention, hidden):
                yield each

    def _sequel_scopes(self, word: str) -> dict[int, list[Scope]]:
        """Return the scopes whose binding of a word stays visible after them, by the outer node's id."""
        by_scope = self._sequels.get(word)
        if by_scope is None:
            by_scope = defaultdict(list)
            bound = self.bindings_by_scope(word) if self.rules.sequels else {}
            for mention in (mentions[0] for mentions in bound.values()):
                holder = self.holder(mention)
                at = _count_inner_scopes(mention, holder)
                if holder.kind in self.rules.sequels:
                    by_scope[mention.scopes[at + 1].node.id].append(holder)
            self._sequels[word] = by_scope = dict(by_scope)
        return by_scope

    def open_scopes(self, mention: Mention, until: Scope | None) -> Iterator[Scope]:
        """Yield the scopes inside ``until`` that may have the name without binding it, innermost first."""
        for scope in mention.scopes:
            if until is not None and contains(scope, until):
                return
            if scope.kind in self.rules.open:
                yield scope
            if mention.kind in self.rules.hides.get(scope.kind, ()):
                return

    def _is_bound_before(self, bound: dict[int, list[Mention]], scope: Scope, mention: Mention) -> bool:
        return any(self._statement_end(each, scope) <= mention.start for each in bound[scope.node.id])

    def _statement_end(self, mention: Mention, scope: Scope) -> int:
        node = mention.node
        while node.parent is not None and node.parent.parent is not None:
            if node.parent.parent.id == scope.node.id:
                return node.end_byte
            node = node.parent
        return node.end_byte

    def _declared_scope(self, word: str, scope: Scope, around: tuple[Scope, ...]) -> Scope | None:
        """Return the scope that ``global`` or ``nonlocal`` in ``scope`` makes the word's own."""
        mention = self._scope_declarations(word).get(scope.node.id)
        if mention is None:
            return None
        if mention.role == "global":
            return mention.scopes[-1]
        bound = self.bound_outside(word, scope)
        return next((s for s in around if s.kind == "function" and s.node.id in bound), None)

    def _scope_declarations(self, word: str) -> dict[int, Mention]:
        declarations = self._declares.get(word)
        if declarations is None:
            names = self.mentions.possible_bindings(word)
            declaring = (each for each in names if each.role in ("global", "nonlocal"))
            declarations = self._declares[word] = {each.scopes[0].node.id: each for each in declaring}
        return declarations

    def bound_outside(self, word: str, scope: Scope) -> set[int]:
        scope_ids = set()
        for mention in self.mentions.possible_bindings(word):
            if mention.role in _BINDS and mention.scopes[0].node.id != scope.node.id:
                holder = next(s for s in mention.scopes if self.rules.can_contain(s.kind, mention.kind))
                scope_ids.add(holder.node.id)
        return scope_ids


def _count_inner_scopes(mention: Mention, scope: Scope) -> int:
    return next(at for at, each in enumerate(mention.scopes) if each.node.id == scope.node.id)


def _continues(inner: Scope, outer: Scope) -> bool:
    """Return True if a scope is the body of another one, or its ``else``."""
    above = inner.node.parent
    while above is not None and above.id != outer.node.id and above.type in ("else_clause",):
        above = above.parent
    return above is not None and above.id == outer.node.id and outer.node.type != inner.node.type


def contains(outer: Scope, inner: Scope) -> bool:
    return outer.span[0] <= inner.span[0] and inner.span[1] <= outer.span[1]
