"""Find and replace: what becomes of a file, and what is refused."""

from __future__ import annotations

import pytest

from tests.edit.editing import outcome
from tests.edit.folding import after, fold, refusal


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
    assert after(before, {"old": old, "new": new}) == result


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
        # written deeper than it stands
        (b"a  = 1\n  b\n", "    a = 1\n      b\n", "    c\n      d\n", b"c\n  d\n"),
        # tabs as blanks, and the reverse
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
        # the first line begins in mid-line, the others are as they stand
        (
            b"A\n    f() \n        g\n",
            "f()\n        g",
            "f()\n        h\n            i",
            b"A\n    f() \n        h\n            i\n",
        ),
        # every indentation was lost, but new lines replace lines one for one
        (b"  if {\n    a\n  }\n", "if {\na\n}", "if {\nb\n}", b"  if {\n    b\n  }\n"),
        # unchanged lines keep their bytes, trailing white space and inner runs as well
        (b"  a =  1 \n  b\n", "a = 1\nb", "a = 1\nc", b"  a =  1 \n  c\n"),
        # the ending of the last line belongs to the match only if old has one
        (b"  a\n  b\n  c\n", "a\nb\n", "", b"  c\n"),
        (b"a\n  b", "b  \n", "c\n", b"a\n  c"),
        (b"x\r\n  foo\r\n  bar\r\ny\r\n", "foo\nbar", "foo\nbaz", b"x\r\n  foo\r\n  baz\r\ny\r\n"),
    ],
)
def test_a_fuzzy_hit_is_written_as_the_file_is_indented(
    before: bytes, old: str, new: str, result: bytes
) -> None:
    assert after(before, {"old": old, "new": new}) == result


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        # where would the new line belong: inside or outside of the block?
        (b"if x:\n    a\n    b\n", "if x:\na\nb", "if x:\na\nb\nc"),
        (b"  if x:\n    a\n    b\n", "if x:\na\nb", "if x:\na\nb\nc"),
        # begun in mid-line, or dedented?
        (b"f\n    a  = 1\n", "a = 1", "a = 1\n    b"),
        # one level of the caller's could be two of the file's, or one
        (b"\tf() \n\t\tg\n", "f()\n        g", "f()\n        g\n            h"),
        (b"f\n\t\ta  = 1\n", "        a = 1", "        a = 1\n                b"),
    ],
)
def test_an_indentation_that_cannot_be_told_is_refused(before: bytes, old: str, new: str) -> None:
    error = refusal(before, {"old": old, "new": new})
    assert error.code == "not_found"
    assert "indentation" in error.message


def test_the_strategy_and_corrections_are_reported() -> None:
    _, edit = fold(b"  foo()\n", {"old": "foo() ", "new": "bar()"})
    assert edit.matched == "line-trimmed"
    result, edit = fold(b'f(x, "m");\n', {"old": r"f(x, \"m\");", "new": r"f(y,\n\t\"m\");"})
    assert result == b'f(y,\n\t"m");\n'
    assert edit.matched == "escapes-decoded"
    assert edit.corrections


@pytest.mark.parametrize("old", ["a\n ", "a\n\n "])
def test_a_blank_last_line_counts_among_the_lines_that_were_found(old: str) -> None:
    blank = old.count("\n")
    done = outcome(
        {"f.txt": b"a\n" + b"\n" * blank + b"b\n"}, {"op": "text", "old": old, "new": "a"}, path="f.txt"
    )
    assert done.overlay.content("f.txt") == b"a\nb\n"
    assert (done.done[0].before, done.done[0].after) == ((1, 1 + blank), (1, 1))


def test_a_fuzzy_hit_that_would_break_the_file_is_not_found() -> None:
    before = b"def f():\n    a = 1 \n    b = 2\n"
    error = refusal(before, {"old": "a = 1\nb = 2", "new": "a = ("}, path="a.py")
    assert error.code == "not_found"
    assert "2-3" in error.message
    # where nothing is forgiven, syntax is for the gates to judge
    assert after(before, {"old": "b = 2", "new": "b = ("}, path="a.py").endswith(b"b = (\n")


@pytest.mark.parametrize(
    ("before", "old", "spans"),
    [
        (b"a\nb\na\n", "a", [[1, 1], [3, 3]]),
        (b"aaa", "aa", [[1, 1], [1, 1]]),
        (b"\tlog()\nmid\n\t\tlog()\n", "    log()", [[1, 1], [3, 3]]),
        (b"if\n    foo\n    bar\nif\n  foo\n  bar\n", "foo \nbar", [[2, 3], [5, 6]]),
    ],
)
def test_several_places_are_ambiguous_and_listed(before: bytes, old: str, spans: list[list[int]]) -> None:
    error = refusal(before, {"old": old, "new": "x"})
    assert error.code == "ambiguous"
    assert [candidate["lines"] for candidate in error.data["candidates"]] == spans


