"""File names in diffs that differ from the default format of git."""

from __future__ import annotations

import pytest

from tests.edit.editing import Content
from tests.edit.patches.patch_helpers import changed_files, expect_error

ONE = "@@ -1 +1 @@\n-1\n+2\n"
ADDED = "@@ -0,0 +1 @@\n+n\n"
REMOVED = "@@ -1 +0,0 @@\n-1\n"
TIMESTAMP = "\t2024-03-01 10:00:00.000000000 +0100\n"
EPOCH = "\t1970-01-01 01:00:00.000000000 +0100\n"

Files = dict[str, tuple[str, bytes] | None]
EDITED: Files = {"src/x": ("100644", b"2\n")}

NAMES: dict[str, tuple[dict[str, Content], str, Files]] = {
    "diff -r of two folders": (
        {"src/x": "1\n"},
        f"diff -ru old/src/x new/src/x\n--- old/src/x{TIMESTAMP}+++ new/src/x{TIMESTAMP}{ONE}",
        EDITED,
    ),
    "custom prefixes": (
        {"src/x": "1\n"},
        f"diff --git mine/src/x yours/src/x\n--- mine/src/x\n+++ yours/src/x\n{ONE}",
        EDITED,
    ),
    "custom prefixes and blanks": (
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
        f"--- old/n{EPOCH}+++ new/n{TIMESTAMP}{ADDED}",
        {"n": ("100644", b"n\n")},
    ),
    "diff -N, a removed file": ({"x": "1\n"}, f"--- old/x{TIMESTAMP}+++ new/x{EPOCH}{REMOVED}", {"x": None}),
    "files whose time is 0": (
        {"src/x": "1\n"},
        f"--- old/src/x{EPOCH}+++ new/src/x{EPOCH}{ONE}",
        EDITED,
    ),
    "an emptied file": (
        {"x": "1\n"},
        f"--- old/x{TIMESTAMP}+++ new/x\t1970-01-01 01:00:00 +0000\n{REMOVED}",
        {"x": ("100644", b"")},
    ),
}


@pytest.mark.parametrize(("before", "diff", "expected"), NAMES.values(), ids=NAMES)
def test_file_names_are_recognized(before: dict[str, Content], diff: str, expected: Files) -> None:
    assert changed_files(before, diff) == expected


def test_different_paths_without_prefix_are_refused() -> None:
    diff = f"--- old/src/x\n+++ new/lib/x\n{ONE}"
    assert expect_error({"src/x": "1\n", "lib/x": "1\n"}, diff).code == "patch_failed"


CONTRADICTORY = {
    "a new file": f"diff --git a/m b/m\nnew file mode 100644\n--- /dev/null\n+++ b/n\n{ADDED}",
    "a removed file": f"diff --git a/x b/x\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n{REMOVED}",
    "an edit": f"diff --git a/x b/x\n--- a/y\n+++ b/y\n{ONE}",
}


@pytest.mark.parametrize("diff", CONTRADICTORY.values(), ids=CONTRADICTORY)
def test_contradictory_headers_are_refused(diff: str) -> None:
    error = expect_error({"x": "1\n", "y": "1\n"}, diff)
    assert error.code == "patch_failed"
    assert "the lines below it" in error.message


@pytest.mark.parametrize(("old", "new"), [("x.orig", "x"), ("a/x.orig", "b/x"), ("x.orig\t2024", "x\t2025")])
def test_orig_file_name_means_the_file(old: str, new: str) -> None:
    assert changed_files({"x": "1\n"}, f"--- {old}\n+++ {new}\n{ONE}") == {"x": ("100644", b"2\n")}
