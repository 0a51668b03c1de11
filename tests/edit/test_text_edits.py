"""Find and replace in text, and its refusals."""

from __future__ import annotations

import pytest

from tests.edit.edit_folding import apply_ops, expect_error, fold_ops
from tests.edit.editing import apply_changeset


@pytest.mark.parametrize(
    ("before", "old", "new", "result"),
    [
        (b"one two three\n", " two", "", b"one three\n"),
        (b"aXa\nb\n", "aXa", "line1\nline2", b"line1\nline2\nb\n"),
        (b'let s = "x";\n', '"x"', r'"p\nq $1 \1"', rb'let s = "p\nq $1 \1";' + b"\n"),
        (b"a\nb", "a", "c", b"c\nb"),
        (b"10%\r50%\ndone\n", "done", "end", b"10%\r50%\nend\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
        (b"a\nb\r\nc\n", "b", "B\nB2", b"a\nB\r\nB2\r\nc\n"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        ("\ufeffà\n".encode("utf-16-le"), "à", "é", "\ufeffé\n".encode("utf-16-le")),
    ],
)
def test_exact_text_is_replaced_literally(before: bytes, old: str, new: str, result: bytes) -> None:
    assert apply_ops(before, {"old": old, "new": new}) == result


@pytest.mark.parametrize(
    ("before", "old", "new", "result"),
    [
        # dedented by the caller; relative indentation stays
        (
            b"f {\n    if {\n      t\n    }\n}\n",
            "if {\n  t\n}",
            "if u {\n  v\n}",
            b"f {\n    if u {\n      v\n    }\n}\n",
        ),
        (b"{\n  one\n  two\n}\n", "one\ntwo", "one\n  nested\ntwo", b"{\n  one\n    nested\n  two\n}\n"),
        # indented more than in the file
        (b"a  = 1\n  b\n", "    a = 1\n      b\n", "    c\n      d\n", b"c\n  d\n"),
        # tabs as spaces, and the reverse
        (
            b"f\n\ta\n\t\tb\n",
            "    a \n        b",
            "    a\n        c\n            d",
            b"f\n\ta\n\t\tc\n\t\t\td\n",
        ),
        (
            b"f\n    a\n        b\n",
            "\ta \n\t\tb",
            "\ta\n\t\tc\n\t\t\td",
            b"f\n    a\n        c\n            d\n",
        ),
        (b"f\n\t\ta\n\t\t\tb\n", "a\n    b", "a\n    c\n        d", b"f\n\t\ta\n\t\t\tc\n\t\t\t\td\n"),
        (b"f\n\ta  = 1\n", "a = 1", "a = 1\n    b", b"f\n\ta  = 1\n\t\tb\n"),
        # levels of another width
        (
            b"a {\n    b {\n        c\n    }\n}\n",
            "a { \n  b {\n    c\n  }\n}",
            "a {\n  b {\n    c {\n      d\n    }\n  }\n}",
            b"a {\n    b {\n        c {\n            d\n        }\n    }\n}\n",
        ),
        # the first line begins in mid-line, the others are as in the file
        (
            b"A\n    f() \n        g\n",
            "f()\n        g",
            "f()\n        h\n            i",
            b"A\n    f() \n        h\n            i\n",
        ),
        # all indentation is missing, but new lines replace old lines one by one
        (b"  if {\n    a\n  }\n", "if {\na\n}", "if {\nb\n}", b"  if {\n    b\n  }\n"),
        # unchanged lines keep their bytes, trailing white space and inner runs as well
        (b"  a =  1 \n  b\n", "a = 1\nb", "a = 1\nc", b"  a =  1 \n  c\n"),
        # the ending of the last line belongs to the match only if old has one
        (b"  a\n  b\n  c\n", "a\nb\n", "", b"  c\n"),
        (b"a\n  b", "b  \n", "c\n", b"a\n  c"),
        (b"x\r\n  foo\r\n  bar\r\ny\r\n", "foo\nbar", "foo\nbaz", b"x\r\n  foo\r\n  baz\r\ny\r\n"),
    ],
)
def test_fuzzy_match_is_written_with_the_indentation_of_the_file(
    before: bytes, old: str, new: str, result: bytes
) -> None:
    assert apply_ops(before, {"old": old, "new": new}) == result


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        # the new line may belong inside or outside of the block
        (b"if x:\n    a\n    b\n", "if x:\na\nb", "if x:\na\nb\nc"),
        (b"  if x:\n    a\n    b\n", "if x:\na\nb", "if x:\na\nb\nc"),
        # the text may begin in mid-line or be dedented
        (b"f\n    a  = 1\n", "a = 1", "a = 1\n    b"),
        # one level of the caller may be one or two levels of the file
        (b"\tf() \n\t\tg\n", "f()\n        g", "f()\n        g\n            h"),
        (b"f\n\t\ta  = 1\n", "        a = 1", "        a = 1\n                b"),
    ],
)
def test_ambiguous_indentation_is_refused(before: bytes, old: str, new: str) -> None:
    error = expect_error(before, {"old": old, "new": new})
    assert error.code == "not_found"
    assert "indentation" in error.message


