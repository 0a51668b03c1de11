"""Macros that hand on what they are given: a word in it means what it means where they are called.

What a fragment takes is read as what it names (``expr``, ``ty``), and stays that; a local name in it is one
of the call, and an item one of the call's module, unless the macro declares one of that name around it:
https://doc.rust-lang.org/reference/macros-by-example.html#hygiene.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words
from gitscalpel.meaning.things import Binding

_NAMES = """
assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne dbg eprint eprintln format
format_args matches panic print println todo unimplemented unreachable vec write writeln anyhow bail ensure
debug error info log trace warn
"""
_KNOWN = frozenset(_NAMES.split())
"""Macros of Rust's library and of crates that nearly all use, which hand on all that they are given."""
_HANDED_ON = frozenset({"expr", "ty", "path", "block", "literal"})
_ITEMS = frozenset({"fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"})
_MODULES = frozenset({"mod", "use"})
_PARTING = frozenset({",", ";"})
_FLAT = _PARTING | {"token_binding_pattern", "token_repetition_pattern"}
_BEGINS = frozenset({"(", "[", "{", ",", "=", "=>", "move"})


def hand_on(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Whether all macro calls around a word hand on what it is a part of."""
    calls = list(_around(node))
    return bool(calls) and all(_hands_on(resolver, path, *call, node) for call in calls)


def _around(node: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """The names of the macros that are called around a node, and what they are given."""
    tree = words.around(node, "token_tree")
    while tree is not None:
        above, sign = tree.parent, tree.prev_sibling
        if above is not None and above.type == "macro_invocation":
            named = above.child_by_field_name("macro")
            yield from () if named is None else ((named.child_by_field_name("name") or named, tree),)
            return
        named = sign.prev_sibling if sign is not None and sign.type == "!" else None
        if named is not None and named.type == "identifier":
            yield named, tree
        tree = above if above is not None and above.type == "token_tree" else None


def _hands_on(
    resolver: Resolver, path: str, named: tree_sitter.Node, tree: tree_sitter.Node, node: tree_sitter.Node
) -> bool:
    mention = words.mention(resolver, path, named)
    means = resolver.meanings(path, mention)
    macros = [each for each in means if isinstance(each, Binding)]
    if not macros:
        return mention.name in _KNOWN
    if len(means) > 1:
        return False
    parts = _parts(tree)
    at = next((n for n, part in enumerate(parts) if part[0] <= node.start_byte < part[1]), None)
    word = words.text(resolver, path, node)
    rules = [
        (place.path, rule)
        for place in resolver.binders(macros[0])
        for rule in (place.mention.node.parent.named_children if place.mention.node.parent else ())
        if rule.type == "macro_rule"
    ]
    kinds = [_kinds_at(resolver, where, rule, at, len(parts)) for where, rule in rules]
    fitting = [each for each in zip(rules, kinds, strict=True) if each[1] is not None]
    return bool(fitting) and all(
        kind is not None and kind <= _HANDED_ON and not _declares(resolver, *rule, word)
        for rule, kind in fitting
    )


def _kinds_at(
    resolver: Resolver, path: str, rule: tree_sitter.Node, at: int | None, count: int
) -> set[str] | None:
    """The kinds of the fragment of a rule that takes one of so many parts; None: it takes not so many."""
    left = rule.child_by_field_name("left")
    if left is None or at is None or any(each.type not in _FLAT for each in left.children[1:-1]):
        return {""}
    kinds, further = list[str](), list[str]()
    for each in left.named_children:
        if each.type == "token_binding_pattern" and not further:
            kinds += _kinds(resolver, path, each)
        else:
            further += _kinds(resolver, path, each)
    if count < len(kinds) or (count > len(kinds) and not further):
        return None
    return {kinds[at]} if at < len(kinds) else {*further}


def _kinds(resolver: Resolver, path: str, pattern: tree_sitter.Node) -> list[str]:
    """What the fragments of a part of a macro's pattern are."""
    if pattern.type == "token_binding_pattern":
        return [words.text(resolver, path, pattern.child_by_field_name("type"))]
    return [kind for each in pattern.named_children for kind in _kinds(resolver, path, each)]


def _declares(resolver: Resolver, path: str, rule: tree_sitter.Node, word: str) -> bool:
    """Whether what a rule makes has an item of a name, or another module."""
    tree = rule.child_by_field_name("right") or rule
    for each in tree.children:
        after = each.next_sibling
        if each.type in _MODULES or (each.type == "token_tree" and _declares(resolver, path, each, word)):
            return True
        if each.type in _ITEMS and after is not None and words.text(resolver, path, after) == word:
            return True
    return False


def _parts(tree: tree_sitter.Node) -> list[tuple[int, int]]:
    """What stands between the commas of what a macro is given: its bytes."""
    found, start, until, before = list[tuple[int, int]](), tree.children[0].end_byte, "", "("
    for each in tree.children[1:-1]:
        sign = each.type
        if until:
            until = "" if sign == until else until
        elif sign == "|" and before in _BEGINS:
            until = "|"
        elif sign == "<" and before == "::":
            until = ">"
        elif sign in _PARTING:
            found.append((start, each.start_byte))
            start = each.end_byte
        before = sign
    end = tree.children[-1].start_byte
    return [*found, (start, end)] if tree.children[-2].end_byte > start else found
