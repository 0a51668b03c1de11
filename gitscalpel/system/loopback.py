"""Sockets and request checks of servers that listen on this machine only.

Any page in a browser can send requests here. So a request needs a token, must name this machine as the host
(against DNS rebinding), and must not come from another page.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def open_listener(port: int) -> Iterator[tuple[socket.socket, int]]:
    """Yield a listening socket and its port; 0 asks for a free one. Raises ``OSError`` if it is taken."""
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(("127.0.0.1", port))
        opened.listen()  # clients may connect as soon as they know the address
        yield opened, opened.getsockname()[1]


def valid_hosts(port: int) -> frozenset[str]:
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def is_token(shown: str, token: str) -> bool:
    """Compare a token in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode())
