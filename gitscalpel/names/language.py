"""Base class of a language's name resolution: the resolver's questions, with answers for what most lack.

A subclass in ``names/languages`` overrides the questions that its language answers otherwise. The entry of
the language in ``syntax/languages.py`` names that class.
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
    """A mention in its file."""

    path: str
    mention: Mention


class PassedValue(NamedTuple):
    """A value that is passed somewhere, with the file and the byte where it begins."""

    value: Value
    path: str
    start: int


class _FileNames(Protocol):
    """The names of a file, as far as a default answer needs them."""

    @property
    def rules(self) -> Scoping: ...

    def holder(self, mention: Mention) -> Scope: ...


class _Names(Protocol):
    """The resolver, as far as a default answer needs it."""

    def lexical(self, path: str) -> _FileNames: ...

    def binders(self, binding: Binding) -> tuple[Place, ...]: ...


R = TypeVar("R", bound=_Names)
"""The resolver, which asks the questions and is asked in turn."""


class Language(Generic[R]):
    """Imports, values and members of a language.

    Attributes:
        rules: how its scopes hold names.
        importer: the package in ``refactor`` that rewrites its imports; empty if none does.
    """

    rules: ClassVar[Scoping]
    importer: ClassVar[str] = ""

    def free(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a name that no scope of its file binds."""
        raise NotImplementedError

    def values(self, resolver: R, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """Return the values that an expression or type may have."""
        raise NotImplementedError

    def bound(self, resolver: R, path: str, mention: Mention) -> Iterable[Value]:
        """Return the values of a name where a mention binds it."""
        raise NotImplementedError

    def opened(self, resolver: R, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """Return what an open scope (``Scoping.open``) has under a name without binding it."""
        return ()

    def filled(
        self, resolver: R, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        """Return the meanings of a name that a scope binds (``own``), with what unnamed imports add."""
        return own

    def extended(self, resolver: R, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Return what a value has under a member's name that neither its class nor a base defines."""
        return ()

    def imported(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the target of an imported name; empty if it is no name of a file."""
        return ()

    def brings(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the origin of a name that an import binds; empty if the import gives it another name."""
        return ()

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Return the expression of which a mention is a member."""
        return None

    def is_set(self, mention: Mention) -> bool:
        """Return True if a member is defined, or assigned, here."""
        return False

    def definers(self, resolver: R, binding: Binding) -> Iterable[str]:
        """Return the files that may define a member outside of its class's body."""
        return ()

    def respelled(self, resolver: R, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the edit that puts another name into the place of a mention; see ``Form``."""
        return mention.renamed(new)

    def implied(self, resolver: R, path: str, word: str) -> Iterable[Mention]:
        """Return where a file binds a name without spelling it; a mention is at the node that binds it."""
        return ()

    def sees(self, resolver: R, path: str, binding: Binding) -> bool:
        """Return True if a file may use a member by its name."""
        return True

    def besides(self, resolver: R, path: str, mention: Mention) -> Iterable[tuple[Binding, str]]:
        """Return other meanings that a mention has in other builds, each with the build."""
        return ()

    def holder(self, resolver: R, path: str, mention: Mention) -> object:
        """Return the type whose member is meant, where several types have a member that a base defines."""
        return None

    def customary(self, resolver: R, path: str, mention: Mention) -> Iterable[Place]:
        """Return where other names are bound that custom wants to be the same as this one."""
        return ()

    def begun(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the declaration that a comment describes if custom has it begin with the name."""
        return ()

    def known(self, resolver: R, place: Place) -> str:
        """Return why programs know what a mention binds by its name; empty if they do not."""
        rules = resolver.lexical(place.path).rules
        is_entry = place.mention.name in rules.entries and place.mention.kind not in rules.unreached
        return "what runs programs knows it by this name" if is_entry else ""

    def becomes(self, resolver: R, place: Place, to: str) -> str:
        """Return what the language, or who runs programs, does with a definition of a new name."""
        lexical, mention = resolver.lexical(place.path), place.mention
        after = Place(place.path, msgspec.structs.replace(mention, name=to))
        is_reached = mention.kind not in lexical.rules.unreached
        if is_reached and to in lexical.rules.entries and self.known(resolver, after):
            return "what runs programs calls what has that name"
        is_member = mention.role == "member" or lexical.holder(mention).kind == "class"
        is_called = is_member and self.overrides(resolver, after) and not self.overrides(resolver, place)
        return "the language calls what has that name" if is_called else ""

    def spelt(self, resolver: R, binding: Binding) -> Iterable[tuple[str, str]]:
        """Return longer words that contain a name as well, each after a part that its files contain."""
        return ()

    def bare(self, mention: Mention, wished: str) -> str:
        """Return the wished name of a mention without the signs before it."""
        return wished

    def addressed(self, resolver: R, path: str, mention: Mention) -> str:
        """Return why a place that is addressed may not mean what it resolves to; empty if it does."""
        return ""

    def requests(self, resolver: R, path: str, mention: Mention) -> bool:
        """Return True if what binds a name is also a use of it, as it requests what has the name."""
        return False

    def given(self, resolver: R, place: Place) -> str:
        """Return why code outside of the tree gives a name its value by that name; empty if it does not."""
        return ""

    def shown(self, resolver: R, place: Place) -> str:
        """Return why another name at a use changes what the program prints; empty if it does not."""
        return ""

    def unfit(self, resolver: R, places: Iterable[Place], to: str) -> str:
        """Return why what these places name may not have a new name; empty if it may."""
        reserved = {word for each in places for word in resolver.lexical(each.path).rules.reserved}
        return f"{to} is a word of the language, and no name" if to in reserved else ""

    def twins(self, resolver: R, binding: Binding) -> Iterable[Binding]:
        """Return what else declares the same name."""
        return ()

    def is_open(self, resolver: R, binding: Binding) -> bool:
        """Return True if code outside of the tree may declare the same name, its bases aside."""
        return False

    def is_held(self, resolver: R, binding: Binding) -> bool:
        """Return True if a value that nobody can infer may have a module's name as a member."""
        return True

    def overrides(self, resolver: R, place: Place) -> bool:
        """Return True if a definition, or the language, says that a base has the member already."""
        return place.mention.name in resolver.lexical(place.path).rules.protocol

    def key(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings that a word has as a key where it is also a name (``{ x }``)."""
        return ()

    def quoted(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return what a word in a string or comment certainly names; empty if it is just text."""
        return ()

    def keyword(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the parameters that a keyword may name."""
        return ()

    def bases(self, resolver: R, of: Class) -> Iterable[Value]:
        """Return what a class inherits from."""
        return ()

    def unnamed(self, resolver: R, path: str, name: str) -> Iterable[str]:
        """Return what other files call that which a file calls ``name``, if they need not know that name."""
        return ()

    def taken(self, resolver: R, of: Class, name: str) -> Iterable[Meaning]:
        """Return what a class takes of others under a name, besides what it declares."""
        return ()

    def bringing(self, resolver: R, path: str, name: str) -> Iterable[tuple[str, tree_sitter.Node]]:
        """Return the declarations, with their files, that bring a name into a file from elsewhere."""
        return ()

    def hidden(self, resolver: R, members: Collection[Binding], name: str) -> Iterable[tuple[Place, str]]:
        """Return where something is named that members hide though no scope binds it, and what it is."""
        return ()

    def hands(self, node: tree_sitter.Node) -> bool:
        """Return True if a class is passed on at its name, so that the receiver may inherit from it."""
        return False

    def mixes(self, of: Class) -> bool:
        """Return True if a member of a class may be that of any of its bases, in no order."""
        return False

    def made(self, function: Function) -> Class | None:
        """Return the class that a function is; None if functions have no members."""
        return None

    def is_private(self, resolver: R, binding: Binding) -> bool:
        """Return True if no other file can name what a file defines at its top level."""
        return False

    def lacking(self, resolver: R, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a function or an object may have under a name that nothing declares for it."""
        return (Elsewhere("a function"),) if isinstance(value, Function) else ()

    def method(self, resolver: R, binding: Binding) -> Binding | None:
        """Return the method of which a name is a parameter that callers may give by its name."""
        return None

    def asks(self, resolver: R, member: Binding) -> bool:
        """Return True if what has all members of this member's class may be of it without saying so."""
        return False

    def fits(self, resolver: R, given: Class, asked: Class) -> bool:
        """Return True if an object of a class fits where another is asked for without saying so."""
        return False

    def handed(self, resolver: R, asked: Class) -> Iterable[PassedValue]:
        """Return the values that are passed where a class is asked for; Unknown if there are more."""
        return ()

    def parts(self, resolver: R, of: Class) -> Iterable[Class]:
        """Return the other declarations of a class, whose members are its own as well."""
        return ()

    def may_override(self, resolver: R, one: Place, other: Place, *, exactly: bool) -> bool:
        """Return True if a method may override another one of its name by its parameters.

        With ``exactly``, both are in one class, where types that may be one are two nevertheless.
        """
        return True

    def choose_overloads(self, resolver: R, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
        """Return those of some methods of one name that a use may mean; none if nothing fits."""
        return methods

    def module_member(self, resolver: R, module: Module, name: str) -> Iterable[Meaning]:
        """Return what a module has under a name."""
        return ()

    # Questions about languages whose declarations are linked (``Scoping.linked``) only.

    def used(self, resolver: R, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the meanings of a used name over all places in which its scopes go on."""
        return self.free(resolver, path, mention)

    def settled(
        self, resolver: R, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return those of several meanings that a mention may have, and what makes it doubtful."""
        return dict.fromkeys(found)

    def akin(self, resolver: R, binding: Binding) -> Iterable[Binding]:
        """Return what may be the same, as far as anybody can tell."""
        return ()

    def overridden(self, resolver: R, binding: Binding, member: Binding) -> bool:
        """Return True if a member takes the place of one that a base has under its name."""
        rules = resolver.lexical(binding.path).rules
        mine, its = ({p.mention.kind for p in resolver.binders(each)} for each in (binding, member))
        return any(rules.meet(one, other) for one in mine - rules.hiding for other in its - rules.hiding)
