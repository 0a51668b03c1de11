from __future__ import annotations

import pytest

from gitscalpel.text.line_refs import line_hash
from tests.edit.editing import Content, blob_id, outcome
from tests.edit.patches.patching import NUMBERS, after, applied, patched, refusal
from tests.gates.judging import judge_structure as judge


def block(said: str, text: str, fence: str = "```") -> str:
    return f"{fence}{said}\n{text}{fence}\n"


ONE = "1\n"
HASH = line_hash(b"5")

LINES = {
    "a suggestion": block("suggestion path=a.txt lines=5", "five\n"),
    "code": "Here it is:\n\n" + block("text path=a.txt lines=5-5", "five\n") + "That is all.\n",
    "hashes": block(f"python path=a.txt lines=5:{HASH}-5:{HASH}", "five\n"),
    "a quoted path": block('python lines=5 path="a.txt"', "five\n"),
    "tildes": block("python path=a.txt lines=5", "five\n", "~~~"),
    "CRLF": block("python path=a.txt lines=5", "five\n").replace("\n", "\r\n"),
}


@pytest.mark.parametrize("diff", LINES.values(), ids=LINES)
def test_lines(diff: str) -> None:
    assert patched(NUMBERS, diff.encode()).decode() == NUMBERS.replace("5\n", "five\n", 1)


def test_line_numbers_of_several_blocks_mean_the_file_as_it_was() -> None:
    diff = block("x path=a.txt lines=1-2", "") + block("x path=a.txt lines=3", "three\n3\n")
    assert patched("1\n2\n3\n", diff) == b"three\n3\n"


def test_path_is_the_file_of_a_block_without_one() -> None:
    done = outcome("a\n", {"op": "patch", "diff": block("suggestion lines=1", "b\n")}, path="b")
    assert done.overlay.content("b") == b"b\n"


def test_whole_files() -> None:
    before: dict[str, Content] = {"a b": ("100755", b"1\n")}
    diff = block(f'text path="a b" base={blob_id(ONE)}', "2\n")
    diff += block("text path=n base=none", "```\n", "````")
    assert after(before, diff) == {"a b": ("100755", b"2\n"), "n": ("100644", b"```\n")}


REFUSED = {
    "neither lines nor base": (block("text path=a.txt", "x\n"), "invalid_args"),
    "both": (block(f"text path=a.txt lines=1 base={'1' * 40}", "x\n"), "invalid_args"),
    "no path": (block("suggestion lines=1", "x\n"), "invalid_args"),
    "no base, and there already": (block("text path=a.txt base=none", "x\n"), "exists"),
    "another base": (block(f"text path=a.txt base={'1' * 40}", "x\n"), "stale"),
    "a base that is none": (block("text path=a.txt base=HEAD", "x\n"), "invalid_ref"),
    "another line": (block("text path=a.txt lines=5:ffff", "x\n"), "stale"),
    "no line": (block("text path=a.txt lines=x", "x\n"), "invalid_ref"),
    "backwards": (block("text path=a.txt lines=5-4", "x\n"), "invalid_range"),
    "beyond the end": (block("text path=a.txt lines=99", "x\n"), "out_of_range"),
    "no end": ("```text path=a.txt lines=1\nx\n", "patch_failed"),
    "twice": (
        block("text path=a.txt lines=1-2", "x\n") + block("text path=a.txt lines=2", "y\n"),
        "patch_failed",
    ),
    "whole and in part": (
        block("text path=n base=none", "x\n") + block("text path=n lines=1", "y\n"),
        "invalid_args",
    ),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: str, code: str) -> None:
    assert refusal({"a.txt": NUMBERS}, diff).code == code


def test_a_block_is_judged_as_a_text_edit() -> None:
    diff = block("python path=a.py lines=1", "def f(x):\n    x += 1\n")
    assert judge(applied({"a.py": "def f():\n    return 1\n"}, diff), "block").status == "failed"
