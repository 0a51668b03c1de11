"""A changeset folded over a snapshot: order, overlap, staleness, and the order of errors."""

from __future__ import annotations

import pytest

from gitscalpel.text.line_refs import content_hash, line_hash
from tests.edit.editing import Content, Op, apply_changeset, blob_id, edit_file, expect_refusal

F = "def f():\n    return 1\n"
G = "def g():\n    return 2\n"
TWO = F + "\n\n" + G


def replace_function(name: str, value: int, **more: object) -> Op:
    return {"op": "replace", "symbol": name, "code": f"def {name}():\n    return {value}", **more}


def test_operation_sees_earlier_operations() -> None:
    ops = [
        {"op": "insert", "symbol": "f", "code": "def h():\n    return 3"},
        {"op": "insert", "symbol": "h", "position": "before", "code": "x = 1"},
        {"op": "text", "old": "x = 1", "new": "x = 2"},
    ]
    assert b"x = 2\n" in edit_file(TWO, *ops)


def test_line_numbers_refer_to_the_original_file() -> None:
    ops: list[Op] = [
        {"op": "lines", "start": 1, "position": "before", "code": "0\n0"},
        {"op": "lines", "start": 3, "code": "C"},
        {"op": "lines", "start": 2, "code": ""},
        {"op": "lines", "start": 4, "position": "after", "code": "e"},
    ]
    assert edit_file("a\nb\nc\nd\n", *ops, path="a.txt") == b"0\n0\na\nC\nd\ne\n"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_independent_operations_may_come_in_any_order(order: tuple[int, ...]) -> None:
    ops: list[Op] = [
        replace_function("f", 10),
        {"op": "lines", "start": 3, "code": "# between"},
        {"op": "signature", "symbol": "g", "code": "def g(a):"},
    ]
    after = b"def f():\n    return 10\n# between\n\ndef g(a):\n    return 2\n"
    assert edit_file(TWO, *(ops[n] for n in order)) == after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (replace_function("f", 3), replace_function("f", 4)),
        (replace_function("f", 3), {"op": "lines", "start": 2, "code": "    return 4"}),
        (replace_function("f", 3), {"op": "text", "old": "return 3", "new": "return 4"}),
        ({"op": "lines", "start": 2, "code": "    return 3"}, replace_function("f", 4)),
        ({"op": "lines", "start": "1", "end": "2", "code": ""}, {"op": "lines", "start": 2, "code": "x"}),
        ({"op": "signature", "symbol": "f", "code": "def f(a):"}, replace_function("f", 4)),
        ({"op": "signature", "symbol": "f", "code": "def f(a):"}, {"op": "delete", "symbol": "f"}),
    ],
)
def test_overlapping_addresses_conflict(first: Op, second: Op) -> None:
    error = expect_refusal(TWO, first, second)
    assert error.code == "nested_conflict"
    assert error.op == 1


def test_text_edits_may_overlap() -> None:
    ops = [{"op": "text", "old": "one", "new": "two"}, {"op": "text", "old": "two", "new": "three"}]
    assert edit_file("one\n", *ops, path="a.txt") == b"three\n"


FIVE = "l1\nl2\nl3\nl4\nl5\n"
BLOCK = {"op": "text", "old": "l2\nl3\nl4\n", "new": "A\nB\nC\n"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BLOCK, {"op": "lines", "start": 3, "code": "LINE3"}),
        (BLOCK, {"op": "lines", "start": 3, "position": "before", "code": "X"}),
        (BLOCK, {"op": "replace", "start": 4, "end": 5, "code": "X"}),
        ({"op": "text", "old": "2\nl3\nl", "new": "b\nb\nb"}, {"op": "lines", "start": 3, "code": "X"}),
        ({"op": "text", "old": "l2\n", "new": ""}, {"op": "lines", "start": 2, "code": "X"}),
        (
            {"op": "patch", "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -2,2 +2,1 @@\n-l2\n-l3\n+X\n"},
            {"op": "lines", "start": 3, "code": "Y"},
        ),
    ],
)
def test_line_edit_inside_replaced_text_conflicts(first: Op, second: Op) -> None:
    error = expect_refusal(FIVE, first, second, path="a.txt")
    assert (error.code, error.op) == ("nested_conflict", 1)


@pytest.mark.parametrize(
    ("first", "second", "after"),
    [
        (BLOCK, {"op": "lines", "start": 5, "code": "X"}, "l1\nA\nB\nC\nX\n"),
        (BLOCK, {"op": "lines", "start": 2, "position": "before", "code": "X"}, "l1\nX\nA\nB\nC\nl5\n"),
        (BLOCK, {"op": "lines", "start": 1, "end": 5, "code": "X"}, "X\n"),
        # context lines of old are not replaced
        (
            {"op": "text", "old": "l2\nl3\nl4\n", "new": "l2\nB\nB\nl4\n"},
            {"op": "lines", "start": 4, "code": "X"},
            "l1\nl2\nB\nB\nX\nl5\n",
        ),
        (
            {"op": "text", "old": "3", "new": "three"},
            {"op": "lines", "start": 3, "code": "X"},
            "l1\nl2\nX\nl4\nl5\n",
        ),
    ],
)
def test_line_edit_next_to_replaced_text_works(first: Op, second: Op, after: str) -> None:
    assert edit_file(FIVE, first, second, path="a.txt").decode() == after


