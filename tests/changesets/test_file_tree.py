"""Files with changes on top of them, as operations and what follows names see them."""

from __future__ import annotations

import sys

from gitscalpel.changesets.file_tree import REGULAR, TREE, Overlay
from gitscalpel.names.files import Files
from tests.edit import editing


def test_a_folder_is_there_as_long_as_something_is_put_in_it() -> None:
    overlay = Overlay(editing.Files({"a.txt": b"a"}))
    assert overlay.entry("d") is None
    one = overlay.holding(REGULAR, b"1")
    overlay.put("d/e/1.txt", one)
    overlay.put("d/2.txt", one)
    overlay.put("d/2.txt", one)
    modes = {path: entry.mode for path in ("d", "d/e", "a.txt", "d/") if (entry := overlay.entry(path))}
    assert modes == {"d": TREE, "d/e": TREE, "a.txt": REGULAR}
    overlay.put("d/e/1.txt", None)
    assert overlay.entry("d/e") is None
    assert overlay.entry("d") is not None
    overlay.put("d/2.txt", None)
    assert overlay.entry("d") is None


def test_a_copy_changes_on_its_own() -> None:
    overlay = Overlay(editing.Files({"a.txt": b"a"}))
    overlay.rewrite("b.txt", REGULAR, b"b")
    copy = overlay.copy()
    copy.rewrite("b.txt", REGULAR, b"c")
    assert (overlay.content("b.txt"), copy.content("b.txt"), copy.content("a.txt")) == (b"b", b"c", b"a")


def test_text_may_change_in_more_files_than_calls_may_nest() -> None:
    many = [f"{number}.txt" for number in range(sys.getrecursionlimit())]
    files = Files(Overlay(editing.Files(dict.fromkeys(many, b"a"))))
    for path in many:
        files = files.with_text(path, b"b")
    assert {files.overlay.content(path) for path in many} == {b"b"}
    assert not files.is_file("none.txt")
