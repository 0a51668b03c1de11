"""Answers that are kept are those that would be found anew, whatever has changed, and whatever lies there."""

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
QUESTIONS = (("pkg/base.py", "Base.save"), ("pkg/base.py", "Base"), ("store.ts", "save"))


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.fixture
def found_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was not known, as it is asked."""
    asked: list[str] = []
    plain = search.list_references

    def noting(op: Refs, *rest: Any) -> References:
        asked.append(str(op.symbol))
        return plain(op, *rest)

    monkeypatch.setattr(search, "list_references", noting)
    return asked


def answer(repo: Sandbox, path: str = "pkg/base.py", symbol: str = "Base.save") -> object:
    with gitscalpel.open(repo.root) as opened:
        try:
            return opened.view().refs(path, symbol=symbol)
        except DoesNotFit as error:
            return error.message


def anew(repo: Sandbox, path: str = "pkg/base.py", symbol: str = "Base.save") -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_cache, "read_result", lambda *_: None)
        patch.setattr(user_cache, "write_result", lambda *_: None)
        return answer(repo, path, symbol)


def _found(repo: Sandbox) -> Repository:
    return discover(repo.root, dict(os.environ))


def kept(repo: Sandbox) -> list[Path]:
    return sorted(user_cache.cache_folder(_found(repo)).glob("*"))


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
def test_what_it_does_not_rest_on_may_change(
    repo: Sandbox, found_anew: list[str], change: dict[str, Content]
) -> None:
    before = answer(repo)
    if change:
        repo.commit(change)
    assert answer(repo) == before
    assert answer(repo) == before
    assert found_anew == ["Base.save"]
    assert anew(repo) == before


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
def test_what_it_rests_on_has_it_found_anew(
    repo: Sandbox, found_anew: list[str], change: dict[str, Content]
) -> None:
    answer(repo)
    repo.commit(change)
    assert answer(repo) == anew(repo)
    assert len(found_anew) == 3
    repo.git("revert", "--no-edit", "HEAD")
    assert answer(repo) == anew(repo)


@pytest.mark.parametrize("seed", range(3))
def test_after_any_change_it_is_what_would_be_found_anew(
    repo: Sandbox, found_anew: list[str], seed: int
) -> None:
    draw = random.Random(seed)  # noqa: S311 - which changes
    places = [*FILES, "pkg/base.pyi", "pkg/user/__init__.py", "lib/pkg/base.py", "src/app.py", "store.js"]
    texts = [*(text for text in FILES.values() if isinstance(text, bytes)), b"import pkg\npkg.Base().save\n"]
    for _ in range(14):
        path = draw.choice(places)
        repo.commit({path: draw.choice([*texts, None] if (repo.root / path).exists() else texts)})
        for question in QUESTIONS:
            assert answer(repo, *question) == anew(repo, *question)
    assert len(found_anew) < 2 * 14 * len(QUESTIONS)


def test_a_transaction_sees_its_own(repo: Sandbox, found_anew: list[str]) -> None:
    known = answer(repo)
    with gitscalpel.open(repo.root) as opened, opened.begin("x") as tx:
        assert tx.view().refs("pkg/base.py", symbol="Base.save") == known
        tx.edit(gitscalpel.Text(path="app.py", old="user.save()", new="user.save"))
        assert tx.view().refs("pkg/base.py", symbol="Base.save") == known
        tx.edit(gitscalpel.Text(path="app.py", old="user.save", new="x = 1; user.save"))
        assert tx.view().refs("pkg/base.py", symbol="Base.save") != known
        assert answer(repo) == known
        tx.drop()
    assert len(found_anew) == 3


def _torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def _other_bytes(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[-5] ^= 1
    file.write_bytes(bytes(raw))


def _without_seal(file: Path) -> None:
    file.write_bytes(trust.strip_seal(file.read_bytes()))


def _link(file: Path) -> None:
    file.rename(file.with_name("there"))
    file.symlink_to("there")


def _of_another_question(file: Path) -> None:
    other = next(each for each in file.parent.iterdir() if each != file)
    file.write_bytes(other.read_bytes())


def _sealed_nonsense(file: Path) -> None:
    trust.write_sealed(file, file.parent, f"answer {file.name}", b"nonsense")


@pytest.mark.parametrize(
    "damage",
    [
        *(_torn, _other_bytes, _without_seal, _link, _of_another_question, _sealed_nonsense),
        *(lambda file: file.write_bytes(b""), lambda file: (file.unlink(), file.mkdir())),
    ],
)
def test_what_is_damaged_is_no_answer(
    repo: Sandbox, found_anew: list[str], damage: Callable[[Path], object]
) -> None:
    before = answer(repo)
    (file,) = kept(repo)
    answer(repo, "store.ts", "save")
    damage(file)
    assert answer(repo) == before
    assert found_anew == ["Base.save", "save", "Base.save"]


def test_what_came_along_with_a_repository_is_no_answer(
    repo: Sandbox, found_anew: list[str], tmp_path: Path
) -> None:
    before = answer(repo)
    here = kept(repo)[0]
    repo.root.rename(tmp_path / "other")
    other = Sandbox(tmp_path / "other")
    there = user_cache.cache_folder(_found(other))
    there.mkdir(parents=True)
    (there / here.name).write_bytes(here.read_bytes())
    assert answer(other) == before
    assert found_anew == ["Base.save"] * 2


def test_other_code_finds_it_anew(
    repo: Sandbox, found_anew: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(repo)
    monkeypatch.setattr(query_cache, "code_key", lambda: b"another")
    answer(repo)
    assert len(found_anew) == 2


def test_a_cache_that_cannot_be_written_is_none(repo: Sandbox, tmp_path: Path) -> None:
    before = answer(repo)
    (tmp_path / "file").write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        assert answer(repo) == before


def test_two_at_once_do_each_other_no_harm(repo: Sandbox) -> None:
    asking = f"""
import gitscalpel
with gitscalpel.open({str(repo.root)!r}) as opened:
    for _ in range(30):
        print(len(opened.view().refs("pkg/base.py", symbol="Base.save").references))
"""
    keeping = asking.replace(
        "import gitscalpel",
        "import gitscalpel\nfrom gitscalpel.git import user_cache\nuser_cache.read_result = lambda *_: None",
    )
    children = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for script in (keeping, keeping, asking)
    ]
    said = [child.communicate()[0].split() for child in children]
    assert {line for lines in said for line in lines} == {str(len(anew(repo).references))}  # type: ignore[attr-defined]
    assert [len(lines) for lines in said] == [30, 30, 30]
    assert len(kept(repo)) == 1


def test_only_the_newest_stay(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "MAX_RESULTS", 2)
    for age, question in enumerate(QUESTIONS):
        answer(repo, *question)
        for file in kept(repo):
            os.utime(file, (file.stat().st_mtime - 10 * age - 1,) * 2)
    assert len(kept(repo)) == 2
    monkeypatch.setattr(user_cache, "MAX_BYTES", 1)
    here = _found(repo)
    assert [item.removed for item in sweep_result_cache(here, dry_run=True)] == [True, True]
    assert len(kept(repo)) == 2
    assert [item.why for item in sweep_result_cache(here)] == ["an old answer"] * 2
    assert kept(repo) == []
