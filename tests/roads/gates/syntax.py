"""Goals of the gate ``syntax``."""

from __future__ import annotations

from tests.roads.goal import OFF, Code, Goal


def goals(code: Code) -> list[Goal]:
    base, error = code.base, "syntax_error"
    return [
        Goal("syntax", OFF, base, code.added("def h(:\n    pass\n"), error),
        Goal("syntax of a new file", OFF, base, {"new.py": b"x = (\n"}, error),
        Goal("syntax of data", OFF, base, {"d/n.json": b'{"a": }\n'}, error),
        Goal("syntax of a copy", OFF, {**base, "old.py": b"x = (\n"}, {"c.py": b"x = (\n"}, error),
    ]
