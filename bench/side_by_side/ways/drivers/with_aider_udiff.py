"""The function behind aider's unified diffs, with its own reading and writing of files."""

from __future__ import annotations

import importlib
from typing import Any

_coder: Any = importlib.import_module("aider.coders.udiff_coder")
_io: Any = importlib.import_module("aider.io").InputOutput(yes=True, pretty=False, fancy_input=False)


def edit(path: str, name: str, old: str, new: str) -> None:  # noqa: ARG001 - all are told the same
    signed = (("-", old), ("+", new))
    hunk = [f"{sign}{line}" for sign, text in signed for line in text.splitlines(keepends=True)]
    after = _coder.do_replace(path, _io.read_text(path), hunk)
    if not after:
        raise ValueError("the hunk was not found")
    _io.write_text(path, after)
