"""Lines that an edit leaves unchanged keep their own line endings in a file with mixed endings."""

from __future__ import annotations

import json
import random

import pytest

from tests.edit.editing import Op, edit_file

BEFORE = b"def f():\r\n    a = 2\n    b = 5\n    c = 6\n    d = 7\n    e = 8\r\n    g = 9\r\n    return 10\n"
AFTER = BEFORE.replace(b"    d = 7\n", b"    d = 7\n    x = 1\n    y = 2\n    z = 3\n")
OLD = BEFORE.replace(b"\r", b"").decode()
NEW = AFTER.replace(b"\r", b"").decode()
INNER = OLD.index("    b = 5"), OLD.index("    return")


def search_replace_block(old: str, new: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def hunk_lines(old: str, new: str) -> str:
    return "".join(
        [*(f"-{line}\n" for line in old.splitlines()), *(f"+{line}\n" for line in new.splitlines())]
    )


def tool_call(**arguments: str) -> str:
    return json.dumps({"name": "str_replace_editor", "input": arguments})


RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 8, "character": 0}}

OPS: dict[str, Op] = {
    "text": {"op": "text", "old": OLD, "new": NEW},
    "text without its last ending": {"op": "text", "old": OLD.rstrip("\n"), "new": NEW.rstrip("\n")},
    "text that begins in a line": {"op": "text", "old": OLD[9:-4], "new": NEW[9:-4]},
    "text found by trimming": {"op": "text", "old": OLD.replace("5", "5 "), "new": NEW},
    "a pattern": {
        "op": "text",
        "old": "d = 7.*g = 9",
        "new": NEW[NEW.index("d = 7") : NEW.index("9") + 1],
        "regex": True,
    },
    "lines": {"op": "lines", "start": "1", "end": "8", "code": NEW},
    "lines without the last ending": {"op": "lines", "start": "1", "end": "8", "code": NEW.rstrip("\n")},
    "replace": {"op": "replace", "symbol": "f", "code": NEW},
    "replace by lines": {"op": "replace", "start": "1", "end": "8", "code": NEW},
    "a block": {"op": "patch", "path": "", "diff": search_replace_block(OLD, NEW)},
    "a diff": {
        "op": "patch",
        "path": "",
        "diff": f"--- a/a.py\n+++ b/a.py\n@@ -1,8 +1,11 @@\n{hunk_lines(OLD, NEW)}",
    },
    "a diff without numbers": {
        "op": "patch",
        "path": "",
        "diff": f"--- a.py\n+++ a.py\n@@ @@\n{hunk_lines(OLD, NEW)}",
    },
    "an envelope": {
        "op": "patch",
        "path": "",
        "diff": f"*** Begin Patch\n*** Update File: a.py\n@@\n{hunk_lines(OLD, NEW)}*** End Patch\n",
    },
    "a call": {
        "op": "patch",
        "path": "",
        "diff": tool_call(command="str_replace", path="a.py", old_str=OLD, new_str=NEW),
    },
    "a workspace edit": {
        "op": "patch",
        "path": "",
        "diff": json.dumps({"changes": {"a.py": [{"range": RANGE, "newText": NEW}]}}),
    },
    "a fence": {"op": "patch", "path": "", "diff": f"```python path=a.py lines=1-8\n{NEW}```\n"},
}


@pytest.mark.parametrize("op", OPS.values(), ids=OPS)
def test_unchanged_lines_keep_their_endings(op: Op) -> None:
    assert edit_file(BEFORE, op) == AFTER


CASES: dict[str, tuple[bytes, str, str, bytes]] = {
    "a deleted line": (b"a\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nc\nd", b"a\nc\r\nd\n"),
    "a line added first": (b"a\r\nb\nc\r\nd\n", "b\nc\nd", "x\nb\nc\nd", b"a\r\nx\r\nb\nc\r\nd\n"),
    "a line added at the top": (b"a\r\nb\nc\n", "a\nb", "x\na\nb", b"x\r\na\r\nb\nc\n"),
    "a line is replaced": (b"a\nb\r\nc\nd\n", "a\nb\nc", "a\nB\nc", b"a\nB\r\nc\nd\n"),
    "more lines than before": (b"a\nb\r\nc\nd\n", "b\nc", "B\nB2\nc", b"a\nB\r\nB2\r\nc\nd\n"),
    "a line moves": (b"a\r\nb\nc\nd\n", "a\nb\nc", "b\nc\na", b"b\nc\na\r\nd\n"),
    "two swapped lines": (b"a\r\nb\nc\n", "a\nb", "b\na", b"b\na\r\nc\n"),
    "the last line deleted": (b"a\r\nb\nc\n", "a\nb", "a", b"a\r\nc\n"),
    "the last line deleted at the end of the file": (b"a\r\nb\nc", "b\nc", "b", b"a\r\nb"),
    "lines emptied": (b"a\nb\r\nc\nd\n", "b\nc", "", b"a\n\nd\n"),
    "blank lines between": (b"a\n\r\nb\n\nc\r\n", "a\n\nb\n\nc", "a\n\nb\nx\n\nc", b"a\n\r\nb\nx\n\nc\r\n"),
    "no ending at the end": (b"a\r\nb\nc", "b\nc", "b\nx\nc", b"a\r\nb\nx\nc"),
    "text that begins and ends in a line": (
        b"aa\r\nbb\ncc\r\ndd\n",
        "a\nbb\nc",
        "a\nx\nbb\nc",
        b"aa\r\nx\r\nbb\ncc\r\ndd\n",
    ),
}


@pytest.mark.parametrize(("before", "old", "new", "after"), CASES.values(), ids=CASES)
def test_text_edit_keeps_the_endings_of_its_lines(before: bytes, old: str, new: str, after: bytes) -> None:
    assert edit_file(before, {"op": "text", "old": old, "new": new}, path="a.txt") == after


def test_replaced_definition_keeps_the_ending_of_its_last_line() -> None:
    before = b"def f():\n    a = 1\r\n    return a\n\n\nx = 1\n"
    code = "def f():\n    a = 1"
    assert edit_file(before, {"op": "replace", "symbol": "f", "code": code}) == before.replace(
        b"    return a\n", b""
    )


@pytest.mark.parametrize("seed", range(40))
def test_random_text_edit_keeps_the_endings_of_remaining_lines(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - the same sample each time
    lines = [(f"line {n}", rng.choice(["\n", "\r\n"])) for n in range(20)]
    first, last = sorted(rng.sample(range(21), 2))
    old = [line for line, _ in lines[first:last]]
    new = [line for line in old if rng.random() > 0.3]
    for n in range(rng.randint(0, 4)):
        new.insert(rng.randint(0, len(new)), f"new {n}")
    if not new or new == old:
        new = [*old, "new"]
    before = "".join(map("".join, lines)).encode()
    fields = {"old": "\n".join(old), "new": "\n".join(new)}
    after = edit_file(before, {"op": "text", **fields}, path="a.txt").decode()
    endings = dict(lines)
    found = after.splitlines(keepends=True)
    remaining = [line for line in found if line.rstrip("\r\n") in endings]
    assert remaining == [
        "".join(each) for each in lines if each[0] in [line.rstrip("\r\n") for line in found]
    ]
    assert [line.rstrip("\r\n") for line in found] == [
        *(line for line, _ in lines[:first]),
        *new,
        *(line for line, _ in lines[last:]),
    ]
