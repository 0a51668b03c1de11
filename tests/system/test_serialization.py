"""Decoding by type, also by several threads at once."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import threading, time
import msgspec
from gitscalpel.system import serialization

def slowly(kind):
    time.sleep(0.05)
    return kind

class Inner(msgspec.Struct):
    x: "slowly(int)" = 0

class Outer(msgspec.Struct):
    inner: "tuple[Inner, ...]" = ()
    name: str = ""

read = []
def work(n):
    time.sleep(n / 100)
    read.append(serialization.decode(b'{"inner": [{"x": 2}], "name": "q"}', Outer))

threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert read == [Outer((Inner(2),), "q")] * 8
"""
"""The first decoder of a type takes a while, and other threads arrive during that time."""


def test_several_threads_can_decode_a_new_type() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
