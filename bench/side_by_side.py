"""One landed edit through the command line, against two ways to do it with git alone.

Against ``git apply --index`` and ``git commit`` in the checkout, and against the flow that isolates an
edit with git's own means: ``worktree add``, ``apply --index``, ``commit``, ``merge --ff-only``, ``worktree
remove``. All start cold (new processes, files in the page cache), in the same run and by turns, each on
its own copy of one repository; after every turn all must hold the same bytes. Only the ratios mean
something on another machine. gitscalpel parses the file, asks its gates and syncs what it writes to the
disk; git does none of that.

    python bench/side_by_side.py                       # 1,000 and 20,000 files
    python bench/side_by_side.py --files 1000 --rounds 21
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
from typing import NamedTuple

BUDGETS = {1000: 8, 20000: 2.5, 80000: 1.3}
"""At most so many times ``git apply --index`` and ``git commit``, by the number of files."""
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


class Roots(NamedTuple):
    """A repository for each side."""

    ours: Path
    apply: Path
    worktree: Path


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


def worktree_flow(root: Path, apply: Sequence[str]) -> list[tuple[str, ...]]:
    """An edit in a worktree of its own, brought to the branch by a fast-forward."""
    place = str(root.parent / "linked")
    inside = ("git", "-C", place)
    return [
        ("git", "worktree", "add", "-q", "--detach", place),
        (*inside, *apply[1:]),
        (*inside, "commit", "-q", "-m", "edit"),
        ("sh", "-c", f'git merge -q --ff-only "$(git -C "{place}" rev-parse HEAD)"'),
        ("git", "worktree", "remove", place),
    ]


def compare(roots: Roots, rounds: int, slow_rounds: int) -> dict[str, list[float]]:
    """Edit back and forth in all, by turns; of the slow flow only the first ``slow_rounds``."""
    there = roots.apply
    (there / EDITED).write_text(content(BODIES[1]))
    diff, _ = run(there, "git", "diff")
    run(there, "git", "checkout", "-q", "--", EDITED)
    spent: dict[str, list[float]] = {"ours": [], "apply": [], "worktree": []}
    for number in range(rounds + 1):
        body = BODIES[(number + 1) % 2]
        apply = ("git", "apply", "--index", *(["-R"] if number % 2 else []))
        turn = {
            "ours": timed(roots.ours, [ours()], f"def target(value):\n{body}"),
            "apply": timed(there, [apply, ("git", "commit", "-q", "-m", "edit")], diff),
        }
        done = [roots.ours, there]
        if number <= slow_rounds:
            turn["worktree"] = timed(roots.worktree, worktree_flow(roots.worktree, apply), diff)
            done.append(roots.worktree)
        check(done, content(body))
        if number:  # the first turn only warms the page cache
            for name, milliseconds in turn.items():
                spent[name].append(milliseconds)
    return spent


def check(roots: Sequence[Path], expected: str) -> None:
    """All hold the edit on the branch and on disk, and nothing is left to commit."""
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


def report(files: int, spent: dict[str, list[float]]) -> None:
    """Print the table of one repository."""
    print(f"\n{files} files, {len(spent['ours'])} edits on each side, medians")
    names = {
        "ours": "git scalpel replace",
        "apply": "git apply --index + git commit",
        "worktree": "worktree add, apply, commit, merge, remove",
    }
    for side, name in names.items():
        ratio = statistics.median(a / b for a, b in zip(spent["ours"], spent[side], strict=False))
        against = "" if side == "ours" else f"   git scalpel is {ratio:.2f} x that"
        print(f"{name:44}{statistics.median(spent[side]):8.0f} ms{against}")
    if files in BUDGETS:
        ratio = statistics.median(a / b for a, b in zip(spent["ours"], spent["apply"], strict=True))
        said = "within" if ratio <= BUDGETS[files] else "over"
        print(f"budget: {BUDGETS[files]} x (git apply --index + git commit): {said}")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 20000], help="sizes of the repository")
    parser.add_argument("--rounds", type=int, default=15, help="edits on each side")
    parser.add_argument("--slow-rounds", type=int, default=3, help="edits with the worktree flow")
    options = parser.parse_args()
    if not shutil.which("git-scalpel", path=ENV["PATH"]):
        sys.exit("install gitscalpel for this Python first: pip install .")
    for files in options.files:
        with tempfile.TemporaryDirectory(prefix="scalpel-bench-") as name:
            roots = Roots(*(Path(name, side) for side in Roots._fields))
            for root in roots:
                make(root, files)
            report(files, compare(roots, options.rounds, options.slow_rounds))
            for line in where_time_goes(roots.ours, BODIES[options.rounds % 2]):
                print(line)


if __name__ == "__main__":
    main()
