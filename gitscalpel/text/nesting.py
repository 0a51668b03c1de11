"""The lines in whose blocks a line stands, told by indentation alone, so for every language and for none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitscalpel.text.indent import columns, indent

_TAB = 8
_GOES_ON = re.compile(
    rb"\s*(?:[)\]}]|</|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|when|case|default)\b)"
)
"""How a line begins that goes on with, or ends, a block of the line above it that stands as deep."""


def headers(lines: Sequence[bytes], row: int) -> Iterator[bytes]:
    """The lines above ``row`` in whose blocks it stands, without their indentation, the innermost first.

    A line that ends a block, or begins the next part of one, stands in the block of the line that began it.
    """
    inner = lines[row]
    for line in reversed(lines[:row]):
        if not line.strip():
            continue
        apart = _depth(inner) - _depth(line)
        if apart > 0 or (apart == 0 and _GOES_ON.match(inner)):
            yield line.strip()
            inner = line


def _depth(line: bytes) -> int:
    return columns(indent(line), _TAB)
