"""Edits of JSON, TOML and Markdown: keys, items, separators, tables and sections."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.addresses import resolve_address
from tests.edit.editing import (
    Op,
    apply_changeset,
    delete,
    edit_file,
    expect_refusal,
    gate_errors,
    insert,
    replace,
)
from tests.syntax.outlines import read

JSON = '{\n  "a": 1,\n  "b": {\n    "x": [1, 2],\n    "y": {}\n  }\n}\n'
TOML = "top = 1\n\n[a]\nx = 1\ny = [1, 2] # c\n\n# of b\n[b]\nz = 1\n\n[[c]]\nk = 1\n\n[[c]]\nk = 2\n"
MD = "# A\n\nintro\n\n## B\n\ntext\n\n## C\n\n```\n\tcode\n```\n\n# D\n\nend\n"


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.json", JSON, replace("a", '"a": {"z": 2}'), JSON.replace('"a": 1', '"a": {"z": 2}')),
        ("a.json", JSON, replace("a", '"a": 2,'), JSON.replace('"a": 1', '"a": 2')),
        ("a.json", JSON, replace("b.x[1]", "[3]"), JSON.replace("2]", "[3]]")),
        ("a.json", JSON, replace("b", '"b": {\n  "q": 1\n}'), '{\n  "a": 1,\n  "b": {\n    "q": 1\n  }\n}\n'),
        ("a.json", JSON, delete("a"), JSON.replace('  "a": 1,\n', "")),
        ("a.json", JSON, delete("b"), '{\n  "a": 1\n}\n'),
        ("a.json", JSON, delete("x[0]"), JSON.replace("[1, 2]", "[2]")),
        ("a.json", JSON, delete("x[1]"), JSON.replace("[1, 2]", "[1]")),
        ("a.json", '{\n  "a": [\n    1\n  ]\n}\n', delete("a[0]"), '{\n  "a": []\n}\n'),
        ("a.json", '{\n  "a": 1, // of a\n  "b": 2\n}\n', delete("a"), '{\n  "b": 2\n}\n'),
        ("a.json", '{\n  "a": 1, // of a\n  "b": 2\n}\n', delete("b"), '{\n  "a": 1 // of a\n}\n'),
        ("tsconfig.json", '{\n  "a": 1,\n  "b": 2,\n}\n', delete("b"), '{\n  "a": 1,\n}\n'),
        ("a.toml", TOML, delete("a"), TOML.replace("[a]\nx = 1\ny = [1, 2] # c\n\n", "")),
        ("a.toml", TOML, delete("b"), TOML.replace("# of b\n[b]\nz = 1\n\n", "")),
        ("a.toml", TOML, delete("c[0]"), TOML.replace("[[c]]\nk = 1\n\n", "")),
        ("a.toml", TOML, replace("a.x", "x = 2"), TOML.replace("x = 1", "x = 2")),
        ("a.toml", TOML, replace("c[1]", "[[c]]\nk = 3"), TOML.replace("k = 2", "k = 3")),
        ("a.md", MD, delete("B"), MD.replace("## B\n\ntext\n\n", "")),
        ("a.md", MD, delete("A"), "# D\n\nend\n"),
        ("a.md", MD, delete("D"), MD.replace("\n# D\n\nend\n", "")),
        ("a.md", MD, replace("A.B", "## B\n\n    code\n\n- x"), MD.replace("text", "    code\n\n- x")),
        ("a.md", "# A\n\na\n\nB\n===\n\nb\n", delete("A"), "B\n===\n\nb\n"),
    ],
)
def test_key_or_section_is_replaced_or_deleted(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "op", "new", "after"),
    [
        ("a.json", JSON, insert("a", "before", '"n": 0'), "n", JSON.replace('"a"', '"n": 0,\n  "a"')),
        (
            "a.json",
            JSON,
            insert("a", "after", '"n": 0,'),
            "n",
            JSON.replace("1,\n  ", '1,\n  "n": 0,\n  ', 1),
        ),
        ("a.json", JSON, insert("b", "after", '"n": 0'), "n", JSON.replace("  }\n}", '  },\n  "n": 0\n}')),
        ("a.json", JSON, insert("b", "last", '"n": 0'), "n", JSON.replace("{}", '{},\n    "n": 0')),
        ("a.json", JSON, insert("b", "first", '"n": 0'), "n", JSON.replace('"x"', '"n": 0,\n    "x"')),
        ("a.json", JSON, insert("y", "last", '"n": 0'), "n", JSON.replace("{}", '{\n      "n": 0\n    }')),
        ("a.json", JSON, insert("x", "first", "0"), "x[0]", JSON.replace("[1", "[0, 1")),
        ("a.json", JSON, insert("x", "last", "0"), "x[2]", JSON.replace("2]", "2, 0]")),
        ("a.json", JSON, insert("x[0]", "after", "0"), "x[1]", JSON.replace("1, 2", "1, 0, 2")),
        ("a.json", '{"a":1,"b":2}', insert("b", "after", '"n":0'), "n", '{"a":1,"b":2,"n":0}'),
        ("a.toml", TOML, insert("a", "last", "n = 0"), "n", TOML.replace("# c\n", "# c\nn = 0\n")),
        ("a.toml", TOML, insert("a.x", "after", "n = 0"), "n", TOML.replace("\ny", "\nn = 0\ny")),
        ("a.toml", TOML, insert("b", "before", "[n]"), "n", TOML.replace("# of b", "[n]\n\n# of b")),
        ("a.toml", TOML, insert("y", "last", "3"), "y[2]", TOML.replace("2]", "2, 3]")),
        ("a.md", MD, insert("B", "after", "## N\n\nn"), "N", MD.replace("## C", "## N\n\nn\n\n## C")),
        ("a.md", MD, insert("A", "last", "## N\n\nn"), "N", MD.replace("# D", "## N\n\nn\n\n# D")),
        ("a.md", MD, insert("A", "first", "## N"), "N", MD.replace("## B", "## N\n\n## B")),
        ("a.md", MD, insert("D", "after", "# N"), "N", MD + "\n# N\n"),
    ],
)
def test_insert_and_delete_restore_the_file(path: str, before: str, op: Op, new: str, after: str) -> None:
    edited_bytes = edit_file(before, op, path=path)
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete(new), path=path).decode() == before


@pytest.mark.parametrize(
    ("path", "before", "op", "code"),
    [
        ("a.json", JSON, insert("a", "after", '"b": 0'), "duplicate_symbol"),
        ("a.json", JSON, replace("a", '"c": 0'), "name_mismatch"),
        ("a.json", JSON, replace("a", "zero"), "body_only"),
        ("a.json", JSON, replace("a", '"a": 1,\n"c": 2'), "extra_definitions"),
        ("a.json", JSON, replace("a", '"a": [1'), "syntax_error"),
        ("a.json", JSON, delete("x[2]"), "symbol_not_found"),
    ],
)
def test_invalid_edit_is_refused(path: str, before: str, op: Op, code: str) -> None:
    assert expect_refusal(before, op, path=path).code == code


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a.json", JSON, '"a": 1,\n  "b"', '"c": 1,\n  "d": [],\n  "b"'),
        ("a.json", JSON.replace("1,", "1,,"), '"x": [1,, 2],\n', '"x": [1,, 3],\n"z": 1,\n'),
        ("a.md", MD, "## B\n\ntext", "# N\n\ntext\n\n## M"),
        ("a.md", MD, "text\n", "| a |\n| - | - |\n| b |||\n"),
        ("a.toml", TOML, "x = 1\n", "z = 1\n[n]\n"),
        ("tsconfig.json", JSON, "{}", '{\n// why\n"z": 1,\n}'),
    ],
)
def test_text_edit_may_change_keys_and_sections(path: str, before: str, old: str, new: str) -> None:
    assert gate_errors(path, before, {"op": "text", "old": old, "new": new}) == []


def test_text_edit_that_breaks_data_is_refused() -> None:
    assert gate_errors("a.json", JSON, {"op": "text", "old": "1,\n", "new": "1\n"}) == ["syntax_error"]


def test_large_data_has_no_intents() -> None:
    long_list = "[" + "1,\n" * 100_000 + '{"a": 0}]'
    assert (
        apply_changeset(long_list, {"op": "text", "old": "0}", "new": "2}"}, path="a.json").done[0].intents
        == ()
    )


@pytest.mark.parametrize(
    ("path", "text", "qualname", "start"),
    [
        ("a.json", '{"a.b": {"c": [0, [1]]}}', '"a.b".c[1][0]', "1"),
        ("a.json", '[{"a": 1}]', "[0].a", '"a"'),
        ("a.json", '{"": 1}', '""', '""'),
        ("a.json", '{"/u/{id}": 1}', '"/u/{id}"', '"/u'),
        ("a.json", '{"a[0]": 1}', '"a[0]"', '"a'),
        ("a.json", '{"a#1": 1}', '"a#1"', '"a'),
        ("a.json", '{"`a` \\\'": {"b": 1}}'.replace("\\'", '\\"'), '"`a` \\"""', '"`a`'),
    ],
)
def test_quoted_address_is_resolved(path: str, text: str, qualname: str, start: str) -> None:
    found = resolve_address(read(text, path), qualname)
    assert found.qualname == qualname
    assert text[found.start :].startswith(start)
