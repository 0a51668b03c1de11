"""Diffs with the colours of a terminal."""

from __future__ import annotations

from tests.edit.patches.patching import patched, refusal

DIFF = (
    "\x1b[1mdiff --git a/a.txt b/a.txt\x1b[m\n\x1b[1m--- a/a.txt\x1b[m\n\x1b[1m+++ b/a.txt\x1b[m\n"
    "\x1b[36m@@ -1,3 +1,3 @@\x1b[m \x1b[mf()\x1b[m\n one\x1b[m\n\x1b[31m-two\x1b[m\n"
    "\x1b[32m+\x1b[m\x1b[32mTWO\x1b[m\x1b[41m  \x1b[m\n three\x1b[m\n"
)


def test_colours_are_no_part_of_the_lines() -> None:
    assert patched("one\ntwo\nthree\n", DIFF) == b"one\nTWO  \nthree\n"


def test_colours_inside_a_line_may_be_its_own() -> None:
    error = refusal({"a.txt": "one\ntwo\nthree\n"}, DIFF.replace("TWO", "T\x1b[7mW\x1b[27mO"))
    assert (error.code, "--no-color" in error.hint) == ("patch_failed", True)


def test_escapes_of_a_file_in_a_plain_diff_stay() -> None:
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+\x1b[1mx\x1b[m\n"
    assert patched("x\n", diff) == b"\x1b[1mx\x1b[m\n"
