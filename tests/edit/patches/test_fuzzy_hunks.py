"""Differences between old text and the file that every patch format tolerates."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.edit.editing import apply_changeset
from tests.edit.patches.patch_helpers import apply_patch, expect_error, patch_file

FILE = (
    "import os\n\n\ndef f():\n    if os.name:\n        return \u201cyes\u201d \n"
    "    return 2  # \u2013 two\n\n\ndef g():\n    return 3\n"
)

Lines = list[str]
CASES: dict[str, tuple[str, Lines, Lines, str]] = {
    "trailing blanks": (
        "line-trimmed",
        ["        return \u201cyes\u201d", "    return 2  # \u2013 two"],
        ["        return 0", "    return 2  # \u2013 two"],
        FILE.replace("return \u201cyes\u201d ", "return 0"),
    ),
    "shifted indentation": (
        "line-trimmed",
        ["if os.name:", "    return \u201cyes\u201d "],
        ["if os.path:", "    pass", "    return \u201cyes\u201d "],
        FILE.replace("if os.name:\n", "if os.path:\n        pass\n"),
    ),
    "the length of white space": (
        "whitespace-normalised",
        ["    return 2 # \u2013 two"],
        ["    return 4"],
        FILE.replace("return 2  # \u2013 two", "return 4"),
    ),
    "quotes": (
        "typographic",
        ["    if os.name:", '        return "yes"'],
        ["    if os.name:", '        return "no"'],
        FILE.replace("return \u201cyes\u201d ", 'return "no"'),
    ),
    "dashes": (
        "typographic",
        ["    return 2  # - two"],
        ["    return 4"],
        FILE.replace("return 2  # \u2013 two", "return 4"),
    ),
    "line numbers": (
        "line-numbers",
        ["10 | def g():", "11 |     return 3"],
        ["def g():", "    return 4"],
        FILE.replace("return 3", "return 4"),
    ),
    "line numbers on both sides": (
        "line-numbers",
        ["    10\tdef g():", "    11\t    return 3"],
        ["    10\tdef g():", "    11\t    return 4"],
        FILE.replace("return 3", "return 4"),
    ),
    "escapes": (
        "escapes-decoded",
        [r"def g():\n    return 3"],
        [r"def g():\n    return 4"],
        FILE.replace("return 3", "return 4"),
    ),
}


def make_envelope(old: Lines, new: Lines) -> str:
    lines = [*("-" + line for line in old), *("+" + line for line in new)]
    return "\n".join(["*** Begin Patch", "*** Update File: a.py", "@@", *lines, "*** End Patch", ""])


def make_unified(old: Lines, new: Lines) -> str:
    lines = [*("-" + line for line in old), *("+" + line for line in new)]
    return "\n".join(["--- a/a.py", "+++ b/a.py", "@@ ... @@", *lines, ""])


def make_block(old: Lines, new: Lines) -> str:
    return "\n".join(["a.py", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


def make_call(old: Lines, new: Lines) -> str:
    return json.dumps({"path": "a.py", "old_str": "\n".join(old), "new_str": "\n".join(new)})


FORMATS = [make_envelope, make_unified, make_block, make_call]


@pytest.mark.parametrize("write_patch", FORMATS)
@pytest.mark.parametrize(("strategy", "old", "new", "expected"), CASES.values(), ids=CASES)
def test_fuzzy_hunk_is_applied_in_every_format(
    write_patch: Callable[[Lines, Lines], str], strategy: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = write_patch(old, new)
    assert patch_file(FILE, diff.encode(), "a.py").decode() == expected
    edit = apply_patch({"a.py": FILE}, diff.encode()).done[0].edit
    assert edit is not None
    assert edit.matched == strategy
    assert "fits except for" in edit.corrections[-1]
    assert not edit.is_exempt


@pytest.mark.parametrize(("strategy", "old", "new", "expected"), CASES.values(), ids=CASES)
def test_fuzzy_text_operation_is_applied(strategy: str, old: Lines, new: Lines, expected: str) -> None:
    result = apply_changeset(FILE, {"op": "text", "old": "\n".join(old), "new": "\n".join(new)})
    assert (result.overlay.content("a.py") or b"").decode() == expected
    assert result.done[0].edit is not None
    assert result.done[0].edit.matched == strategy


@pytest.mark.parametrize("write_patch", FORMATS[:3])
def test_exact_hunk_is_exempt_from_the_structure_gate(write_patch: Callable[[Lines, Lines], str]) -> None:
    diff = write_patch(["    return 3"], ["    return 4"])
    edit = apply_patch({"a.py": FILE}, diff).done[0].edit
    assert edit is not None
    assert (edit.matched, edit.is_exempt) == (None, True)


TWICE = "    a\n    b\nx\n  a\n  b\n"
REFUSED: dict[str, tuple[str, Lines, Lines]] = {
    "several places": (TWICE, ["a", "b"], ["a", "c"]),
    "several places, exactly": ("a\nb\na\n", ["a"], ["c"]),
    "no place": ("a\nb\n", ["a", "c"], ["d"]),
    "different letters": ("a\nbc\n", ["a", "Bc"], ["d"]),
    "a missing line": ("a\nb\nc\n", ["a", "c"], ["d"]),
    "two different shifts": (
        "if a:\n        b\n    c\n",
        ["if a:", "    b", "    c"],
        ["if a:", "    d", "    c"],
    ),
    "line numbers of another place": ("a\nb\n", ["7 | a", "8 | b"], ["a", "c"]),
    "line numbers with a gap": ("a\nb\n", ["1 | a", "3 | b"], ["a", "c"]),
}


@pytest.mark.parametrize("write_patch", FORMATS)
@pytest.mark.parametrize(("before", "old", "new"), REFUSED.values(), ids=REFUSED)
def test_uncertain_hunk_is_refused(
    write_patch: Callable[[Lines, Lines], str], before: str, old: Lines, new: Lines
) -> None:
    diff = write_patch(old, new)
    assert expect_error({"a.py": before}, diff.encode()).code in ("patch_failed", "not_found", "ambiguous")


def test_diff_with_correct_counts_is_not_matched_fuzzily() -> None:
    body = " a\n-b\n+c\n"
    before = {"a.py": "a \nb\n"}
    head = "--- a/a.py\n+++ b/a.py\n"
    assert expect_error(before, f"{head}@@ -1,2 +1,2 @@\n{body}").code == "patch_failed"
    assert patch_file("a \nb\n", f"{head}@@ -1,9 +1,9 @@\n{body}", "a.py") == b"a \nc\n"


def test_context_without_its_blank_in_some_lines_is_matched() -> None:
    hunk = ["    def m(self):", "         x = 1", "-        y = 2", "+        y = 3"]
    diff = "\n".join(["*** Begin Patch", "*** Update File: a.py", "@@", *hunk, "*** End Patch", ""])
    before = "class A:\n    def m(self):\n        x = 1\n        y = 2\n"
    assert patch_file(before, diff.encode(), "a.py").decode() == before.replace("2", "3")


def test_fuzzy_hunk_keeps_endings_and_unchanged_lines() -> None:
    assert patch_file(b"a \r\nb\r\nc\t\r\n", make_block(["a", "b", "c"], ["a", "B", "x", "c"]), "a.py") == (
        b"a \r\nB\r\nx\r\nc\t\r\n"
    )


def test_empty_last_line_may_match_the_end_of_the_file() -> None:
    assert patch_file("foo\nbar\n", make_envelope(["bar", ""], ["baz", ""]), "a.py") == b"foo\nbaz\n"
    assert (
        expect_error({"a.py": "bar\nfoo\n"}, make_envelope(["bar", ""], ["baz", ""])).code == "patch_failed"
    )


DIFFERING: dict[str, tuple[str, Lines, str, bool]] = {
    "a letter": ("a\nb\nc\n", ["a", "x", "c"], "its line 2 ('x') differs from line 2 ('b')", False),
    "further down": ("x\na\nb\nc\n", ["a", "b", "d"], "its line 3 ('d') differs from line 4 ('c')", False),
    "only white space": ("if a:\n    b\n  c\n", ["if a:", "  b", "  c"], "only in white space", True),
    "after the end": ("a\nb\n", ["a", "b", "c"], "its line 3 ('c') would be below the end", False),
}


@pytest.mark.parametrize("write_patch", FORMATS)
@pytest.mark.parametrize(("before", "old", "message", "is_white_space"), DIFFERING.values(), ids=DIFFERING)
def test_error_reports_the_line_that_differs(
    write_patch: Callable[[Lines, Lines], str], before: str, old: Lines, message: str, is_white_space: bool
) -> None:
    error = expect_error({"a.py": before}, write_patch(old, ["new", "and new"]).encode())
    if error.code == "not_found" and "indentation" in error.message:
        return  # only the indentation does not fit
    assert message in error.message
    assert error.data["differs"]["white_space"] is is_white_space


def test_error_reports_a_different_normal_form() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-r\u00e9sum\u00e9\n+x\n b\n"
    error = expect_error({"a.py": "re\u0301sume\u0301\nb\n"}, diff)
    assert "differs from line 1" in error.message
    assert "only in its Unicode normal form" in error.message


CLASS_OF_ONE = "class C:\n    def f(self):\n        run(1)  \n"
AT_THE_END: dict[str, tuple[str, str, Lines, Lines, str]] = {
    "a line of a function": (
        "a.py",
        "def f():\n    run(1)  \n",
        ["def f():", "    run(1)"],
        ["def f():", "    run(1)", "    log()"],
        "def f():\n    run(1)  \n    log()\n",
    ),
    "with a line below": (
        "a.py",
        "def f():\n    run(1)  \n\n\ndef g():\n    pass\n",
        ["    run(1)", "", "", "def g():"],
        ["    run(1)", "    log()", "", "", "def g():"],
        "def f():\n    run(1)  \n    log()\n\n\ndef g():\n    pass\n",
    ),
    "a method": (
        "a.py",
        CLASS_OF_ONE,
        ["        run(1)"],
        ["        run(1)", "", "    def g(self):", "        run(2)"],
        CLASS_OF_ONE + "\n    def g(self):\n        run(2)\n",
    ),
    "a line without its indentation": (
        "a.py",
        "class C:\n    def f(self):\n        self.a = []\n",
        ["self.a = []"],
        ["self.a = []", "self.b = 0"],
        "class C:\n    def f(self):\n        self.a = []\n        self.b = 0\n",
    ),
    "a key": (
        "a.yml",
        "x:\n  a: 1\n  b: 2\ny: 3\n",
        ["a: 1", "b: 2"],
        ["a: 1", "b: 2", "c: 4"],
        "x:\n  a: 1\n  b: 2\n  c: 4\ny: 3\n",
    ),
}


@pytest.mark.parametrize("write_patch", FORMATS[:3])
@pytest.mark.parametrize(("path", "before", "old", "new", "expected"), AT_THE_END.values(), ids=AT_THE_END)
def test_line_may_be_added_at_the_end_of_a_definition(
    write_patch: Callable[[Lines, Lines], str], path: str, before: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = write_patch(old, new).replace("a.py", path)
    assert patch_file(before, diff.encode(), path).decode() == expected


def test_error_reports_what_a_fuzzy_hunk_would_break() -> None:
    before = "def f():\n    a = 1  \n\n\ndef g():\n    pass\n"
    error = expect_error({"a.py": before}, make_block(["    a = 1"], ['    a = """']))
    assert "(line-trimmed), and the result would break the syntax of the file" in error.message
    before_js = {"a.js": "function f() {\n  a();  \n}\nfunction g() {}\n/* x */\n"}
    error = expect_error(before_js, make_block(["  a();"], ["  a(); } /*"]).replace("a.py", "a.js"))
    assert "and the result would take away the function g" in error.message


