"""Goals of the gate ``approval``."""

from __future__ import annotations

from tests.roads.goal import OFF, Code, Goal


def goals(code: Code) -> list[Goal]:
    rules, wait = OFF + "[approval]\n", "approval_required"
    return [
        Goal("approval", f"{rules}paths = ['*.py']\n", code.base, code.body, wait),
        Goal("approval of symbols", f"{rules}symbols = ['{code.name}::f']\n", code.base, code.body, wait),
    ]
