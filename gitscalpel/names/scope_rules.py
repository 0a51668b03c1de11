"""Scope rules of languages, and the class that has them and resolves the names of a language."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import Wanted
from gitscalpel.syntax.languages import LANGUAGES, recognise
from gitscalpel.syntax.occurrences import Mention


class Scoping(msgspec.Struct, frozen=True):
    """The scopes of a language.

    Attributes:
        only: for a kind of scope, the kinds of bindings that it holds; all, where nothing is said.
        never: for a kind of scope, those that it does not hold.
        classes_enclose: what stands in a class's functions sees the names of the class.
        spaces: for a kind of binding or use, the name spaces that it is in; all, where nothing is said.
        joins: kinds of bindings that are no new ones where their scope has the name already (``:=``).
        sequels: kinds of scopes whose names are seen behind them, to the end of the scope around (``let``).
        hides: for a kind of scope, the kinds of bindings around it that are not seen in it.
        open: kinds of scopes that may have names which nothing in them binds (inherited, brought by globs).
        overrides: a member is one with what a base has under its name; else it is another one, and of
            several bases that have a name none comes first.
        fulfils: what a class inherits from one base is what another one asks for under that name.
        declared: nobody uses a member that is not declared.
        hiding: kinds of members that hide what a base has under their name, and are no part of it.
        static: the kind of members that a class has itself, whose objects may have another of that name.
        filed: kinds of names after which their file is called.
        file_follows: the language asks for that, so the file is renamed as well.
        keyworded: types of the nodes of parameters that are given by name; none: all.
        reserved: words that stand where names do, and are none.
        given: those of them that the language gives a meaning to, which may be asked for, with the kinds of
            mentions that have it; none: all.
        alone: kinds of scopes outside of which nothing is called as what they hold.
        barred: for a kind of binding, those of a function whose names its body may not bind anew so: who does
            it nevertheless binds something that nothing sees.
        single: kinds of bindings of which a scope has one of a name: what binds it again, nothing sees.
        apart: what is imported or exported may be renamed there alone, with an alias.
        linked: declarations in several files are joined, and types tell apart what is called alike.
        told: for what binds a name, by what else than its name it is told apart (overloads).
        reached: kinds of scopes one of whose names a name may be of which nobody can tell.
        kinds: those as well, for words that the grammar does not part.
        own: names that the language has, which stay theirs until a module or class has bound them anew.
        unaliased: what an import brings has the name there that it has where it comes from.
        implies: a file may bind a name that it does not spell.
        protocol: members that every object has, or that the language itself calls by their names.
        entries: names at which programs begin, or that a standard library calls where somebody has them.
        overloads: kinds of names of which several of one name are different things, though they are followed
            together.
        overloads_apart: the dialect tells them apart nevertheless, by what they take.
        unreached: kinds of names that are none of ``entries``, though they are called alike.
        fixed: kinds of names that are not changed, as what they stand for is text.
        commented: comments say types, and so certainly name something there.
        never_members: kinds of names that the scope of a type holds and that are no members of the type
            (its type parameters).
    """

    only: Mapping[str, frozenset[str]] = {}
    never: Mapping[str, frozenset[str]] = {}
    classes_enclose: bool = True
    spaces: Mapping[str, frozenset[str]] = {}
    joins: frozenset[str] = frozenset()
    sequels: frozenset[str] = frozenset()
    hides: Mapping[str, frozenset[str]] = {}
    open: frozenset[str] = frozenset()
    overrides: bool = True
    fulfils: bool = True
    declared: bool = False
    apart: bool = False
    hiding: frozenset[str] = frozenset()
    static: str = ""
    filed: frozenset[str] = frozenset()
    file_follows: bool = False
    keyworded: frozenset[str] = frozenset()
    reserved: frozenset[str] = frozenset()
    given: Mapping[str, frozenset[str]] = {}
    alone: frozenset[str] = frozenset()
    barred: Mapping[str, frozenset[str]] = {}
    single: frozenset[str] = frozenset()
    linked: bool = False
    told: Callable[[Mention], str] | None = None
    reached: frozenset[str] = frozenset({"class"})
    kinds: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    unaliased: bool = False
    implies: bool = False
    protocol: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    overloads: frozenset[str] = frozenset()
    overloads_apart: bool = False
    unreached: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    commented: bool = False
    never_members: frozenset[str] = frozenset()

    def holds(self, scope: str, kind: str) -> bool:
        """Whether a scope of this kind holds what is bound so."""
        return kind in self.only.get(scope, (kind,)) and kind not in self.never.get(scope, ())

    def is_word(self, mention: Mention) -> bool:
        """Whether a mention is a word of the language, and no name."""
        kinds = self.given.get(mention.name)
        has_meaning = kinds is not None and (not kinds or mention.kind in kinds)
        return mention.name in self.reserved and not has_meaning

    def meet(self, kind: str, other: str) -> bool:
        """Whether a name of one kind may be one of the other."""
        mine, its = self.spaces.get(kind), self.spaces.get(other)
        return mine is None or its is None or not mine.isdisjoint(its)


VALUE, TYPE = frozenset({"value"}), frozenset({"type"})
BOTH = VALUE | TYPE
"""Name spaces that many languages have."""


_RESOLVERS = {each.name: each.resolver for each in LANGUAGES if each.resolver}


def is_followed(language: str) -> bool:
    """Return True if the names of a language are resolved."""
    return language in _RESOLVERS


@cache
def language_class(language: str) -> Any:
    """Return the class that resolves the names of a language."""
    module, _, name = _RESOLVERS[language].rpartition(".")
    return getattr(importlib.import_module(f"gitscalpel.names.languages.{module}"), name)


def rules_of(language: str) -> Scoping | None:
    """Return how a language's scopes hold names; None if its names are not resolved."""
    found: Scoping | None = language_class(language).rules if is_followed(language) else None
    return found


@cache
def files_with_rules_of(language: str) -> Wanted:
    """Return the test for files of a language, and of those whose scopes hold names as its scopes do."""
    module, rules = _RESOLVERS[language].rpartition(".")[0], rules_of(language)

    def is_one(path: str, content: bytes) -> bool:
        found = recognise(path, content)
        is_near = found is not None and found.resolver.startswith(f"{module}.")  # loads no other language
        return is_near and found is not None and rules_of(found.name) is rules

    return is_one
