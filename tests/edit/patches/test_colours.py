"""Diffs with terminal colours."""

from __future__ import annotations

from tests.edit.patches.patch_helpers import expect_error, patch_file

DIFF = (
    "\x1b[1mdiff --git a/a.txt b/a.txt\x1b[m\n\x1b[1m--- a/a.txt\x1b[m\n\x1b[1m+++ b/a.txt\x1b[m\n"
    "\x1b[36m@@ -1,3 +1,3 @@\x1b[m \x1b[mf()\x1b[m\n one\x1b[m\n\x1b[31m-two\x1b[m\n"
    "\x1b[32m+\x1b[m\x1b[32mTWO\x1b[m\x1b[41m  \x1b[m\n three\x1b[m\n"
)


def test_colours_are_removed_from_the_lines() -> None:
    assert patch_file("one\ntwo\nthree\n", DIFF) == b"one\nTWO  \nthree\n"


def test_colours_inside_a_line_are_refused() -> None:
    error = expect_error({"a.txt": "one\ntwo\nthree\n"}, DIFF.replace("TWO", "T\x1b[7mW\x1b[27mO"))
    assert (error.code, "--no-color" in error.hint) == ("patch_failed", True)


def test_escape_sequences_in_a_plain_diff_are_content() -> None:
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+\x1b[1mx\x1b[m\n"
    assert patch_file("x\n", diff) == b"\x1b[1mx\x1b[m\n"
