"""Objects written by the store are valid for git, and git's objects are readable."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

from gitscalpel.changesets.file_tree import REGULAR, TREE, Entry, Oid
from gitscalpel.errors import Damaged, Misconfigured
from gitscalpel.git.commits import find_identity
from gitscalpel.git.merges import merge_trees
from gitscalpel.git.object_store import open_store
from gitscalpel.git.process import Git
from gitscalpel.git.repository import discover
from gitscalpel.git.snapshots import TreeSnapshot
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("each_store")


@pytest.mark.parametrize("content", [b"", b"x", b"line\r\n\0" * 1000])
def test_blob_is_read_back_and_valid_for_git(repo: Sandbox, content: bytes) -> None:
    with repo.opened() as (_, store):
        oid = store.write_blob(content)
        assert oid == store.blob_id(content)
        assert store.read(oid) == content
    assert repo.git("cat-file", "-s", oid) == str(len(content))
    repo.git("fsck", "--strict")


def test_objects_are_read_only_and_written_once(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        oid = store.write_blob(b"x")
        store.show()
        file = repo.root / ".git/objects" / oid[:2] / oid[2:]
        first = file.stat().st_ino
        store.write_blob(b"x")
        store.show()
        assert file.stat().st_ino == first
        assert stat.S_IMODE(file.stat().st_mode) == 0o444
    assert list((repo.root / ".git/objects").glob("tmp_*")) == []


def test_missing_object_raises(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        for revision in ("nothing", "with space", "with\nnewline", "a:b"):
            with pytest.raises(KeyError):
                store.commit(revision)
        with pytest.raises(KeyError):
            store.read(Oid("0" * 40))
        with pytest.raises(Damaged):
            store.tree(Oid("1" * 40))


def test_missing_ref_is_found_without_git(repo: Sandbox) -> None:
    repo.commit({"a": b""})
    broken = repo.root / ".git/refs/heads/broken"
    broken.write_bytes(b"")
    with open_store(discover(repo.root, os.environ), long_lived=True) as store:
        oid = store.write_blob(b"x")
        file = repo.root / ".git/objects" / oid[:2] / oid[2:]
        assert store.resolve("refs/scalpel/none") is None
        with pytest.raises(KeyError):
            store.commit("refs/heads/none")
        assert not file.exists()  # as for every git that is started
        assert store.resolve("refs/heads/broken") is None
        assert file.exists()


def test_read_works_after_a_damaged_object(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        oid = store.write_blob(b"x")
        store.show()
        file = repo.root / ".git/objects" / oid[:2] / oid[2:]
        file.chmod(0o644)
        file.write_bytes(b"not zlib")
        with pytest.raises((Damaged, KeyError)):
            store.read(oid)
        assert store.commit("HEAD").message == "a commit\n"


def test_commit_is_read_as_written(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        head = store.commit("main")
        author = "Günther <g@example.org> 1600000000 +0130"
        oid = store.write_commit(head.tree, [head.oid], "söme\n\nbody", author=author)
        commit = store.commit(oid)
    assert (commit.tree, commit.parents, commit.author) == (head.tree, (head.oid,), author)
    assert commit.committer == "Ada <ada@example.org> 1700000000 +0000"
    assert commit.message == "söme\n\nbody\n"
    assert repo.git("log", "-1", "--format=%an %ad", "--date=raw", oid) == "Günther 1600000000 +0130"


def test_unknown_identity_is_refused(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    monkeypatch.delenv("EMAIL", raising=False)
    repo.git("config", "user.useConfigOnly", "true")
    with repo.opened() as (opened, store):
        with pytest.raises(Misconfigured) as refused:
            store.write_commit(store.commit("HEAD").tree, [], "x")
        assert refused.value.code == "identity_unknown"
        with pytest.raises(Misconfigured, match="does not know who you are"):
            find_identity(opened)


def test_signing_follows_the_git_configuration(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    signer = repo.root / "signer"
    signer.write_text('#!/bin/sh\ncat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo SIGNATURE\n')
    signer.chmod(0o755)
    repo.git("config", "gpg.program", str(signer))
    repo.git("config", "commit.gpgSign", "true")
    with repo.opened() as (_, store):
        tree = store.commit("HEAD").tree
        signed, plain = store.write_commit(tree, [], "x"), store.write_commit(tree, [], "x", sign=False)
        store.show()
        assert "SIGNATURE" in repo.git("cat-file", "-p", signed)
        assert "SIGNATURE" not in repo.git("cat-file", "-p", plain)
        signer.write_text("#!/bin/sh\nexit 1\n")
        with pytest.raises(Misconfigured) as refused:
            store.write_commit(tree, [], "x")
        assert refused.value.code == "config_error"


def test_old_git_is_refused(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    old = repo.root / "bin/git"
    old.parent.mkdir()
    opened, tree = discover(repo.root, os.environ), repo.tip("HEAD^{tree}")
    old.write_text('#!/bin/sh\ncase "$*" in *version*) echo git version 2.34.1;; *) exit 129;; esac\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:/usr/bin:/bin")
    with open_store(opened) as store:
        for run in (lambda: store.commit("HEAD~1"), lambda: merge_trees(opened, store, tree, tree, tree)):
            with pytest.raises(Misconfigured) as refused:
                run()
            assert (refused.value.code, refused.value.data["version"]) == ("git_too_old", "2.34.1")


def test_snapshot_lists_and_searches_files(repo: Sandbox) -> None:
    repo.commit({"a.py": b"needle\n", "sub/deep/c.py": b"a needle\n", "bin": b"\0needle", "-x": b"no\n"})
    with repo.opened() as (opened, store):
        snapshot = TreeSnapshot(store, opened.git, store.commit("HEAD").tree)
        assert snapshot.entry("a.py") == Entry(REGULAR, store.blob_id(b"needle\n"))
        deep = snapshot.entry("sub/deep")
        assert deep is not None
        assert deep.mode == TREE
        assert snapshot.entry("a.py/x") is None
        assert snapshot.entry("nothing") is None
        assert list(snapshot.under("")) == ["-x", "a.py", "bin", "sub/b.py", "sub/deep/c.py"]
        assert list(snapshot.under("sub/deep")) == ["sub/deep/c.py"]
        assert list(snapshot.under("a.py")) == []
        assert {"a.py", "sub/deep/c.py"} <= set(snapshot.mentions("needle"))
        assert snapshot.mentions("-e") == []


def test_many_files_are_read_by_one_git_process(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    start = Git.start

    def count_starts(git: Git, *args: str, apart: bool = False) -> subprocess.Popen[bytes]:
        started.append(args[0])
        return start(git, *args, apart=apart)

    with repo.opened() as (_, store):
        tree = write_tree(store, None, {f"f{n}": b"%d" % n for n in range(50)})
        store.show()
        monkeypatch.setattr(Git, "start", count_starts)
        blobs = [entry.oid for entry in store.tree(tree).values()]
        read = [store.read(oid) for oid in blobs[:9]]
        store.expect(blobs)
        assert [store.read(oid) for oid in blobs][:9] == read
    assert started == ([] if repo.long_lived else ["cat-file"])


def test_prefetched_objects_read_as_others(repo: Sandbox) -> None:
    repo.commit({"good.txt": b"good\n", "damaged.txt": b"damaged\n", "other.txt": b"other\n"})
    good, damaged, other = (repo.tip(f"HEAD:{name}.txt") for name in ("good", "damaged", "other"))
    other_bytes = repo.object_file(other).read_bytes()
    repo.object_file(damaged).chmod(0o644)
    repo.object_file(damaged).write_bytes(other_bytes)
    with repo.opened() as (_, store):
        new = store.write_blob(b"new\n")
        missing = Oid("1" * 40)
        store.expect([missing, good, new, damaged, other], [missing, repo.tip("HEAD^{tree}"), good])
        assert [store.read(oid) for oid in (good, good, new, other)] == [b"good\n"] * 2 + [
            b"new\n",
            b"other\n",
        ]
        with pytest.raises(KeyError):
            store.read(missing)
        with pytest.raises(Damaged):
            store.read(damaged)
        with pytest.raises(Damaged):
            store.tree(missing)


def test_files_found_by_word_are_read_unchanged(repo: Sandbox) -> None:
    texts = {f"sub/{n % 7}/deep/{n}.txt": f"word {n}\n".encode() for n in range(120)}
    repo.commit({**texts, "link": ("120000", b"word")})
    with repo.opened() as (_, store):
        files = TreeSnapshot(store, store.repo.git, repo.tip("HEAD^{tree}"))
        found = {}
        for path in [*files.mentions("word"), *texts]:
            entry = files.entry(path)
            assert entry is not None
            found[path] = store.read(entry.oid)
        assert {path: text for path, text in found.items() if path in texts} == texts
