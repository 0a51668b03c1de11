"""Diffs of git that change the encoding, byte order mark or line endings of a file."""

from __future__ import annotations

import pytest

from tests.edit.editing import blob_id
from tests.edit.patches.patch_helpers import patch_file

HEAD = b"--- a/a.txt\n+++ b/a.txt\n"

BYTES = {
    "from UTF-8 to Latin-1": (b"\xc3\xa9\nb\n", b"\xe9\nb\n", b"@@ -1,2 +1,2 @@\n-\xc3\xa9\n+\xe9\n b\n"),
    "a byte that is not UTF-8": (b"a\nb\n", b"a\nb\xfd\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+b\xfd\n"),
    "UTF-8 in Latin-1, no context": (b"\xe9\nb\n", b"\xe9\n\xc3\xa9\n", b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"),
    "a line before the byte order mark": (
        b"\xef\xbb\xbfa\nb\n",
        b"n\n\xef\xbb\xbfa\nb\n",
        b"@@ -0,0 +1 @@\n+n\n",
    ),
    "content that looks like UTF-16": (
        b"\xff\xfe\n1\n@@ -1 +1 @@\nx\n",
        b"\xff\xfe\n1\nx\n",
        b"@@ -3 +2,0 @@\n-@@ -1 +1 @@\n",
    ),
}


def _index_header(before: bytes, after: bytes) -> bytes:
    return f"diff --git a/a.txt b/a.txt\nindex {blob_id(before)[:7]}..{blob_id(after)[:7]} 100644\n".encode()


@pytest.mark.parametrize(("before", "after", "hunk"), BYTES.values(), ids=BYTES)
def test_result_is_the_blob_of_the_index_line(before: bytes, after: bytes, hunk: bytes) -> None:
    assert patch_file(before, _index_header(before, after) + HEAD + hunk) == after


def test_diff_for_another_blob_is_applied_as_text() -> None:
    hunk = b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"
    diff = (_index_header(b"b\n", b"c\n") + HEAD + hunk).replace(b"a.txt", b"a.py")
    assert patch_file(b"# coding: latin-1\nb\n", diff, "a.py") == b"# coding: latin-1\n\xe9\n"


def test_wrong_blob_of_the_index_line_is_ignored() -> None:
    before, hunk = b"# coding: latin-1\nb\n", b"@@ -2 +2 @@\n-b\n+\xc3\xa9\n"
    diff = (_index_header(before, b"c\n") + HEAD + hunk).replace(b"a.txt", b"a.py")
    assert patch_file(before, diff, "a.py") == b"# coding: latin-1\n\xe9\n"
