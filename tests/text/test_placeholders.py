"""Placeholder lines, lines that only resemble them, and the position of neighbouring lines."""

from __future__ import annotations

import pytest

from gitscalpel.text.placeholders import find_line_after, find_line_before, is_placeholder

ELISIONS = [
    "// ... existing code ...",
    "  # ...",
    "<!-- ... -->",
    "/* … rest of code unchanged … */",
    "{/* ... existing code ... */}",
    "-- ... (rest of the file) ...",
    ";; ... other methods",
    "# …",
    "// [...]",
    "# […]",
    "//... same as before",
    "// ... rest of code remains unchanged ...",
    "# ... code ...",
    "// ... imports ...",
    "# rest of the code remains the same",
    "// existing code here",
    "/* unchanged: the rest */".replace(":", ""),
    "(rest of methods ...)",
    "[... rest of the file unchanged ...]",
    "... existing code ...",
    "(* ... rest unchanged ... *)",
    "// ... existing fields ...",
    "// ... existing arms ...",
    "// ... rest of loop ...",
    "# ... validation ...",
    "// ... other variants",
    "// ... handlers unchanged",
    "# ... the remaining routes",
]
CODE_LINES = ["...", "x = ...", "# and so on ...", "# see ... for that", "// foo(...)", "", "# existing code"]
CODE_LINES += [
    "# handle the rest of the args...",
    "# ... 3 other ...",
    "# ... the file",
    "#!... other",
    "...rest,",
    "[...existing]",
    "// rest: Rest;",
    "# other methods",
    "# ... and the rest is history",
    "# ... keep the rest for later",
    "// ... and other things we keep",
    "# ... for which see the manual of the other tool that does the same thing ...",
    "... existing arms ...",
]


@pytest.mark.parametrize("line", ELISIONS)
def test_placeholder_line_is_recognized(line: str) -> None:
    assert is_placeholder(line.encode())


@pytest.mark.parametrize("line", CODE_LINES)
def test_code_line_is_not_a_placeholder(line: str) -> None:
    assert not is_placeholder(line.encode())


def test_only_markup_comments_are_placeholders_in_prose() -> None:
    assert is_placeholder(b"<!-- ... existing text ... -->", prose=True)
    assert not is_placeholder(b"# ... existing code ...", prose=True)


OLD = [b"def f():", b"    a", b"    b", b"    a", b"    c", b"    d"]


@pytest.mark.parametrize(
    ("above", "row"),
    [
        ([], 0),
        ([b"def f():"], 1),
        ([b"def f():", b"    a"], 2),  # the first two lines, although "a" occurs twice
        ([b"x", b"c"], 5),
        ([b"b", b"", b"    a"], 4),  # "a" occurs twice, both lines together once
        ([b"a"], None),
        ([b"x"], None),
        ([b"c", b"x"], None),
    ],
)
def test_position_after_lines_above_is_found(above: list[bytes], row: int | None) -> None:
    assert find_line_after(above, OLD) == row


def test_position_before_lines_below_is_found() -> None:
    assert find_line_before([], OLD) == 6
    assert find_line_before([b"d"], OLD) == 5
    assert find_line_before([b"a", b"c"], OLD) == 3
    assert find_line_before([b"a"], OLD) is None
