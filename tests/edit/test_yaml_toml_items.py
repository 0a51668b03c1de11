"""Inserts and deletes in YAML and TOML that change no other value."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, apply_changeset, delete, edit_file, expect_refusal, insert

SERVERS = '[[srv]]\nname = "a"\n\n[[srv]]\nname = "b"\n\n[srv.sub]\nx = 1\n\n[[srv.l]]\ny = 2\n\n[o]\nz = 3\n'


def test_array_item_is_deleted_with_its_tables() -> None:
    after = '[[srv]]\nname = "a"\n\n[o]\nz = 3\n'
    assert edit_file(SERVERS, delete("srv[1]"), path="a.toml").decode() == after
    after = SERVERS.removeprefix('[[srv]]\nname = "a"\n\n')
    assert edit_file(SERVERS, delete("srv[0]"), path="a.toml").decode() == after


def test_item_with_a_separated_table_is_not_deleted() -> None:
    separated = "[[srv]]\na = 1\n\n[other]\nz = 3\n\n[srv.sub]\nx = 1\n"
    error = expect_refusal(separated, delete("srv[0]"), path="a.toml")
    assert error.code == "extra_definitions"
    assert error.data["definitions"] == ["srv.sub"]


@pytest.mark.parametrize("position", ["before", "after"])
@pytest.mark.parametrize("code", ["x", "- x"])
def test_flow_item_is_inserted_without_a_dash(position: str, code: str) -> None:
    after = b"a: [1, x, 2]\nb: 3\n"
    item = "a[0]" if position == "after" else "a[1]"
    result = apply_changeset("a: [1, 2]\nb: 3\n", insert(item, position, code), path="a.yml")
    assert result.overlay.content("a.yml") == after
    edit = result.done[0].edit
    assert edit is not None
    assert bool(edit.corrections) == (code == "- x")


KEPT = "x: 1\n\na: |+\n  text\n\n\nb: 2\n\nc: 3\n"


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        (KEPT, insert("a", "after", "n: 0"), KEPT.replace("b: 2", "n: 0\nb: 2")),
        (KEPT, insert("b", "before", "n: 0"), KEPT.replace("b: 2", "n: 0\n\n\nb: 2")),
        (KEPT, delete("b"), KEPT.replace("b: 2\n\n", "")),
        ("x: 1\n\na: |+\n  t\n", insert("a", "after", "n: 0"), "x: 1\n\na: |+\n  t\nn: 0\n"),
        ("x: 1\n\na: |+\n  t", insert("a", "after", "n: 0"), "x: 1\n\na: |+\n  t\nn: 0"),
        ("a: |+\n  t\n\n", insert("a", "after", "n: 0"), "a: |+\n  t\n\nn: 0\n"),
        ("a:\n  b: |+\n    t\n\nc: 1\n", insert("a", "last", "n: 0"), "a:\n  b: |+\n    t\n\n  n: 0\nc: 1\n"),
        ("a: |  # +\n  t\n\nb: 2\n\nc: 3\n", delete("b"), "a: |  # +\n  t\n\nc: 3\n"),
        ("a: |\n  t\nb: 2", delete("b"), "a: |\n  t\n"),
    ],
)
def test_blank_lines_of_a_block_scalar_are_kept(before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path="a.yml").decode() == after