def test_strategy_and_corrections_are_reported() -> None:
    _, edit = fold_ops(b"  foo()\n", {"old": "foo() ", "new": "bar()"})
    assert edit.matched == "line-trimmed"
    result, edit = fold_ops(b'f(x, "m");\n', {"old": r"f(x, \"m\");", "new": r"f(y,\n\t\"m\");"})
    assert result == b'f(y,\n\t"m");\n'
    assert edit.matched == "escapes-decoded"
    assert edit.corrections


@pytest.mark.parametrize("old", ["a\n ", "a\n\n "])
def test_blank_last_line_is_part_of_the_match(old: str) -> None:
    blank = old.count("\n")
    result = apply_changeset(
        {"f.txt": b"a\n" + b"\n" * blank + b"b\n"}, {"op": "text", "old": old, "new": "a"}, path="f.txt"
    )
    assert result.overlay.content("f.txt") == b"a\nb\n"
    assert (result.done[0].before, result.done[0].after) == ((1, 1 + blank), (1, 1))


def test_fuzzy_match_that_breaks_the_file_is_not_found() -> None:
    before = b"def f():\n    a = 1 \n    b = 2\n"
    error = expect_error(before, {"old": "a = 1\nb = 2", "new": "a = ("}, path="a.py")
    assert error.code == "not_found"
    assert "2-3" in error.message
    # for an exact match, the gates check the syntax
    assert apply_ops(before, {"old": "b = 2", "new": "b = ("}, path="a.py").endswith(b"b = (\n")


@pytest.mark.parametrize(
    ("before", "old", "spans"),
    [
        (b"a\nb\na\n", "a", [[1, 1], [3, 3]]),
        (b"aaa", "aa", [[1, 1], [1, 1]]),
        (b"\tlog()\nmid\n\t\tlog()\n", "    log()", [[1, 1], [3, 3]]),
        (b"if\n    foo\n    bar\nif\n  foo\n  bar\n", "foo \nbar", [[2, 3], [5, 6]]),
    ],
)
def test_several_matches_are_ambiguous_and_listed(before: bytes, old: str, spans: list[list[int]]) -> None:
    error = expect_error(before, {"old": old, "new": "x"})
    assert error.code == "ambiguous"
    assert [candidate["lines"] for candidate in error.data["candidates"]] == spans


@pytest.mark.parametrize(
    ("selection", "result"),
    [
        ({"all": True}, b"b b b\n"),
        ({"count": 3}, b"b b b\n"),
        ({"all": True, "count": 3}, b"b b b\n"),
        ({"occurrences": [2, 0]}, b"b a b\n"),
        ({"occurrences": [1], "count": 3}, b"a b a\n"),
    ],
)
def test_caller_may_select_matches(selection: dict[str, object], result: bytes) -> None:
    assert apply_ops(b"a a a\n", {"old": "a", "new": "b", **selection}) == result


