"""Find the references of a name: certain, unresolved, and in text.

Every occurrence is one that certainly means the name, certainly does not, or cannot be resolved. Built-in
names (``bool`` in Rust, ``len`` in Go) have no definition, so all their uses mean the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import dropwhile
from typing import Literal

import msgspec
import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.names import override_sets
from gitscalpel.names.entities import WHOLE, Binding, Elsewhere, Meaning, Unknown
from gitscalpel.names.files import Files
from gitscalpel.names.override_sets import ChainDoubt, OverrideChain, OverrideSet
from gitscalpel.names.resolver import Place, ResolvedOccurrence, Resolver
from gitscalpel.syntax.occurrences import Mention

Kind = Literal["definition", "use", "import", "text"]
Form = Literal["plain", "key", "value", "alias", "both"]
"""How another name is written: in place of the old one; as the key before it or the value behind it (``{
x }``);
as an alias in an import; or as a second import next to the one that stays."""
OVERLOADED = "it may be another overload"
"""Reason for a call that several overloads fit."""


class Reference(msgspec.Struct, frozen=True):
    """An occurrence that may mean a name."""

    found: ResolvedOccurrence
    kind: Kind
    certain: bool  # True if the occurrence certainly means the name
    why: str = ""  # why the meaning is uncertain; empty if it is certain
    form: Form = "plain"
    twofold: bool = False  # True if it is this name in some builds only, which no cross-check can settle
    doubt: ChainDoubt | None = None  # why the occurrence may mean another name of the override set

    @property
    def path(self) -> str:
        return self.found.path

    @property
    def mention(self) -> Mention:
        return self.found.mention


class References(msgspec.Struct, frozen=True):
    """The occurrences of one name."""

    name: str
    family: OverrideSet  # the bindings that must have the same name
    places: tuple[Reference, ...]  # by file and line, without those that certainly mean something else
    others: int  # number of occurrences that mean something else
    unread: dict[str, str]  # why files that contain the word were not read, by path
    spelt: tuple[Reference, ...] = ()  # places that may contain the name in a longer word
    overriding: tuple[Place, ...] | None = None  # overrides of external members; None: the family's

    @property
    def certain(self) -> list[Reference]:
        return [place for place in self.places if place.certain]

    @property
    def unsure(self) -> list[Reference]:
        return [place for place in self.places if not place.certain and place.kind != "text"]

    @property
    def text(self) -> list[Reference]:
        """Return the occurrences in comments, strings and prose."""
        return [place for place in self.places if not place.certain and place.kind == "text"]


_MOST_PLACES = 50_000
"""Maximum number of occurrences of a name that are resolved. Each costs about 0.1 ms and 2 kB."""


def occurs_too_often(files: Files, word: str, most: int = _MOST_PLACES) -> bool:
    """Return True if a word occurs more than ``most`` times in the tree, also inside longer words."""
    raw, count = word.encode("utf-8", "surrogateescape"), 0
    for path in files.holding(word):
        count += (files.overlay.content(path) or b"").count(raw)
        if count > most:
            return True
    return False


def find_references(
    resolver: Resolver,
    target: set[Binding],
    *,
    apart: bool = False,
    in_line: Place | None = None,
) -> References:
    """Return every occurrence of a name in the tree.

    With ``in_line``, the place of the request, other members of the override set become uncertain unless they
    are in one chain of overrides with it. ``OverrideSet`` describes ``apart``. Raises ``too_large`` if the
    name occurs too often to be followed.
    """
    (name,) = {binding.name for binding in target}
    if not _is_local(resolver, target) and occurs_too_often(resolver.files, name):
        raise DoesNotFit(
            "too_large",
            f"{name} occurs at more than {_MOST_PLACES} places, too many to resolve",
            "exclude generated files that contain it from the repository, or edit the places with "
            f"{call('text', all=True)}",
        )
    occurrences = (
        [*_resolve_in_scope(resolver, name, target)]
        if _is_local(resolver, target)
        else _resolve_in_tree(resolver, name, min(each.path for each in target))
    )
    family = OverrideSet(resolver, target, apart=apart)
    bindings = [m for each in occurrences for m in (*each.meanings, *each.keys) if isinstance(m, Binding)]
    family.grow(bindings)
    family.akin |= override_sets.find_structural_members(resolver, family, bindings)
    chain = OverrideChain(resolver, family, target if in_line else (), in_line)
    references = [_make_reference(family, chain, each) for each in occurrences]
    places = tuple(place for place in references if place is not None)
    spelt = tuple(_longer_spellings(resolver, family))
    others, unread = len(references) - len(places), dict(resolver.files.unread)
    spans = {each: _function_span(resolver, each) for each in family.members}
    if all(spans.values()):
        inside = [(each.path, *span) for each, span in spans.items() if span is not None]
        places = tuple(each for each in places if each.kind != "text" or _is_inside(each, inside))
        unread = {}
    return References(name, family, places, others, unread, spelt)


def _longer_spellings(resolver: Resolver, family: OverrideSet) -> Iterator[Reference]:
    words: dict[str, set[str]] = {}
    for each in family.members:
        for part, word in resolver.dialect_of(each).iter_longer_words(resolver, each):
            words.setdefault(part, set()).add(word)
    for part, words_of_part in sorted(words.items()):
        for path in resolver.files.holding(part):
            for word in sorted(words_of_part):
                for occurrence in _resolve_in_file(resolver, path, word):
                    yield Reference(occurrence, "use", False, f"{word} says it there")


_INNER_SCOPES = frozenset({"block", "let", "comprehension", "arm", "with", "signature"})
"""Kinds of scopes that are local if they are in a function."""


def _is_inside(each: Reference, spans: Iterable[tuple[str, int, int]]) -> bool:
    return any(each.path == path and start <= each.mention.start < end for path, start, end in spans)


def _function_span(resolver: Resolver, of: Binding) -> tuple[int, int] | None:
    """Return the span of the function of a local name, with the comments directly above it, or None."""
    if of.scope == WHOLE or of.kind not in ("function", *_INNER_SCOPES):
        return None
    for mention, _ in resolver.lexical(of.path).binding_in(of.name, of.scope):
        for scope in dropwhile(lambda each: each.span != of.scope, mention.scopes):
            if scope.kind == "function":
                return _documented_start(scope.node), scope.node.end_byte
            if scope.kind not in _INNER_SCOPES:
                break
    return None


def _documented_start(node: tree_sitter.Node) -> int:
    """Return the start of a definition with the comments directly above it, or above its statement."""
    start, each = node.start_byte, node
    while each.parent is not None and start == node.start_byte:
        above = each.prev_sibling
        while above is not None and "comment" in above.type:
            start, above = above.start_byte, above.prev_sibling
        if each.parent.type.endswith(("block", "body")):
            break
        each = each.parent
    return start


def _is_local(resolver: Resolver, target: set[Binding]) -> bool:
    """Return True if only the scope of a name can use it."""
    return all(
        each.scope != WHOLE
        and (_is_alone(resolver, each) or resolver.dialect_of(each).is_private(resolver, each))
        for each in target
    )


def _is_alone(resolver: Resolver, of: Binding) -> bool:
    """Return True if a name exists in its scope only, so that no macro, template or caller can spell it."""
    rules = resolver.rules(of.path)
    if of.kind in rules.alone:
        return True
    if rules.linked or rules.fixed or rules.implies or _function_span(resolver, of) is None:
        return False
    binders = resolver.lexical(of.path).binding_in(of.name, of.scope)
    return not any(mention.kind == "parameter" for mention, _ in binders)


def _resolve_in_scope(resolver: Resolver, name: str, target: set[Binding]) -> Iterator[ResolvedOccurrence]:
    for path, (start, end) in sorted({(each.path, _scope_span(resolver, each)) for each in target}):
        for mention in resolver.lexical(path).occurrences_of(name):
            if start <= mention.start < end:
                yield ResolvedOccurrence(resolver, path, mention, *both_meanings(resolver, path, mention))


def _scope_span(resolver: Resolver, of: Binding) -> tuple[int, int]:
    if of.kind in resolver.rules(of.path).alone:
        return of.scope
    whole_file = (0, len(resolver.lexical(of.path).text))
    return (_function_span(resolver, of) if _is_alone(resolver, of) else None) or whole_file


def _resolve_in_tree(resolver: Resolver, name: str, first: str) -> list[ResolvedOccurrence]:
    language = resolver.lexical(first).syntax.language.name if resolver.files.is_file(first) else ""
    paths = resolver.files.holding_name(name, language)
    return [occurrence for path in paths for occurrence in _resolve_in_file(resolver, path, name)]


def _resolve_in_file(resolver: Resolver, path: str, name: str) -> Iterator[ResolvedOccurrence]:
    for mention in _iter_mentions(resolver, path, name):
        yield ResolvedOccurrence(resolver, path, mention, *both_meanings(resolver, path, mention))


def _iter_mentions(resolver: Resolver, path: str, name: str) -> Iterator[Mention]:
    if not resolver.files.may_mention(path, name):
        return
    lexical = resolver.files.lexical(path)
    if lexical is not None:
        implied = resolver.implied_mentions(path, name)
        yield from implied
        for mention in lexical.occurrences_of(name):
            if not any(each.start <= mention.start < each.node.end_byte for each in implied):
                yield mention
    elif resolver.files.is_file(path) and path not in resolver.files.unread:
        resolver.files.unread[path] = resolver.files.why_unread(path)


def both_meanings(
    resolver: Resolver, path: str, mention: Mention
) -> tuple[tuple[Meaning, ...], tuple[Meaning, ...]]:
    """Return the meanings of an occurrence as a name, and as a key."""
    dialect = resolver.dialect(path)
    rules = resolver.rules(path)
    if mention.role == "string" or (mention.role == "comment" and rules.commented):
        return tuple(dialect.resolve_in_string(resolver, path, mention)), ()
    return resolver.meanings(path, mention), tuple(
        dialect.key(resolver, path, mention) if mention.key else ()
    )


def _make_reference(
    family: OverrideSet, lineage: OverrideChain, each: ResolvedOccurrence
) -> Reference | None:
    as_name, as_key = (_match_family(family, each, meanings) for meanings in (each.meanings, each.keys))
    if "certain" in (as_name, as_key):
        form: Form = "plain"
        if each.key and as_name != as_key:
            form = "value" if as_name == "certain" else "key"
        elif as_name == "certain" and _is_foreign(family, each):
            form = "alias"
        doubt = lineage.doubt_at(each)
        why = "" if doubt is None else doubt.value
        return Reference(each, _reference_kind(each), not why, why, form, doubt=doubt)
    if each.role in ("comment", "string", "text"):
        return Reference(each, "text", False, f"it is in a {each.role}")
    why = as_name or as_key
    may: Form = "plain" if not each.key or (as_name and as_key) else "value" if as_name else "key"
    if why:
        return Reference(each, _reference_kind(each), False, why, may)
    why = next((why for meaning, why in each.other_builds if meaning in family.members), "")
    if why:
        return Reference(each, _reference_kind(each), False, why, twofold=True)
    return None


def _match_family(family: OverrideSet, found: ResolvedOccurrence, meanings: tuple[Meaning, ...]) -> str:
    """Return ``certain``, why that is uncertain, or "" if the occurrence means something else."""
    members = [meaning for meaning in meanings if isinstance(meaning, Binding) and meaning in family.members]
    unknown = [meaning for meaning in meanings if isinstance(meaning, Unknown) and not meaning.among]
    if members:
        return "certain" if len(members) == len(meanings) else "it may be another one as well"
    for meaning in meanings:
        if isinstance(meaning, Binding) and meaning in family.akin:
            return family.akin[meaning]
    keywords = [each for each in unknown if each.called is not None and family.function_names]
    for each in keywords:
        if not each.called or each.called in family.function_names:
            return each.why
    for each in unknown:
        if each.called is not None and found.rules.keyworded:
            continue
        reached = _reachable_kinds(found, each)
        if any(_may_mean(found.resolver, binding, reached) for binding in family.members):
            return each.why
    return ""


def _reachable_kinds(found: ResolvedOccurrence, unknown: Unknown) -> frozenset[str]:
    """Return the kinds of scopes that an unresolved occurrence may refer to."""
    rules = found.rules
    if found.role == "fragment" or unknown.anywhere:
        return rules.reached | rules.kinds
    if found.role == "keyword":
        return rules.reached | {"function"} if rules.linked else rules.reached - {"module"}
    return rules.reached


def _may_mean(resolver: Resolver, binding: Binding, reached: frozenset[str]) -> bool:
    if binding.scope == WHOLE or binding.kind not in reached:
        return binding.scope == WHOLE
    return binding.kind != "module" or resolver.dialect_of(binding).may_be_member_value(resolver, binding)


def _is_foreign(family: OverrideSet, each: ResolvedOccurrence) -> bool:
    """Return True if an import brings a name that must not be changed at its origin."""
    origins = each.imported_meanings
    return bool(origins) and not any(meaning in family.members for meaning in origins)


def _reference_kind(found: ResolvedOccurrence) -> Kind:
    if found.role in ("imported", "module") or found.kind == "import":
        return "import"
    return "definition" if found.role in ("bind", "early") and not found.is_request else "use"


_LANGUAGE = Elsewhere("the language")


def find_builtin_references(resolver: Resolver, place: Place) -> References | None:
    """Return the references of a built-in name; None if the place does not name one."""
    if not _is_builtin(resolver, place):
        return None
    name, language = place.mention.name, resolver.lexical(place.path).syntax.language
    places, others = list[Reference](), 0
    for each in _builtin_places(resolver, name):
        syntax = resolver.lexical(each.path).syntax
        reference = _judge_builtin(resolver, each) if syntax.language == language else None
        places += [reference] if reference is not None else []
        others += reference is None
    return References(name, OverrideSet(resolver, ()), tuple(places), others, dict(resolver.files.unread))


def _is_builtin(resolver: Resolver, place: Place) -> bool:
    """Return True if a name belongs to the language. A member of a value may be one of many."""
    return place.mention.role == "use" and resolver.meanings(*place) == (_LANGUAGE,)


def _builtin_places(resolver: Resolver, name: str) -> Iterator[Place]:
    for path, lexical in resolver.parsed_files(name, ""):
        yield from (Place(path, mention) for mention in lexical.occurrences_of(name))


def _judge_builtin(resolver: Resolver, place: Place) -> Reference | None:
    path, mention = place
    occurrence = ResolvedOccurrence(resolver, path, mention)
    if mention.role in ("comment", "string", "text"):
        return Reference(occurrence, "text", False, f"it is in a {mention.role}")
    if _is_builtin(resolver, place):
        return Reference(occurrence, "use", True)
    unknown = [each for each in resolver.meanings(path, mention) if isinstance(each, Unknown)]
    is_open = mention.role == "use" and bool(unknown)
    return Reference(occurrence, "use", False, unknown[0].why) if is_open else None
