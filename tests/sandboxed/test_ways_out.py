"""Some fifty ways out of a sandbox, tried by a gate's code: none gets out, and without one each would."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandboxed.ways import EVIL, GOT, SECRET, WAYS, Way
from tests.sandboxed.world import World, ways, world

Tried = tuple[World, dict[str, str]]


@pytest.fixture(scope="module")
def contained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    yield from _tried(tmp_path_factory.mktemp("contained"), ways(tried=False), "require")


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    yield from _tried(tmp_path_factory.mktemp("free"), ways(tried=True), "off")


def _tried(root: Path, found: dict[str, Way], mode: str) -> Iterator[Tried]:
    if shutil.which("bwrap") is None:
        pytest.skip("NO SANDBOX ON THIS MACHINE: bubblewrap is not installed, so nothing is contained here")
    with world(root) as made:
        yield made, made.tried(found, mode)


def _gets_out(name: str, tried: Tried) -> bool:
    made, outputs = tried
    return SECRET in outputs[name] or GOT in outputs[name] or EVIL in made.mark(WAYS[name])


@pytest.mark.parametrize("name", WAYS)
def test_it_does_not_get_out(name: str, contained: Tried) -> None:
    assert not _gets_out(name, contained), contained[1][name]


@pytest.mark.parametrize("name", ways(tried=True))
def test_without_a_sandbox_it_does(name: str, free: Tried) -> None:
    assert _gets_out(name, free), free[1][name]


def test_others_live_on_and_nothing_stays_behind(contained: Tried) -> None:
    made = contained[0]
    assert (made.victim.poll(), made.mortal.poll()) == (None, None)
    time.sleep(0.1)
    lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    assert [line for line in lines if line.startswith(b"sleep\0" + made.token.encode())] == []