def test_all_replaces_from_the_left_without_overlap() -> None:
    assert apply_ops(b"aaaaa", {"old": "aa", "new": "b", "all": True}) == b"bba"
    assert apply_ops(b"\tlog()\nm\n\t\tlog()\n", {"old": "    log()", "new": "    go()", "all": True}) == (
        b"\tgo()\nm\n\t\tgo()\n"
    )


@pytest.mark.parametrize(
    ("before", "fields", "code"),
    [
        (b"a a\n", {"count": 3}, "count_mismatch"),
        (b"a\n", {"count": 2, "all": True}, "count_mismatch"),
        (b"aaa\n", {"old": "aa", "count": 1}, "count_mismatch"),
        (b"aaa\n", {"old": "aa", "count": 2}, "ambiguous"),
        (b"aaa\n", {"old": "aa", "occurrences": [0, 1]}, "ambiguous"),
        (b"a a\n", {"occurrences": [0, 2]}, "index_out_of_range"),
        (b"b\n", {"all": True}, "not_found"),
        (b"a\n", {"new": "a"}, "no_change"),
        (b"a \n" * 20, {"old": "a\n" * 20, "new": "a\n" * 9}, "over_scoped"),
        (b"a \n" * 20, {"old": "a\n" * 20, "new": ""}, "over_scoped"),
        (b"a\nb\n" * 12, {"old": "a.*b", "regex": True, "new": ""}, "ambiguous"),
        (b"a\n" + b"b\n" * 22, {"old": "a.*b", "regex": True, "new": "c"}, "over_scoped"),
        (b"b\n", {"old": "(", "regex": True}, "invalid_args"),
        (b"b\n", {"old": "b", "new": r"\1", "regex": True}, "invalid_args"),
        (b"b\n", {"old": "b", "new": r"\g<who>", "regex": True}, "invalid_args"),
        (b"b\n", {"old": "x*", "regex": True}, "empty_target"),
        (b"b\n", {"old": "x+", "regex": True}, "not_found"),
    ],
)
def test_invalid_text_edit_is_refused(before: bytes, fields: dict[str, object], code: str) -> None:
    assert expect_error(before, {"old": "a", "new": "b", **fields}).code == code


def test_large_deletion_is_not_corrected() -> None:
    assert apply_ops(b"a\n" * 20, {"old": "a\n" * 20, "new": "b\n" * 10}) == b"b\n" * 10
    assert apply_ops(b"a\n" * 19, {"old": "a\n" * 19, "new": ""}) == b""


def test_wrong_count_is_reported_with_the_right_one() -> None:
    assert expect_error(b"a a\n", {"old": "a", "new": "b", "count": 3}).data["retry"] == {"count": 2}


def test_overlapping_matches_are_replaced_from_the_left_or_selected() -> None:
    op = {"old": "aa", "new": "b", "count": 9}
    retry = expect_error(b"aaaa\n", op).data["retry"]
    assert apply_ops(b"aaaa\n", {**op, **retry}) == b"bb\n"
    assert expect_error(b"aaaa\n", {**op, "occurrences": [0]}).data["retry"] == {"count": 3}
    assert "count" not in expect_error(b"aaaa\n", {**op, "count": 3}).hint


def test_nearest_lines_are_reported() -> None:
    error = expect_error(
        b"def one(): pass\ndef compute(x, y): pass\n", {"old": "def compute(x, z): pass", "new": ""}
    )
    assert [line["line"] for line in error.data["nearest"]] == [2, 1]


