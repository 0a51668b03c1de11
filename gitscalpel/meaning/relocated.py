"""Files move to other places; what imports them, and what they import by their place, follows."""

from __future__ import annotations

import importlib
import posixpath
from collections.abc import Iterator, Mapping

from gitscalpel.changesets.answers import Affected, quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Moved
from gitscalpel.edit.lowered_operation import FileSplices, Lowered, OpenSource
from gitscalpel.meaning import package_changes, path_mentions, path_references, told
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.syntax.languages import recognise
from gitscalpel.text import line_endings
from gitscalpel.text.splice import Splice

_BY_LANGUAGE: Mapping[str, str] = {
    "python": "python",
    "rust": "rust",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "javascript"),
}
_FOUND_BY_PATH = frozenset({"bash", "c", "cpp", "go", "java"})
"""Languages of which all is listed that does not follow."""
_FREE = frozenset({"kotlin", "csharp", "swift", "scala"})
"""Languages in which the name of a file says nothing, but its folder may."""
_IMPORTED = frozenset(
    {
        *(".json", ".jsonc", ".json5", ".yaml", ".yml", ".css", ".scss", ".sass", ".less", ".vue", ".svelte"),
        *(".astro", ".graphql", ".gql", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".html", ".txt"),
        *(".md", ".mdx", ".wasm", ".node"),
    }
)
"""Endings of what JavaScript imports though it is none."""


def lowered(op: Moved, overlay: Overlay, read: OpenSource) -> Lowered:
    """The edits that follow the files.

    Raises:
        DoesNotFit: ``duplicate_symbol``: a name would be another's.
    """
    journey = Journey(op.pairs, overlay, read)
    asked = {path: _asked(path) for path in journey.files}
    splices: dict[str, set[Splice]] = {}
    left: list[str] = []
    folders = sorted({each for each in asked.values() if each})
    modules = (importlib.import_module(f"gitscalpel.meaning.{each}.relocating.follow") for each in folders)
    for follow in (*(each.follow for each in modules), path_references.follow, package_changes.follow):
        found: Followed = follow(journey)
        left += found.left
        for path, those in found.splices.items():
            splices.setdefault(path, set()).update(those)
    inside = list(_inside(journey, splices))
    left += [
        words for path, folder in asked.items() if folder is None for words in _unfollowed(journey, path)
    ]
    left += (words for path, folder in asked.items() if folder for words in _unread(journey, path))
    left = [_at_new_path(journey, each) for each in left]
    left += path_mentions.list_left(journey, _edited(journey, inside), told.listed_lines(left))
    affected = tuple(_affected(journey, inside))
    return Lowered(tuple(inside), affected, tuple(dict.fromkeys(left)))


def _at_new_path(journey: Journey, words: str) -> str:
    """Return what is said of a line with the path that its file has now."""
    path, colon, rest = words.partition(":")
    return f"{quoted(journey.files[path])}{colon}{rest}" if colon and path in journey.files else words


def _unfollowed(journey: Journey, path: str) -> Iterator[str]:
    """Report a source file in a language whose imports are not followed."""
    language = recognise(path, b"")
    if language is None or language.data or language.name in _FOUND_BY_PATH:
        return
    if language.name in _FREE and posixpath.dirname(path) == posixpath.dirname(journey.to(path)):
        return
    yield f"{quoted(journey.to(path))}: imports of {language.name} by the names of modules are not followed"


def _unread(journey: Journey, path: str) -> Iterator[str]:
    """Report a moved file that is too large, or too broken, to be looked into."""
    if journey.before.lexical(path) is None and path in journey.before.unread:
        why = journey.before.unread[path]
        yield f"{quoted(path)}: skipped: imports in it and of it were not followed: {why}"


def _asked(path: str) -> str | None:
    """The folder of whom to ask what follows a file; None: nobody."""
    language = recognise(path, b"")
    by_language = None if language is None else _BY_LANGUAGE.get(language.name)
    return by_language or ("javascript" if posixpath.splitext(path)[1] in _IMPORTED else None)


def _inside(journey: Journey, found: Mapping[str, set[Splice]]) -> Iterator[FileSplices]:
    for path, splices in sorted(found.items()):
        source = journey.before.source(path)
        if splices and source is not None:
            ended = (line_endings.splice(source.document, *each) for each in sorted(splices))
            yield FileSplices(journey.to(path), tuple(ended))


def _edited(journey: Journey, inside: list[FileSplices]) -> dict[str, list[tuple[int, int]]]:
    """Return the spans that are edited, by path before the move."""
    came = {to: path for path, to in journey.files.items()}
    return {came.get(each.path, each.path): [(s.start, s.end) for s in each.splices] for each in inside}


def _affected(journey: Journey, inside: list[FileSplices]) -> Iterator[Affected]:
    """How much had to follow, for all that moved together."""
    if inside:
        subject = next(iter(journey.subjects), next(iter(journey.files)))
        references = sum(len(each.splices) for each in inside)
        yield Affected(symbol=quoted(subject), references=references, files=len(inside))
