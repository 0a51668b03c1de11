"""Keeps commands in a worktree from seeing the user's checkout through what is installed elsewhere.

A project that is installed in editable mode is imported from where it was installed: tests would pass
on the wrong code. What leads into the checkout, on the paths of the environment or of the Python
that is active, comes first from the same folder of the worktree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gitscalpel.gates.commands.programs import site_packages

_SEARCHED = ("PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "PERL5LIB")
_QUOTED = re.compile(r"""['"]((?:/|[A-Za-z]:)[^'"\n]+)['"]""")


def environment(line: str, checkout: Path, root: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """The variables that differ for a command in the worktree at ``root`` of the checkout at ``checkout``."""
    changed = {}
    for name in _SEARCHED:
        value = outer.get(name)
        moved = os.pathsep.join(_moved(part, checkout, root) for part in (value or "").split(os.pathsep))
        if value and moved != value:
            changed[name] = moved
    installed = [str(root / folder.relative_to(checkout)) for folder in _installed(line, checkout)]
    if installed:
        before = changed.get("PYTHONPATH", outer.get("PYTHONPATH"))
        changed["PYTHONPATH"] = os.pathsep.join([*dict.fromkeys(installed), *([before] if before else [])])
    return changed


def _moved(name: str, checkout: Path, root: Path) -> str:
    """A name that leads into the checkout, by the same way into the worktree; any other as it is."""
    path = Path(name)
    return str(root / path.relative_to(checkout)) if path.is_relative_to(checkout) else name


def _installed(line: str, checkout: Path) -> Iterator[Path]:
    """The folders of the checkout from which the Python that a command uses imports."""
    for packages in site_packages(line):
        for file in sorted(packages.glob("*.pth")):
            for row in _text(file).splitlines():
                yield from _inside(row.strip(), checkout)
        for finder in sorted(packages.glob("__editable__*_finder.py")):
            for name in _QUOTED.findall(_text(finder)):  # the packages; what is above them is searched
                yield from (folder.parent for folder in _inside(name, checkout))


def _inside(name: str, checkout: Path) -> Iterator[Path]:
    """A folder of the checkout, itself or further down."""
    with suppress(OSError, ValueError):
        path = Path(name)
        if path.is_absolute() and path.resolve().is_relative_to(checkout.resolve()):
            yield checkout / path.resolve().relative_to(checkout.resolve())


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
