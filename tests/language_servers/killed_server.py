"""Start a language server, and kill it after a number of messages.

``python killed_server.py MESSAGES COMMAND…`` passes its standard input to the server, and the server's
messages to its standard output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

remaining, words = int(sys.argv[1]), sys.argv[2:]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert server.stdin is not None
assert server.stdout is not None


def forward_input() -> None:
    assert server.stdin is not None
    with suppress(OSError, ValueError):
        while some := os.read(0, 1 << 16):
            server.stdin.write(some)
            server.stdin.flush()


threading.Thread(target=forward_input, daemon=True).start()
while remaining:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = server.stdout.readline()
        if not line:
            sys.exit(5)
        head += line
    length = next(int(row.split(b":")[1]) for row in head.lower().split(b"\r\n") if b"content-length" in row)
    sys.stdout.buffer.write(head + server.stdout.read(length))
    sys.stdout.buffer.flush()
    remaining -= 1
server.kill()
server.wait()
