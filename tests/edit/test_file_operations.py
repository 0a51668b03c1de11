"""Whole files are written, replaced and removed, and some must not be edited as text."""

from __future__ import annotations

import base64

import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Change
from tests.edit.editing import Content, Op, apply_changeset, edit_file, expect_refusal, read_changes


def test_file_is_created_with_its_directories() -> None:
    result = apply_changeset(
        {"a.py": "x = 1\n"}, {"op": "write", "path": "new/deep/b.py", "content": "y = 2\n"}
    )
    assert read_changes(result) == {"new/deep/b.py": (REGULAR, b"y = 2\n")}


@pytest.mark.parametrize("content", [b"\0\xff\r\n", b"", "é".encode()])
def test_bytes_are_written_unchanged(content: bytes) -> None:
    op = {"op": "write", "path": "b", "content_b64": base64.b64encode(content).decode()}
    assert read_changes(apply_changeset({"a": ""}, op)) == {"b": (REGULAR, content)}


@pytest.mark.parametrize(
    ("old_mode", "mode_given", "mode"),
    [(EXECUTABLE, None, EXECUTABLE), (REGULAR, "100755", EXECUTABLE), (EXECUTABLE, "100644", REGULAR)],
)
def test_overwrite_keeps_the_mode_by_default(old_mode: str, mode_given: str | None, mode: str) -> None:
    op: Op = {
        "op": "write",
        "content": "b",
        "overwrite": True,
        **({"mode": mode_given} if mode_given else {}),
    }
    assert read_changes(apply_changeset({"a": (old_mode, b"a")}, op, path="a")) == {"a": (mode, b"b")}


def test_mode_change_is_a_change() -> None:
    op = {"op": "write", "content": "a", "overwrite": True, "mode": "100755"}
    assert read_changes(apply_changeset({"a": "a"}, op, path="a")) == {"a": (EXECUTABLE, b"a")}


@pytest.mark.parametrize(
    "ops",
    [
        [{"op": "copy_file", "path": "a", "to": "c"}, {"op": "remove", "path": "c"}],
        [{"op": "move_file", "path": "a", "to": "c"}, {"op": "move_file", "path": "c", "to": "a"}],
        [{"op": "write", "path": "c", "content": "x"}, {"op": "remove", "path": "c"}],
        [{"op": "remove", "path": "a"}, {"op": "write", "path": "a", "content": "one\n"}],
        [{"op": "remove", "path": "a"}, {"op": "copy_file", "path": "b", "to": "a"}],
        [
            {"op": "remove", "path": "d/e"},
            {"op": "write", "path": "d", "content": "x"},
            {"op": "remove", "path": "d"},
            {"op": "write", "path": "d/e", "content": "e\n"},
        ],
    ],
    ids=[
        "copy and remove",
        "move back",
        "write and remove",
        "remove and write",
        "copy of the same",
        "directory",
    ],
)
def test_operations_that_cancel_out_are_no_change(ops: list[Op]) -> None:
    assert expect_refusal({"a": "one\n", "b": "one\n", "d/e": "e\n"}, *ops).code == "no_change"


def test_edit_keeps_the_mode() -> None:
    result = apply_changeset(
        {"run": (EXECUTABLE, b"one\n")}, {"op": "text", "old": "one", "new": "two"}, path="run"
    )
    assert read_changes(result) == {"run": (EXECUTABLE, b"two\n")}


def test_path_through_a_symlink_edits_its_target() -> None:
    files: dict[str, Content] = {"d/a.txt": "one\n", "link": (SYMLINK, b"d/a.txt"), "dir": (SYMLINK, b"d")}
    for path in ("link", "dir/a.txt"):
        result = apply_changeset(files, {"op": "text", "old": "one", "new": "two"}, path=path)
        assert read_changes(result) == {"d/a.txt": (REGULAR, b"two\n")}
        removed = apply_changeset(files, {"op": "remove"}, path=path)
        assert read_changes(removed) == {"d/a.txt": None}


@pytest.mark.parametrize(
    ("op", "error"),
    [
        ({"op": "write", "path": "a.txt", "content": "x"}, "exists"),
        ({"op": "write", "path": "new/", "content": "x"}, "invalid_args"),
        ({"op": "write", "path": "d", "content": "x", "overwrite": True}, "not_a_file"),
        ({"op": "write", "path": "a.txt/b", "content": "x"}, "not_a_file"),
        ({"op": "write", "path": "a.txt", "content": "a\n", "overwrite": True}, "no_change"),
        ({"op": "write", "path": "b", "content_b64": "?"}, "invalid_args"),
        ({"op": "write", "path": "b"}, "invalid_args"),
        ({"op": "write", "path": "b", "content": "", "content_b64": ""}, "invalid_args"),
        ({"op": "write", "path": "b", "content": "", "mode": "777"}, "invalid_args"),
        ({"op": "remove", "path": "nowhere"}, "file_not_found"),
        ({"op": "remove", "path": "d"}, "not_a_file"),
        ({"op": "remove", "path": "sub"}, "path_denied"),
        ({"op": "text", "path": "sub/x", "old": "a", "new": "b"}, "path_denied"),
        ({"op": "text", "path": "bin", "old": "a", "new": "b"}, "binary_file"),
        ({"op": "lines", "path": "bin", "start": 1, "code": "b"}, "binary_file"),
        ({"op": "text", "path": "latin.py", "old": "à", "new": "€"}, "unencodable"),
        ({"op": "text", "path": "conflict", "old": "b", "new": "c"}, "conflicted"),
    ],
)
def test_invalid_file_operation_is_refused(op: Op, error: str) -> None:
    files: dict[str, Content] = {
        "a.txt": "a\n",
        "d/b": "",
        "bin": b"a\0b",
        "latin.py": "# coding: latin-1\nà\n".encode("latin-1"),
        "conflict": "a\n<<<<<<< HEAD\nb\n||||||| base\n=======\nc\n>>>>>>> x\n",
        "sub": ("160000", b""),
    }
    assert expect_refusal(files, op).code == error


