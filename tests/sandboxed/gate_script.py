"""Gates that run a given script in a sandbox."""

from __future__ import annotations

from typing import Any

from tests.command import Answer, scalpel
from tests.sandbox import Content, Sandbox

EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--json")


def run_gate(
    repo: Sandbox, script: str, *, head: str = "", more: str = "", files: dict[str, Content] | None = None
) -> Answer:
    """Land an edit with a gate that runs a script of the repository in a required sandbox."""
    rules = (
        f'[gates]\nsandbox = "require"\n{head}\n[[gates.command]]\nname = "gate"\nrun = "sh gate.sh"\n{more}'
    )
    repo.commit({".gitscalpel.toml": rules.encode(), "gate.sh": script.encode(), **(files or {})})
    return scalpel(repo.root, *EDIT)


def gate_result(answer: Answer, name: str = "gate") -> dict[str, Any]:
    """Return the result of a gate."""
    found = {each["name"]: each for each in answer.data["gates"]}
    result: dict[str, Any] = found[name]
    return result


def gate_output(answer: Answer) -> str:
    """Return the output of the gate, whether it passed or not."""
    if answer.json["ok"]:
        return str(gate_result(answer).get("output", ""))
    return str(answer.error["data"].get("output", ""))
