"""What was looked at in a tree is the same in another one, or it is said that it is not."""

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


def look(*paths: str) -> Callable[[Snapshot], object]:
    return lambda files: [files.entry(path) for path in paths]


def listed(folder: str) -> Callable[[Snapshot], object]:
    return lambda files: [*files.under(folder)]


def asked(word: str) -> Callable[[Snapshot], object]:
    return lambda files: files.mentions(word)


@pytest.mark.parametrize(
    ("looking", "change", "same"),
    [
        (look("a.py"), {"a.py": b"other\n"}, False),
        (look("a.py"), {"a.py": ("100755", b"word\n")}, False),
        (look("a.py"), {"a.py": None}, False),
        (look("a.py"), {"d": b"other\n"}, True),
        (look("a.pyi"), {"a.pyi": b""}, False),
        (look("a.pyi"), {"b.pyi": b""}, True),
        (look("pkg"), {"pkg/b.py": b"other\n"}, True),
        (look("pkg"), {"pkg/new.py": b""}, True),
        (look("pkg"), {"pkg/b.py": None, "pkg/sub/c.py": None}, False),
        (look("new"), {"new/sub/a.py": b""}, False),
        (look("d/e"), {"d": None}, True),
        (look("d"), {"d": None, "d/e": b""}, False),
        (listed("pkg"), {"pkg/sub/new.py": b""}, False),
        (listed("pkg"), {"pkg/sub/c.py": None}, False),
        (listed("pkg"), {"pkg/sub/c.py": b"other\n"}, True),
        (listed("pkg"), {"new.py": b""}, True),
        (listed(""), {"new.py": b""}, False),
        (listed("new"), {"new/a.py": b""}, False),
        (asked("word"), {"d": b"a word\n"}, False),
        (asked("word"), {"a.py": b"none\n"}, False),
        (asked("word"), {"new/a.py": b"words\n"}, False),
        (asked("word"), {"pkg/b.py": b"other\n", "new": b"\n"}, True),
    ],
)
def test_what_was_looked_at_is_the_same_or_not(
    tmp_path: Path, looking: Callable[[Snapshot], object], change: dict[str, Content], same: bool
) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = repo.tip("HEAD^{tree}")
    if change.get("d", b"") is None and "d/e" in change:
        (repo.root / "d").unlink()
    repo.commit(change)
    after = repo.tip("HEAD^{tree}")
    with repo.opened() as (_, store):
        first, second = (TreeSnapshot(store, store.repo.git, tree) for tree in (before, after))
        watched = TracedSnapshot(first)
        seen = looking(watched)
        assert are_dependencies_unchanged(watched.dependencies, store, first, second) is same
        assert not same or looking(second) == seen or "pkg" in watched.dependencies.paths


def test_of_very_many_changes_it_is_not_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "MAX_CHANGES", 1)
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = repo.tip("HEAD^{tree}")
    repo.commit({"x": b"", "y": b""})
    with repo.opened() as (_, store):
        first, second = (
            TreeSnapshot(store, store.repo.git, tree) for tree in (before, repo.tip("HEAD^{tree}"))
        )
        assert not are_dependencies_unchanged(TracedSnapshot(first).dependencies, store, first, second)
