"""Rename a symbol wherever it is used, and check that nothing is captured.

Every occurrence is changed, means something else, or is reported. Names that code outside the tree defines
get an alias or stay. Names that are the same by convention, such as the receivers of a type's methods in Go,
change with the declaration.
"""

from __future__ import annotations

import importlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import tree_sitter

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Affected, quote_path, remark
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import (
    AutoImports,
    Imports,
    Move,
    MovedFiles,
    NameFollowingOperation,
    Rename,
    SafeDelete,
)
from gitscalpel.edit.outcome import FileSplices, LoweredOperation, OpenSource
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.names import address_targets, overloads, unresolved_notes
from gitscalpel.names.address_targets import bindings_of
from gitscalpel.names.entities import WHOLE, Binding, Meaning, Unknown
from gitscalpel.names.files import Files
from gitscalpel.names.references import OVERLOADED, Reference, References, find_references
from gitscalpel.names.resolver import Place, Resolver, dialect, importer_of
from gitscalpel.refactor import definition_impact, documentation, move, move_file
from gitscalpel.refactor.cross_check import CrossChecker, cross_check
from gitscalpel.refactor.imports.engine import complete_imports, edit_imports
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_MAX_DECLARATIONS = 20
"""Largest number of declarations to try a name without."""


def list_using_declarations(resolver: Resolver, place: Place) -> Iterator[str]:
    """Yield the declarations that bring a name to a place, with their text."""
    path, mention = place
    meanings = set(resolver.meanings(path, mention))
    found = [*resolver.dialect(path).find_import_declarations(resolver, path, mention.name)]
    for other, node in found[:_MAX_DECLARATIONS]:
        is_itself = other == path and node.start_byte <= mention.start < node.end_byte
        if is_itself or _find_meanings_without(resolver, place, other, node) != meanings:
            text = " ".join((node.text or b"").decode("utf-8", "replace").strip().rstrip(";").split())
            yield f"{quote_path(other)}:{resolver.line(other, node.start_byte)} ({text})"


def _find_meanings_without(
    resolver: Resolver, place: Place, other: str, node: tree_sitter.Node
) -> set[object]:
    path, mention = place
    text = resolver.lexical(other).text
    blank = b" " * (node.end_byte - node.start_byte)
    files = resolver.files.with_text(other, text[: node.start_byte] + blank + text[node.end_byte :])
    after = Resolver(files, dialect)
    return set(after.meanings(path, after.mention(path, mention.name, mention.start)))


_QUOTES = (b'"', b"`")
"""Quotation marks before the path of a package that is imported under its own name."""
_SINGLE_BINDING_SCOPES = frozenset({"block", "let", "function", "signature"})
"""Kinds of scopes in which a linked language allows one binding of a name."""


def require_no_capture(resolver: Resolver, found: References, inside: Sequence[FileSplices], to: str) -> None:
    """Raise ``duplicate_symbol`` if the new name would capture another name, or be captured.

    Raises ``invalid_name`` if the language does not allow the name.
    """
    after = Resolver(_apply_edits(resolver.files, inside), dialect)
    places = {(each.path, each.mention.start): each for each in found.certain}
    moved = {_locate_after(inside, path, start, to): each for (path, start), each in places.items()}
    bindings: set[Binding] = set()
    for (path, start), each in moved.items():
        is_read = after.files.lexical(path) is not None
        mention = after.mention(path, to, start) if is_read else None
        if mention is None or not _is_name(mention, each):
            raise BadCall(
                "invalid_name",
                f"{to} is not a valid name in {path}:{resolver.line(each.path, each.mention.start)}",
                "choose a name that the language allows",
            )
        if each.kind == "definition":
            _require_unbound(after, path, mention, moved)
            bindings |= {one for one in after.meanings(*Place(path, mention)) if isinstance(one, Binding)}
    references = find_references(
        after, bindings or _find_any_bindings(after, moved, to), apart=found.family.apart
    )
    references = overloads.select_overloads(after, [*_iter_definitions(after, moved, to)], references)
    _require_no_new_overload(after, references, to)
    for dialect_ in {after.dialect_of(each) for each in bindings}:
        for (path, mention), reason in dialect_.find_hidden_uses(after, references.family.members, to):
            raise _duplicate_error(to, path, after.line(path, mention.start), f"is {reason}")
    certain = {(each.path, each.mention.start) for each in references.certain}
    seen = certain | {(each.path, each.mention.start) for each in references.places}
    for path, start in sorted(certain - moved.keys() - set(_iter_written_places(inside, to))):
        declarations = list_using_declarations(after, Place(path, after.mention(path, to, start)))
        raise _duplicate_error(
            to, path, after.line(path, start), "would then be this one as well", declarations
        )
    for path, start in sorted(moved.keys() - seen):
        each = moved[path, start]
        declarations = list_using_declarations(resolver, Place(each.path, each.mention))
        raise _duplicate_error(to, path, after.line(path, start), "would then be another one", declarations)
    _require_unambiguous(resolver, found, after, references, moved)


