"""Resolve an occurrence to its meanings, and cache each answer.

Names are followed along scopes, imports, members and bases, from file to file. Each answer is computed
once and within limits, since names may refer to each other in a circle.

If a text does not close a scope, as in the middle of an edit, its names may belong to the scope around
it. The grammar supplies the missing bracket at some later place and reads what follows as a part of the
open scope: calls as methods, and arguments as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

import tree_sitter

from gitscalpel.names import language, scope_rules
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Scope

_DEEP = 32
"""Steps from an expression to what it is worth, after which nobody can tell."""
_MOST = 5_000
"""Things made for one question, after which nobody can tell: within a cycle they are made again and again."""
_Found = TypeVar("_Found")


class Memo:
    """Keeps what has been found.

    Attributes:
        cuts: how often something was cut short, within a cycle or too deep, or rested on what had been:
            while this stays as it is, nothing depends on what was asked before.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], object] = {}
        self._making: set[tuple[object, ...]] = set()
        self._spent = 0
        self.cuts = 0
        self._short: set[tuple[object, ...]] = set()
        self._cut: set[tuple[object, ...]] = set()

    def know(self, key: tuple[object, ...], found: tuple[object, ...]) -> None:
        """Take for a key what somebody else has found; nothing of it may have been cut short."""
        self._kept.setdefault(key, found)

    def known(self, key: tuple[object, ...]) -> tuple[object, ...] | None:
        """What is kept for a key; None: it has not been found."""
        return self._kept.get(key)  # type: ignore[return-value]

    def once(
        self, key: tuple[object, ...], make: Callable[[], Iterable[_Found]], within: tuple[_Found, ...]
    ) -> tuple[_Found, ...]:
        """What is made for a key, once; ``within`` for who asks while it is being made, or too deep."""
        if key in self._kept:
            self.cuts += key in self._short
            return self._kept[key]  # type: ignore[return-value]
        self._spent = self._spent + 1 if self._making else 0
        if key in self._making or len(self._making) > _DEEP or self._spent > _MOST:
            self._cut.add(key)
            self.cuts += 1
            return within
        self._making.add(key)
        before = self.cuts
        try:
            found = tuple(make())
        finally:
            self._making.discard(key)
            self._cut.discard(key)
        if not self._cut or not self._making:  # else somebody above has yet to say what this rests on
            self._kept[key] = found
            self._cut.clear()
        elif self._spent > _MOST and any(isinstance(each, Unknown) for each in found):
            self._kept[key] = found  # nobody can tell, and nobody has to find that out once more
        if self.cuts != before:
            self._short.add(key)
        return found


class UnclosedScope(NamedTuple):
    """A scope that is not closed, and one around it that binds the same name."""

    scope: Scope
    around: Scope


def find_unclosed_scope(lexical: Lexical, mention: Mention) -> UnclosedScope | None:
    """Why what a scope binds may be that of one around it; None: it is not."""
    if mention.role not in ("bind", "early", "use"):
        return None
    own, bound = lexical.scope_of(mention), lexical.bound(mention.name)
    at = mention.scopes.index(own) if own in mention.scopes else len(mention.scopes)
    for n, scope in enumerate(mention.scopes[at:], at + 1):
        around = next((each for each in mention.scopes[n:] if each.node.id in bound), None)
        if around is not None and _is_unclosed(scope.node):
            return UnclosedScope(scope, around)
    return None


def _is_unclosed(node: tree_sitter.Node) -> bool:
    """Whether the grammar had to think of what ends it."""
    while node.children:
        node = node.children[-1]
    return node.is_missing


Place: TypeAlias = language.Place
Language: TypeAlias = language.Language["Resolver"]


