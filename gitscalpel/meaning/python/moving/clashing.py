"""Names that a definition has with it, and that are something else where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.family import Family
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import imports, submodules, words
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import deferral
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Elsewhere, Meaning
from gitscalpel.syntax.occurrences import Mention

_TYPE_VARIABLES = (b"TypeVar", b"ParamSpec", b"TypeVarTuple")


def refuse(resolver: Resolver, came: str, to: str, wanted: Iterable[Wanted]) -> None:
    """Refuse imports of a file that would not be what they are in another one.

    Args:
        resolver: of the files before.
        came: the path of the file in which the names are what they are to be.
        to: the path of the file that is to import them.
        wanted: what it is to import.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    lexical = resolver.files.lexical(to)
    for each in wanted if lexical is not None else ():
        for mention in _others(resolver, came, to, each):
            where = f"{quoted(to)}:{resolver.line(to, mention.start)}"
            raise DoesNotFit(
                "duplicate_symbol", f"{each.bound} is something else in {where}", "rename one of them first"
            )


def is_taken(resolver: Resolver, came: str, to: str, wanted: Wanted) -> bool:
    """Return True if a file has, or uses, something else under a name that it is to import; see `refuse`."""
    return resolver.files.lexical(to) is not None and any(True for _ in _others(resolver, came, to, wanted))


def is_equal_type_variable(resolver: Resolver, path: str, other: str, name: str) -> bool:
    """Return True if two files make a type variable of a name in the same words."""
    if resolver.files.lexical(other) is None:
        return False
    said = [_type_variable(resolver, each, name) for each in (path, other)]
    return said[0] is not None and said[0] == said[1]


def _type_variable(resolver: Resolver, path: str, name: str) -> bytes | None:
    """Return the call that makes a type variable; None if the name is something else."""
    lexical = resolver.lexical(path)
    bound = lexical.bound(name).get(lexical.syntax.root.id, ())
    statement = bound[0].node.parent if len(bound) == 1 else None
    made = statement.child_by_field_name("right") if statement is not None else None
    maker = made.child_by_field_name("function") if made is not None and made.type == "call" else None
    if made is None or maker is None or (maker.text or b"").rpartition(b".")[2] not in _TYPE_VARIABLES:
        return None
    return (made.text or b"").removeprefix(maker.text or b"")


def known_alias(files: Files, path: str, wanted: Wanted) -> str | None:
    """Return the alias under which a file imports something already; None if it does not."""
    place = Place.of(files, path)
    found = (
        each
        for one in statements.read(place.root, place.text)
        for each in one.names
        if (one.module, each.name) == (wanted.module, wanted.name)
    )
    return next((each.alias for each in found if each.alias is not None), None)


def free_alias(name: str, text: bytes) -> str:
    """Return a private alias of a name that does not stand in a text."""
    alias = name if name.startswith("_") else f"_{name}"
    while alias == name or any(True for _ in Mention.places(alias, text)):
        alias += "_"
    return alias


def refuse_changed(was: Resolver, before: References, after: Files, came: str, to: str) -> None:
    """Refuse a move after which a place names the definition that did not, or no longer does.

    Args:
        was: of the files before.
        before: its references before.
        after: the files afterwards.
        came: the path of the file in which it was.
        to: the path of the file in which it is.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    resolver = Resolver(after, dialect)
    now = references(resolver, {_of(resolver, to, before.name)})
    one, other = (
        Counter(to if each.path == came else each.path for each in found.certain if _is_named(each))
        for found in (before, now)
    )
    for path in sorted(path for path in one | other if one[path] != other[path]):
        said = f"{before.name} would be something else in {quoted(path)}"
        raise DoesNotFit(
            "duplicate_symbol",
            said,
            "rename what stands in its way, or import it at the top of that file, first",
        )
    own = {(place.path, what) for place, what in submodules.hidden(was, before.family.members, before.name)}
    for place, what in submodules.hidden(resolver, now.family.members, before.name):
        if (place.path, what) not in own:
            where = f"{quoted(place.path)}:{resolver.line(place.path, place.mention.start)}"
            said = f"{before.name} in {where} is {what}"
            raise DoesNotFit("duplicate_symbol", said, "rename one of them, or choose another file, first")


def _is_named(place: Reference) -> bool:
    """Whether a place is neither an import, nor listed as an export, nor in a stub."""
    is_stub = place.path.endswith(".pyi")
    is_export = place.mention.role == "string" and deferral.is_listed(place.mention.node)
    return place.kind != "import" and not is_export and not is_stub


def _others(resolver: Resolver, came: str, to: str, wanted: Wanted) -> Iterator[Mention]:
    """Where the name is bound to something else there, or is that of something which no statement binds."""
    lexical = resolver.lexical(to)
    bound = lexical.bound(wanted.bound).get(lexical.syntax.root.id, ())
    if bound:
        yield from () if any(_is_same(resolver, came, to, wanted, each) for each in bound) else bound
        return
    own = _meant(resolver, came, wanted.bound)
    for mention in lexical.of(wanted.bound):
        if mention.role == "use" and lexical.scope_of(mention) is None:
            found = [m for m in resolver.meanings(to, mention) if isinstance(m, (Binding, Elsewhere))]
            if found and own.isdisjoint(found):
                yield mention


def _meant(resolver: Resolver, path: str, name: str) -> set[Meaning]:
    """What a module's name is, wherever it comes from, and what the language has itself under it."""
    members = Family(resolver, (_of(resolver, path, name),)).members
    worth = {each for member in members for each in resolver.worth(member)}
    return {*members, *(each for each in worth if isinstance(each, Elsewhere))}


def _is_same(resolver: Resolver, came: str, to: str, wanted: Wanted, mention: Mention) -> bool:
    """Whether what binds a name brings what is wanted."""
    if mention.kind != "import":
        return False
    statement = imports.statement_of(mention.node)
    named = statement.child_by_field_name("module_name") if statement is not None else None
    module = None if named is None else words.text(resolver, to, named)
    said = imports.said(resolver, to, mention)
    if (module, said) == (wanted.module, wanted.name):
        return True
    if wanted.module is None and wanted.alias is None:
        return module is None and said == mention.name
    mine, its = (Family(resolver, (_of(resolver, path, wanted.bound),)).members for path in (came, to))
    brought = set(imports.brings(resolver, to, mention))
    here = resolver.lexical(came)
    for each in here.bound(wanted.bound).get(here.syntax.root.id, ()):
        if each.kind == "import" and not brought.isdisjoint(imports.brings(resolver, came, each)):
            return said == imports.said(resolver, came, each)
    return not mine.isdisjoint(its)


def _of(resolver: Resolver, path: str, name: str) -> Binding:
    root = resolver.lexical(path).syntax.root
    return Binding(path, (root.start_byte, root.end_byte), "module", name)
