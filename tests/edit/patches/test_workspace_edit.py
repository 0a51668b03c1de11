from __future__ import annotations

import json
from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import NotAllowed
from tests.edit.editing import Content, Files, outcome, refused
from tests.edit.patches.patching import NUMBERS, Said, after, applied, patched, refusal
from tests.gates.judging import judge_structure as judge


def edit(first: tuple[int, int], last: tuple[int, int], new: str, **more: Any) -> dict[str, Any]:
    start, end = ({"line": line, "character": character} for line, character in (first, last))
    return {"range": {"start": start, "end": end}, "newText": new, **more}


def changes(*edits: dict[str, Any], path: str = "a.txt") -> dict[str, Any]:
    return {"changes": {path: list(edits)}}


def document(path: str, *edits: dict[str, Any]) -> dict[str, Any]:
    return {"textDocument": {"uri": path, "version": 3}, "edits": list(edits)}


BYTES: dict[str, tuple[bytes, list[dict[str, Any]], bytes]] = {
    "inside a line": (b"abc\n", [edit((0, 1), (0, 2), "X")], b"aXc\n"),
    "positions mean the file as it was": (
        b"a\nb\nc\n",
        [edit((0, 0), (1, 0), ""), edit((2, 0), (2, 1), "C")],
        b"b\nC\n",
    ),
    "in any order": (b"ab\n", [edit((0, 1), (0, 2), "B"), edit((0, 0), (0, 1), "A")], b"AB\n"),
    "at one position in order": (
        b"ab\n",
        [edit((0, 1), (0, 1), "1"), edit((0, 1), (0, 1), "2"), edit((0, 1), (0, 2), "3")],
        b"a123\n",
    ),
    "side by side": (b"abcd", [edit((0, 0), (0, 2), "x"), edit((0, 2), (0, 4), "y")], b"xy"),
    "at the end": (b"a\n", [edit((1, 0), (1, 0), "b\n")], b"a\nb\n"),
    "at the end of an unfinished line": (b"a", [edit((0, 1), (0, 1), "\nb")], b"a\nb"),
    "an empty file": (b"", [edit((0, 0), (0, 0), "x\n")], b"x\n"),
    "beyond the end of a line is its end": (b"a\nb\n", [edit((0, 0), (0, 99), "x")], b"x\nb\n"),
    "also with characters of several bytes": (
        "é\nb\n".encode(),
        [edit((0, 1), (0, 2), "x")],
        "éx\nb\n".encode(),
    ),
    "and never in its ending": (b"a\r\nb\n", [edit((0, 2), (0, 2), "x")], b"ax\r\nb\n"),
    "UTF-16 counts": ("é😀x\n".encode(), [edit((0, 3), (0, 4), "y")], "é😀y\n".encode()),
    "combining characters count": ("e\u0301x\n".encode(), [edit((0, 2), (0, 3), "y")], "e\u0301y\n".encode()),
    "behind a byte order mark": (b"\xef\xbb\xbfab\n", [edit((0, 0), (0, 1), "x")], b"\xef\xbb\xbfxb\n"),
    "UTF-16 files": (
        "\ufeffé\nab\n".encode("utf-16-le"),
        [edit((1, 1), (1, 2), "ü")],
        "\ufeffé\naü\n".encode("utf-16-le"),
    ),
    "CRLF": (b"a\r\nb\r\n", [edit((0, 1), (1, 1), "\nx\ny")], b"a\r\nx\r\ny\r\n"),
    "CRLF as the server writes it": (b"a\r\nb\r\n", [edit((1, 0), (1, 0), "x\r\n")], b"a\r\nx\r\nb\r\n"),
    "a whole line with its ending": (b"a\r\nb\r\n", [edit((0, 0), (1, 0), "")], b"b\r\n"),
    "a lone CR ends a line": (b"a\rb\rc", [edit((1, 0), (1, 1), "x")], b"a\rx\rc"),
    "mixed endings": (
        b"a\r\nb\nc\rd\n",
        [edit((1, 0), (1, 1), "x"), edit((3, 0), (3, 1), "y")],
        b"a\r\nx\nc\ry\n",
    ),
    "an added line in a mixed file": (b"a\r\nb\n", [edit((1, 0), (1, 0), "x\n")], b"a\r\nx\r\nb\n"),
    "ASCII in a file of unknown bytes": (b"\xff\nab\n", [edit((1, 0), (1, 1), "x")], b"\xff\nxb\n"),
}


