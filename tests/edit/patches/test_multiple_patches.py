"""Answers with several patches, which are all applied or all refused."""

from __future__ import annotations

import pytest

from tests.edit.patches.patch_helpers import changed_files, expect_error

FILES = {"t": "one\ntwo\n", "u": "a\nb\n"}
IN_T = "*** Begin Patch\n*** Update File: t\n@@\n-two\n+2\n*** End Patch\n"
IN_U = "*** Begin Patch\n*** Update File: u\n@@\n-b\n+B\n*** End Patch\n"
DIFF = "```diff\n--- a/u\n+++ b/u\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n```\n"
BLOCK = "t\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
LINES = "```text path=t lines=2\n2\n```\n"

MIXED_FORMATS = {
    "a block, a diff": BLOCK + DIFF,
    "a diff, a block": DIFF + BLOCK,
    "an envelope, a diff": IN_T + DIFF,
    "a diff, an envelope": DIFF + IN_T,
    "a block, an envelope": BLOCK + IN_U,
    "an envelope, a block": IN_U + BLOCK,
    "lines, a diff": LINES + DIFF,
    "lines, a block": LINES + BLOCK,
    "a diff, lines": DIFF + LINES,
}


@pytest.mark.parametrize("between", ["", "\nand then\n\n", "```\n\n```\n"])
def test_all_envelopes_are_applied(between: str) -> None:
    assert changed_files(FILES, IN_T + between + IN_U) == {
        "t": ("100644", b"one\n2\n"),
        "u": ("100644", b"a\nB\n"),
    }


@pytest.mark.parametrize("answer", MIXED_FORMATS.values(), ids=MIXED_FORMATS)
def test_patch_in_another_format_is_not_ignored(answer: str) -> None:
    error = expect_error(FILES, answer)
    assert error.code == "patch_failed"
    assert "outside of it" in error.message


def test_added_lines_are_not_read_as_another_patch() -> None:
    diff = "--- a/u\n+++ b/u\n@@ -1,2 +1,7 @@\n a\n-b\n" + "".join(
        f"+{line}\n" for line in BLOCK.splitlines()
    )
    assert changed_files(FILES, diff) == {"u": ("100644", b"a\n" + BLOCK.encode())}
