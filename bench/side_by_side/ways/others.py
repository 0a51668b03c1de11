"""The tools of others that are compared, and the environments into which pip installs them, each its own.

They are made only when that is asked for: what they need is large, and comes from the network.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.side_by_side.ways import ast_grep, library
from bench.side_by_side.ways.library import Library
from bench.side_by_side.ways.way import Way

LIBRARIES = (
    Library("ast-grep (library)", "with_ast_grep", ("ast-grep-py", "ast-grep-cli")),
    Library("rope", "with_rope", ("rope",)),
    Library("openai-agents apply_diff", "with_openai_agents", ("openai-agents",)),
    Library("aider edit block", "with_aider_block", ("aider-chat",)),
    Library("aider udiff", "with_aider_udiff", ("aider-chat",)),
    Library("codescalpel update_function", "with_codescalpel", ("codescalpel", "mcp<2")),
)


class Other(NamedTuple):
    """A tool as it was found: its ways, or why there are none."""

    name: str
    ways: tuple[Way, ...] = ()
    missing: str = ""


def found(folder: Path | None) -> list[Other]:
    """Those that are installed below ``folder``; what is not there yet is installed there."""
    if folder is None:
        return [Other(each.name, missing="not measured: without --others") for each in LIBRARIES]
    return [_found(each, folder) for each in LIBRARIES]


def _found(each: Library, folder: Path) -> Other:
    place = folder / each.wants[0]
    python = place / "bin/python"
    if not (place / "installed").exists() and (said := _install(place, each.wants)):
        return Other(each.name, missing=f"not measured: pip cannot install it ({said})")
    version = _version(python, each.wants[0])
    ways: tuple[Way, ...] = library.ways(each._replace(name=f"{each.name} {version}"), python)
    if "ast-grep-cli" in each.wants:
        ways = (ast_grep.way(place / "bin/ast-grep"), *ways)
    return Other(each.name, ways)


def _install(place: Path, wants: tuple[str, ...]) -> str:
    """The last line of what went wrong."""
    for words in (
        [sys.executable, "-m", "venv", str(place)],
        [str(place / "bin/pip"), "install", "-q", *wants],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    (place / "installed").touch()
    return ""


def _version(python: Path, name: str) -> str:
    asked = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.run(
        [str(python), "-c", asked], capture_output=True, text=True, check=True
    ).stdout.strip()
