from __future__ import annotations

import pytest

from gitscalpel.text.line_refs import line_hash
from tests.edit.editing import Content, apply_changeset, blob_id
from tests.edit.patches.patch_helpers import NUMBERS, apply_patch, changed_files, expect_error, patch_file
from tests.gates.gate_calls import judge_structure as judge


def make_block(info: str, text: str, fence: str = "```") -> str:
    return f"{fence}{info}\n{text}{fence}\n"


ONE = "1\n"
HASH = line_hash(b"5")

LINES = {
    "a suggestion": make_block("suggestion path=a.txt lines=5", "five\n"),
    "code": "Here it is:\n\n" + make_block("text path=a.txt lines=5-5", "five\n") + "That is all.\n",
    "hashes": make_block(f"python path=a.txt lines=5:{HASH}-5:{HASH}", "five\n"),
    "a quoted path": make_block('python lines=5 path="a.txt"', "five\n"),
    "tildes": make_block("python path=a.txt lines=5", "five\n", "~~~"),
    "CRLF": make_block("python path=a.txt lines=5", "five\n").replace("\n", "\r\n"),
}


@pytest.mark.parametrize("diff", LINES.values(), ids=LINES)
def test_block_replaces_its_lines(diff: str) -> None:
    assert patch_file(NUMBERS, diff.encode()).decode() == NUMBERS.replace("5\n", "five\n", 1)


def test_line_numbers_of_several_blocks_refer_to_the_original_file() -> None:
    diff = make_block("x path=a.txt lines=1-2", "") + make_block("x path=a.txt lines=3", "three\n3\n")
    assert patch_file("1\n2\n3\n", diff) == b"three\n3\n"


def test_path_of_the_operation_applies_to_a_block_without_one() -> None:
    result = apply_changeset(
        "a\n", {"op": "patch", "diff": make_block("suggestion lines=1", "b\n")}, path="b"
    )
    assert result.overlay.content("b") == b"b\n"


def test_block_writes_a_whole_file() -> None:
    before: dict[str, Content] = {"a b": ("100755", b"1\n")}
    diff = make_block(f'text path="a b" base={blob_id(ONE)}', "2\n")
    diff += make_block("text path=n base=none", "```\n", "````")
    assert changed_files(before, diff) == {"a b": ("100755", b"2\n"), "n": ("100644", b"```\n")}


REFUSED = {
    "neither lines nor base": (make_block("text path=a.txt", "x\n"), "invalid_args"),
    "lines and base": (make_block(f"text path=a.txt lines=1 base={'1' * 40}", "x\n"), "invalid_args"),
    "no path": (make_block("suggestion lines=1", "x\n"), "invalid_args"),
    "no base for an existing file": (make_block("text path=a.txt base=none", "x\n"), "exists"),
    "another base": (make_block(f"text path=a.txt base={'1' * 40}", "x\n"), "stale"),
    "an invalid base": (make_block("text path=a.txt base=HEAD", "x\n"), "invalid_ref"),
    "another line hash": (make_block("text path=a.txt lines=5:ffff", "x\n"), "stale"),
    "no line": (make_block("text path=a.txt lines=x", "x\n"), "invalid_ref"),
    "reversed range": (make_block("text path=a.txt lines=5-4", "x\n"), "invalid_range"),
    "beyond the end": (make_block("text path=a.txt lines=99", "x\n"), "out_of_range"),
    "no end": ("```text path=a.txt lines=1\nx\n", "patch_failed"),
    "two blocks for a line": (
        make_block("text path=a.txt lines=1-2", "x\n") + make_block("text path=a.txt lines=2", "y\n"),
        "patch_failed",
    ),
    "the whole file and lines of it": (
        make_block("text path=n base=none", "x\n") + make_block("text path=n lines=1", "y\n"),
        "invalid_args",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_block_is_refused(diff: str, code: str) -> None:
    assert expect_error({"a.txt": NUMBERS}, diff).code == code


def test_gates_check_a_block_as_a_text_edit() -> None:
    diff = make_block("python path=a.py lines=1", "def f(x):\n    x += 1\n")
    assert judge(apply_patch({"a.py": "def f():\n    return 1\n"}, diff), "block").status == "failed"
