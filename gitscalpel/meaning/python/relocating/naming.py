"""How a module is called from a file, when either of them has moved."""

from __future__ import annotations

import keyword
import posixpath

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
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


def require_importable(journey: Journey, path: str, place: str) -> None:
    """Refuse a move after which Python would not find a module that is imported.

    Args:
        journey: the files that move.
        path: the path of the module before.
        place: a file and line that import the module.

    Raises:
        DoesNotFit: `kind_mismatch`.
    """
    to = journey.means(path)
    why = "" if to == path else _hindrance(journey, path, to)
    if why:
        raise DoesNotFit(
            "kind_mismatch",
            f"{place} imports {quoted(path)}, and {why}",
            "choose another path, or move the file alone (keep_imports) and edit the imports yourself",
            path=path,
        )


def _hindrance(journey: Journey, path: str, to: str) -> str:
    """Return in words why Python does not find a module at ``to``; "" if it does."""
    is_file = path.endswith(_SUFFIXES)
    if is_file and not to.endswith(_SUFFIXES):
        return f"{quoted(to)} is not a Python file"
    if path.endswith(".py") and to.endswith(".pyi") and not journey.after.is_file(to[:-1]):
        return f"{quoted(to)} is a stub, which Python does not run"
    for name in _absolute(journey, to).split("."):
        if not name.isidentifier() or keyword.iskeyword(name):
            return f"{quoted(name)} cannot be imported: it is not a name of Python"
    hidden = _hidden_by(journey.after, to)
    return f"{quoted(hidden)} would be imported instead of {quoted(to)}" if hidden else ""


def _hidden_by(files: Files, to: str) -> str:
    """Return the file that Python takes for a module at ``to``, or for a package around it; "" if none.

    A package with an ``__init__.py`` comes before a module of its name, and that before a mere directory.
    """
    place, suffix = posixpath.splitext(to)
    if suffix == ".py" and files.is_file(f"{place}/__init__.py") and not to.endswith("/__init__.py"):
        return f"{place}/__init__.py"
    folder = posixpath.dirname(to)
    while folder:
        if files.is_file(f"{folder}.py") and not files.is_file(f"{folder}/__init__.py"):
            return f"{folder}.py"
        folder = posixpath.dirname(folder)
    return ""
