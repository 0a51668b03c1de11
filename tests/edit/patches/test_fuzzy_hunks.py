"""What is forgiven where old text does not stand in the file as it is: the same in every way in."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.edit.editing import outcome
from tests.edit.patches.patching import applied, patched, refusal

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
    "one shift of indentation": (
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


def envelope(old: Lines, new: Lines) -> str:
    lines = [*("-" + line for line in old), *("+" + line for line in new)]
    return "\n".join(["*** Begin Patch", "*** Update File: a.py", "@@", *lines, "*** End Patch", ""])


def unified(old: Lines, new: Lines) -> str:
    lines = [*("-" + line for line in old), *("+" + line for line in new)]
    return "\n".join(["--- a/a.py", "+++ b/a.py", "@@ ... @@", *lines, ""])


def block(old: Lines, new: Lines) -> str:
    return "\n".join(["a.py", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


def call(old: Lines, new: Lines) -> str:
    return json.dumps({"path": "a.py", "old_str": "\n".join(old), "new_str": "\n".join(new)})


FORMATS = [envelope, unified, block, call]


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(("strategy", "old", "new", "expected"), CASES.values(), ids=CASES)
def test_in_patches(
    written: Callable[[Lines, Lines], str], strategy: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = written(old, new)
    assert patched(FILE, diff.encode(), "a.py").decode() == expected
    edit = applied({"a.py": FILE}, diff.encode()).done[0].edit
    assert edit is not None
    assert edit.matched == strategy
    assert "fits except for" in edit.corrections[-1]
    assert not edit.is_exempt


@pytest.mark.parametrize(("strategy", "old", "new", "expected"), CASES.values(), ids=CASES)
def test_in_text_operations(strategy: str, old: Lines, new: Lines, expected: str) -> None:
    done = outcome(FILE, {"op": "text", "old": "\n".join(old), "new": "\n".join(new)})
    assert (done.overlay.content("a.py") or b"").decode() == expected
    assert done.done[0].edit is not None
    assert done.done[0].edit.matched == strategy


@pytest.mark.parametrize("written", FORMATS[:3])
def test_what_fits_exactly_is_exempt(written: Callable[[Lines, Lines], str]) -> None:
    diff = written(["    return 3"], ["    return 4"])
    edit = applied({"a.py": FILE}, diff).done[0].edit
    assert edit is not None
    assert (edit.matched, edit.is_exempt) == (None, True)


TWICE = "    a\n    b\nx\n  a\n  b\n"
REFUSED: dict[str, tuple[str, Lines, Lines]] = {
    "several places": (TWICE, ["a", "b"], ["a", "c"]),
    "several places, exactly": ("a\nb\na\n", ["a"], ["c"]),
    "no place": ("a\nb\n", ["a", "c"], ["d"]),
    "other letters": ("a\nbc\n", ["a", "Bc"], ["d"]),
    "a line that is left out": ("a\nb\nc\n", ["a", "c"], ["d"]),
    "no one shift": ("if a:\n        b\n    c\n", ["if a:", "    b", "    c"], ["if a:", "    d", "    c"]),
    "numbers of another place": ("a\nb\n", ["7 | a", "8 | b"], ["a", "c"]),
    "numbers that jump": ("a\nb\n", ["1 | a", "3 | b"], ["a", "c"]),
}


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(("before", "old", "new"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_certain_is_refused(
    written: Callable[[Lines, Lines], str], before: str, old: Lines, new: Lines
) -> None:
    diff = written(old, new)
    assert refusal({"a.py": before}, diff.encode()).code in ("patch_failed", "not_found", "ambiguous")


def test_a_diff_whose_header_agrees_with_it_is_a_programs_and_not_forgiven() -> None:
    body = " a\n-b\n+c\n"
    before = {"a.py": "a \nb\n"}
    head = "--- a/a.py\n+++ b/a.py\n"
    assert refusal(before, f"{head}@@ -1,2 +1,2 @@\n{body}").code == "patch_failed"
    assert patched("a \nb\n", f"{head}@@ -1,9 +1,9 @@\n{body}", "a.py") == b"a \nc\n"


def test_context_that_may_have_lost_its_blank_in_some_lines() -> None:
    hunk = ["    def m(self):", "         x = 1", "-        y = 2", "+        y = 3"]
    diff = "\n".join(["*** Begin Patch", "*** Update File: a.py", "@@", *hunk, "*** End Patch", ""])
    before = "class A:\n    def m(self):\n        x = 1\n        y = 2\n"
    assert patched(before, diff.encode(), "a.py").decode() == before.replace("2", "3")


def test_what_is_forgiven_keeps_the_endings_and_the_lines_that_stay() -> None:
    assert patched(b"a \r\nb\r\nc\t\r\n", block(["a", "b", "c"], ["a", "B", "x", "c"]), "a.py") == (
        b"a \r\nB\r\nx\r\nc\t\r\n"
    )


def test_an_empty_last_line_may_stand_for_the_end_of_the_file() -> None:
    assert patched("foo\nbar\n", envelope(["bar", ""], ["baz", ""]), "a.py") == b"foo\nbaz\n"
    assert refusal({"a.py": "bar\nfoo\n"}, envelope(["bar", ""], ["baz", ""])).code == "patch_failed"


DIFFERING: dict[str, tuple[str, Lines, str, bool]] = {
    "a letter": ("a\nb\nc\n", ["a", "x", "c"], "its line 2 ('x') differs from line 2 ('b')", False),
    "further down": ("x\na\nb\nc\n", ["a", "b", "d"], "its line 3 ('d') differs from line 4 ('c')", False),
    "only white space": ("if a:\n    b\n  c\n", ["if a:", "  b", "  c"], "only in white space", True),
    "behind the end": ("a\nb\n", ["a", "b", "c"], "its line 3 ('c') would be below the end", False),
}


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(("before", "old", "message", "blanks"), DIFFERING.values(), ids=DIFFERING)
def test_a_refusal_says_which_line_differs(
    written: Callable[[Lines, Lines], str], before: str, old: Lines, message: str, blanks: bool
) -> None:
    error = refusal({"a.py": before}, written(old, ["new", "and new"]).encode())
    if error.code == "not_found" and "indentation" in error.message:
        return  # it would fit but for that
    assert message in error.message
    assert error.data["differs"]["white_space"] is blanks


def test_a_refusal_says_where_lines_that_look_alike_differ() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-r\u00e9sum\u00e9\n+x\n b\n"
    error = refusal({"a.py": "re\u0301sume\u0301\nb\n"}, diff)
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
    "with something below": (
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
    "a line that lost its indentation": (
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


@pytest.mark.parametrize("written", FORMATS[:3])
@pytest.mark.parametrize(("path", "before", "old", "new", "expected"), AT_THE_END.values(), ids=AT_THE_END)
def test_a_definition_may_get_longer_by_what_is_added_at_its_end(
    written: Callable[[Lines, Lines], str], path: str, before: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = written(old, new).replace("a.py", path)
    assert patched(before, diff.encode(), path).decode() == expected


def test_what_a_forgiving_fit_would_harm_is_named() -> None:
    before = "def f():\n    a = 1  \n\n\ndef g():\n    pass\n"
    error = refusal({"a.py": before}, block(["    a = 1"], ['    a = """']))
    assert "(line-trimmed), and the result would break the syntax of the file" in error.message
    swallowed = {"a.js": "function f() {\n  a();  \n}\nfunction g() {}\n/* x */\n"}
    error = refusal(swallowed, block(["  a();"], ["  a(); } /*"]).replace("a.py", "a.js"))
    assert "and the result would take away the function g" in error.message


