"""Dependencies recorded while reading a tree tell whether another tree gives the same result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import Snapshot
from gitscalpel.git import user_cache
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.user_cache import TracedSnapshot, are_dependencies_unchanged
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {"a.py": b"word\n", "pkg/b.py": b"b\n", "pkg/sub/c.py": b"c\n", "d": b"d\n"}


def read_entries(*paths: str) -> Callable[[Snapshot], object]:
    return lambda files: [files.entry(path) for path in paths]


def list_paths(folder: str) -> Callable[[Snapshot], object]:
    return lambda files: [*files.under(folder)]


def find_mentions(word: str) -> Callable[[Snapshot], object]:
    return lambda files: files.mentions(word)


@pytest.mark.parametrize(
    ("read_snapshot", "change", "same"),
    [
        (read_entries("a.py"), {"a.py": b"other\n"}, False),
        (read_entries("a.py"), {"a.py": ("100755", b"word\n")}, False),
        (read_entries("a.py"), {"a.py": None}, False),
        (read_entries("a.py"), {"d": b"other\n"}, True),
        (read_entries("a.pyi"), {"a.pyi": b""}, False),
        (read_entries("a.pyi"), {"b.pyi": b""}, True),
        (read_entries("pkg"), {"pkg/b.py": b"other\n"}, True),
        (read_entries("pkg"), {"pkg/new.py": b""}, True),
        (read_entries("pkg"), {"pkg/b.py": None, "pkg/sub/c.py": None}, False),
        (read_entries("new"), {"new/sub/a.py": b""}, False),
        (read_entries("d/e"), {"d": None}, True),
        (read_entries("d"), {"d": None, "d/e": b""}, False),
        (list_paths("pkg"), {"pkg/sub/new.py": b""}, False),
        (list_paths("pkg"), {"pkg/sub/c.py": None}, False),
        (list_paths("pkg"), {"pkg/sub/c.py": b"other\n"}, True),
        (list_paths("pkg"), {"new.py": b""}, True),
        (list_paths(""), {"new.py": b""}, False),
        (list_paths("new"), {"new/a.py": b""}, False),
        (find_mentions("word"), {"d": b"a word\n"}, False),
        (find_mentions("word"), {"a.py": b"none\n"}, False),
        (find_mentions("word"), {"new/a.py": b"words\n"}, False),
        (find_mentions("word"), {"pkg/b.py": b"other\n", "new": b"\n"}, True),
    ],
)
def test_dependencies_report_whether_a_change_matters(
    tmp_path: Path, read_snapshot: Callable[[Snapshot], object], change: dict[str, Content], same: bool
) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = repo.tip("HEAD^{tree}")
    if change.get("d", b"") is None and "d/e" in change:
        (repo.root / "d").unlink()
    repo.commit(change)
    after = repo.tip("HEAD^{tree}")
    with repo.opened() as (_, store):
        first, second = (TreeSnapshot(store, store.repo.git, tree) for tree in (before, after))
        traced = TracedSnapshot(first)
        result = read_snapshot(traced)
        assert are_dependencies_unchanged(traced.dependencies, store, first, second) is same
        assert not same or read_snapshot(second) == result or "pkg" in traced.dependencies.paths


def test_dependencies_count_as_changed_after_too_many_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_cache, "MAX_CHANGES", 1)
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = repo.tip("HEAD^{tree}")
    repo.commit({"x": b"", "y": b""})
    with repo.opened() as (_, store):
        first, second = (
            TreeSnapshot(store, store.repo.git, tree) for tree in (before, repo.tip("HEAD^{tree}"))
        )
        assert not are_dependencies_unchanged(TracedSnapshot(first).dependencies, store, first, second)
