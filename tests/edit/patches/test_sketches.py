from __future__ import annotations

import pytest

from tests.edit.editing import blob_id
from tests.edit.patches.patch_helpers import PatchInput, apply_patch, expect_error, patch_file
from tests.gates.gate_calls import judge_structure as judge

CODE = "import a\n\nX = 1\n\n\ndef f():\n    one\n    two\n    three\n\n\ndef g():\n    four\n    five\n"


def make_sketch(content: str, path: str = "a.py", **more: str) -> dict[str, str]:
    return {"path": path, "content": content, **more}


TOP = "import a\nimport b\n\nX = 1\n# ... existing code ...\n"
BLOCKS: dict[str, tuple[str, dict[str, str]]] = {
    "the middle": ("# ...\n    one\n    TWO\n    three\n# ...\n", {"two": "TWO"}),
    "the top": (TOP, {"import a\n": "import a\nimport b\n"}),
    "the bottom": ("# ... rest ...\n    four\n    5\n    five\n", {"four\n": "four\n    5\n"}),
    "two places": (
        TOP + "    two\n    2\n    three\n    # ...\n",
        {"import a\n": "import a\nimport b\n", "two\n": "two\n    2\n"},
    ),
    "deleted lines between anchors": ("# ...\n    one\n    three\n# ...\n", {"    two\n": ""}),
    "blank lines at the edge": ("\n# ...\n    one\n    2\n    two\n# ...\n\n", {"one\n": "one\n    2\n"}),
    "an ellipsis for no lines": (
        "# ...\n    one\n# ...\n    two\n    2\n    three\n# ...\n",
        {"two\n": "two\n    2\n"},
    ),
    "a fence": (
        "```python path=a.py\n# ...\n    one\n    TWO\n    three\n# ...\n```\n",
        {"two": "TWO"},
    ),
}


@pytest.mark.parametrize(("content", "changes"), BLOCKS.values(), ids=BLOCKS)
def test_sketch_gives_the_expected_changes(content: str, changes: dict[str, str]) -> None:
    expected = CODE
    for old, new in changes.items():
        expected = expected.replace(old, new, 1)
    sketch: PatchInput = content if content.startswith("```") else make_sketch(content)
    assert patch_file(CODE, sketch, "a.py").decode() == expected


def test_unchanged_lines_keep_their_endings() -> None:
    assert (
        patch_file(b"a\r\nb\nc\r\nd", make_sketch("# ...\nb\nB\nc\n# ...\n"), "a.py") == b"a\r\nb\nB\nc\r\nd"
    )
    assert patch_file(b"a\r\nb\r\nc", make_sketch("a\nb\n# ...\nc\nd"), "a.py") == b"a\r\nb\r\nc\r\nd"


def test_kept_lines_are_reported() -> None:
    edit = (
        apply_patch({"a.py": CODE}, make_sketch("# ...\n    one\n    TWO\n    three\n# ...\n")).done[0].edit
    )
    assert edit is not None
    assert edit.corrections == (
        "lines 1-6 stay where the block has an ellipsis",
        "lines 10-14 stay where the block has an ellipsis",
    )


def test_given_base_is_compared() -> None:
    content = "# ...\n    one\n    TWO\n    three\n# ...\n"
    assert b"TWO" in patch_file(CODE, make_sketch(content, base=blob_id(CODE)), "a.py")
    assert expect_error({"a.py": CODE}, make_sketch(content, base="1" * 40)).code == "stale"


TWICE = CODE.replace("four", "one")
REFUSED: dict[str, tuple[str, str, str]] = {
    "a missing anchor": (CODE, "# ...\n    ONE\n    two\n# ...\n", "patch_failed"),
    "an anchor with other white space": (CODE, "# ...\n  one\n    two\n# ...\n", "patch_failed"),
    "an anchor with another blank line": (CODE, "# ...\n\n    one\n    2\n    two\n# ...\n", "patch_failed"),
    "an ambiguous anchor": (TWICE, "# ...\n    one\n    2\n    two\n# ...\n", "ambiguous"),
    "another order": (CODE, "# ...\n    four\n# ...\n    one\n# ...\n", "patch_failed"),
    "another order in a block": (CODE, "# ...\n    two\n    one\n# ...\n", "patch_failed"),
    "the top is missing": (CODE, "    one\n    2\n    two\n# ...\n", "patch_failed"),
    "the bottom is missing": (CODE, "# ...\n    one\n    2\n    two\n", "patch_failed"),
    "only an ellipsis": (CODE, "# ...\n", "no_change"),
    "no change": (CODE, "# ...\n    one\n    two\n# ...\n", "no_change"),
    "many deleted lines": ("".join(f"x{n}\n" for n in range(50)), "x0\nx40\n# ...\n", "over_scoped"),
}


