"""Goals of the gate ``commands``."""

from __future__ import annotations

from tests.roads.goal import LANDED, LINKED, OFF, TO_B, Code, Goal


def goals(code: Code) -> list[Goal]:
    rules = "[[gates.command]]\nname = 'c'\nrun = '! grep -rq BAD --include=*.py .'\npaths = ['*.py']\n"
    conf = "[[gates.command]]\nname = 'conf'\nrun = 'grep -q ok conf/x'\npaths = ['conf/**']\n"
    return [
        Goal("command", OFF + rules, code.base, code.added("# BAD\n"), "gate_failed"),
        Goal("command, passed", OFF + rules, code.base, code.body, LANDED),
        Goal("command behind a link", OFF + conf, {**code.base, **LINKED}, TO_B, "gate_failed"),
    ]
