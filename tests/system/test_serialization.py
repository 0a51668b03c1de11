"""What is read by its type, also by several threads at once."""

from __future__ import annotations

import subprocess
import sys

AT_ONCE = """
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
"""The first look at a type takes a while, and the others come in the middle of it."""


def test_a_type_is_first_read_by_several_threads_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ONCE], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