@pytest.mark.parametrize(("before", "edits", "expected"), BYTES.values(), ids=BYTES)
def test_bytes(before: bytes, edits: list[dict[str, Any]], expected: bytes) -> None:
    assert patched(before, changes(*edits)) == expected
    assert patched(before, {"documentChanges": [document("a.txt", *edits)]}) == expected


REFUSED_EDITS: dict[str, tuple[bytes, list[dict[str, Any]], str]] = {
    "beyond the last line": (b"a\n", [edit((2, 0), (2, 0), "x")], "out_of_range"),
    "a huge position": (b"a\n", [edit((10**40, 0), (10**40, 0), "x")], "out_of_range"),
    "a negative position": (b"a\n", [edit((0, -1), (0, 0), "x")], "invalid_args"),
    "half a surrogate pair": ("😀\n".encode(), [edit((0, 1), (0, 2), "x")], "patch_failed"),
    "backwards": (b"ab\n", [edit((0, 1), (0, 0), "x")], "patch_failed"),
    "overlapping": (b"abc\n", [edit((0, 0), (0, 2), "x"), edit((0, 1), (0, 3), "y")], "patch_failed"),
    "an insertion after a change there": (
        b"ab\n",
        [edit((0, 0), (0, 1), "x"), edit((0, 0), (0, 0), "y")],
        "patch_failed",
    ),
    "nothing new": (b"ab\n", [edit((0, 0), (0, 1), "a")], "no_change"),
    "across bytes that are not text": (b"\xffab\n", [edit((0, 1), (0, 2), "x")], "patch_failed"),
    "a snippet": (b"a\n", [edit((0, 0), (0, 1), "$1", insertTextFormat=2)], "patch_failed"),
    "a character that the file cannot hold": (
        b"\xff\na\n",
        [edit((1, 0), (1, 1), "€")],
        "unencodable",
    ),
}


@pytest.mark.parametrize(("before", "edits", "code"), REFUSED_EDITS.values(), ids=REFUSED_EDITS)
def test_refused_edits(before: bytes, edits: list[dict[str, Any]], code: str) -> None:
    error = refusal({"a.txt": before}, changes(*edits))
    assert error.code == code


def test_a_refusal_says_which_edit_it_is_about() -> None:
    fine, beyond, other = edit((0, 0), (0, 1), "x"), edit((9, 0), (9, 0), "y"), edit((0, 0), (0, 0), "z")
    error = refusal({"a.txt": "ab\n"}, changes(fine, beyond))
    assert (error.data["path"], error.data["edit"]) == ("a.txt", 2)
    error = refusal({"a.txt": "ab\n"}, changes(fine, edit((0, 2), (0, 2), "y"), other))
    assert (error.data["path"], error.data["edits"]) == ("a.txt", [1, 3])


def create(path: str, **options: bool) -> dict[str, Any]:
    return {"kind": "create", "uri": path, "options": options}


def rename(old: str, new: str, **options: bool) -> dict[str, Any]:
    return {"kind": "rename", "oldUri": old, "newUri": new, "options": options}


def delete(path: str, **options: bool) -> dict[str, Any]:
    return {"kind": "delete", "uri": path, "options": options}


A, B, X = ("100644", b"a\n"), ("100644", b"b\n"), edit((0, 0), (0, 0), "x")
BEFORE: dict[str, Content] = {"a": "a\n", "b": "b\n", "d/1": "1\n", "d/2": "2\n"}

