"""Find the uses of a definition that is deleted or whose signature changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Refs, Unused
from gitscalpel.edit.outcome import Lowered, OpenSource
from gitscalpel.edit.symbols.delete import references_error
from gitscalpel.names import address_targets, overloads, unresolved_notes
from gitscalpel.names.address_targets import bindings_of
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import ScriptFiles
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax import addresses
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.line_diff import diff_items

_WORD_PATTERN = re.compile(rb"\w+|[^\w\s]")


def lower_unused(op: Unused, overlay: Overlay, read: OpenSource) -> Lowered:
    """Return the uncertain references of a definition without certain uses.

    Raises:
        DoesNotFit: ``referenced``; ``unsupported_language``, or the definition has no name that can be
            followed.
    """
    resolver = Resolver(ScriptFiles(overlay, read), dialect)
    found, uses = find_uses(resolver, op.path, op.symbol)
    if uses:
        raise references_error(op.symbol, [_describe_use(resolver, each) for each in uses])
    return Lowered((), unchecked=tuple(unresolved_notes.iter_unresolved(resolver, found)))


def find_uses(resolver: Resolver, path: str, symbol: str) -> tuple[References, list[Reference]]:
    """Return the references of a definition, and those that certainly use it from outside of it.

    Raises:
        DoesNotFit: the file's language is not followed, or the definition has no name that can be.
    """
    place = address_targets.find_target(Refs(path=path, symbol=symbol), resolver)
    source = resolver.files.source(path)
    assert source is not None  # noqa: S101 - its name was found there
    own = addresses.resolve(source.outline, symbol)
    found = overloads.select_overloads(
        resolver, [place], find_references(resolver, bindings_of(resolver, place))
    )
    return found, [
        each
        for each in found.certain
        if each.kind != "definition" and not (each.path == path and own.outer <= each.mention.start < own.end)
    ]


def find_dangling(before: Resolver, after: Resolver, uses: list[Reference]) -> Iterator[tuple[str, int]]:
    """Yield path and line of names that meant a deleted definition and mean nothing now."""
    by_path: dict[str, list[Reference]] = {}
    for each in uses:
        by_path.setdefault(each.path, []).append(each)
    for path, those in by_path.items():
        was, now = (files.overlay.entry(path) for files in (before.files, after.files))
        if now == was:
            yield from ((path, before.line(path, each.mention.start)) for each in those)
        elif now is not None and after.files.lexical(path) is not None:
            others = _offsets_of_other_mentions(before, after, those)
            for mention in after.lexical(path).of(those[0].mention.name):
                known = any(isinstance(each, Binding) for each in after.meanings(path, mention))
                is_use = mention.role in ("use", "member", "imported", "keyword")
                if is_use and not known and mention.start not in others:
                    yield path, after.line(path, mention.start)


def _offsets_of_other_mentions(before: Resolver, after: Resolver, uses: list[Reference]) -> set[int]:
    """Return the offsets of kept occurrences of the name in a changed file that were not uses."""
    path, name = uses[0].path, uses[0].mention.name
    old, new = before.lexical(path), after.lexical(path)
    others = {*Mention.places(name, old.text, old.syntax.language.name)}
    others -= {each.mention.start for each in uses}
    return {at for was, at in iter_common_words(old.text, new.text) if was in others} if others else set()


def iter_common_words(old: bytes, new: bytes) -> Iterator[tuple[int, int]]:
    """Yield the old and new offsets of the words that two texts have in common."""
    was, now = ([(each[0], each.start()) for each in _WORD_PATTERN.finditer(text)] for text in (old, new))
    ranges = diff_items([word for word, _ in was], [word for word, _ in now])
    a = c = 0
    for start, end, _, behind in (*ranges, (len(was), 0, 0, 0)):
        yield from zip((at for _, at in was[a:start]), (at for _, at in now[c:]), strict=False)
        a, c = end, behind


def _describe_use(resolver: Resolver, each: Reference) -> dict[str, Any]:
    line = resolver.line(each.path, each.mention.start)
    said = resolver.lexical(each.path).text.split(b"\n")[line - 1].decode("utf-8", "replace").strip()
    return {"path": each.path, "line": line, "text": said}
