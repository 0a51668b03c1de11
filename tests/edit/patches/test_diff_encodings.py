"""Diffs of git that change the encoding, its mark or the line endings of a file."""

from __future__ import annotations

import pytest

from tests.edit.editing import blob_id
from tests.edit.patches.patching import patched

HEAD = b"--- a/a.txt\n+++ b/a.txt\n"

BYTES = {
    "from UTF-8 to Latin-1": (b"\xc3\xa9\nb\n", b"\xe9\nb\n", b"@@ -1,2 +1,2 @@\n-\xc3\xa9\n+\xe9\n b\n"),
    "a byte that is no UTF-8": (b"a\nb\n", b"a\nb\xfd\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+b\xfd\n"),
    "UTF-8 in Latin-1, no context": (b"\xe9\nb\n", b"\xe9\n\xc3\xa9\n", b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"),
    "a line before the mark": (
        b"\xef\xbb\xbfa\nb\n",
        b"n\n\xef\xbb\xbfa\nb\n",
        b"@@ -0,0 +1 @@\n+n\n",
    ),
    "what looks like UTF-16": (
        b"\xff\xfe\n1\n@@ -1 +1 @@\nx\n",
        b"\xff\xfe\n1\nx\n",
        b"@@ -3 +2,0 @@\n-@@ -1 +1 @@\n",
    ),
}


def _index(before: bytes, after: bytes) -> bytes:
    return f"diff --git a/a.txt b/a.txt\nindex {blob_id(before)[:7]}..{blob_id(after)[:7]} 100644\n".encode()


@pytest.mark.parametrize(("before", "after", "hunk"), BYTES.values(), ids=BYTES)
def test_what_comes_out_is_the_blob_that_the_diff_names(before: bytes, after: bytes, hunk: bytes) -> None:
    assert patched(before, _index(before, after) + HEAD + hunk) == after


def test_of_another_file_only_the_text_is_taken() -> None:
    hunk = b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"
    diff = (_index(b"b\n", b"c\n") + HEAD + hunk).replace(b"a.txt", b"a.py")
    assert patched(b"# coding: latin-1\nb\n", diff, "a.py") == b"# coding: latin-1\n\xe9\n"


def test_a_blob_that_does_not_come_out_is_not_believed() -> None:
    before, hunk = b"# coding: latin-1\nb\n", b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"
    diff = (_index(before, b"c\n") + HEAD + hunk).replace(b"a.txt", b"a.py")
    assert patched(before, diff, "a.py") == b"# coding: latin-1\n\xe9\n"
