"""Sockets and request checks of servers that listen on this machine only.

Any page that a browser shows can send requests to this machine. A request therefore needs a token, has
to name this machine as the host (against names made to lead here: DNS rebinding), and must not come from
another page.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def listening(port: int) -> Iterator[tuple[socket.socket, int]]:
    """A socket that is listened at already, and its port.

    Args:
        port: on which to listen; 0: one that is free.

    Raises:
        OSError: the port is taken.
    """
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(("127.0.0.1", port))
        opened.listen()  # whoever reads the address may ask at once
        yield opened, opened.getsockname()[1]


def hosts(port: int) -> frozenset[str]:
    """What a request to this machine calls it."""
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def is_token(shown: str, token: str) -> bool:
    """Whether that is it; how long it takes tells nothing of it."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode())
