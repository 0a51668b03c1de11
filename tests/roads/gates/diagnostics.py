"""Goals of the gate ``diagnostics``."""

from __future__ import annotations

from tests.roads.goal import LANDED, OFF, Code, Files, Goal


def goals(code: Code) -> list[Goal]:
    base, error = code.base, "diagnostics_failed"
    rules = OFF + "diagnostics = 'new-errors'\n"
    lint = "[[gates.command]]\nname = 'lint'\nrun = '! grep -rn BAD --include=*.ini .'\noutput = 'lines'\n"
    ini, bad = b"[a]\nb = 1\n", b"[c]\nd = BAD\n"
    wrong: Files = {code.name: code.py.replace("return 2", "return two").encode()}
    worse: Files = {"n.ini": ini + bad}
    return [
        Goal("diagnostics", rules, base, wrong, error),
        Goal("diagnostics, none", rules, base, code.body, LANDED),
        Goal("diagnostics of a command", rules + lint, {**base, "n.ini": ini}, worse, error),
        Goal("diagnostics, old", rules + lint, {**base, "n.ini": bad + ini}, worse, LANDED),
    ]
