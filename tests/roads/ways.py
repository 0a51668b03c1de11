"""The roads to a tree, what is to be expected of each, and what was wrong where it has led."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from tests.roads import going, operations
from tests.roads.goal import DENIED, LANDED, Goal
from tests.roads.going import There, Way
from tests.sandbox import Sandbox


class Road(NamedTuple):
    """A way, and what kind of one it is.

    Attributes:
        go: sets out for the goal: the verdict, or None where it does not lead there.
        textual: by edits of text or lines; ``strict``: by one that only a strict gate takes for that.
        parts: in landings of their own.
        away: a step of its own takes the file away, which says something to some gates.
        dirties: what it begins with lies uncommitted in the checkout.
        hooks: it has a hook of its own.
        back: to what the branch has held before, as it was, or with what others have landed since.
    """

    go: Way
    textual: bool | Literal["strict"] = False
    parts: bool = False
    back: Literal["", "held", "reverted"] = ""
    away: bool = False
    dirties: bool = False
    hooks: bool = False

    @property
    def leaves_all(self) -> bool:
        """Whether the checkout is as it was before where it does not lead to the end."""
        return not (self.parts or self.back or self.dirties)


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


ROADS: dict[str, Road] = {
    "write": Road(going.at_once(operations.write)),
    "write, mv": Road(going.at_once(operations.write, "move_file")),
    "write, cp": Road(going.at_once(operations.write, "copy_file")),
    "text": Road(going.at_once(operations.replaced), textual=True),
    "regex": Road(going.at_once(operations.regex), textual=True),
    "lines": Road(going.at_once(operations.lines), textual=True),
    "mv, text, mv": Road(going.at_once(operations.moved("t-moved.txt")), textual=True),
    "mv, text, mv as CSS": Road(going.at_once(operations.moved("t-moved.css")), textual=True),
    "cp, text, rm, cp": Road(going.at_once(operations.copied), textual=True),
    "patch": Road(going.patch, textual="strict"),
    "steps of write": Road(going.in_steps(operations.write, "copy_file")),
    "steps of text": Road(going.in_steps(operations.replaced), textual=True),
    "steps of mv, text, mv": Road(
        going.in_steps(operations.moved("t-moved.txt"), "move_file"), textual=True, away=True
    ),
    "run": Road(going.run),
    "stage": Road(going.staged),
    "adopt": Road(going.adopted, dirties=True),
    "hook": Road(going.amended, hooks=True),
    "landings": Road(going.in_landings, parts=True),
    "merge": Road(going.merged),
    "queue": Road(going.queued),
    "undo": Road(going.undone, back="held"),
    "redo": Road(going.redone, back="held"),
    "undo below others": Road(going.reverted, back="reverted"),
    "redo on others": Road(going.redone_later, back="reverted"),
}


def ground(around: Path, goal: Goal) -> Sandbox:
    """A repository that holds the base of a goal, and its rules."""
    repo = Sandbox.of(around / "repo", {**goal.base, ".gitscalpel.toml": goal.rules.encode()})
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
    if (goal.whole and road.parts) or (goal.hook and road.hooks):
        return
    reached, before = going.tree(there), there.repo.files()
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
    elif said != LANDED and road.leaves_all and _differs(before, there.repo.files()):
        yield f"{goal.name}: {name} was refused ({said}) and has changed files"


def _is_reached(there: There, tree: str) -> bool:
    return not there.repo.git("diff", "--name-only", tree, "HEAD", "--", ":!pad.txt")


def _differs(before: dict[str, bytes | str], after: dict[str, bytes | str]) -> bool:
    return any(before.get(path) != after.get(path) for path in {*before, *after} - {"pad.txt"})
