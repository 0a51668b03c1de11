"""Modules that a move makes import each other in a circle: a name may be asked for before it is there.

https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.moving import following
from gitscalpel.report import quoted


def closed(before: Files, after: Files) -> Iterator[str]:
    """The circles that a new import at the top level of a file closes, in words."""
    for path in sorted(after.touched):
        for other in sorted(_imported(after, path) - _imported(before, path)):
            through = _way(after, other, path)
            if through is not None:
                between = f" through {', '.join(map(quoted, through))}" if through else ""
                words = "import each other from now on"
                yield f"{quoted(path)} and {quoted(other)} {words}{between}: a name may not be there yet"


def _imported(files: Files, path: str) -> set[str]:
    """The files that one imports when it is itself imported."""
    lexical = files.lexical(path) if files.is_file(path) else None
    if lexical is None or lexical.syntax.language.name != "python":
        return set()
    said, around = set[str](), set[str]()
    for each in statements.read(lexical.syntax.root, lexical.text):
        if each.module is None:
            said |= {name.name for name in each.names}
        else:
            dot = "" if each.module.endswith(".") else "."
            said |= {each.module, *(f"{each.module}{dot}{name.name}" for name in each.names)}
            inside = [f"{each.module}{name.name}" for name in each.names if not each.module.strip(".")]
            if any(following.module_of(files, path, one) is None for one in inside):
                around.add(each.module)  # the package has it that the file is in, and is no module of it
    found = {following.module_of(files, path, each) for each in around | {s for s in said if s.strip(".")}}
    return {each for each in found if each is not None} - {path}


def _way(files: Files, start: str, goal: str) -> tuple[str, ...] | None:
    """The files between two on the shortest way along imports; None: there is no way."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    for here in (waiting := [start]):
        for other in sorted(_imported(files, here)):
            if other == goal:
                return ways[here]
            if other not in ways:
                ways[other] = (*ways[here], other)
                waiting.append(other)
    return None
