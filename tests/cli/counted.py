"""One call of the command line, which counts what it takes: ``python -m tests.cli.counted FILE WORD…``.

It imports nothing of ours before the call, so that whatever is loaded is loaded by it.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

OTHERS = {
    *("msgspec", "tree_sitter", "tree_sitter_language_pack", "pygit2", "lark", "pathspec"),
    *("ast_grep_py", "yaml", "detect_secrets", "unidiff", "distributed"),
}
"""What we depend on; their own dependencies, and how many modules Python has, are theirs to decide."""
_counts = {"regular expressions": 0, "files": 0, "syncs": 0}


def _count_regexes() -> None:
    """Count those that are compiled for code of ours, and not found in the cache of ``re``."""
    compiler: Any = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
    compile_really = compiler.compile

    def compiled(pattern: Any, flags: int = 0) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_globals is vars(re):
            frame = frame.f_back
        _counts["regular expressions"] += frame is not None and _is_ours(frame.f_globals["__name__"])
        return compile_really(pattern, flags)

    compiler.compile = compiled


def _count_files(root: str) -> None:
    """Count the files of the repository that are opened; how Python finds its modules is not counted."""

    def heard(event: str, given: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(given[0], str | bytes):
            path = os.fsdecode(given[0])
            _counts["files"] += (path.startswith(root) or path[0] != "/") and not _is_chance(path)

    sys.addaudithook(heard)


def _count_syncs() -> None:
    def counted(really: Callable[[Any], None]) -> Callable[[Any], None]:
        def sync(file: Any) -> None:
            _counts["syncs"] += not _is_chance(os.readlink(f"/proc/self/fd/{file}"))  # noqa: PTH115
            really(file)

        return sync

    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            setattr(os, name, counted(getattr(os, name)))


def _is_chance(path: str) -> bool:
    """Whether it is a folder of objects: how many of them have one in common is up to their names."""
    return os.path.basename(os.path.dirname(path)) == "objects"  # noqa: PTH119, PTH120


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "gitscalpel"


def _call(words: list[str]) -> tuple[int, dict[str, Any]]:
    _count_regexes()
    _count_files(os.getcwd())  # noqa: PTH109 - it would be one import more
    _count_syncs()
    from gitscalpel.cli.command_line import run

    status = run(words)
    loaded = {name for name, module in sys.modules.items() if module is not None}
    packages = sorted(OTHERS & loaded)
    return status, {"our modules": sum(map(_is_ours, loaded)), "packages": packages, **_counts}


if __name__ == "__main__":
    ended, took = _call(sys.argv[2:])
    with open(sys.argv[1], "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        json.dump(took, file)
    sys.exit(ended)
