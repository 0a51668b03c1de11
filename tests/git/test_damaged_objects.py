"""A missing or damaged object gives the same error from every reader, without a hang or made-up content."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged
from tests.git.repository_kinds import open_stores, result_or_error
from tests.sandbox import Sandbox


def _object_path(repo: Sandbox, oid: str) -> Path:
    return repo.root / ".git/objects" / oid[:2] / oid[2:]


def _remove(file: Path, _: bytes) -> None:
    file.unlink()


def _break_zlib(file: Path, _: bytes) -> None:
    file.write_bytes(b"not zlib")


def _truncate(file: Path, _: bytes) -> None:
    file.write_bytes(b"")


def _tear(file: Path, content: bytes) -> None:
    file.write_bytes(content[: len(content) // 2])


def _change_content(file: Path, content: bytes) -> None:
    whole = zlib.decompress(content)
    file.write_bytes(zlib.compress(whole[:-1] + bytes([whole[-1] ^ 1])))


@pytest.mark.parametrize("damage", [_remove, _break_zlib, _truncate, _tear, _change_content])
@pytest.mark.parametrize("revision", ["HEAD", "HEAD^{tree}", "HEAD:a.py"])
def test_missing_or_damaged_object_gives_the_same_error(
    repo: Sandbox, revision: str, damage: Callable[[Path, bytes], None]
) -> None:
    first = repo.tip()
    repo.commit({"a.py": b"a long line that can be torn\n" * 100})
    head, tree, blob = (Oid(repo.git("rev-parse", name)) for name in ("HEAD", "HEAD^{tree}", "HEAD:a.py"))
    file = _object_path(repo, repo.git("rev-parse", revision))
    content = file.read_bytes()
    file.chmod(0o644)
    damage(file, content)
    found = [
        (
            result_or_error(store.commit, "HEAD"),
            result_or_error(store.tree, tree),
            result_or_error(store.read, blob),
            result_or_error(store.write_commit, tree, [head], "x"),
            store.commit(first).message,  # the next read works
        )
        for store in open_stores(repo)
    ]
    assert found[0] == found[1]
    broken = found[0][("HEAD", "HEAD^{tree}", "HEAD:a.py").index(revision)]
    assert broken[0] in ("KeyError", Damaged.__name__)


def test_pack_with_other_content_under_an_id_is_corrupt(repo: Sandbox) -> None:
    content = b"stored as it is\n" * 20
    repo.commit({"a.py": content})
    blob = Oid(repo.git("rev-parse", "HEAD:a.py"))
    repo.git("-c", "pack.compression=0", "repack", "-adqF")
    (pack,) = (repo.root / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    stored, other = ((c + zlib.adler32(c).to_bytes(4, "big")) for c in (content, content.swapcase()))
    assert pack.read_bytes().count(stored) == 1
    pack.write_bytes(pack.read_bytes().replace(stored, other))
    found = [(result_or_error(store.read, blob), store.commit("HEAD").message) for store in open_stores(repo)]
    assert found == [((Damaged.__name__, "corrupt"), "a commit\n")] * 2
