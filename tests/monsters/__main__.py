"""``python -m tests.monsters``: make the monsters, run each command on each, print time and memory.

Every command runs in a process of its own. The time is that of the processor (user and system, with children
that were waited for), since others may use the machine meanwhile; the memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.monsters.texts import Monster, all_monsters

MOST_SECONDS, MOST_MEGABYTES = 10.0, 500.0
_INTERNAL = 70
_TIMEOUT = 15.0
_CODES = {
    ".py": "def small(b):\n    return b\n",
    ".go": "func small(b int) int { return b }\n",
    ".rs": "fn small(b: u8) -> u8 { b }\n",
    ".java": "class small { int b; }\n",
    ".ts": "function small(b: number) { return b; }\n",
    ".js": "function small(b) { return b; }\n",
    ".cs": "class small { int b; }\n",
    ".rb": "def small(b)\n  b\nend\n",
    ".php": "function small($b) { return $b; }\n",
    ".kt": "fun small(b: Int): Int { return b }\n",
    ".swift": "func small(b: Int) -> Int { return b }\n",
}


class Share(NamedTuple):
    """One of several equal parts of all pairs of a monster and a command; the same pairs each time."""

    part: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """Read ``2/5``, the second of five parts."""
        part, _, parts = text.partition("/")
        return cls(int(part) - 1, int(parts))

    def has(self, pair: str) -> bool:
        """Return True if the pair belongs to this part."""
        return zlib.crc32(pair.encode()) % self.parts == self.part


EVERYTHING = Share(0, 1)


class Measured(NamedTuple):
    """Cost of one command on one monster, and its exit status."""

    monster: str
    command: str
    processor_s: float
    clock_s: float
    megabytes: float
    status: int

    @property
    def is_over(self) -> bool:
        """Return True if the command took more time or memory than it may."""
        too_long = min(self.processor_s, self.clock_s) > MOST_SECONDS or self.status < 0
        return too_long or self.megabytes > MOST_MEGABYTES


def commands(monster: Monster) -> dict[str, list[str]]:
    """Return the commands to run on a monster, by name. None of them lands anything but ``land``."""
    small, big = f"small{monster.suffix}", monster.big
    code = _CODES.get(monster.suffix, "int small(int b) { return b; }\n")
    dry = "--dry-run"
    return {
        "show": ["show", f"{small}::small"],
        "show-big": ["show", f"{big}:2"],
        "outline-big": ["outline", big],
        "find-big": ["find", "function", big],
        "refs": ["refs", f"{small}::small"],
        "replace": ["replace", f"{small}::small", "--code", code, dry],
        "insert": ["insert", f"{small}::small", "--after", "--code", code.replace("small", "added"), dry],
        "text": ["text", small, "--old", "small", "--new", "tiny", dry],
        "text-big": ["text", big, "--old", "one", "--new", "two", "--all", dry],
        "lines-big": ["lines", f"{big}:2", "--code", "", dry],
        "delete": ["delete", f"{small}::small", dry],
        "signature": ["signature", f"{small}::small", "--code", code.split("\n")[0].partition("{")[0], dry],
        "imports": ["imports", big, "--add", "import os", dry],
        "rename": ["rename", f"{small}::small", "tiny", dry],
        "move": ["move", f"{small}::small", f"other{monster.suffix}", dry],
        "mv": ["mv", small, f"moved{monster.suffix}", dry],
        "mv-big": ["mv", big, f"moved/{big}", dry],
        "land": ["text", small, "--old", "small", "--new", "tiny", "-m", "land"],
    }


def make(monster: Monster, folder: Path, scale: float) -> None:
    """Write a monster as a repository with one commit, packed as a clone is."""
    for path, text in monster.make(scale).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    settings = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "gc.auto=0")
    for step in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "init"], ["gc", "-q"]):
        subprocess.run(["git", *settings, *step], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for key, value in (("user.name", "T"), ("user.email", "t@example.org")):
        subprocess.run(["git", "config", key, value], cwd=folder, check=True)


_LAUNCHER = """
import os, resource, sys
seconds = int(sys.argv[1])
child = os.fork()
if not child:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    os.execv(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
"""Runs a command and prints what it used; it is small, as the peak of a process counts for its child."""


def measure(monster: Monster, name: str, arguments: list[str], folder: Path) -> Measured:
    """Run one command; a command that does not end in time is killed and has a negative status."""
    command = [sys.executable, "-m", "gitscalpel", *arguments]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LAUNCHER, str(int(_TIMEOUT)), *command],
        cwd=folder,
        env={**os.environ, "SCALPEL_SERVER": "off"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, kilobytes, status = done.stdout.split()
    clock = time.monotonic() - began
    return Measured(monster.name, name, float(seconds), clock, int(kilobytes) / 1024, int(status))


def run(monster: Monster, scale: float, only: str = "", share: Share = EVERYTHING) -> Iterator[Measured]:
    """Measure every command on one monster, or the given share of them."""
    with tempfile.TemporaryDirectory() as folder:
        make(monster, Path(folder), scale)
        wanted = {name: each for name, each in commands(monster).items() if only in {"", name}}
        wanted = {name: each for name, each in wanted.items() if share.has(f"{monster.name} {name}")}
        for name, each in wanted.items():
            yield measure(monster, name, each, Path(folder))


def main() -> int:
    """Print a table; the exit status is 1 if a command was over a bound or failed without an answer."""
    parser = argparse.ArgumentParser(prog="python -m tests.monsters", description=__doc__)
    parser.add_argument("--monster", default="", help="part of the names of the monsters to run")
    parser.add_argument("--command", default="", help="the one command to run")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the monsters (default: 1)")
    parser.add_argument("--share", type=Share.parse, default=EVERYTHING, help="such as 2/5 (default: all)")
    parser.add_argument("--over", action="store_true", help="print only what is over a bound")
    asked = parser.parse_args()
    bad = 0
    print(f"{'monster':24} {'command':12} {'cpu s':>7} {'wall s':>7} {'MB':>6} exit")
    for monster in all_monsters():
        if asked.monster not in monster.name:
            continue
        for each in run(monster, asked.scale, asked.command, asked.share):
            is_bad = each.is_over or each.status == _INTERNAL
            bad += is_bad
            if is_bad or not asked.over:
                row = f"{each.monster:24} {each.command:12} {each.processor_s:7.1f} {each.clock_s:7.1f}"
                print(f"{row} {each.megabytes:6.0f} {each.status}{' OVER' if is_bad else ''}", flush=True)
    print(f"{bad} over {MOST_SECONDS:g} s or {MOST_MEGABYTES:g} MB, or without an answer")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
