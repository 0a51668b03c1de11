"""Edits by line number: bytes, corrections and stale references."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.errors import ScalpelError
from gitscalpel.text.line_refs import content_hash, line_hash
from tests.edit.edit_folding import apply_ops, expect_error, fold_ops

F = b"def f():\n    a = 1\n    b = 2\n    return a\n"


@pytest.mark.parametrize(
    ("before", "op", "result"),
    [
        (b"a\nb\nc\n", {"start": 2, "code": "B"}, b"a\nB\nc\n"),
        (b"a\nb\nc\n", {"start": "2", "code": "B\n"}, b"a\nB\nc\n"),
        (b"a\nb\nc\n", {"start": "2-3", "code": "x\ny\nz"}, b"a\nx\ny\nz\n"),
        (b"a\nb\nc\n", {"start": 2, "code": "\n"}, b"a\n\nc\n"),
        (b"a\nb\nc\n", {"start": 2, "code": ""}, b"a\nc\n"),
        (b"a\nb\nc\n", {"start": 1, "end": 3, "code": ""}, b""),
        (b"a\nb", {"start": 2, "code": "B\n"}, b"a\nB"),
        (b"a\nb", {"start": 2, "code": ""}, b"a"),
        (b"a\r\nb", {"start": 2, "code": ""}, b"a"),
        (b"a\r\nb\r\n", {"start": 1, "code": "x\ny"}, b"x\r\ny\r\nb\r\n"),
        (b"a\nb\r\nc\n", {"start": 2, "code": "B\nC"}, b"a\nB\r\nC\r\nc\n"),
        (b"a\x0cb\nc\n", {"start": 2, "code": "C"}, b"a\x0cb\nC\n"),
        (b"a\rb\nc\n", {"start": 2, "code": "C"}, b"a\rb\nC\n"),
    ],
)
def test_lines_are_replaced_or_deleted(before: bytes, op: dict[str, Any], result: bytes) -> None:
    assert apply_ops(before, op) == result


@pytest.mark.parametrize(
    ("before", "op", "result"),
    [
        (b"a\nb\n", {"start": 1, "position": "before"}, b"x\na\nb\n"),
        (b"a\nb\n", {"start": 1, "position": "after"}, b"a\nx\nb\n"),
        (b"a\nb\nc\n", {"start": 1, "end": 2, "position": "after"}, b"a\nb\nx\nc\n"),
        (b"a\nb\nc\n", {"start": 1, "end": 2, "position": "before"}, b"x\na\nb\nc\n"),
        (b"a\r\nb", {"start": 2, "position": "after"}, b"a\r\nb\r\nx"),
        (b"a\r\nb\nc\n", {"start": 1, "position": "before"}, b"x\r\na\r\nb\nc\n"),
        (b"a\r\nb\nc\n", {"start": 3, "position": "before"}, b"a\r\nb\nx\nc\n"),
        (b"", {"start": 1, "position": "before"}, b"x\n"),
        (b"", {"start": 1, "position": "after"}, b"x\n"),
    ],
)
def test_lines_are_inserted(before: bytes, op: dict[str, Any], result: bytes) -> None:
    assert apply_ops(before, {"code": "x", **op}) == result


@pytest.mark.parametrize(
    ("before", "op", "code"),
    [
        (b"a\n", {"start": 2}, "out_of_range"),
        (b"a\nb\n", {"start": 1, "end": 3}, "out_of_range"),
        (b"", {"start": 1}, "out_of_range"),
        (b"a\n", {"start": 2, "position": "before"}, "out_of_range"),
        (b"a\n", {"start": 1, "code": "", "position": "after"}, "invalid_args"),
        (b"x\n", {"start": 1}, "no_change"),
        (b"a\n", {"start": "1:ffff"}, "stale"),
    ],
)
def test_invalid_line_edit_is_refused(before: bytes, op: dict[str, Any], code: str) -> None:
    assert expect_error(before, {"code": "x", **op}).code == code


@pytest.mark.parametrize(
    ("before", "op", "result"),
    [
        (b"a\nb\n", {"start": 2, "code": "B"}, b"a\nB"),
        (b"a\nb", {"start": 2, "code": "B\n"}, b"a\nB\n"),
        (b"a\r\nb\r\n", {"start": 1, "code": "A\n"}, b"a\nb\r\n".replace(b"a", b"A")),
        (b"    a\n", {"start": 1, "code": "1| a\n"}, b"1| a\n"),
        (b"a\nb\n", {"start": 2, "code": "x\ny\n", "position": "before"}, b"a\nx\ny\nb\n"),
        (b"a\nb\n", {"start": 1, "end": 2, "code": ""}, b""),
    ],
)
def test_verbatim_code_is_written_unchanged(before: bytes, op: dict[str, Any], result: bytes) -> None:
    assert apply_ops(before, {**op, "verbatim": True}) == result


def test_verbatim_code_that_joins_the_next_line_warns() -> None:
    result, edit = fold_ops(b"a\nb\n", {"start": 1, "code": "x", "verbatim": True})
    assert result == b"xb\n"
    assert "next line" in edit.warnings[0]


@pytest.mark.parametrize(
    "code",
    [
        "//        std::x y;\n\n//        z();",
        "        // std::x y;\n\n        // z();",
        "# std::x y;\n\n# z();",
        "/*        std::x y; */\n\n/*        z(); */",
    ],
)
def test_commented_out_lines_keep_their_indentation(code: str) -> None:
    before = b"void f() {\n        std::x y;\n\n        z();\n}\n"
    result, edit = fold_ops(before, {"start": 2, "end": 4, "code": code})
    assert result == b"void f() {\n" + code.encode() + b"\n}\n"
    assert not edit.corrections


def test_new_comment_line_is_indented() -> None:
    before = b"void f() {\n        x();\n}\n"
    assert apply_ops(before, {"start": 2, "code": "// y();"}) == b"void f() {\n        // y();\n}\n"


def test_out_of_range_reports_the_number_of_lines() -> None:
    error = expect_error(b"a\nb\n", {"start": 3, "code": "x"})
    assert error.data == {"total_lines": 2, "retry": {"start": 2, "position": "after"}}


def test_line_numbers_refer_to_the_file_before_the_changeset() -> None:
    ops = [
        {"start": 1, "code": "1\n1"},
        {"start": 3, "code": ""},
        {"start": 2, "code": "x", "position": "after"},
    ]
    assert apply_ops(b"a\nb\nc\nd\n", *ops) == b"1\n1\nb\nx\nd\n"
    inserts = [{"start": 1, "code": code, "position": "after"} for code in ("x", "y")]
    assert apply_ops(b"a\nb\n", *inserts) == b"a\nx\ny\nb\n"
    assert apply_ops(b"a\nb", *[{**op, "start": 2} for op in inserts]) == b"a\nb\nx\ny"
    assert apply_ops(b"a\nb\n", {"old": "a", "new": "a\na"}, {"start": 2, "code": "x"}) == b"a\na\nx\n"


@pytest.mark.parametrize(
    "code",
    [
        "2|     a = 5\n3|     b = 6",
        "2:9f3c|     a = 5\n3:01be|     b = 6\n",
        " 2 |     a = 5\n 3 |     b = 6",
        "    a = 5\n    b = 6\n    return a",  # repeats the line below
        "def f():\n    a = 5\n    b = 6",  # repeats the line above
        "a = 5\nb = 6",  # column 0
        "a = 5\nb = 6\nreturn a",  # column 0 and an echo
        "1|def f():\n2|     a = 5\n3|     b = 6",
    ],
)
def test_mistakes_are_corrected_and_reported(code: str) -> None:
    start, stop = (1, 3) if code.startswith("1|") else (2, 3)
    result, edit = fold_ops(F, {"start": start, "end": stop, "code": code})
    assert result == b"def f():\n    a = 5\n    b = 6\n    return a\n"
    assert edit.corrections
    assert fold_ops(F, {"start": start, "end": stop, "code": code, "verbatim": True})[0] != result


@pytest.mark.parametrize(
    ("op", "result"),
    [
        # other numbers, or not in every line
        ({"start": 2, "code": "    3| x"}, b"a\n    3| x\n}\nc\n"),
        ({"start": 2, "code": "2| x\ny"}, b"a\n2| x\ny\n}\nc\n"),
        ({"start": 2, "code": "2| x\n3| y"}, b"a\n2| x\n3| y\n}\nc\n"),
        # neither a bracket, nor the whole code, nor a single line is an echo
        ({"start": 2, "code": "x\n}"}, b"a\nx\n}\n}\nc\n"),
        ({"start": "2-3", "code": "a\nc"}, b"a\na\nc\nc\n"),
        ({"start": 2, "code": "a"}, b"a\na\n}\nc\n"),
        # a repeated line may replace the addressed line
        ({"start": 3, "code": "}\nx"}, b"a\n}\n}\nx\nc\n"),
    ],
)
def test_other_code_is_not_corrected(op: dict[str, Any], result: bytes) -> None:
    content, edit = fold_ops(b"a\n}\n}\nc\n" if op["start"] == 3 else b"a\nb\n}\nc\n", op)
    assert content == result
    assert edit.corrections == ()


def test_insert_drops_a_repeated_anchor_and_keeps_indentation() -> None:
    op = {"start": 2, "position": "after", "code": "    a = 1\nc = 3"}
    assert apply_ops(F, op) == b"def f():\n    a = 1\nc = 3\n    b = 2\n    return a\n"


def test_code_is_indented_with_the_white_space_of_the_file() -> None:
    assert apply_ops(b"f\n\tx\n", {"start": 2, "code": "if:\n    y\n\nz"}) == b"f\n\tif:\n\t\ty\n\n\tz\n"


def test_indentation_jump_of_two_levels_warns() -> None:
    result, edit = fold_ops(F, {"start": 3, "code": "            b"})
    assert result == F.replace(b"    b = 2", b"            b")
    assert edit.warnings
    assert fold_ops(F, {"start": 3, "code": "        b"})[1].warnings == ()


class TestHashes:
    before = b"a\nb\nc\nd\n"

    def test_line_with_its_hash_is_edited(self) -> None:
        assert (
            apply_ops(self.before, {"start": f"2:{line_hash(b'b').upper()}", "code": "x"}) == b"a\nx\nc\nd\n"
        )
        whole = f"2:{line_hash(b'b', 16)}-3:{line_hash(b'c')}@" + content_hash(b"b\nc")
        assert apply_ops(self.before, {"start": whole, "code": "x"}) == b"a\nx\nd\n"
        # a hash that other lines share is valid for its own line
        assert apply_ops(b"\n\nx\n", {"start": f"2:{line_hash(b'')}", "code": "y"}) == b"\ny\nx\n"

    def expect_stale(self, **op: Any) -> ScalpelError:
        error = expect_error(self.before, {"code": "x", **op})
        assert error.code == "stale"
        return error

    def test_changed_line_is_stale_with_a_range_for_retry(self) -> None:
        error = self.expect_stale(start="2", end=f"3:{line_hash(b'z')}")
        assert apply_ops(self.before, {**error.data["retry"], "code": "x"}) == b"a\nx\nd\n"
        assert [line["text"] for line in error.data["lines"]] == ["a", "b", "c", "d"]

    def test_changed_content_between_the_ends_is_stale(self) -> None:
        self.expect_stale(start=f"1:{line_hash(b'a')}-3:{line_hash(b'c')}@" + content_hash(b"a\nB\nc"))

    def test_relocate_follows_a_unique_moved_line(self) -> None:
        result, edit = fold_ops(self.before, {"start": f"2:{line_hash(b'c')}", "code": "x", "relocate": True})
        assert result == b"a\nb\nx\nd\n"
        assert edit.corrections
        beyond = {
            "start": f"8:{line_hash(b'b')}",
            "end": f"9:{line_hash(b'c')}",
            "code": "x",
            "relocate": True,
        }
        assert apply_ops(self.before, beyond) == b"a\nx\nd\n"

    def test_error_without_relocate_reports_the_moved_line(self) -> None:
        assert self.expect_stale(start=f"2:{line_hash(b'c')}").data["moved_to"].startswith("3:")

    @pytest.mark.parametrize("missing", [b"gone", b"twice"])
    def test_relocate_refuses_missing_or_ambiguous_lines(self, missing: bytes) -> None:
        error = expect_error(
            b"a\ntwice\ntwice\n", {"start": f"1:{line_hash(missing)}", "code": "x", "relocate": True}
        )
        assert error.code == "stale"

    def test_relocate_refuses_a_range_with_separated_ends(self) -> None:
        ends = {"start": f"1:{line_hash(b'b')}", "end": f"2:{line_hash(b'd')}"}
        self.expect_stale(**ends, relocate=True)


def test_edit_may_only_add_the_final_newline() -> None:
    content, edit = fold_ops(b"a\r\nb", {"start": 2, "code": "b\n"})
    assert content == b"a\r\nb\r\n"
    assert edit.corrections == ("added a line ending to the last line of the file",)
    assert expect_error(b"a\nb", {"start": 2, "code": "b"}).code == "no_change"
    assert expect_error(b"a\nb\n", {"start": 2, "code": "b"}).code == "no_change"
