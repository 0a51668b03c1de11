"""Files with changes on top, as operations and name resolution see them."""

from __future__ import annotations

import sys

from gitscalpel.changesets.file_tree import REGULAR, TREE, Overlay
from gitscalpel.names.files import Files
from tests.edit import editing


def test_directory_exists_while_it_contains_a_file() -> None:
    overlay = Overlay(editing.Files({"a.txt": b"a"}))
    assert overlay.entry("d") is None
    entry_of_file = overlay.holding(REGULAR, b"1")
    overlay.put("d/e/1.txt", entry_of_file)
    overlay.put("d/2.txt", entry_of_file)
    overlay.put("d/2.txt", entry_of_file)
    modes = {path: entry.mode for path in ("d", "d/e", "a.txt", "d/") if (entry := overlay.entry(path))}
    assert modes == {"d": TREE, "d/e": TREE, "a.txt": REGULAR}
    overlay.put("d/e/1.txt", None)
    assert overlay.entry("d/e") is None
    assert overlay.entry("d") is not None
    overlay.put("d/2.txt", None)
    assert overlay.entry("d") is None


def test_copy_is_independent() -> None:
    overlay = Overlay(editing.Files({"a.txt": b"a"}))
    overlay.rewrite("b.txt", REGULAR, b"b")
    copy = overlay.copy()
    copy.rewrite("b.txt", REGULAR, b"c")
    assert (overlay.content("b.txt"), copy.content("b.txt"), copy.content("a.txt")) == (b"b", b"c", b"a")


def test_more_files_may_change_than_the_recursion_limit() -> None:
    paths = [f"{number}.txt" for number in range(sys.getrecursionlimit())]
    files = Files(Overlay(editing.Files(dict.fromkeys(paths, b"a"))))
    for path in paths:
        files = files.with_text(path, b"b")
    assert {files.overlay.content(path) for path in paths} == {b"b"}
    assert not files.is_file("none.txt")
