from __future__ import annotations

import pytest

from tests.edit.editing import apply_changeset
from tests.edit.patches.patch_helpers import NUMBERS, apply_patch, changed_files, expect_error, patch_file
from tests.gates.gate_calls import judge_structure as judge

BLOCK = "<<<<<<< SEARCH\n4\n5\n6\n=======\n4\nfive\n6\n>>>>>>> REPLACE\n"
MINUS = BLOCK.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++")
CHANGED = NUMBERS.replace("5\n", "five\n", 1)

SPELLINGS = {
    "the path above": "a.txt\n" + BLOCK,
    "a fence around it": "a.txt\n```\n" + BLOCK + "```\n",
    "the path inside the fence": "```text\na.txt\n" + BLOCK + "```\n",
    "the path as a heading": "### a.txt\n\n" + BLOCK,
    "the path in backquotes": "**`a.txt`**\n```text\n" + BLOCK + "```\n",
    "the path with a word": "File: a.txt\n" + BLOCK,
    "prose around it": "I change it so:\n\na.txt\n" + BLOCK + "\nThat is all.\n",
    "longer markers": "a.txt\n" + BLOCK.replace("<<<<<<<", "<<<<<<<<").replace(">>>>>>>", ">>>>>>>>>"),
    "markers of minus and plus": "a.txt\n" + MINUS,
    "minus and plus markers of other lengths": "a.txt\n"
    + MINUS.replace("-------", "-----").replace("=======", "===========").replace("+++++++", "+++++"),
    "a fence of XML": "a.txt\n<source>text\n" + BLOCK + "</source>\n",
    "CRLF": ("a.txt\n" + BLOCK).replace("\n", "\r\n"),
    "with a start line": "a.txt\n" + BLOCK.replace("SEARCH\n", "SEARCH\n:start_line:4\n-------\n"),
}


