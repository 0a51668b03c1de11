"""Reads the binary parts of git's diffs (``git diff --binary``): base85 of zlib, whole or as a delta.

The line format is that of git's diff.c (``emit_binary_diff_body``), the delta's that of
gitformat-pack(5), "Deltified representation".
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence

from gitscalpel.edit.patches.form import Whole
from gitscalpel.edit.patches.refusals import failed

_HEADER = re.compile(rb"(literal|delta) (\d{1,18})\r?\Z")


def read(lines: Sequence[bytes], at: int) -> tuple[Whole, int]:
    """The binary change that begins at ``lines[at]``, and the line after its forward part."""
    header = _HEADER.match(lines[at]) if at < len(lines) else None
    if header is None:
        raise failed("the binary part of the diff cannot be read")
    at += 1
    packed: list[bytes] = []
    while at < len(lines) and lines[at].strip():
        packed.append(_unpacked(lines[at].rstrip(b"\r")))
        at += 1
    size = int(header[2])
    try:
        data = zlib.decompressobj().decompress(b"".join(packed), size + 1)
    except zlib.error as error:
        raise failed(f"the binary part of the diff is damaged: {error}") from None
    if len(data) != size:
        raise failed("the binary part of the diff is not as long as it says")
    return Whole(data, header[1] == b"delta"), at


def _unpacked(line: bytes) -> bytes:
    """The bytes of one line: its first letter is their number."""
    letter = line[0]
    count = letter - ord("A") + 1 if letter <= ord("Z") else letter - ord("a") + 27
    try:
        data = base64.b85decode(line[1:])
    except ValueError as error:
        raise failed(f"the binary part of the diff is damaged: {error}") from None
    if not 0 < count <= len(data):
        raise failed("the binary part of the diff is damaged")
    return data[:count]


def content(change: Whole, old: bytes) -> bytes:
    """What ``change`` makes of ``old``."""
    if not change.is_delta:
        return change.data
    try:
        return _resolved(change.data, old)
    except IndexError:
        raise failed("the binary delta of the diff is damaged") from None


def _resolved(delta: bytes, old: bytes) -> bytes:
    size, at = _number(delta, 0)
    goal, at = _number(delta, at)
    if size != len(old):
        raise failed("the binary delta was made from another content")
    pieces: list[bytes] = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            fields = [0] * 7
            for bit in range(7):
                if code & (1 << bit):
                    fields[bit] = delta[at]
                    at += 1
            start = int.from_bytes(bytes(fields[:4]), "little")
            length = int.from_bytes(bytes(fields[4:]), "little") or 0x10000
            pieces.append(old[start : start + length])
        else:
            pieces.append(delta[at : at + code])
            at += code
    made = b"".join(pieces)
    if len(made) != goal:
        raise failed("the binary delta of the diff is damaged")
    return made


def _number(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if not byte & 0x80:
            return value, at
