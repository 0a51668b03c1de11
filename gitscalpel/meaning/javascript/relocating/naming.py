"""How a file is called from another one, when either of them has moved."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Literal, NamedTuple

from gitscalpel.meaning.javascript import config, packages, paths
from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.resolve import Resolver

Style = Literal["whole", "compiled", "bare", "folder"]
"""How a path is said: with its ending; with that of what it is compiled to; without; as its folder."""
_COMPILED = {written: out for out, those in paths.WRITTEN_FOR.items() for written in those}


class Move(NamedTuple):
    """What moves, and who follows names before and after."""

    journey: Journey
    before: Resolver
    after: Resolver


class _Found(NamedTuple):
    """What was named: the place that was looked at, and the file that is there; whether it was looked for."""

    place: str
    path: str
    is_around: bool = False


def respelled(move: Move, path: str, said: str) -> str | None:
    """How a file says after the move what it names; None: nobody can tell.

    Args:
        move: what moves.
        path: of the file, before.
        said: how it names another one.
    """
    found = _located(move.before, path, said)
    if found is None:
        return None if _may_be_named(move.journey, said) else said
    here, to = move.journey.to(path), move.journey.means(found.path)
    if to == found.path and (here == path or not said.startswith(".")):
        return said
    is_published = not said.startswith(".") and packages.is_published(move.before, said)
    for new in _candidates(said, found, here, to):
        now = _located(move.after, here, new)
        is_hidden = is_published and packages.is_published(move.after, new) is False
        if now is not None and now.path == to and not is_hidden:
            return new
    return None


def like(before: Resolver, after: Resolver, here: str, to: str, sample: tuple[str, str]) -> str | None:
    """How a file names another one in the style of a sample; None: it cannot.

    Args:
        before: follows the sample.
        after: follows what is new.
        here: the path of the file that names.
        to: the path of the file that is named.
        sample: the path of a file, and how it names one.
    """
    path, said = sample
    found = _located(before, path, said)
    for new in _candidates(said, found, here, to) if found is not None else ():
        now = _located(after, here, new)
        if now is not None and now.path == to:
            return new
    return None


def _may_be_named(journey: Journey, said: str) -> bool:
    """Whether something that leads nowhere that is known is called as one that moves."""
    stems = {posixpath.basename(path).partition(".")[0] for path in journey.files}
    return not said.startswith("@") and posixpath.basename(said).partition(".")[0] in stems


def _located(resolver: Resolver, path: str, said: str) -> _Found | None:
    for place in paths.places(resolver, path, said):
        clean = posixpath.normpath(place)
        found = paths.file(resolver.files, clean)
        if found is not None:
            around = map(posixpath.normpath, config.around(resolver.files, path, said))
            return _Found(clean, found.path, clean in around)
        if resolver.files.is_file(clean):
            return _Found(clean, clean)
    return None


def _candidates(said: str, found: _Found, here: str, to: str) -> Iterator[str]:
    style = _style(said, found)
    is_relative = said.startswith(".") or found.is_around
    if not is_relative:
        yield said
    for each in (style, "bare", "compiled", "whole"):
        place = _place(to, each, keeps_index=posixpath.basename(said) == "index")
        if is_relative:
            near = posixpath.relpath(place or ".", posixpath.dirname(here) or ".")
            yield near if near.startswith(".") else f"./{near}"
        else:
            yield from _aliased(said, found.place, place)
            suffix = posixpath.splitext(found.place)[1]
            if suffix in paths.SUFFIXES and not said.endswith(suffix):  # a pattern puts it behind the name
                yield from _aliased(
                    said, found.place.removesuffix(suffix), _place(to, "bare", keeps_index=True)
                )


def _style(said: str, found: _Found) -> Style:
    if found.path == found.place:
        return "whole"
    if posixpath.basename(found.path).startswith("index.") and posixpath.dirname(found.path) == (
        "" if found.place == "." else found.place
    ):
        return "folder"
    return "compiled" if posixpath.splitext(said)[1] in paths.WRITTEN_FOR else "bare"


def _place(path: str, style: Style, *, keeps_index: bool) -> str:
    suffix = next((each for each in (".d.ts", *paths.SUFFIXES) if path.endswith(each)), "")
    stem = path.removesuffix(suffix)
    if style == "whole" or not suffix:
        return path
    if style == "compiled":
        return stem + _COMPILED.get(suffix, suffix)
    if posixpath.basename(stem) == "index" and not (keeps_index and style == "bare"):
        return posixpath.dirname(stem)
    return stem


def _aliased(said: str, was: str, place: str) -> Iterator[str]:
    """The same start of a name for the same start of a place: what both end with is what may change."""
    shared = 0
    names, places = said.split("/"), was.split("/")
    while shared < min(len(names), len(places)) and names[-1 - shared] == places[-1 - shared]:
        shared += 1
    head, folder = names[: len(names) - shared], places[: len(places) - shared]
    parts = place.split("/")
    if shared and parts[: len(folder)] == folder:
        yield "/".join([*head, *parts[len(folder) :]])
