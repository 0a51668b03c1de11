"""Base class of a language's name resolution, with default answers to the resolver's questions.

A subclass in ``names/languages`` overrides the methods that its language answers differently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import msgspec
import tree_sitter

from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Meaning, Module, Value
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice


class Place(NamedTuple):
    """An occurrence in its file."""

    path: str
    mention: Mention


class PassedValue(NamedTuple):
    """A value that is passed as an argument or assigned, with its file and first byte."""

    value: Value
    path: str
    start: int


class _FileNames(Protocol):
    """The part of a file's names that default answers need."""

    @property
    def rules(self) -> Scoping: ...

    def holder(self, mention: Mention) -> Scope: ...


class _Names(Protocol):
    """The part of the resolver that default answers need."""

    def lexical(self, path: str) -> _FileNames: ...

    def binders(self, binding: Binding) -> tuple[Place, ...]: ...


R = TypeVar("R", bound=_Names)
"""Type of the resolver. The resolver and its languages call each other."""


class Language(Generic[R]):
    """Imports, values and members of a language."""

    rules: ClassVar[Scoping]  # scope rules of the language
    importer: ClassVar[str] = ""  # package in ``refactor`` that rewrites its imports; empty if there is none

    def free(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a name that no scope of its file binds."""
        raise NotImplementedError

    def values(self, resolver: R, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """Return the values that an expression or type may have."""
        raise NotImplementedError

    def values_at_binding(self, resolver: R, path: str, mention: Mention) -> Iterable[Value]:
        """Return the values that a name has where a mention binds it."""
        raise NotImplementedError

    def find_in_open_scope(self, resolver: R, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a name in an open scope (``Scoping.open``) that does not bind it."""
        return ()

    def add_unnamed_imports(
        self, resolver: R, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        """Return the meanings of a name that a scope binds (``own``), with those that unnamed imports add."""
        return own

    def find_added_members(self, resolver: R, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Return the members that extensions add to a value, beyond those of its class and bases."""
        return ()

    def resolve_imported(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the target of an imported name; empty if the name is not defined in a file."""
        return ()

    def resolve_origin(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the origin of a name that an import binds; empty if the import gives it another name."""
        return ()

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Return the expression before the dot of a member access."""
        return None

    def is_set(self, mention: Mention) -> bool:
        """Return True if a mention defines or assigns a member."""
        return False

    def files_defining(self, resolver: R, binding: Binding) -> Iterable[str]:
        """Return the files that may define a member outside of the body of its class."""
        return ()

    def replace_name(self, resolver: R, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the edit that replaces the name at a mention; ``Form`` says how it is written."""
        return mention.make_splice(new)

    def find_implied(self, resolver: R, path: str, word: str) -> Iterable[Mention]:
        """Return the mentions of a name that a file binds without spelling it."""
        return ()

    def can_see(self, resolver: R, path: str, binding: Binding) -> bool:
        """Return True if a file may use a member by its name."""
        return True

    def find_other_builds(self, resolver: R, path: str, mention: Mention) -> Iterable[tuple[Binding, str]]:
        """Return the other meanings of a mention in other builds, each with its build."""
        return ()

    def holder(self, resolver: R, path: str, mention: Mention) -> object:
        """Return the type whose member is meant if several types inherit the member from one base."""
        return None

    def find_conventional_names(self, resolver: R, path: str, mention: Mention) -> Iterable[Place]:
        """Return the bindings of other names that are the same as this name by convention."""
        return ()

    def documented_bindings(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the declaration below a comment that starts with the declaration's name."""
        return ()

    def lookup_reason(self, resolver: R, place: Place) -> str:
        """Return why programs look up a binding by its name; empty if they do not."""
        rules = resolver.lexical(place.path).rules
        is_entry = place.mention.name in rules.entries and place.mention.kind not in rules.unreached
        return "what runs programs knows it by this name" if is_entry else ""

    def new_name_effect(self, resolver: R, place: Place, to: str) -> str:
        """Return how the language or a program runner treats a definition named ``to``, if specially."""
        lexical, mention = resolver.lexical(place.path), place.mention
        after = Place(place.path, msgspec.structs.replace(mention, name=to))
        is_reached = mention.kind not in lexical.rules.unreached
        if is_reached and to in lexical.rules.entries and self.lookup_reason(resolver, after):
            return "what runs programs calls what has that name"
        is_member = mention.role == "member" or lexical.holder(mention).kind == "class"
        is_called = is_member and self.overrides(resolver, after) and not self.overrides(resolver, place)
        return "the language calls what has that name" if is_called else ""

    def iter_longer_words(self, resolver: R, binding: Binding) -> Iterable[tuple[str, str]]:
        """Yield longer words that contain a name, each after a text that their files contain."""
        return ()

    def strip_sigils(self, mention: Mention, wished: str) -> str:
        """Return the wished name without leading sigils, as an occurrence spells it."""
        return wished

    def address_doubt(self, resolver: R, path: str, mention: Mention) -> str:
        """Return why an addressed place may not mean the binding that it resolves to; empty if it does."""
        return ""

    def is_request(self, resolver: R, path: str, mention: Mention) -> bool:
        """Return True if a binding also requests a value by its name, such as a pytest fixture."""
        return False

    def external_value_reason(self, resolver: R, place: Place) -> str:
        """Return why code outside the tree assigns a value by this name; empty if it does not."""
        return ""

    def printed_name_reason(self, resolver: R, place: Place) -> str:
        """Return why a renamed use would change the program's output; empty if it would not."""
        return ""

    def name_error(self, resolver: R, places: Iterable[Place], to: str) -> str:
        """Return why the name at these places may not change to ``to``; empty if it may."""
        reserved = {word for each in places for word in resolver.lexical(each.path).rules.reserved}
        return f"{to} is a keyword, not a name" if to in reserved else ""

    def find_redeclarations(self, resolver: R, binding: Binding) -> Iterable[Binding]:
        """Return the other bindings that declare the same name."""
        return ()

    def is_open(self, resolver: R, binding: Binding) -> bool:
        """Return True if code outside the tree, apart from base classes, may declare the same name."""
        return False

    def may_be_member_value(self, resolver: R, binding: Binding) -> bool:
        """Return True if an unknown value may have a module's name as a member."""
        return True

    def overrides(self, resolver: R, place: Place) -> bool:
        """Return True if a definition's syntax or the language shows that a base has the member."""
        return place.mention.name in resolver.lexical(place.path).rules.protocol

    def key(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a word as a key, where the word is both key and name (``{ x }``)."""
        return ()

    def resolve_in_string(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the certain meanings of a word in a string or comment; empty if it is plain text."""
        return ()

    def keyword(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the parameters that a keyword may name."""
        return ()

    def bases(self, resolver: R, of: Class) -> Iterable[Value]:
        return ()

    def find_other_names(self, resolver: R, path: str, name: str) -> Iterable[str]:
        """Return names that other files may use for ``name``, if they need not contain it."""
        return ()

    def find_adopted_members(self, resolver: R, of: Class, name: str) -> Iterable[Meaning]:
        """Return the members that a class adopts under a name, for example from mixins."""
        return ()

    def find_import_declarations(
        self, resolver: R, path: str, name: str
    ) -> Iterable[tuple[str, tree_sitter.Node]]:
        """Return the declarations that import a name into a file, each with its file."""
        return ()

    def find_hidden_uses(
        self, resolver: R, members: Collection[Binding], name: str
    ) -> Iterable[tuple[Place, str]]:
        """Return places where a member hides the name although no scope binds it, each with its meaning."""
        return ()

    def is_class_passed(self, node: tree_sitter.Node) -> bool:
        """Return True if a class is passed as a value here, so that the receiver may inherit from it."""
        return False

    def has_unordered_bases(self, of: Class) -> bool:
        """Return True if the bases of a class have no lookup order, so a member may be of any of them."""
        return False

    def function_as_class(self, function: Function) -> Class | None:
        """Return a function as the class of its members; None if functions have no members."""
        return None

    def is_private(self, resolver: R, binding: Binding) -> bool:
        """Return True if other files cannot use a name of the file's top level."""
        return False

    def find_undeclared_members(self, resolver: R, value: Value, name: str) -> Iterable[Meaning]:
        """Return the members that a function or object may have without a declaration."""
        return (Elsewhere("a function"),) if isinstance(value, Function) else ()

    def method(self, resolver: R, binding: Binding) -> Binding | None:
        """Return the method of a parameter that callers may pass by name."""
        return None

    def is_structural(self, resolver: R, member: Binding) -> bool:
        """Return True if a type implements a member's class merely by having all its members."""
        return False

    def fits_structurally(self, resolver: R, source: Class, target: Class) -> bool:
        """Return True if an object of a class fits where another class is expected, without a declaration."""
        return False

    def find_passed_values(self, resolver: R, expected: Class) -> Iterable[PassedValue]:
        """Return the values passed where a class is expected; Unknown if there may be more."""
        return ()

    def parts(self, resolver: R, of: Class) -> Iterable[Class]:
        """Return the other declarations of a class that is declared in several parts."""
        return ()

    def may_override(self, resolver: R, one: Place, other: Place, *, exactly: bool) -> bool:
        """Return True if a method may override another one of its name by its parameters.

        With ``exactly``, both are in one class, so types that may be equal count as different.
        """
        return True

    def choose_overloads(self, resolver: R, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
        """Return the methods of one name that a use may mean; empty if no method fits."""
        return methods

    def module_member(self, resolver: R, module: Module, name: str) -> Iterable[Meaning]:
        return ()

    # Questions about languages whose declarations are linked (``Scoping.linked``) only.

    def resolve_use(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a used name in all files that continue its scopes."""
        return self.free(resolver, path, mention)

    def settle_meanings(
        self, resolver: R, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return the meanings that an occurrence can have, out of several, with any doubt."""
        return dict.fromkeys(found)

    def find_related(self, resolver: R, binding: Binding) -> Iterable[Binding]:
        """Return the bindings that may be the same as a binding."""
        return ()

    def is_override_of(self, resolver: R, binding: Binding, member: Binding) -> bool:
        """Return True if a member overrides the base's member of its name."""
        rules = resolver.lexical(binding.path).rules
        mine, its = ({p.mention.kind for p in resolver.binders(each)} for each in (binding, member))
        return any(rules.meet(one, other) for one in mine - rules.hiding for other in its - rules.hiding)
