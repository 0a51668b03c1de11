"""How one goes a road: by operations, by patches and commands, by hand, in landings, and back."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gitscalpel.transaction.branch_update import Landed
from tests.command import Answer, scalpel
from tests.roads import operations
from tests.roads.goal import LANDED, PAD, Goal
from tests.roads.operations import Inside, Op
from tests.sandbox import Content, Sandbox

Way = Callable[["There"], "str | None"]
TRUST = {"SCALPEL_TRUST": "1"}


class There(NamedTuple):
    """A repository that holds the base of a goal."""

    repo: Sandbox
    goal: Goal

    def ask(self, *words: str, stdin: str = "") -> Answer:
        return scalpel(self.repo.root, *words, stdin=stdin, env=TRUST)

    def apply(self, ops: list[Op], *words: str) -> Answer:
        return self.ask("apply", "-", "--json", *words, stdin=json.dumps({"ops": ops}))


def verdict(answer: Answer) -> str:
    envelope = answer.json
    return LANDED if envelope["ok"] else str(envelope["error"]["code"])


def at_once(inside: Inside, new_by: str = "") -> Way:
    def go(there: There) -> str | None:
        if not operations.plain(there.goal):
            return None
        ops = operations.each(there.goal, inside)
        return verdict(there.apply(operations.new_by(new_by, ops) if new_by else ops))

    return go


def in_steps(inside: Inside, new_by: str = "") -> Way:
    def go(there: There) -> str | None:
        if not operations.plain(there.goal):
            return None
        ops = operations.each(there.goal, inside)
        tx = str(there.ask("begin", "--json").data["tx"])
        for op in operations.new_by(new_by, ops) if new_by else ops:
            said = verdict(there.apply([op], "--tx", tx))
            if said not in (LANDED, "no_change"):
                return said
        return verdict(there.ask("land", tx, "--json"))

    return go


def in_landings(there: There) -> str | None:
    """Each file in a landing of its own; its content lands elsewhere before."""
    if not operations.plain(there.goal):
        return None
    for number, op in enumerate(operations.each(there.goal, operations.write)):
        ops = [op]
        if op["op"] == "write":
            away = f"t-away{number}.txt"
            said = verdict(there.apply([{"op": "write", "path": away, "content": op["content"]}]))
            if said != LANDED:
                return said
            gone = [{"op": "remove", "path": op["path"]}] if op.get("overwrite") else []
            ops = [*gone, operations.carry("move_file", away, op["path"])]
        said = verdict(there.apply(ops))
        if said != LANDED:
            return said
    return LANDED


def tree(there: There) -> str:
    """The goal as a tree that git holds."""
    repo, index = there.repo, {**os.environ, "GIT_INDEX_FILE": str(there.repo.root.parent / "index")}
    rows = []
    for path, content in there.goal.change.items():
        mode, data = content if isinstance(content, tuple) else ("100644", content)
        if data is None:
            rows.append(f"0 {'0' * 40}\t{path}")
            continue
        oid = _git(repo, ["hash-object", "-w", "--stdin"], data, index)
        rows.append(f"{mode} {oid}\t{path}")
    _git(repo, ["read-tree", "HEAD"], b"", index)
    _git(repo, ["update-index", "--index-info"], "\n".join(rows).encode() + b"\n", index)
    return _git(repo, ["write-tree"], b"", index)


def _git(repo: Sandbox, words: list[str], stdin: bytes, env: dict[str, str]) -> str:
    done = subprocess.run(
        ["git", *words], cwd=repo.root, input=stdin, env=env, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def patch(there: There) -> str | None:
    if not operations.plain(there.goal):
        return None
    diff = there.repo.git("diff", "--full-index", "HEAD", tree(there)) + "\n"
    return verdict(there.ask("apply", "-", "--json", stdin=diff))


def _by_hand(there: There) -> str:
    """A command line that makes the goal of the files where it stands."""
    made = Sandbox(there.repo.root.parent / "made")
    made.root.mkdir(exist_ok=True)
    made.write({path: content for path, content in there.goal.change.items() if content is not None})
    lines = []
    for path, content in there.goal.change.items():
        name, folder = shlex.quote(path), shlex.quote(str(Path(path).parent))
        lines.append(f"rm -rf {name}")
        if content is not None:
            lines.append(f"mkdir -p {folder} && cp -dR {shlex.quote(str(made.root / path))} {name}")
    return " && ".join(lines)


def run(there: There) -> str:
    return verdict(there.ask("run", "--json", "--", "sh", "-c", _by_hand(there)))


def staged(there: There) -> str:
    begun = there.ask("begin", "--worktree", "--json").data
    subprocess.run(["sh", "-c", _by_hand(there)], cwd=begun["worktree"], check=True)
    said = verdict(there.ask("stage", begun["tx"], "--json"))
    return said if said != LANDED else verdict(there.ask("land", begun["tx"], "--json"))


def _waiting(there: There, *more: Op) -> str:
    """An open transaction that leads to the goal; its id."""
    tx = str(there.ask("begin", "--json").data["tx"])
    there.ask("run", "--tx", tx, "--json", "--", "sh", "-c", _by_hand(there))
    if more:
        there.apply(list(more), "--tx", tx)
    return tx


def adopted(there: There) -> str:
    """As uncommitted work on the user's disk."""
    there.repo.write(there.goal.change)
    answer = there.ask("begin", "--json", "--adopt", *there.goal.change)
    said = verdict(answer)
    return said if said != LANDED else verdict(there.ask("land", str(answer.data["tx"]), "--json"))