STEPS: dict[str, tuple[list[dict[str, Any]], dict[str, tuple[str, bytes] | None]]] = {
    "create": ([create("n")], {"n": ("100644", b"")}),
    "create and edit": ([create("n"), document("n", X)], {"n": ("100644", b"x")}),
    "create, replacing": ([create("a", overwrite=True), document("a", X)], {"a": ("100644", b"x")}),
    "create, keeping": ([create("a", ignoreIfExists=True), document("a", X)], {"a": ("100644", b"xa\n")}),
    "create, replacing and keeping": (
        [create("a", ignoreIfExists=True, overwrite=True), document("a", X)],
        {"a": ("100644", b"x")},
    ),
    "rename": ([rename("a", "n/m")], {"a": None, "n/m": A}),
    "rename and edit": ([rename("a", "n"), document("n", X)], {"a": None, "n": ("100644", b"xa\n")}),
    "edit and rename": ([document("a", X), rename("a", "n")], {"a": None, "n": ("100644", b"xa\n")}),
    "edit by both names": (
        [document("a", X), rename("a", "n"), document("n", edit((0, 1), (0, 1), "y"))],
        {"a": None, "n": ("100644", b"xay\n")},
    ),
    "rename twice": ([rename("a", "n"), rename("n", "m")], {"a": None, "m": A}),
    "change places": ([rename("a", "n"), rename("b", "a"), rename("n", "b")], {"a": B, "b": A}),
    "rename, replacing": ([rename("a", "b", overwrite=True)], {"a": None, "b": A}),
    "rename, keeping": (
        [rename("a", "b", ignoreIfExists=True), document("d/1", X)],
        {"d/1": ("100644", b"x1\n")},
    ),
    "rename a folder": (
        [document("d/1", X), rename("d", "e"), document("e/2", X)],
        {"d/1": None, "d/2": None, "e/1": ("100644", b"x1\n"), "e/2": ("100644", b"x2\n")},
    ),
    "rename a folder by its URI": (
        [document("d/1", X), rename("d/", "e/")],
        {"d/1": None, "d/2": None, "e/1": ("100644", b"x1\n"), "e/2": ("100644", b"2\n")},
    ),
    "delete": ([delete("a")], {"a": None}),
    "delete what was edited": ([document("a", X), delete("a")], {"a": None}),
    "delete and create": ([delete("a"), create("a"), document("a", X)], {"a": ("100644", b"x")}),
    "delete a folder": ([delete("./d/", recursive=True)], {"d/1": None, "d/2": None}),
    "delete what is not there": ([delete("n", ignoreIfNotExists=True), delete("a")], {"a": None}),
    "edit twice": (
        [document("a", X), document("a", edit((0, 1), (0, 1), "y"))],
        {"a": ("100644", b"xay\n")},
    ),
}


@pytest.mark.parametrize(("steps", "expected"), STEPS.values(), ids=STEPS)
def test_steps(steps: list[dict[str, Any]], expected: dict[str, tuple[str, bytes] | None]) -> None:
    assert after(BEFORE, {"documentChanges": steps}) == expected


