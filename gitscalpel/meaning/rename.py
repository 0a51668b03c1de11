"""A name becomes another one everywhere it is used: plain edits, held against what they lead to.

Every place is accounted for: it is changed, or it means something else, or it is told. And after the change
each changed name, and no other, means what it meant: else a name would be captured, and that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.changesets.answers import Affected, quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Rename
from gitscalpel.edit.lowered_operation import Lowered, OpenSource
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.meaning import captures, custom, foreign, overloads, told
from gitscalpel.meaning import target as addressed
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.documentation import naming
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.meant import meant
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import WHOLE
from gitscalpel.meaning.witness import Witness, weighed

_BLANK = "_"
"""In the place of a name that nobody uses; nothing is called so."""


def lowered(op: Rename, overlay: Overlay, read: OpenSource, witness: Witness | None = None) -> Lowered:
    """The edits that give a name to what ``op`` addresses.

    Args:
        op: the operation.
        overlay: the tree.
        read: opens a file of it.
        witness: whom to ask where the resolver cannot tell.

    Raises:
        BadCall: ``invalid_name``.
        DoesNotFit: it is not found; ``no_change``; ``duplicate_symbol``: the name would be another's;
            ``symbol_ambiguous``: the witness contradicts.
        Misconfigured: ``unavailable``: a witness is trusted that is not there.
    """
    files = Files(overlay, read)
    resolver = Resolver(files, dialect)
    place = addressed.find(op, resolver)
    target = meant(resolver, place) | set(custom.along(resolver, place, op.to))
    found = references(resolver, target, apart=resolver.lexical(place.path).rules.apart)
    found = overloads.narrow(resolver, [place], found)
    to = _fitting(resolver, place, found, op.to)
    _refuse_modules(found)
    _refuse_fixed(resolver, found)
    found, against, differing = weighed(resolver, found, witness, op.trust)
    foreign.refuse(resolver, found)
    text = found.text if op.also_text else [] if to == _BLANK else [*custom.headings(resolver, found)]
    changed = [*found.certain, *against, *text]
    inside = tuple(foreign.respelled(resolver, changed, to))
    if to != _BLANK:
        captures.refuse(resolver, found, inside, to)
    prose = tuple(naming.respelled(files, found.unread, op.symbol, to)) if op.also_text and op.symbol else ()
    uses = [each for each in found.certain if each.kind != "definition"]
    affected = Affected(
        symbol=place.mention.name, references=len(uses), files=len({each.path for each in uses})
    )
    left = (
        *differing,
        *_filed(resolver, found, to),
        *custom.left(resolver, found),
        *_known(resolver, found, to),
        *(_overloads(resolver, place, found) if "#" in (op.symbol or "#") else ()),
        *told.left(resolver, found, text=_others(found.text, text), but=prose),
    )
    moved = tuple(dict.fromkeys(_moved(resolver, found, to)))
    return Lowered((*inside, *prose), (affected,), left, moved=moved)


def _fitting(resolver: Resolver, place: Place, found: References, wished: str) -> str:
    """The name that is wished.

    Raises:
        BadCall: ``invalid_name``: the language does not allow it there.
        DoesNotFit: ``no_change``.
    """
    dialect = resolver.dialect(place.path)
    to = dialect.bare(place.mention, wished)
    if place.mention.name == to:
        raise DoesNotFit("no_change", f"it is called {to} already", "nothing is left to do")
    why = dialect.unfit(resolver, [Place(each.path, each.mention) for each in found.places], to)
    if why:
        raise BadCall("invalid_name", why, "choose one that the language allows")
    return to


def _others(places: Iterable[Reference], but: Iterable[Reference]) -> Iterator[Reference]:
    """Those places that are not among others."""
    those = {(each.path, each.mention.start) for each in but}
    return (each for each in places if (each.path, each.mention.start) not in those)


def _named_files(resolver: Resolver, found: References, to: str) -> Iterator[tuple[Reference, str]]:
    """Yield the definitions after which their files are called, and the paths that these should have."""
    for each in found.certain:
        name, mention, rules = each.path.rpartition("/")[2], each.mention, resolver.rules(each.path)
        if (
            each.kind == "definition"
            and mention.kind in rules.filed
            and name.partition(".")[0] == mention.name
        ):
            yield each, each.path.removesuffix(name) + to + name.removeprefix(mention.name)


def _moved(resolver: Resolver, found: References, to: str) -> Iterator[tuple[str, str]]:
    """Yield the files that have to be called after what they declare, and their new paths.

    Raises:
        DoesNotFit: ``exists``: another file has the new path.
    """
    for each, new in _named_files(resolver, found, to):
        if resolver.rules(each.path).file_follows:
            if resolver.files.overlay.entry(new) is not None:
                raise DoesNotFit(
                    "exists",
                    f"{new} exists already, and {each.path} has to be called so",
                    "choose another name, or move that file first",
                    path=new,
                )
            yield each.path, new


def _filed(resolver: Resolver, found: References, to: str) -> Iterator[str]:
    """The files that are called after what is renamed, and stay where they are."""
    for each, new in _named_files(resolver, found, to):
        if not resolver.rules(each.path).file_follows:
            old = each.mention.name
            yield f"{quoted(each.path)} is called after {old}: {call('mv')} makes it {quoted(new)}"
            continue
        for path in resolver.files.overlay.under(""):
            is_service = "META-INF/services/" in path and path.rpartition(".")[2] == each.mention.name
            if is_service:
                yield f"{quoted(path)} is called after {each.mention.name}, and stays"


def _overloads(resolver: Resolver, place: Place, found: References) -> Iterator[str]:
    """Yield the other overloads in the class of what is renamed, which are renamed as well."""
    lexical = resolver.lexical(place.path)
    if place.mention.kind not in lexical.rules.overloads:
        return
    own = lexical.holder(place.mention).span
    for each in found.certain:
        is_other = (
            each.kind == "definition"
            and each.path == place.path
            and each.mention.start != place.mention.start
        )
        if is_other and lexical.holder(each.mention).span == own:
            spot = told.spots(each.path, [resolver.line(each.path, each.mention.start)])
            yield f"{spot}: {found.name} is renamed as well: it is another overload, and may be meant"


def _known(resolver: Resolver, found: References, to: str) -> Iterator[str]:
    """The definitions that somebody knows by their names, or will know by the new one."""
    for each in found.certain:
        dialect, place = resolver.dialect(each.path), Place(each.path, each.mention)
        is_set = each.mention.role == "member" and dialect.is_set(each.mention)
        is_definition = is_set or each.kind == "definition"
        spot = told.spots(each.path, [resolver.line(each.path, each.mention.start)])
        why = dialect.known(resolver, place) if is_definition else dialect.shown(resolver, place)
        if why:
            yield f"{spot}: {each.mention.name} is renamed, though {why}"
            continue
        why = dialect.becomes(resolver, place, to) if is_definition else ""
        if why:
            yield f"{spot}: {each.mention.name} is renamed to {to}, and {why}"


def _refuse_modules(found: References) -> None:
    """Refuse the name of a file or folder, which has to be moved."""
    for each in found.family.members:
        if each.scope == WHOLE:
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.name} is the module {quoted(each.path)}, which is called as its file or folder is",
                f"{call('mv')} takes along what imports it",
                path=each.path,
            )


def _refuse_fixed(resolver: Resolver, found: References) -> None:
    """Refuse the name of what stands for text: who uses it cannot be told from the text alone."""
    for each in found.certain:
        if each.mention.kind in resolver.lexical(each.path).rules.fixed and each.kind == "definition":
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.mention.name} in {each.path} is a {each.mention.kind}, and stands for text",
                f"{call('refs')} lists its places; edit them as text, in one changeset",
                path=each.path,
            )
