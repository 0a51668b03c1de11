"""The function behind the ``apply_patch`` tool of openai-agents; reading and writing is its user's part."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

_agents: Any = importlib.import_module("agents")


def edit(path: str, name: str, old: str, new: str) -> None:  # noqa: ARG001 - all are told the same
    file = Path(path)
    lines = [f"{sign}{line}" for sign, text in (("-", old), ("+", new)) for line in text.splitlines()]
    diff = "\n".join(["@@", *lines, ""])
    file.write_bytes(_agents.apply_diff(file.read_bytes().decode(), diff).encode())
