"""Repeated word search in a tree returns the files that ``git grep`` finds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from gitscalpel.git import snapshots
from gitscalpel.git.process import Git
from gitscalpel.git.snapshots import FileTexts, TreeSnapshot, WorkingTreeSnapshot
from gitscalpel.git.working_tree import open_working_tree
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "a.py": b"def first(second): return second.third\n",
    "b/c.rs": "fn höher(ab: A) { a_first(ab) }\r\n".encode(),
    "b/d.php": b"<?php $first = $this->second;",
    "b-e": b"latin \xe4\xf6 first-second\n",
    "bin": b"\0\0 first hidden \xff",
    "empty": b"",
    "link": ("120000", b"first"),
    "run": ("100755", b"no end of line: hidden"),
    b"\xff.txt".decode("utf-8", "surrogateescape"): b"second\n",
}
WORDS = [
    *("first", "second", "third", "höher", "öher", "a_first", "irs", "$first", "ab", "a", "A", "hidden"),
    *("nowhere", "first-second", "(ab", "no end", "-e", b"\xe4\xf6".decode("utf-8", "surrogateescape")),
]


def _grep(repo: Sandbox, word: str) -> list[str]:
    found = repo.git("grep", "-l", "-z", "-F", "-e", word, "HEAD", check=False)
    return [os.fsdecode(os.fsencode(each)).removeprefix("HEAD:") for each in found.split("\0") if each]


def test_word_search_agrees_with_git_grep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Sandbox.of(tmp_path / "r", FILES)
    searched: list[str] = []
    run = Git.run

    def count_commands(git: Git, *args: str, **options: object) -> object:
        searched.extend(args[:1])
        return run(git, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", count_commands)
    with repo.opened() as (_, store):
        files = TreeSnapshot(store, store.repo.git, repo.tip("HEAD^{tree}"))
        for _ in range(5):
            assert {word: files.mentions(word) for word in WORDS} == {w: _grep(repo, w) for w in WORDS}
        grep_count = searched.count("grep")
        assert grep_count < 5 * len(WORDS)
        files.mentions("first")
        assert searched.count("grep") == grep_count


def test_word_search_reads_only_accepted_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Sandbox.of(tmp_path / "r", FILES)
    read: list[str] = []

    def hold_texts(files: Iterable[tuple[str, bytes]]) -> FileTexts:
        listed = [*files]
        read.extend(path for path, _ in listed)
        return FileTexts(listed)

    monkeypatch.setattr("gitscalpel.git.snapshots.FileTexts", hold_texts)
    with repo.opened() as (opened, store):
        for files in (
            TreeSnapshot(store, store.repo.git, repo.tip("HEAD^{tree}")),
            WorkingTreeSnapshot(store, opened.git, open_working_tree(opened, store)),
        ):
            for word in ("first", "second", "ab"):
                wanted = [path for path in _grep(repo, word) if _is_code(path, b"")]
                assert {*files.mentions(word, _is_code)} >= {*wanted}
            names = {
                word: [*files.mentions(word, _is_code)] for word in ("first", "second", "ab", "höher", "a")
            }
            assert names == {
                "first": ["a.py", "b/d.php"],
                "second": ["a.py", "b/d.php"],
                "ab": ["b/c.rs"],
                "höher": ["b/c.rs"],
                "a": [],
            }
            assert read == ["a.py", "b/c.rs", "b/d.php"]
            read.clear()


def _is_code(path: str, content: bytes) -> bool:
    del content
    return path.endswith((".py", ".rs", ".php"))


def test_word_search_in_the_working_tree_agrees_with_git_grep(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "r", FILES | {".gitignore": b"*.log\n"})
    (repo.root / "a.py").write_bytes(b"changed second\n")
    (repo.root / "b" / "c.rs").unlink()
    (repo.root / "new.py").write_bytes(b"first untracked\n")
    (repo.root / "new.log").write_bytes(b"first ignored\n")
    (repo.root / "to").symlink_to("new.py")
    another = Sandbox.of(repo.root / "another", {"x.py": b"first\n"})
    with repo.opened() as (opened, store):
        files = WorkingTreeSnapshot(store, opened.git, open_working_tree(opened, store))
        for _ in range(5):
            for word in WORDS:
                found = repo.git("grep", "--untracked", "-l", "-z", "-F", "-e", word, check=False)
                assert sorted(files.mentions(word)) == sorted(filter(None, found.split("\0")))
        assert "new.py" in files.mentions("first")
        (another.root / "y.py").write_bytes(b"third\n")
        refreshed = files.again()
        assert sorted(refreshed.mentions("changed")) == ["a.py"]


def test_large_tree_is_searched_by_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_CACHED_BYTES", 10)
    repo = Sandbox.of(tmp_path / "r", FILES)
    with repo.opened() as (_, store):
        files = TreeSnapshot(store, store.repo.git, repo.tip("HEAD^{tree}"))
        assert all(files.mentions("first") == _grep(repo, "first") for _ in range(40))


def test_words_are_found_in_the_texts_of_files() -> None:
    files = FileTexts([("a", b"one two"), ("b", b"two\n"), ("c", b""), ("d", b"$two, \xc3\xb6two, twos")])
    assert files.holding("two") == ["a", "b", "d"]
    assert files.holding("wo") == ["a", "b", "d"]
    assert files.holding("one two") == ["a"]
    assert files.holding("one\nnone\ntwos") == ["a", "d"]
    assert files.holding("two", is_name=True) == ["a", "b", "d"]
    assert files.holding("wo", is_name=True) == []
    assert files.holding("twotwo") == []
    assert FileTexts([]).holding("two") == []


def test_tracked_ignored_file_is_found(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "r", {".gitignore": b"a.py\nc.py\n", "a.py": b"first\n"})
    (repo.root / "b.py").write_bytes(b"first\n")
    (repo.root / "c.py").write_bytes(b"first\n")
    with repo.opened() as (opened, store):
        files = WorkingTreeSnapshot(store, opened.git, open_working_tree(opened, store))
        assert [[*files.mentions("first")] for _ in range(40)] == [["a.py", "b.py"]] * 40
