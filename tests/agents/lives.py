"""A life of a checkout in which tools of several agents, commands and people take turns."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gitscalpel import Repository
from tests.agents.agent import Agent
from tests.command import scalpel
from tests.sandbox import Sandbox

FILES = {
    **{f"m{n}.py": b"def f():\n    return 0\n\n\ndef g():\n    return f()\n" for n in range(3)},
    "dos.txt": b"one\r\ntwo\r\n",
}


class Told(NamedTuple):
    """What came of a life: turns, steps of the log, refusals, steps that were taken back."""

    turns: int
    steps: int
    refused: int
    undone: int


class _Life:
    def __init__(self, folder: Path, seed: int) -> None:
        self.repo = Sandbox.of(folder / "repo", FILES)
        self.chance = random.Random(seed)  # noqa: S311 - to be drawn again
        self.agents = [Agent(self.repo.root, kind) for kind in ("", "tester", "reviewer")]
        self.refused = 0
        self.number = 0
        self.agents[0].send("SessionStart")

    def disk(self) -> dict[str, bytes]:
        root = self.repo.root
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and ".git" not in path.parts
        }

    def turn(self) -> None:
        turns: list[Callable[[Agent], str | None]] = [
            self.edit,
            self.edit,
            self.broken,
            self.write,
            self.command,
            self.person,
            self.ours,
        ]
        self.number += 1
        if self.chance.choice(turns)(self.chance.choice(self.agents)) is not None:
            self.refused += 1

    def edit(self, agent: Agent) -> str | None:
        path = self.chance.choice(sorted(path for path in self.disk() if path.endswith(".py")))
        text = (self.repo.root / path).read_text()
        line = self.chance.choice([line for line in text.splitlines() if "return" in line] or ["x"])
        return agent.edit(path, line, f"    return {self.number}")

    def broken(self, agent: Agent) -> str | None:
        return agent.edit("m0.py", "def f():", "def f(:")

    def write(self, agent: Agent) -> str | None:
        name = self.chance.choice(["n.txt", "d/n.txt", "d/x.py", "dos.txt"])
        return agent.write(name, f"x = {self.number}\n")

    def command(self, agent: Agent) -> str | None:
        commands = ["rm -rf d", "mv dos.txt d.txt", f"echo {self.number} >> n.txt", "true", "chmod +x m1.py"]
        commands += [f"sed -i s/return/return/ m1.py; echo {self.number} > c.txt"]
        return agent.bash(self.chance.choice(commands))

    def person(self, agent: Agent) -> str | None:
        (self.repo.root / "by_hand.txt").write_text(f"{self.number}\n")
        agent.send("UserPromptSubmit", prompt="go on")
        return None

    def ours(self, _: Agent) -> str | None:
        words = ("write", "ours.txt", "--code", str(self.number), "--overwrite", "--checkout")
        assert scalpel(self.repo.root, *words).status == 0
        return None


def live(folder: Path, seed: int, steps: int) -> Told:
    """Live it; ``AssertionError`` where the log does not tell of all, or a step cannot be taken back."""
    life = _Life(folder, seed)
    states: dict[str, dict[str, bytes]] = {}
    before = life.disk()
    known = 0
    for _ in range(steps):
        life.turn()
        rows = scalpel(life.repo.root, "log", "-n", str(known + 5), "--json").data
        made = [row["tx"] for row in rows if row["kind"] == "edit"][: len(rows)]
        now = life.disk()
        new = [tx for tx in made if tx not in states]
        assert bool(new) or now == before, f"turn {life.number}: what has changed is told of nowhere"
        for tx in new:
            states[tx] = {}
        if new:
            states[new[-1]] = before
        before, known = now, known + len(new)
    return Told(steps, known, life.refused, _taken_back(life, states))


def _taken_back(life: _Life, states: dict[str, dict[str, bytes]]) -> int:
    """Take all back, the newest first."""
    with Repository(life.repo.root) as repo:
        for entry in [entry for entry in repo.log() if entry.record.kind == "edit"]:
            repo.undo(entry.record.tx)
            wanted = states[entry.record.tx]
            assert not wanted or life.disk() == wanted, entry.record.message
    assert life.disk() == FILES
    return len(states)
