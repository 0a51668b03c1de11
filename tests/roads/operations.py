"""The operations that make one tree of another, in each of several ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.roads.goal import Goal
from tests.sandbox import Content

Op = dict[str, Any]
Inside = Callable[[str, str, str], list[Op]]
"""What edits a file that was there and stays: its path, its text before and after."""


def text(content: Content) -> str | None:
    return content.decode() if isinstance(content, bytes) else None


def plain(goal: Goal) -> bool:
    """Whether it can be reached by operations: these make no links."""
    return not any(isinstance(content, tuple) for content in goal.change.values())


def each(goal: Goal, inside: Inside) -> list[Op]:
    """Operations for a goal; ``inside`` edits a file that was there and stays."""
    ops: list[Op] = []
    before: dict[str, Content] = {**goal.base, ".gitscalpel.toml": goal.rules.encode()}
    for path, content in goal.change.items():
        old, new = text(before.get(path)), text(content)
        if new is None:
            ops.append({"op": "remove", "path": path})
        elif not old:
            over = {"overwrite": True} if old is not None else {}
            ops.append({"op": "write", "path": path, "content": new, **over})
        else:
            ops += inside(path, old, new)
    return ops


def write(path: str, _: str, new: str) -> list[Op]:
    return [{"op": "write", "path": path, "content": new, "overwrite": True}]


def replaced(path: str, old: str, new: str) -> list[Op]:
    return [{"op": "text", "path": path, "old": old, "new": new}]


def regex(path: str, old: str, new: str) -> list[Op]:
    put = new.replace("\\", "\\\\")
    return [{"op": "text", "path": path, "old": re.escape(old), "new": put, "regex": True}]


def lines(path: str, old: str, new: str) -> list[Op]:
    return [{"op": "lines", "path": path, "start": 1, "end": old.count("\n"), "code": new, "verbatim": True}]


def moved(away: str) -> Inside:
    def ops(path: str, old: str, new: str) -> list[Op]:
        return [carry("move_file", path, away), *replaced(away, old, new), carry("move_file", away, path)]

    return ops


def copied(path: str, old: str, new: str) -> list[Op]:
    gone: Op = {"op": "remove", "path": path}
    copy = carry("copy_file", path, "t-copy.txt")
    back = carry("copy_file", "t-copy.txt", path)
    return [copy, *replaced("t-copy.txt", old, new), gone, back, {"op": "remove", "path": "t-copy.txt"}]


def carry(op: str, path: str, to: str) -> Op:
    return {"op": op, "path": path, "to": to}


def new_by(op: str, ops: list[Op]) -> list[Op]:
    """The same operations, but what is written new is written elsewhere and comes from there."""
    out: list[Op] = []
    for each in ops:
        if each["op"] != "write" or each.get("overwrite"):
            out.append(each)
            continue
        out += [{**each, "path": "t-new.txt"}, carry(op, "t-new.txt", each["path"])]
        out += [{"op": "remove", "path": "t-new.txt"}] if op == "copy_file" else []
    return out
