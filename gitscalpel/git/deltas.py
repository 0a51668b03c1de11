"""Objects as packs have them that are near to each other: https://git-scm.com/docs/gitformat-pack."""

from __future__ import annotations


def applied(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base.

    Raises:
        ValueError: it is none, or not of this base.
        IndexError: it is cut off.
    """
    wanted, at = _size(delta, 0)
    if wanted != len(base):
        raise ValueError
    wanted, at = _size(delta, at)
    parts = []
    while at < len(delta):
        word = delta[at]
        at += 1
        if word & 128:
            offset = size = 0
            for bit in range(4):
                if word >> bit & 1:
                    offset |= delta[at] << 8 * bit
                    at += 1
            for bit in range(3):
                if word >> 4 + bit & 1:
                    size |= delta[at] << 8 * bit
                    at += 1
            parts.append(base[offset : offset + (size or 1 << 16)])
        else:
            parts.append(delta[at : at + word])
            at += word
    made = b"".join(parts)
    if len(made) != wanted:
        raise ValueError
    return made


def _size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return size, at
