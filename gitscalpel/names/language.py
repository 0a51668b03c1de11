"""Protocols of a language's name resolution: the questions that the resolver asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import tree_sitter

from gitscalpel.names.entities import Binding, Class, Function, Meaning, Module, Value
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

For_contra = TypeVar("For_contra", contravariant=True)
"""Who follows names, and is asked in turn."""


class Place(NamedTuple):
    """A mention in its file."""

    path: str
    mention: Mention


class PassedValue(NamedTuple):
    """What is handed somewhere: what it is worth, the file, and the first byte of where it stands there."""

    value: Value
    path: str
    start: int


class Dialect(Protocol[For_contra]):
    """What a language says of imports, values and members."""

    def free(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name means that no scope of its file binds."""

    def opened(self, resolver: For_contra, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """What a name means in a scope that may have it without binding it; nothing where it has not."""

    def filled(
        self, resolver: For_contra, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        """What a name means that a scope binds, which others may fill without naming names."""

    def extended(self, resolver: For_contra, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """What a value has under a member's name by what is defined neither in its class nor in a base."""

    def imported(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import of a name leads to; nothing where it leads to no name of a file."""

    def values(self, resolver: For_contra, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """What an expression may be worth."""

    def bound(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Value]:
        """What a name is worth where a mention binds it."""

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """The expression of which a mention is a member."""

    def is_set(self, mention: Mention) -> bool:
        """Whether a member is defined, or given a value, here."""

    def definers(self, resolver: For_contra, binding: Binding) -> Iterable[str]:
        """The files that may define a member outside of its class's body."""

    def brings(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a name that an import binds is where it comes from; nothing where the import names it anew."""

    def respelled(self, resolver: For_contra, path: str, mention: Mention, form: str, new: str) -> Splice:
        """How another name is put into the place of a mention; see ``Form``."""

    def implied(self, resolver: For_contra, path: str, word: str) -> Iterable[Mention]:
        """Where a file binds a name without spelling it; a mention stands at the node that does it."""

    def sees(self, resolver: For_contra, path: str, binding: Binding) -> bool:
        """Whether a file may use a member by its name."""

    def besides(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[tuple[Binding, str]]:
        """What it is in other builds than those in which it is what it means, and in which."""

    def holder(self, resolver: For_contra, path: str, mention: Mention) -> object:
        """The type whose member is meant, where several have what one of their bases defines."""

    def customary(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Place]:
        """Where other names are bound that custom asks to be called like the one that a mention binds."""

    def begun(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a word in a comment names because custom has the comment begin with it."""

    def known(self, resolver: For_contra, place: Place) -> str:
        """Why tools know what a mention binds by its name; nothing where they do not."""

    def becomes(self, resolver: For_contra, place: Place, to: str) -> str:
        """Return what has a meaning for the language in a new name of a definition; empty if nothing has."""

    def spelt(self, resolver: For_contra, binding: Binding) -> Iterable[tuple[str, str]]:
        """Longer words that say a name as well; before each a part by which its files are looked for."""

    def bare(self, mention: Mention, wished: str) -> str:
        """The name in what is wished for a mention, without signs before it."""

    def addressed(self, resolver: For_contra, path: str, mention: Mention) -> str:
        """Why who addresses a place may not mean what is defined for it; nothing where he does."""

    def requests(self, resolver: For_contra, path: str, mention: Mention) -> bool:
        """Return True if what binds a name is also a use of it, as it requests what has the name."""

    def given(self, resolver: For_contra, place: Place) -> str:
        """Return why code outside of the tree gives a name its value by that name; "" if it does not."""

    def shown(self, resolver: For_contra, place: Place) -> str:
        """Return why another name where a name is used changes what the program says; "" if it does not."""

    def unfit(self, resolver: For_contra, places: Iterable[Place], to: str) -> str:
        """Why what these places name may not be called so; nothing where it may."""

    def twins(self, resolver: For_contra, binding: Binding) -> Iterable[Binding]:
        """What else declares the same name."""

    def is_open(self, resolver: For_contra, binding: Binding) -> bool:
        """Whether something outside of the tree may declare the same name (its bases aside)."""

    def is_held(self, resolver: For_contra, binding: Binding) -> bool:
        """Whether a value of which nobody can tell may have a module's name as a member."""

    def overrides(self, resolver: For_contra, place: Place) -> bool:
        """Whether what defines a member says, or the language does, that a base has it already."""

    def key(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a word that is a key as well as a name (``{ x }``) is as a key."""

    def quoted(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a word in a string certainly names; nothing where it is just text."""

    def keyword(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """The parameter that a keyword names."""

    def bases(self, resolver: For_contra, of: Class) -> Iterable[Value]:
        """What a class inherits from."""

    def unnamed(self, resolver: For_contra, path: str, name: str) -> Iterable[str]:
        """What other files call that which a file calls ``name``, where they need not know that."""

    def taken(self, resolver: For_contra, of: Class, name: str) -> Iterable[Meaning]:
        """What a class says that it takes of others under a name, beside what it declares."""

    def bringing(self, resolver: For_contra, path: str, name: str) -> Iterable[tuple[str, tree_sitter.Node]]:
        """The declarations, each in a file that a file sees, that bring a name from elsewhere as it is."""

    def hidden(
        self, resolver: For_contra, members: Collection[Binding], name: str
    ) -> Iterable[tuple[Place, str]]:
        """Where something is named that these hide, though no scope binds its name; and what that is."""

    def hands(self, node: tree_sitter.Node) -> bool:
        """Whether a class is handed on where its name stands, so that who has it may inherit from it."""

    def mixes(self, of: Class) -> bool:
        """Whether what a class has may be that of any of its bases, and none comes before the others."""

    def made(self, function: Function) -> Class | None:
        """The class that a function is; None: nothing has members that are set on functions."""

    def is_private(self, resolver: For_contra, binding: Binding) -> bool:
        """Return True if no other file can name what a file defines at its top level."""

    def lacking(self, resolver: For_contra, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a function or an object may have under a name that nothing declares for it."""

    def method(self, resolver: For_contra, binding: Binding) -> Binding | None:
        """Return the method of which a name is a parameter that callers may give by its name."""

    def asks(self, resolver: For_contra, member: Binding) -> bool:
        """Whether what has all members that the class of one has may be of it, though it does not say so."""

    def fits(self, resolver: For_contra, given: Class, asked: Class) -> bool:
        """Whether an object of a class may be had where another is asked for, though nothing says so."""

    def handed(self, resolver: For_contra, asked: Class) -> Iterable[PassedValue]:
        """What is handed where a class is asked for, whatever it says it is; unknown: there is more."""

    def parts(self, resolver: For_contra, of: Class) -> Iterable[Class]:
        """Where else the same class is declared, whose members are its own as well."""

    def may_override(self, resolver: For_contra, one: Place, other: Place, *, exactly: bool) -> bool:
        """Return True if a method may override another one of its name by its parameters.

        With ``exactly``, both are in one class, where types that may be one are two nevertheless.
        """

    def choose_overloads(self, resolver: For_contra, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
        """Return those of some methods of one name that a use may mean; none if nothing fits."""

    def module_member(self, resolver: For_contra, module: Module, name: str) -> Iterable[Meaning]:
        """What a module has under a name."""


class Linking(Dialect[For_contra], Protocol[For_contra]):
    """A dialect whose declarations a linker joins, and whose names are told apart by types (``linked``)."""

    def used(self, resolver: For_contra, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a used name means, over all places in which its scopes go on."""

    def settled(
        self, resolver: For_contra, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Those of several meanings that a mention may have, and what makes it doubtful."""

    def akin(self, resolver: For_contra, binding: Binding) -> Iterable[Binding]:
        """What may be the same, as far as anybody can tell."""

    def overridden(self, resolver: For_contra, binding: Binding, member: Binding) -> bool:
        """Whether a member takes the place of one that a base has under its name."""
