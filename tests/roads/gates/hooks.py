"""Goals of the gate ``hooks``."""

from __future__ import annotations

from tests.roads.goal import LANDED, OFF, Code, Goal


def goals(code: Code) -> list[Goal]:
    hook = "#!/bin/sh\n! git diff --cached | grep '^+.*FORBIDDEN'\n"
    return [
        Goal("hook", OFF, code.base, code.added("# FORBIDDEN\n"), "hook_failed", hook=hook),
        Goal("hook, passed", OFF, code.base, code.body, LANDED, hook=hook),
    ]
