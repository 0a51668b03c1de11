"""Cached search results equal fresh results after any change, and damaged entries are ignored."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel import DoesNotFit
from gitscalpel.api import query_cache, search
from gitscalpel.changesets.answers import References
from gitscalpel.changesets.operations import Refs
from gitscalpel.git import user_cache
from gitscalpel.git.repository import Repository, discover
from gitscalpel.system import trust
from gitscalpel.workspace.pruning import sweep_result_cache
from tests.sandbox import Content, Sandbox

FILES: dict[str, Content] = {
    "pkg/__init__.py": b"from pkg.base import Base\n",
    "pkg/base.py": b"class Base:\n    def save(self):\n        return 1\n",
    "pkg/user.py": b"from pkg import Base\n\nclass User(Base):\n    pass\n\nUser().save()\n",
    "app.py": b"from pkg.user import User\n\ndef f(user: User):\n    user.save()\n    user.other.save()\n",
    "web.ts": b"import { save } from './store';\nsave();\n",
    "store.ts": b"export function save() {}\n",
    "README.md": b"Call save.\n",
    "notes.txt": b"nothing\n",
}
QUERIES = (("pkg/base.py", "Base.save"), ("pkg/base.py", "Base"), ("store.ts", "save"))


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.fixture
def cache_misses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of symbols that are searched without the cache."""
    misses: list[str] = []
    list_references = search.list_references

    def record_and_list(op: Refs, *rest: Any) -> References:
        misses.append(str(op.symbol))
        return list_references(op, *rest)

    monkeypatch.setattr(search, "list_references", record_and_list)
    return misses


def find_references(repo: Sandbox, path: str = "pkg/base.py", symbol: str = "Base.save") -> object:
    with gitscalpel.open(repo.root) as opened:
        try:
            return opened.view().refs(path, symbol=symbol)
        except DoesNotFit as error:
            return error.message


def find_without_cache(repo: Sandbox, path: str = "pkg/base.py", symbol: str = "Base.save") -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_cache, "read_result", lambda *_: None)
        patch.setattr(user_cache, "write_result", lambda *_: None)
        return find_references(repo, path, symbol)


def _discover(repo: Sandbox) -> Repository:
    return discover(repo.root, dict(os.environ))


def cached_files(repo: Sandbox) -> list[Path]:
    return sorted(user_cache.cache_folder(_discover(repo)).glob("*"))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"notes.txt": b"something else\n"},
        {"pkg/more.py": b"x = 1\n"},
        {"elsewhere/more.py": b"from pkg.user import User\n"},
        {"notes.txt": None},
    ],
    ids=str,
)
def test_cached_result_survives_unrelated_changes(
    repo: Sandbox, cache_misses: list[str], change: dict[str, Content]
) -> None:
    before = find_references(repo)
    if change:
        repo.commit(change)
    assert find_references(repo) == before
    assert find_references(repo) == before
    assert cache_misses == ["Base.save"]
    assert find_without_cache(repo) == before


@pytest.mark.parametrize(
    "change",
    [
        {"app.py": b"from pkg.user import User\nUser().save\n"},
        {"notes.txt": b"save the whales\n"},
        {"new/more.py": b"from pkg.user import User\nUser().save()\n"},
        {"pkg/user.py": b"class User:\n    pass\n"},
        {"pkg/base.pyi": b"class Base:\n    def save(self) -> int: ...\n"},
        {"pkg/user/__init__.py": b"User = 1\n", "pkg/user.py": None},
        {"README.md": None},
        {"app.py": ("120000", b"pkg/user.py")},
    ],
    ids=str,
)
def test_changed_dependency_invalidates_the_result(
    repo: Sandbox, cache_misses: list[str], change: dict[str, Content]
) -> None:
    find_references(repo)
    repo.commit(change)
    assert find_references(repo) == find_without_cache(repo)
    assert len(cache_misses) == 3
    repo.git("revert", "--no-edit", "HEAD")
    assert find_references(repo) == find_without_cache(repo)


@pytest.mark.parametrize("seed", range(3))
def test_cached_result_equals_a_fresh_one_after_random_changes(
    repo: Sandbox, cache_misses: list[str], seed: int
) -> None:
    draw = random.Random(seed)  # noqa: S311 - which changes
    paths = [*FILES, "pkg/base.pyi", "pkg/user/__init__.py", "lib/pkg/base.py", "src/app.py", "store.js"]
    texts = [*(text for text in FILES.values() if isinstance(text, bytes)), b"import pkg\npkg.Base().save\n"]
    for _ in range(14):
        path = draw.choice(paths)
        repo.commit({path: draw.choice([*texts, None] if (repo.root / path).exists() else texts)})
        for query in QUERIES:
            assert find_references(repo, *query) == find_without_cache(repo, *query)
    assert len(cache_misses) < 2 * 14 * len(QUERIES)


