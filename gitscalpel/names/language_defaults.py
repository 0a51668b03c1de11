"""Default answers of a language to the resolver's questions, for features that it does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec
import tree_sitter

from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Meaning, Module, Value
from gitscalpel.names.language import PassedValue
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice


class DefaultDialect:
    """See :class:`gitscalpel.names.resolver.Dialect`."""

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """No scope has names that it does not bind."""
        del resolver, path, scope, mention
        return ()

    def filled(
        self, resolver: Resolver, path: str, mention: Mention, scope: Scope, own: list[Meaning]
    ) -> Iterable[Meaning]:
        """A scope has what it binds."""
        del resolver, path, mention, scope
        return own

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Nothing is added to a class elsewhere."""
        del resolver, path, mention, value
        return ()

    def imported(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Nothing is imported by its name."""
        del resolver, path, mention
        return ()

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """No import binds a name to what another file binds."""
        del resolver, path, mention
        return ()

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Nobody can tell."""
        del mention
        return None

    def is_set(self, mention: Mention) -> bool:
        """Members are defined in the bodies of their classes."""
        del mention
        return False

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """Members are defined in the bodies of their classes."""
        del resolver, binding
        return ()

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """There is no form but the name."""
        del resolver, path, form
        return mention.renamed(new)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """Nothing is declared twice."""
        del resolver, binding
        return ()

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """Nothing is inherited."""
        del resolver, of
        return ()

    def may_override(self, resolver: Resolver, one: Place, other: Place, *, exactly: bool) -> bool:
        """Overloads are not told apart."""
        del resolver, one, other, exactly
        return True

    def choose_overloads(self, resolver: Resolver, use: Place, methods: Sequence[Place]) -> Sequence[Place]:
        """Overloads are not told apart."""
        del resolver, use
        return methods

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """Modules are no values."""
        del resolver, module, name
        return ()

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """No object is made by naming its keys."""
        del resolver, path, mention
        return ()

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Strings name nothing for certain."""
        del resolver, path, mention
        return ()

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """No argument is given by the name of its parameter."""
        del resolver, path, mention
        return ()

    def hands(self, node: tree_sitter.Node) -> bool:
        """Classes are no values."""
        del node
        return False

    def mixes(self, of: Class) -> bool:
        """The first base that has something is the one."""
        del of
        return False

    def addressed(self, resolver: Resolver, path: str, mention: Mention) -> str:
        """Every place stands for what it means."""
        del resolver, path, mention
        return ""

    def unnamed(self, resolver: Resolver, path: str, name: str) -> Iterable[str]:
        """Who takes something says what it is called there."""
        del resolver, path, name
        return ()

    def taken(self, resolver: Resolver, of: Class, name: str) -> Iterable[Meaning]:
        """What a class does not declare it has of its bases."""
        del resolver, of, name
        return ()

    def bringing(self, resolver: Resolver, path: str, name: str) -> Iterable[tuple[str, tree_sitter.Node]]:
        """Names come by imports alone."""
        del resolver, path, name
        return ()

    def hidden(
        self, resolver: Resolver, members: Collection[Binding], name: str
    ) -> Iterable[tuple[Place, str]]:
        """Nothing is had under a name but what scopes bind."""
        del resolver, members, name
        return ()

    def made(self, function: Function) -> Class | None:
        """A function has no members of its own."""
        del function
        return None

    def is_private(self, resolver: Resolver, binding: Binding) -> bool:
        """Other files may name whatever a file defines."""
        del resolver, binding
        return False

    def lacking(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """A function has what all functions have, and an object nothing else."""
        del resolver, name
        return (Elsewhere("a function"),) if isinstance(value, Function) else ()

    def method(self, resolver: Resolver, binding: Binding) -> Binding | None:
        """Return None: arguments have no names."""
        del resolver, binding
        return None

    def asks(self, resolver: Resolver, member: Binding) -> bool:
        """What something is, is said by itself."""
        del resolver, member
        return False

    def fits(self, resolver: Resolver, given: Class, asked: Class) -> bool:
        """Nothing is had where it does not belong."""
        del resolver, given, asked
        return False

    def handed(self, resolver: Resolver, asked: Class) -> Iterable[PassedValue]:
        """Nothing is had where it does not belong."""
        del resolver, asked
        return ()

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """A class is declared in one place."""
        del resolver, of
        return ()

    def implied(self, resolver: Resolver, path: str, word: str) -> Iterable[Mention]:
        """Every name is spelt out."""
        del resolver, path, word
        return ()

    def sees(self, resolver: Resolver, path: str, binding: Binding) -> bool:
        """No member is invisible for its name alone."""
        del resolver, path, binding
        return True

    def besides(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[tuple[Binding, str]]:
        """All builds are alike."""
        del resolver, path, mention
        return ()

    def holder(self, resolver: Resolver, path: str, mention: Mention) -> object:
        """A member is one of what defines it, whoever has it."""
        del resolver, path, mention
        return None

    def customary(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Place]:
        """Nothing is called alike but what is one."""
        del resolver, path, mention
        return ()

    def begun(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Nobody expects a comment to begin with a name."""
        del resolver, path, mention
        return ()

    def known(self, resolver: Resolver, place: Place) -> str:
        """Where programs begin, and what a library calls where somebody has it."""
        rules = resolver.lexical(place.path).rules
        is_entry = place.mention.name in rules.entries and place.mention.kind not in rules.unreached
        return "what runs programs knows it by this name" if is_entry else ""

    def becomes(self, resolver: Resolver, place: Place, to: str) -> str:
        """Return what the language, or who runs programs, does with what is called so."""
        rules, mention = resolver.rules(place.path), place.mention
        after = Place(place.path, msgspec.structs.replace(mention, name=to))
        is_reached = mention.kind not in rules.unreached
        if is_reached and to in rules.entries and self.known(resolver, after):
            return "what runs programs calls what has that name"
        is_member = mention.role == "member" or resolver.lexical(place.path).holder(mention).kind == "class"
        is_called = is_member and self.overrides(resolver, after) and not self.overrides(resolver, place)
        return "the language calls what has that name" if is_called else ""

    def bare(self, mention: Mention, wished: str) -> str:
        """No sign stands before a name."""
        del mention
        return wished

    def requests(self, resolver: Resolver, path: str, mention: Mention) -> bool:
        """Return False: what binds a name is no use of another."""
        del resolver, path, mention
        return False

    def given(self, resolver: Resolver, place: Place) -> str:
        """Return nothing: names have their values from the program."""
        del resolver, place
        return ""

    def shown(self, resolver: Resolver, place: Place) -> str:
        """Return nothing: programs do not say their names."""
        del resolver, place
        return ""

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Words of the language are no names."""
        reserved = {word for each in places for word in resolver.lexical(each.path).rules.reserved}
        return f"{to} is a word of the language, and no name" if to in reserved else ""

    def spelt(self, resolver: Resolver, binding: Binding) -> Iterable[tuple[str, str]]:
        """A name is the same word everywhere."""
        del resolver, binding
        return ()

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """Only bases are outside of the tree."""
        del resolver, binding
        return False

    def is_held(self, resolver: Resolver, binding: Binding) -> bool:
        """Whoever has a module has all its names."""
        del resolver, binding
        return True

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        """What every object has, or the language calls."""
        return place.mention.name in resolver.lexical(place.path).rules.protocol
