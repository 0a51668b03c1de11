"""Goals of the gate ``structure``."""

from __future__ import annotations

from tests.roads.goal import LANDED, Code, Files, Goal


def goals(code: Code) -> list[Goal]:
    cut: Files = {code.name: code.py.replace("def g():\n    return 2\n", "").encode()}
    strict = "[gates]\nstructure = 'strict'\n"
    return [
        Goal("structure", "", code.base, cut, "structural_gate", textual=True),
        Goal("structure, strict", strict, code.base, cut, "structural_gate", textual=True),
        Goal("structure of a body", "", code.base, code.body, LANDED),
    ]