INDENTED: dict[str, tuple[str, Lines, Lines, str]] = {
    "each indentation is one of old": (
        "class A {\n  void f() {\n    for (;;) {\n      g();\n    }\n    h();\n  }\n}\n",
        ["    for (;;) {", "        g();", "    }", "    h();"],
        ["    g();", "    h();"],
        "class A {\n  void f() {\n    g();\n    h();\n  }\n}\n",
    ),
    "one line without, and a block": (
        "class A {\n    void f() {\n        run(1);\n    }\n}\n",
        ["run(1);"],
        ["if (x) {", "    run(2);", "}"],
        "class A {\n    void f() {\n        if (x) {\n            run(2);\n        }\n    }\n}\n",
    ),
}


@pytest.mark.parametrize("written", FORMATS[:3])
@pytest.mark.parametrize(("before", "old", "new", "expected"), INDENTED.values(), ids=INDENTED)
def test_an_indentation_that_old_shows(
    written: Callable[[Lines, Lines], str], before: str, old: Lines, new: Lines, expected: str
) -> None:
    diff = written(old, new).replace("a.py", "A.java")
    assert patched(before, diff.encode(), "A.java").decode() == expected


def test_an_indentation_that_old_shows_in_a_call() -> None:
    before, old, new, expected = INDENTED["each indentation is one of old"]
    assert patched(before, call(old, new).replace("a.py", "A.java"), "A.java").decode() == expected


def test_a_line_that_is_less_deep_than_the_shift_stands_where_the_file_has_it() -> None:
    assert patched("a\nb\n", call([" b"], ["c"]), "a.py") == b"a\nc\n"
    assert refusal({"a.py": "x:\n  b\n"}, call(["    b"], ["c", "  d"])).code == "not_found"


@pytest.mark.parametrize("written", FORMATS)
def test_blank_lines_may_stand_for_the_end_of_the_file(written: Callable[[Lines, Lines], str]) -> None:
    old, new = ["b", "", "", ""], ["c", "", "", ""]
    assert patched("a\nb\n", written(old, new).encode(), "a.py") == b"a\nc\n"
    error = refusal({"a.py": "b\na\n"}, written(old, new))
    assert error.code in ("patch_failed", "not_found")


LEFT_OUT = "class K:\n    def go(self):\n        return 1\n\n    def stop(self):\n        return 2\n"


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("dots", ["...", "    # ... existing code ..."])
def test_old_text_that_leaves_out_lines_is_elided(written: Callable[[Lines, Lines], str], dots: str) -> None:
    old = ["class K:", dots, "    def stop(self):", "        return 2"]
    error = refusal({"a.py": LEFT_OUT}, written(old, [*old[:-1], "        return 3"]))
    assert (error.code, error.data["placeholder"]) == ("elided", dots.strip())


def test_a_misfit_is_shown_where_the_first_line_stands() -> None:
    before = "import os\n\n\ndef one():\n    x = 1\n    log(x)\n"
    old = ["def one():", "", "    x = 1", "    log(x)"]
    assert "its line 2 ('') differs from line 5" in refusal({"a.py": before}, block(old, [*old, "y"])).message
