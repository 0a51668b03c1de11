from __future__ import annotations

import json
from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import NotAllowed
from tests.edit.editing import Content, Files, apply_changeset, expect_refusal
from tests.edit.patches.patch_helpers import (
    NUMBERS,
    PatchInput,
    apply_patch,
    changed_files,
    expect_error,
    patch_file,
)
from tests.gates.gate_calls import judge_structure as judge


def make_edit(first: tuple[int, int], last: tuple[int, int], new: str, **more: Any) -> dict[str, Any]:
    start, end = ({"line": line, "character": character} for line, character in (first, last))
    return {"range": {"start": start, "end": end}, "newText": new, **more}


def make_changes(*edits: dict[str, Any], path: str = "a.txt") -> dict[str, Any]:
    return {"changes": {path: list(edits)}}


def make_document(path: str, *edits: dict[str, Any]) -> dict[str, Any]:
    return {"textDocument": {"uri": path, "version": 3}, "edits": list(edits)}


BYTES: dict[str, tuple[bytes, list[dict[str, Any]], bytes]] = {
    "inside a line": (b"abc\n", [make_edit((0, 1), (0, 2), "X")], b"aXc\n"),
    "positions in the original file": (
        b"a\nb\nc\n",
        [make_edit((0, 0), (1, 0), ""), make_edit((2, 0), (2, 1), "C")],
        b"b\nC\n",
    ),
    "in any order": (b"ab\n", [make_edit((0, 1), (0, 2), "B"), make_edit((0, 0), (0, 1), "A")], b"AB\n"),
    "at one position in order": (
        b"ab\n",
        [make_edit((0, 1), (0, 1), "1"), make_edit((0, 1), (0, 1), "2"), make_edit((0, 1), (0, 2), "3")],
        b"a123\n",
    ),
    "side by side": (b"abcd", [make_edit((0, 0), (0, 2), "x"), make_edit((0, 2), (0, 4), "y")], b"xy"),
    "at the end": (b"a\n", [make_edit((1, 0), (1, 0), "b\n")], b"a\nb\n"),
    "at the end of an unfinished line": (b"a", [make_edit((0, 1), (0, 1), "\nb")], b"a\nb"),
    "an empty file": (b"", [make_edit((0, 0), (0, 0), "x\n")], b"x\n"),
    "beyond the end of a line": (b"a\nb\n", [make_edit((0, 0), (0, 99), "x")], b"x\nb\n"),
    "beyond the end of a multi-byte line": (
        "é\nb\n".encode(),
        [make_edit((0, 1), (0, 2), "x")],
        "éx\nb\n".encode(),
    ),
    "beyond the end of a CRLF line": (b"a\r\nb\n", [make_edit((0, 2), (0, 2), "x")], b"ax\r\nb\n"),
    "UTF-16 counts": ("é😀x\n".encode(), [make_edit((0, 3), (0, 4), "y")], "é😀y\n".encode()),
    "combining characters count": (
        "e\u0301x\n".encode(),
        [make_edit((0, 2), (0, 3), "y")],
        "e\u0301y\n".encode(),
    ),
    "after a byte order mark": (b"\xef\xbb\xbfab\n", [make_edit((0, 0), (0, 1), "x")], b"\xef\xbb\xbfxb\n"),
    "UTF-16 files": (
        "\ufeffé\nab\n".encode("utf-16-le"),
        [make_edit((1, 1), (1, 2), "ü")],
        "\ufeffé\naü\n".encode("utf-16-le"),
    ),
    "CRLF": (b"a\r\nb\r\n", [make_edit((0, 1), (1, 1), "\nx\ny")], b"a\r\nx\r\ny\r\n"),
    "CRLF as the server writes it": (b"a\r\nb\r\n", [make_edit((1, 0), (1, 0), "x\r\n")], b"a\r\nx\r\nb\r\n"),
    "a whole line with its ending": (b"a\r\nb\r\n", [make_edit((0, 0), (1, 0), "")], b"b\r\n"),
    "a lone CR ends a line": (b"a\rb\rc", [make_edit((1, 0), (1, 1), "x")], b"a\rx\rc"),
    "mixed endings": (
        b"a\r\nb\nc\rd\n",
        [make_edit((1, 0), (1, 1), "x"), make_edit((3, 0), (3, 1), "y")],
        b"a\r\nx\nc\ry\n",
    ),
    "an added line in a mixed file": (b"a\r\nb\n", [make_edit((1, 0), (1, 0), "x\n")], b"a\r\nx\r\nb\n"),
    "ASCII in a file of unknown bytes": (b"\xff\nab\n", [make_edit((1, 0), (1, 1), "x")], b"\xff\nxb\n"),
}


