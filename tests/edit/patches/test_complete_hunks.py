"""Every line of a diff that can belong to a hunk is applied, or the diff is refused."""

from __future__ import annotations

import pytest

from tests.edit.editing import Content
from tests.edit.patches.patch_helpers import apply_patch, changed_files, expect_error, patch_file

GO = "package a\n\nfunc a() {\n\tx(1)\n}\n\nfunc b() {\n\tx(2)\n}\n"
PY = "a = 1\nb = 1\n\nc = 1\nd = 1\n"
PY_BODY = "-a = 1\n+a = 2\nb = 1\n\n-c = 1\n+c = 2\n"
IN_D = PY[:-2] + "2\n"
PARTED = "-a = 1\n+a = 2\n b = 1\n\n-c = 1\n+c = 2\n"
PY_AFTER = "a = 2\nb = 1\n\nc = 2\nd = 1\n"
MARKDOWN = "# T\n\n* old\n\n```\nmake\n```\n\n* more\n"
MARKDOWN_BODY = "-* old\n+* new\n\n```\nmake\n```\n\n-* more\n+* less\n"
MARKDOWN_AFTER = MARKDOWN.replace("old", "new").replace("more", "less")
FILE_NAMES = "--- a/f\n+++ b/f\n"

WHOLE: dict[str, tuple[str, str, str]] = {
    "context at column 0 and a blank line": (
        GO,
        "@@ -3,7 +3,7 @@\n func a() {\n-\tx(1)\n+\ty(1)\n}\n\n func b() {\n-\tx(2)\n+\ty(2)\n }\n",
        GO.replace("x(", "y("),
    ),
    "with right counts": (PY, f"@@ -1,5 +1,5 @@\n{PY_BODY}d = 1\n", PY_AFTER),
    "with counts too small": (PY, f"@@ -1,2 +1,2 @@\n{PY_BODY}d = 1\n", PY_AFTER),
    "with counts too large": (PY, f"@@ -1,9 +1,9 @@\n{PY_BODY}d = 1\n", PY_AFTER),
    "without counts": (PY, f"@@\n{PY_BODY}", PY_AFTER),
    "with prose below": (PY, f"@@\n{PY_BODY}\nThat is all.\n", PY_AFTER),
    "counts of a part": (PY, f"@@ -1,2 +1,2 @@\n{PARTED}", PY_AFTER),
    "counts of an addition": (PY, "@@ -1,0 +1,1 @@\n+z = 0\na = 1\n", f"z = 0\n{PY}"),
    "context below a blank line": (
        f"\n{PY}",
        "@@ -1,0 +1,1 @@\n+z = 0\n\n a = 1\n",
        f"z = 0\n\n{PY}",
    ),
    "from the first line on": (
        "package a\n\nimport x\n",
        "@@ -1,3 +1,3 @@\npackage a\n\n-import x\n+import y\n",
        "package a\n\nimport y\n",
    ),
    "fences that are context": (MARKDOWN, f"@@ -3,7 +3,7 @@\n{MARKDOWN_BODY}", MARKDOWN_AFTER),
    "blank lines below that are counted": (PY, "@@ -4,3 +4,3 @@\n c = 1\n-d = 1\n+d = 2\n\n\n", IN_D),
    "a fence below that is counted": (PY, "@@ -4,3 +4,3 @@\n c = 1\n-d = 1\n+d = 2\n```\n", IN_D),
    "no header": (PY, "-d = 1\n+d = 2\n", IN_D),
    "no header, and context without its blank": (PY, "c = 1\n-d = 1\n+d = 2\n", IN_D),
}  # fmt: skip


