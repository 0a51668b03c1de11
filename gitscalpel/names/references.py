"""Find the references of a name: certain, unresolved, and in text.

No occurrence is left out: each certainly means the name, certainly does not, or cannot be resolved.

Built-in names (``bool`` in Rust, ``len`` in Go) have no definition, so all their uses mean the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.names import override_sets
from gitscalpel.names.entities import WHOLE, Binding, Elsewhere, Meaning, Unknown
from gitscalpel.names.files import Files
from gitscalpel.names.override_sets import ChainDoubt, OverrideChain, OverrideSet
from gitscalpel.names.resolved_occurrence import ResolvedOccurrence
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

Kind = Literal["definition", "use", "import", "text"]
Form = Literal["plain", "key", "value", "alias", "both"]
"""How another name is put there: in its place; as the key before it, or behind it as the value (``{ x }``);
beside it, as what an import calls it from now on; or as a second import beside one that stays."""
OVERLOADED = "it may be another overload"
"""The reason why a call is unsure that several overloads fit."""


class Reference(msgspec.Struct, frozen=True):
    """A place where the name stands.

    Attributes:
        found: the place, and what it means.
        kind: what it is there.
        certain: it is the one that is meant.
        why: it may be, if it is not certain.
        form: see :data:`Form`.
        twofold: it is another one, and in some builds this one: no witness makes it certain.
        doubt: it is one of those that have to be called alike, and why it may not be this one.
    """

    found: ResolvedOccurrence
    kind: Kind
    certain: bool
    why: str = ""
    form: Form = "plain"
    twofold: bool = False
    doubt: ChainDoubt | None = None

    @property
    def path(self) -> str:
        """Of the file."""
        return self.found.path

    @property
    def mention(self) -> Mention:
        """There."""
        return self.found.mention


class References(msgspec.Struct, frozen=True):
    """The places of one name.

    Attributes:
        name: that all of them have.
        family: the names that are one with it.
        places: in the order of files and lines; those that certainly mean something else are not there.
        others: how many these are.
        unread: files that hold the word and were not understood, and why.
        spelt: places that may say it by a longer word, of which it is a part.
        overriding: the definitions that override what no class of the tree has; None: those of the family.
    """

    name: str
    family: OverrideSet
    places: tuple[Reference, ...]
    others: int
    unread: dict[str, str]
    spelt: tuple[Reference, ...] = ()
    overriding: tuple[Place, ...] | None = None

    @property
    def certain(self) -> list[Reference]:
        """Those that are meant."""
        return [place for place in self.places if place.certain]

    @property
    def unsure(self) -> list[Reference]:
        """Those in code of which nobody can tell."""
        return [place for place in self.places if not place.certain and place.kind != "text"]

    @property
    def text(self) -> list[Reference]:
        """Those in comments, strings and prose."""
        return [place for place in self.places if not place.certain and place.kind == "text"]


_MOST_PLACES = 50_000
"""At which a name may stand in the tree to be followed: each costs about 0.1 ms and 2 kB."""


def stands_too_often(files: Files, word: str, most: int = _MOST_PLACES) -> bool:
    """Return True if a word stands at more than ``most`` places of the tree, also as a part of longer words.

    No file is parsed for that.
    """
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
    """Every place of a name in the tree.

    Args:
        resolver: of the tree.
        target: what is asked for.
        apart: see :class:`gitscalpel.names.override_sets.OverrideSet`.
        in_line: where it is asked for: what has to be called alike, and is neither this one nor in one line
            with it, is not certain.

    Raises:
        DoesNotFit: ``too_large``: the name stands too often to be followed.
    """
    (name,) = {binding.name for binding in target}
    if not _is_local(resolver, target) and stands_too_often(resolver.files, name):
        raise DoesNotFit(
            "too_large",
            f"{name} stands at more than {_MOST_PLACES} places, which are too many to follow",
            "exclude generated files that hold it from the repository, or edit the places with "
            f"{call('text', all=True)}",
        )
    found = (
        [*_within(resolver, name, target)]
        if _is_local(resolver, target)
        else _all(resolver, name, min(each.path for each in target))
    )
    family = OverrideSet(resolver, target, apart=apart)
    meant = [m for each in found for m in (*each.meanings, *each.keys) if isinstance(m, Binding)]
    family.grow(meant)
    family.akin |= override_sets.find_structural_members(resolver, family, meant)
    lineage = OverrideChain(resolver, family, target if in_line else (), in_line)
    judged = [_judged(family, lineage, each) for each in found]
    places = tuple(place for place in judged if place is not None)
    spelt = tuple(_spelt(resolver, family))
    return References(name, family, places, len(judged) - len(places), dict(resolver.files.unread), spelt)


def _spelt(resolver: Resolver, family: OverrideSet) -> Iterator[Reference]:
    """Where longer words stand that may say a name."""
    words: dict[str, set[str]] = {}
    for each in family.members:
        for part, word in resolver.dialect_of(each).spelt(resolver, each):
            words.setdefault(part, set()).add(word)
    for part, those in sorted(words.items()):
        for path in resolver.files.holding(part):
            for word in sorted(those):
                for found in _of_file(resolver, path, word):
                    yield Reference(found, "use", False, f"{word} says it there")


def _is_local(resolver: Resolver, target: set[Binding]) -> bool:
    """Whether nothing outside of its scope is called so."""
    return all(
        each.scope != WHOLE
        and (
            each.kind in resolver.rules(each.path).alone
            or resolver.dialect_of(each).is_private(resolver, each)
        )
        for each in target
    )


def _within(resolver: Resolver, name: str, target: set[Binding]) -> Iterator[ResolvedOccurrence]:
    for path, (start, end) in sorted({(each.path, _reach(resolver, each)) for each in target}):
        for mention in resolver.lexical(path).of(name):
            if start <= mention.start < end:
                yield ResolvedOccurrence(resolver, path, mention, *both_meanings(resolver, path, mention))


def _reach(resolver: Resolver, of: Binding) -> tuple[int, int]:
    """Return where a name may stand that no other file knows: its scope, or all of its file."""
    whole = (0, len(resolver.lexical(of.path).text))
    return of.scope if of.kind in resolver.rules(of.path).alone else whole


def _all(resolver: Resolver, name: str, first: str) -> list[ResolvedOccurrence]:
    """Return the places of a name in all files that may hold it."""
    language = resolver.lexical(first).syntax.language.name if resolver.files.is_file(first) else ""
    paths = resolver.files.holding_name(name, language)
    return [found for path in paths for found in _of_file(resolver, path, name)]


def _of_file(resolver: Resolver, path: str, name: str) -> Iterator[ResolvedOccurrence]:
    for mention in _mentioned(resolver, path, name):
        yield ResolvedOccurrence(resolver, path, mention, *both_meanings(resolver, path, mention))


def _mentioned(resolver: Resolver, path: str, name: str) -> Iterator[Mention]:
    if not resolver.files.may_mention(path, name):
        return
    lexical = resolver.files.lexical(path)
    if lexical is not None:
        implied = resolver.implied(path, name)
        yield from implied
        for mention in lexical.of(name):
            if not any(each.start <= mention.start < each.node.end_byte for each in implied):
                yield mention
    elif resolver.files.is_file(path) and path not in resolver.files.unread:
        resolver.files.unread[path] = resolver.files.why_unread(path)


def both_meanings(
    resolver: Resolver, path: str, mention: Mention
) -> tuple[tuple[Meaning, ...], tuple[Meaning, ...]]:
    """What it means, and what it means as a key."""
    dialect = resolver.dialect(path)
    rules = resolver.rules(path)
    if mention.role == "string" or (mention.role == "comment" and rules.commented):
        return tuple(dialect.quoted(resolver, path, mention)), ()
    return resolver.meanings(path, mention), tuple(
        dialect.key(resolver, path, mention) if mention.key else ()
    )


def _judged(family: OverrideSet, lineage: OverrideChain, each: ResolvedOccurrence) -> Reference | None:
    """The place as a reference; None: it means something else."""
    as_name, as_key = (_ours(family, each, meanings) for meanings in (each.meanings, each.keys))
    if "certain" in (as_name, as_key):
        form: Form = "plain"
        if each.key and as_name != as_key:
            form = "value" if as_name == "certain" else "key"
        elif as_name == "certain" and _is_foreign(family, each):
            form = "alias"
        doubt = lineage.doubt(each)
        why = "" if doubt is None else doubt.value
        return Reference(each, _kind(each), not why, why, form, doubt=doubt)
    if each.role in ("comment", "string", "text"):
        return Reference(each, "text", False, f"it stands in a {each.role}")
    why = as_name or as_key
    may: Form = "plain" if not each.key or (as_name and as_key) else "value" if as_name else "key"
    if why:
        return Reference(each, _kind(each), False, why, may)
    why = next((why for meaning, why in each.besides if meaning in family.members), "")
    if why:
        return Reference(each, _kind(each), False, why, twofold=True)
    return None


def _ours(family: OverrideSet, found: ResolvedOccurrence, meanings: tuple[Meaning, ...]) -> str:
    """``certain``; why nobody can tell; or nothing, where it means something else."""
    ours = [meaning for meaning in meanings if isinstance(meaning, Binding) and meaning in family.members]
    unknown = [meaning for meaning in meanings if isinstance(meaning, Unknown) and not meaning.among]
    if ours:
        return "certain" if len(ours) == len(meanings) else "it may be another one as well"
    for meaning in meanings:
        if isinstance(meaning, Binding) and meaning in family.akin:
            return family.akin[meaning]
    given = [each for each in unknown if each.called is not None and family.takes]
    for each in given:
        if not each.called or each.called in family.takes:
            return each.why
    for each in unknown:
        if each.called is not None and found.rules.keyworded:
            continue
        reached = _reached(found, each)
        if any(_may_be(found.resolver, binding, reached) for binding in family.members):
            return each.why
    return ""


def _reached(found: ResolvedOccurrence, unknown: Unknown) -> frozenset[str]:
    """The kinds of scopes a name of which it may be if nobody can tell."""
    rules = found.rules
    if found.role == "fragment" or unknown.anywhere:
        return rules.reached | rules.kinds
    if found.role == "keyword":
        return rules.reached | {"function"} if rules.linked else rules.reached - {"module"}
    return rules.reached


def _may_be(resolver: Resolver, binding: Binding, reached: frozenset[str]) -> bool:
    """Whether a place of which nobody can tell may mean a name."""
    if binding.scope == WHOLE or binding.kind not in reached:
        return binding.scope == WHOLE
    return binding.kind != "module" or resolver.dialect_of(binding).is_held(resolver, binding)


def _is_foreign(family: OverrideSet, each: ResolvedOccurrence) -> bool:
    """Whether an import brings it under a name that is not to be changed where it comes from."""
    brought = each.brought
    return bool(brought) and not any(meaning in family.members for meaning in brought)


def _kind(found: ResolvedOccurrence) -> Kind:
    if found.role in ("imported", "module") or found.kind == "import":
        return "import"
    return "definition" if found.role in ("bind", "early") and not found.requests else "use"


_LANGUAGE = Elsewhere("the language")


def find_builtin_references(resolver: Resolver, place: Place) -> References | None:
    """The places of such a name; None: it is none."""
    if not _is_own(resolver, place):
        return None
    name, language = place.mention.name, resolver.lexical(place.path).syntax.language
    places, others = list[Reference](), 0
    for each in _builtin_places(resolver, name):
        syntax = resolver.lexical(each.path).syntax
        found = _judge_builtin(resolver, each) if syntax.language == language else None
        places += [found] if found is not None else []
        others += found is None
    return References(name, OverrideSet(resolver, ()), tuple(places), others, dict(resolver.files.unread))


def _is_own(resolver: Resolver, place: Place) -> bool:
    """Whether a name that stands alone is the language's: what a value of it has may be one of many."""
    return place.mention.role == "use" and resolver.meanings(*place) == (_LANGUAGE,)


def _builtin_places(resolver: Resolver, name: str) -> Iterator[Place]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path)
        yield from (Place(path, mention) for mention in (lexical.of(name) if lexical is not None else ()))


def _judge_builtin(resolver: Resolver, place: Place) -> Reference | None:
    path, mention = place
    found = ResolvedOccurrence(resolver, path, mention)
    if mention.role in ("comment", "string", "text"):
        return Reference(found, "text", False, f"it stands in a {mention.role}")
    if _is_own(resolver, place):
        return Reference(found, "use", True)
    unknown = [each for each in resolver.meanings(path, mention) if isinstance(each, Unknown)]
    is_open = mention.role == "use" and bool(unknown)
    return Reference(found, "use", False, unknown[0].why) if is_open else None
