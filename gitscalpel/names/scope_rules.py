"""Scope rules of languages, and the lookup of a language's class by its name."""

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
    """Scope rules of a language. Kinds are those of scopes, or of bindings and uses."""

    only: Mapping[str, frozenset[str]] = {}  # kinds of bindings in each kind of scope; all if not listed
    never: Mapping[str, frozenset[str]] = {}  # kinds of bindings that are in no such scope
    classes_enclose: bool = True  # True if functions of a class see the names of the class
    spaces: Mapping[str, frozenset[str]] = {}  # namespaces of each kind of binding or use; all if not listed
    joins: frozenset[str] = frozenset()  # kinds of bindings that may assign an existing name (``:=``)
    sequels: frozenset[str] = frozenset()  # kinds of scopes whose names stay visible after them (``let``)
    hides: Mapping[str, frozenset[str]] = {}  # kinds of outer bindings invisible in each kind of scope
    open: frozenset[str] = frozenset()  # kinds of scopes with names that they do not bind (inherited, globs)
    overrides: bool = True  # False if a member never overrides a base's; then bases have no order
    fulfils: bool = True  # True if a member inherited from one base implements another base's
    declared: bool = False  # True if only declared members can be used
    apart: bool = False  # True if an import or export can have an alias of its own
    hiding: frozenset[str] = frozenset()  # kinds of members that hide a base's without overriding it
    static: str = ""  # kind of members of the class itself, apart from its objects'
    filed: frozenset[str] = frozenset()  # kinds of names that give their file its name
    file_follows: bool = False  # True if the language requires that, so the file is renamed as well
    keyworded: frozenset[str] = frozenset()  # node types of parameters passed by name; all if empty
    reserved: frozenset[str] = frozenset()  # reserved words that occur where names do
    given: Mapping[str, frozenset[str]] = {}  # reserved words with a meaning, for these kinds of uses or all
    alone: frozenset[str] = frozenset()  # kinds of scopes whose names exist nowhere else
    # By kind of binding: kinds of a function's bindings whose names its body may not bind again.
    barred: Mapping[str, frozenset[str]] = {}
    single: frozenset[str] = frozenset()  # kinds of bindings that a scope has once for a name
    linked: bool = False  # True if files share declarations and types tell members apart
    signature_of: Callable[[Mention], str] | None = None  # returns the signature that distinguishes overloads
    reached: frozenset[str] = frozenset({"class"})  # kinds of scopes of an unresolved name
    kinds: frozenset[str] = frozenset()  # the same for words whose kind the grammar does not distinguish
    own: frozenset[str] = frozenset()  # built-in names, valid until a module or class binds them
    unaliased: bool = False  # True if an imported name is always the name at its origin
    implies: bool = False  # True if a file may bind a name without spelling it
    protocol: frozenset[str] = frozenset()  # members of every object, or called by the language by name
    entries: frozenset[str] = frozenset()  # names of entry points, or called by a standard library by name
    overloads: frozenset[str] = frozenset()  # kinds of names that may be several things, followed together
    overloads_apart: bool = False  # True if parameters distinguish these overloads
    unreached: frozenset[str] = frozenset()  # kinds of names that are never ``entries``
    fixed: frozenset[str] = frozenset()  # kinds of names that cannot change, since they stand for text
    commented: bool = False  # True if comments contain types that certainly name something
    never_members: frozenset[str] = frozenset()  # kinds of names in a type that are not its members

    def can_contain(self, scope: str, kind: str) -> bool:
        return kind in self.only.get(scope, (kind,)) and kind not in self.never.get(scope, ())

    def is_reserved(self, mention: Mention) -> bool:
        """Return True if an occurrence is a keyword and not a name."""
        kinds = self.given.get(mention.name)
        has_meaning = kinds is not None and (not kinds or mention.kind in kinds)
        return mention.name in self.reserved and not has_meaning

    def meet(self, kind: str, other: str) -> bool:
        """Return True if names of two kinds may be the same name."""
        own_spaces, other_spaces = self.spaces.get(kind), self.spaces.get(other)
        return own_spaces is None or other_spaces is None or not own_spaces.isdisjoint(other_spaces)


VALUE, TYPE = frozenset({"value"}), frozenset({"type"})
BOTH = VALUE | TYPE
"""Namespaces that many languages have."""


_RESOLVERS = {each.name: each.resolver for each in LANGUAGES if each.resolver}


def is_followed(language: str) -> bool:
    return language in _RESOLVERS


@cache
def language_class(language: str) -> Any:
    module, _, name = _RESOLVERS[language].rpartition(".")
    return getattr(importlib.import_module(f"gitscalpel.names.languages.{module}"), name)


def rules_of(language: str) -> Scoping | None:
    """Return the scope rules of a language; None if its names are not resolved."""
    rules: Scoping | None = language_class(language).rules if is_followed(language) else None
    return rules


@cache
def files_with_rules_of(language: str) -> FileFilter:
    """Return a filter for the files of a language, and of languages with the same scope rules."""
    module, rules = _RESOLVERS[language].rpartition(".")[0], rules_of(language)

    def is_one(path: str, content: bytes) -> bool:
        language = recognise(path, content)
        is_near = language is not None and language.resolver.startswith(
            f"{module}."
        )  # loads no other language
        return is_near and language is not None and rules_of(language.name) is rules

    return is_one
