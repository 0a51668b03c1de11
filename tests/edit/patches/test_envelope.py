from __future__ import annotations

import pytest

from tests.edit.editing import Content
from tests.edit.patches.patching import NUMBERS, after, applied, patched, refusal
from tests.gates.judging import judge_structure as judge

TWO = "class A:\n    def m(self):\n        x = 1\n\nclass B:\n    def m(self):\n        x = 1\n"


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


UPDATE = ("*** Update File: a.txt", "@@", " 4", "-5", "+five", " 6")

SPELLINGS = {
    "plain": envelope(*UPDATE),
    "no @@": envelope(*(line for line in UPDATE if line != "@@")),
    "in a shell's here-document": "apply_patch <<'EOF'\n" + envelope(*UPDATE) + "EOF\n",
    "in a fence": "```\n" + envelope(*UPDATE) + "```\n",
    "blank lines between the parts": envelope(*UPDATE, ""),
    "CRLF": envelope(*UPDATE).replace("\n", "\r\n"),
    "blanks around the lines with stars": "*** Begin Patch \n  *** Update File: a.txt \n"
    + "\n".join(UPDATE[1:])
    + "\n *** End Patch\n",
    "context without its blank": envelope(*(line.lstrip(" ") for line in UPDATE)),
    "neither begin nor end": "\n".join(UPDATE) + "\n",
    "neither, in a fence": "```\n" + "\n".join(UPDATE) + "\n```\nThat is all.\n",
    "lines above it as a hunk of their own": envelope(*UPDATE[:2], " 1", " 2", *UPDATE[1:]),
    "an anchor above it": envelope(*(line.replace("@@", "@@ 2") for line in UPDATE)),
}


@pytest.mark.parametrize("diff", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(diff: str) -> None:
    assert patched(NUMBERS, diff.encode()) == NUMBERS.replace("5\n", "five\n", 1).encode()


FILES: dict[str, tuple[str, dict[str, tuple[str, bytes] | None]]] = {
    "add": (envelope("*** Add File: d/n", "+1", "+", "+2"), {"d/n": ("100644", b"1\n\n2\n")}),
    "delete": (envelope("*** Delete File: b"), {"b": None}),
    "move": (envelope("*** Update File: b", "*** Move to: c"), {"b": None, "c": ("100755", b"1\n2\n")}),
    "move and edit": (
        envelope("*** Update File: b", "*** Move to: c", "@@", " 1", "-2", "+3"),
        {"b": None, "c": ("100755", b"1\n3\n")},
    ),
    "several hunks": (
        envelope("*** Update File: b", "@@", "-1", "+one", "@@", "-2", "+two"),
        {"b": ("100755", b"one\ntwo\n")},
    ),
    "at the end": (
        envelope("*** Update File: b", "@@", "+3", "*** End of File"),
        {"b": ("100755", b"1\n2\n3\n")},
    ),
}


@pytest.mark.parametrize(("diff", "expected"), FILES.values(), ids=FILES)
def test_files(diff: str, expected: dict[str, tuple[str, bytes] | None]) -> None:
    before: dict[str, Content] = {"b": ("100755", b"1\n2\n")}
    assert after(before, diff) == expected


@pytest.mark.parametrize("anchors", [["@@ class B:"], ["@@ class B:", "@@ def m(self):"]])
def test_anchors_tell_equal_places_apart(anchors: list[str]) -> None:
    diff = envelope("*** Update File: a.py", *anchors, "-        x = 1", "+        x = 2")
    assert patched(TWO, diff, "a.py").decode() == TWO[: TWO.index("class B")] + TWO[
        TWO.index("class B") :
    ].replace("1", "2")


def test_lines_go_below_their_anchor() -> None:
    diff = envelope("*** Update File: a.py", "@@ class B:", "+    y = 0")
    assert patched(TWO, diff, "a.py").decode() == TWO.replace("class B:\n", "class B:\n    y = 0\n")


def test_the_end_of_the_file_tells_equal_places_apart() -> None:
    diff = envelope("*** Update File: a.txt", "@@", "-a", "+b", "*** End of File")
    assert patched("a\na\n", diff) == b"a\nb\n"


REFUSED = {
    "empty": ("*** Begin Patch\n*** End Patch\n", "invalid_args"),
    "cut off": ("*** Begin Patch\n*** Update File: a.py\n@@\n-class A:\n+class C:\n", "patch_failed"),
    "two places": (envelope("*** Update File: a.py", "@@", "-        x = 1", "+"), "ambiguous"),
    "an anchor in both": (
        envelope("*** Update File: a.py", "@@ def m(self):", "-        x = 1", "+"),
        "ambiguous",
    ),
    "not there": (envelope("*** Update File: a.py", "@@", "-y = 1", "+"), "patch_failed"),
    "an anchor that is not there": (
        envelope("*** Update File: a.py", "@@ nowhere", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "an anchor below it": (
        envelope("*** Update File: a.py", "@@ class B:", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "lines above it that are not there": (
        envelope("*** Update File: a.py", "@@", " nowhere", "@@", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "applied already": (
        envelope("*** Update File: a.py", "@@", " class A:", "+    def m(self):"),
        "no_change",
    ),
    "only context": (envelope("*** Update File: a.py", "@@", " class A:"), "no_change"),
    "nothing to do": (envelope("*** Update File: a.py"), "patch_failed"),
    "a line without its mark": (envelope("*** Add File: b", "x"), "patch_failed"),
    "a line with a blank": (envelope("*** Add File: b", " x"), "patch_failed"),
    "added, and there already": (envelope("*** Add File: a.py", "+x"), "exists"),
    "deleted twice": (envelope("*** Delete File: a.py", "*** Delete File: a.py"), "patch_failed"),
    "edited and deleted": (
        envelope("*** Update File: a.py", "@@", "-class A:", "+class C:", "*** Delete File: a.py"),
        "patch_failed",
    ),
    "deleted and edited": (
        envelope("*** Delete File: a.py", "*** Update File: a.py", "@@", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "missing": (envelope("*** Delete File: b"), "file_not_found"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: str, code: str) -> None:
    assert refusal({"a.py": TWO}, diff).code == code


MOVES: list[list[str]] = [[], ["*** Move to: b.py"]]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("blank", "verdict"), [(" ", "passed"), ("", "failed")])
def test_a_hunk_that_fits_only_by_forgiving_is_judged_as_a_text_edit(
    move: list[str], blank: str, verdict: str
) -> None:
    diff = envelope(
        "*** Update File: a.py",
        *move,
        "@@ class B:",
        "-    def m(self):",
        "+    def m(self, y):",
        blank + "        x = 1",
    )
    assert judge(applied({"a.py": TWO}, diff), "block").status == verdict
