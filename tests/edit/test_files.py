"""Whole files: written, replaced, removed; and files that must not be edited as text."""

from __future__ import annotations

import base64

import pytest

from gitscalpel.snapshot import EXECUTABLE, REGULAR, SYMLINK, Change
from tests.edit.editing import Content, Op, edited, outcome, refused


def test_a_file_is_created_with_its_folders() -> None:
    done = outcome({"a.py": "x = 1\n"}, {"op": "write", "path": "new/deep/b.py", "content": "y = 2\n"})
    assert done.changes == [Change("new/deep/b.py", REGULAR, b"y = 2\n")]


@pytest.mark.parametrize("content", [b"\0\xff\r\n", b"", "é".encode()])
def test_bytes_are_written_as_they_are(content: bytes) -> None:
    op = {"op": "write", "path": "b", "content_b64": base64.b64encode(content).decode()}
    assert outcome({"a": ""}, op).changes == [Change("b", REGULAR, content)]


@pytest.mark.parametrize(
    ("old_mode", "given", "mode"),
    [(EXECUTABLE, None, EXECUTABLE), (REGULAR, "100755", EXECUTABLE), (EXECUTABLE, "100644", REGULAR)],
)
def test_overwriting_keeps_the_mode_unless_one_is_given(old_mode: str, given: str | None, mode: str) -> None:
    op: Op = {"op": "write", "content": "b", "overwrite": True, **({"mode": given} if given else {})}
    assert outcome({"a": (old_mode, b"a")}, op, path="a").changes == [Change("a", mode, b"b")]


def test_a_change_of_mode_alone_is_a_change() -> None:
    op = {"op": "write", "content": "a", "overwrite": True, "mode": "100755"}
    assert outcome({"a": "a"}, op, path="a").changes == [Change("a", EXECUTABLE, b"a")]


def test_editing_keeps_the_mode() -> None:
    done = outcome({"run": (EXECUTABLE, b"one\n")}, {"op": "text", "old": "one", "new": "two"}, path="run")
    assert done.changes == [Change("run", EXECUTABLE, b"two\n")]


def test_a_path_at_or_through_a_link_means_the_file_behind_it() -> None:
    files: dict[str, Content] = {"d/a.txt": "one\n", "link": (SYMLINK, b"d/a.txt"), "dir": (SYMLINK, b"d")}
    for path in ("link", "dir/a.txt"):
        done = outcome(files, {"op": "text", "old": "one", "new": "two"}, path=path)
        assert done.changes == [Change("d/a.txt", REGULAR, b"two\n")]
        removed = outcome(files, {"op": "remove"}, path=path)
        assert removed.changes == [Change("d/a.txt", REGULAR, None)]


@pytest.mark.parametrize(
    ("op", "error"),
    [
        ({"op": "write", "path": "a.txt", "content": "x"}, "exists"),
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
def test_refusals(op: Op, error: str) -> None:
    files: dict[str, Content] = {
        "a.txt": "a\n",
        "d/b": "",
        "bin": b"a\0b",
        "latin.py": "# coding: latin-1\nà\n".encode("latin-1"),
        "conflict": "a\n<<<<<<< HEAD\nb\n||||||| base\n=======\nc\n>>>>>>> x\n",
        "sub": ("160000", b""),
    }
    assert refused(files, op).code == error


@pytest.mark.parametrize(
    "before", ["a\n=======\nb\n", "<<<<<<< only a start\nb\n", "Title\n=======\n\n>>>>>>> quoted\n"]
)
def test_lines_that_only_look_like_markers_are_no_conflict(before: str) -> None:
    assert b"B" in edited(
        before.replace("quoted", "quoted b"), {"op": "text", "old": "b", "new": "B", "all": True}, path="a.md"
    )
