"""Goals of the gate ``docs``."""

from __future__ import annotations

from tests.roads.goal import LANDED, OFF, Code, Files, Goal


def goals(code: Code) -> list[Goal]:
    rules = OFF + "docs = 'block'\n"
    helping = "\n\ndef helper():\n    return 3\n"
    base: Files = {**code.base, **code.added(helping), "d/P.md": b"Call `helper()`.\n"}
    other = code.added(helping.replace("helper", "other"))
    changed: Files = {**other, "d/P.md": b"`other()`\n"}
    return [
        Goal("docs", rules, base, other, "gate_failed", whole=True),
        Goal("docs, changed as well", rules, base, changed, LANDED, whole=True),
    ]
