"""Files move to other places; what imports them, and what they import by their place, follows."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from gitscalpel.edit.lowered import Lowered, Read, Respelled
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.operations import Moved
from gitscalpel.report import Affected, quoted
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.languages import recognise

_FOLLOWED: Mapping[str, str] = {
    "python": "python",
    **dict.fromkeys(("javascript", "typescript", "tsx", "json", "css", "scss", "vue", "svelte"), "javascript"),
}
"""By language of what moves: the folder of whom to ask what follows."""


def lowered(op: Moved, overlay: Overlay, read: Read) -> Lowered:
    """The edits that follow the files.

    Raises:
        DoesNotFit: ``duplicate_symbol``: a name would be another's.
    """
    journey = Journey(op.pairs, overlay, read)
    languages = {path: recognise(path, b"") for path in journey.files}
    asked = {_FOLLOWED.get(language.name) for language in languages.values() if language is not None}
    inside: list[Respelled] = []
    left: list[str] = []
    for folder in sorted(each for each in asked if each):
        module = importlib.import_module(f"gitscalpel.meaning.{folder}.relocating.follow")
        found: Followed = module.follow(journey)
        inside += _inside(journey, found)
        left += found.left
    left += [
        f"what imports {quoted(path)} or names it by its path was not looked for, and stays as it is"
        for path, language in languages.items()
        if language is not None and language.name not in _FOLLOWED
    ]
    affected = tuple(_affected(journey, inside))
    return Lowered(tuple(inside), affected, tuple(dict.fromkeys(left)))


def _inside(journey: Journey, found: Followed) -> Iterator[Respelled]:
    for path, splices in sorted(found.splices.items()):
        if splices:
            yield Respelled(journey.to(path), tuple(sorted(splices)))


def _affected(journey: Journey, inside: list[Respelled]) -> Iterator[Affected]:
    """How much had to follow, for all that moved together."""
    if inside:
        subject = next(iter(journey.subjects))
        references = sum(len(each.splices) for each in inside)
        yield Affected(symbol=quoted(subject), references=references, files=len(inside))
