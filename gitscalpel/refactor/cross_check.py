"""Compare the references that the resolver finds with those of a language server.

A server may leave places out, so its silence proves nothing. If it names a place that the resolver assigns to
another name, the caller has to decide which one to trust.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from gitscalpel.changesets.answers import format_lines, quote_path, remark
from gitscalpel.errors import DoesNotFit, Misconfigured
from gitscalpel.errors.messages import arg
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import Binding
from gitscalpel.names.override_sets import OverrideSet
from gitscalpel.names.references import Reference, References, both_meanings
from gitscalpel.names.resolver import ResolvedOccurrence, Resolver
from gitscalpel.syntax.occurrences import Mention

NamePosition: TypeAlias = tuple[str, int]
"""Path and first byte of a name."""
Trust = Literal["resolver", "server", "both"]
_MAX_DEFINITIONS = 20
"""Largest number of definitions (of a family of overrides) in a question."""


class CrossCheckQuestion(NamedTuple):
    """Question to a language server: all places of the name at some known places."""

    language: str
    places: tuple[NamePosition, ...]  # definitions of the name
    # Language and UTF-8 text, by path, of each file that contains the word.
    texts: Mapping[str, tuple[str, bytes]]


class CrossCheckAnswer(NamedTuple):
    """Answer of a language server."""

    by: str
    places: frozenset[NamePosition]  # places of the name
    silent: str = ""  # reason why the server gives no answer, or an empty string


CrossChecker: TypeAlias = Callable[[CrossCheckQuestion], "CrossCheckAnswer | None"]
"""Asks a language server; returns None if there is none for the language."""


class CrossCheckResult(NamedTuple):
    """References after the comparison."""

    found: References
    # Places that belong to the name only because the caller trusts the server.
    against: tuple[Reference, ...] = ()
    left: tuple[str, ...] = ()  # notes on discrepancies


def cross_check(
    resolver: Resolver, found: References, witness: CrossChecker | None, trust: Trust | None
) -> CrossCheckResult:
    """Return the references, compared with a language server if requested or if some are uncertain.

    Raises ``symbol_ambiguous`` if resolver and server contradict each other, or ``unavailable`` if the caller
    trusts a server and there is none.
    """
    if trust == "resolver" or (trust is None and not found.unsure):
        return CrossCheckResult(found)
    answer = _ask_about_definitions(resolver, found, witness)
    if answer is None or answer.silent:
        why = "no language server is installed for it" if answer is None else f"{answer.by}: {answer.silent}"
        if trust is not None:
            raise _unavailable_error(why)
        notes = () if answer is None else (f"{answer.by} did not answer: {answer.silent}",)
        return CrossCheckResult(found, left=notes)
    return _compare(resolver, _keep_contested(resolver, found, answer, witness, trust), answer, trust)


def _ask_about_definitions(
    resolver: Resolver, found: References, witness: CrossChecker | None
) -> CrossCheckAnswer | None:
    defined = [each for each in found.certain if each.kind == "definition"] or found.certain
    return _ask(resolver, found.name, [(e.path, e.mention.start) for e in defined], witness)


def _ask(
    resolver: Resolver, name: str, places: list[NamePosition], witness: CrossChecker | None
) -> CrossCheckAnswer | None:
    """Return the server's answer, or None without a server."""
    if witness is None or not places:
        return None
    language = resolver.lexical(places[0][0]).syntax.language.name
    definitions = tuple(places[:_MAX_DEFINITIONS])
    texts = {}
    for path in resolver.files.holding(name):
        source = resolver.files.source(path)
        if source is not None and source.language is not None and resolver.files.lexical(path) is not None:
            texts[path] = (source.language.name, source.text)
    return witness(CrossCheckQuestion(language, definitions, texts))


def _keep_contested(
    resolver: Resolver,
    found: References,
    answer: CrossCheckAnswer,
    witness: CrossChecker | None,
    trust: Trust | None,
) -> References:
    """Return the references, with those kept uncertain that the server also assigns to another name."""
    if trust == "server":
        return found
    other_names = {
        each: _find_other_bindings(found, each)
        for each in found.unsure
        if _get_position(each) in answer.places
    }
    others = dict.fromkeys(one for bindings in other_names.values() for one in bindings)
    spots = [(p.path, p.mention.start) for one in others for p in resolver.binders(one)]
    if not spots:
        return found
    second_answer = _ask(resolver, found.name, spots, witness)
    named_places = (
        set(answer.places) if second_answer is None or second_answer.silent else set(second_answer.places)
    )
    why = f"{answer.by} assigns it to another name as well"
    places = tuple(
        msgspec.structs.replace(each, why=why, twofold=True)
        if other_names.get(each) and _get_position(each) in named_places
        else each
        for each in found.places
    )
    return msgspec.structs.replace(found, places=places)


