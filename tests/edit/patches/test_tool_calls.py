from __future__ import annotations

import json
from typing import Any

import pytest

from tests.edit.editing import Content, apply_changeset, blob_id, expect_refusal
from tests.edit.patches.patch_helpers import (
    NUMBERS,
    PatchInput,
    apply_patch,
    changed_files,
    expect_error,
    patch_file,
)
from tests.gates.gate_calls import judge_structure as judge

EDIT = {"file_path": "a.txt", "old_string": "5\n6", "new_string": "five\n6"}
ENVELOPE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-5\n+five\n 6\n*** End Patch"
CHANGED = NUMBERS.replace("5\n", "five\n", 1)

SPELLINGS: dict[str, PatchInput] = {
    "old and new string": EDIT,
    "old and new str": {"path": "a.txt", "old_str": "5\n6", "new_str": "five\n6"},
    "a command": {"command": "str_replace", "path": "a.txt", "old_str": "5\n6", "new_str": "five\n6"},
    "edits": {"file_path": "a.txt", "edits": [{"old_string": "5\n6", "new_string": "five\n6"}]},
    "a list": [EDIT],
    "a tool call": {"type": "tool_use", "id": "1", "name": "Edit", "input": EDIT},
    "a tool call with arguments": {"name": "edit", "arguments": EDIT},
    "arguments as text": {"type": "function", "function": {"name": "edit", "arguments": json.dumps(EDIT)}},
    "a message with calls": {
        "role": "assistant",
        "tool_calls": [{"function": {"name": "e", "arguments": json.dumps(EDIT)}}],
    },
    "a message of blocks": {
        "role": "assistant",
        "content": [{"type": "text", "text": "Now: {"}, {"type": "tool_use", "name": "Edit", "input": EDIT}],
    },
    "a call of a protocol": {
        "jsonrpc": "2.0",
        "method": "tools/call",
        "params": {"name": "e", "arguments": EDIT},
    },
    "a function call": {"functionCall": {"name": "edit", "args": EDIT}},
    "a call with an envelope": {"name": "apply_patch", "arguments": json.dumps({"input": ENVELOPE})},
    "a call that is an envelope": {"type": "custom_tool_call", "name": "apply_patch", "input": ENVELOPE},
    "other names of fields": {"path": "a.txt", "edits": [{"oldText": "5\n6", "newText": "five\n6"}]},
    "one after the other": json.dumps({**EDIT, "new_string": "5!\n6"})
    + "\n"
    + json.dumps({**EDIT, "old_string": "5!", "new_string": "five"}),
    "in a fence": "```json\n" + json.dumps(EDIT, indent=2) + "\n```\n",
    "with unknown fields": {**EDIT, "explanation": "spell it", "replace_all": False},
}


