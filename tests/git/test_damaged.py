"""A missing or damaged object is the same refusal from every reader; none hangs or makes something up."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged
from tests.git.kinds import answer, each
from tests.sandbox import Sandbox


def _file(repo: Sandbox, oid: str) -> Path:
    return repo.root / ".git/objects" / oid[:2] / oid[2:]


def _removed(file: Path, _: bytes) -> None:
    file.unlink()


def _not_zlib(file: Path, _: bytes) -> None:
    file.write_bytes(b"not zlib")


def _empty(file: Path, _: bytes) -> None:
    file.write_bytes(b"")


def _torn(file: Path, content: bytes) -> None:
    file.write_bytes(content[: len(content) // 2])


def _another(file: Path, content: bytes) -> None:
    whole = zlib.decompress(content)
    file.write_bytes(zlib.compress(whole[:-1] + bytes([whole[-1] ^ 1])))


@pytest.mark.parametrize("damage", [_removed, _not_zlib, _empty, _torn, _another])
@pytest.mark.parametrize("what", ["HEAD", "HEAD^{tree}", "HEAD:a.py"])
def test_a_missing_or_damaged_object_is_the_same_refusal(
    repo: Sandbox, what: str, damage: Callable[[Path, bytes], None]
) -> None:
    first = repo.tip()
    repo.commit({"a.py": b"a long line that can be torn\n" * 100})
    head, tree, blob = (Oid(repo.git("rev-parse", name)) for name in ("HEAD", "HEAD^{tree}", "HEAD:a.py"))
    file = _file(repo, repo.git("rev-parse", what))
    content = file.read_bytes()
    file.chmod(0o644)
    damage(file, content)
    found = [
        (
            answer(store.commit, "HEAD"),
            answer(store.tree, tree),
            answer(store.read, blob),
            answer(store.write_commit, tree, [head], "x"),
            store.commit(first).message,  # the next question works
        )
        for store in each(repo)
    ]
    assert found[0] == found[1]
    broken = found[0][("HEAD", "HEAD^{tree}", "HEAD:a.py").index(what)]
    assert broken[0] in ("KeyError", Damaged.__name__)


def test_a_pack_that_holds_something_else_under_a_name(repo: Sandbox) -> None:
    content = b"stored as it is\n" * 20
    repo.commit({"a.py": content})
    blob = Oid(repo.git("rev-parse", "HEAD:a.py"))
    repo.git("-c", "pack.compression=0", "repack", "-adqF")
    (pack,) = (repo.root / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    stored, other = ((c + zlib.adler32(c).to_bytes(4, "big")) for c in (content, content.swapcase()))
    assert pack.read_bytes().count(stored) == 1
    pack.write_bytes(pack.read_bytes().replace(stored, other))
    found = [(answer(store.read, blob), store.commit("HEAD").message) for store in each(repo)]
    assert found == [((Damaged.__name__, "corrupt"), "a commit\n")] * 2
