"""Rename a definition and everything that has to follow.

Every occurrence is changed, means something else, or is reported. After the change each changed name,
and no other, must mean what it meant before. A name that would be captured is refused.

Names that code outside of the tree defines (imports, overridden members) are renamed only by an alias,
or not at all, as they would not be known there by another name.

Some names are alike by convention, such as the receivers of a type's methods in Go, and the first word
of a doc comment. Renaming the declaration renames all of them. Renaming a use renames only that one.
Names that already differ, or that cannot have the new name, stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.changesets.answers import Affected, quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Rename
from gitscalpel.edit.lowered_operation import FileSplices, Lowered, OpenSource
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.names import address_targets, overloads, unresolved_notes
from gitscalpel.names.address_targets import bindings_of
from gitscalpel.names.entities import WHOLE, Binding, Meaning, Unknown
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.refactor import capture_check, documentation
from gitscalpel.refactor.cross_check import CrossChecker, cross_check
from gitscalpel.text.splice import Splice

_PACKAGES = frozenset({"node_modules", "site-packages"})
"""Folders in which others' files stand."""


def require_own(resolver: Resolver, found: References) -> None:
    """Refuse a rename that would have to follow where nobody can edit.

    Raises:
        DoesNotFit: ``symbol_not_found``: it is defined in a package, or outside of the tree.
    """
    _refuse_overriding(resolver, found)
    _refuse_undefined(resolver, found)
    _refuse_given(resolver, found)
    for each in found.certain:
        if each.form == "alias" and resolver.lexical(each.path).rules.unaliased:
            raise DoesNotFit(
                "symbol_not_found",
                f"{_where(resolver, each)} imports {each.mention.name} from outside of the repository",
                "it has that name alone; use another type, or wrap it in one of your own",
                path=each.path,
            )
        where = [each.path]  # and where it comes from, if it has its name there
        if each.form == "alias" and rename_splice(resolver, each, "") != each.mention.renamed(""):
            brought = tuple(resolver.dialect(each.path).brings(resolver, each.path, each.mention))
            _refuse_nowhere(resolver, each, brought)
            where += [one.path for one in brought if isinstance(one, Binding)]
        for path in where:
            if _PACKAGES.intersection(path.split("/")):
                raise DoesNotFit(
                    "symbol_not_found",
                    f"{each.mention.name} is defined in {path}, which belongs to others",
                    "give it another name where it is imported, as text",
                    path=path,
                )


def _refuse_nowhere(resolver: Resolver, each: Reference, brought: Iterable[Meaning]) -> None:
    """Refuse an import of what is nowhere: whether that, or a name for it here, is meant, nobody can tell."""
    why = next((one.why for one in brought if isinstance(one, Unknown)), None)
    if why is not None:
        raise DoesNotFit(
            "symbol_not_found",
            f"{_where(resolver, each)} imports {each.mention.name}, and {why}",
            "give it another name where it is imported, as text",
            path=each.path,
        )


def _refuse_overriding(resolver: Resolver, found: References) -> None:
    """Refuse what overrides something that no class of the tree has."""
    overriding = found.family.overriding if found.overriding is None else found.overriding
    for path, mention in overriding:
        where = f"{path}:{resolver.line(path, mention.start)}"
        why = resolver.dialect(path).known(resolver, Place(path, mention))
        if mention.name in resolver.rules(path).protocol:
            why = "the language knows it by this name"
        what = f"keeps its name: {why}" if why else "overrides what no class of the repository defines"
        raise DoesNotFit(
            "symbol_not_found",
            f"{mention.name} in {where} {what}",
            "who calls it there knows it by this name; add one of another name that it calls",
            path=path,
        )


def _refuse_undefined(resolver: Resolver, found: References) -> None:
    """Refuse a member that no class of the tree declares: the language may (``valueOf`` of an enum)."""
    members = [each for each in found.family.members if each.kind == "class"]
    is_strict = any(resolver.lexical(each.path).rules.declared for each in members)
    if found.certain and is_strict and not any(resolver.binders(each) for each in found.family.members):
        first = found.certain[0]
        raise DoesNotFit(
            "symbol_not_found",
            f"no class of the repository declares the {first.mention.name} in {_where(resolver, first)}",
            "the language or a library gives it, under this name alone",
            path=first.path,
        )


def _refuse_given(resolver: Resolver, found: References) -> None:
    """Refuse a name by which code outside of the tree hands over a value."""
    for each in found.certain:
        why = resolver.dialect(each.path).given(resolver, Place(each.path, each.mention))
        if why:
            raise DoesNotFit(
                "symbol_not_found",
                f"{each.mention.name} in {_where(resolver, each)} keeps its name: {why}",
                "assign it to a variable of another name there",
                path=each.path,
            )


def _where(resolver: Resolver, each: Reference) -> str:
    return f"{each.path}:{resolver.line(each.path, each.mention.start)}"