def _iter_definitions(
    after: Resolver, moved: Mapping[tuple[str, int], Reference], to: str
) -> Iterator[Place]:
    for (path, start), each in moved.items():
        if each.kind == "definition":
            yield Place(path, after.mention(path, to, start))


def _require_no_new_overload(after: Resolver, references: References, to: str) -> None:
    """Raise if the name becomes one of several overloads that a call may mean."""
    for each in references.unsure:
        if each.why == OVERLOADED:
            line = after.line(each.path, each.mention.start)
            raise _duplicate_error(to, each.path, line, "may then be this overload or another one")


def _require_unambiguous(
    resolver: Resolver,
    found: References,
    after: Resolver,
    references: References,
    moved: Mapping[tuple[str, int], Reference],
) -> None:
    """Raise if the name becomes one of two indistinguishable names in a scope."""
    for each in references.unsure:
        spot, is_linked = (each.path, each.mention.start), after.linked_language(each.path) is not None
        if is_linked and _has_other_meanings(after, references, each.path, each.mention):
            before = moved.get(spot)
            if before is None or not _has_other_meanings(resolver, found, before.path, before.mention):
                name, line = each.mention.name, after.line(*spot)
                raise _duplicate_error(name, each.path, line, "would then be one of two")


def _has_other_meanings(resolver: Resolver, found: References, path: str, mention: Mention) -> bool:
    """Return True if a place may mean a renamed binding, but also another one of the same namespace."""
    bindings = {each for each in resolver.meanings(path, mention) if isinstance(each, Binding)}
    own = bindings & set(found.family.members)
    return any(each.space in {one.space for one in own} for each in bindings - own)


def _require_unbound(after: Resolver, path: str, mention: Mention, moved: Container[tuple[str, int]]) -> None:
    lexical = after.lexical(path)
    own, named = lexical.region(mention), {*after.meanings(path, mention)}
    others = lexical.occurrences_of(mention.name) if lexical.rules.linked else ()
    for other in others:
        is_other = other.role == "bind" and (path, other.start) not in moved
        if not is_other or lexical.region(other) != own or not lexical.rules.meet(other.kind, mention.kind):
            continue
        is_single = lexical.holder(other).kind in _SINGLE_BINDING_SCOPES
        if is_single and named.isdisjoint(after.meanings(path, other)):
            line = after.line(path, other.start)
            raise _duplicate_error(mention.name, path, line, "is bound there already")


def _is_name(mention: Mention, each: Reference) -> bool:
    """Return True if a changed place is read as a name again, in the role that its form calls for."""
    if each.form != "plain" or mention.key:
        return mention.role not in ("comment", "string", "text")
    return mention.role == each.mention.role or (mention.role, each.mention.role) == ("imported", "bind")


def _find_any_bindings(after: Resolver, moved: Iterable[tuple[str, int]], to: str) -> set[Binding]:
    """Return the bindings that the changed places mean, if none of the places defines the name."""
    found: set[Binding] = set()
    for path, start in moved:
        mention = after.mention(path, to, start)
        meanings = after.meanings(path, mention) or after.dialect(path).resolve_in_string(
            after, path, mention
        )
        found |= {each for each in meanings if isinstance(each, Binding)}
    return found


def _apply_edits(files: Files, inside: Sequence[FileSplices]) -> Files:
    for each in inside:
        source = files.source(each.path)
        assert source is not None  # noqa: S101 - it has been read
        files = files.with_text(each.path, splice.apply(source.text, each.splices))
    return files