@pytest.mark.parametrize(("before", "edits", "expected"), BYTES.values(), ids=BYTES)
def test_edit_gives_the_expected_bytes(before: bytes, edits: list[dict[str, Any]], expected: bytes) -> None:
    assert patch_file(before, make_changes(*edits)) == expected
    assert patch_file(before, {"documentChanges": [make_document("a.txt", *edits)]}) == expected


REFUSED_EDITS: dict[str, tuple[bytes, list[dict[str, Any]], str]] = {
    "beyond the last line": (b"a\n", [make_edit((2, 0), (2, 0), "x")], "out_of_range"),
    "a huge position": (b"a\n", [make_edit((10**40, 0), (10**40, 0), "x")], "out_of_range"),
    "a negative position": (b"a\n", [make_edit((0, -1), (0, 0), "x")], "invalid_args"),
    "half a surrogate pair": ("😀\n".encode(), [make_edit((0, 1), (0, 2), "x")], "patch_failed"),
    "reversed range": (b"ab\n", [make_edit((0, 1), (0, 0), "x")], "patch_failed"),
    "overlapping": (
        b"abc\n",
        [make_edit((0, 0), (0, 2), "x"), make_edit((0, 1), (0, 3), "y")],
        "patch_failed",
    ),
    "an insertion after a change at the position": (
        b"ab\n",
        [make_edit((0, 0), (0, 1), "x"), make_edit((0, 0), (0, 0), "y")],
        "patch_failed",
    ),
    "no change": (b"ab\n", [make_edit((0, 0), (0, 1), "a")], "no_change"),
    "across bytes that are not text": (b"\xffab\n", [make_edit((0, 1), (0, 2), "x")], "patch_failed"),
    "a snippet": (b"a\n", [make_edit((0, 0), (0, 1), "$1", insertTextFormat=2)], "patch_failed"),
    "a character that the file cannot hold": (
        b"\xff\na\n",
        [make_edit((1, 0), (1, 1), "€")],
        "unencodable",
    ),
}


@pytest.mark.parametrize(("before", "edits", "code"), REFUSED_EDITS.values(), ids=REFUSED_EDITS)
def test_invalid_edit_is_refused(before: bytes, edits: list[dict[str, Any]], code: str) -> None:
    error = expect_error({"a.txt": before}, make_changes(*edits))
    assert error.code == code


def test_error_reports_the_edit() -> None:
    valid_edit, late_edit, other_edit = (
        make_edit((0, 0), (0, 1), "x"),
        make_edit((9, 0), (9, 0), "y"),
        make_edit((0, 0), (0, 0), "z"),
    )
    error = expect_error({"a.txt": "ab\n"}, make_changes(valid_edit, late_edit))
    assert (error.data["path"], error.data["edit"]) == ("a.txt", 2)
    error = expect_error(
        {"a.txt": "ab\n"}, make_changes(valid_edit, make_edit((0, 2), (0, 2), "y"), other_edit)
    )
    assert (error.data["path"], error.data["edits"]) == ("a.txt", [1, 3])


def create_step(path: str, **options: bool) -> dict[str, Any]:
    return {"kind": "create", "uri": path, "options": options}


def rename_step(old: str, new: str, **options: bool) -> dict[str, Any]:
    return {"kind": "rename", "oldUri": old, "newUri": new, "options": options}


def delete_step(path: str, **options: bool) -> dict[str, Any]:
    return {"kind": "delete", "uri": path, "options": options}


A, B, X = ("100644", b"a\n"), ("100644", b"b\n"), make_edit((0, 0), (0, 0), "x")
BEFORE: dict[str, Content] = {"a": "a\n", "b": "b\n", "d/1": "1\n", "d/2": "2\n"}