def rename_splice(resolver: Resolver, each: Reference, to: str) -> Splice:
    """How another name is put into the place of a reference."""
    if each.mention.role in ("comment", "string", "text"):
        return each.mention.renamed(to)
    return resolver.dialect(each.path).respelled(resolver, each.path, each.mention, each.form, to)


def rename_places(resolver: Resolver, changed: Iterable[Reference], to: str) -> Iterator[FileSplices]:
    """How places get another name, file by file."""
    by_path: dict[str, list[Splice]] = {}
    for each in changed:
        by_path.setdefault(each.path, []).append(rename_splice(resolver, each, to))
    for path, splices in by_path.items():
        yield FileSplices(path, tuple(sorted(splices, key=lambda each: each.start)))


def names_by_convention(resolver: Resolver, place: Place, to: str) -> Iterator[Binding]:
    """The names that get the new one as well as what a place declares."""
    for other in resolver.dialect(place.path).customary(resolver, *place):
        bindings = {each for each in resolver.meanings(*other) if isinstance(each, Binding)}
        if bindings and _is_free(resolver, find_references(resolver, bindings), to):
            yield from bindings


def comment_headings(resolver: Resolver, found: References) -> Iterator[Reference]:
    """The comments that begin with the name because they are about what has it."""
    for each in found.text:
        meant = {*resolver.dialect(each.path).begun(resolver, each.path, each.mention)}
        if meant and meant <= found.family.members:
            yield each


def notes_on_convention(resolver: Resolver, found: References) -> Iterator[str]:
    """What is said of those that stay."""
    changed = {(each.path, each.mention.start) for each in found.certain}
    lines: dict[str, set[int]] = {}
    for each in (one for one in found.certain if one.kind == "definition"):
        for path, mention in resolver.dialect(each.path).customary(resolver, each.path, each.mention):
            if (path, mention.start) not in changed:
                lines.setdefault(path, set()).add(resolver.line(path, mention.start))
    for path, those in lines.items():
        where = unresolved_notes.format_lines(path, sorted(those))
        yield f"{where}: {found.name} is left: it is another one, which is called alike by custom"


def _is_free(resolver: Resolver, found: References, to: str) -> bool:
    try:
        capture_check.require_no_capture(
            resolver, found, tuple(rename_places(resolver, found.certain, to)), to
        )
    except (BadCall, DoesNotFit):
        return False
    return True


_BLANK = "_"
"""In the place of a name that nobody uses; nothing is called so."""


def lower_rename(
    op: Rename, overlay: Overlay, read: OpenSource, witness: CrossChecker | None = None
) -> Lowered:
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
    place = address_targets.find_target(op, resolver)
    target = bindings_of(resolver, place) | set(names_by_convention(resolver, place, op.to))
    found = find_references(resolver, target, apart=resolver.lexical(place.path).rules.apart)
    found = overloads.select_overloads(resolver, [place], found)
    to = _fitting(resolver, place, found, op.to)
    _refuse_modules(found)
    _refuse_fixed(resolver, found)
    found, against, differing = cross_check(resolver, found, witness, op.trust)
    require_own(resolver, found)
    text = found.text if op.also_text else [] if to == _BLANK else [*comment_headings(resolver, found)]
    changed = [*found.certain, *against, *text]
    inside = tuple(rename_places(resolver, changed, to))
    if to != _BLANK:
        capture_check.require_no_capture(resolver, found, inside, to)
    prose = (
        tuple(documentation.rename_in_prose(files, found.unread, op.symbol, to))
        if op.also_text and op.symbol
        else ()
    )
    uses = [each for each in found.certain if each.kind != "definition"]
    affected = Affected(
        symbol=place.mention.name, references=len(uses), files=len({each.path for each in uses})
    )
    left = (
        *differing,
        *_filed(resolver, found, to),
        *notes_on_convention(resolver, found),
        *_known(resolver, found, to),
        *(_overloads(resolver, place, found) if "#" in (op.symbol or "#") else ()),
        *unresolved_notes.iter_unresolved(resolver, found, text=_others(found.text, text), but=prose),
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
            spot = unresolved_notes.format_lines(each.path, [resolver.line(each.path, each.mention.start)])
            yield f"{spot}: {found.name} is renamed as well: it is another overload, and may be meant"


def _known(resolver: Resolver, found: References, to: str) -> Iterator[str]:
    """The definitions that somebody knows by their names, or will know by the new one."""
    for each in found.certain:
        dialect, place = resolver.dialect(each.path), Place(each.path, each.mention)
        is_set = each.mention.role == "member" and dialect.is_set(each.mention)
        is_definition = is_set or each.kind == "definition"
        spot = unresolved_notes.format_lines(each.path, [resolver.line(each.path, each.mention.start)])
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