def _locate_after(inside: Sequence[FileSplices], path: str, start: int, to: str) -> tuple[str, int]:
    """Return the path and offset of a renamed place after the edits."""
    (splices,) = (each.splices for each in inside if each.path == path)
    (own,) = (each for each in splices if each.start <= start < each.end)
    shift = sum(len(each.new) - (each.end - each.start) for each in splices if each.end <= own.start)
    return path, own.start + shift + _find_offset_within(own.new, to.encode("utf-8", "surrogateescape"))


def _iter_written_places(inside: Sequence[FileSplices], to: str) -> Iterator[tuple[str, int]]:
    """Yield all places where inserted text contains the name, which may declare it too (``<'a>(x: &'a``)."""
    for each in inside:
        shift = 0
        for own in each.splices:
            yield from ((each.path, own.start + shift + at) for at in Mention.places(to, own.new))
            shift += len(own.new) - (own.end - own.start)


def _find_offset_within(spelled: bytes, name: bytes) -> int:
    """Return the offset of the new name in the inserted text (``old: new``), or 0 if the text implies it."""
    is_first = spelled.startswith(name) and spelled[len(name) :][:1] in (b"", b":", b" ")
    return 0 if is_first or spelled[:1] in _QUOTES else spelled.rindex(name)


def _duplicate_error(
    to: str, path: str, line: int, reason: str, declarations: Iterable[str] = ()
) -> DoesNotFit:
    by = ", ".join(declarations)
    instead = "qualify each use and remove that declaration first, or choose another name"
    return DoesNotFit(
        "duplicate_symbol",
        f"{to} in {path}:{line} {reason}{f': it comes from {by}' if by else ''}",
        instead if by else "choose another name, or rename that one first",
        path=path,
        line=line,
    )


_PACKAGE_FOLDERS = frozenset({"node_modules", "site-packages"})
"""Folders of third-party files."""


def require_own(resolver: Resolver, found: References) -> None:
    """Raise ``symbol_not_found`` if a rename would have to edit code outside the tree."""
    _require_no_foreign_base(resolver, found)
    _require_declared(resolver, found)
    _require_not_passed_by_name(resolver, found)
    for each in found.certain:
        if each.form == "alias" and resolver.lexical(each.path).rules.unaliased:
            raise DoesNotFit(
                "symbol_not_found",
                f"{_locate(resolver, each)} imports {each.mention.name} from outside the repository",
                "use another type, or wrap it in a type of your own",
                path=each.path,
            )
        paths = [each.path]  # and its source, if it has the same name there
        if each.form == "alias" and rename_splice(resolver, each, "") != each.mention.make_splice(""):
            origins = tuple(resolver.dialect(each.path).resolve_origin(resolver, each.path, each.mention))
            _require_found_import(resolver, each, origins)
            paths += [one.path for one in origins if isinstance(one, Binding)]
        for path in paths:
            if _PACKAGE_FOLDERS.intersection(path.split("/")):
                raise DoesNotFit(
                    "symbol_not_found",
                    f"{each.mention.name} is defined in {path}, which is third-party code",
                    "edit the import as text, and give the name an alias there",
                    path=path,
                )


def _require_found_import(resolver: Resolver, each: Reference, origins: Iterable[Meaning]) -> None:
    """Raise if an imported name is not found, since the import may name another definition."""
    why = next((one.why for one in origins if isinstance(one, Unknown)), None)
    if why is not None:
        raise DoesNotFit(
            "symbol_not_found",
            f"{_locate(resolver, each)} imports {each.mention.name}, and {why}",
            "edit the import as text, and give the name an alias there",
            path=each.path,
        )


def _require_no_foreign_base(resolver: Resolver, found: References) -> None:
    """Raise if a member overrides one that no class of the tree has."""
    overriding = found.family.overriding if found.overriding is None else found.overriding
    for path, mention in overriding:
        spot = f"{path}:{resolver.line(path, mention.start)}"
        why = resolver.dialect(path).lookup_reason(resolver, Place(path, mention))
        if mention.name in resolver.rules(path).protocol:
            why = "the language knows it by this name"
        what = (
            f"keeps its name: {why}" if why else "overrides a method that no class of the repository defines"
        )
        raise DoesNotFit(
            "symbol_not_found",
            f"{mention.name} in {spot} {what}",
            "keep this method, and let it call a new one with that name",
            path=path,
        )


