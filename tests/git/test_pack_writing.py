"""A pack written by gitscalpel equals the one that git would make, including its index."""

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
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

CONTENTS = st.lists(st.binary(max_size=40) | st.just(b"x" * 5000), min_size=1, max_size=12)


def _write_pack(repo: Sandbox, object_format: str, contents: list[bytes]) -> tuple[Path, Path, list[Oid]]:
    new = {object_id(object_format, "blob", content): ("blob", content) for content in contents}
    with object_writer.write_pack(repo.root / ".git/objects", object_format, new):
        (pack,) = (repo.root / ".git/objects/pack").glob("*.pack")
    return pack, pack.with_suffix(".idx"), list(new)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=CONTENTS, object_format=st.sampled_from(["sha1", "sha256"]))
def test_pack_index_equals_the_one_of_git(tmp_path: Path, contents: list[bytes], object_format: str) -> None:
    repo = Sandbox.init(tmp_path / os.urandom(4).hex(), f"--object-format={object_format}")
    pack, index, ids = _write_pack(repo, object_format, contents)
    own = index.read_bytes()
    index.unlink()
    repo.git("index-pack", str(pack))
    assert index.read_bytes() == own
    for oid, content in zip(ids, dict.fromkeys(contents), strict=True):
        assert repo.git("cat-file", "-s", oid) == str(len(content))
    repo.git("fsck", "--strict")


def test_offsets_above_two_gigabytes_use_the_large_offset_table() -> None:
    rows = [(bytes([first]) * 20, 7, offset) for first, offset in ((1, 12), (2, 1 << 31), (3, 1 << 33))]
    index = b"".join(object_writer.encode_pack_index("sha1", rows, b"p" * 20))
    after = 8 + 256 * 4 + 3 * 20 + 3 * 4
    assert index[after : after + 12].hex() == "0000000c8000000080000001"
    assert index[after + 12 : after + 28].hex() == f"{1 << 31:016x}{1 << 33:016x}"


def test_pending_objects_are_visible_to_started_git(repo: Sandbox) -> None:
    with repo.opened() as (opened, store):
        blob = store.write_blob(b"made\n")
        assert not list((repo.root / ".git/objects" / blob[:2]).glob(blob[2:]))
        assert store.read(blob) == b"made\n"
        assert store.holds(blob)
        assert opened.git("cat-file", "blob", blob) == b"made\n"


def test_path_in_a_pending_commit_is_read(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        tree = write_tree(store, None, {"a/b": b"made\n"})
        commit = store.write_commit(tree, [], "made")
        assert store.commit(commit).tree == tree
        assert store.file(commit, "a/b") == b"made\n"
        assert store.file(commit, "a") is None


def test_unneeded_objects_leave_no_file(repo: Sandbox) -> None:
    before = sorted((repo.root / ".git/objects").rglob("*"))
    with open_store(discover(repo.root, os.environ)) as store:
        store.write_commit(write_tree(store, None, {"a/b": b"made\n"}), [], "made")
        store.repo.git("config", "--list")
    assert sorted((repo.root / ".git/objects").rglob("*")) == before


@pytest.mark.parametrize("has_promisor", [True, False])
def test_partial_clone_writes_loose_objects(repo: Sandbox, has_promisor: bool) -> None:
    """Packs with a ``.promisor`` file are refetchable, so own objects are written loose."""
    packs = repo.root / ".git/objects/pack"
    if has_promisor:
        (packs / "pack-x.promisor").touch()
    with repo.opened() as (_, store):
        store.write_commit(write_tree(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            pass
    assert bool(list(packs.glob("*.pack"))) is not has_promisor


def _pack_suffixes(repo: Sandbox) -> set[str]:
    return {file.suffix for file in (repo.root / ".git/objects/pack").iterdir()}


def test_repack_keeps_objects_that_are_about_to_get_a_ref(repo: Sandbox) -> None:
    with repo.opened() as (_, store):
        commit = store.write_commit(write_tree(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            repo.git("repack", "-a", "-d", "-q")
            repo.git("update-ref", "refs/tags/made", commit)
    repo.git("fsck", "--strict")
    assert ".keep" not in _pack_suffixes(repo)


def test_keep_files_of_killed_processes_are_removed_and_others_stay(repo: Sandbox) -> None:
    packs = repo.root / ".git/objects/pack"
    with repo.opened() as (_, store):
        store.write_commit(write_tree(store, None, {"a/b": b"made\n"}), [], "made")
        with store.lasting():
            (keep_file,) = packs.glob("*.keep")
            own_content = keep_file.read_bytes()
            object_writer.release_packs(packs.parent)
            assert keep_file.exists(), "somebody stands behind it"
    for name, content in (("pack-1", own_content), ("pack-2", b""), ("pack-3", b"")):
        (packs / f"{name}.keep").write_bytes(content)
    (packs / "pack-3.pack").touch()
    object_writer.release_packs(packs.parent)
    assert [file.name for file in packs.glob("*.keep")] == ["pack-3.keep"]


def test_failed_pack_write_leaves_no_file(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk, each further attempt would leave more."""
    sync = private_files.sync_path

    def fail_on_index(path: Path) -> None:
        if "tmp_idx" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(path)

    monkeypatch.setattr(private_files, "sync_path", fail_on_index)
    before = sorted((repo.root / ".git/objects").rglob("*"))
    with repo.opened() as (_, store):
        store.write_commit(write_tree(store, None, {"a/b": b"made\n"}), [], "made")
        with pytest.raises(OSError, match="No space"), store.lasting():
            pass
    assert sorted((repo.root / ".git/objects").rglob("*")) == before