@pytest.mark.parametrize(("before", "content", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_sketch_is_refused(before: str, content: str, code: str) -> None:
    assert expect_error({"a.py": before}, make_sketch(content)).code == code


def test_error_reports_the_anchor() -> None:
    error = expect_error({"a.py": CODE}, make_sketch("# ...\n    one()\n    two\n# ...\n"))
    assert error.data["anchor"] == "    one()"
    assert error.data["nearest"] == [{"n": 7, "text": "    one"}]
    error = expect_error({"a.py": TWICE}, make_sketch("# ...\n    one\n    2\n    two\n# ...\n"))
    assert error.data["ranges"] == [[7, 7], [13, 13]]


def test_sketch_of_a_missing_file_is_refused() -> None:
    assert expect_error({"b": ""}, make_sketch("# ...\nx\n", "n")).code == "file_not_found"


def test_gates_check_a_sketch_as_a_text_edit() -> None:
    one_line = make_sketch("# ...\ndef f():\n    one\n    TWO\n    three\n# ...\n")
    header = make_sketch("# ...\nX = 1\n\n\ndef f(x):\n    one\n    TWO\n    three\n# ...\n")
    assert judge(apply_patch({"a.py": CODE}, one_line), "block").status == "passed"
    assert judge(apply_patch({"a.py": CODE}, header), "block").status == "failed"


JS = (
    'import a from "a";\n\nfunction one() {\n  return 1;\n}\n\n'
    "/** Of two. */\nfunction two() {\n  return 2;\n}\n\n"
    "class K {\n  m() {\n    return 3;\n  }\n\n  n() {\n    return 3;\n  }\n}\n"
)
REST = "// ... existing code ...\n"
BY_NAME: dict[str, tuple[str, dict[str, str]]] = {
    "a function between others": (
        f'import a from "a";\n\n{REST}\nfunction two() {{\n  return 22;\n}}\n\n{REST}',
        {"return 2;": "return 22;"},
    ),
    "with its lead": (
        f"{REST}/** Of two. */\nfunction two() {{\n  return 22;\n}}\n{REST}",
        {"return 2;": "return 22;"},
    ),
    "with another header": (
        f"{REST}\nfunction two(x) {{\n  return 2;\n}}\n\n{REST}",
        {"two() {": "two(x) {"},
    ),
    "a new function below": (
        f"{REST}\nfunction one() {{\n  return 11;\n}}\n\nfunction half() {{\n  return 0;\n}}\n\n"
        f"/** Of two. */\nfunction two() {{\n  return 2;\n}}\n\n{REST}",
        {"return 1;\n}": "return 11;\n}\n\nfunction half() {\n  return 0;\n}"},
    ),
    "a method": (
        f"{REST}class K {{\n  m() {{\n    return 5;\n  }}\n\n  {REST}}}\n",
        {"return 3;": "return 5;"},
    ),
}


@pytest.mark.parametrize(("content", "changes"), BY_NAME.values(), ids=BY_NAME)
def test_definitions_next_to_a_placeholder_are_matched_by_name(content: str, changes: dict[str, str]) -> None:
    expected = JS
    for old, new in changes.items():
        expected = expected.replace(old, new, 1)
    assert patch_file(JS, make_sketch(content, "a.js"), "a.js").decode() == expected


def test_new_definition_between_placeholders_is_refused() -> None:
    content = f"{REST}\nfunction half() {{\n  return 0;\n}}\n\n{REST}"
    assert expect_error({"a.js": JS}, make_sketch(content, "a.js")).code == "patch_failed"