INDENTED: dict[str, tuple[str, Lines, Lines, str]] = {
    "indentation found in old lines": (
        "class A {\n  void f() {\n    for (;;) {\n      g();\n    }\n    h();\n  }\n}\n",
        ["    for (;;) {", "        g();", "    }", "    h();"],
        ["    g();", "    h();"],
        "class A {\n  void f() {\n    g();\n    h();\n  }\n}\n",
    ),
    "one unindented line and a block": (
        "class A {\n    void f() {\n        run(1);\n    }\n}\n",
        ["run(1);"],
        ["if (x) {", "    run(2);", "}"],
        "class A {\n    void f() {\n        if (x) {\n            run(2);\n        }\n    }\n}\n",
    ),
}


@pytest.mark.parametrize("write_patch", FORMATS[:3])
@pytest.mark.parametrize(("before", "old", "new", "expected"), INDENTED.values(), ids=INDENTED)
def test_indentation_follows_the_old_text(
    write_patch: Callable[[Lines, Lines], str], before: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = write_patch(old, new).replace("a.py", "A.java")
    assert patch_file(before, diff.encode(), "A.java").decode() == expected


def test_indentation_follows_the_old_text_in_a_call() -> None:
    before, old, new, expected = INDENTED["indentation found in old lines"]
    assert patch_file(before, make_call(old, new).replace("a.py", "A.java"), "A.java").decode() == expected


def test_line_above_the_shift_keeps_the_indentation_of_the_file() -> None:
    assert patch_file("a\nb\n", make_call([" b"], ["c"]), "a.py") == b"a\nc\n"
    assert expect_error({"a.py": "x:\n  b\n"}, make_call(["    b"], ["c", "  d"])).code == "not_found"


@pytest.mark.parametrize("write_patch", FORMATS)
def test_blank_lines_may_match_the_end_of_the_file(write_patch: Callable[[Lines, Lines], str]) -> None:
    old, new = ["b", "", "", ""], ["c", "", "", ""]
    assert patch_file("a\nb\n", write_patch(old, new).encode(), "a.py") == b"a\nc\n"
    error = expect_error({"a.py": "b\na\n"}, write_patch(old, new))
    assert error.code in ("patch_failed", "not_found")


TWO_METHODS = "class K:\n    def go(self):\n        return 1\n\n    def stop(self):\n        return 2\n"


@pytest.mark.parametrize("write_patch", FORMATS)
@pytest.mark.parametrize("placeholder", ["...", "    # ... existing code ..."])
def test_placeholder_in_old_text_is_refused(
    write_patch: Callable[[Lines, Lines], str], placeholder: str
) -> None:
    old = ["class K:", placeholder, "    def stop(self):", "        return 2"]
    error = expect_error({"a.py": TWO_METHODS}, write_patch(old, [*old[:-1], "        return 3"]))
    assert (error.code, error.data["placeholder"]) == ("elided", placeholder.strip())


def test_misfit_is_reported_at_the_first_line() -> None:
    before = "import os\n\n\ndef one():\n    x = 1\n    log(x)\n"
    old = ["def one():", "", "    x = 1", "    log(x)"]
    assert (
        "its line 2 ('') differs from line 5"
        in expect_error({"a.py": before}, make_block(old, [*old, "y"])).message
    )