def amended(there: There) -> str:
    """By a hook that makes it of something else."""
    hook = there.repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    names = " ".join(map(shlex.quote, there.goal.change))
    hook.write_text(f"#!/bin/sh\nset -e\n{_by_hand(there)}\ngit add -A -- {names}\n")
    hook.chmod(0o755)
    return verdict(there.apply([_PADDED]))


_PADDED: Op = {"op": "text", "path": "pad.txt", "old": "1\n2\n3\n", "new": "1\nhere\n3\n"}


def merged(there: There) -> str:
    """Others have changed a file of it when it lands."""
    tx = _waiting(there, _PADDED)
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("land", tx, "--json"))


def queued(there: There) -> str:
    """Behind another that has changed a file of it."""
    other = there.apply([_PADDED], "--no-land").data["tx"]
    end: Op = {"op": "text", "path": "pad.txt", "old": "28\n29\n", "new": "28\nthere\n"}
    answer = there.ask("queue", other, _waiting(there, end), "--json").json
    if not answer["ok"]:
        return str(answer["error"]["code"])
    stayed = answer["data"]["stayed"]
    return str(stayed[0]["error"]["code"]) if stayed else LANDED


def _hold(there: There) -> Landed:
    """Let the branch go to the goal and back, as before there were rules; what went back."""
    base: dict[str, Content] = {**there.goal.base, ".gitscalpel.toml": there.goal.rules.encode()}
    commit = there.repo.git("commit-tree", "-p", "HEAD", "-m", "held", tree(there))
    there.repo.git("reset", "-q", "--hard", commit)
    return there.repo.land({path: base.get(path) for path in there.goal.change})


def undone(there: There) -> str:
    _hold(there)
    return verdict(there.ask("undo", "--json"))


def reverted(there: There) -> str:
    """The same below a commit of somebody else."""
    _hold(there)
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("undo", "--json"))


def redone(there: There) -> str:
    there.repo.land(there.goal.change)
    there.repo.git("reset", "-q", "--hard")
    undone = verdict(there.ask("undo", "--json"))
    assert undone == LANDED, undone
    return verdict(there.ask("redo", "--json"))


def redone_later(there: There) -> str:
    """The same on a commit of somebody else."""
    there.repo.land(there.goal.change)
    undone = verdict(there.ask("undo", "--json"))
    assert undone == LANDED, undone
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("redo", "--json"))