def _find_other_bindings(found: References, each: Reference) -> list[Binding]:
    meanings = (*each.found.meanings, *each.found.keys)
    return [one for one in meanings if isinstance(one, Binding) and one not in found.family.members]


def _get_position(each: Reference) -> NamePosition:
    return each.path, each.mention.start


def _compare(
    resolver: Resolver, found: References, answer: CrossCheckAnswer, trust: Trust | None
) -> CrossCheckResult:
    contradictions = _find_contradictions(resolver, found, answer)
    kept, against = _separate_names(resolver, found, contradictions)
    missing = [
        each
        for each in found.certain
        if (each.path, each.mention.start) not in answer.places and each.mention.role != "string"
    ]
    if against and trust != "server":
        raise _contradiction_error(resolver, answer.by, against)
    if missing and trust == "both":
        raise _contradiction_error(resolver, answer.by, missing, "does not name")
    places = tuple(
        each if _may_keep_name(found, kept, each) else _settle(each, answer, trust) for each in found.places
    )
    notes = tuple(
        remark(f"{answer.by} does not name this place", path=path, lines=lines, kind="server")
        for path, lines in _group_lines_by_path(resolver, () if trust == "server" else missing)
    )
    return CrossCheckResult(msgspec.structs.replace(found, places=places), against, notes)


def _settle(each: Reference, answer: CrossCheckAnswer, trust: Trust | None) -> Reference:
    named = (each.path, each.mention.start) in answer.places
    in_words = each.mention.role in ("comment", "text")
    as_either = each.mention.key and each.form == "plain"  # `{ x }` is a key and a variable
    if not each.certain and named and not (in_words or as_either or each.twofold):
        return msgspec.structs.replace(each, certain=True, why="")
    if each.certain and not named and trust == "server" and each.mention.role != "string":
        return msgspec.structs.replace(each, certain=False, why=f"{answer.by} does not name it")
    return each


def _find_contradictions(resolver: Resolver, found: References, answer: CrossCheckAnswer) -> list[Reference]:
    """Return the places that the server names and the resolver assigns to another name."""
    known = {(each.path, each.mention.start) for each in found.places}
    return [
        Reference(ResolvedOccurrence(resolver, path, mention), "use", True)
        for path, start in sorted(answer.places - known)
        for mention in _find_mentions(resolver, path, found.name)
        if mention.start == start
    ]


def _find_mentions(resolver: Resolver, path: str, name: str) -> tuple[Mention, ...]:
    lexical = resolver.files.lexical(path)
    return () if lexical is None else lexical.occurrences_of(name)


def _separate_names(
    resolver: Resolver, found: References, otherwise: list[Reference]
) -> tuple[frozenset[Binding], tuple[Reference, ...]]:
    """Return the names that keep their own spelling across imports and exports, and the contradictions.

    A server follows a name from file to file, even if a file binds it under another name.
    """
    if not found.family.apart:
        return frozenset(), tuple(otherwise)
    whole = OverrideSet(resolver, found.family.members)
    bindings = [
        [
            each
            for own_bindings in both_meanings(resolver, one.path, one.mention)
            for each in own_bindings
            if isinstance(each, Binding)
        ]
        for one in otherwise
    ]
    whole.grow(each for own_bindings in bindings for each in own_bindings)
    against = (
        one
        for one, own_bindings in zip(otherwise, bindings, strict=True)
        if whole.members.isdisjoint(own_bindings)
    )
    return frozenset(whole.members - found.family.members), tuple(against)


def _may_keep_name(found: References, kept: frozenset[Binding], each: Reference) -> bool:
    """Return True if a place may belong to a name that keeps its spelling."""
    return bool(kept) and each.path not in {member.path for member in found.family.members}


def _group_lines_by_path(resolver: Resolver, places: Iterable[Reference]) -> Iterator[tuple[str, list[int]]]:
    return unresolved_notes.lines_by_name(
        (each.path, resolver.line(each.path, each.mention.start)) for each in places
    )


def _contradiction_error(
    resolver: Resolver, by: str, places: Iterable[Reference], says: str = "assigns to the same name"
) -> DoesNotFit:
    spots = [format_lines(quote_path(path), lines) for path, lines in _group_lines_by_path(resolver, places)]
    return DoesNotFit(
        "symbol_ambiguous",
        f"{by} {says} places that the resolver resolves differently: {'; '.join(spots)}",
        f"check these places and choose one: {arg('trust', 'resolver')} or {arg('trust', 'server')}",
        witness=by,
        places=spots,
    )


def _unavailable_error(why: str) -> Misconfigured:
    return Misconfigured(
        "unavailable",
        f"no second opinion is available: {why}",
        f"install a language server (for Python `pip install ty`), or leave out {arg('trust')}",
    )
