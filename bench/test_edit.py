"""The steps of one edit in a process that stays: parse, resolve, splice, commit, and all of it.

    python -m pytest bench --benchmark-enable             # a table, slowest last
    python -m pytest bench                                # once each, as a test

Times of a shared machine mean little; compare the rows of one run, or two runs with
``--benchmark-autosave`` and ``--benchmark-compare``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import gitscalpel
from gitscalpel import Replace, changeset
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.source import Source
from gitscalpel.syntax import outline as outlines
from gitscalpel.syntax.addresses import resolve_address
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice
from gitscalpel.workspace.workspace import Session, Workspace
from tests.edit.editing import Files
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

FUNCTIONS = 500
SOURCE = "\n\n".join(
    f"def f{n}(value):\n    total = {n}\n    for i in range(value):\n        total += i\n    return total\n"
    for n in range(FUNCTIONS)
).encode()
"""Some 3,500 lines."""
MIDDLE = f"f{FUNCTIONS // 2}"


def code(turn: int) -> str:
    return f"def {MIDDLE}(value):\n    return value * {turn}\n"


@pytest.fixture
def source() -> Source:
    return Source.read("a.py", SOURCE)


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({f"p{n // 50}/m{n % 50}.py": b"x = 1\n" for n in range(1000)} | {"a.py": SOURCE})
    return sandbox


def test_parse(benchmark: BenchmarkFixture) -> None:
    def parse() -> Source:
        fresh = Source.read("a.py", SOURCE)
        assert fresh.syntax is not None
        return fresh

    benchmark(parse)


def test_outline(benchmark: BenchmarkFixture, source: Source) -> None:
    def outline() -> int:
        syntax = source.syntax
        assert syntax is not None
        return len(outlines.read_outline(syntax).symbols)

    assert benchmark(outline) == FUNCTIONS


def test_resolve(benchmark: BenchmarkFixture, source: Source) -> None:
    outline = source.outline
    assert outline is not None
    assert benchmark(resolve_address, outline, MIDDLE).name == MIDDLE


def test_splice(benchmark: BenchmarkFixture, source: Source) -> None:
    made = (Splice(1000, 1100, b"x" * 100), Splice(40000, 40010, b""))
    assert len(benchmark(splice.apply, source.text, made)) == len(SOURCE) - 10


def test_edit_in_memory(benchmark: BenchmarkFixture) -> None:
    request = changeset(Replace(path="a.py", symbol=MIDDLE, code=code(2)))
    before = Files({"a.py": SOURCE})
    assert len(benchmark(apply, request.operations, before).changes) == 1


def test_commit(benchmark: BenchmarkFixture, repo: Sandbox) -> None:
    with Workspace(Session(folder=repo.root)) as ws:
        target = ws.at(ws.repo.branch())
        parents = [target.tip] if target.tip else []
        turns = iter(range(10**6))

        def commit() -> str:
            tree = write_tree(ws.store, target.snapshot.tree, {"p3/m7.py": b"x = %d\n" % next(turns)})
            oid = ws.store.write_commit(tree, parents, "bench")
            with ws.store.lasting():
                return oid

        assert len(benchmark(commit)) == 40


def test_whole_edit_without_the_checkout(benchmark: BenchmarkFixture, repo: Sandbox) -> None:
    """A step of an open transaction: what an agent's editing session does again and again."""
    turns = iter(range(10**6))
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        done = benchmark(lambda: tx.edit(Replace(path="a.py", symbol=MIDDLE, code=code(next(turns)))))
        assert done.tx == tx.id


def test_whole_edit_landed(benchmark: BenchmarkFixture, repo: Sandbox) -> None:
    turns = iter(range(10**6))
    with gitscalpel.open(repo.root) as opened:
        done = benchmark(lambda: opened.edit(Replace(path="a.py", symbol=MIDDLE, code=code(next(turns)))))
        assert done.landed
    assert repo.status() == ""
