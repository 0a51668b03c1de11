"""Files move to other places; what imports them, and what they import by their place, follows."""

from __future__ import annotations

import importlib
import posixpath
import re
from collections.abc import Iterator, Mapping

from gitscalpel.edit.lowered import Lowered, Read, Respelled
from gitscalpel.meaning import told
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.operations import Moved
from gitscalpel.report import Affected, quoted
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.languages import recognise
from gitscalpel.text import endings

_BY_LANGUAGE: Mapping[str, str] = {
    "python": "python",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "javascript"),
}
_IMPORTED = frozenset(
    {
        *(".json", ".jsonc", ".json5", ".yaml", ".yml", ".css", ".scss", ".sass", ".less", ".vue", ".svelte"),
        *(".astro", ".graphql", ".gql", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".html", ".txt"),
        *(".md", ".mdx", ".wasm", ".node"),
    }
)
"""Endings of what JavaScript imports though it is none."""


def lowered(op: Moved, overlay: Overlay, read: Read) -> Lowered:
    """The edits that follow the files.

    Raises:
        DoesNotFit: ``duplicate_symbol``: a name would be another's.
    """
    journey = Journey(op.pairs, overlay, read)
    asked = {path: _asked(path) for path in journey.files}
    inside: list[Respelled] = []
    left: list[str] = []
    for folder in sorted({each for each in asked.values() if each}):
        module = importlib.import_module(f"gitscalpel.meaning.{folder}.relocating.follow")
        found: Followed = module.follow(journey)
        inside += _inside(journey, found)
        left += found.left
    left += [
        f"what imports {quoted(path)} was not looked for, and stays as it is"
        for path, folder in asked.items()
        if folder is None and recognise(path, b"") is not None
    ]
    left += _named(journey, inside)
    affected = tuple(_affected(journey, inside))
    return Lowered(tuple(inside), affected, tuple(dict.fromkeys(left)))


def _asked(path: str) -> str | None:
    """The folder of whom to ask what follows a file; None: nobody."""
    language = recognise(path, b"")
    by_language = None if language is None else _BY_LANGUAGE.get(language.name)
    return by_language or ("javascript" if posixpath.splitext(path)[1] in _IMPORTED else None)


def _inside(journey: Journey, found: Followed) -> Iterator[Respelled]:
    for path, splices in sorted(found.splices.items()):
        source = journey.before.source(path)
        if splices and source is not None:
            ended = (endings.splice(source.document, *each) for each in sorted(splices))
            yield Respelled(journey.to(path), tuple(ended))


def _affected(journey: Journey, inside: list[Respelled]) -> Iterator[Affected]:
    """How much had to follow, for all that moved together."""
    if inside:
        subject = next(iter(journey.subjects), next(iter(journey.files)))
        references = sum(len(each.splices) for each in inside)
        yield Affected(symbol=quoted(subject), references=references, files=len(inside))


def _named(journey: Journey, inside: list[Respelled]) -> Iterator[str]:
    """Where the path of what moves stands in a text, and is left."""
    changed = {each.path: [(s.start, s.end) for s in each.splices] for each in inside}
    for subject in journey.subjects:
        raw = subject.encode("utf-8", "surrogateescape") + (b"/" if subject in journey.folders else b"")
        words = re.findall(r"\w+", subject.rpartition("/")[2])
        for path in journey.before.holding(max(words, key=len)) if words else ():
            source = journey.before.source(path)
            places = [] if source is None else _places(source.text, raw)
            known = changed.get(journey.to(path), [])
            lines = sorted(
                {
                    source.document.line_at(at)
                    for at in places
                    if source is not None and not any(a - len(raw) <= at <= b for a, b in known)
                }
            )
            if lines:
                yield f"{told.spots(path, lines)}: {quoted(subject)} is left: it stands in a text"


def _places(text: bytes, raw: bytes) -> list[int]:
    return [found.start() for found in re.finditer(rb"(?<![\w-])" + re.escape(raw), text)]
