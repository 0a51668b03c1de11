"""Digests without what Python's module of them loads: OpenSSL is dearer than all that a small edit hashes.

``random`` of the standard library takes its own from the same place.
"""

from __future__ import annotations

import sys
from _operator import _compare_digest as compare_digest
from typing import TYPE_CHECKING

try:
    from _blake2 import blake2b
    from _sha1 import sha1 as _sha1  # type: ignore[import-not-found]
except ImportError:  # an interpreter that was built without its own
    from hashlib import blake2b
    from hashlib import sha1 as _sha1

if TYPE_CHECKING:
    from hashlib import _Hash

_LITTLE = 1 << 18
"""So many bytes Python's own hashes sooner than OpenSSL is loaded, which then hashes eight times as fast."""

__all__ = ["blake2b", "compare_digest", "sha"]


def sha(object_format: str, *parts: bytes | bytearray) -> _Hash:
    """The digest that git has of parts in a row; nobody's secret hangs on it.

    Args:
        object_format: ``sha1`` or ``sha256``.
        parts: the bytes.
    """
    digest: _Hash
    if object_format == "sha1" and "_hashlib" not in sys.modules and sum(map(len, parts)) <= _LITTLE:
        digest = _sha1(usedforsecurity=False)
    else:
        import hashlib

        digest = hashlib.new(object_format, usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return digest
