"""Uses of definitions that an edit changes or removes.

A call is reported if it fitted the old header and fits none of the definitions that it may mean now. Types
are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import Affected, remark
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Refs, SafeDelete
from gitscalpel.edit.outcome import LoweredOperation, OpenSource
from gitscalpel.edit.symbols.delete import references_error
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.names import address_targets, overloads, unresolved_notes
from gitscalpel.names.address_targets import bindings_of
from gitscalpel.names.class_hierarchy import alias_of
from gitscalpel.names.entities import Binding, Class
from gitscalpel.names.files import ScriptFiles
from gitscalpel.names.languages.python import classes
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.references import Reference, References, find_references, occurs_too_often
from gitscalpel.names.resolver import Place, Resolver, dialect
from gitscalpel.syntax import addresses
from gitscalpel.syntax.addresses import resolve_address
from gitscalpel.syntax.documentation import Arity, arity_of
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbol_changes import Intent
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.line_diff import diff_items

_WORD_PATTERN = re.compile(rb"\w+|[^\w\s]")


def lower_unused(op: SafeDelete, overlay: Overlay, read: OpenSource) -> LoweredOperation:
    """Return the uncertain references of a definition without certain uses.

    Raises ``referenced``, or ``unsupported_language`` if the name cannot be followed.
    """
    resolver = Resolver(ScriptFiles(overlay, read), dialect)
    found, uses = find_uses(resolver, op.path, op.symbol)
    if uses:
        raise references_error(op.symbol, [_describe_use(resolver, each) for each in uses])
    return LoweredOperation((), unchecked=tuple(unresolved_notes.iter_unresolved(resolver, found)))


def find_uses(resolver: Resolver, path: str, symbol: str) -> tuple[References, list[Reference]]:
    """Return the references of a definition, and those that certainly use it from outside of it.

    Raises ``DoesNotFit`` if the language or the name cannot be followed.
    """
    place = address_targets.find_target(Refs(path=path, symbol=symbol), resolver)
    source = resolver.files.source(path)
    assert source is not None  # noqa: S101 - its name was found there
    own = addresses.resolve_address(source.outline, symbol)
    found = overloads.select_overloads(
        resolver, [place], find_references(resolver, bindings_of(resolver, place))
    )
    return found, [
        each
        for each in found.certain
        if each.kind != "definition"
        and not (each.path == path and own.full_start <= each.mention.start < own.end)
    ]


def find_dangling(before: Resolver, after: Resolver, uses: list[Reference]) -> Iterator[tuple[str, int]]:
    """Yield path and line of names that meant a deleted definition and mean nothing now."""
    by_path: dict[str, list[Reference]] = {}
    for each in uses:
        by_path.setdefault(each.path, []).append(each)
    for path, references in by_path.items():
        was, now = (files.overlay.entry(path) for files in (before.files, after.files))
        if now == was:
            yield from ((path, before.line(path, each.mention.start)) for each in references)
        elif now is not None and after.files.lexical(path) is not None:
            others = _find_offsets_of_other_mentions(before, after, references)
            for mention in after.lexical(path).occurrences_of(references[0].mention.name):
                known = any(isinstance(each, Binding) for each in after.meanings(path, mention))
                is_use = mention.role in ("use", "member", "imported", "keyword")
                if is_use and not known and mention.start not in others:
                    yield path, after.line(path, mention.start)


def _find_offsets_of_other_mentions(before: Resolver, after: Resolver, uses: list[Reference]) -> set[int]:
    """Return the offsets of kept occurrences of the name in a changed file that were not uses."""
    path, name = uses[0].path, uses[0].mention.name
    old, new = before.lexical(path), after.lexical(path)
    others = {*Mention.places(name, old.text, old.syntax.language.name)}
    others -= {each.mention.start for each in uses}
    return {at for was, at in iter_common_words(old.text, new.text) if was in others} if others else set()


def iter_common_words(old: bytes, new: bytes) -> Iterator[tuple[int, int]]:
    """Yield the old and new offsets of the words that two texts have in common."""
    was, now = ([(each[0], each.start()) for each in _WORD_PATTERN.finditer(text)] for text in (old, new))
    ranges = diff_items([word for word, _ in was], [word for word, _ in now])
    a = c = 0
    for start, end, _, behind in (*ranges, (len(was), 0, 0, 0)):
        yield from zip((at for _, at in was[a:start]), (at for _, at in now[c:]), strict=False)
        a, c = end, behind


def _describe_use(resolver: Resolver, each: Reference) -> dict[str, Any]:
    line = resolver.line(each.path, each.mention.start)
    line_text = resolver.lexical(each.path).text.split(b"\n")[line - 1].decode("utf-8", "replace").strip()
    return {"path": each.path, "line": line, "text": line_text}


_CONSTRUCTORS = frozenset({"constructor", "__init__", "__construct"})
"""Names of constructors, which are called by the name of their class."""
_NUMBER = re.compile(r"(\[\d+\]|#\d+)$")
_MEMBER_TYPES = frozenset({"attribute", "member_expression", "selector_expression", "field_access"})
"""Nodes that name a member last."""
_CALL_TYPES = frozenset(
    {"call", "call_expression", "new_expression", "method_invocation", "object_creation_expression"}
)
_CALLEE_FIELDS = ("function", "constructor", "name", "type")
_SPREAD_TYPES = frozenset({"list_splat", "dictionary_splat", "spread_element", "variadic_argument"})
_LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx", "java", "go"})
_REPLACING_DECORATORS = frozenset({"property", "setter", "getter", "deleter", "overload", "fixture"})
"""Decorators after which calls of the name are not calls of the function."""


class Arguments(NamedTuple):
    """Arguments of a call: the number of positional ones, and the names of the others."""

    by_place: int
    by_name: frozenset[str]


class _Use(NamedTuple):
    """A use of a definition in the tree after the edit."""

    path: str
    mention: Mention
    origin: Mention | None = None  # the same place before the edit, if its meaning is looked up there
    is_alias: bool = False  # True if the place uses an alias of the definition


class Misfit(NamedTuple):
    """A call that no longer fits, and the reason."""

    path: str
    line: int
    why: str


class CallFit:
    """Comparison of a definition's header before and after an edit with its calls."""

    def __init__(self, before: Resolver, after: Resolver, path: str, address: str) -> None:
        self._before = before
        self._after = after
        self._path = path
        self._address_after = address
        self._is_constructor = is_constructor(address)
        self._old = [*_iter_arities(before, path, address)]
        self._new = [*_iter_arities(after, path, address)]
        self._has_overloads = bool(after.lexical(path).rules.overloads)

    def misfits(self) -> tuple[list[Misfit], list[Reference]]:
        """Return the calls that no longer fit, and the uses of the definition.

        Raises ``DoesNotFit`` if the definition has no name that can be followed.
        """
        # Overloads are chosen by their parameters, so the new header would hide calls of the old one.
        resolver = self._before if self._has_overloads else self._after
        uses = []
        for address in self._list_called_addresses():
            uses += find_uses(resolver, self._path, address)[1]
        found: dict[tuple[str, int], Misfit] = {}
        for use in self._iter_uses(resolver, uses):
            why = self._find_misfit(use)
            if why:
                line = self._after.line(use.path, use.mention.start)
                found.setdefault((use.path, use.mention.start), Misfit(use.path, line, why))
        return list(dict.fromkeys(found.values())), uses

    def _list_called_addresses(self) -> tuple[str, ...]:
        if not self._is_constructor:
            return (self._address_after,)
        owner, _, name = self._address_after.rpartition(".")
        return (owner, self._address_after) if name == "__init__" else (owner,)

    def _iter_uses(self, resolver: Resolver, uses: Iterable[Reference]) -> Iterator[_Use]:
        offsets: dict[str, dict[int, int]] = {}
        for each in uses:
            if resolver is self._after:
                yield from self._iter_with_aliases(each.path, each.mention)
                continue
            if each.path not in offsets:
                is_left = self._after.files.overlay.entry(each.path) is not None
                trees = (self._before, self._after)
                texts = [tree.lexical(each.path).text for tree in trees] if is_left else [b"", b""]
                offsets[each.path] = dict(iter_common_words(*texts))
            start = offsets[each.path].get(each.mention.start)
            if start is not None:
                mention = self._after.mention(each.path, each.mention.name, start)
                yield _Use(each.path, mention, each.mention)

    def _iter_with_aliases(self, path: str, mention: Mention) -> Iterator[_Use]:
        yield _Use(path, mention)
        other = alias_of(mention.node) if mention.role == "imported" or mention.kind == "import" else None
        if other is None:
            return
        for each in self._after.lexical(path).occurrences_of((other.text or b"").decode("utf-8", "replace")):
            meanings = self._after.meanings(path, each) if each.role == "use" else ()
            binders = (self._after.binders(one) for one in meanings if isinstance(one, Binding))
            if any(place.mention.start == other.start_byte for places in binders for place in places):
                yield _Use(path, each, is_alias=True)

    def _find_misfit(self, use: _Use) -> str | None:
        """Return why a call no longer fits; None if it fits or cannot be judged."""
        language = self._after.lexical(use.path).syntax.language.name
        call = find_call(use.mention.node) if language in _LANGUAGES else None
        arguments = None if call is None else read_arguments(call)
        if call is None or arguments is None:
            return None
        arguments = self._drop_receiver(use, arguments)
        if self._old and not _accepts(self._old, arguments):
            return None
        if self._is_constructor:
            return _describe(self._new, arguments)
        definitions = [] if use.is_alias else [*self._iter_definitions(use)]
        decorators = frozenset[str]().union(*(_read_decorators(place) for _, place in definitions))
        if language == "python" and not decorators and not use.is_alias:
            return self._find_python_misfit(use)
        return self._find_header_misfit(definitions, decorators, call, arguments)

    def _find_header_misfit(
        self,
        definitions: list[tuple[Symbol, Place]],
        decorators: frozenset[str],
        call: tree_sitter.Node,
        arguments: Arguments,
    ) -> str | None:
        announced = [one for one in definitions if one[0].declared]  # overloads of TypeScript
        known: list[Arity] = []
        for symbol, place in announced or definitions:
            for header in self._new if self._is_own(symbol, place) else [arity_of(symbol)]:
                if header is None:
                    return None
                known.append(header)
        known = known or self._new
        if any(_may_spread(header, call) for header in known) or decorators & _REPLACING_DECORATORS:
            return None
        why = _describe(known, arguments)
        is_open = why and decorators - _KEEPING_DECORATORS
        return f"{why} (unless a decorator changes what it takes)" if is_open else why

    def _is_own(self, symbol: Symbol, place: Place) -> bool:
        bare = _NUMBER.sub("", self._address_after)
        return self._has_overloads and place.path == self._path and symbol.qualname == bare

    def _find_python_misfit(self, use: _Use) -> str | None:
        found = [one for one in self._after.meanings(use.path, use.mention) if isinstance(one, Binding)]
        origin = [one for one in found if one.kind in ("module", "class", "function")]
        if not origin:
            return None
        defined = _find_origin(self._after, origin[0])
        return classes.call_mismatch(self._after, use.path, use.mention.node, defined)

    def _iter_definitions(self, use: _Use) -> Iterator[tuple[Symbol, Place]]:
        resolver = self._after if use.origin is None else self._before
        for one in resolver.meanings(use.path, use.origin or use.mention):
            if isinstance(one, Binding):
                for place in resolver.binders(_find_origin(resolver, one)):
                    symbol = _find_symbol_at(resolver, place)
                    if symbol is not None:
                        yield symbol, place

    def _drop_receiver(self, use: _Use, arguments: Arguments) -> Arguments:
        """Return the arguments without the receiver if a method is called on its type (``T.m(x, 1)``)."""
        member = use.mention.node.parent
        if member is None or member.type not in ("attribute", "selector_expression") or use.is_alias:
            return arguments
        if self._is_constructor and use.mention.name not in _CONSTRUCTORS:
            return arguments  # ``module.A(1)``
        takes_receiver = member.type == "selector_expression" or any(each.has_receiver for each in self._new)
        owner = find_part(member, "object", "operand")
        values = self._after.values(use.path, owner) if takes_receiver else ()
        is_type = bool(values) and all(isinstance(value, Class) for value in values)
        is_bound = is_type and any(
            _read_decorators(place) & {"classmethod", "staticmethod"}
            for _, place in self._iter_definitions(use)
        )
        if not is_type or not arguments.by_place or is_bound:
            return arguments
        return Arguments(arguments.by_place - 1, arguments.by_name)