class Resolver(Memo):
    """Follows names; each answer is kept.

    Attributes:
        files: of the tree.
    """

    def __init__(self, files: Files, dialects: Callable[[str], Language]) -> None:
        super().__init__()
        self.files = files
        self._dialects = dialects
        self._sets: dict[tuple[str, str], list[tuple[Mention, tree_sitter.Node]]] = {}
        self._lines: dict[str, tuple[int, int]] = {}

    def lexical(self, path: str) -> Lexical:
        """The names of a file that can be read."""
        found = self.files.lexical(path)
        assert found is not None, path  # noqa: S101 - whoever has a mention has read its file
        return found

    def top_binding(self, path: str, name: str) -> Binding:
        """Return a name of the top level of a file, in a language whose files are modules."""
        root = self.lexical(path).syntax.root
        return Binding(path, (root.start_byte, root.end_byte), "module", name)

    def dialect(self, path: str) -> Language:
        """The language of a file that can be read."""
        return self._dialects(self.files.language(path))

    def rules(self, path: str) -> Scoping:
        """How names are held in a file that can be read; it need not be parsed for that."""
        found = scope_rules.rules_of(self.files.language(path))
        assert found is not None, path  # noqa: S101 - see `lexical`
        return found

    def linking(self, path: str) -> Language | None:
        """Return the language of a file if its declarations are linked."""
        return self.dialect(path) if self.rules(path).linked else None

    def line(self, path: str, start: int) -> int:
        """The number of the line at a byte of a file."""
        at, number = self._lines.get(path, (0, 1))
        if start < at:
            at, number = 0, 1
        number += self.lexical(path).text.count(b"\n", at, start)
        self._lines[path] = (start, number)  # most ask for one place of a file after the other
        return number

    def spot(self, path: str, start: int) -> tuple[int, int]:
        """The line at a byte of a file, and the column in bytes."""
        return self.line(path, start), start - self.lexical(path).text.rfind(b"\n", 0, start)

    def dialect_of(self, binding: Binding) -> Language:
        """The language of a name; a module has it even where it is a folder."""
        return self._dialects(binding.kind) if binding.scope == WHOLE else self.dialect(binding.path)

    def implied(self, path: str, word: str) -> tuple[Mention, ...]:
        """Where a file binds a name without spelling it."""
        return self.once(("implied", path, word), lambda: self.dialect(path).implied(self, path, word), ())

    def mention(self, path: str, word: str, start: int) -> Mention:
        """What is mentioned at a byte, be it spelt there or not."""
        implied = (each for each in self.implied(path, word) if each.start == start)
        return next(implied, None) or self.lexical(path).mentions.at(word, start)

    def meanings(self, path: str, mention: Mention) -> tuple[Meaning, ...]:
        """What a mention may mean; nothing where it is no name."""
        return self.once(("meanings", path, mention.start), lambda: self._settled(path, mention), ())

    def _settled(self, path: str, mention: Mention) -> Iterable[Meaning]:
        found, linking = tuple(self._meanings(path, mention)), self.linking(path)
        if linking is not None:
            found = tuple(linking.settled(self, path, mention, found))
        elif found and all(isinstance(each, Elsewhere) for each in found):
            return self._doubted(path, mention) or found
        is_whole = not self.lexical(path).syntax.root.has_error
        return found if is_whole or not found else [*found, *self._beside(path, mention)]

    def _beside(self, path: str, mention: Mention) -> Iterator[Meaning]:
        """What a name may be as well where a scope that it stands in is not closed."""
        found = find_unclosed_scope(self.lexical(path), mention)
        if found is not None:
            around = found.around
            for space in self.lexical(path).spaces(mention, around):
                yield Binding(path, around.span, around.kind, mention.name, space)
            row = self.line(path, found.scope.node.start_byte)
            yield Unknown(f"what line {row} opens is not closed, and may end before it")

    def _doubted(self, path: str, mention: Mention) -> Iterable[Meaning]:
        """Why what seems to be defined elsewhere may not be: what does not parse here may define it."""
        lexical = self.lexical(path)
        alike = lexical.of(mention.name) if lexical.syntax.root.has_error else ()
        for each in (mention, *alike):
            if each.node.parent is not None and each.node.parent.type == "ERROR":
                return (Unknown(f"line {self.line(path, each.start)} does not parse, and may define it"),)
        return ()

    def _meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        dialect = self.dialect(path)
        if mention.role in ("bind", "early", "use", "global", "nonlocal"):
            return self.named(path, mention)
        if mention.role == "member":
            return self._member(path, mention)
        if mention.role == "keyword":
            return dialect.keyword(self, path, mention)
        if mention.role in ("imported", "module"):
            return dialect.imported(self, path, mention)
        return ()

    def named(self, path: str, mention: Mention) -> Iterable[Meaning]:
        """What a word means as a name of the scopes that it stands in, whatever stands there."""
        lexical, linking = self.lexical(path), self.linking(path)
        if linking is not None and mention.role == "use":
            return linking.used(self, path, mention)
        scope = lexical.scope_of(mention)
        for each in lexical.open_to(mention, scope) if lexical.rules.open and mention.role == "use" else ():
            found = tuple(self.dialect(path).opened(self, path, each, mention))
            if found:
                return found
        return self.written(path, mention)

    def written(self, path: str, mention: Mention) -> Iterable[Meaning]:
        """The same, by what the file itself binds."""
        lexical = self.lexical(path)
        scope = lexical.scope_of(mention)
        if scope is None:
            return self.dialect(path).free(self, path, mention)
        spaces = lexical.spaces(mention, scope)
        own: list[Meaning] = [Binding(path, scope.span, scope.kind, mention.name, space) for space in spaces]
        return self.dialect(path).filled(self, path, mention, scope, own)

    def _member(self, path: str, mention: Mention) -> Iterable[Meaning]:
        receiver = self.dialect(path).receiver(mention)
        if receiver is None:
            return (Unknown("it stands in nothing that is known here"),)
        return self.of_values(path, mention, self.values(path, receiver))

    def of_values(self, path: str, mention: Mention, values: Iterable[Value]) -> Iterable[Meaning]:
        """What a mention means as a member of one of some values."""
        dialect = self.dialect(path)
        found: list[Meaning] = []
        for value in values:
            had = self._seen_from(path, value, mention.name)
            holder = value.of if isinstance(value, Instance) else value
            if not any(isinstance(each, Binding) for each in had):
                had = tuple(dialect.extended(self, path, mention, value)) or had
            if not had and isinstance(holder, Class):
                had = (self._undefined(holder, mention.name),)
            found += had
        sees = dialect.sees
        seen = [e for e in dict.fromkeys(found) if not isinstance(e, Binding) or sees(self, path, e)]
        if found and not seen:
            return (Elsewhere("what is not seen from here"),)
        return self._apart(path, mention, seen) or (Unknown("nothing is known of what stands before it"),)

    def _seen_from(self, path: str, value: Value, name: str) -> tuple[Meaning, ...]:
        """What a value has under a name as a file sees it: what it does not see hides nothing from it."""
        had, sees = self.members(value, name), self.dialect(path).sees
        of = value.of if isinstance(value, Instance) else value
        if not isinstance(of, Class) or all(sees(self, path, e) for e in had if isinstance(e, Binding)):
            return had
        return self._inherited(of, name, lambda each: sees(self, path, each)) or had

    def _apart(self, path: str, mention: Mention, found: Iterable[Meaning]) -> list[Meaning]:
        """Those that are in the name space of the member, where it is said in which it is."""
        meet, all_of = self.rules(path).meet, list(found)
        return [
            each
            for each in all_of
            if not (isinstance(each, Binding) and each.space and mention.kind)
            or meet(each.space, mention.kind)
        ] or all_of

    def of_class(self, of: Class, name: str) -> Binding:
        """The name as a class's own."""
        return Binding(of.path, of.scope, "class", name)

    def _undefined(self, of: Class, name: str) -> Meaning:
        """A name as that of a class that does not define it, but for what it or its objects alone have."""
        above = self.ancestry(of) if self.lexical(of.path).rules.static else ()
        if any(isinstance(each, Class) and self.own_members(each, name) for each in above):
            return Unknown("its class alone has it, or its objects")
        return self.of_class(of, name)

    def own_members(self, of: Class, name: str) -> tuple[Binding, ...]:
        """What a class itself has under a name: one, or one in each of several name spaces."""
        plain, rules = self.of_class(of, name), self.lexical(of.path).rules
        spaced = self._spaced(of, name) if rules.static else ()
        if any(each.space != rules.static for each in spaced) or not self.binders(plain):
            return spaced or self._spaced(of, name)
        return (plain, *spaced)

    def _spaced(self, of: Class, name: str) -> tuple[Binding, ...]:
        """What a class declares under a name in name spaces that it has side by side."""
        mentions = self.lexical(of.path).bound(name).get(of.node.id, ()) if self._has_spaces(of) else ()
        skipped = self.rules(of.path).never_members
        members = (each for each in mentions if each.kind not in skipped)
        found = [each for mention in members for each in self.written(of.path, mention)]
        return tuple({each: None for each in found if isinstance(each, Binding) and each.space})

    def _has_spaces(self, of: Class) -> bool:
        return bool(self.rules(of.path).spaces)

    def values(self, path: str, node: tree_sitter.Node | None) -> tuple[Value, ...]:
        """Return the values that an expression may have; none without a node."""
        if node is None:
            return ()
        key = ("values", path, node.start_byte, node.end_byte, node.type)
        return self.once(
            key, lambda: self.dialect(path).values(self, path, node), (Unknown("it is too far to follow"),)
        )

    def worth(self, meaning: Meaning) -> tuple[Value, ...]:
        """What a name may be worth."""
        if not isinstance(meaning, Binding):
            return (meaning,)
        if meaning.scope == WHOLE:
            return (Module(meaning.path, meaning.kind),)
        return self.once(
            ("worth", meaning), lambda: self._worth(meaning), (Unknown("it is too far to follow"),)
        )

    def _worth(self, binding: Binding) -> Iterable[Value]:
        found: list[Value] = []
        for place in self.binders(binding):
            found += self.dialect(place.path).bound(self, place.path, place.mention)
        return dict.fromkeys(found) or (Unknown(f"nothing is known of {binding.name}"),)

    def binders(self, binding: Binding) -> tuple[Place, ...]:
        """The mentions that bind it: in its scope, or as a member of its class."""
        inside = self.once(("inside", binding), lambda: self._inside(binding), ())
        if binding.kind != "class":
            return inside
        # Who asks while receivers are followed is told of the body's own.
        return self.once(("binders", binding), lambda: [*inside, *self._set(binding)], inside)

    def _inside(self, binding: Binding) -> Iterator[Place]:
        lexical = self.lexical(binding.path)
        skipped = lexical.rules.never_members if binding.kind == "class" else ()
        for mention, scope in lexical.binding_in(binding.name, binding.scope):
            if binding.space in lexical.spaces(mention, scope) and mention.kind not in skipped:
                yield Place(binding.path, mention)
        for mention in self.implied(binding.path, binding.name):
            if lexical.holder(mention).span == binding.scope:
                yield Place(binding.path, mention)

    def _set(self, binding: Binding) -> Iterator[Place]:
        """Where a member of a class is defined, or given a value, outside of its own body."""
        for path in self.dialect(binding.path).definers(self, binding):
            for mention, receiver in self._where_set(path, binding.name):
                values = self.values(path, receiver)
                if any(self._set_in(value, binding.name) == binding for value in values):
                    yield Place(path, mention)

    def _where_set(self, path: str, word: str) -> list[tuple[Mention, tree_sitter.Node]]:
        """Where a file sets a member of something, whatever that is, and what stands for it there."""
        found = self._sets.get((path, word))
        if found is None:
            dialect = self.dialect(path)
            members = (each for each in self.lexical(path).of(word) if each.role == "member" or each.key)
            both = [(each, dialect.receiver(each)) for each in members if dialect.is_set(each)]
            found = self._sets[path, word] = [(each, node) for each, node in both if node is not None]
        return found

    def _set_in(self, value: Value, name: str) -> Binding | None:
        """The member of a class that is set where a value has it: what is declared for it, or else plain."""
        of = self.class_of(value)
        static = self.lexical(of.path).rules.static if of is not None else ""
        spaced = self._spaced(of, name) if of is not None and static else ()
        own = [each for each in spaced if (each.space == static) != isinstance(value, Instance)]
        return own[0] if own else self.of_class(of, name) if of is not None else None

    def class_of(self, value: Value) -> Class | None:
        """The class whose members a value has; None: it has none that are known."""
        if isinstance(value, Instance):
            return value.of
        if isinstance(value, Function):
            return self.dialect(value.path).made(value)
        return value if isinstance(value, Class) else None

    def members(self, value: Value, name: str) -> tuple[Meaning, ...]:
        """What a value has under a name; nothing where it certainly has no such thing by itself."""
        if isinstance(value, Module):
            return tuple(self._dialects(value.language).module_member(self, value, name))
        if isinstance(value, Instance):
            found = self._inherited(value.of, name, self._is_of_objects)
            return found or tuple(self.dialect(value.of.path).lacking(self, value, name))
        if isinstance(value, Class):
            return self._of_itself(value, name)
        if isinstance(value, Function):
            found = self._of_function(value, name)
            return found or tuple(self.dialect(value.path).lacking(self, value, name))
        return (value,)

    def _of_itself(self, of: Class, name: str) -> tuple[Meaning, ...]:
        """What a class has: of what bodies declare for objects alone, it has nothing by itself."""
        found, static = self._inherited(of, name, self._is_of_itself), self.rules(of.path).static
        plain = [each for each in found if isinstance(each, Binding)] if static else []
        if not plain or any(each.space == static for each in plain):
            return found
        above = self._inherited(of, name, lambda each: each.space == static)
        is_there = any(isinstance(each, Binding) for each in above)
        return above if is_there and all(map(self.is_of_objects, plain)) else found

    def is_of_objects(self, member: Binding) -> bool:
        """Whether it is objects alone that have a member, as far as it says where it is set."""
        for path, mention in self.binders(member):
            node = self.dialect(path).receiver(mention) if mention.role == "member" else None
            values = () if node is None else self.values(path, node)
            if not all(isinstance(value, Instance) for value in values):
                return False
        return True

    def _is_of_objects(self, binding: Binding) -> bool:
        """Whether the objects of a class have a member, and not the class alone."""
        static = self.rules(binding.path).static
        return not static or binding.space != static

    def _is_of_itself(self, binding: Binding) -> bool:
        """Whether a class has a member, and not its objects alone, of which another one is called so."""
        lexical = self.lexical(binding.path)
        static = lexical.rules.static
        if binding.space or not static:
            return static in ("", binding.space)
        return all(each.kind != static for each, _ in lexical.binding_in(binding.name, binding.scope))

    def _of_function(self, function: Function, name: str) -> tuple[Meaning, ...]:
        """What is set on a function under a name."""
        own = self.dialect(function.path).made(function)
        found = self._inherited(own, name) if own is not None else ()
        bound = tuple(each for each in found if isinstance(each, Binding))
        return bound or tuple(each for each in found if isinstance(each, Unknown))

    def _inherited(
        self, of: Class, name: str, sees: Callable[[Binding], bool] = lambda _: True
    ) -> tuple[Meaning, ...]:
        unknown: list[Meaning] = []
        several: list[Meaning] = []
        is_mixed = self.dialect(of.path).mixes(of)
        is_first = self.rules(of.path).overrides and not is_mixed
        for each in self.ancestry(of):
            if not isinstance(each, Class):
                unknown.append(
                    each if isinstance(each, (Elsewhere, Unknown)) else Unknown("a base is no class")
                )
            elif own := self._had(each, name, sees):
                several += [*own, *(u for u in unknown if isinstance(u, Unknown))]
                if is_first or each == of:
                    break
        if several and is_mixed and several[0] != self.of_class(of, name):
            several += (each for each in unknown if isinstance(each, Unknown))
        return tuple(dict.fromkeys(several or unknown))

    def _had(self, of: Class, name: str, sees: Callable[[Binding], bool]) -> list[Meaning]:
        """What a class has under a name before its bases are asked."""
        own: list[Meaning] = [each for each in self.own_members(of, name) if sees(each)]
        return [*own, *self.dialect(of.path).taken(self, of, name)]

    def ancestry(self, of: Class) -> tuple[Value, ...]:
        """A class and all that it inherits from, nearest first; what is no class as it is."""
        return self.once(("ancestry", of.path, of.scope), lambda: self._ancestry(of), (of,))

    def _ancestry(self, of: Class) -> Iterable[Value]:
        whole = (of, *self.dialect(of.path).parts(self, of))
        found: list[Value] = [*whole]
        for base in (base for part in whole for base in self.dialect(part.path).bases(self, part)):
            found += self.ancestry(base) if isinstance(base, Class) else [base]
        last = {
            _key(value): at for at, value in enumerate(found)
        }  # shared bases come after those that share them
        return [value for at, value in enumerate(found) if last[_key(value)] == at]


def _key(value: Value) -> object:
    return (value.path, value.scope) if isinstance(value, Class) else value