@pytest.mark.parametrize("diff", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_of_a_call_is_applied(diff: PatchInput) -> None:
    assert patch_file(NUMBERS, diff).decode() == CHANGED


def make_edits(*pairs: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"file_path": "a.txt", "edits": [{"old_string": a, "new_string": b, **more} for a, b in pairs]}


def make_insert(line: int, text: str) -> dict[str, Any]:
    return {"command": "insert", "path": "a.txt", "insert_line": line, "insert_text": text}


BYTES: dict[str, tuple[bytes, PatchInput, bytes]] = {
    "each edit sees the one before": (b"a b\n", make_edits(("a", "c"), ("c b", "d")), b"d\n"),
    "every occurrence": (b"a a\na\n", make_edits(("a", "b"), replace_all=True), b"b b\nb\n"),
    "every occurrence without overlap": (b"aaaa\n", make_edits(("aa", "b"), replace_all=True), b"bb\n"),
    "no expansion in the new text": (b"a\n", make_edits(("a", r"\1 $1 \n")), rb"\1 $1 \n" + b"\n"),
    "LF text in a CRLF file": (b"a\r\nb\r\n", make_edits(("a\nb", "x\ny\nz")), b"x\r\ny\r\nz\r\n"),
    "CRLF text in an LF file": (b"a\nb\n", make_edits(("a\r\nb", "x\r\ny")), b"x\ny\n"),
    "mixed endings stay": (b"a\r\nb\nc\n", make_edits(("a\nb", "x\ny")), b"x\r\ny\nc\n"),
    "a byte order mark stays": (b"\xef\xbb\xbfa\n", make_edits(("a", "b")), b"\xef\xbb\xbfb\n"),
    "the file's encoding": (
        "\ufeffé\n".encode("utf-16-le"),
        make_edits(("é", "ü")),
        "\ufeffü\n".encode("utf-16-le"),
    ),
    "deleted": (b"a\nb\n", make_edits(("a\n", "")), b"b\n"),
    "a command without new text": (
        b"a\nb\n",
        {"command": "str_replace", "path": "a.txt", "old_str": "a\n"},
        b"b\n",
    ),
    "insert at the top": (b"a\n", make_insert(0, "x\n"), b"x\na\n"),
    "insert below a line": (b"a\nb\n", make_insert(1, "x"), b"a\nx\nb\n"),
    "insert at the end": (b"a\nb", make_insert(2, "x"), b"a\nb\nx"),
    "insert with the file's endings": (b"a\r\nb\r\n", make_insert(1, "x\ny\n"), b"a\r\nx\r\ny\r\nb\r\n"),
    "insert counts what was inserted": (
        b"abc\nb\n",
        [make_insert(0, "x"), make_insert(2, "y")],
        b"x\nabc\ny\nb\n",
    ),
    "insert in an empty file": (b"", make_insert(0, "x"), b"x\n"),
}


@pytest.mark.parametrize(("before", "diff", "expected"), BYTES.values(), ids=BYTES)
def test_call_gives_the_expected_bytes(before: bytes, diff: PatchInput, expected: bytes) -> None:
    assert patch_file(before, diff) == expected


FILES: dict[str, tuple[PatchInput, dict[str, tuple[str, bytes] | None]]] = {
    "create": (
        {"command": "create", "path": "d/n", "file_text": "1\n# ...\n"},
        {"d/n": ("100644", b"1\n# ...\n")},
    ),
    "an empty old string": (
        {"file_path": "n", "old_string": "", "new_string": "1\n"},
        {"n": ("100644", b"1\n")},
    ),
    "create and edit": (
        [
            {"path": "n", "content": "1\n2\n"},
            {"path": "n", "old_str": "2", "new_str": "3"},
            {"path": "b", "old_str": "b", "new_str": "B"},
        ],
        {"n": ("100644", b"1\n3\n"), "b": ("100755", b"B\nc\n")},
    ),
    "a whole file": (
        {"path": "b", "content": "x\r\n", "base": blob_id("b\nc\n")},
        {"b": ("100755", b"x\r\n")},
    ),
    "a whole file that is new": ({"path": "n", "content": "x", "base": None}, {"n": ("100644", b"x")}),
    "whole files": (
        [{"path": "b", "content": "x\n", "base": blob_id("b\nc\n")}, {"file_path": "n", "content": ""}],
        {"b": ("100755", b"x\n"), "n": ("100644", b"")},
    ),
}


@pytest.mark.parametrize(("diff", "expected"), FILES.values(), ids=FILES)
def test_call_gives_the_expected_files(
    diff: PatchInput, expected: dict[str, tuple[str, bytes] | None]
) -> None:
    before: dict[str, Content] = {"b": ("100755", b"b\nc\n")}
    assert changed_files(before, diff) == expected


REFUSED: dict[str, tuple[PatchInput, str]] = {
    "missing text": ({"path": "b", "old_str": "z", "new_str": "y"}, "not_found"),
    "an ambiguous indentation": (
        {"path": "b", "old_str": "    xxx", "new_str": "  y"},
        "not_found",
    ),
    "two matches": ({"path": "b", "old_str": "b", "new_str": "y"}, "ambiguous"),
    "overlapping": ({"path": "b", "old_str": "xx", "new_str": "y"}, "ambiguous"),
    "no change": ({"path": "b", "old_str": "xxx", "new_str": "xxx"}, "no_change"),
    "empty old string for an existing file": ({"path": "b", "old_str": "", "new_str": "y"}, "exists"),
    "empty old string in a command": (
        {"command": "str_replace", "path": "b", "old_str": "", "new_str": "y"},
        "empty_target",
    ),
    "one of several does not fit": (
        [{"path": "b", "old_str": "xxx", "new_str": "y"}, {"path": "b", "old_str": "xxx", "new_str": "z"}],
        "not_found",
    ),
    "beyond the end": (
        {"command": "insert", "path": "b", "insert_line": 9, "insert_text": ""},
        "out_of_range",
    ),
    "before the beginning": (
        {"command": "insert", "path": "b", "insert_line": -1, "insert_text": ""},
        "invalid_args",
    ),
    "create an existing file": ({"command": "create", "path": "b", "file_text": ""}, "exists"),
    "no base for an existing file": ({"path": "b", "content": ""}, "exists"),
    "another base": ({"path": "b", "content": "", "base": "1" * 40}, "stale"),
    "a base for a missing file": ({"path": "n", "content": "", "base": "1" * 40}, "file_not_found"),
    "an invalid base": ({"path": "b", "content": "", "base": "HEAD"}, "invalid_ref"),
    "the same content": (
        {"path": "b", "content": "b\nb\nxxx\n", "base": blob_id("b\nb\nxxx\n")},
        "no_change",
    ),
    "no file": ({"path": "n", "old_str": "b", "new_str": "y"}, "file_not_found"),
    "no path": ({"name": "Edit", "input": {"old_string": "b", "new_string": "y"}}, "invalid_args"),
    "no new text": ({"path": "b", "old_str": "b"}, "invalid_args"),
    "no line": ({"command": "insert", "path": "b", "insert_text": "x"}, "invalid_args"),
    "two kinds of edit": (make_edits(("xxx", "y")) | {"file_path": "b", "old_string": "b"}, "invalid_args"),
    "no edits": ({"path": "b", "edits": []}, "invalid_args"),
    "two spellings": ({"path": "b", "file_path": "c", "old_str": "b", "new_str": "y"}, "invalid_args"),
    "another command": ({"command": "view", "path": "b"}, "invalid_args"),
    "another tool": ({"name": "Bash", "input": {"command": "ls"}}, "invalid_args"),
    "other types": ({"path": 1, "old_str": ["b"], "new_str": None}, "invalid_args"),
    "written whole after an edit": (
        [{"path": "b", "old_str": "xxx", "new_str": "y"}, {"path": "b", "content": ""}],
        "invalid_args",
    ),
    "outside the repository": ({"path": "../b", "old_str": "b", "new_str": "y"}, "path_denied"),
    "git directory": ({"path": ".git/hooks/x", "content": ""}, "path_denied"),
    "absolute": ({"path": "/elsewhere/b", "old_str": "b", "new_str": "y"}, "path_denied"),
    "a NUL in the path": ({"path": "b\0", "content": ""}, "invalid_args"),
    "a key twice": ('{"path": "b", "path": "c", "old_str": "b", "new_str": "y"}', "invalid_args"),
    "half a character": (
        '{"path": "b", "old_str": "xxx", "new_str": "\\ud800"}',
        "invalid_args",
    ),
    "an escaped byte": ('{"path": "b", "old_str": "xxx", "new_str": "\\udc80"}', "invalid_args"),
    "cut off": ('{"path": "b", "old_str": "xxx"', "invalid_args"),
    "no number": ('{"path": "b", "content": NaN}', "invalid_args"),
    "a number where none applies": (
        '{"path": "b", "old_str": "xxx", "new_str": "", "n": NaN}',
        "invalid_args",
    ),
    "a huge number": (
        '{"command": "insert", "path": "b", "insert_line": ' + "9" * 5000 + "}",
        "invalid_args",
    ),
    "a large number": (
        {"command": "insert", "path": "b", "insert_line": 10**30, "insert_text": "x"},
        "out_of_range",
    ),
    "nested deeply": ("[" * 100_000, "invalid_args"),
    "a list of something else": ("[1]", "invalid_args"),
    "empty call": ("{}", "invalid_args"),
    "an empty list": ("[]", "invalid_args"),
    "a changeset": ('{"ops": []}', "invalid_args"),
    "two formats": (
        [{"path": "b", "old_str": "xxx", "new_str": "y"}, {"changes": {}}],
        "invalid_args",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_call_is_refused(diff: PatchInput, code: str) -> None:
    assert expect_error({"b": "b\nb\nxxx\n"}, diff).code == code


def test_error_reports_the_edit_and_the_nearest_lines() -> None:
    error = expect_error(
        {"a.txt": "alpha beta\ngamma delta\n"}, make_edits(("alpha", "x"), ("gamma dalta", "y"))
    )
    assert (error.data["path"], error.data["edit"]) == ("a.txt", 2)
    assert error.data["nearest"] == [{"n": 2, "text": "gamma delta"}]
    error = expect_error({"a.txt": "a\nb\na\n"}, make_edits(("a", "x")))
    assert error.data["ranges"] == [[1, 1], [3, 3]]


def test_unchanged_file_among_other_operations_is_refused() -> None:
    same = json.dumps({"path": "b", "content": "b\n", "base": blob_id("b\n")})
    ops = [{"op": "text", "path": "a", "old": "a", "new": "x"}, {"op": "patch", "path": "", "diff": same}]
    assert expect_refusal({"a": "a\n", "b": "b\n"}, *ops).code == "no_change"


def test_path_of_the_operation_applies_to_a_call_without_one() -> None:
    diff = json.dumps({"name": "edit", "arguments": {"old_str": "b", "new_str": "c"}})
    assert apply_changeset("b\n", {"op": "patch", "diff": diff}, path="b").overlay.content("b") == b"c\n"


def test_gates_check_a_call_as_a_text_edit() -> None:
    before = {"a.txt": "", "a.py": "def f():\n    return 1\n"}
    body = {"path": "a.py", "old_str": "return 1", "new_str": "return 2"}
    header = {"path": "a.py", "old_str": "def f():\n", "new_str": "def f(x):\n    x += 1\n"}
    assert judge(apply_patch(before, body), "block").status == "passed"
    assert judge(apply_patch(before, [body, header]), "block").status == "failed"


def test_deeply_nested_call_is_refused() -> None:
    call: PatchInput = EDIT
    for _ in range(300):
        call = {"function": call}
    assert expect_error({"a.txt": NUMBERS}, call).code == "invalid_args"
