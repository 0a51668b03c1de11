"""Starts a language server and ends it, as a crash would, when it has sent so many messages.

``python cut.py MESSAGES COMMAND…``: what comes at standard input goes to the server, its messages come out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

left, words = int(sys.argv[1]), sys.argv[2:]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert server.stdin is not None
assert server.stdout is not None


def pass_on() -> None:
    assert server.stdin is not None
    with suppress(OSError, ValueError):
        while some := os.read(0, 1 << 16):
            server.stdin.write(some)
            server.stdin.flush()


threading.Thread(target=pass_on, daemon=True).start()
while left:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = server.stdout.readline()
        if not line:
            sys.exit(5)
        head += line
    length = next(int(row.split(b":")[1]) for row in head.lower().split(b"\r\n") if b"content-length" in row)
    sys.stdout.buffer.write(head + server.stdout.read(length))
    sys.stdout.buffer.flush()
    left -= 1
server.kill()
server.wait()
