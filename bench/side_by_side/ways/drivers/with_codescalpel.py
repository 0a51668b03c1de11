"""The patcher behind codescalpel's ``update_symbol``; its backup file is left out, git has the old bytes."""

from __future__ import annotations

import importlib
from typing import Any

_patcher: Any = importlib.import_module("code_scalpel.surgery.surgical_patcher").SurgicalPatcher


def edit(path: str, name: str, old: str, new: str) -> None:  # noqa: ARG001 - all are told the same
    patcher = _patcher.from_file(path)
    done = patcher.update_function(name, new)
    if not done.success:
        raise ValueError(done.error)
    patcher.save(backup=False)
