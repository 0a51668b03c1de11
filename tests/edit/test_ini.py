"""Edits of INI and .properties files: sections, keys and continued values."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, expect_refusal, gate_errors, insert, replace

INI = """\
root = true

[metadata]
name = x
requires =
    a>=1
    b: 2
; of v
version: 1

# of the remote
[remote "origin"]
\turl = a
"""
ORIGIN = '`remote "origin"`'
PROPERTIES = "a.b=1\n# of c\nc=2\\\n  3\n"


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("setup.cfg", INI, replace("name", "name = y"), INI.replace("= x", "= y")),
        ("setup.cfg", INI, replace("requires", "requires =\n    c"), INI.replace("a>=1\n    b: 2", "c")),
        ("setup.cfg", INI, replace("version", "version: 2"), INI.replace(": 1", ": 2")),
        (
            "setup.cfg",
            INI,
            replace(ORIGIN, '[remote "origin"]\nurl = b'),
            INI.replace("\turl = a", "url = b"),
        ),
        ("setup.cfg", INI, delete("requires"), INI.replace("requires =\n    a>=1\n    b: 2\n", "")),
        ("setup.cfg", INI, delete("metadata"), "root = true\n\n" + INI[INI.index("# of the") :]),
        ("setup.cfg", INI, delete("url"), INI.replace("\turl = a\n", "")),
        ("a.ini", "[a]\nx = 1\n\n[b]\n", delete("x"), "[a]\n\n[b]\n"),
        ("a.properties", PROPERTIES, delete("c"), "a.b=1\n"),
        ("a.properties", PROPERTIES, replace("a.b", "a.b=2"), PROPERTIES.replace("=1", "=2")),
    ],
)
def test_key_is_replaced_or_deleted(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("setup.cfg", INI, insert("metadata", "last", "n = 1"), INI.replace(": 1\n", ": 1\nn = 1\n")),
        ("setup.cfg", INI, insert("metadata", "first", "n = 1"), INI.replace("name", "n = 1\nname")),
        ("setup.cfg", INI, insert("requires", "after", "n =\n  1"), INI.replace("; of", "n =\n  1\n; of")),
        ("setup.cfg", INI, insert("version", "before", "n = 1"), INI.replace("; of", "n = 1\n; of")),
        ("setup.cfg", INI, insert(ORIGIN, "last", "n = 1"), INI + "\tn = 1\n"),
        (
            "setup.cfg",
            INI,
            insert("metadata", "after", "[n]\na = 1"),
            INI.replace("# of", "[n]\na = 1\n\n# of"),
        ),
        ("a.ini", "[a]\n\n[b]\n", insert("a", "last", "n = 1"), "[a]\nn = 1\n\n[b]\n"),
        ("a.ini", "[a]", insert("a", "last", "n = 1"), "[a]\nn = 1"),
        ("a.properties", PROPERTIES, insert("a.b", "after", "n=1"), PROPERTIES.replace("# of", "n=1\n# of")),
    ],
)
def test_insert_and_delete_restore_the_file(path: str, before: str, op: Op, after: str) -> None:
    edited_bytes = edit_file(before, op, path=path)
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete("n"), path=path).decode() == before


def test_invalid_edit_is_refused() -> None:
    assert (
        expect_refusal(INI, insert("metadata", "last", "name = 1"), path="a.ini").code == "duplicate_symbol"
    )
    assert expect_refusal(INI, replace("name", "nam = 1"), path="a.ini").code == "name_mismatch"


def test_text_edit_with_any_line_is_accepted() -> None:
    assert gate_errors("a.cfg", INI, {"op": "text", "old": "name = x", "new": "%include ]\nword"}) == []
