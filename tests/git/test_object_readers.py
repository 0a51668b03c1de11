"""A store reads the same through libgit2 and through git in every kind of repository."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitscalpel.git.objects import CatFile
from tests.git.repository_kinds import KINDS, iter_files, open_stores, reader_type, result_or_error
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

THIS = Path(__file__).parents[2]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, repo: Sandbox) -> tuple[Sandbox, list[type]]:
    repo.commit({"a.py": b"two\n", "sub/deep/c.py": b"c\n"}, "another\n\ncommit")
    repo.git("tag", "-a", "-m", "a tag", "v1")
    make, *readers = KINDS[request.param]
    return make(repo), [CatFile, *readers]


NAMES = (
    *("HEAD", "main", "refs/heads/main", "refs/heads/side", "refs/heads/none", "v1", "refs/tags/v1"),
    *("HEAD~1", "HEAD^{tree}", "HEAD:a.py", "refs/heads/main:sub", "refs/heads/main~1", "refs/heads/ma in"),
    *("refs/worktree/mine", "refs/worktree/theirs", "refs/remotes/origin/HEAD", "origin/main", "@{0}"),
    *(
        "refs/heads/main@{0}",
        ":/another",
        "-x",
        "",
        "0" * 40,
        "refs/",
        "refs/heads/\udcff",
        "HEAD\n",
        "deadbeef",
    ),
)


def test_stores_read_every_repository_alike(kind: tuple[Sandbox, list[type]]) -> None:
    repo, readers = kind
    found: list[Any] = []
    used_readers = []
    for store in open_stores(repo):
        head = store.commit("HEAD")
        ids = [head.oid, head.oid[:9], head.oid.upper(), head.tree, f"{head.tree}:a.py"]
        found.append(
            [
                *((name, store.resolve(name)) for name in (*NAMES, *ids)),
                *((name, result_or_error(store.commit, name)) for name in (*NAMES, *ids)),
                list(iter_files(store, head.tree)),
                result_or_error(store.difference, head.parents and store.resolve("HEAD~1^{tree}"), head.tree),
                result_or_error(store.read, head.tree),
            ]
        )
        used_readers.append(reader_type(store))
    assert found[0] == found[1]
    assert used_readers == readers


def test_stores_write_every_repository_alike(kind: tuple[Sandbox, list[type]]) -> None:
    repo, _ = kind
    found = []
    for store in open_stores(repo):
        head = store.commit("HEAD")
        tree = write_tree(store, head.tree, {"a.py": b"new\n", "x/y/z": b"z\n"})
        commit = store.write_commit(tree, [head.oid], "written\n\nwith a body")
        found.append((tree, commit, store.difference(head.tree, tree), store.commit(commit)))
        store.show()
        assert repo.git("rev-parse", f"{commit}^{{tree}}") == tree
        repo.git("cat-file", "-p", f"{commit}:x/y/z")
    assert found[0] == found[1]
    repo.git("fsck", "--strict", "--connectivity-only")


def test_stores_read_history_with_merges_and_packs_alike(repo: Sandbox) -> None:
    """Compare every commit, its changes and blobs, in a history that is partly packed."""
    for number in range(24):
        repo.commit({f"d{number % 5}/f{number % 7}.txt": b"%d\n" % number * (number + 1)}, f"number {number}")
        if number % 6 == 2:
            repo.git("switch", "-q", "-c", f"side{number}")
            repo.commit({f"side{number}": b"side\n"})
            repo.git("switch", "-q", "main")
        elif number % 6 == 5:
            repo.git("merge", "-q", "--no-ff", "-m", "merge", f"side{number - 3}")
        if number == 12:
            repo.git("gc", "-q")
    ids = repo.git("rev-list", "HEAD").split()
    assert len(ids) > 30
    found = []
    for store in open_stores(repo):
        commits = [store.commit(oid) for oid in ids]
        changes = [store.difference(old.tree, new.tree) for new, old in itertools.pairwise(commits)]
        blobs = [store.read(d.new.oid) for deltas in changes for d in deltas if d.new]
        found.append((commits, changes, blobs))
    assert found[0] == found[1]
    assert len(found[0][2]) > 20


def test_replace_refs_are_ignored(repo: Sandbox) -> None:
    first = repo.tip()
    second = repo.commit({"a.py": b"two\n"})
    blob = repo.git("rev-parse", "HEAD:a.py")
    repo.git("replace", second, first)
    repo.git("replace", blob, repo.git("rev-parse", f"{first}:a.py"))
    for store in open_stores(repo):
        commit = store.commit("refs/heads/main")
        assert (commit.oid, commit.parents) == (second, (first,))
        assert store.read(store.tree(commit.tree)["a.py"].oid) == b"two\n"


PATHS = st.lists(st.sampled_from(["a", "a.b", "b", "é", "\udcff", "z" * 99]), min_size=1, max_size=3)
FILES = st.dictionaries(PATHS.map("/".join), st.binary(max_size=9), min_size=1, max_size=6)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=FILES, after=FILES)
def test_stores_write_random_trees_alike(
    repo: Sandbox, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    found = []
    for store in open_stores(repo):
        old, new = (write_tree(store, None, files) for files in (before, after))
        commits = [store.write_commit(tree, [], "x") for tree in (old, new)]
        found.append((commits, list(iter_files(store, new)), store.difference(old, new)))
    assert found[0] == found[1]