_KEEPING_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "override", "final", "wraps"}
)
"""Decorators that do not change the parameters of a function."""


def is_constructor(address: str) -> bool:
    """Return True if an address is that of a constructor, which is called by the name of its class."""
    names = _NUMBER.sub("", address).split(".")
    return len(names) > 1 and (names[-1] in _CONSTRUCTORS or names[-1] == names[-2])


def find_call(name: tree_sitter.Node) -> tree_sitter.Node | None:
    called = name
    while called.parent is not None and called.parent.type in (*_MEMBER_TYPES, "generic_type"):
        named = called.parent.named_children
        is_last = named and named[-1] == called
        if not is_last and called.parent.type != "generic_type":
            return None
        called = called.parent
    call = called.parent
    if call is None or call.type not in _CALL_TYPES:
        return None
    return call if called in [call.child_by_field_name(field) for field in _CALLEE_FIELDS] else None


def read_arguments(call: tree_sitter.Node) -> Arguments | None:
    """Return the arguments of a call, or None if their number is unknown before it runs."""
    listed = call.child_by_field_name("arguments")
    if listed is None:
        return Arguments(0, frozenset()) if call.type == "new_expression" else None
    if listed.type not in ("arguments", "argument_list"):
        return None
    nodes = [node for node in listed.named_children if not node.is_extra]
    if any(node.type in _SPREAD_TYPES for node in nodes):
        return None
    named = [node.child_by_field_name("name") for node in nodes if node.type == "keyword_argument"]
    names = frozenset((node.text or b"").decode("utf-8", "replace") for node in named if node is not None)
    return Arguments(len(nodes) - len(named), names)


