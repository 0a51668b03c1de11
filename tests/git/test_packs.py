"""Packs are read as git reads them, whatever they are made of; what is not sound is not there."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.file_objects import Packs
from tests.copies import first_made
from tests.sandbox import Sandbox


@pytest.fixture
def history(tmp_path: Path) -> Sandbox:
    """Objects of all kinds and sizes, many of them near to each other, in one pack."""
    first_made("a history in a pack", _made, tmp_path / "history")
    return Sandbox(tmp_path / "history")


def _made(place: Path) -> None:
    repo = Sandbox.init(place)
    chance = random.Random(5)  # noqa: S311
    lines = [b"line %d of a file that changes\n" % number for number in range(3_000)]
    for turn in range(12):
        lines[chance.randrange(len(lines))] = b"turn %d\n" % turn
        more = {f"f{turn}": chance.randbytes(turn * 20_000), "empty": b"", f"d{turn % 3}/x": b"%d" % turn}
        repo.commit({"large.txt": b"".join(lines), **more}, f"turn {turn}\n\n" + "word " * turn)
    repo.git("tag", "-a", "-m", "a tag", "v1")
    repo.git("repack", "-adfq", "--depth=60", "--window=20")


def _folder(repo: Sandbox) -> Path:
    return repo.root / ".git/objects"


def _all(repo: Sandbox) -> Iterator[tuple[Oid, str, bytes]]:
    """Every object, as git has it."""
    done = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=repo.root, capture_output=True, check=True
    )
    at, said = 0, done.stdout
    while at < len(said):
        end = said.index(b"\n", at)
        oid, kind, size = said[at:end].decode().split()
        at = end + 1 + int(size) + 1
        yield Oid(oid), kind, said[end + 1 : at - 1]


def _pack(repo: Sandbox) -> Path:
    (pack,) = (_folder(repo) / "pack").glob("*.pack")
    return pack


def _as_it_is(_: Sandbox) -> None:
    pass


def _by_name(repo: Sandbox) -> None:
    repo.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")


def _indexed_far(repo: Sandbox) -> None:
    """As if nearly all lay behind 2 GiB."""
    pack = _pack(repo)
    pack.with_suffix(".idx").unlink()
    repo.git("index-pack", "--index-version=2,0x40", str(pack))


def _uncompressed(repo: Sandbox) -> None:
    repo.git("-c", "pack.compression=0", "repack", "-adqF")


@pytest.mark.parametrize("made", [_as_it_is, _by_name, _indexed_far, _uncompressed])
def test_every_object_is_as_git_has_it(history: Sandbox, made: Callable[[Sandbox], None]) -> None:
    made(history)
    packs = Packs(_folder(history))
    found = list(_all(history))
    assert {kind for _, kind, _ in found} == {"commit", "tree", "blob", "tag"}
    assert [(oid, packs.read(oid)) for oid, *_ in found] == [(oid, (kind, it)) for oid, kind, it in found]
    assert packs.read(Oid("0" * 40)) is None
    assert packs.read(Oid("f" * 40)) is None


def test_what_comes_is_found_and_what_goes_is_read_on(history: Sandbox) -> None:
    packs = Packs(_folder(history))
    old = Oid(history.git("rev-parse", "HEAD:large.txt"))
    before = packs.read(old)
    assert before is not None
    history.commit({"large.txt": b"new\n"})
    new = Oid(history.git("rev-parse", "HEAD:large.txt"))
    assert packs.read(new) is None  # it lies loose
    history.git("repack", "-adq")
    assert packs.read(new) == ("blob", b"new\n")
    assert packs.read(old) == before
    shutil.rmtree(_folder(history) / "pack")
    assert packs.read(old) == before
    assert Packs(_folder(history)).read(old) is None


def test_an_index_of_another_version_is_left_to_git(history: Sandbox) -> None:
    history.git("-c", "pack.indexVersion=1", "repack", "-adfq")
    assert Packs(_folder(history)).read(Oid(history.tip())) is None


@pytest.mark.parametrize("suffix", [".idx", ".pack"])
@pytest.mark.parametrize("seed", [1, 2, None])
def test_what_is_damaged_is_right_or_not_there(history: Sandbox, suffix: str, seed: int | None) -> None:
    """Bytes have changed anywhere, or the end is gone: what is read is what the name says."""
    found = {oid: (kind, content) for oid, kind, content in _all(history)}
    file = _pack(history).with_suffix(suffix)
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    chance = random.Random(seed)  # noqa: S311
    for _ in range(len(content) // 200 if seed else 0):
        content[chance.randrange(8, len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content if seed else content[: len(content) // 2])
    packs = Packs(_folder(history))
    read = {oid: packs.read(oid) for oid in found}
    assert all(read[oid] in (None, found[oid]) for oid in found)
    assert None in read.values()
