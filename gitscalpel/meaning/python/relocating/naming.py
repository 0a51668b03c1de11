"""How a module is called from a file, when either of them has moved."""

from __future__ import annotations

from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.moving import spelling
from gitscalpel.meaning.things import Module

_SUFFIXES = (".py", ".pyi")
_INITS = tuple(f"__init__{suffix}" for suffix in _SUFFIXES)


def parts(path: str) -> list[str]:
    """A module's place as folders and its own name: ``a/b/__init__.py`` and ``a/b.py`` are both a, b."""
    head, _, last = path.rpartition("/")
    if last in _INITS:
        return head.split("/") if head else []
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path.split("/") if path else []


def find(journey: Journey, path: str, said: str) -> Module | None:
    """The module that a file names, before the move."""
    dotted = said.lstrip(".")
    found = modules.find(journey.before, path, dotted, len(said) - len(dotted))
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
        same = to == target and journey.to(path) == path
        return said if same else (_relative(journey, journey.to(path), to) or _absolute(journey, to))
    return said if to == target else _below_root(journey, said, target, to)


def _below_root(journey: Journey, said: str, target: str, to: str) -> str:
    """The dotted name from the folder in which the old one was looked up."""
    place, named = parts(target), said.split(".")
    root = place[: len(place) - len(named)]
    above = journey.to("/".join(root)).split("/") if root else []
    for folder in (above, root):
        now = parts(to)
        if len(now) > len(folder) and now[: len(folder)] == folder and place[len(root) :] == named:
            return ".".join(now[len(folder) :])
    return _absolute(journey, to)


def _absolute(journey: Journey, path: str) -> str:
    return spelling.dotted(journey.after, path) if path.endswith(_SUFFIXES) else ".".join(parts(path))


def _relative(journey: Journey, path: str, to: str) -> str | None:
    """By its place; None where that would lead out of the package that the file is in."""
    here, there = path.split("/")[:-1], parts(to)
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    if shared <= _above_package(journey, here):
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def _above_package(journey: Journey, here: list[str]) -> int:
    """How many folders are above the outermost package; of a folder that is none, 0."""
    depth = len(here)
    while depth and any(journey.after.is_file("/".join([*here[:depth], init])) for init in _INITS):
        depth -= 1
    return depth if depth < len(here) else 0
