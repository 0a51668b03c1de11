"""Every place where a name stands, and whether it is the one that is meant.

None is left out: what is certainly meant, what certainly is not, and what nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from gitscalpel.meaning.family import Family
from gitscalpel.meaning.lineage import Lineage
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.scoping import Scoping
from gitscalpel.meaning.things import WHOLE, Binding, Meaning, Unknown
from gitscalpel.syntax.mentions import Mention

Kind = Literal["definition", "use", "import", "text"]
Form = Literal["plain", "key", "value", "alias"]
"""How another name is put there: in its place; as the key before it, or behind it as the value (``{ x }``);
or beside it, as what an import calls it from now on."""


class Reference(msgspec.Struct, frozen=True):
    """A place where the name stands.

    Attributes:
        path: of the file.
        mention: there.
        kind: what it is there.
        certain: it is the one that is meant.
        why: it may be, if it is not certain.
        form: see :data:`Form`.
        twofold: it is another one, and in some builds this one: no witness makes it certain.
    """

    path: str
    mention: Mention
    kind: Kind
    certain: bool
    why: str = ""
    form: Form = "plain"
    twofold: bool = False


class References(msgspec.Struct, frozen=True):
    """The places of one name.

    Attributes:
        name: that all of them have.
        family: the names that are one with it.
        places: in the order of files and lines; those that certainly mean something else are not there.
        others: how many these are.
        unread: files that hold the word and were not understood, and why.
    """

    name: str
    family: Family
    places: tuple[Reference, ...]
    others: int
    unread: dict[str, str]

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


class _Found(NamedTuple):
    path: str
    mention: Mention
    meanings: tuple[Meaning, ...]
    keys: tuple[Meaning, ...]


def references(
    resolver: Resolver, target: set[Binding], *, apart: bool = False, in_line: Place | None = None
) -> References:
    """Every place of a name in the tree.

    Args:
        resolver: of the tree.
        target: what is asked for.
        apart: see :class:`gitscalpel.meaning.family.Family`.
        in_line: where it is asked for: what has to be called alike, and is neither this one nor in one line
            with it, is not certain.
    """
    (name,) = {binding.name for binding in target}
    found = [
        _Found(path, mention, *both_meanings(resolver, path, mention))
        for path, mention in _mentioned(resolver, name, target)
    ]
    family = Family(resolver, target, apart=apart)
    family.grow(m for each in found for m in (*each.meanings, *each.keys) if isinstance(m, Binding))
    lineage = Lineage(resolver, family, target if in_line else (), in_line)
    judged = [_judged(resolver, family, lineage, each) for each in found]
    places = tuple(place for place in judged if place is not None)
    return References(name, family, places, len(judged) - len(places), dict(resolver.files.unread))


def _mentioned(resolver: Resolver, name: str, target: set[Binding]) -> Iterator[tuple[str, Mention]]:
    if all(each.scope != WHOLE and each.kind in resolver.lexical(each.path).rules.alone for each in target):
        for path, (start, end) in sorted({(each.path, each.scope) for each in target}):
            yield from ((path, m) for m in resolver.lexical(path).of(name) if start <= m.start < end)
        return
    for path in resolver.files.holding(name):
        if not resolver.files.may_mention(path, name):
            continue
        lexical = resolver.files.lexical(path)
        if lexical is not None:
            implied = resolver.implied(path, name)
            yield from ((path, mention) for mention in implied)
            for mention in lexical.of(name):
                if not any(each.start <= mention.start < each.node.end_byte for each in implied):
                    yield path, mention
        elif resolver.files.is_file(path) and path not in resolver.files.unread:
            resolver.files.unread[path] = "names are not followed in this type of file"


def both_meanings(
    resolver: Resolver, path: str, mention: Mention
) -> tuple[tuple[Meaning, ...], tuple[Meaning, ...]]:
    """What it means, and what it means as a key."""
    dialect = resolver.dialect(path)
    rules = resolver.lexical(path).rules
    if mention.role == "string" or (mention.role == "comment" and rules.commented):
        return tuple(dialect.quoted(resolver, path, mention)), ()
    return resolver.meanings(path, mention), tuple(
        dialect.key(resolver, path, mention) if mention.key else ()
    )


def _judged(resolver: Resolver, family: Family, lineage: Lineage, each: _Found) -> Reference | None:
    """The place as a reference; None: it means something else."""
    as_name, as_key = (_ours(resolver, family, each, meanings) for meanings in (each.meanings, each.keys))
    if "certain" in (as_name, as_key):
        form: Form = "plain"
        if each.mention.key and as_name != as_key:
            form = "value" if as_name == "certain" else "key"
        elif as_name == "certain" and _is_foreign(resolver, family, each):
            form = "alias"
        why = lineage.doubt(Place(each.path, each.mention), (*each.meanings, *each.keys))
        return Reference(each.path, each.mention, _kind(each.mention), not why, why, form)
    if each.mention.role in ("comment", "string", "text"):
        return Reference(each.path, each.mention, "text", False, f"it stands in a {each.mention.role}")
    why = as_name or as_key
    may: Form = "plain" if not each.mention.key or (as_name and as_key) else "value" if as_name else "key"
    if why:
        return Reference(each.path, each.mention, _kind(each.mention), False, why, may)
    besides = resolver.dialect(each.path).besides(resolver, each.path, each.mention)
    why = next((why for meaning, why in besides if meaning in family.members), "")
    if why:
        return Reference(each.path, each.mention, _kind(each.mention), False, why, twofold=True)
    return None


def _ours(resolver: Resolver, family: Family, found: _Found, meanings: tuple[Meaning, ...]) -> str:
    """``certain``; why nobody can tell; or nothing, where it means something else."""
    ours = [meaning for meaning in meanings if isinstance(meaning, Binding) and meaning in family.members]
    unknown = [meaning for meaning in meanings if isinstance(meaning, Unknown) and not meaning.among]
    if ours:
        return "certain" if len(ours) == len(meanings) else "it may be another one as well"
    if any(meaning in family.akin for meaning in meanings):
        return "it may be another one, as nothing joins their declarations"
    given = [each for each in unknown if each.called is not None and family.takes]
    for each in given:
        if not each.called or each.called in family.takes:
            return each.why
    rules = resolver.lexical(found.path).rules
    for each in unknown:
        reached = _reached(rules, found.mention, each)
        if any(_may_be(resolver, binding, reached) for binding in family.members):
            return each.why
    return ""


def _reached(rules: Scoping, mention: Mention, unknown: Unknown) -> frozenset[str]:
    """The kinds of scopes a name of which it may be if nobody can tell."""
    if mention.role == "fragment" or unknown.anywhere:
        return rules.reached | rules.kinds
    if mention.role == "keyword":
        return rules.reached | {"function"} if rules.linked else rules.reached - {"module"}
    return rules.reached


def _may_be(resolver: Resolver, binding: Binding, reached: frozenset[str]) -> bool:
    """Whether a place of which nobody can tell may mean a name."""
    if binding.scope == WHOLE or binding.kind not in reached:
        return binding.scope == WHOLE
    return binding.kind != "module" or resolver.dialect_of(binding).is_held(resolver, binding)


def _is_foreign(resolver: Resolver, family: Family, each: _Found) -> bool:
    """Whether an import brings it under a name that is not to be changed where it comes from."""
    if each.mention.kind != "import":
        return False
    brought = tuple(resolver.dialect(each.path).brings(resolver, each.path, each.mention))
    return bool(brought) and not any(meaning in family.members for meaning in brought)


def _kind(mention: Mention) -> Kind:
    if mention.role in ("imported", "module") or mention.kind == "import":
        return "import"
    return "definition" if mention.role in ("bind", "early") else "use"
