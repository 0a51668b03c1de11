"""Where a name stands is the same, whoever has looked into which file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel.api import beside, remembered
from gitscalpel.errors import DoesNotFit
from gitscalpel.forked import Forked
from gitscalpel.git.looked import Looked
from gitscalpel.git.run import Git
from gitscalpel.meaning.beside import Say
from gitscalpel.views import References
from tests.sandbox import Content, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no copy is made elsewhere")
ROOT = Path(__file__).parents[2]
NAMES = (
    ("gitscalpel/workspace.py", "Workspace"),
    ("gitscalpel/snapshot.py", "Snapshot.entry"),
    ("gitscalpel/meaning/once.py", "Once.once"),
    ("gitscalpel/errors.py", "DoesNotFit"),
)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The code of this project itself."""
    files: dict[str, Content] = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for folder in ("gitscalpel", "bench")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".scm", ".js")
    }
    return Sandbox.of(tmp_path_factory.mktemp("own") / "repo", files)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Looked]:
    """What each answer was said to rest on; none is remembered."""
    found: list[Looked] = []
    monkeypatch.setattr(remembered, "_kept", lambda *_: None)
    monkeypatch.setattr(remembered, "_keep", lambda _ws, _name, _tree, what, _answer: found.append(what))
    return found


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What second processes say; each is waited for, so that it says all that it has to."""
    monkeypatch.setattr(beside, "is_worthwhile", lambda: True)
    found: list[bytes] = []
    hear = Forked.heard

    def patiently(child: Forked) -> list[bytes]:
        said = list[bytes]()
        while child._pipe >= 0:
            said += hear(child)
            time.sleep(0.001)
        found.extend(said)
        return said

    monkeypatch.setattr(Forked, "heard", patiently)
    return found


def answer(repo: Sandbox, path: str, symbol: str) -> References:
    with gitscalpel.open(repo.root) as opened:
        return opened.view().refs(path, symbol=symbol)


def alone(repo: Sandbox, path: str, symbol: str) -> References:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beside, "is_worthwhile", lambda: False)
        return answer(repo, path, symbol)


@pytest.mark.parametrize(("path", "symbol"), NAMES)
def test_the_answer_of_two_is_that_of_one(
    repo: Sandbox, looked: list[Looked], heard: list[bytes], path: str, symbol: str
) -> None:
    assert answer(repo, path, symbol) == alone(repo, path, symbol)
    assert len(heard) > beside.FEW
    both, one = looked
    assert one.paths <= both.paths
    assert one.folders <= both.folders
    assert one.words <= both.words


def test_whoever_is_faster_says_it(
    repo: Sandbox, looked: list[Looked], monkeypatch: pytest.MonkeyPatch
) -> None:
    del looked
    once = alone(repo, *NAMES[0])
    monkeypatch.setattr(beside, "is_worthwhile", lambda: True)
    for _ in range(3):
        assert answer(repo, *NAMES[0]) == once


def _dies(say: Say, path: str) -> bytes:
    if path < "gitscalpel/syntax":
        os.kill(os.getpid(), signal.SIGKILL)
    return say(path)


def _fails(say: Say, path: str) -> bytes:
    if path < "gitscalpel/syntax":
        raise ValueError
    return say(path)


def _mistakes(say: Say, path: str) -> bytes:
    return say(path if path > "gitscalpel/syntax" else "gitscalpel/workspace.py")


def _talks_nonsense(say: Say, path: str) -> bytes:
    said = say(path)
    return said if path > "gitscalpel/syntax" else said[: len(said) // 2]


def _talks_of_others(say: Say, path: str) -> bytes:
    return say(path) if path > "gitscalpel/syntax" else b'["a","python","",[[0,"a",0,1,"x","y",""]],[],[[7]]]'


@pytest.mark.parametrize("does", [_dies, _fails, _mistakes, _talks_nonsense, _talks_of_others])
def test_one_that_is_of_no_use_costs_time_alone(
    repo: Sandbox,
    looked: list[Looked],
    heard: list[bytes],
    monkeypatch: pytest.MonkeyPatch,
    does: Callable[[Say, str], bytes],
) -> None:
    del looked
    plain = beside.Second._work

    def otherwise(second: beside.Second, paths: list[str], say: Say) -> Iterator[bytes]:
        return plain(second, paths, lambda path: does(say, path))

    once = alone(repo, *NAMES[0])
    monkeypatch.setattr(beside.Second, "_work", otherwise)
    assert answer(repo, *NAMES[0]) == once
    assert heard


def test_of_few_files_none_is_made(tmp_path: Path, looked: list[Looked], heard: list[bytes]) -> None:
    del looked
    small = Sandbox.of(tmp_path / "small", {f"{n}.py": b"def f():\n    f()\n" for n in range(beside.FEW)})
    assert answer(small, "0.py", "f").definitions
    assert not heard


@pytest.mark.parametrize("symbol", ["Workspace", "Workspace.nothing", "Nothing"])
def test_git_searches_while_the_file_is_read_and_no_longer(
    repo: Sandbox, looked: list[Looked], monkeypatch: pytest.MonkeyPatch, symbol: str
) -> None:
    searches: list[subprocess.Popen[bytes]] = []
    plain = Git.start

    def start(git: Git, *args: str, env: Mapping[str, str] = {}) -> subprocess.Popen[bytes]:
        child = plain(git, *args, env=env)
        searches.extend([child] if args[0] == "grep" else [])
        return child

    monkeypatch.setattr(Git, "start", start)
    with nullcontext() if symbol == "Workspace" else pytest.raises(DoesNotFit):
        answer(repo, "gitscalpel/workspace.py", symbol)
    assert searches
    assert all(child.returncode is not None for child in searches)
    assert len(looked) == (symbol == "Workspace")
