"""Goals of all gates, which the table of gates names: one that has no goals is not tested by the roads."""

from __future__ import annotations

import importlib
import random

from gitscalpel.changesets.rules import GATES
from tests.roads.goal import PY, Code, Files, Goal

NAMES = ("configuration", *(gate.name for gate in GATES))


def goals(code: Code) -> list[Goal]:
    """One or more of each gate."""
    modules = [importlib.import_module(f"tests.roads.gates.{name}") for name in NAMES]
    return [goal for module in modules for goal in module.goals(code)]


GOALS = goals(Code("a.py", PY))


def anything(chance: random.Random) -> Goal:
    """A goal in a module of any name, with other definitions around, and other files that change as well."""
    name = "".join(chance.choices("abcxyz", k=4)) + ".py"
    name = chance.choice(["", "src/", "src/deep/"]) + name
    lines = [f"def {_word(chance)}_{n}():\n    return {n}\n" for n in range(chance.randrange(6))]
    chance.shuffle(lines)
    at = chance.randrange(len(lines) + 1)
    py = "\n\n".join([*lines[:at], PY, *lines[at:]])
    goal = chance.choice(goals(Code(name, py)))
    more: Files = {}
    for n in range(0 if goal.whole or goal.gate == "allow" else chance.randrange(3)):
        path = chance.choice(["t-{}.txt", "t-{}.md", "t-{}.toml"]).format(n)
        more[path] = "".join(f"{_word(chance)} = {i}\n" for i in range(1 + chance.randrange(3))).encode()
    old: Files = {path: b"old = 1\n" for path in more if chance.random() < 0.5}
    return goal._replace(base={**goal.base, **old}, change={**goal.change, **more})


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("klmnop", k=5))