STEPS: dict[str, tuple[list[dict[str, Any]], dict[str, tuple[str, bytes] | None]]] = {
    "create": ([create_step("n")], {"n": ("100644", b"")}),
    "create and edit": ([create_step("n"), make_document("n", X)], {"n": ("100644", b"x")}),
    "create, replacing": ([create_step("a", overwrite=True), make_document("a", X)], {"a": ("100644", b"x")}),
    "create, keeping": (
        [create_step("a", ignoreIfExists=True), make_document("a", X)],
        {"a": ("100644", b"xa\n")},
    ),
    "create, replacing and keeping": (
        [create_step("a", ignoreIfExists=True, overwrite=True), make_document("a", X)],
        {"a": ("100644", b"x")},
    ),
    "rename": ([rename_step("a", "n/m")], {"a": None, "n/m": A}),
    "rename and edit": (
        [rename_step("a", "n"), make_document("n", X)],
        {"a": None, "n": ("100644", b"xa\n")},
    ),
    "edit and rename": (
        [make_document("a", X), rename_step("a", "n")],
        {"a": None, "n": ("100644", b"xa\n")},
    ),
    "edit by both names": (
        [make_document("a", X), rename_step("a", "n"), make_document("n", make_edit((0, 1), (0, 1), "y"))],
        {"a": None, "n": ("100644", b"xay\n")},
    ),
    "rename twice": ([rename_step("a", "n"), rename_step("n", "m")], {"a": None, "m": A}),
    "change places": (
        [rename_step("a", "n"), rename_step("b", "a"), rename_step("n", "b")],
        {"a": B, "b": A},
    ),
    "rename, replacing": ([rename_step("a", "b", overwrite=True)], {"a": None, "b": A}),
    "rename, keeping": (
        [rename_step("a", "b", ignoreIfExists=True), make_document("d/1", X)],
        {"d/1": ("100644", b"x1\n")},
    ),
    "rename a folder": (
        [make_document("d/1", X), rename_step("d", "e"), make_document("e/2", X)],
        {"d/1": None, "d/2": None, "e/1": ("100644", b"x1\n"), "e/2": ("100644", b"x2\n")},
    ),
    "rename a folder by its URI": (
        [make_document("d/1", X), rename_step("d/", "e/")],
        {"d/1": None, "d/2": None, "e/1": ("100644", b"x1\n"), "e/2": ("100644", b"2\n")},
    ),
    "delete": ([delete_step("a")], {"a": None}),
    "delete an edited file": ([make_document("a", X), delete_step("a")], {"a": None}),
    "delete and create": (
        [delete_step("a"), create_step("a"), make_document("a", X)],
        {"a": ("100644", b"x")},
    ),
    "delete a folder": ([delete_step("./d/", recursive=True)], {"d/1": None, "d/2": None}),
    "delete a missing file": ([delete_step("n", ignoreIfNotExists=True), delete_step("a")], {"a": None}),
    "edit twice": (
        [make_document("a", X), make_document("a", make_edit((0, 1), (0, 1), "y"))],
        {"a": ("100644", b"xay\n")},
    ),
}


@pytest.mark.parametrize(("steps", "expected"), STEPS.values(), ids=STEPS)
def test_steps_give_the_expected_files(
    steps: list[dict[str, Any]], expected: dict[str, tuple[str, bytes] | None]
) -> None:
    assert changed_files(BEFORE, {"documentChanges": steps}) == expected