def _require_declared(resolver: Resolver, found: References) -> None:
    """Raise if no class of the tree declares a member; the language may (``valueOf`` of an enum)."""
    members = [each for each in found.family.members if each.kind == "class"]
    is_strict = any(resolver.lexical(each.path).rules.declared for each in members)
    if found.certain and is_strict and not any(resolver.binders(each) for each in found.family.members):
        first = found.certain[0]
        raise DoesNotFit(
            "symbol_not_found",
            f"no class of the repository declares the {first.mention.name} in {_locate(resolver, first)}",
            "keep the name, since the language or a library defines it",
            path=first.path,
        )


def _require_not_passed_by_name(resolver: Resolver, found: References) -> None:
    for each in found.certain:
        why = resolver.dialect(each.path).external_value_reason(resolver, Place(each.path, each.mention))
        if why:
            raise DoesNotFit(
                "symbol_not_found",
                f"{each.mention.name} in {_locate(resolver, each)} keeps its name: {why}",
                "assign it to a variable with another name there",
                path=each.path,
            )


def _locate(resolver: Resolver, each: Reference) -> str:
    return f"{each.path}:{resolver.line(each.path, each.mention.start)}"


def rename_splice(resolver: Resolver, each: Reference, to: str) -> Splice:
    if each.mention.role in ("comment", "string", "text"):
        return each.mention.make_splice(to)
    return resolver.dialect(each.path).replace_name(resolver, each.path, each.mention, each.form, to)


def rename_places(resolver: Resolver, changed: Iterable[Reference], to: str) -> Iterator[FileSplices]:
    by_path: dict[str, list[Splice]] = {}
    for each in changed:
        by_path.setdefault(each.path, []).append(rename_splice(resolver, each, to))
    for path, splices in by_path.items():
        yield FileSplices(path, tuple(sorted(splices, key=lambda each: each.start)))


def find_names_by_convention(resolver: Resolver, place: Place, to: str) -> Iterator[Binding]:
    """Yield the bindings that get the new name together with a declaration."""
    for other in resolver.dialect(place.path).find_conventional_names(resolver, *place):
        bindings = {each for each in resolver.meanings(*other) if isinstance(each, Binding)}
        if bindings and _can_rename(resolver, find_references(resolver, bindings), to):
            yield from bindings


def iter_comment_headings(resolver: Resolver, found: References) -> Iterator[Reference]:
    """Yield the comments that start with the name because they document its definition."""
    for each in found.text:
        bindings = {*resolver.dialect(each.path).documented_bindings(resolver, each.path, each.mention)}
        if bindings and bindings <= found.family.members:
            yield each


def list_convention_notes(resolver: Resolver, found: References) -> Iterator[str]:
    """Yield notes about names that are the same by convention and stay."""
    changed = {(each.path, each.mention.start) for each in found.certain}
    lines: dict[str, set[int]] = {}
    for each in (one for one in found.certain if one.kind == "definition"):
        for path, mention in resolver.dialect(each.path).find_conventional_names(
            resolver, each.path, each.mention
        ):
            if (path, mention.start) not in changed:
                lines.setdefault(path, set()).add(resolver.line(path, mention.start))
    for path, numbers in lines.items():
        words = "it is another definition with the same name by convention"
        yield unresolved_notes.note_left(path, numbers, found.name, words, "convention")


def _can_rename(resolver: Resolver, found: References, to: str) -> bool:
    try:
        require_no_capture(resolver, found, tuple(rename_places(resolver, found.certain, to)), to)
    except (BadCall, DoesNotFit):
        return False
    return True


_BLANK_NAME = "_"
"""Placeholder for an unused name, which binds nothing."""


