"""Count what one call of the command line takes: ``python -m tests.cli.measured_call FILE WORD…``.

This module imports nothing of gitscalpel before the call, so the call itself loads every module.
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

DEPENDENCIES = {
    *("msgspec", "tree_sitter", "tree_sitter_language_pack", "pygit2", "lark", "pathspec"),
    *("ast_grep_py", "yaml", "detect_secrets", "unidiff", "distributed"),
}
"""Direct dependencies; indirect ones and modules of Python are not counted."""
_counts = {"regular expressions": 0, "files": 0, "syncs": 0}


def _count_regexes() -> None:
    """Count patterns that gitscalpel compiles, without those from the cache of ``re``."""
    compiler: Any = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
    original_compile = compiler.compile

    def compile_counted(pattern: Any, flags: int = 0) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_globals is vars(re):
            frame = frame.f_back
        _counts["regular expressions"] += frame is not None and _is_ours(frame.f_globals["__name__"])
        return original_compile(pattern, flags)

    compiler.compile = compile_counted


def _count_files(root: str) -> None:
    """Count the opened files of the repository, without those that Python opens for imports."""

    def handle_audit_event(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            path = os.fsdecode(arguments[0])
            _counts["files"] += (path.startswith(root) or path[0] != "/") and not _is_object_directory(path)

    sys.addaudithook(handle_audit_event)


def _count_syncs() -> None:
    def count_calls(original: Callable[[Any], None]) -> Callable[[Any], None]:
        def sync(file: Any) -> None:
            _counts["syncs"] += not _is_object_directory(os.readlink(f"/proc/self/fd/{file}"))  # noqa: PTH115
            original(file)

        return sync

    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            setattr(os, name, count_calls(getattr(os, name)))


def _is_object_directory(path: str) -> bool:
    """Return True for a directory of objects, whose number of files depends on object names."""
    return os.path.basename(os.path.dirname(path)) == "objects"  # noqa: PTH119, PTH120


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "gitscalpel"


def _call(argv: list[str]) -> tuple[int, dict[str, Any]]:
    _count_regexes()
    _count_files(os.getcwd())  # noqa: PTH109 - it would be one import more
    _count_syncs()
    from gitscalpel.cli.command_line import run

    status = run(argv)
    loaded = {name for name, module in sys.modules.items() if module is not None}
    packages = sorted(DEPENDENCIES & loaded)
    return status, {"our modules": sum(map(_is_ours, loaded)), "packages": packages, **_counts}


if __name__ == "__main__":
    status, counts = _call(sys.argv[2:])
    with open(sys.argv[1], "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        json.dump(counts, file)
    sys.exit(status)