@pytest.mark.parametrize("diff", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_of_a_block_is_applied(diff: str) -> None:
    assert patch_file(NUMBERS, diff) == CHANGED.encode()


def test_blocks_for_several_files_are_applied() -> None:
    diff = (
        "a.txt\n" + BLOCK + "<<<<<<< SEARCH\nfive\n=======\n5.0\n>>>>>>> REPLACE\n"
        "b.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"
    )
    assert changed_files({"a.txt": NUMBERS}, diff) == {
        "a.txt": ("100644", NUMBERS.replace("5\n", "5.0\n", 1).encode()),
        "b.txt": ("100644", b"new\n"),
    }


BETWEEN = {
    "nothing": "",
    "an ellipsis": "\n...\n\n",
    "a remark": "\nAnd then the second change:\n\n",
    "a remark right above": "And then the second change:\n",
    "one word": "\nThen\n\n",
}


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_remark_between_two_blocks_is_not_a_file_name(between: str) -> None:
    second = "<<<<<<< SEARCH\n7\n=======\nseven\n>>>>>>> REPLACE\n"
    assert patch_file(NUMBERS, "a.txt\n" + BLOCK + between + second) == (
        CHANGED.replace("7\n", "seven\n", 1).encode()
    )


@pytest.mark.parametrize("name", ["b", "\n`b`\n", "\nd/b\n", "\nb.txt\n", "\n## b\n", "my b.txt"])
def test_file_name_between_two_blocks_is_recognized(name: str) -> None:
    path = name.strip("\n`# ")
    second = f"{name}\n<<<<<<< SEARCH\n7\n=======\nseven\n>>>>>>> REPLACE\n"
    assert set(changed_files({"a.txt": NUMBERS, path: NUMBERS}, "a.txt\n" + BLOCK + second)) == {
        "a.txt",
        path,
    }


def test_empty_old_text_fills_an_empty_file() -> None:
    diff = "a.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"
    assert changed_files({"a.txt": ("100755", b"")}, diff) == {"a.txt": ("100755", b"new\n")}


def test_backslash_escapes_a_marker() -> None:
    diff = "a.txt\n<<<<<<< SEARCH\n4\n=======\n\\:start_line:5\n\\=======\n\\n\n>>>>>>> REPLACE\n"
    assert patch_file(NUMBERS, diff) == NUMBERS.replace("4\n", ":start_line:5\n=======\n\\n\n", 1).encode()


def test_file_that_quotes_a_block_is_not_conflicted() -> None:
    shown = "Write it so:\n\na.txt\n" + BLOCK
    diff = "a.txt\n<<<<<<< SEARCH\nWrite it so:\n=======\nSo:\n>>>>>>> REPLACE\n"
    assert patch_file(shown, diff) == shown.replace("Write it so", "So").encode()


def test_path_of_the_operation_applies_to_a_block_without_one() -> None:
    result = apply_changeset(NUMBERS, {"op": "patch", "diff": BLOCK}, path="a.txt")
    assert result.overlay.content("a.txt") == CHANGED.encode()


def test_block_keeps_line_endings_and_missing_final_newline() -> None:
    diff = "a.txt\n<<<<<<< SEARCH\nb\nc\n=======\nb\nx\ny\n>>>>>>> REPLACE\n"
    assert patch_file(b"a\r\nb\r\nc", diff) == b"a\r\nb\r\nx\r\ny"


def test_start_line_selects_one_of_equal_places() -> None:
    block = "a.txt\n<<<<<<< SEARCH\n{}a\n=======\nb\n>>>>>>> REPLACE\n"
    assert patch_file("a\nx\na\n", block.format(":start_line:3\n-------\n")) == b"a\nx\nb\n"
    assert expect_error({"a.txt": "a\nx\na\n"}, block.format("")).code == "ambiguous"


REFUSED = {
    "no end": ("a.txt\n<<<<<<< SEARCH\n4\n=======\nfour\n", "patch_failed"),
    "no divider": ("a.txt\n<<<<<<< SEARCH\n4\n>>>>>>> REPLACE\n", "patch_failed"),
    "two dividers": ("a.txt\n<<<<<<< SEARCH\n4\n=======\n=======\n>>>>>>> REPLACE\n", "patch_failed"),
    "no path": (BLOCK, "patch_failed"),
    "a line number in the new text": (
        "a.txt\n<<<<<<< SEARCH\n4\n=======\n:start_line:5\nfour\n>>>>>>> REPLACE\n",
        "patch_failed",
    ),
    "an ambiguous indentation": (
        "a.txt\n<<<<<<< SEARCH\n  4\n=======\n four\n>>>>>>> REPLACE\n",
        "not_found",
    ),
    "create an existing file": ("a.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n", "exists"),
    "outside the repository": (
        "../a\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        "path_denied",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_block_is_refused(diff: str, code: str) -> None:
    assert expect_error({"a.txt": NUMBERS}, diff).code == code


def test_block_may_contain_another_patch_format() -> None:
    diff = "a.txt\n<<<<<<< SEARCH\n4\n=======\n*** Begin Patch\n@@ -1 +1 @@\n>>>>>>> REPLACE\n"
    assert patch_file(NUMBERS, diff) == NUMBERS.replace("4\n", "*** Begin Patch\n@@ -1 +1 @@\n", 1).encode()


@pytest.mark.parametrize(("indent", "verdict"), [("    ", "passed"), ("  ", "failed")])
def test_gates_check_a_fuzzy_block_as_a_text_edit(indent: str, verdict: str) -> None:
    block = (
        "a.py\n<<<<<<< SEARCH\n{0}def f(self):\n{0}    return 1\n"
        "=======\n{0}def f(self, x):\n{0}    return 1\n>>>>>>> REPLACE\n"
    )
    before = {"a.py": "class A:\n    def f(self):\n        return 1\n"}
    assert judge(apply_patch(before, block.format(indent)), "block").status == verdict
