"""What a gate with given code does, in a sandbox."""

from __future__ import annotations

from typing import Any

from tests.command import Answer, scalpel
from tests.sandbox import Content, Sandbox

EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--json")


def judged(
    repo: Sandbox, script: str, *, head: str = "", more: str = "", files: dict[str, Content] | None = None
) -> Answer:
    """An edit that a gate judges, which runs a script of the repository; it must be contained."""
    rules = (
        f'[gates]\nsandbox = "require"\n{head}\n[[gates.command]]\nname = "gate"\nrun = "sh gate.sh"\n{more}'
    )
    repo.commit({".gitscalpel.toml": rules.encode(), "gate.sh": script.encode(), **(files or {})})
    return scalpel(repo.root, *EDIT)


def row(answer: Answer, name: str = "gate") -> dict[str, Any]:
    """What it said."""
    found = {row["name"]: row for row in answer.data["gates"]}
    said: dict[str, Any] = found[name]
    return said


def printed(answer: Answer) -> str:
    """What it printed, whether it passed or not."""
    if answer.json["ok"]:
        return str(row(answer).get("output", ""))
    return str(answer.error["data"].get("output", ""))