def test_symbol_may_be_replaced_after_a_text_edit() -> None:
    ops = [{"op": "text", "old": "return 1", "new": "return 3"}, replace_function("f", 4)]
    assert b"return 4" in edit_file(TWO, *ops)


def test_failure_reports_the_operation() -> None:
    error = expect_refusal(
        {"a.py": TWO, "b.py": "x = 1\n"}, replace_function("f", 3), replace_function("nowhere", 4)
    )
    assert (error.code, error.op) == ("symbol_not_found", 1)


def test_changeset_that_cancels_out_is_no_change() -> None:
    ops = [{"op": "text", "old": "a", "new": "b"}, {"op": "text", "old": "b", "new": "a"}]
    assert expect_refusal("a\n", *ops, path="a.txt").code == "no_change"


def test_operation_without_effect_is_reported() -> None:
    error = expect_refusal(TWO, replace_function("f", 3), replace_function("g", 2))
    assert (error.code, error.op) == ("no_change", 1)


def test_files_that_cancel_out_are_not_listed() -> None:
    ops = [
        {"op": "write", "path": "n.txt", "content": "n"},
        {"op": "remove", "path": "n.txt"},
        {"op": "text", "path": "a.txt", "old": "a", "new": "b"},
    ]
    assert [change.path for change in apply_changeset({"a.txt": "a\n"}, *ops).changes] == ["a.txt"]


def test_file_written_earlier_can_be_edited() -> None:
    ops = [{"op": "write", "path": "n.py", "content": F}, {**replace_function("f", 3), "path": "n.py"}]
    result = apply_changeset({"a.py": TWO}, *ops)
    assert result.overlay.content("n.py") == F.replace("1", "3").encode()


def test_result_reports_line_ranges() -> None:
    result = apply_changeset(
        TWO, {"op": "lines", "start": 1, "position": "before", "code": "# a\n# b"}, replace_function("g", 3)
    ).done
    assert [(d.before, d.after) for d in result] == [((1, 0), (1, 2)), ((5, 6), (7, 8))]
    assert result[1].hash == content_hash(b"def g():\n    return 3")


def test_unchanged_target_in_a_changed_file_is_edited() -> None:
    base_text = "import os\n\n\n" + F
    now = {"a.py": TWO, "old.py": base_text}  # so that git has the blob
    result = apply_changeset(now, replace_function("f", 3, base=blob_id(base_text)))
    assert result.overlay.content("a.py") == TWO.replace("return 1", "return 3").encode()


def test_trailing_white_space_is_not_stale() -> None:
    base_text = F.replace("\n", "  \n")
    assert apply_changeset(
        {"a.py": TWO, "old.py": base_text}, replace_function("f", 3, base=blob_id(base_text))
    )


def test_line_numbers_of_a_base_are_relocated() -> None:
    base_text = "b\nc\n"
    op = {"op": "lines", "start": 2, "code": "C", "base": blob_id(base_text)}
    result = apply_changeset({"a.txt": "a\nb\nc\nd\n", "old": base_text}, op, path="a.txt")
    assert result.overlay.content("a.txt") == b"a\nb\nC\nd\n"


@pytest.mark.parametrize(
    ("op", "base_text"),
    [
        (replace_function("f", 3), TWO.replace("return 1", "return 0")),
        ({"op": "lines", "start": 2, "code": "    return 3"}, TWO.replace("return 1", "return 0")),
        ({"op": "delete", "symbol": "f"}, "# lead\n" + TWO),
    ],
)
def test_changed_target_is_stale_and_returned(op: Op, base_text: str) -> None:
    error = expect_refusal({"a.py": TWO, "old.py": base_text}, {**op, "base": blob_id(base_text)})
    assert error.code == "stale"
    assert error.data["hash"] == content_hash(error.data["content"].encode())
    assert error.retryable


