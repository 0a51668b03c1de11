"""Addresses in an older version of a file are relocated to the current version or refused."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, apply_changeset, blob_id, expect_refusal

BASE_TEXT = """\
def f():
    if x:
        return 1
    return 2


def g():
    return 3
"""
IF_NODE = "if_statement:13-35"
G = "def g():\n    return 4\n"


def apply_with_base(base_text: str, current: str, *ops: Op) -> str:
    """Return the current file after operations on ``seen``."""
    based = [{**op, "base": blob_id(base_text)} for op in ops]
    content = apply_changeset({"a.py": current, "seen": base_text}, *based).overlay.content("a.py")
    assert content is not None
    return content.decode()


def expect_error_with_base(base_text: str, current: str, op: Op) -> str:
    error = expect_refusal({"a.py": current, "seen": base_text}, {**op, "base": blob_id(base_text)})
    assert error.hint
    return error.code


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        ({"op": "replace", "node": IF_NODE, "code": "y()"}, "    if x:\n        return 1\n", "    y()\n"),
        ({"op": "delete", "node": IF_NODE}, "    if x:\n        return 1\n", ""),
        (
            {"op": "insert", "node": "return_statement:27-35", "position": "before", "code": "y()"},
            "        return 1",
            "        y()\n        return 1",
        ),
        ({"op": "replace", "node": "function_definition:51-72", "code": G}, "return 3", "return 4"),
        ({"op": "signature", "node": "function_definition:0-48", "code": "def f(a):"}, "f()", "f(a)"),
    ],
)
@pytest.mark.parametrize("above", ["", "# new\n\n", "def f():\n    if x:\n        return 0\n\n\n"])
def test_node_is_relocated_in_a_changed_file(op: Op, old: str, new: str, above: str) -> None:
    assert apply_with_base(BASE_TEXT, above + BASE_TEXT, op) == above + BASE_TEXT.replace(old, new, 1)


def test_node_is_relocated_after_earlier_operations() -> None:
    ops: list[Op] = [
        {"op": "lines", "start": 1, "position": "before", "code": "# one\n# two"},
        {"op": "replace", "symbol": "g", "code": G},
        {"op": "replace", "node": IF_NODE, "code": "y()"},
    ]
    expected = "# one\n# two\n" + BASE_TEXT.replace("if x:\n        return 1", "y()").replace("3", "4")
    assert apply_with_base(BASE_TEXT, BASE_TEXT, *ops) == expected


def test_trailing_white_space_does_not_prevent_relocation() -> None:
    current = BASE_TEXT.replace(":\n", ":  \n")
    op = {"op": "replace", "node": IF_NODE, "code": "y()"}
    assert apply_with_base(BASE_TEXT, current, op) == current.replace("if x:  \n        return 1", "y()")


@pytest.mark.parametrize(
    "current",
    [
        BASE_TEXT.replace("return 1", "return 0"),
        BASE_TEXT.replace("        return 1\n", "        y()\n        return 1\n"),
        BASE_TEXT.replace("if x", "if z"),
        "",
    ],
)
def test_changed_node_is_stale(current: str) -> None:
    assert expect_error_with_base(BASE_TEXT, current, {"op": "delete", "node": IF_NODE}) == "stale"


@pytest.mark.parametrize(
    ("node", "code"),
    [
        ("if_statement:13-34", "invalid_ref"),
        ("while_statement:13-35", "invalid_ref"),
        ("if_statement:130-350", "invalid_ref"),
        ("if_statement", "invalid_ref"),
        ("if_statement:35-13", "invalid_ref"),
    ],
)
def test_reference_to_a_missing_node_is_invalid(node: str, code: str) -> None:
    assert expect_error_with_base(BASE_TEXT, BASE_TEXT, {"op": "delete", "node": node}) == code
    assert expect_error_with_base(BASE_TEXT, "# other\n" + BASE_TEXT, {"op": "delete", "node": node}) == code


def test_node_needs_its_base_and_excludes_other_addresses() -> None:
    op: Op = {"op": "delete", "node": IF_NODE}
    assert expect_refusal({"a.py": BASE_TEXT}, op).code == "invalid_args"
    assert expect_error_with_base(BASE_TEXT, BASE_TEXT, {**op, "symbol": "f"}) == "invalid_args"
    assert expect_error_with_base(BASE_TEXT, BASE_TEXT, {**op, "kind": "class"}) == "kind_mismatch"


def test_node_replaced_by_an_earlier_operation_conflicts() -> None:
    ops = [{"op": "replace", "symbol": "f", "code": "def f():\n    pass"}, {"op": "delete", "node": IF_NODE}]
    based = [{**op, "base": blob_id(BASE_TEXT)} for op in ops]
    assert expect_refusal({"a.py": BASE_TEXT}, *based).code == "nested_conflict"


TWICE = "def f():\n    return 1\n\n\ndef f():\n    return 2\n"


def test_definition_is_relocated_past_new_ones_of_its_name() -> None:
    current = "def f():\n    return 0\n\n\n" + TWICE
    op = {"op": "replace", "symbol": "f#2", "code": "def f():\n    return 9"}
    assert apply_with_base(TWICE, current, op) == current.replace("return 2", "return 9")


def test_moved_definition_is_found_by_its_name() -> None:
    moved = (
        BASE_TEXT[BASE_TEXT.index("def g") :] + "\n\nz = 1\n\n\n" + BASE_TEXT[: BASE_TEXT.index("\n\ndef g")]
    )
    assert "return 9" in apply_with_base(
        BASE_TEXT, moved, {"op": "replace", "symbol": "f", "code": "def f():\n    return 9"}
    )


def test_name_of_a_multiple_assignment_is_relocated() -> None:
    error = expect_error_with_base("a, b = 1, 2\n", "# new\n\na, b = 1, 2\n", {"op": "delete", "symbol": "b"})
    assert error == expect_refusal({"a.py": "a, b = 1, 2\n"}, {"op": "delete", "symbol": "b"}).code


def test_ambiguous_relocation_is_stale() -> None:
    between = "def f():\n    if x:\n        return 1\n\n\n"
    base_text = "y = 0\n" + between + "z = 0\n"
    current = "y = 0\n" + between + between + "z = 0\n"
    assert (
        expect_error_with_base(base_text, current, {"op": "delete", "node": "if_statement:19-41"}) == "stale"
    )


def test_change_next_to_the_target_is_ignored() -> None:
    current = BASE_TEXT.replace("    return 2\n", "    return 2\n\n\nz = 1\n")
    op = {"op": "lines", "start": 4, "code": "    return 5"}
    assert apply_with_base(BASE_TEXT, current, op) == current.replace("return 2", "return 5")
