from __future__ import annotations

import base64
import zlib

import pytest

from tests.edit.editing import Content, apply_changeset, blob_id
from tests.edit.patches.patch_helpers import NUMBERS, apply_patch, changed_files, expect_error, patch_file

GREETING = "def greet(name):\n    print('hello', name)\n\n\ndef leave():\n    print('bye')\n"

HEAD = "--- a/a.txt\n+++ b/a.txt\n"
CORRECT_HUNK = "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"
CHANGED = NUMBERS.replace("5\n", "five\n", 1)

MISTAKES = {
    "no mistake": HEAD + CORRECT_HUNK,
    "line number off": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-9,3 +9,3"),
    "line number far beyond the end": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-400,3 +400,3"),
    "counts too small": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,1 +4,1"),
    "counts too large": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,9 +4,9"),
    "one count wrong": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,3 +4,4"),
    "no numbers": HEAD + CORRECT_HUNK.replace("@@ -4,3 +4,3 @@", "@@ ... @@"),
    "bare @@": HEAD + CORRECT_HUNK.replace("@@ -4,3 +4,3 @@", "@@"),
    "no prefixes": "--- a.txt\n+++ a.txt\n" + CORRECT_HUNK,
    "one prefix": "--- a/a.txt\n+++ a.txt\n" + CORRECT_HUNK,
    "times": "--- a/a.txt\t2024-01-01 00:00:00\n+++ b/a.txt\t2024-01-02 00:00:00\n" + CORRECT_HUNK,
    "fence": "Here is the change:\n\n```diff\n" + HEAD + CORRECT_HUNK + "```\n\nThat is all.\n",
    "fence and wrong counts": "```diff\n" + HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,9 +4,8") + "```\n",
    "no last line feed": (HEAD + CORRECT_HUNK).removesuffix("\n"),
    "blank lines after it": HEAD + CORRECT_HUNK + "\n\n",
    "wrong counts and blank lines after it": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,7 +4,7") + "\n\n",
    "CRLF": (HEAD + CORRECT_HUNK).replace("\n", "\r\n"),
    "a mail around it": "From: me\nSubject: five\n\n---\n a.txt | 2 +-\n\n"
    + HEAD
    + CORRECT_HUNK
    + "-- \n2.39.2\n",
    "a mail, and wrong counts": HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-4,6 +4,6") + "-- \n2.39.2\n\n",
    "byte order mark": "\ufeff" + HEAD + CORRECT_HUNK,
}


@pytest.mark.parametrize("diff", MISTAKES.values(), ids=MISTAKES)
def test_common_mistake_of_models_is_corrected(diff: str) -> None:
    assert patch_file(NUMBERS, diff.encode()).decode() == CHANGED


def test_empty_context_line_without_its_blank_is_accepted() -> None:
    diff = (
        "--- a/a.py\n+++ b/a.py\n@@ -2,4 +2,4 @@\n     print('hello', name)\n\n\n-def leave():\n+def go():\n"
    )
    assert patch_file(GREETING, diff, "a.py").decode() == GREETING.replace("leave", "go")


def test_corrections_are_reported() -> None:
    diff = HEAD + CORRECT_HUNK.replace("-4,3 +4,3", "-9,1 +9,3")
    edit = apply_patch({"a.txt": NUMBERS}, diff).done[0].edit
    assert edit is not None
    assert edit.corrections == ("hunk 1 is at line 4", "counted the lines of hunk 1")


def test_shift_of_one_hunk_applies_to_the_next() -> None:
    block = "begin\nx\nend\n"
    before = "top\n" * 3 + "only here\n" + block * 3
    diff = HEAD + "@@ -2,1 +2,1 @@\n-only here\n+changed\n@@ -6,3 +6,3 @@\n begin\n-x\n+y\n end\n"
    assert patch_file(before, diff).decode() == "top\n" * 3 + "changed\n" + block + "begin\ny\nend\n" + block


def test_hunk_with_several_places_is_ambiguous() -> None:
    error = expect_error({"a.txt": "a\nb\n" * 3}, HEAD + "@@ -20,2 +20,2 @@\n a\n-b\n+c\n")
    assert (error.code, error.data["ranges"]) == ("ambiguous", [[1, 2], [3, 4], [5, 6]])


def test_correct_line_number_selects_one_of_equal_places() -> None:
    assert patch_file("a\nb\n" * 3, HEAD + "@@ -3,2 +3,2 @@\n a\n-b\n+c\n") == b"a\nb\na\nc\na\nb\n"


@pytest.mark.parametrize("old", ["    five", "Five", " five "])
def test_white_space_and_case_are_never_ignored(old: str) -> None:
    error = expect_error({"a.txt": "one\nfive\n"}, HEAD + f"@@ -2,1 +2,1 @@\n-{old}\n+six\n")
    assert error.code == "patch_failed"


def test_error_reports_the_hunk_and_the_nearest_lines() -> None:
    before = "alpha beta\ngamma delta\n"
    diff = HEAD + "@@ -1,1 +1,1 @@\n-alpha beta\n+alpha\n@@ -2,1 +2,1 @@\n-gamma dalta\n+gamma\n"
    error = expect_error({"a.txt": before}, diff)
    assert (error.code, error.data["path"], error.data["hunk"]) == ("patch_failed", "a.txt", 2)
    assert error.data["nearest"] == [{"n": 2, "text": "gamma delta"}]


def test_diff_is_applied_atomically() -> None:
    diff = HEAD + CORRECT_HUNK + "--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-nowhere\n+here\n"
    assert expect_error({"a.txt": NUMBERS, "b.txt": "b\n"}, diff).data["path"] == "b.txt"


def test_removed_line_may_look_like_a_header() -> None:
    diff = HEAD + "@@ -1,3 +1,3 @@\n one\n--- a/x\n+++ b/x\n three\n"
    assert patch_file("one\n-- a/x\nthree\n", diff) == b"one\n++ b/x\nthree\n"


ENDINGS: dict[str, tuple[bytes, str, bytes]] = {
    "LF text on a CRLF file": (b"a\r\nb\r\nc\r\n", " a\n-b\n+x\n+y\n c\n", b"a\r\nx\r\ny\r\nc\r\n"),
    "CRLF text on a CRLF file": (b"a\r\nb\r\nc\r\n", " a\r\n-b\r\n+x\r\n c\r\n", b"a\r\nx\r\nc\r\n"),
    "a change of endings": (b"a\r\nb\r\n", "-a\r\n+a\n b\r\n", b"a\nb\r\n"),
    "only in one place": (b"a\nb\r\n", " a\n-b\n+x\n", b"a\nx\r\n"),
    "the last line feed goes": (b"a\nb\n", " a\n-b\n+b\n\\ No newline at end of file\n", b"a\nb"),
    "the last line feed comes": (b"a\nb", " a\n-b\n\\ No newline at end of file\n+b\n", b"a\nb\n"),
    "no final newline on both sides": (
        b"a\nb",
        " a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        b"a\nc",
    ),
    "a last line without an ending": (b"a\r\nb", "-b\n+x\n+y\n", b"a\r\nx\r\ny"),
    "no final newline without a marker": (b"a\nb", " a\n-b\n+c\n", b"a\nc"),
    "a line after an unfinished last line": (b"a\nb", " a\n b\n+c\n", b"a\nb\nc"),
    "mixed: the added line is like the one before": (b"a\nb\r\nc\n", " a\n b\n+x\n c\n", b"a\nb\r\nx\r\nc\n"),
}


@pytest.mark.parametrize(("before", "body", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_diff_uses_the_line_endings_of_the_file(before: bytes, body: str, expected: bytes) -> None:
    assert patch_file(before, (HEAD + "@@ -1 +1 @@\n" + body).encode()) == expected


def test_byte_order_mark_is_kept_or_removed_by_the_diff() -> None:
    before = b"\xef\xbb\xbfone\ntwo\n"
    assert patch_file(before, HEAD + "@@ -2,1 +2,1 @@\n-two\n+2\n") == b"\xef\xbb\xbfone\n2\n"
    marked = HEAD.encode() + b"@@ -1,2 +1,2 @@\n-\xef\xbb\xbfone\n+one\n two\n"
    assert patch_file(before, marked) == b"one\ntwo\n"


def test_latin_1_file_is_patched_by_latin_1_and_utf_8_diffs() -> None:
    before = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    diff = "--- a/a.py\n+++ b/a.py\n@@ -2,1 +2,1 @@\n-x = 'é'\n+x = 'ü'\n"
    expected = "# coding: latin-1\nx = 'ü'\n".encode("latin-1")
    assert patch_file(before, diff.encode("latin-1"), "a.py") == expected
    assert patch_file(before, diff.encode(), "a.py") == expected


def test_hunk_without_context_uses_the_endings_of_other_hunks() -> None:
    hunks = HEAD.encode() + b"@@ -0,0 +1 @@\n+0\n@@ -2 +3 @@\n-b\r\n+B\r\n"
    assert patch_file(b"a\r\nb\r\nc\n", hunks) == b"0\na\r\nB\r\nc\n"


def test_hunk_without_context_uses_the_ending_of_the_line_before() -> None:
    assert patch_file(b"a\r\nb\n", HEAD + "@@ -1,0 +2 @@\n+x\n") == b"a\r\nx\r\nb\n"
    assert patch_file(b"a\nb\r\n", HEAD + "@@ -1,0 +2 @@\n+x\n") == b"a\nx\nb\r\n"


def test_hunk_without_context_is_placed_by_original_line_number() -> None:
    result = apply_changeset(
        "1\n2\n3\n",
        {"op": "lines", "start": 1, "position": "before", "code": "zero"},
        {"op": "patch", "diff": HEAD + "@@ -2,0 +3 @@\n+x\n"},
        path="a.txt",
    )
    assert result.overlay.content("a.txt") == b"zero\n1\n2\nx\n3\n"


ONE = blob_id("1\n")[:7]

HEADERS: dict[str, tuple[dict[str, Content], str, dict[str, tuple[str, bytes] | None]]] = {
    "create": (
        {"b": "b\n"},
        "diff --git a/d/n b/d/n\nnew file mode 100755\n--- /dev/null\n+++ b/d/n\n@@ -0,0 +1 @@\n+n\n",
        {"d/n": ("100755", b"n\n")},
    ),
    "create by /dev/null alone": (
        {"b": "b\n"},
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1,9 @@\n+n\n+m\n",
        {"n": ("100644", b"n\nm\n")},
    ),
    "create empty": (
        {"b": "b\n"},
        "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n",
        {"n": ("100644", b"")},
    ),
    "delete": (
        {"b": "b\n"},
        "diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
        {"b": None},
    ),
    "rename": (
        {"b": "b\n"},
        "diff --git a/b b/c d\nsimilarity index 100%\nrename from b\nrename to c d\n",
        {"b": None, "c d": ("100644", b"b\n")},
    ),
    "rename and edit": (
        {"b": "1\n2\n"},
        "diff --git a/b b/c\nrename from b\nrename to c\n--- a/b\n+++ b/c\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n",
        {"b": None, "c": ("100644", b"1\n3\n")},
    ),
    "copy": (
        {"b": "1\n2\n"},
        "diff --git a/b b/c\ncopy from b\ncopy to c\n--- a/b\n+++ b/c\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n",
        {"c": ("100644", b"1\n3\n")},
    ),
    "mode": (
        {"b": "b\n"},
        "diff --git a/b b/b\nold mode 100644\nnew mode 100755\n",
        {"b": ("100755", b"b\n")},
    ),
    "mode and edit": (
        {"b": "b\n"},
        "diff --git a/b b/b\nold mode 100644\nnew mode 100755\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-b\n+c\n",
        {"b": ("100755", b"c\n")},
    ),
    "two files change places": (
        {"a": "1\n", "b": "2\n"},
        "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n",
        {"a": ("100644", b"2\n"), "b": ("100644", b"1\n")},
    ),
    "a file becomes a link": (
        {"a": "1\n", "b": "2\n"},
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        "diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+b\n"
        "\\ No newline at end of file\n",
        {"a": ("120000", b"b")},
    ),
    "a symlink is moved": (
        {"a": ("120000", b"b"), "b": "2\n"},
        "diff --git a/a b/c\nsimilarity index 100%\nrename from a\nrename to c\n",
        {"a": None, "c": ("120000", b"b")},
    ),
    "a quoted name": (
        {"ä b": "1\n"},
        '--- "a/\\303\\244 b"\n+++ "b/\\303\\244 b"\n@@ -1 +1 @@\n-1\n+2\n',
        {"ä b": ("100644", b"2\n")},
    ),
    "a mode that git keeps as 100755": (
        {"b": "b\n"},
        "diff --git a/b b/b\nold mode 100664\nnew mode 100770\n",
        {"b": ("100755", b"b\n")},
    ),
    "lines for a missing file": (
        {"b": "b\n"},
        "--- n\n+++ n\n@@ -0,0 +1 @@\n+n\n",
        {"n": ("100644", b"n\n")},
    ),
    "lines for an empty file": (
        {"n": ""},
        "--- n\n+++ n\n@@ -0,0 +1 @@\n+n\n",
        {"n": ("100644", b"n\n")},
    ),
    "the top of a file without context": (
        {"n": "1\n"},
        f"diff --git a/n b/n\nindex {ONE}..1234567\n--- n\n+++ n\n@@ -0,0 +1 @@\n+n\n",
        {"n": ("100644", b"n\n1\n")},
    ),
    "a folder that is called a": (
        {"a/x": "1\n"},
        "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-1\n+2\n",
        {"a/x": ("100644", b"2\n")},
    ),
}


@pytest.mark.parametrize(("before", "diff", "expected"), HEADERS.values(), ids=HEADERS)
def test_extended_header_is_applied(
    before: dict[str, Content], diff: str, expected: dict[str, tuple[str, bytes] | None]
) -> None:
    assert changed_files(before, diff) == expected


REFUSED: dict[str, tuple[str, str]] = {
    "no patch": ("just words\n", "invalid_args"),
    "create an existing file": ("--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+n\n", "exists"),
    "created below a file": ("--- /dev/null\n+++ b/b/c\n@@ -0,0 +1 @@\n+n\n", "not_a_file"),
    "deleted, with other content": ("--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n", "patch_failed"),
    "deleted, with more content": ("--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "patch_failed"),
    "missing file": ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n", "file_not_found"),
    "outside the repository": ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-b\n+c\n", "path_denied"),
    "git directory": ("--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+n\n", "path_denied"),
    "a symlink to the outside": (
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../out\n"
        "\\ No newline at end of file\n",
        "path_denied",
    ),
    "a submodule": (
        "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject\n",
        "patch_failed",
    ),
    "a merge": ("diff --cc b\nindex 1,2..3\n--- a/b\n+++ b/b\n@@@ -1,1 -1,1 +1,1 @@@\n++b\n", "patch_failed"),
    "binary, left out": (
        "diff --git a/b b/b\nindex 111..222 100644\nBinary files a/b and b/b differ\n--- a/b\n+++ b/b\n",
        "patch_failed",
    ),
    "no name": ("@@ -1 +1 @@\n-b\n+c\n", "patch_failed"),
    "two names": ("--- a/b\n+++ b/c\n@@ -1 +1 @@\n-b\n+c\n", "patch_failed"),
    "no effect": ("--- a/b\n+++ b/b\n@@ -1 +1 @@\n-b\n+b\n", "no_change"),
    "no context": ("--- a/b\n+++ b/b\n@@ ... @@\n+c\n", "patch_failed"),
    "an invalid mode": ("diff --git a/b b/b\nold mode 100644\nnew mode sticky\n", "patch_failed"),
    "no mode": ("diff --git a/b b/b\nold mode 100644\nnew mode \n", "patch_failed"),
    "the mode of a folder": ("diff --git a/b b/b\nnew mode 040000\n", "patch_failed"),
    "new and a copy": (
        "diff --git a/b b/c\nnew file mode 100644\ncopy from b\ncopy to c\n",
        "patch_failed",
    ),
    "new and renamed": (
        "diff --git a/b b/c\nnew file mode 100644\nrename from b\nrename to c\n",
        "patch_failed",
    ),
    "for an empty file": ("--- a/b\n+++ b/b\n@@ -0,0 +1 @@\n+n\n", "patch_failed"),
    "for the empty blob": (
        "diff --git a/b b/b\nindex e69de29..1234567\n--- a/b\n+++ b/b\n@@ -0,0 +1 @@\n+n\n",
        "patch_failed",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_diff_is_refused(diff: str, code: str) -> None:
    assert expect_error({"b": "b\nb2\n"}, diff).code == code


def test_path_of_the_operation_applies_to_a_diff_without_headers() -> None:
    result = apply_changeset("b\n", {"op": "patch", "diff": "@@ -1 +1 @@\n-b\n+c\n"}, path="b")
    assert result.overlay.content("b") == b"c\n"


def test_patch_is_applied_after_earlier_operations() -> None:
    result = apply_changeset(
        NUMBERS,
        {"op": "lines", "start": 1, "position": "before", "code": "zero"},
        {"op": "patch", "diff": HEAD + CORRECT_HUNK},
        path="a.txt",
    )
    assert result.overlay.content("a.txt") == b"zero\n" + CHANGED.encode()
    assert result.done[1].edit is not None
    assert result.done[1].edit.corrections == ()


def test_every_file_has_its_result() -> None:
    diff = HEAD + CORRECT_HUNK + "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n"
    result = apply_patch({"a.txt": NUMBERS}, diff).done
    assert [(row.path, row.index, row.before, row.after) for row in result] == [
        ("b.txt", 0, None, (1, 1)),
        ("a.txt", 0, (5, 5), (5, 5)),
    ]


def _binary_patch(kind: str, data: bytes) -> str:
    packed = zlib.compress(data)
    rows = [packed[at : at + 52] for at in range(0, len(packed), 52)]
    letters = ["?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[len(row)] for row in rows]
    lines = [
        letter + base64.b85encode(row, pad=True).decode() for letter, row in zip(letters, rows, strict=True)
    ]
    return "\n".join(
        ["GIT binary patch", f"{kind} {len(data)}", *lines, "", "literal 0", "HcmV?d00001", "", ""]
    )


def test_binary_literal_and_delta_are_applied() -> None:
    old = b"\x00" + b"abcdefgh" * 20
    index = f"diff --git a/b b/b\nindex {blob_id(old)}..{'2' * 40} 100644\n"
    assert changed_files({"b": ("100644", old)}, index + _binary_patch("literal", b"\x00new")) == {
        "b": ("100644", b"\x00new")
    }
    # Size of the old, size of the new, copy 9 bytes from 0, insert 3.
    delta = bytes([len(old) & 0x7F | 0x80, len(old) >> 7, 12, 0x90, 9, 3]) + b"XYZ"
    assert changed_files({"b": ("100644", old)}, index + _binary_patch("delta", delta)) == {
        "b": ("100644", old[:9] + b"XYZ")
    }
    other = {"b": ("100644", b"\x00other")}
    assert expect_error(other, index + _binary_patch("literal", b"\x00new")).code == "patch_failed"


def test_new_file_has_the_line_endings_of_its_lines() -> None:
    diff = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n"
    assert changed_files({}, diff.replace("\n", "\r\n").encode()) == {"n": ("100644", b"n\n")}
    assert changed_files({}, diff.replace("+n\n", "+n\r\n").encode()) == {"n": ("100644", b"n\r\n")}


def test_invalid_hunk_header_is_refused() -> None:
    diff = HEAD + "@@ -1 +1 @@\n-1\n+one\n@ -3 +3 @@\n-3\n+three\n"
    assert expect_error({"a.txt": NUMBERS}, diff).code == "patch_failed"


SERIES: dict[str, tuple[dict[str, Content], str, dict[str, tuple[str, bytes] | None]]] = {
    "made and edited": (
        {},
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n--- a/n\n+++ b/n\n@@ -1 +1,2 @@\n 1\n+2\n",
        {"n": ("100644", b"1\n2\n")},
    ),
    "renamed and edited": (
        {"b": "1\n"},
        "diff --git a/b b/n\nrename from b\nrename to n\n"
        "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-1\n+2\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-2\n+3\n",
        {"b": None, "n": ("100644", b"3\n")},
    ),
    "a new file at a renamed path": (
        {"b": "1\n", "c": "2\n"},
        "diff --git a/b b/n\nrename from b\nrename to n\ndiff --git a/c b/b\nrename from c\nrename to b\n"
        "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+3\n",
        {"b": ("100644", b"3\n"), "c": None, "n": ("100644", b"1\n")},
    ),
    "made executable and edited": (
        {"b": "1\n"},
        "diff --git a/b b/b\nold mode 100644\nnew mode 100755\n"
        "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n",
        {"b": ("100755", b"2\n")},
    ),
}


@pytest.mark.parametrize(("before", "diff", "expected"), SERIES.values(), ids=SERIES)
def test_diff_of_a_series_edits_the_result_of_the_previous(
    before: dict[str, Content], diff: str, expected: dict[str, tuple[str, bytes] | None]
) -> None:
    assert changed_files(before, diff) == expected
