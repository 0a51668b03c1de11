"""One landed edit through the command line, against ``git apply --index`` and ``git commit``.

Both sides start cold (new processes, files in the page cache), in the same run and by turns, on two
copies of one repository; after every turn both must hold the same bytes. Only the ratio means something
on another machine. gitscalpel parses the file, asks its gates and syncs what it writes to the disk;
git apply and git commit do none of that.

    python bench/side_by_side.py --files 1000 --rounds 15
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

EDITED = "pkg0/module0.py"
BODIES = ("    return value + 1\n", "    total = value * 2\n    return total + 1\n")
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SCALPEL_"))},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.invalid",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.invalid",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}


def run(root: Path, *command: str, stdin: str = "", **env: str) -> tuple[str, str]:
    """Output and error output of a command; one that fails ends the benchmark."""
    done = subprocess.run(
        command, cwd=root, input=stdin, env={**ENV, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def content(body: str) -> str:
    """A module of some forty lines whose function ``target`` has this body."""
    others = "".join(f"\n\ndef other{n}(value):\n    return value - {n}\n" for n in range(9))
    return f'"""A module."""\n\n\ndef target(value):\n{body}{others}'


def make(root: Path, files: int) -> None:
    """A repository with this many files, fifty to a folder."""
    run(root.parent, "git", "init", "-q", "-b", "main", str(root))
    for number in range(files):
        path = root / f"pkg{number // 50}" / f"module{number % 50}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content(BODIES[0]))
    run(root, "git", "add", "-A")
    run(root, "git", "commit", "-q", "-m", "start")


def timed(root: Path, commands: Sequence[Sequence[str]], stdin: str) -> float:
    """How long the commands take one after the other, in milliseconds."""
    began = time.perf_counter()
    for command in commands:
        run(root, *command, stdin=stdin)
    return (time.perf_counter() - began) * 1000


def ours(message: str = "edit") -> tuple[str, ...]:
    """The edit with git scalpel; the code comes on standard input."""
    return ("git", "scalpel", "replace", f"{EDITED}::target", "-m", message)


def compare(here: Path, there: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Edit back and forth in both, by turns."""
    (there / EDITED).write_text(content(BODIES[1]))
    diff, _ = run(there, "git", "diff")
    run(there, "git", "checkout", "-q", "--", EDITED)
    mine, peers = [], []
    for number in range(rounds + 1):
        body = BODIES[(number + 1) % 2]
        apply = ("git", "apply", "--index", *(["-R"] if number % 2 else []))
        first = timed(here, [ours()], f"def target(value):\n{body}")
        second = timed(there, [apply, ("git", "commit", "-q", "-m", "edit")], diff)
        check((here, there), content(body))
        if number:  # the first turn only warms the page cache
            mine.append(first)
            peers.append(second)
    return mine, peers


def check(roots: Sequence[Path], expected: str) -> None:
    """Both hold the edit on the branch and on disk, and nothing is left to commit."""
    for root in roots:
        landed, _ = run(root, "git", "show", f"HEAD:{EDITED}")
        status, _ = run(root, "git", "status", "--porcelain")
        if not landed == (root / EDITED).read_text() == expected or status:
            sys.exit(f"{root} does not hold the edit:\n{status}{landed}")


def where_time_goes(root: Path, body: str) -> list[str]:
    """One more edit on each way of looking at it."""
    python = statistics.median(timed(root, [(sys.executable, "-c", "pass")], "") for _ in range(7))
    version = statistics.median(timed(root, [("git", "version")], "") for _ in range(7))
    code = f"def target(value):\n{body}"
    _, imports = run(root, *ours(), stdin=code, PYTHONPROFILEIMPORTTIME="1")
    spent = sum(int(us) for us in re.findall(r"^import time: +(\d+) \|", imports, re.MULTILINE)) / 1000
    trace = root.parent / "trace"
    run(root, *ours(), stdin=code.replace(body, BODIES[BODIES[0] == body]), GIT_TRACE2_EVENT=str(trace))
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    started = [event["argv"] for event in events if event["event"] == "start"]
    children = [argv for argv in started if "scalpel" not in argv[1:2]]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (
        1024 if sys.platform != "darwin" else 2**20
    )
    return [
        f"an empty Python          {python:6.0f} ms",
        f"imports, all of Python's {spent:6.0f} ms  (python -X importtime, which slows them)",
        f"git processes            {len(children):6}     ({version:.0f} ms each for the least of them)",
        f"largest process          {peak:6.0f} MB",
    ]


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=1000, help="files in the repository")
    parser.add_argument("--rounds", type=int, default=15, help="edits on each side")
    options = parser.parse_args()
    if not shutil.which("git-scalpel", path=ENV["PATH"]):
        sys.exit("install gitscalpel for this Python first: pip install .")
    with tempfile.TemporaryDirectory(prefix="scalpel-bench-") as name:
        here, there = Path(name, "ours"), Path(name, "theirs")
        for root in (here, there):
            make(root, options.files)
        mine, peers = compare(here, there, options.rounds)
        ratio = statistics.median(a / b for a, b in zip(mine, peers, strict=True))
        print(f"{options.files} files, {options.rounds} edits on each side, medians")
        print(f"git scalpel replace      {statistics.median(mine):6.0f} ms")
        print(f"git apply + git commit   {statistics.median(peers):6.0f} ms")
        print(f"ratio                    {ratio:6.1f}")
        for line in where_time_goes(here, BODIES[options.rounds % 2]):
            print(line)


if __name__ == "__main__":
    main()
