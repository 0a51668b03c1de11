"""Lines that stand for others, and those that only look so; where their neighbours stand."""

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
def test_lines_that_stand_for_others(line: str) -> None:
    assert is_placeholder(line.encode())


@pytest.mark.parametrize("line", CODE_LINES)
def test_other_lines(line: str) -> None:
    assert not is_placeholder(line.encode())


def test_in_running_text_only_its_own_comments_count() -> None:
    assert is_placeholder(b"<!-- ... existing text ... -->", prose=True)
    assert not is_placeholder(b"# ... existing code ...", prose=True)


OLD = [b"def f():", b"    a", b"    b", b"    a", b"    c", b"    d"]


@pytest.mark.parametrize(
    ("above", "row"),
    [
        ([], 0),
        ([b"def f():"], 1),
        ([b"def f():", b"    a"], 2),  # the beginning, though a stands twice
        ([b"x", b"c"], 5),
        ([b"b", b"", b"    a"], 4),  # the last of which stands twice, and both once
        ([b"a"], None),
        ([b"x"], None),
        ([b"c", b"x"], None),
    ],
)
def test_what_follows_the_neighbours_above(above: list[bytes], row: int | None) -> None:
    assert find_line_after(above, OLD) == row


def test_where_the_neighbours_below_begin() -> None:
    assert find_line_before([], OLD) == 6
    assert find_line_before([b"d"], OLD) == 5
    assert find_line_before([b"a", b"c"], OLD) == 3
    assert find_line_before([b"a"], OLD) is None
