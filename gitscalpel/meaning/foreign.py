"""Names that others give: what an import brings from outside of the tree, what they define or override.

Another name would not be known there, so they are renamed here alone, by an alias, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.edit.lowered_operation import FileSplices
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.references import Reference, References
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Meaning, Unknown
from gitscalpel.text.splice import Splice

_PACKAGES = frozenset({"node_modules", "site-packages"})
"""Folders in which others' files stand."""


def refuse(resolver: Resolver, found: References) -> None:
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
        if each.form == "alias" and splice(resolver, each, "") != each.mention.renamed(""):
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


def splice(resolver: Resolver, each: Reference, to: str) -> Splice:
    """How another name is put into the place of a reference."""
    if each.mention.role in ("comment", "string", "text"):
        return each.mention.renamed(to)
    return resolver.dialect(each.path).respelled(resolver, each.path, each.mention, each.form, to)


def respelled(resolver: Resolver, changed: Iterable[Reference], to: str) -> Iterator[FileSplices]:
    """How places get another name, file by file."""
    by_path: dict[str, list[Splice]] = {}
    for each in changed:
        by_path.setdefault(each.path, []).append(splice(resolver, each, to))
    for path, splices in by_path.items():
        yield FileSplices(path, tuple(sorted(splices, key=lambda each: each.start)))