def _may_spread(header: Arity, call: tree_sitter.Node) -> bool:
    """Return True if one argument may be several values, as in Go (``f(g())``)."""
    listed = find_part(call, "arguments")
    nodes = [node for node in children_of(listed) if not node.is_extra]
    is_go = listed is not None and listed.type == "argument_list" and call.type == "call_expression"
    return is_go and len(nodes) == 1 and nodes[0].type == "call_expression" and header.by_place > 1


def _accepts(headers: Iterable[Arity], arguments: Arguments) -> bool:
    return any(header.accepts(*arguments) for header in headers)


def _describe(headers: list[Arity], arguments: Arguments) -> str | None:
    if not headers or _accepts(headers, arguments):
        return None
    takes = headers[0]
    if arguments.by_place > takes.by_place and not takes.is_variadic:
        return f"it takes {takes.by_place} by place, and is given {arguments.by_place}"
    unknown = arguments.by_name - {*takes.names}
    if unknown and not takes.takes_any_name:
        return f"it has no {', '.join(sorted(unknown))}"
    bound = arguments.by_name.union(takes.names[: arguments.by_place])
    missing = [name for name in takes.names if name in takes.required and name not in bound]
    if any(name.startswith("#") for name in missing):
        return f"it takes {takes.by_place}, and is given {arguments.by_place}"
    return f"{', '.join(missing)} is not given"


