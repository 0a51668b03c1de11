"""Cached, filtered and parallel answers equal those about each file alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel.api import blob_answers
from gitscalpel.changesets.answers import FileOutline, Match
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.git import blob_cache
from gitscalpel.git.repository import Repository, discover
from gitscalpel.syntax.selectors import parse, required_words
from gitscalpel.system import worker_processes
from gitscalpel.workspace.pruning import sweep_result_cache
from tests.sandbox import Content, Sandbox

LOADER = b"""\
def load(path):
    return read(path)


class Loader:
    def load(self):
        return load('x')
"""
FILES: dict[str, Content] = {
    "a.py": LOADER,
    "lib/b.ts": b"export function load(path: string) { return read(path); }\nconst other = () => load();\n",
    "lib/c.go": b"package c\n\nfunc Load() int { return 1 }\n",
    "lib/wide.py": "def load():\n    pass\n".encode("utf-16"),
    "lib/same.py": LOADER,
    "lib/notes.md": b"# Loading\n\nCall `load`.\n",
    "lib/broken.py": b"def load(:\n",
    "lib/data.bin": b"\0load\0",
    "lib/settings.json": b'{"load": 1} // JSON has no comments\n',
    ".vscode/settings.json": b'{"load": 1} // JSON has no comments\n',
}
SELECTORS = (
    "function[name=load]",
    "method[name=load]",
    "call[name=load]",
    "function",
    "class > method",
    "[name~=oa]",
    "[qualname=Loader.load]",
    "function:has(call[name=read])",
    "function[name=load], class",
    "function:not([name=load])",
    "return_statement",
    "function[module=lib.same]",
    "section[name=Loading]",
    "function[name=absent]",
)


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def find(repo: Sandbox, selector: str) -> list[Match]:
    with gitscalpel.open(repo.root) as opened:
        return opened.view().find(selector)


def outline(repo: Sandbox) -> list[FileOutline]:
    with gitscalpel.open(repo.root) as opened:
        return opened.view().outline()


def find_file_by_file(repo: Sandbox, selector: str) -> list[Match]:
    """Return the matches of each file, queried alone and without the cache."""
    matches: list[Match] = []
    with gitscalpel.open(repo.root) as opened, pytest.MonkeyPatch.context() as patch:
        patch.setattr(blob_cache.BlobCache, "read", lambda *_: {})
        patch.setattr(blob_cache.BlobCache, "write", lambda *_: None)  # later answers must be computed
        for path in sorted(FILES):
            with suppress(BadCall, DoesNotFit):  # node type of another language, or unknown file type
                matches += opened.view().find(selector, [path])
    return matches


@pytest.mark.parametrize("selector", SELECTORS)
def test_cached_answers_equal_those_of_single_files(repo: Sandbox, selector: str) -> None:
    expected = find_file_by_file(repo, selector)
    assert find(repo, selector) == expected
    assert find(repo, selector) == expected


@pytest.fixture
def computed_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of paths whose answers are computed."""
    paths: list[str] = []
    compute_in_processes = worker_processes.compute_in_processes

    def record(compute: Any, files: Any, *rest: Any) -> Any:
        paths.extend(file.path for file in files)
        return compute_in_processes(compute, files, *rest)

    monkeypatch.setattr(worker_processes, "compute_in_processes", record)
    return paths


def test_only_files_with_the_word_are_parsed(repo: Sandbox, computed_paths: list[str]) -> None:
    assert [row.path for row in find(repo, "function[name=other]")] == ["lib/b.ts"]
    assert computed_paths == ["lib/b.ts", "lib/wide.py"]  # UTF-16 has other bytes for the word


def test_edit_recomputes_only_its_file(repo: Sandbox, computed_paths: list[str]) -> None:
    before = {row.path: row for row in outline(repo)}
    computed_paths.clear()
    repo.commit({"a.py": b"def save(): ...\n"})
    after = {row.path: row for row in outline(repo)}
    assert computed_paths == ["a.py"]
    assert [symbol.name for symbol in after.pop("a.py").symbols] == ["save"]
    del before["a.py"]
    assert after == before


