"""Uses of a module in expressions: by its own name, or with that of its package before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python import imports, words
from gitscalpel.meaning.python.moving import rooted
from gitscalpel.meaning.python.relocating import keeping, naming
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


class Use(NamedTuple):
    """A place that names a module, and how it does after the move.

    Attributes:
        splice: of it.
        target: the module's path before.
    """

    splice: Splice
    target: str


def respelled(resolver: Resolver, journey: Journey, each: Reference, target: str) -> Use | str | None:
    """How a use is spelled after the move; None: as before; a text: why nobody can say."""
    if each.mention.role == "member":
        return _chained(resolver, journey, each, target)
    name = each.mention.name
    if _names_what_stays(resolver, journey, each, target):
        return None
    now = _last(journey, target)
    binders = _binders(resolver, each)
    if each.mention.role == "use" and any(_is_plain(node) for node in binders):
        now = naming.respelled(journey, each.path, name, target)
    by = _binds(resolver, each)
    is_whole = any(_is_plain(node) and _is_part(node) for node in binders)
    if now == name or (not is_whole and keeping.keeps(resolver, journey, by, name, now=now, target=target)):
        return None
    return Use(Splice(each.mention.start, each.mention.end, _raw(now)), target)


def _names_what_stays(resolver: Resolver, journey: Journey, each: Reference, target: str) -> bool:
    """Return True for ``package`` of ``package.module`` where only the package's ``__init__.py`` moves."""
    node = each.mention.node.parent
    if rooted.is_package_file(journey.means(target)) or node is None or node.type != "attribute":
        return False
    found = naming.find(journey, each.path, words.text(resolver, each.path, node))
    is_below = found is not None and rooted.parts(found.path)[:-1] == rooted.parts(target)
    return found is not None and is_below and journey.means(found.path) == found.path


def _chained(resolver: Resolver, journey: Journey, each: Reference, target: str) -> Use | str | None:
    """``package.module``: all of it where that is its name; the last word where the package is the same."""
    node = each.mention.node.parent
    said = words.text(resolver, each.path, node) if node is not None else ""
    module = naming.find(journey, each.path, said) if node is not None and node.type == "attribute" else None
    if node is not None and module is not None and module.path == target:
        now = naming.respelled(journey, each.path, said, target)
        return None if now == said else Use(Splice(node.start_byte, node.end_byte, _raw(now)), target)
    before, after = rooted.parts(target), rooted.parts(journey.means(target))
    if journey.to("/".join(before[:-1])).split("/") == after[:-1] or before[:-1] == after[:-1]:
        if before[-1] == after[-1]:
            return None
        return Use(Splice(each.mention.start, each.mention.end, _raw(after[-1])), target)
    line = resolver.line(each.path, each.mention.start)
    return f"{quoted(each.path)}:{line}: {said} is left: the module is in another package now"


def _binds(resolver: Resolver, each: Reference) -> str:
    """The path of the file that binds the name: what comes with a star is called as it is there."""
    found = resolver.meanings(each.path, each.mention)
    return next((one.path for one in found if isinstance(one, Binding) and one.scope != WHOLE), each.path)


def _binders(resolver: Resolver, each: Reference) -> list[tree_sitter.Node]:
    """The names that bind it, in what stands around them."""
    found = resolver.meanings(each.path, each.mention)
    return [p.mention.node for one in found if isinstance(one, Binding) for p in resolver.binders(one)]


def _is_plain(node: tree_sitter.Node) -> bool:
    """Whether a name was bound by ``import name``, which binds the first part of a dotted one."""
    statement = imports.statement_of(node)
    return statement is not None and statement.type == "import_statement"


def _is_part(node: tree_sitter.Node) -> bool:
    """Whether a name is the first part of a dotted one."""
    above = node.parent
    return above is not None and above.type == "dotted_name" and above.named_child_count > 1


def _last(journey: Journey, target: str) -> str:
    return rooted.parts(journey.means(target))[-1]


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def refuse_captures(
    journey: Journey, splices: Mapping[str, list[Splice]], used: Mapping[str, list[Use]]
) -> None:
    """Refuse what would name something else after the move than the module.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    files = journey.after
    for path, those in splices.items():
        text = splice.apply(journey.before.lexical(path).text, those)  # type: ignore[union-attr]
        files = files.with_text(journey.to(path), text)
    resolver = Resolver(files, dialect)
    for path, uses in used.items():
        made = splice.Round(splices[path])
        for use in uses:
            _refuse_capture(resolver, journey.to(path), made.forward(use.splice.end), use)


def _refuse_capture(resolver: Resolver, path: str, end: int, use: Use) -> None:
    name = use.splice.new.rpartition(b".")[2].decode("utf-8", "surrogateescape")
    mention = resolver.lexical(path).mentions.at(name, end - len(use.splice.new.rpartition(b".")[2]))
    if mention.role == "string":  # what a list exports is said by its file
        return
    found = [each for each in resolver.meanings(path, mention) if isinstance(each, Binding)]
    worth = [value for each in found for value in resolver.worth(each)]
    if any(getattr(value, "path", None) for value in worth):
        return
    said = use.splice.new.decode("utf-8", "replace")
    raise DoesNotFit(
        "duplicate_symbol",
        f"{path}:{resolver.line(path, mention.start)}: {said} would not be the module there",
        "give the other name another one first, or keep the imports (keep_imports) and edit them yourself",
        path=path,
    )