def _iter_arities(resolver: Resolver, path: str, address: str) -> Iterator[Arity]:
    source = resolver.files.source(path)
    if source is None:
        return
    try:
        own = resolve_address(source.outline, f"/{address}")
    except ScalpelError:
        return
    siblings = own.parent.children if own.parent is not None else source.outline.symbols
    for each in siblings:
        arity = arity_of(each) if each.segments == own.segments else None
        if arity is not None:
            yield arity


def _find_origin(resolver: Resolver, binding: Binding) -> Binding:
    seen = {binding}
    while True:
        origins = [
            one
            for place in resolver.binders(binding)
            if place.mention.kind == "import"
            for one in resolver.dialect(place.path).resolve_origin(resolver, place.path, place.mention)
            if isinstance(one, Binding) and one not in seen
        ]
        if not origins:
            return binding
        binding = origins[0]
        seen.add(binding)


def _find_symbol_at(resolver: Resolver, place: Place) -> Symbol | None:
    source = resolver.files.source(place.path)
    at, name = place.mention.start, place.mention.name
    found = () if source is None else source.outline.walk()
    return next((s for s in found if s.name == name and s.start <= at <= s.header_end), None)


def _read_decorators(place: Place) -> frozenset[str]:
    function = place.mention.node.parent
    names = classes.decorator_names(function) if function is not None else []
    return frozenset(name.decode("utf-8", "replace") for name in names)


_WORD = re.compile(rb"[\w\x80-\xff$]+")


def find_removed_parameters(
    before: Resolver, after: Resolver, path: str, address: str
) -> Iterator[tuple[str, int]]:
    """Yield the names that a body uses and only the old header bound, with their lines.

    Nothing is reported in languages where a use of a name declares it (PHP). Raises ``DoesNotFit`` unless the
    address means one definition.
    """
    sources = (each.files.source(path) for each in (before, after))
    symbols = [addresses.resolve_address(each.outline, address) for each in sources if each is not None]
    if len(symbols) < 2:
        return
    (was, now), old, new = symbols, before.lexical(path), after.lexical(path)
    for word in sorted(_find_names_bound_by_header(old, was) - _find_names_bound_by_header(new, now)):
        if any(is_own for _, is_own in _iter_word_uses(old, was, word)):
            for each, is_own in _iter_word_uses(new, now, word):
                if not is_own:
                    yield word, after.line(path, each.start)


def _find_names_bound_by_header(lexical: Lexical, symbol: Symbol) -> set[str]:
    start, end = symbol.start, _find_body_span(symbol)[0]
    words = {word.decode("utf-8", "replace") for word in _WORD.findall(lexical.text[start:end])}
    return {
        word
        for word in words
        for bound in lexical.bindings_by_scope(word).values()
        if any(start <= each.start < end for each in bound)
    }


