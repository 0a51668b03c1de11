"""Resolve an occurrence to its meanings, and cache each answer.

Names are followed along scopes, imports, members and bases, from file to file. Each answer is computed once
and within limits, since names may refer to each other in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

import msgspec
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
    key_of,
)
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.scope_rules import Scoping, is_followed, language_class
from gitscalpel.syntax.occurrences import Mention, Role, Scope

_MOST_NESTED = 32
"""Maximum number of steps from an expression to its value; the value is unknown after that."""
_MOST_MADE = 5_000
"""Maximum number of values made for one question. Within a cycle, values are made again and again."""
_Answer = TypeVar("_Answer")
_Arguments = ParamSpec("_Arguments")


class Memo:
    """Cache of answers.

    Attributes:
        cuts: number of answers cut short by a cycle or a limit, or built on such answers. An answer during
            which the number stays the same does not depend on earlier questions.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[object, ...], object] = {}
        self._in_progress: set[tuple[object, ...]] = set()
        self._made_count = 0
        self.cuts = 0
        self._shortened: set[tuple[object, ...]] = set()
        self._cut: set[tuple[object, ...]] = set()

    def put(self, key: tuple[object, ...], answer: tuple[object, ...]) -> None:
        """Store an answer that was found elsewhere; no part of it may have been cut short."""
        self._answers.setdefault(key, answer)

    def get(self, key: tuple[object, ...]) -> tuple[object, ...] | None:
        return self._answers.get(key)  # type: ignore[return-value]

    def compute_once(
        self, key: tuple[object, ...], make: Callable[[], Iterable[_Answer]], within: tuple[_Answer, ...]
    ) -> tuple[_Answer, ...]:
        """Return the answer for a key, made once; ``within`` in a cycle or beyond a limit."""
        if key in self._answers:
            self.cuts += key in self._shortened
            return self._answers[key]  # type: ignore[return-value]
        self._made_count = self._made_count + 1 if self._in_progress else 0
        if key in self._in_progress or len(self._in_progress) > _MOST_NESTED or self._made_count > _MOST_MADE:
            self._cut.add(key)
            self.cuts += 1
            return within
        self._in_progress.add(key)
        before = self.cuts
        try:
            answer = tuple(make())
        finally:
            self._in_progress.discard(key)
            self._cut.discard(key)
        if (
            not self._cut or not self._in_progress
        ):  # otherwise the answer rests on one that is still being made
            self._answers[key] = answer
            self._cut.clear()
        elif self._made_count > _MOST_MADE and any(isinstance(each, Unknown) for each in answer):
            self._answers[key] = answer  # computing it again would cost as much and end the same way
        if self.cuts != before:
            self._shortened.add(key)
        return answer


def find_reachable(
    first: Iterable[_Answer], next_of: Callable[[_Answer], Iterable[_Answer]]
) -> dict[_Answer, None]:
    """Return all values that can be reached from some values in any number of steps, each once."""
    reached = dict.fromkeys(first)
    waiting = [*reached]
    while waiting:
        for each in next_of(waiting.pop()):
            if each not in reached:
                reached[each] = None
                waiting.append(each)
    return reached


class UnclosedScope(NamedTuple):
    """A scope that is not closed, and a surrounding one that binds the same name."""

    scope: Scope
    around: Scope


def find_unclosed_scope(lexical: Lexical, mention: Mention) -> UnclosedScope | None:
    """Return the unclosed scope that may have taken ``mention`` from a scope around it, or None.

    If a closing bracket is missing, the grammar assumes one further down and reads the code in between as
    part of the open scope: for example calls as methods, and arguments as parameters.
    """
    if mention.role not in ("bind", "early", "use"):
        return None
    own, bound = lexical.scope_of(mention), lexical.bindings_by_scope(mention.name)
    at = mention.scopes.index(own) if own in mention.scopes else len(mention.scopes)
    for n, scope in enumerate(mention.scopes[at:], at + 1):
        around = next((each for each in mention.scopes[n:] if each.node.id in bound), None)
        if around is not None and _is_unclosed(scope.node):
            return UnclosedScope(scope, around)
    return None


def _is_unclosed(node: tree_sitter.Node) -> bool:
    """Return True if the grammar supplied the end of a node."""
    while node.children:
        node = node.children[-1]
    return node.is_missing


Place: TypeAlias = language.Place
Language: TypeAlias = language.Language["Resolver"]