def lower_rename(
    op: Rename, overlay: Overlay, read: OpenSource, witness: CrossChecker | None = None
) -> LoweredOperation:
    """Return the edits that rename the target of an operation.

    Raises ``invalid_name``, ``no_change``, ``duplicate_symbol`` if the name is taken, ``symbol_ambiguous`` if
    the language server contradicts, ``unavailable`` if the caller trusts a language server that is not there,
    or another ``DoesNotFit`` if the target is not found.
    """
    files = Files(overlay, read)
    resolver = Resolver(files, dialect)
    place = address_targets.find_target(op, resolver)
    target = bindings_of(resolver, place) | set(find_names_by_convention(resolver, place, op.to))
    found = find_references(resolver, target, apart=resolver.lexical(place.path).rules.apart)
    found = overloads.select_overloads(resolver, [place], found)
    to = _require_fitting_name(resolver, place, found, op.to)
    _require_no_module(found)
    _require_no_macro(resolver, found)
    found, against, differing = cross_check(resolver, found, witness, op.trust)
    require_own(resolver, found)
    text = found.text if op.also_text else []
    if to != _BLANK_NAME and not op.also_text:
        text = [*iter_comment_headings(resolver, found)]
    inside = tuple(rename_places(resolver, [*found.certain, *against, *text], to))
    if to != _BLANK_NAME:
        require_no_capture(resolver, found, inside, to)
    renames_prose = op.also_text and op.symbol
    prose = (
        tuple(documentation.rename_in_prose(files, found.unread, op.symbol or "", to))
        if renames_prose
        else ()
    )
    uses = [each for each in found.certain if each.kind != "definition"]
    of_files = len({each.path for each in uses})
    affected = Affected(symbol=place.mention.name, references=len(uses), files=of_files)
    edited = {(each.path, each.mention.start) for each in text}
    other_text = (each for each in found.text if (each.path, each.mention.start) not in edited)
    notes = (
        *differing,
        *_list_files_named_after(resolver, found, to),
        *list_convention_notes(resolver, found),
        *_list_known_by_name(resolver, found, to),
        *(_list_overloads(resolver, place, found) if "#" in (op.symbol or "#") else ()),
        *unresolved_notes.iter_unresolved(resolver, found, text=other_text, edited=prose),
    )
    moved = tuple(dict.fromkeys(_iter_moved_files(resolver, found, to)))
    return LoweredOperation((*inside, *prose), (affected,), notes, moved=moved)


def _require_fitting_name(resolver: Resolver, place: Place, found: References, wished: str) -> str:
    """Return the requested name in the language's form. Raises ``invalid_name`` or ``no_change``."""
    dialect = resolver.dialect(place.path)
    to = dialect.strip_sigils(place.mention, wished)
    if place.mention.name == to:
        raise DoesNotFit("no_change", f"the symbol is already called {to}", "nothing is left to do")
    why = dialect.name_error(resolver, [Place(each.path, each.mention) for each in found.places], to)
    if why:
        raise BadCall("invalid_name", why, "choose a name that the language allows")
    return to


def _iter_named_files(resolver: Resolver, found: References, to: str) -> Iterator[tuple[Reference, str]]:
    for each in found.certain:
        name, mention, rules = each.path.rpartition("/")[2], each.mention, resolver.rules(each.path)
        is_named = mention.kind in rules.filed and name.partition(".")[0] == mention.name
        if each.kind == "definition" and is_named:
            yield each, each.path.removesuffix(name) + to + name.removeprefix(mention.name)


def _iter_moved_files(resolver: Resolver, found: References, to: str) -> Iterator[tuple[str, str]]:
    """Yield the files that must have the name of their definition, with the new paths.

    Raises ``exists`` if another file has the new path.
    """
    for each, new in _iter_named_files(resolver, found, to):
        if resolver.rules(each.path).file_follows:
            if resolver.files.overlay.entry(new) is not None:
                raise DoesNotFit(
                    "exists",
                    f"{new} already exists, and {each.path} must have that name",
                    "choose another name, or move that file first",
                    path=new,
                )
            yield each.path, new


def _list_files_named_after(resolver: Resolver, found: References, to: str) -> Iterator[str]:
    for each, new in _iter_named_files(resolver, found, to):
        old = each.mention.name
        if not resolver.rules(each.path).file_follows:
            renaming = f"{call('mv')} renames it to {quote_path(new)}"
            yield remark(f"{quote_path(each.path)} is named after {old}: {renaming}", severity="note")
            continue
        for path in resolver.files.overlay.under(""):
            if "META-INF/services/" in path and path.rpartition(".")[2] == old:
                yield f"{quote_path(path)} is named after {old}, and stays"


def _list_overloads(resolver: Resolver, place: Place, found: References) -> Iterator[str]:
    lexical = resolver.lexical(place.path)
    if place.mention.kind not in lexical.rules.overloads:
        return
    own = lexical.holder(place.mention).span
    for each in found.certain:
        start, path = each.mention.start, each.path
        is_definition = each.kind == "definition" and path == place.path
        if is_definition and start != place.mention.start and lexical.holder(each.mention).span == own:
            words = f"{found.name} is renamed as well: it is another overload that calls may mean"
            lines = [resolver.line(path, start)]
            yield remark(words, path=path, lines=lines, kind="overload", severity="note")


