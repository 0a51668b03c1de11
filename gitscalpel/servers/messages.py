"""Messages of the Language Server Protocol on a stream: a header with the length, and JSON.

https://microsoft.github.io/language-server-protocol, "Base Protocol".
"""

from __future__ import annotations

from typing import IO, Any

import msgspec

_LONGEST = 256 << 20
"""Bytes of one message."""


class Garbled(Exception):
    """What came is no message."""


def written(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None: there is no more.

    Raises:
        Garbled: it is none.
    """
    length = None
    while line := stream.readline(1 << 16):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _length(value)
        elif not line.strip() and length is not None:
            break
    if not line:
        return None
    body = stream.read(length or 0)
    try:
        message = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise Garbled(str(error)) from None
    if not isinstance(message, dict):
        raise Garbled("it is no object")
    return message


def _length(value: bytes) -> int:
    if not value.strip().isdigit() or int(value) > _LONGEST:
        raise Garbled(f"its length is {value[:40]!r}")
    return int(value)