def test_unknown_node_type_is_an_error(repo: Sandbox) -> None:
    with pytest.raises(BadCall, match="unknown type 'no_such_type'"):
        find(repo, "no_such_type[name=absent]")
    assert find(repo, "function_declaration[name=absent]") == []


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("function[name=load]", {"load"}),
        ("class[name=Loader] > method[name=load]", {"Loader"}),
        ("function[name=load], class[name=Loader]", {"load", "Loader"}),
        ("function[name=load], class", None),
        ("function:has(call[name=read])", {"read"}),
        ("function:not([name=load])", None),
        ("function[name!=load]", None),
        ("[name='operator ==']", {"operator"}),
        ("object[name=Companion]", None),
        ("[start_line>=10]", None),
    ],
)
def test_required_words_of_a_selector(selector: str, words: set[str] | None) -> None:
    assert required_words(parse(selector)) == words


def _database(repo: Sandbox) -> Path:
    return blob_cache.cache_file(_discover(repo))


def _discover(repo: Sandbox) -> Repository:
    return discover(repo.root, dict(os.environ))


def _cut_in_half(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def _forge_answers(file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("UPDATE answers SET answer = zeroblob(100)")


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"no database"),
        lambda file: file.write_bytes(b""),
        _cut_in_half,
        _forge_answers,
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["foreign file", "empty", "cut", "other seal", "directory"],
)
def test_damaged_cache_changes_no_answer(repo: Sandbox, damage: Callable[[Path], object]) -> None:
    expected = outline(repo)
    for side in blob_cache.cache_files(_discover(repo)):
        if side != _database(repo):
            side.unlink()
    damage(_database(repo))
    assert outline(repo) == expected
    assert outline(repo) == expected


def test_unwritable_cache_changes_no_answer(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outline(repo)
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert outline(repo) == expected


def test_locked_cache_does_not_block(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob_cache, "WAIT_S", 0.01)
    find(repo, "class")
    with sqlite3.connect(_database(repo)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert len(outline(repo)) == len(FILES) - 1


def test_cache_is_bounded_and_swept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    find(repo, "function")
    with sqlite3.connect(_database(repo)) as database:
        (before,) = database.execute("SELECT count(*) FROM answers").fetchone()
    monkeypatch.setattr(blob_cache, "MAX_BYTES", 1)
    find(repo, "class")
    with sqlite3.connect(_database(repo)) as database:
        (after,) = database.execute("SELECT count(*) FROM answers").fetchone()
    assert 0 < after < 2 * before
    assert not [*sweep_result_cache(_discover(repo), dry_run=True)]
    for file in blob_cache.cache_files(_discover(repo)):
        os.utime(file, (0, 0))
    assert [*sweep_result_cache(_discover(repo))]
    assert not [*blob_cache.cache_files(_discover(repo))]


def test_parallel_answers_are_the_same(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = find_file_by_file(repo, "function")
    monkeypatch.setattr(worker_processes, "count_idle_processors", lambda: 3)
    monkeypatch.setattr(blob_answers, "WORTH_A_PROCESS", 1)
    assert find(repo, "function") == expected


def test_caller_computes_what_a_dead_worker_left() -> None:
    own = os.getpid()

    def compute(number: int) -> bytes:
        if os.getpid() != own and number % 3 == 0:
            os._exit(1)
        return b"%d" % number

    assert worker_processes.compute_in_processes(compute, range(20), [1] * 20, 4) == [
        b"%d" % number for number in range(20)
    ]


def test_the_directory_may_decide_the_language_of_the_same_blob(repo: Sandbox) -> None:
    for _ in range(2):
        languages = {row.path: row.language for row in outline(repo) if row.path.endswith("settings.json")}
        assert languages == {".vscode/settings.json": "jsonc", "lib/settings.json": "json"}


def test_without_further_processes_the_caller_computes_everything(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise BlockingIOError("no process")

    expected = find_file_by_file(repo, "function")
    monkeypatch.setattr(worker_processes, "count_idle_processors", lambda: 3)
    monkeypatch.setattr(blob_answers, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(os, "fork", fail)
    assert find(repo, "function") == expected