@pytest.mark.parametrize(
    ("before", "old", "new", "result"),
    [
        (b"f(1)\nf(2)\n", r"f\((\d)\)", r"g(\1)\n", rb"g(1)\n" + b"\n" + rb"g(2)\n" + b"\n"),
        (b"a=b\n", r"(?P<k>\w)=(?P<v>\w)", r"\g<v>=\g<k>", b"b=a\n"),
        (b"a\r\nb\r\n", r"^a$", "c\nd", b"c\r\nd\r\nb\r\n"),
        (b"a\r\nb\r\n", r"a\r\nb", "c", b"c\r\n"),
        (b"a\n\n\n\nb\n", r"\n{3,}", "\n\n", b"a\n\nb\n"),
        ("é1\r\nü2\r\n".encode(), r"(\w)2", r"\g<1>3", "é1\r\nü3\r\n".encode()),
        (b"x(\n  1,\n)\n", r"x\(.*?\)", "x()", b"x()\n"),
        (b"\xff a\n", r"a", "b", b"\xff b\n"),
    ],
)
def test_regex_replacement_expands_only_groups(before: bytes, old: str, new: str, result: bytes) -> None:
    assert apply_ops(before, {"old": old, "new": new, "regex": True, "all": True}) == result


def test_pattern_that_matches_inside_its_match_is_ambiguous() -> None:
    before = b"start();\nstart();\nmid();\nend();\n"
    assert (
        expect_error(before, {"old": r"start\(\);.*?end\(\);", "new": "run();", "regex": True}).code
        == "ambiguous"
    )
    assert (
        expect_error(before, {"old": r"[a-z]+\(\);.*?end\(\);", "new": "run();", "regex": True}).code
        == "ambiguous"
    )
    once = {"old": r"mid\(\);.*?end\(\);", "new": "run();", "regex": True}
    assert apply_ops(before, once) == b"start();\nstart();\nrun();\n"


def test_text_is_searched_after_earlier_operations() -> None:
    assert apply_ops(b"a\n", {"old": "a", "new": "b"}, {"old": "b", "new": "c"}) == b"c\n"
    assert expect_error(b"a\n", {"old": "a", "new": "b"}, {"old": "a", "new": "c"}).code == "not_found"


def test_edit_reports_what_it_replaced() -> None:
    _, edit = fold_ops(b"a\n  foo\n", {"old": "foo ", "new": "bar\nbaz"})
    assert (edit.replaced, edit.inserted, edit.target) == ((b"  foo",), (b"  bar\n  baz",), (2, 7))


def test_longer_section_does_not_affect_others() -> None:
    before = b"# a\n\ntext\n\n# b\n"
    op = {"old": "# b  ", "new": "more\n\n# b"}
    assert apply_ops(before, op, path="a.md") == b"# a\n\ntext\n\nmore\n\n# b\n"


def test_renamed_class_keeps_its_members() -> None:
    before = b"class A:\n    def f(self): ...\n"
    op = {"old": "class A:  ", "new": "class B:"}
    assert apply_ops(before, op, path="a.py") == before.replace(b"A", b"B")


def test_long_exact_block_is_replaced() -> None:
    assert apply_ops(b"head\n" + b"a\n" * 25 + b"tail\n", {"old": "a\n" * 25, "new": ""}) == b"head\ntail\n"


def test_byte_order_mark_in_the_call_is_not_doubled() -> None:
    marked = "\ufeffa = 1\nb = 2\n".encode()
    assert apply_ops(marked, {"old": "\ufeffa = 1\n", "new": "\ufeffa = 3\n"}) == marked.replace(b"1", b"3")
    assert apply_ops(marked, {"old": "\ufeffa = 1", "new": "a = 3"}) == marked.replace(b"1", b"3")
    assert apply_ops(marked, {"old": "b", "new": "\ufeffb"}) == marked.replace(b"b", "\ufeffb".encode())
    assert expect_error(b"a = 1\n", {"old": "\ufeffa", "new": "b"}).code == "not_found"
    for op in ({"start": 1}, {"start": 1, "position": "before"}):
        result = apply_changeset(
            {"f.txt": marked}, {"op": "lines", "code": "\ufeffc = 1", **op}, path="f.txt"
        )
        assert (result.overlay.content("f.txt") or b"").count("\ufeff".encode()) == 1