def test_retry_of_a_stale_operation_works() -> None:
    error = expect_refusal(TWO, replace_function("f", 3, expect="000000000000"))
    assert error.code == "stale"
    assert error.data["content"] == F.removesuffix("\n")
    assert [row["hash"] for row in error.data["lines"]] == [
        line_hash(line) for line in F.encode().splitlines(True)
    ]
    assert b"return 3" in edit_file(TWO, replace_function("f", 3, expect=error.data["retry"]["expect"]))


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (replace_function("f", 3), F),
        ({"op": "lines", "start": 2, "code": "    return 3"}, "    return 1"),
        ({"op": "text", "old": "return 1", "new": "return 3"}, "return 1"),
        ({"op": "signature", "symbol": "f", "code": "def f(a):"}, F),
        ({"op": "delete", "symbol": "f"}, F),
        ({"op": "remove"}, TWO),
        ({"op": "write", "content": "x", "overwrite": True}, TWO),
    ],
)
def test_expect_compares_the_hash_of_the_target(op: Op, text: str) -> None:
    assert apply_changeset(TWO, {**op, "expect": content_hash(text.encode())})
    assert apply_changeset(TWO, {**op, "expect": content_hash(text.encode()).upper()})
    assert expect_refusal(TWO, {**op, "expect": content_hash(b"other")}).code == "stale"


def test_missing_blob_is_not_a_base() -> None:
    assert expect_refusal(TWO, replace_function("f", 3, base="0" * 40)).code == "invalid_ref"


# Each row fails in two ways. The error that comes first in the order is reported.
PRECEDENCE: list[tuple[Op | list[Op], str]] = [
    ({"op": "replace", "symbol": "f", "code": "", "path": "../a.py"}, "invalid_args"),
    ({"op": "text", "old": "", "new": "x", "path": "nowhere.py"}, "empty_target"),
    ({"op": "lines", "start": "0", "code": "x", "path": ".git/config"}, "invalid_ref"),
    ({"op": "lines", "start": 9, "end": 8, "code": "x", "path": "nowhere.py"}, "invalid_range"),
    (
        {"op": "insert", "symbol": "f", "code": "x", "position": "over", "path": "nowhere.py"},
        "invalid_position",
    ),
    ({"op": "replace", "symbol": "f", "code": "x", "path": "../nowhere.py"}, "path_denied"),
    (
        [{"op": "text", "old": "absent", "new": "x"}, {"op": "write", "path": "../b", "content": ""}],
        "path_denied",
    ),
    ([{"op": "text", "old": "absent", "new": "x"}, {"op": "delete"}], "invalid_args"),
    ({"op": "replace", "symbol": "nowhere", "code": "x", "path": "nowhere.py"}, "file_not_found"),
    ({"op": "replace", "symbol": "f", "code": "x", "path": "folder"}, "not_a_file"),
    ({"op": "text", "old": "absent", "new": "x", "path": "binary"}, "binary_file"),
    ({"op": "text", "old": "absent", "new": "x", "path": "conflict.py"}, "conflicted"),
    ({"op": "replace", "symbol": "nowhere", "code": "return", "path": "plain.txt"}, "unsupported_language"),
    ({"op": "replace", "symbol": "nowhere", "code": "return"}, "symbol_not_found"),
    ({"op": "replace", "symbol": "f", "code": "return", "expect": "0" * 12}, "stale"),
    ({"op": "insert", "symbol": "f", "code": "def g(): pass", "expect": "0" * 12}, "stale"),
    ({"op": "signature", "symbol": "f", "code": "def x():", "expect": "0" * 12}, "stale"),
    ({"op": "delete", "symbol": "f", "safe": True, "expect": "0" * 12}, "stale"),
    ({"op": "lines", "start": 1, "code": "def f():", "expect": "0" * 12}, "stale"),
    ({"op": "text", "old": "absent", "new": "x", "expect": "0" * 12}, "not_found"),
    ({"op": "text", "old": "return 1", "new": "return 1", "expect": "0" * 12}, "stale"),
    ({"op": "write", "content": TWO, "overwrite": True, "expect": "0" * 12}, "stale"),
    ({"op": "replace", "symbol": "f", "code": "return ("}, "body_only"),
    ({"op": "replace", "symbol": "f", "code": "class h(:\n    def"}, "syntax_error"),
    ({"op": "replace", "symbol": "f", "code": "class h: pass"}, "kind_mismatch"),
    ({"op": "replace", "symbol": "f", "code": "def h(): pass\n\ndef i(): pass"}, "name_mismatch"),
    ({"op": "replace", "symbol": "f", "code": "def f(): pass\n\ndef g(): pass"}, "extra_definitions"),
]


@pytest.mark.parametrize(
    ("op", "code"), PRECEDENCE, ids=lambda value: value if isinstance(value, str) else "op"
)
def test_first_error_in_order_is_reported(op: Op | list[Op], code: str) -> None:
    files: dict[str, Content] = {
        "a.py": TWO + "\n\nf()\n",
        "folder/b.py": "x = 1\n",
        "binary": b"\0",
        "conflict.py": "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n",
        "plain.txt": "x\n",
    }
    error = expect_refusal(files, *(op if isinstance(op, list) else [op]))
    assert error.code == code
    assert error.op == (len(op) - 1 if isinstance(op, list) else 0)