@pytest.mark.parametrize(
    ("which", "result"),
    [
        ({"all": True}, b"b b b\n"),
        ({"count": 3}, b"b b b\n"),
        ({"all": True, "count": 3}, b"b b b\n"),
        ({"occurrences": [2, 0]}, b"b a b\n"),
        ({"occurrences": [1], "count": 3}, b"a b a\n"),
    ],
)
def test_the_caller_may_say_which(which: dict[str, object], result: bytes) -> None:
    assert after(b"a a a\n", {"old": "a", "new": "b", **which}) == result


def test_all_goes_from_left_to_right_without_overlap() -> None:
    assert after(b"aaaaa", {"old": "aa", "new": "b", "all": True}) == b"bba"
    assert after(b"\tlog()\nm\n\t\tlog()\n", {"old": "    log()", "new": "    go()", "all": True}) == (
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
def test_refusals(before: bytes, fields: dict[str, object], code: str) -> None:
    assert refusal(before, {"old": "a", "new": "b", **fields}).code == code


def test_replacing_many_lines_by_half_as_many_is_no_slip() -> None:
    assert after(b"a\n" * 20, {"old": "a\n" * 20, "new": "b\n" * 10}) == b"b\n" * 10
    assert after(b"a\n" * 19, {"old": "a\n" * 19, "new": ""}) == b""


def test_a_count_that_is_wrong_comes_with_the_right_one() -> None:
    assert refusal(b"a a\n", {"old": "a", "new": "b", "count": 3}).data["retry"] == {"count": 2}


def test_where_occurrences_overlap_they_are_replaced_from_left_to_right_or_chosen() -> None:
    op = {"old": "aa", "new": "b", "count": 9}
    retry = refusal(b"aaaa\n", op).data["retry"]
    assert after(b"aaaa\n", {**op, **retry}) == b"bb\n"
    assert refusal(b"aaaa\n", {**op, "occurrences": [0]}).data["retry"] == {"count": 3}
    assert "count" not in refusal(b"aaaa\n", {**op, "count": 3}).hint


def test_nearest_lines_are_named() -> None:
    error = refusal(
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
def test_regex_expands_groups_and_nothing_else(before: bytes, old: str, new: str, result: bytes) -> None:
    assert after(before, {"old": old, "new": new, "regex": True, "all": True}) == result


def test_a_pattern_that_starts_again_inside_its_match_is_ambiguous() -> None:
    before = b"start();\nstart();\nmid();\nend();\n"
    assert (
        refusal(before, {"old": r"start\(\);.*?end\(\);", "new": "run();", "regex": True}).code == "ambiguous"
    )
    assert (
        refusal(before, {"old": r"[a-z]+\(\);.*?end\(\);", "new": "run();", "regex": True}).code
        == "ambiguous"
    )
    once = {"old": r"mid\(\);.*?end\(\);", "new": "run();", "regex": True}
    assert after(before, once) == b"start();\nstart();\nrun();\n"


def test_text_is_looked_up_in_the_result_of_the_operations_before() -> None:
    assert after(b"a\n", {"old": "a", "new": "b"}, {"old": "b", "new": "c"}) == b"c\n"
    assert refusal(b"a\n", {"old": "a", "new": "b"}, {"old": "a", "new": "c"}).code == "not_found"


def test_an_edit_says_what_it_replaced() -> None:
    _, edit = fold(b"a\n  foo\n", {"old": "foo ", "new": "bar\nbaz"})
    assert (edit.replaced, edit.inserted, edit.target) == ((b"  foo",), (b"  bar\n  baz",), (2, 7))


def test_what_makes_a_section_longer_harms_none() -> None:
    before = b"# a\n\ntext\n\n# b\n"
    op = {"old": "# b  ", "new": "more\n\n# b"}
    assert after(before, op, path="a.md") == b"# a\n\ntext\n\nmore\n\n# b\n"


def test_what_stands_in_a_renamed_class_is_not_harmed() -> None:
    before = b"class A:\n    def f(self): ...\n"
    op = {"old": "class A:  ", "new": "class B:"}
    assert after(before, op, path="a.py") == before.replace(b"A", b"B")


def test_an_exact_block_is_what_it_says_however_long() -> None:
    assert after(b"head\n" + b"a\n" * 25 + b"tail\n", {"old": "a\n" * 25, "new": ""}) == b"head\ntail\n"


def test_a_mark_that_the_caller_read_with_the_file_stays_the_one_it_has() -> None:
    marked = "\ufeffa = 1\nb = 2\n".encode()
    assert after(marked, {"old": "\ufeffa = 1\n", "new": "\ufeffa = 3\n"}) == marked.replace(b"1", b"3")
    assert after(marked, {"old": "\ufeffa = 1", "new": "a = 3"}) == marked.replace(b"1", b"3")
    assert after(marked, {"old": "b", "new": "\ufeffb"}) == marked.replace(b"b", "\ufeffb".encode())
    assert refusal(b"a = 1\n", {"old": "\ufeffa", "new": "b"}).code == "not_found"
    for op in ({"start": 1}, {"start": 1, "position": "before"}):
        done = outcome({"f.txt": marked}, {"op": "lines", "code": "\ufeffc = 1", **op}, path="f.txt")
        assert (done.overlay.content("f.txt") or b"").count("\ufeff".encode()) == 1