class Resolver(Memo):
    """Resolver of names, with a cache of its answers."""

    def __init__(self, files: Files, dialects: Callable[[str], Language]) -> None:
        super().__init__()
        self.files = files
        self._dialects = dialects
        self._assignments: dict[tuple[str, str], list[tuple[Mention, tree_sitter.Node]]] = {}
        self._lines: dict[str, tuple[int, int]] = {}

    def lexical(self, path: str) -> Lexical:
        found = self.files.lexical(path)
        assert found is not None, path  # noqa: S101 - a mention is from a file that was read
        return found

    def top_binding(self, path: str, name: str) -> Binding:
        """Return a binding of the top level of a file in a language whose files are modules."""
        root = self.lexical(path).syntax.root
        return Binding(path, (root.start_byte, root.end_byte), "module", name)

    def dialect(self, path: str) -> Language:
        return self._dialects(self.files.language(path))

    def rules(self, path: str) -> Scoping:
        """Return the scope rules of a file, without parsing it."""
        found = scope_rules.rules_of(self.files.language(path))
        assert found is not None, path  # noqa: S101 - see `lexical`
        return found

    def linked_language(self, path: str) -> Language | None:
        """Return the language of a file if its declarations are linked across files."""
        return self.dialect(path) if self.rules(path).linked else None

    def line(self, path: str, start: int) -> int:
        at, number = self._lines.get(path, (0, 1))
        if start < at:
            at, number = 0, 1
        number += self.lexical(path).text.count(b"\n", at, start)
        self._lines[path] = (start, number)  # callers mostly ask for the places of a file in order
        return number

    def spot(self, path: str, start: int) -> tuple[int, int]:
        return self.line(path, start), start - self.lexical(path).text.rfind(b"\n", 0, start)

    def dialect_of(self, binding: Binding) -> Language:
        """Return the language of a binding; a module that is a directory has one too."""
        return self._dialects(binding.kind) if binding.scope == WHOLE else self.dialect(binding.path)

    def implied_mentions(self, path: str, word: str) -> tuple[Mention, ...]:
        return self.compute_once(
            ("implied", path, word), lambda: self.dialect(path).find_implied(self, path, word), ()
        )

    def mention(self, path: str, word: str, start: int) -> Mention:
        """Return the occurrence at a byte, also one that is not spelled there."""
        implied = (each for each in self.implied_mentions(path, word) if each.start == start)
        return next(implied, None) or self.lexical(path).mentions.at(word, start)

    def meanings(self, path: str, mention: Mention) -> tuple[Meaning, ...]:
        """Return the possible meanings of an occurrence; empty if it is not a name."""
        return self.compute_once(
            ("meanings", path, mention.start), lambda: self._settle_meanings(path, mention), ()
        )

    def _settle_meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        meanings, linking = tuple(self._find_meanings(path, mention)), self.linked_language(path)
        if linking is not None:
            meanings = tuple(linking.settle_meanings(self, path, mention, meanings))
        elif meanings and all(isinstance(each, Elsewhere) for each in meanings):
            return self._parse_doubts(path, mention) or meanings
        is_whole = not self.lexical(path).syntax.root.has_error
        return meanings if is_whole or not meanings else [*meanings, *self._outer_meanings(path, mention)]

    def _outer_meanings(self, path: str, mention: Mention) -> Iterator[Meaning]:
        unclosed = find_unclosed_scope(self.lexical(path), mention)
        if unclosed is not None:
            around = unclosed.around
            for space in self.lexical(path).spaces(mention, around):
                yield Binding(path, around.span, around.kind, mention.name, space)
            row = self.line(path, unclosed.scope.node.start_byte)
            yield Unknown(f"the block that line {row} opens is not closed, and may end before it")

    def _parse_doubts(self, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the doubt about a name defined elsewhere if a syntax error in this file may define it."""
        lexical = self.lexical(path)
        alike = lexical.occurrences_of(mention.name) if lexical.syntax.root.has_error else ()
        for each in (mention, *alike):
            if each.node.parent is not None and each.node.parent.type == "ERROR":
                return (Unknown(f"line {self.line(path, each.start)} does not parse, and may define it"),)
        return ()

    def _find_meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        dialect = self.dialect(path)
        if mention.role in ("bind", "early", "use", "global", "nonlocal"):
            return self.scope_meanings(path, mention)
        if mention.role == "member":
            return self._member_meanings(path, mention)
        if mention.role == "keyword":
            return dialect.keyword(self, path, mention)
        if mention.role in ("imported", "module"):
            return dialect.resolve_imported(self, path, mention)
        return ()

    def scope_meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        lexical, linking = self.lexical(path), self.linked_language(path)
        if linking is not None and mention.role == "use":
            return linking.resolve_use(self, path, mention)
        scope = lexical.scope_of(mention)
        for each in (
            lexical.open_scopes(mention, scope) if lexical.rules.open and mention.role == "use" else ()
        ):
            meanings = tuple(self.dialect(path).find_in_open_scope(self, path, each, mention))
            if meanings:
                return meanings
        return self.own_scope_meanings(path, mention)

    def own_scope_meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        lexical = self.lexical(path)
        scope = lexical.scope_of(mention)
        if scope is None:
            return self.dialect(path).free(self, path, mention)
        spaces = lexical.spaces(mention, scope)
        own: list[Meaning] = [Binding(path, scope.span, scope.kind, mention.name, space) for space in spaces]
        return self.dialect(path).add_unnamed_imports(self, path, mention, scope, own)

    def own_bindings(self, path: str, mention: Mention) -> Iterator[Binding]:
        """Yield the bindings of a word in its file."""
        return (each for each in self.own_scope_meanings(path, mention) if isinstance(each, Binding))

    def may_have_kind(self, binding: Binding, *kinds: str) -> bool:
        meet = self.rules(binding.path).meet
        return any(meet(place.mention.kind, kind) for place in self.binders(binding) for kind in kinds)

    def node_at(self, path: str, span: tuple[int, int]) -> tree_sitter.Node | None:
        """Return the innermost node with a byte span; None if no node has it."""
        node = self.lexical(path).syntax.root.descendant_for_byte_range(span[0], max(span[0], span[1] - 1))
        while node is not None and (node.start_byte, node.end_byte) != span:
            node = node.parent
        return node

    def class_of_member(self, binding: Binding) -> Class | None:
        node = self.node_at(binding.path, binding.scope)
        return None if node is None else Class(binding.path, node)

    def parsed_files(self, word: str, *suffixes: str) -> Iterator[tuple[str, Lexical]]:
        """Yield the readable files that contain a word, with one of some suffixes, and their names."""
        for path in self.files.holding(word):
            lexical = self.files.lexical(path) if not suffixes or path.endswith(suffixes) else None
            if lexical is not None:
                yield path, lexical

    def _member_meanings(self, path: str, mention: Mention) -> Iterable[Meaning]:
        receiver = self.dialect(path).receiver(mention)
        if receiver is None:
            return (Unknown("the expression around it is unknown"),)
        return self.members_of_values(path, mention, self.values(path, receiver))

    def members_of_values(self, path: str, mention: Mention, values: Iterable[Value]) -> Iterable[Meaning]:
        dialect = self.dialect(path)
        members: list[Meaning] = []
        for value in values:
            had = self._visible_members(path, value, mention.name)
            holder = value.of if isinstance(value, Instance) else value
            if not any(isinstance(each, Binding) for each in had):
                had = tuple(dialect.find_added_members(self, path, mention, value)) or had
            if not had and isinstance(holder, Class):
                had = (self._undefined_member(holder, mention.name),)
            members += had
        can_see = dialect.can_see
        visible = [e for e in dict.fromkeys(members) if not isinstance(e, Binding) or can_see(self, path, e)]
        if members and not visible:
            return (Elsewhere("what is not seen from here"),)
        return self._in_own_space(path, mention, visible) or (Unknown("the value before it is unknown"),)

    def _visible_members(self, path: str, value: Value, name: str) -> tuple[Meaning, ...]:
        """Return the members of a value that a file can see; a member that it cannot see hides nothing."""
        members, can_see = self.members(value, name), self.dialect(path).can_see
        of = value.of if isinstance(value, Instance) else value
        if not isinstance(of, Class) or all(
            can_see(self, path, e) for e in members if isinstance(e, Binding)
        ):
            return members
        return self._inherited_members(of, name, lambda each: can_see(self, path, each)) or members

    def _in_own_space(self, path: str, mention: Mention, meanings: Iterable[Meaning]) -> list[Meaning]:
        """Return the meanings in the member's namespace; all of them if there is none."""
        meet, all_meanings = self.rules(path).meet, list(meanings)
        return [
            each
            for each in all_meanings
            if not (isinstance(each, Binding) and each.space and mention.kind)
            or meet(each.space, mention.kind)
        ] or all_meanings

    def class_member(self, of: Class, name: str) -> Binding:
        return Binding(of.path, of.scope, "class", name)

    def _undefined_member(self, of: Class, name: str) -> Meaning:
        """Return the meaning of a member that no class defines; unknown if only class or objects have it."""
        above = self.ancestry(of) if self.lexical(of.path).rules.static else ()
        if any(isinstance(each, Class) and self.own_members(each, name) for each in above):
            return Unknown("its class alone has it, or its objects")
        return self.class_member(of, name)

    def own_members(self, of: Class, name: str) -> tuple[Binding, ...]:
        """Return the class's own bindings of a name, one in each namespace."""
        plain, rules = self.class_member(of, name), self.lexical(of.path).rules
        spaced = self._space_members(of, name) if rules.static else ()
        if any(each.space != rules.static for each in spaced) or not self.binders(plain):
            return spaced or self._space_members(of, name)
        return (plain, *spaced)

    def _space_members(self, of: Class, name: str) -> tuple[Binding, ...]:
        mentions = (
            self.lexical(of.path).bindings_by_scope(name).get(of.node.id, ()) if self._has_spaces(of) else ()
        )
        skipped = self.rules(of.path).never_members
        members = (each for each in mentions if each.kind not in skipped)
        bindings = (each for mention in members for each in self.own_bindings(of.path, mention))
        return tuple(dict.fromkeys(each for each in bindings if each.space))

    def _has_spaces(self, of: Class) -> bool:
        return bool(self.rules(of.path).spaces)

    def values(self, path: str, node: tree_sitter.Node | None) -> tuple[Value, ...]:
        """Return the values that an expression may have; none without a node."""
        if node is None:
            return ()
        key = ("values", path, node.start_byte, node.end_byte, node.type)
        return self.compute_once(
            key, lambda: self.dialect(path).values(self, path, node), (Unknown("it is too far to follow"),)
        )

    def values_of(self, meaning: Meaning) -> tuple[Value, ...]:
        if not isinstance(meaning, Binding):
            return (meaning,)
        if meaning.scope == WHOLE:
            return (Module(meaning.path, meaning.kind),)
        return self.compute_once(
            ("worth", meaning),
            lambda: self._values_of_binding(meaning),
            (Unknown("it is too far to follow"),),
        )

    def values_of_each(self, meanings: Iterable[Meaning]) -> Iterator[Value]:
        """Yield the possible values of several meanings."""
        for meaning in meanings:
            yield from self.values_of(meaning)

    def member_values(self, value: Value, name: str) -> Iterator[Value]:
        """Yield the possible values of the members of a value with a name."""
        return self.values_of_each(self.members(value, name))

    def binders_of_each(self, meanings: Iterable[Meaning]) -> Iterator[Place]:
        """Yield the occurrences that bind the names of the tree among some meanings."""
        for meaning in meanings:
            if isinstance(meaning, Binding):
                yield from self.binders(meaning)

    def _values_of_binding(self, binding: Binding) -> Iterable[Value]:
        values: list[Value] = []
        for place in self.binders(binding):
            values += self.dialect(place.path).values_at_binding(self, place.path, place.mention)
        return dict.fromkeys(values) or (Unknown(f"the values of {binding.name} are unknown"),)

    def binders(self, binding: Binding) -> tuple[Place, ...]:
        """Return the occurrences that bind a name: in its scope, or as a member of its class."""
        inside = self.compute_once(("inside", binding), lambda: self._binders_inside(binding), ())
        if binding.kind != "class":
            return inside
        # While receivers are being followed, only the bindings in the class's body are known.
        return self.compute_once(
            ("binders", binding), lambda: [*inside, *self._binders_outside(binding)], inside
        )

    def _binders_inside(self, binding: Binding) -> Iterator[Place]:
        lexical = self.lexical(binding.path)
        skipped = lexical.rules.never_members if binding.kind == "class" else ()
        for mention, scope in lexical.binding_in(binding.name, binding.scope):
            if binding.space in lexical.spaces(mention, scope) and mention.kind not in skipped:
                yield Place(binding.path, mention)
        for mention in self.implied_mentions(binding.path, binding.name):
            if lexical.holder(mention).span == binding.scope:
                yield Place(binding.path, mention)

    def _binders_outside(self, binding: Binding) -> Iterator[Place]:
        for path in self.dialect(binding.path).files_defining(self, binding):
            for mention, receiver in self._assigned_members(path, binding.name):
                values = self.values(path, receiver)
                if any(self._assigned_binding(value, binding.name) == binding for value in values):
                    yield Place(path, mention)

    def _assigned_members(self, path: str, word: str) -> list[tuple[Mention, tree_sitter.Node]]:
        assignments = self._assignments.get((path, word))
        if assignments is None:
            dialect = self.dialect(path)
            members = (
                each for each in self.lexical(path).occurrences_of(word) if each.role == "member" or each.key
            )
            pairs = [(each, dialect.receiver(each)) for each in members if dialect.is_set(each)]
            assignments = self._assignments[path, word] = [
                (each, node) for each, node in pairs if node is not None
            ]
        return assignments

    def _assigned_binding(self, value: Value, name: str) -> Binding | None:
        """Return the member that an assignment sets: the declared one, or else a plain one."""
        of = self.class_of(value)
        static = self.lexical(of.path).rules.static if of is not None else ""
        spaced = self._space_members(of, name) if of is not None and static else ()
        own = [each for each in spaced if (each.space == static) != isinstance(value, Instance)]
        return own[0] if own else self.class_member(of, name) if of is not None else None

    def class_of(self, value: Value) -> Class | None:
        """Return the class whose members a value has; None if they are unknown."""
        if isinstance(value, Instance):
            return value.of
        if isinstance(value, Function):
            return self.dialect(value.path).function_as_class(value)
        return value if isinstance(value, Class) else None

    def members(self, value: Value, name: str) -> tuple[Meaning, ...]:
        """Return the members of a value with a name; empty if the value certainly has none of its own."""
        if isinstance(value, Module):
            return tuple(self._dialects(value.language).module_member(self, value, name))
        if isinstance(value, Instance):
            found = self._inherited_members(value.of, name, self._is_instance_only)
            return found or tuple(self.dialect(value.of.path).find_undeclared_members(self, value, name))
        if isinstance(value, Class):
            return self._class_members(value, name)
        if isinstance(value, Function):
            found = self._function_members(value, name)
            return found or tuple(self.dialect(value.path).find_undeclared_members(self, value, name))
        return (value,)

    def _class_members(self, of: Class, name: str) -> tuple[Meaning, ...]:
        """Return the members that a class itself has, without those of its objects alone."""
        members, static = self._inherited_members(of, name, self._is_class_only), self.rules(of.path).static
        plain = [each for each in members if isinstance(each, Binding)] if static else []
        if not plain or any(each.space == static for each in plain):
            return members
        above = self._inherited_members(of, name, lambda each: each.space == static)
        is_there = any(isinstance(each, Binding) for each in above)
        return above if is_there and all(map(self.is_instance_member, plain)) else members

    def is_instance_member(self, member: Binding) -> bool:
        """Return True if only objects have a member, judged by the places that set it."""
        for path, mention in self.binders(member):
            node = self.dialect(path).receiver(mention) if mention.role == "member" else None
            values = () if node is None else self.values(path, node)
            if not all(isinstance(value, Instance) for value in values):
                return False
        return True

    def _is_instance_only(self, binding: Binding) -> bool:
        static = self.rules(binding.path).static
        return not static or binding.space != static

    def _is_class_only(self, binding: Binding) -> bool:
        lexical = self.lexical(binding.path)
        static = lexical.rules.static
        if binding.space or not static:
            return static in ("", binding.space)
        return all(each.kind != static for each, _ in lexical.binding_in(binding.name, binding.scope))

    def _function_members(self, function: Function, name: str) -> tuple[Meaning, ...]:
        own = self.dialect(function.path).function_as_class(function)
        members = self._inherited_members(own, name) if own is not None else ()
        bound = tuple(each for each in members if isinstance(each, Binding))
        return bound or tuple(each for each in members if isinstance(each, Unknown))

    def _inherited_members(
        self, of: Class, name: str, sees: Callable[[Binding], bool] = lambda _: True
    ) -> tuple[Meaning, ...]:
        unknown: list[Meaning] = []
        several: list[Meaning] = []
        is_mixed = self.dialect(of.path).has_unordered_bases(of)
        is_first = self.rules(of.path).overrides and not is_mixed
        for each in self.ancestry(of):
            if not isinstance(each, Class):
                unknown.append(
                    each if isinstance(each, (Elsewhere, Unknown)) else Unknown("a base is no class")
                )
            elif own := self._members_before_bases(each, name, sees):
                several += [*own, *(u for u in unknown if isinstance(u, Unknown))]
                if is_first or each == of:
                    break
        if several and is_mixed and several[0] != self.class_member(of, name):
            several += (each for each in unknown if isinstance(each, Unknown))
        return tuple(dict.fromkeys(several or unknown))

    def _members_before_bases(self, of: Class, name: str, sees: Callable[[Binding], bool]) -> list[Meaning]:
        """Return the members of a class that take precedence over its bases."""
        own: list[Meaning] = [each for each in self.own_members(of, name) if sees(each)]
        return [*own, *self.dialect(of.path).find_adopted_members(self, of, name)]

    def ancestry(self, of: Class) -> tuple[Value, ...]:
        """Return a class and its bases, nearest first; bases that are not classes are kept as they are."""
        return self.compute_once(("ancestry", of.path, of.scope), lambda: self._find_ancestry(of), (of,))

    def _find_ancestry(self, of: Class) -> Iterable[Value]:
        parts = (of, *self.dialect(of.path).parts(self, of))
        ancestry: list[Value] = [*parts]
        for base in (base for part in parts for base in self.dialect(part.path).bases(self, part)):
            ancestry += self.ancestry(base) if isinstance(base, Class) else [base]
        last = {
            key_of(value): at for at, value in enumerate(ancestry)
        }  # shared bases come after those that share them
        return [value for at, value in enumerate(ancestry) if last[key_of(value)] == at]


def cache_answers(
    make: Callable[Concatenate[Resolver, _Arguments], Iterable[_Answer]],
) -> Callable[Concatenate[Resolver, _Arguments], tuple[_Answer, ...]]:
    """Make each answer of a function once for a resolver. In a cycle or beyond a limit it is empty."""

    @wraps(make)
    def ask(
        resolver: Resolver, /, *arguments: _Arguments.args, **options: _Arguments.kwargs
    ) -> tuple[_Answer, ...]:
        return resolver.compute_once((make, *arguments), lambda: make(resolver, *arguments, **options), ())

    return ask


def cache_value(
    otherwise: _Answer,
) -> Callable[
    [Callable[Concatenate[Resolver, _Arguments], _Answer]],
    Callable[Concatenate[Resolver, _Arguments], _Answer],
]:
    """Make the value of a function once for a resolver. In a cycle or beyond a limit it is ``otherwise``."""

    def decorate(
        make: Callable[Concatenate[Resolver, _Arguments], _Answer],
    ) -> Callable[Concatenate[Resolver, _Arguments], _Answer]:
        @wraps(make)
        def ask(resolver: Resolver, /, *arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Answer:
            key = (make, *arguments)
            return resolver.compute_once(key, lambda: (make(resolver, *arguments, **options),), (otherwise,))[
                0
            ]

        return ask

    return decorate


class ResolvedOccurrence(msgspec.Struct, frozen=True, eq=False):
    """Occurrence of a name with its meanings."""

    resolver: Resolver
    path: str
    mention: Mention
    meanings: tuple[Meaning, ...] = ()
    keys: tuple[Meaning, ...] = ()  # meanings of the name as a key (``{ x }``)

    @property
    def start(self) -> int:
        return self.mention.start

    @property
    def role(self) -> Role:
        return self.mention.role

    @property
    def kind(self) -> str:
        return self.mention.kind

    @property
    def key(self) -> bool:
        return self.mention.key

    @property
    def rules(self) -> Scoping:
        return self.resolver.rules(self.path)

    @property
    def imported_meanings(self) -> tuple[Meaning, ...]:
        """Return the origins of a name that an import binds."""
        if self.mention.kind != "import":
            return ()
        return tuple(self.resolver.dialect(self.path).resolve_origin(self.resolver, self.path, self.mention))

    @property
    def is_request(self) -> bool:
        return self.mention.kind == "parameter" and self.resolver.dialect(self.path).is_request(
            self.resolver, self.path, self.mention
        )

    @property
    def other_builds(self) -> tuple[tuple[Binding, str], ...]:
        return tuple(
            self.resolver.dialect(self.path).find_other_builds(self.resolver, self.path, self.mention)
        )

    @property
    def spot(self) -> tuple[int, int]:
        return self.resolver.spot(self.path, self.mention.start)


def importer_of(language: str) -> str:
    """Return the package in ``refactor`` that rewrites a language's imports; empty if there is none."""
    importer: str = language_class(language).importer if is_followed(language) else ""
    return importer


@cache
def dialect(language: str) -> Language:
    language_names: Language = language_class(language)()
    return language_names
