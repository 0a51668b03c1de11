"""A pack that is written here is one that git would have made of the same objects, index and all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import object_writer
from gitscalpel.git.object_store import open_store
from gitscalpel.git.object_writer import object_id
from gitscalpel.git.repository import discover
from gitscalpel.system import private_files
from tests.git.written import written
from tests.sandbox import Sandbox

CONTENTS = st.lists(st.binary(max_size=40) | st.just(b"x" * 5000), min_size=1, max_size=12)


def _write(repo: Sandbox, object_format: str, contents: list[bytes]) -> tuple[Path, Path, list[Oid]]:
    new = {object_id(object_format, "blob", content): ("blob", content) for content in contents}
    with object_writer.write_pack(repo.root / ".git/objects", object_format, new):
        (pack,) = (repo.root / ".git/objects/pack").glob("*.pack")
    return pack, pack.with_suffix(".idx"), list(new)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=CONTENTS, object_format=st.sampled_from(["sha1", "sha256"]))
def test_git_makes_the_same_index(tmp_path: Path, contents: list[bytes], object_format: str) -> None:
    repo = Sandbox.init(tmp_path / os.urandom(4).hex(), f"--object-format={object_format}")
    pack, index, ids = _write(repo, object_format, contents)
    ours = index.read_bytes()
    index.unlink()
    repo.git("index-pack", str(pack))
    assert index.read_bytes() == ours
    for oid, content in zip(ids, dict.fromkeys(contents), strict=True):
        assert repo.git("cat-file", "-s", oid) == str(len(content))
    repo.git("fsck", "--strict")


def test_offsets_beyond_two_gigabytes_have_a_table_of_their_own() -> None:
    rows = [(bytes([first]) * 20, 7, offset) for first, offset in ((1, 12), (2, 1 << 31), (3, 1 << 33))]
    index = b"".join(object_writer.encode_pack_index("sha1", rows, b"p" * 20))
    after = 8 + 256 * 4 + 3 * 20 + 3 * 4
    assert index[after : after + 12].hex() == "0000000c8000000080000001"
    assert index[after + 12 : after + 28].hex() == f"{1 << 31:016x}{1 << 33:016x}"


def test_what_is_made_is_seen_by_the_gits_that_are_started(repo: Sandbox) -> None:
    with repo.opened() as (opened, store):
        blob = store.write_blob(b"made\n")
        assert not list((repo.root / ".git/objects" / blob[:2]).glob(blob[2:]))
        assert store.read(blob) == b"made\n"
        assert store.holds(blob)
        assert opened.git("cat-file", "blob", blob) == b"made\n"


def test_a_path_in_a_commit_that_is_made(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        tree = written(store, None, {"a/b": b"made\n"})
        commit = store.write_commit(tree, [], "made")
        assert store.commit(commit).tree == tree
        assert store.file(commit, "a/b") == b"made\n"
        assert store.file(commit, "a") is None


def test_who_makes_objects_and_needs_none_leaves_none(repo: Sandbox) -> None:
    before = sorted((repo.root / ".git/objects").rglob("*"))
    with open_store(discover(repo.root, os.environ)) as store:
        store.write_commit(written(store, None, {"a/b": b"made\n"}), [], "made")
        store.repo.git("config", "--list")
    assert sorted((repo.root / ".git/objects").rglob("*")) == before


@pytest.mark.parametrize("promised", [True, False])
def test_a_partial_clone_keeps_what_is_its_own_apart(repo: Sandbox, promised: bool) -> None:
    """In one, packs with a ``.promisor`` hold what others can give again: ours are written one by one."""
    packs = repo.root / ".git/objects/pack"
    if promised:
        (packs / "pack-x.promisor").touch()
    with repo.opened() as (_, store):
        store.write_commit(written(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            pass
    assert bool(list(packs.glob("*.pack"))) is not promised


def _packs(repo: Sandbox) -> set[str]:
    return {file.suffix for file in (repo.root / ".git/objects/pack").iterdir()}


def test_who_repacks_takes_nothing_that_is_about_to_get_a_name(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        commit = store.write_commit(written(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            repo.git("repack", "-a", "-d", "-q")
            repo.git("update-ref", "refs/tags/made", commit)
    repo.git("fsck", "--strict")
    assert ".keep" not in _packs(repo)


def test_what_a_kill_left_kept_is_let_go_and_what_others_keep_is_not(repo: Sandbox) -> None:
    packs = repo.root / ".git/objects/pack"
    with repo.opened() as (_, store):
        store.write_commit(written(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            (sign,) = packs.glob("*.keep")
            left = sign.read_bytes()
            object_writer.release_packs(packs.parent)
            assert sign.exists(), "somebody stands behind it"
    for name, said in (("pack-1", left), ("pack-2", b""), ("pack-3", b"")):
        (packs / f"{name}.keep").write_bytes(said)
    (packs / "pack-3.pack").touch()
    object_writer.release_packs(packs.parent)
    assert [file.name for file in packs.glob("*.keep")] == ["pack-3.keep"]


def test_a_pack_that_cannot_be_written_leaves_no_file(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk, where each further attempt would leave more."""
    sync = private_files.sync_path

    def full(path: Path) -> None:
        if "tmp_idx" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(path)

    monkeypatch.setattr(private_files, "sync_path", full)
    before = sorted((repo.root / ".git/objects").rglob("*"))
    with repo.opened() as (_, store):
        store.write_commit(written(store, None, {"a/b": b"made\n"}), [], "made")
        with pytest.raises(OSError, match="No space"), store.lasting():
            pass
    assert sorted((repo.root / ".git/objects").rglob("*")) == before