@pytest.mark.parametrize(
    "before", ["a\n=======\nb\n", "<<<<<<< only a start\nb\n", "Title\n=======\n\n>>>>>>> quoted\n"]
)
def test_incomplete_conflict_markers_are_content(before: str) -> None:
    assert b"B" in edit_file(
        before.replace("quoted", "quoted b"), {"op": "text", "old": "b", "new": "B", "all": True}, path="a.md"
    )


FILES: dict[str, Content] = {
    "a.py": (EXECUTABLE, b"x = 1\n"),
    "d/b.py": "y = 2\n",
    "link": (SYMLINK, b"a.py"),
}


@pytest.mark.parametrize("path", ["a.py", "link"])
def test_move_and_copy_keep_the_entry(path: str) -> None:
    entry = apply_changeset(FILES, {"op": "remove", "path": "a.py"}).overlay.below.entry("a.py")
    placed = Change("new/c.py", None, entry)
    moved = apply_changeset(FILES, {"op": "move_file", "path": path, "to": "new/c.py"})
    assert moved.changes == [Change("a.py", entry, None), placed]
    assert apply_changeset(FILES, {"op": "copy_file", "path": path, "to": "new/c.py"}).changes == [placed]


@pytest.mark.parametrize("op", ["move_file", "copy_file"])
def test_target_with_a_slash_is_a_directory(op: str) -> None:
    moved = apply_changeset(FILES, {"op": op, "path": "d/b.py", "to": "new/"})
    assert moved.overlay.content("new/b.py") == b"y = 2\n"


def test_moved_file_keeps_earlier_edits() -> None:
    ops: list[Op] = [
        {"op": "lines", "path": "t", "start": 1, "code": "1\n1"},
        {"op": "move_file", "path": "t", "to": "u"},
        {"op": "lines", "path": "u", "start": 3, "code": "3"},
    ]
    result = apply_changeset({"t": "one\ntwo\nthree\n"}, *ops)
    assert result.overlay.content("u") == b"1\n1\ntwo\n3\n"
    assert expect_refusal({"t": "one\n"}, ops[0], ops[1], {**ops[2], "start": 1}).code == "nested_conflict"


def test_two_files_can_be_swapped() -> None:
    ops = [
        {"op": "move_file", "path": p, "to": q}
        for p, q in (("a.py", "tmp"), ("d/b.py", "a.py"), ("tmp", "d/b.py"))
    ]
    after = apply_changeset(FILES, *ops).overlay
    assert (after.content("a.py"), after.content("d/b.py"), after.content("tmp")) == (
        b"y = 2\n",
        b"x = 1\n",
        None,
    )


def test_file_can_move_below_its_own_path() -> None:
    assert (
        apply_changeset({"a": "x"}, {"op": "move_file", "path": "a", "to": "a/b"}).overlay.content("a/b")
        == b"x"
    )


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"path": "a.py", "to": "d/b.py"}, "exists"),
        ({"path": "a.py", "to": "d"}, "not_a_file"),
        ({"path": "a.py", "to": "a.py"}, "no_change"),
        ({"path": "a.py", "to": "link"}, "no_change"),
        ({"path": "a.py", "to": "d/b.py/c"}, "not_a_file"),
        ({"path": "a.py", "to": "../c"}, "path_denied"),
        ({"path": "a.py", "to": ".git/c"}, "path_denied"),
        ({"path": "a.py", "to": " "}, "invalid_args"),
        ({"path": "a.py"}, "invalid_args"),
        ({"path": "d", "to": "e"}, "not_a_file"),
        ({"path": "c.py", "to": "e"}, "file_not_found"),
        ({"path": "a.py", "to": "e", "expect": "0" * 12}, "stale"),
        ({"path": "a.py", "to": "e", "base": "0" * 40}, "stale"),
    ],
)
@pytest.mark.parametrize("op", ["move_file", "copy_file"])
def test_invalid_move_or_copy_is_refused(op: str, fields: Op, error: str) -> None:
    assert expect_refusal(FILES, {"op": op, **fields}).code == error


def test_written_file_has_its_declared_encoding() -> None:
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    files = apply_changeset({}, {"op": "write", "path": "n.py", "content": text})
    assert files.overlay.content("n.py") == text.encode("latin-1")
    assert (
        expect_refusal({}, {"op": "write", "path": "n.py", "content": text + "# →\n"}).code == "unencodable"
    )
    raw = text.encode("latin-1").decode("utf-8", "surrogateescape")  # as read from a file
    files = apply_changeset({}, {"op": "write", "path": "n.py", "content": raw})
    assert files.overlay.content("n.py") == text.encode("latin-1")
    plain = text.replace("latin-1", "utf-8")
    files = apply_changeset({}, {"op": "write", "path": "n.py", "content": plain})
    assert files.overlay.content("n.py") == plain.encode("utf-8")
    files = apply_changeset(
        {}, {"op": "write", "path": "n.yml", "content": text}
    )  # not a declaration in YAML
    assert files.overlay.content("n.yml") == text.encode("utf-8")