def _iter_word_uses(lexical: Lexical, symbol: Symbol, word: str) -> Iterator[tuple[Mention, bool]]:
    """Yield the uses of a word in the body, with True if the definition itself binds the word."""
    start, end = _find_body_span(symbol)
    for mention in lexical.occurrences_of(word):
        if mention.role == "use" and start <= mention.start < end:
            scope = lexical.scope_of(mention)
            yield mention, scope is not None and scope.span[0] >= symbol.start


def _find_body_span(symbol: Symbol) -> tuple[int, int]:
    return symbol.body or (symbol.header_end, symbol.end)


_MAX_FILES = 150
"""Largest number of files with the word that an edit searches; ``refs`` searches all."""
_MAX_PLACES = 20_000
"""Largest number of occurrences in these files. Each costs about 0.1 ms, and memory until the end."""


class ChangedDefinition(NamedTuple):
    """A changed definition of a file."""

    path: str
    intent: Intent


class Impact(NamedTuple):
    """Effects of changed definitions."""

    affected: tuple[Affected, ...]  # number of uses of each definition
    left: tuple[str, ...]  # messages about names that mean nothing any more, and calls that no longer fit


def find_impact(overlay: Overlay, read: OpenSource, changes: Iterable[ChangedDefinition]) -> Impact:
    """Return the effects of changed definitions on the rest of the tree."""
    before = Resolver(ScriptFiles(Overlay(overlay.below), read), dialect)
    after = Resolver(ScriptFiles(overlay, read), dialect)
    affected: list[Affected] = []
    notes: list[str] = []
    for path, intent in changes:
        if intent.kind == "signature_change":
            notes += _list_removed_parameters(before, after, path, intent)
        resolver = after if intent.kind == "signature_change" else before
        too_many = _describe_excess(resolver, _last_name(intent.symbol))
        if too_many:
            words = f"skipped: uses of {intent.symbol} were not searched: the word occurs {too_many}"
            notes.append(remark(words, severity="note"))
            continue
        try:
            if intent.kind == "signature_change":
                misfits, uses = CallFit(before, after, path, _address_after(after, path, intent)).misfits()
                misfit = f"the call of {intent.symbol} does not fit"
                notes += (
                    remark(f"{misfit}: {one.why}", path=one.path, lines=[one.line], kind="call")
                    for one in misfits
                )
            else:
                _, uses = find_uses(resolver, path, intent.symbol)
                notes += _list_dangling(before, after, intent, uses)
        except DoesNotFit:
            continue  # the definition has no name that can be followed
        if uses:
            files = {each.path for each in uses}
            affected.append(Affected(symbol=intent.symbol, references=len(uses), files=len(files)))
    return Impact(tuple(affected), tuple(notes))


def _describe_excess(resolver: Resolver, word: str) -> str:
    """Return how often words contain a word in the tree, if that is too often to follow it."""
    paths = [*resolver.files.holding(word)]
    if len(paths) > _MAX_FILES:
        return f"in {len(paths)} files"
    often = occurs_too_often(resolver.files, word, _MAX_PLACES)
    return f"at more than {_MAX_PLACES} places" if often else ""


def _last_name(symbol: str) -> str:
    return re.sub(r"\[\d+\]$", "", symbol).rpartition(".")[2]


def _list_removed_parameters(before: Resolver, after: Resolver, path: str, intent: Intent) -> Iterator[str]:
    with suppress(DoesNotFit):  # several definitions have the name
        removed = find_removed_parameters(before, after, path, intent.symbol)
        for name, lines in unresolved_notes.lines_by_name(removed):
            words = f"{intent.symbol} uses {name}, which is no longer a parameter"
            yield remark(words, path=path, lines=lines, kind="parameter")


def _list_dangling(before: Resolver, after: Resolver, intent: Intent, uses: list[Reference]) -> Iterator[str]:
    became = f"is called {intent.to} now" if intent.to else "is gone"
    for path, lines in unresolved_notes.lines_by_name(find_dangling(before, after, uses)):
        yield unresolved_notes.note_left(path, lines, intent.symbol, f"it {became}", "removed")


def _address_after(resolver: Resolver, path: str, intent: Intent) -> str:
    source = resolver.files.source(path)
    if source is None:
        return intent.symbol
    spelt = addresses.list_addresses(source.outline)
    found = (each for each in source.outline.walk() if each.full_start == intent.at)
    return next((spelt[id(each)] for each in found if each.qualname == intent.symbol), intent.symbol)
