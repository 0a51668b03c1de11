"""Scope rules of languages, and the class that has them and resolves the names of a language."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import FileFilter
from gitscalpel.syntax.languages import LANGUAGES, recognise
from gitscalpel.syntax.occurrences import Mention


class Scoping(msgspec.Struct, frozen=True):
    """Scope rules of a language.

    Attributes:
        only: kinds of bindings that each kind of scope contains; all kinds if it is not listed.
        never: kinds of bindings that each kind of scope does not contain.
        classes_enclose: True if functions of a class see the names of the class.
        spaces: namespaces of each kind of binding or use; all if it is not listed.
        joins: kinds of bindings that create no new name if their scope has the name already (``:=``).
        sequels: kinds of scopes whose names stay visible to the end of the scope around (``let``).
        hides: kinds of outer bindings that are not visible in each kind of scope.
        open: kinds of scopes that may have names without binding them (inherited, or imported by globs).
        overrides: True if a member overrides the base's member of its name. If False, it is another member,
            and several bases with one name have no order.
        fulfils: True if a member that a class inherits from one base implements that of another base.
        declared: True if only declared members can be used.
        hiding: kinds of members that hide a base's member of their name without overriding it.
        static: kind of members of the class itself, whose objects may have another one of that name.
        filed: kinds of names that give their file its name.
        file_follows: True if the language requires that, so the file is renamed as well.
        keyworded: node types of parameters that are passed by name; all if empty.
        reserved: reserved words that occur where names do.
        given: reserved words to which the language gives a meaning that can be asked for, with the kinds of
            occurrences that have it; all kinds if empty.
        alone: kinds of scopes whose names exist nowhere else, so no other binding has the same name.
        barred: for each kind of binding, the kinds of a function's bindings whose names its body may not bind
            again. No use sees such a second binding.
        single: kinds of bindings that a scope has once for a name. No use sees a second binding.
        apart: True if an import or export can have an alias of its own.
        linked: True if declarations in several files are joined and types distinguish members of one name.
        told: returns the signature that distinguishes bindings of one name (overloads).
        reached: kinds of scopes whose names an unresolved occurrence may mean.
        kinds: the same for words whose kind the grammar does not distinguish.
        own: built-in names, valid until a module or class binds them.
        unaliased: True if an imported name is always the name at its origin.
        implies: True if a file may bind a name without spelling it.
        protocol: members that every object has, or that the language itself calls by name.
        entries: names of program entry points, or functions that a standard library calls by name.
        overloads: kinds of names that may be several things of one name, followed together.
        overloads_apart: True if the language can distinguish these overloads by their parameters.
        unreached: kinds of names that are not ``entries`` even with such a name.
        fixed: kinds of names that cannot be changed, since they stand for text.
        commented: True if comments contain types that certainly name something.
        never_members: kinds of names in a type's scope that are not its members (type parameters).
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

    def can_contain(self, scope: str, kind: str) -> bool:
        """Return True if a scope of a kind contains bindings of a kind."""
        return kind in self.only.get(scope, (kind,)) and kind not in self.never.get(scope, ())

    def is_reserved(self, mention: Mention) -> bool:
        """Return True if an occurrence is a word of the language and not a name."""
        kinds = self.given.get(mention.name)
        has_meaning = kinds is not None and (not kinds or mention.kind in kinds)
        return mention.name in self.reserved and not has_meaning

    def meet(self, kind: str, other: str) -> bool:
        """Return True if names of two kinds may be the same name."""
        mine, its = self.spaces.get(kind), self.spaces.get(other)
        return mine is None or its is None or not mine.isdisjoint(its)


VALUE, TYPE = frozenset({"value"}), frozenset({"type"})
BOTH = VALUE | TYPE
"""Namespaces that many languages have."""


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
    """Return the scope rules of a language; None if its names are not resolved."""
    found: Scoping | None = language_class(language).rules if is_followed(language) else None
    return found


@cache
def files_with_rules_of(language: str) -> FileFilter:
    """Return the test for files of a language, and of languages with the same scope rules."""
    module, rules = _RESOLVERS[language].rpartition(".")[0], rules_of(language)

    def is_one(path: str, content: bytes) -> bool:
        found = recognise(path, content)
        is_near = found is not None and found.resolver.startswith(f"{module}.")  # loads no other language
        return is_near and found is not None and rules_of(found.name) is rules

    return is_one
