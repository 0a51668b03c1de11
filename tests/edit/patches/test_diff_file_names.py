"""File names in diffs that are not written as git writes them by default."""

from __future__ import annotations

import pytest

from tests.edit.editing import Content
from tests.edit.patches.patching import after, refusal

ONE = "@@ -1 +1 @@\n-1\n+2\n"
ADDED = "@@ -0,0 +1 @@\n+n\n"
REMOVED = "@@ -1 +0,0 @@\n-1\n"
NOW = "\t2024-03-01 10:00:00.000000000 +0100\n"
NEVER = "\t1970-01-01 01:00:00.000000000 +0100\n"

Files = dict[str, tuple[str, bytes] | None]
EDITED: Files = {"src/x": ("100644", b"2\n")}

NAMES: dict[str, tuple[dict[str, Content], str, Files]] = {
    "diff -r of two folders": (
        {"src/x": "1\n"},
        f"diff -ru old/src/x new/src/x\n--- old/src/x{NOW}+++ new/src/x{NOW}{ONE}",
        EDITED,
    ),
    "prefixes of the user's": (
        {"src/x": "1\n"},
        f"diff --git mine/src/x yours/src/x\n--- mine/src/x\n+++ yours/src/x\n{ONE}",
        EDITED,
    ),
    "prefixes of the user's, and blanks": (
        {"my x": "1\n"},
        "diff --git mine/my x yours/my x\nold mode 100644\nnew mode 100755\n",
        {"my x": ("100755", b"1\n")},
    ),
    "no prefixes, a new file in a folder called b": (
        {"x": "1\n"},
        f"diff --git b/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n{ADDED}",
        {"b/n": ("100644", b"n\n")},
    ),
    "no prefixes, a file removed from a folder called c": (
        {"x": "1\n", "c/x": "1\n"},
        f"diff --git c/x c/x\ndeleted file mode 100644\n--- c/x\n+++ /dev/null\n{REMOVED}",
        {"c/x": None},
    ),
    "diff -N, a new file": (
        {"x": "1\n"},
        f"--- old/n{NEVER}+++ new/n{NOW}{ADDED}",
        {"n": ("100644", b"n\n")},
    ),
    "diff -N, a removed file": ({"x": "1\n"}, f"--- old/x{NOW}+++ new/x{NEVER}{REMOVED}", {"x": None}),
    "files whose time is 0": (
        {"src/x": "1\n"},
        f"--- old/src/x{NEVER}+++ new/src/x{NEVER}{ONE}",
        EDITED,
    ),
    "an emptied file": (
        {"x": "1\n"},
        f"--- old/x{NOW}+++ new/x\t1970-01-01 01:00:00 +0000\n{REMOVED}",
        {"x": ("100644", b"")},
    ),
}


@pytest.mark.parametrize(("before", "diff", "expected"), NAMES.values(), ids=NAMES)
def test_names(before: dict[str, Content], diff: str, expected: Files) -> None:
    assert after(before, diff) == expected


def test_two_folders_that_differ_below_the_first_are_two_files() -> None:
    diff = f"--- old/src/x\n+++ new/lib/x\n{ONE}"
    assert refusal({"src/x": "1\n", "lib/x": "1\n"}, diff).code == "patch_failed"


CONTRADICTING = {
    "a new file": f"diff --git a/m b/m\nnew file mode 100644\n--- /dev/null\n+++ b/n\n{ADDED}",
    "a removed file": f"diff --git a/x b/x\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n{REMOVED}",
    "an edit": f"diff --git a/x b/x\n--- a/y\n+++ b/y\n{ONE}",
}


@pytest.mark.parametrize("diff", CONTRADICTING.values(), ids=CONTRADICTING)
def test_headers_that_name_different_files_are_refused(diff: str) -> None:
    error = refusal({"x": "1\n", "y": "1\n"}, diff)
    assert error.code == "patch_failed"
    assert "the lines below it" in error.message


@pytest.mark.parametrize(("old", "new"), [("x.orig", "x"), ("a/x.orig", "b/x"), ("x.orig\t2024", "x\t2025")])
def test_a_copy_that_was_kept_is_what_the_file_was(old: str, new: str) -> None:
    assert after({"x": "1\n"}, f"--- {old}\n+++ {new}\n{ONE}") == {"x": ("100644", b"2\n")}