def _list_known_by_name(resolver: Resolver, found: References, to: str) -> Iterator[str]:
    for each in found.certain:
        language, place = resolver.dialect(each.path), Place(each.path, each.mention)
        is_set = each.mention.role == "member" and language.is_set(each.mention)
        is_definition = is_set or each.kind == "definition"
        lines = [resolver.line(each.path, each.mention.start)]
        find_reason = language.lookup_reason if is_definition else language.printed_name_reason
        why = find_reason(resolver, place)
        effect = language.new_name_effect(resolver, place, to) if is_definition and not why else ""
        if why:
            words = f"{each.mention.name} is renamed, though {why}"
            yield remark(words, path=each.path, lines=lines, kind="looked_up")
        elif effect:
            words = f"{each.mention.name} is renamed to {to}, and {effect}"
            yield remark(words, path=each.path, lines=lines, kind="looked_up")


def _require_no_module(found: References) -> None:
    for each in found.family.members:
        if each.scope == WHOLE:
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.name} is the module {quote_path(each.path)}",
                f"rename the file with {call('mv')} instead",
                path=each.path,
            )


def _require_no_macro(resolver: Resolver, found: References) -> None:
    """Raise if the name stands for text, such as a macro, since its uses are not visible in the source."""
    for each in found.certain:
        if each.mention.kind in resolver.lexical(each.path).rules.fixed and each.kind == "definition":
            raise DoesNotFit(
                "kind_mismatch",
                f"{each.mention.name} in {each.path} is a {each.mention.kind}, not a name",
                f"{call('refs')} lists its places; edit them as text, in one changeset",
                path=each.path,
            )


def lower_missing_imports(overlay: Overlay, read: OpenSource) -> LoweredOperation:
    """Return the edits of the imports in changed files."""
    before, files = Files(Overlay(overlay.below), read), Files(overlay, read)
    inside: list[FileSplices] = []
    unadded: list[str] = []
    for path in [each.path for each in overlay.changes if each.new is not None]:
        source = files.source(path)
        if source is None or source.language is None or source.language.data:
            continue
        folder = importer_of(source.language.name)
        if not folder or files.lexical(path) is None:
            words = "its imports are unchanged: imports of this language are not read"
            unadded.append(remark(words, path=path, kind="imports", severity="note"))
            continue
        language = importlib.import_module(f"gitscalpel.refactor.{folder}.missing_imports")
        after, notes = complete_imports(before, files, path, language.COMPLETER)
        unadded += notes
        splices = _line_splices(files, after, path)
        inside += [FileSplices(path, splices)] if splices else []
    return LoweredOperation(tuple(inside), unchecked=tuple(unadded))


def lower_name_operation(
    op: NameFollowingOperation, overlay: Overlay, read: OpenSource, witness: CrossChecker | None = None
) -> LoweredOperation:
    """Lower an operation that follows names; see :data:`gitscalpel.edit.outcome.Lower`."""
    if isinstance(op, Rename):
        return lower_rename(op, overlay, read, witness)
    if isinstance(op, Move):
        return move.lower_move(op, overlay, read)
    if isinstance(op, MovedFiles):
        return move_file.lower_moved_files(op, overlay, read)
    if isinstance(op, SafeDelete):
        return definition_impact.lower_unused(op, overlay, read)
    if isinstance(op, AutoImports):
        return lower_missing_imports(overlay, read)
    assert isinstance(op, Imports)  # noqa: S101 - there is no other
    return _lower_imports(op, Files(overlay, read))


def _lower_imports(op: Imports, files: Files) -> LoweredOperation:
    path, _ = paths.require_file(op.path, files.overlay)
    source = files.source(path)
    folder = importer_of(source.language.name) if source is not None and source.language is not None else ""
    if source is None or not folder or files.lexical(path) is None:
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: {files.why_unread(path, 'imports are not read in this type of file yet')}",
            "edit the imports with `text` or `lines`",
        )
    language = importlib.import_module(f"gitscalpel.refactor.{folder}.import_edits")
    splices = _line_splices(files, edit_imports(op, path, files, language.EDITOR), path)
    return LoweredOperation((FileSplices(path, splices),) if splices else ())


def _line_splices(before: Files, after: Files, path: str) -> tuple[Splice, ...]:
    old, new = before.source(path), after.source(path)
    assert old is not None and new is not None  # noqa: S101, PT018 - it has been edited
    return tuple(move.line_splices(old.document, new.text))
