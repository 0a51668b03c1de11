"""How a module is called from a file, when either of them has moved."""

from __future__ import annotations

from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.moving import rooted, spelling
from gitscalpel.meaning.things import Module

_SUFFIXES = (".py", ".pyi")


def find(journey: Journey, path: str, said: str) -> Module | None:
    """The module that a file names, before the move."""
    found = modules.named(journey.before, path, said)
    return found if isinstance(found, Module) else None


def respelled(journey: Journey, path: str, said: str, target: str) -> str:
    """What a file that names a module says after the move; by its place, if it did that.

    Args:
        journey: what moves.
        path: of the file, before.
        said: the module's name there, before.
        target: the path of the module, before.
    """
    to = journey.means(target)
    if said.startswith("."):
        if to == target and journey.to(path) == path:
            return said
        return spelling.relative(journey.after, journey.to(path), to) or _absolute(journey, to)
    return said if to == target else _below_root(journey, said, target, to)


def _below_root(journey: Journey, said: str, target: str, to: str) -> str:
    """The dotted name from the folder in which the old one was looked up."""
    place, named = rooted.parts(target), said.split(".")
    root = place[: len(place) - len(named)]
    above = journey.to("/".join(root)).split("/") if root else []
    for folder in (above, root):
        now = rooted.parts(to)
        if len(now) > len(folder) and now[: len(folder)] == folder and place[len(root) :] == named:
            return ".".join(now[len(folder) :])
    return _absolute(journey, to)


def _absolute(journey: Journey, path: str) -> str:
    is_file = path.endswith(_SUFFIXES)
    return spelling.dotted(journey.after, path) if is_file else ".".join(rooted.parts(path))