REFUSED: dict[str, tuple[PatchInput, str]] = {
    "create an existing file": ({"documentChanges": [create_step("a")]}, "exists"),
    "create twice": ({"documentChanges": [create_step("n"), create_step("n")]}, "patch_failed"),
    "rename to an existing file": ({"documentChanges": [rename_step("a", "b")]}, "exists"),
    "rename to an edited file": (
        {"documentChanges": [make_document("b", X), rename_step("a", "b")]},
        "patch_failed",
    ),
    "rename, keeping, and edit": (
        {"documentChanges": [rename_step("a", "b", ignoreIfExists=True), make_document("b", X)]},
        "patch_failed",
    ),
    "delete a missing file": ({"documentChanges": [delete_step("n")]}, "file_not_found"),
    "delete a folder as a file": ({"documentChanges": [delete_step("d")]}, "not_a_file"),
    "keep all": ({"documentChanges": [create_step("a", ignoreIfExists=True)]}, "no_change"),
    "edit a missing file": (make_changes(X, path="n"), "file_not_found"),
    "outside": (make_changes(X, path="../a"), "path_denied"),
    "another root": (make_changes(X, path="file:///elsewhere/a"), "path_denied"),
    "another machine": (make_changes(X, path="file://host/a"), "path_denied"),
    "another scheme": (make_changes(X, path="untitled:a"), "path_denied"),
    "encoded git directory": (make_changes(X, path="%2Egit/config"), "path_denied"),
    "a NUL, encoded": (make_changes(X, path="a%00"), "invalid_args"),
    "no name": ({"documentChanges": [{"kind": "rename", "oldUri": "a"}]}, "invalid_args"),
    "another kind": ({"documentChanges": [{"kind": "link", "uri": "a"}]}, "invalid_args"),
    "no changes": ({"changes": {}}, "invalid_args"),
    "no edits": (make_changes(path="a"), "invalid_args"),
    "several": ([make_changes(X, path="a"), make_changes(X, path="b")], "invalid_args"),
    "another type": ({"changes": {"a": "x"}}, "invalid_args"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_steps_are_refused(diff: PatchInput, code: str) -> None:
    assert expect_error(BEFORE, diff).code == code


@pytest.mark.parametrize(
    "uri", ["file:///r%C3%B6%20t/%C3%A4.txt", "file:/r%C3%B6%20t/ä.txt", "%C3%A4.txt", "ä.txt"]
)
def test_uri_is_decoded(uri: str) -> None:
    operations = parse_operations([{"op": "patch", "diff": json.dumps(make_changes(X, path=uri))}])
    result = apply(operations, Files({"ä.txt": "a\n"}), ["/rö t"])
    assert result.overlay.content("ä.txt") == b"xa\n"


@pytest.mark.parametrize(
    "uri", ["file:///root2/a", "file://host/root/a", "file:///root/../a", "file:///root"]
)
def test_file_outside_of_the_roots_is_refused(uri: str) -> None:
    operations = parse_operations([{"op": "patch", "diff": json.dumps(make_changes(X, path=uri))}])
    with pytest.raises(NotAllowed):
        apply(operations, Files({"a": "a\n", "2/a": "a\n"}), ["/root"])


def test_renamed_file_is_parsed_in_its_new_language() -> None:
    workspace_edit = {
        "documentChanges": [
            make_document("a.txt", make_edit((0, 0), (0, 0), "def f(): ...\n")),
            rename_step("a.txt", "a.py"),
        ]
    }
    assert [
        i.symbol for result in apply_patch({"a.txt": "x = 1\n"}, workspace_edit).done for i in result.intents
    ] == ["f"]


def test_needed_confirmation_is_reported() -> None:
    workspace_edit = {
        **make_changes(make_edit((0, 0), (0, 0), "x", annotationId="1")),
        "changeAnnotations": {"1": {"label": "rename in comments", "needsConfirmation": True}},
    }
    row = apply_patch({"a.txt": "a\n"}, workspace_edit).done[0]
    assert row.edit is not None
    assert "rename in comments" in row.edit.corrections[0]


def test_positions_are_shifted_by_earlier_operations() -> None:
    zero = {"op": "lines", "start": 1, "position": "before", "code": "zero"}
    patch = {"op": "patch", "diff": json.dumps(make_changes(make_edit((4, 0), (4, 1), "five")))}
    result = apply_changeset(NUMBERS, zero, patch, path="a.txt")
    assert result.overlay.content("a.txt") == b"zero\n" + NUMBERS.replace("5\n", "five\n", 1).encode()


def test_edit_of_changed_text_is_refused() -> None:
    text = {"op": "text", "path": "a.txt", "old": "5\n6", "new": "fifty\n6"}
    patch = {"op": "patch", "path": "", "diff": json.dumps(make_changes(make_edit((4, 0), (4, 1), "five")))}
    assert expect_refusal({"a.txt": NUMBERS}, text, patch).code == "patch_failed"


def test_edit_is_checked_only_by_the_strict_structure_gate() -> None:
    workspace_edit = make_changes(make_edit((0, 5), (1, 0), "(x):\n"), path="a.py")
    result = apply_patch({"a.py": "def f():\n    return 1\n"}, workspace_edit)
    assert [judge(result, level).status for level in ("block", "strict")] == ["passed", "failed"]
