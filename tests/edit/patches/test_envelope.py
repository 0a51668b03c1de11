from __future__ import annotations

import pytest

from tests.edit.editing import Content
from tests.edit.patches.patch_helpers import NUMBERS, apply_patch, changed_files, expect_error, patch_file
from tests.gates.gate_calls import judge_structure as judge

TWO = "class A:\n    def m(self):\n        x = 1\n\nclass B:\n    def m(self):\n        x = 1\n"


def make_envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


UPDATE = ("*** Update File: a.txt", "@@", " 4", "-5", "+five", " 6")

SPELLINGS = {
    "plain": make_envelope(*UPDATE),
    "no @@": make_envelope(*(line for line in UPDATE if line != "@@")),
    "in a shell's here-document": "apply_patch <<'EOF'\n" + make_envelope(*UPDATE) + "EOF\n",
    "in a fence": "```\n" + make_envelope(*UPDATE) + "```\n",
    "blank lines between the parts": make_envelope(*UPDATE, ""),
    "CRLF": make_envelope(*UPDATE).replace("\n", "\r\n"),
    "blanks around the lines with stars": "*** Begin Patch \n  *** Update File: a.txt \n"
    + "\n".join(UPDATE[1:])
    + "\n *** End Patch\n",
    "context without its blank": make_envelope(*(line.lstrip(" ") for line in UPDATE)),
    "no begin and end marker": "\n".join(UPDATE) + "\n",
    "no markers, in a fence": "```\n" + "\n".join(UPDATE) + "\n```\nThat is all.\n",
    "lines above the anchor as a separate hunk": make_envelope(*UPDATE[:2], " 1", " 2", *UPDATE[1:]),
    "two anchors": make_envelope(*(line.replace("@@", "@@ 2") for line in UPDATE)),
}


@pytest.mark.parametrize("diff", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_of_an_envelope_is_applied(diff: str) -> None:
    assert patch_file(NUMBERS, diff.encode()) == NUMBERS.replace("5\n", "five\n", 1).encode()


FILES: dict[str, tuple[str, dict[str, tuple[str, bytes] | None]]] = {
    "add": (make_envelope("*** Add File: d/n", "+1", "+", "+2"), {"d/n": ("100644", b"1\n\n2\n")}),
    "delete": (make_envelope("*** Delete File: b"), {"b": None}),
    "move": (make_envelope("*** Update File: b", "*** Move to: c"), {"b": None, "c": ("100755", b"1\n2\n")}),
    "move and edit": (
        make_envelope("*** Update File: b", "*** Move to: c", "@@", " 1", "-2", "+3"),
        {"b": None, "c": ("100755", b"1\n3\n")},
    ),
    "several hunks": (
        make_envelope("*** Update File: b", "@@", "-1", "+one", "@@", "-2", "+two"),
        {"b": ("100755", b"one\ntwo\n")},
    ),
    "at the end": (
        make_envelope("*** Update File: b", "@@", "+3", "*** End of File"),
        {"b": ("100755", b"1\n2\n3\n")},
    ),
}


@pytest.mark.parametrize(("diff", "expected"), FILES.values(), ids=FILES)
def test_envelope_gives_the_expected_files(diff: str, expected: dict[str, tuple[str, bytes] | None]) -> None:
    before: dict[str, Content] = {"b": ("100755", b"1\n2\n")}
    assert changed_files(before, diff) == expected


@pytest.mark.parametrize("anchors", [["@@ class B:"], ["@@ class B:", "@@ def m(self):"]])
def test_anchors_select_one_of_equal_places(anchors: list[str]) -> None:
    diff = make_envelope("*** Update File: a.py", *anchors, "-        x = 1", "+        x = 2")
    assert patch_file(TWO, diff, "a.py").decode() == TWO[: TWO.index("class B")] + TWO[
        TWO.index("class B") :
    ].replace("1", "2")


def test_lines_are_inserted_below_their_anchor() -> None:
    diff = make_envelope("*** Update File: a.py", "@@ class B:", "+    y = 0")
    assert patch_file(TWO, diff, "a.py").decode() == TWO.replace("class B:\n", "class B:\n    y = 0\n")


def test_end_of_file_marker_selects_the_last_place() -> None:
    diff = make_envelope("*** Update File: a.txt", "@@", "-a", "+b", "*** End of File")
    assert patch_file("a\na\n", diff) == b"a\nb\n"


REFUSED = {
    "empty": ("*** Begin Patch\n*** End Patch\n", "invalid_args"),
    "cut off": ("*** Begin Patch\n*** Update File: a.py\n@@\n-class A:\n+class C:\n", "patch_failed"),
    "two places": (make_envelope("*** Update File: a.py", "@@", "-        x = 1", "+"), "ambiguous"),
    "an anchor in both": (
        make_envelope("*** Update File: a.py", "@@ def m(self):", "-        x = 1", "+"),
        "ambiguous",
    ),
    "missing text": (make_envelope("*** Update File: a.py", "@@", "-y = 1", "+"), "patch_failed"),
    "a missing anchor": (
        make_envelope("*** Update File: a.py", "@@ nowhere", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "an anchor below the lines": (
        make_envelope("*** Update File: a.py", "@@ class B:", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "missing lines above the anchor": (
        make_envelope("*** Update File: a.py", "@@", " nowhere", "@@", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "applied already": (
        make_envelope("*** Update File: a.py", "@@", " class A:", "+    def m(self):"),
        "no_change",
    ),
    "only context": (make_envelope("*** Update File: a.py", "@@", " class A:"), "no_change"),
    "no change": (make_envelope("*** Update File: a.py"), "patch_failed"),
    "a line without its marker": (make_envelope("*** Add File: b", "x"), "patch_failed"),
    "a line with a blank": (make_envelope("*** Add File: b", " x"), "patch_failed"),
    "add an existing file": (make_envelope("*** Add File: a.py", "+x"), "exists"),
    "deleted twice": (make_envelope("*** Delete File: a.py", "*** Delete File: a.py"), "patch_failed"),
    "edited and deleted": (
        make_envelope("*** Update File: a.py", "@@", "-class A:", "+class C:", "*** Delete File: a.py"),
        "patch_failed",
    ),
    "deleted and edited": (
        make_envelope("*** Delete File: a.py", "*** Update File: a.py", "@@", "-class A:", "+class C:"),
        "patch_failed",
    ),
    "a missing file": (make_envelope("*** Delete File: b"), "file_not_found"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_envelope_is_refused(diff: str, code: str) -> None:
    assert expect_error({"a.py": TWO}, diff).code == code


MOVES: list[list[str]] = [[], ["*** Move to: b.py"]]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("blank", "verdict"), [(" ", "passed"), ("", "failed")])
def test_gates_check_a_fuzzy_hunk_as_a_text_edit(move: list[str], blank: str, verdict: str) -> None:
    diff = make_envelope(
        "*** Update File: a.py",
        *move,
        "@@ class B:",
        "-    def m(self):",
        "+    def m(self, y):",
        blank + "        x = 1",
    )
    assert judge(apply_patch({"a.py": TWO}, diff), "block").status == verdict
