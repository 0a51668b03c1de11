"""Some fifty escapes that a gate's code tries: none succeeds in the sandbox, each does without one."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandboxed.escapes import ESCAPES, EVIL, GOT, SECRET, Escape
from tests.sandboxed.world import World, select_escapes, world

Attempts = tuple[World, dict[str, str]]


@pytest.fixture(scope="module")
def contained_attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attempts]:
    yield from _try_escapes(tmp_path_factory.mktemp("contained"), select_escapes(tried=False), "require")


@pytest.fixture(scope="module")
def free_attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attempts]:
    yield from _try_escapes(tmp_path_factory.mktemp("free"), select_escapes(tried=True), "off")


def _try_escapes(root: Path, escapes: dict[str, Escape], mode: str) -> Iterator[Attempts]:
    if shutil.which("bwrap") is None:
        pytest.skip("NO SANDBOX ON THIS MACHINE: bubblewrap is not installed, so nothing is contained here")
    with world(root) as world_under_test:
        yield world_under_test, world_under_test.run_escapes(escapes, mode)


def _escapes(name: str, tried: Attempts) -> bool:
    tested_world, outputs = tried
    return SECRET in outputs[name] or GOT in outputs[name] or EVIL in tested_world.mark(ESCAPES[name])


@pytest.mark.parametrize("name", ESCAPES)
def test_escape_fails_in_the_sandbox(name: str, contained_attempts: Attempts) -> None:
    assert not _escapes(name, contained_attempts), contained_attempts[1][name]


@pytest.mark.parametrize("name", select_escapes(tried=True))
def test_escape_succeeds_without_a_sandbox(name: str, free_attempts: Attempts) -> None:
    assert _escapes(name, free_attempts), free_attempts[1][name]


def test_other_processes_survive_and_none_is_left(contained_attempts: Attempts) -> None:
    tested_world = contained_attempts[0]
    assert (tested_world.victim.poll(), tested_world.mortal.poll()) == (None, None)
    time.sleep(0.1)
    lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    assert [line for line in lines if line.startswith(b"sleep\0" + tested_world.token.encode())] == []
