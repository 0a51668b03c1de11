"""A second process says what it has found, spares time and nothing else, and outlives nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from gitscalpel.forked import Forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no copy is made elsewhere")
LONG = 10.0


def until(child: Forked, number: int) -> list[bytes]:
    """The first things that a child says."""
    found = list[bytes]()
    end = time.monotonic() + LONG
    while len(found) < number and time.monotonic() < end:
        found += child.heard()
    return found


def is_there(process: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    return False


def is_gone(process: int) -> bool:
    end = time.monotonic() + LONG
    while is_there(process) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_there(process)


def test_what_it_says_comes_in_order_and_whole() -> None:
    said = [b"", b"a", b"b" * 1_000_000, b"c"]
    with Forked(lambda: said) as child:
        assert until(child, len(said)) == said
        assert child.heard() == []


def test_nobody_waits_for_it() -> None:
    def work() -> Iterator[bytes]:
        time.sleep(LONG)
        yield b"too late"

    begun = time.monotonic()
    with Forked(work) as child:
        assert child.heard() == []
    assert time.monotonic() - begun < LONG / 2


def test_it_ends_once_nothing_more_is_wanted_of_it() -> None:
    def work() -> Iterator[bytes]:
        yield str(os.getpid()).encode()
        time.sleep(LONG)

    with Forked(work) as child:
        (said,) = until(child, 1)
        child.dismiss()
        assert is_gone(int(said))
        assert child.heard() == []


def test_what_one_that_dies_has_said_before_is_heard() -> None:
    def work() -> Iterator[bytes]:
        yield b"said"
        os.kill(os.getpid(), signal.SIGKILL)
        yield b"not said"

    with Forked(work) as child:
        assert until(child, 1) == [b"said"]
        time.sleep(0.1)
        assert child.heard() == []


def test_an_error_of_it_is_none_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> Iterator[bytes]:
        yield b"said"
        os.write(1, b"somebody hears this")
        raise ValueError

    with Forked(work) as child:
        assert until(child, 1) == [b"said"]
        time.sleep(0.1)
        assert child.heard() == []
    assert capfd.readouterr() == ("", "")


def test_where_none_can_be_made_nothing_is_heard() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = os.open(os.devnull, os.O_RDONLY)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (taken, hard))
        with Forked(lambda: [b"said"]) as child:
            assert child.heard() == []
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.close(taken)


def test_it_is_gone_when_the_block_ends() -> None:
    with Forked(lambda: (str(os.getpid()).encode() for _ in count())) as child:
        process = int(until(child, 1)[0])
        assert is_there(process)
    assert not is_there(process)


PARENT = """
import os, time
from itertools import count
from gitscalpel.forked import Forked

def work():
    yield str(os.getpid()).encode()
    while True:
        sum(range(10_000))

with Forked(work) as child:
    said = []
    while not said:
        said = child.heard()
    print(int(said[0]), flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_its_parent(how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_there(child)
        parent.send_signal(how)
        assert is_gone(child)
        assert parent.wait(LONG) != 0
