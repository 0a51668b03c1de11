"""``find`` by text searches every file and returns ranges that edits accept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {
        "a.py": b"def f():\r\n    return 'x'  # TODO: \xc3\xa4\r\n",
        "sub/notes.txt": b"TODO one\nTODO two, TODO three\n",
        "sub/data.bin": b"TODO\0",
        "empty": b"",
    }
    return Sandbox.of(tmp_path / "repo", files)


def test_find_text_lists_every_occurrence(repo: Sandbox) -> None:
    shown = scalpel(repo.root, "find", 'text("TODO")').out.splitlines()
    assert [line.partition("| ")[2] for line in shown] == [
        "    return 'x'  # TODO: \u00e4",
        "TODO one",
        *["TODO two, TODO three"] * 2,
    ]
    matches = scalpel(repo.root, "find", "text('TODO')", "sub", "--json").data["matches"]
    places = [(m["path"], m["start_line"], m["start_column"], m["end_column"]) for m in matches]
    assert places == [("sub/notes.txt", 1, 1, 5), ("sub/notes.txt", 2, 1, 5), ("sub/notes.txt", 2, 11, 15)]


def test_lines_accepts_the_range_of_a_match(repo: Sandbox) -> None:
    (match,) = scalpel(repo.root, "find", "text(/one$/)", "--json").data["matches"]
    edit = ("lines", f"sub/notes.txt:{match['range']}", "--code", "done\n")
    assert scalpel(repo.root, *edit).status == 0
    assert (repo.root / "sub/notes.txt").read_bytes().startswith(b"done\n")
    assert scalpel(repo.root, *edit, "--json").error["code"] == "stale"


def test_find_text_across_lines_and_with_limit(repo: Sandbox) -> None:
    (match,) = scalpel(repo.root, "find", r'text("one\nTODO")', "--json").data["matches"]
    assert (match["start_line"], match["end_line"], match["code"]) == (1, 2, "TODO one\nTODO two, TODO three")
    limited = scalpel(repo.root, "find", 'text("TODO")', "--limit", "2", "--json").data
    assert (len(limited["matches"]), limited["more"]) == (2, True)
    assert scalpel(repo.root, "find", 'text("nowhere")', "--json").data == {"matches": []}


@pytest.mark.parametrize("selector", ['text("")', "text(x)", "text(/(/)", "text()", r'text("\x")'])
def test_malformed_text_selector_is_refused(repo: Sandbox, selector: str) -> None:
    assert scalpel(repo.root, "find", selector, "--json").error["code"] == "query_syntax"
