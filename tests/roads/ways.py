"""The roads to a tree: each takes a repository to it, if it can, and says what became of that."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gitscalpel.landing import Landed
from tests.command import Answer, scalpel
from tests.roads.goals import DENIED, LANDED, PAD, Goal
from tests.sandbox import Content, Sandbox

Op = dict[str, Any]
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


class Road(NamedTuple):
    """A way, and what kind of one it is.

    Attributes:
        go: sets out for the goal: the verdict, or None where it does not lead there.
        textual: by edits of text or lines; ``strict``: by one that only a strict gate takes for that.
        parts: in landings of their own.
        away: a step of its own takes the file away, which says something to some gates.
        back: to what the branch has held before, as it was, or with what others have landed since.
    """

    go: Way
    textual: bool | Literal["strict"] = False
    parts: bool = False
    back: Literal["", "held", "reverted"] = ""
    away: bool = False


def expected(road: Road, goal: Goal) -> str:
    """What a goal's rules have to say on a road."""
    judges = road.textual is True or (road.textual == "strict" and "strict" in goal.gate)
    if goal.textual and not judges:
        return LANDED
    if road.back == "held" and not goal.gate.startswith("configuration"):
        return LANDED  # what the branch has held is not judged again
    if road.back and goal.gate == "hook":
        return LANDED  # nor does git ask hooks at a revert
    if road.away and goal.gate == "protected, other":
        return DENIED  # as the step alone would be
    return goal.verdict


def verdict(answer: Answer) -> str:
    envelope = answer.json
    return LANDED if envelope["ok"] else str(envelope["error"]["code"])


def _text(content: Content) -> str | None:
    return content.decode() if isinstance(content, bytes) else None


def _plain(goal: Goal) -> bool:
    """Whether it can be reached by operations: these make no links."""
    return not any(isinstance(content, tuple) for content in goal.change.values())


def _each(goal: Goal, inside: Callable[[str, str, str], list[Op]]) -> list[Op]:
    """Operations for a goal; ``inside`` edits a file that was there and stays."""
    ops: list[Op] = []
    before: dict[str, Content] = {**goal.base, ".gitscalpel.toml": goal.rules.encode()}
    for path, content in goal.change.items():
        old, new = _text(before.get(path)), _text(content)
        if new is None:
            ops.append({"op": "remove", "path": path})
        elif not old:
            over = {"overwrite": True} if old is not None else {}
            ops.append({"op": "write", "path": path, "content": new, **over})
        else:
            ops += inside(path, old, new)
    return ops


def _write(path: str, _: str, new: str) -> list[Op]:
    return [{"op": "write", "path": path, "content": new, "overwrite": True}]


def _replaced(path: str, old: str, new: str) -> list[Op]:
    return [{"op": "text", "path": path, "old": old, "new": new}]


def _regex(path: str, old: str, new: str) -> list[Op]:
    put = new.replace("\\", "\\\\")
    return [{"op": "text", "path": path, "old": re.escape(old), "new": put, "regex": True}]


def _lines(path: str, old: str, new: str) -> list[Op]:
    return [{"op": "lines", "path": path, "start": 1, "end": old.count("\n"), "code": new, "verbatim": True}]


def _moved(away: str) -> Callable[[str, str, str], list[Op]]:
    def ops(path: str, old: str, new: str) -> list[Op]:
        return [_carry("move_file", path, away), *_replaced(away, old, new), _carry("move_file", away, path)]

    return ops


def _copied(path: str, old: str, new: str) -> list[Op]:
    gone: Op = {"op": "remove", "path": path}
    copy = _carry("copy_file", path, "t-copy.txt")
    back = _carry("copy_file", "t-copy.txt", path)
    return [copy, *_replaced("t-copy.txt", old, new), gone, back, {"op": "remove", "path": "t-copy.txt"}]


def _carry(op: str, path: str, to: str) -> Op:
    return {"op": op, "path": path, "to": to}


def _new_by(op: str, ops: list[Op]) -> list[Op]:
    """The same operations, but what is written new is written elsewhere and comes from there."""
    out: list[Op] = []
    for each in ops:
        if each["op"] != "write" or each.get("overwrite"):
            out.append(each)
            continue
        out += [{**each, "path": "t-new.txt"}, _carry(op, "t-new.txt", each["path"])]
        out += [{"op": "remove", "path": "t-new.txt"}] if op == "copy_file" else []
    return out


def _at_once(inside: Callable[[str, str, str], list[Op]], new_by: str = "") -> Way:
    def go(there: There) -> str | None:
        if not _plain(there.goal):
            return None
        ops = _each(there.goal, inside)
        return verdict(there.apply(_new_by(new_by, ops) if new_by else ops))

    return go


def _in_steps(inside: Callable[[str, str, str], list[Op]], new_by: str = "") -> Way:
    def go(there: There) -> str | None:
        if not _plain(there.goal):
            return None
        ops = _each(there.goal, inside)
        tx = str(there.ask("begin", "--json").data["tx"])
        for op in _new_by(new_by, ops) if new_by else ops:
            said = verdict(there.apply([op], "--tx", tx))
            if said not in (LANDED, "no_change"):
                return said
        return verdict(there.ask("land", tx, "--json"))

    return go