REFUSED: dict[str, tuple[Said, str]] = {
    "create, and there already": ({"documentChanges": [create("a")]}, "exists"),
    "create twice": ({"documentChanges": [create("n"), create("n")]}, "patch_failed"),
    "rename to what is there": ({"documentChanges": [rename("a", "b")]}, "exists"),
    "rename to what was edited": ({"documentChanges": [document("b", X), rename("a", "b")]}, "patch_failed"),
    "rename, keeping, and edit": (
        {"documentChanges": [rename("a", "b", ignoreIfExists=True), document("b", X)]},
        "patch_failed",
    ),
    "delete what is not there": ({"documentChanges": [delete("n")]}, "file_not_found"),
    "delete a folder as a file": ({"documentChanges": [delete("d")]}, "not_a_file"),
    "keep all": ({"documentChanges": [create("a", ignoreIfExists=True)]}, "no_change"),
    "edit what is not there": (changes(X, path="n"), "file_not_found"),
    "outside": (changes(X, path="../a"), "path_denied"),
    "elsewhere": (changes(X, path="file:///elsewhere/a"), "path_denied"),
    "another machine": (changes(X, path="file://host/a"), "path_denied"),
    "another scheme": (changes(X, path="untitled:a"), "path_denied"),
    "git's folder, encoded": (changes(X, path="%2Egit/config"), "path_denied"),
    "a NUL, encoded": (changes(X, path="a%00"), "invalid_args"),
    "no name": ({"documentChanges": [{"kind": "rename", "oldUri": "a"}]}, "invalid_args"),
    "another kind": ({"documentChanges": [{"kind": "link", "uri": "a"}]}, "invalid_args"),
    "no changes": ({"changes": {}}, "invalid_args"),
    "no edits": (changes(path="a"), "invalid_args"),
    "several": ([changes(X, path="a"), changes(X, path="b")], "invalid_args"),
    "another type": ({"changes": {"a": "x"}}, "invalid_args"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: Said, code: str) -> None:
    assert refusal(BEFORE, diff).code == code


@pytest.mark.parametrize(
    "uri", ["file:///r%C3%B6%20t/%C3%A4.txt", "file:/r%C3%B6%20t/ä.txt", "%C3%A4.txt", "ä.txt"]
)
def test_uris(uri: str) -> None:
    operations = parse_operations([{"op": "patch", "diff": json.dumps(changes(X, path=uri))}])
    done = apply(operations, Files({"ä.txt": "a\n"}), ["/rö t"])
    assert done.overlay.content("ä.txt") == b"xa\n"


@pytest.mark.parametrize(
    "uri", ["file:///root2/a", "file://host/root/a", "file:///root/../a", "file:///root"]
)
def test_a_file_outside_of_the_roots_is_refused(uri: str) -> None:
    operations = parse_operations([{"op": "patch", "diff": json.dumps(changes(X, path=uri))}])
    with pytest.raises(NotAllowed):
        apply(operations, Files({"a": "a\n", "2/a": "a\n"}), ["/root"])


def test_a_renamed_file_is_read_in_its_new_language() -> None:
    said = {
        "documentChanges": [
            document("a.txt", edit((0, 0), (0, 0), "def f(): ...\n")),
            rename("a.txt", "a.py"),
        ]
    }
    assert [i.symbol for done in applied({"a.txt": "x = 1\n"}, said).done for i in done.intents] == ["f"]


def test_confirmation_is_told() -> None:
    said = {
        **changes(edit((0, 0), (0, 0), "x", annotationId="1")),
        "changeAnnotations": {"1": {"label": "rename in comments", "needsConfirmation": True}},
    }
    row = applied({"a.txt": "a\n"}, said).done[0]
    assert row.edit is not None
    assert "rename in comments" in row.edit.corrections[0]


def test_positions_are_carried_past_earlier_operations() -> None:
    zero = {"op": "lines", "start": 1, "position": "before", "code": "zero"}
    patch = {"op": "patch", "diff": json.dumps(changes(edit((4, 0), (4, 1), "five")))}
    done = outcome(NUMBERS, zero, patch, path="a.txt")
    assert done.overlay.content("a.txt") == b"zero\n" + NUMBERS.replace("5\n", "five\n", 1).encode()


def test_what_an_earlier_operation_changed_is_refused() -> None:
    text = {"op": "text", "path": "a.txt", "old": "5\n6", "new": "fifty\n6"}
    patch = {"op": "patch", "path": "", "diff": json.dumps(changes(edit((4, 0), (4, 1), "five")))}
    assert refused({"a.txt": NUMBERS}, text, patch).code == "patch_failed"


def test_it_is_judged_only_where_structure_is_strict() -> None:
    said = changes(edit((0, 5), (1, 0), "(x):\n"), path="a.py")
    done = applied({"a.py": "def f():\n    return 1\n"}, said)
    assert [judge(done, level).status for level in ("block", "strict")] == ["passed", "failed"]