@pytest.mark.parametrize(("before", "body", "expected"), WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("template", ["{}", "```diff\n{}```\n"], ids=["bare", "in a fence"])
def test_complete_hunk_is_applied(before: str, body: str, expected: str, template: str) -> None:
    assert patch_file(before, template.format(FILE_NAMES + body), "f").decode() == expected


def test_fence_with_a_context_blank_is_context() -> None:
    body = MARKDOWN_BODY.replace("\n```", "\n ```")
    assert (
        patch_file(MARKDOWN, f"```diff\n{FILE_NAMES}@@ -3,4 +3,4 @@\n{body}```\n", "f").decode()
        == MARKDOWN_AFTER
    )


def test_fence_is_context_unless_the_diff_is_in_a_fence() -> None:
    diff = f"{FILE_NAMES}@@ -3,4 +3,4 @@\n{MARKDOWN_BODY}"
    assert patch_file(MARKDOWN, diff, "f").decode() == MARKDOWN_AFTER
    assert expect_error({"f": MARKDOWN}, f"```diff\n{diff}```\n").code == "patch_failed"


GOOD = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+A\n"
TWO: dict[str, Content] = {"a": "a\nx\n", "b": "b\nx\n"}
BOTH: dict[str, str] = {
    "the last without a header": f"{GOOD}--- a/b\n+++ b/b\n-b\n+B\n",
    "the first without a header": f"diff --git a/b b/b\n--- a/b\n+++ b/b\n-b\n+B\n{GOOD}",
    "neither names nor header": f"diff --git a/b b/b\n-b\n+B\n{GOOD}",
    "counts that reach over the next header": (
        "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-a\n+A\n x\n--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-b\n+B\n x\n"
    ),
    "each in a fence": f"```diff\n{GOOD}```\nand\n```diff\n--- a/b\n+++ b/b\n-b\n+B\n```\n- done\n",
}


@pytest.mark.parametrize("diff", BOTH.values(), ids=BOTH)
def test_all_files_of_a_diff_are_changed(diff: str) -> None:
    assert changed_files(TWO, diff) == {"a": ("100644", b"A\nx\n"), "b": ("100644", b"B\nx\n")}


LEFT_OVER: dict[str, tuple[str, str]] = {
    "a second fence without names": (f"```diff\n{GOOD}```\n```diff\n-b\n+B\n```\n", "line 9"),
    "in a fence, above": (f"```diff\n-b\n+B\n{GOOD}```\n", "line 2"),
    "lines of a new file without a header": (
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n+x\n",
        "line 5",
    ),
    "names and no hunk": (f"{GOOD}--- a/b\n+++ b/b\n", "names b"),
    "a hunk without a header that fits nowhere": (f"{GOOD}--- a/b\n+++ b/b\n-c\n+B\n", "does not fit"),
    "below the end of the fence": (f"```diff\n{GOOD}```\n+B\n", "line 8"),
    "below blank lines": (f"{GOOD}\n-b\n+B\n", "does not fit"),
    "below prose": (f"{GOOD}\nand:\n\n-b\n+B\n", "does not fit"),
    "context of a new file": ("--- /dev/null\n+++ b/n\n@@ -0,0 +1,4 @@\n+x\n+\ny\n", "without +"),
    "context of a new file without counts": ("--- /dev/null\n+++ b/n\n@@\n+x\n+\ny\n", "without +"),
    "context of a new file below a counted blank line": (
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1,4 @@\n+x\n\ny\n",
        "without +",
    ),
}


@pytest.mark.parametrize(("diff", "message"), LEFT_OVER.values(), ids=LEFT_OVER)
def test_lines_outside_of_a_hunk_are_refused(diff: str, message: str) -> None:
    error = expect_error(TWO, diff)
    assert error.code == "patch_failed"
    assert message in error.message


PROSE: dict[str, str] = {
    "bullets below": f"{GOOD}\n- a is now A\n- nothing else\n",
    "bullets above": f"What I do:\n\n- a is now A\n+ nothing else\n\n{GOOD}",
    "a fence in another language": f"```diff\n{GOOD}```\n\n```yaml\n- a\n+ b\n```\n",
    "a mail after a mail": f"{GOOD}-- \n2.39.2\n\nFrom {'0' * 40} Mon Sep 17\n\n-b went\n---\n b | 2 +-\n\n",
}


@pytest.mark.parametrize("diff", PROSE.values(), ids=PROSE)
def test_prose_around_a_diff_is_ignored(diff: str) -> None:
    assert changed_files(TWO, diff) == {"a": ("100644", b"A\nx\n")}


def test_blank_lines_below_a_new_file_are_ignored() -> None:
    diff = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,4 @@\n+x\n+y\n\n\n"
    assert changed_files(TWO, diff) == {"n": ("100644", b"x\ny\n")}


FUNCTIONS = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    x = 1\n    return x\n"
BODY = "     x = 1\n-    return x\n+    return x * 2\n"
IN_B = FUNCTIONS[:-1] + " * 2\n"


@pytest.mark.parametrize(
    "header", ["@@ -2,2 +2,2 @@ def b():", "@@ -2,3 +2,4 @@ def b():", "@@ -7,3 +7,4 @@ def a():"]
)
def test_conflicting_line_number_and_heading_are_ambiguous(header: str) -> None:
    error = expect_error({"f": FUNCTIONS}, f"{FILE_NAMES}{header}\n{BODY}")
    assert error.code == "ambiguous"
    assert sorted(error.data["ranges"]) == [[2, 3], [7, 8]]


@pytest.mark.parametrize(
    "header",
    [
        "@@ -7,2 +7,2 @@ def b():",
        "@@ -7,2 +7,2 @@ def a():",  # git may write a heading that is above the hunk
        "@@ -8,3 +8,4 @@ def b():",
        "@@ -7,3 +7,4 @@ def gone():",
        "@@ ... @@ def b():",
        "@@ -XX,3 +XX,3 @@ def b():",
        "@@ def b(): @@",
        "@@ def b():",
    ],
)
def test_heading_selects_one_of_equal_places(header: str) -> None:
    assert patch_file(FUNCTIONS, f"{FILE_NAMES}{header}\n{BODY}", "f").decode() == IN_B


NO_NEWLINE = "\\ No newline at end of file\n"


def test_final_newline_missing_on_both_sides_of_a_diff_is_kept() -> None:
    body = f" a\n-b\n{NO_NEWLINE}+c\n{NO_NEWLINE}"
    error = expect_error({"f": "a\nb\n"}, f"{FILE_NAMES}@@ -1,2 +1,2 @@\n{body}")
    assert (error.code, "newline" in error.message) == ("patch_failed", True)
    diff = f"{FILE_NAMES}@@ ... @@\n{body}"
    assert patch_file("a\nb\n", diff, "f") == b"a\nc\n"
    assert patch_file("a\nb", diff, "f") == b"a\nc"
    edit = apply_patch({"f": "a\nb\n"}, diff).done[0].edit
    assert edit is not None
    assert "hunk 1 fits except for the newline at the end of the file" in edit.corrections


def test_newline_is_added_between_lines_without_one() -> None:
    diff = f"{FILE_NAMES}@@ -1 +1,2 @@\n-b\n{NO_NEWLINE}+b\n+c\n{NO_NEWLINE}"
    assert patch_file("b", diff, "f") == b"b\nc"