def _in_landings(there: There) -> str | None:
    """Each file in a landing of its own; its content lands elsewhere before."""
    if not _plain(there.goal):
        return None
    for number, op in enumerate(_each(there.goal, _write)):
        ops = [op]
        if op["op"] == "write":
            away = f"t-away{number}.txt"
            said = verdict(there.apply([{"op": "write", "path": away, "content": op["content"]}]))
            if said != LANDED:
                return said
            gone = [{"op": "remove", "path": op["path"]}] if op.get("overwrite") else []
            ops = [*gone, _carry("move_file", away, op["path"])]
        said = verdict(there.apply(ops))
        if said != LANDED:
            return said
    return LANDED


def _tree(there: There) -> str:
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


def _patch(there: There) -> str | None:
    if not _plain(there.goal):
        return None
    diff = there.repo.git("diff", "--full-index", "HEAD", _tree(there)) + "\n"
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


def _run(there: There) -> str:
    return verdict(there.ask("run", "--json", "--", "sh", "-c", _by_hand(there)))


def _staged(there: There) -> str:
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


_PADDED: Op = {"op": "text", "path": "pad.txt", "old": "1\n2\n3\n", "new": "1\nhere\n3\n"}


def _merged(there: There) -> str:
    """Others have changed a file of it when it lands."""
    tx = _waiting(there, _PADDED)
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("land", tx, "--json"))


def _queued(there: There) -> str:
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
    tree = _tree(there)
    commit = there.repo.git("commit-tree", "-p", "HEAD", "-m", "held", tree)
    there.repo.git("reset", "-q", "--hard", commit)
    return there.repo.land({path: base.get(path) for path in there.goal.change})


def _undone(there: There) -> str:
    _hold(there)
    return verdict(there.ask("undo", "--json"))


def _reverted(there: There) -> str:
    """The same below a commit of somebody else."""
    _hold(there)
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("undo", "--json"))


def _redone(there: There) -> str:
    there.repo.land(there.goal.change)
    there.repo.git("reset", "-q", "--hard")
    undone = verdict(there.ask("undo", "--json"))
    assert undone == LANDED, undone
    return verdict(there.ask("redo", "--json"))


def _redone_later(there: There) -> str:
    """The same on a commit of somebody else."""
    there.repo.land(there.goal.change)
    undone = verdict(there.ask("undo", "--json"))
    assert undone == LANDED, undone
    there.repo.commit({"pad.txt": PAD + b"there\n"})
    return verdict(there.ask("redo", "--json"))


ROADS: dict[str, Road] = {
    "write": Road(_at_once(_write)),
    "write, mv": Road(_at_once(_write, "move_file")),
    "write, cp": Road(_at_once(_write, "copy_file")),
    "text": Road(_at_once(_replaced), textual=True),
    "regex": Road(_at_once(_regex), textual=True),
    "lines": Road(_at_once(_lines), textual=True),
    "mv, text, mv": Road(_at_once(_moved("t-moved.txt")), textual=True),
    "mv, text, mv as CSS": Road(_at_once(_moved("t-moved.css")), textual=True),
    "cp, text, rm, cp": Road(_at_once(_copied), textual=True),
    "patch": Road(_patch, textual="strict"),
    "steps of write": Road(_in_steps(_write, "copy_file")),
    "steps of text": Road(_in_steps(_replaced), textual=True),
    "steps of mv, text, mv": Road(_in_steps(_moved("t-moved.txt"), "move_file"), textual=True, away=True),
    "run": Road(_run),
    "stage": Road(_staged),
    "landings": Road(_in_landings, parts=True),
    "merge": Road(_merged),
    "queue": Road(_queued),
    "undo": Road(_undone, back="held"),
    "redo": Road(_redone, back="held"),
    "undo below others": Road(_reverted, back="reverted"),
    "redo on others": Road(_redone_later, back="reverted"),
}


def ground(around: Path, goal: Goal) -> Sandbox:
    """A repository that holds the base of a goal, and its rules."""
    repo = Sandbox.init(around / "repo")
    repo.commit({**goal.base, ".gitscalpel.toml": goal.rules.encode()})
    if goal.hook:
        hook = repo.root / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(goal.hook)
        hook.chmod(0o755)
    return repo


def faults(around: Path, goal: Goal, name: str) -> Iterator[str]:
    """What is wrong where a road leads; nothing, if it does not lead there."""
    road = ROADS[name]
    there = There(ground(around, goal), goal)
    if goal.whole and road.parts:
        return
    reached, before = _tree(there), there.repo.files()
    wanted = expected(road, goal)
    try:
        said = road.go(there)
    except AssertionError as error:
        said = f"({error})"
    if said is None:
        return
    if said != wanted:
        yield f"{goal.name}: {name} says {said} instead of {wanted}"
    elif said == LANDED and not _is_reached(there, reached):
        yield f"{goal.name}: {name} has landed something else"
    elif said != LANDED and not road.parts and not road.back and _differs(before, there.repo.files()):
        yield f"{goal.name}: {name} was refused ({said}) and has changed files"


def _is_reached(there: There, tree: str) -> bool:
    return not there.repo.git("diff", "--name-only", tree, "HEAD", "--", ":!pad.txt")


def _differs(before: dict[str, bytes | str], after: dict[str, bytes | str]) -> bool:
    return any(before.get(path) != after.get(path) for path in {*before, *after} - {"pad.txt"})
