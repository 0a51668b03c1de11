"""What the writers do: disjoint edits that must all land, contradicting ones with one winner."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.race.writing import Told, at_once, call, code, module, told, untrue
from tests.sandbox import Sandbox

EACH = 4
"""Edits of a writer that stays."""


class Scene(NamedTuple):
    """What happened, and what is not as it should be."""

    told: list[Told]
    wrong: list[str]


def one_file(repo: Sandbox, writers: int) -> Scene:
    """Different functions of one file."""
    repo.commit({"a.py": module(writers)})
    return _all_landed(repo, at_once(repo, _replaces("a.py"), range(writers)))


def different_files(repo: Sandbox, writers: int) -> Scene:
    """A file for each."""
    repo.commit({f"d{n % 7}/m{n}.py": f"def f{n}():\n    return {n}\n".encode() for n in range(writers)})

    def write(repo: Sandbox, n: int) -> list[Told]:
        return _replaces(f"d{n % 7}/m{n}.py")(repo, n)

    return _all_landed(repo, at_once(repo, write, range(writers)))


def different_branches(repo: Sandbox, writers: int) -> Scene:
    """A branch for each; none of them is checked out."""
    repo.commit({"a.py": module(writers)})
    branches = [f"b{n}" for n in range(writers)]
    for branch in branches:
        repo.git("branch", branch)

    def write(repo: Sandbox, n: int) -> list[Told]:
        return _replaces("a.py", "--onto", f"b{n}")(repo, n)

    return _all_landed(repo, at_once(repo, write, range(writers)), branches)


def one_place(repo: Sandbox, writers: int) -> Scene:
    """A new function of each at one place of one file."""
    repo.commit({"a.py": module(1)})

    def write(repo: Sandbox, n: int) -> list[Told]:
        began = time.perf_counter()
        asked = ("insert", "a.py::f0", "--after", "--code", code(f"n{n}", n))
        return [told(n, call(repo, *asked), began)]

    return _all_landed(repo, at_once(repo, write, range(writers)))


def one_function(repo: Sandbox, writers: int) -> Scene:
    """One function, as everybody has seen it at the beginning: one of them wins."""
    repo.commit({"a.py": module(1)})
    blob = repo.git("rev-parse", "HEAD:a.py")

    def write(repo: Sandbox, n: int) -> list[Told]:
        began = time.perf_counter()
        asked = ("replace", "a.py::f0", "--code", code("f0", n), "--base", blob)
        return [told(n, call(repo, *asked), began)]

    answers = at_once(repo, write, range(writers))
    wrong = untrue(repo, answers)
    codes = [one.code for one in answers]
    if codes.count(None) != 1:
        wrong.append(f"{codes.count(None)} winners")
    odd = {code for code in codes if code not in (None, "stale", "merge_conflict")}
    return Scene(answers, wrong + [f"told {code}" for code in sorted(map(str, odd))])


def transactions(repo: Sandbox, writers: int) -> Scene:
    """Each opens a transaction, edits in it twice, and lands it."""
    repo.commit({"a.py": module(writers), "b.py": module(1)})

    def write(repo: Sandbox, n: int) -> list[Told]:
        began = time.perf_counter()
        tx = str(call(repo, "begin", "-m", f"writer {n}")["data"]["tx"])
        one = call(repo, "replace", f"a.py::f{n}", "--code", code(f"f{n}", n), "--tx", tx)
        two = call(repo, "insert", "b.py::f0", "--after", "--code", f"def n{n}(): ...", "--tx", tx)
        wrong = next((answer for answer in (one, two) if not answer["ok"]), None)
        return [told(n, wrong or call(repo, "land", tx), began)]

    return _all_landed(repo, at_once(repo, write, range(writers)))


def staying(repo: Sandbox, writers: int) -> Scene:
    """Processes that stay, each with several edits through the Python API."""
    count = max(1, writers // EACH)
    repo.commit({"a.py": module(count * EACH)})

    def write(repo: Sandbox, n: int) -> list[Told]:
        own = [str(n * EACH + i) for i in range(EACH)]
        words = [sys.executable, "-m", "tests.race.stays", str(repo.root), *own]
        out = subprocess.run(words, capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
        return [Told(*json.loads(line)) for line in out.splitlines()]

    return _all_landed(repo, at_once(repo, write, range(count)))


def beside_git(repo: Sandbox, writers: int) -> Scene:
    """Somebody commits with git to the same branch all the while."""
    repo.commit({"a.py": module(writers), "hand.txt": b"0\n"})
    by_hand = max(2, writers // 8)

    def write(repo: Sandbox, n: int) -> list[Told]:
        return _commits(repo, by_hand) if n < 0 else _replaces("a.py")(repo, n)

    scene = _all_landed(repo, at_once(repo, write, range(-1, writers)))
    made = repo.git("log", "--format=%s", "main").splitlines().count("by hand")
    text = repo.git("cat-file", "blob", "main:hand.txt")
    wrong = (
        [] if (made, text) == (by_hand, str(by_hand)) else [f"{made} of {by_hand} commits by hand, {text!r}"]
    )
    return Scene(scene.told, scene.wrong + wrong)


SCENES: dict[str, Callable[[Sandbox, int], Scene]] = {
    "one file": one_file,
    "different files": different_files,
    "different branches": different_branches,
    "one place": one_place,
    "one function, one winner": one_function,
    "transactions": transactions,
    "processes that stay": staying,
    "commits by hand meanwhile": beside_git,
}


def _all_landed(repo: Sandbox, answers: list[Told], branches: Sequence[str] = ("main",)) -> Scene:
    refused = [
        f"writer {one.writer} was told {one.code}: {one.words}" for one in answers if one.code is not None
    ]
    return Scene(answers, refused + untrue(repo, answers, branches))


def _replaces(path: str, *more: str) -> Callable[[Sandbox, int], list[Told]]:
    def write(repo: Sandbox, n: int) -> list[Told]:
        began = time.perf_counter()
        return [told(n, call(repo, "replace", f"{path}::f{n}", "--code", code(f"f{n}", n), *more), began)]

    return write


def _commits(repo: Sandbox, times: int) -> list[Told]:
    """Commit as a person does, who tries again while the index is locked or the branch moved."""
    for number in range(1, times + 1):
        (repo.root / "hand.txt").write_text(f"{number}\n")
        for _ in range(1_000):
            words = ["git", "commit", "-q", "-m", "by hand", "--", "hand.txt"]
            if subprocess.run(words, cwd=repo.root, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("git never got a turn")
        time.sleep(0.2)
    return []