def test_transaction_gets_its_own_results(repo: Sandbox, cache_misses: list[str]) -> None:
    cached = find_references(repo)
    with gitscalpel.open(repo.root) as opened, opened.begin("x") as tx:
        assert tx.view().refs("pkg/base.py", symbol="Base.save") == cached
        tx.edit(gitscalpel.Text(path="app.py", old="user.save()", new="user.save"))
        assert tx.view().refs("pkg/base.py", symbol="Base.save") == cached
        tx.edit(gitscalpel.Text(path="app.py", old="user.save", new="x = 1; user.save"))
        assert tx.view().refs("pkg/base.py", symbol="Base.save") != cached
        assert find_references(repo) == cached
        tx.drop()
    assert len(cache_misses) == 3


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def _flip_bit(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[-5] ^= 1
    file.write_bytes(bytes(raw))


def _strip_seal(file: Path) -> None:
    file.write_bytes(trust.strip_seal(file.read_bytes()))


def _replace_by_link(file: Path) -> None:
    file.rename(file.with_name("there"))
    file.symlink_to("there")


def _copy_other_entry(file: Path) -> None:
    other = next(each for each in file.parent.iterdir() if each != file)
    file.write_bytes(other.read_bytes())


def _seal_nonsense(file: Path) -> None:
    trust.write_sealed(file, file.parent, f"answer {file.name}", b"nonsense")


@pytest.mark.parametrize(
    "damage",
    [
        *(_truncate, _flip_bit, _strip_seal, _replace_by_link, _copy_other_entry, _seal_nonsense),
        *(lambda file: file.write_bytes(b""), lambda file: (file.unlink(), file.mkdir())),
    ],
)
def test_damaged_entry_is_ignored(
    repo: Sandbox, cache_misses: list[str], damage: Callable[[Path], object]
) -> None:
    before = find_references(repo)
    (file,) = cached_files(repo)
    find_references(repo, "store.ts", "save")
    damage(file)
    assert find_references(repo) == before
    assert cache_misses == ["Base.save", "save", "Base.save"]


def test_entry_of_another_repository_is_ignored(
    repo: Sandbox, cache_misses: list[str], tmp_path: Path
) -> None:
    before = find_references(repo)
    entry = cached_files(repo)[0]
    repo.root.rename(tmp_path / "other")
    other = Sandbox(tmp_path / "other")
    other_cache = user_cache.cache_folder(_discover(other))
    other_cache.mkdir(parents=True)
    (other_cache / entry.name).write_bytes(entry.read_bytes())
    assert find_references(other) == before
    assert cache_misses == ["Base.save"] * 2


def test_changed_code_invalidates_the_result(
    repo: Sandbox, cache_misses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_references(repo)
    monkeypatch.setattr(query_cache, "code_key", lambda: b"another")
    find_references(repo)
    assert len(cache_misses) == 2


def test_unwritable_cache_is_ignored(repo: Sandbox, tmp_path: Path) -> None:
    before = find_references(repo)
    (tmp_path / "file").write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        assert find_references(repo) == before


def test_concurrent_readers_and_writers_agree(repo: Sandbox) -> None:
    reader = f"""
import gitscalpel
with gitscalpel.open({str(repo.root)!r}) as opened:
    for _ in range(30):
        print(len(opened.view().refs("pkg/base.py", symbol="Base.save").references))
"""
    writer = reader.replace(
        "import gitscalpel",
        "import gitscalpel\nfrom gitscalpel.git import user_cache\nuser_cache.read_result = lambda *_: None",
    )
    children = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for script in (writer, writer, reader)
    ]
    outputs = [child.communicate()[0].split() for child in children]
    assert {line for lines in outputs for line in lines} == {str(len(find_without_cache(repo).references))}  # type: ignore[attr-defined]
    assert [len(lines) for lines in outputs] == [30, 30, 30]
    assert len(cached_files(repo)) == 1


def test_only_the_newest_results_are_kept(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "MAX_RESULTS", 2)
    for age, query in enumerate(QUERIES):
        find_references(repo, *query)
        for file in cached_files(repo):
            os.utime(file, (file.stat().st_mtime - 10 * age - 1,) * 2)
    assert len(cached_files(repo)) == 2
    monkeypatch.setattr(user_cache, "MAX_BYTES", 1)
    repository = _discover(repo)
    assert [item.removed for item in sweep_result_cache(repository, dry_run=True)] == [True, True]
    assert len(cached_files(repo)) == 2
    assert [item.why for item in sweep_result_cache(repository)] == ["an old answer"] * 2
    assert cached_files(repo) == []
