"""The fenced blocks of Markdown (CommonMark 0.31, section 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from gitscalpel.edit.patches.refusals import failed

_OPENING = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>.*)\Z")


class Fence(msgspec.Struct, frozen=True):
    """A block: what stands behind its first fence, and its lines."""

    info: str
    lines: tuple[str, ...]


def blocks(text: str, around: list[str] | None = None) -> Iterator[Fence]:
    """Every fenced block of ``text``, in order; the lines between them are added to ``around``.

    Raises:
        DoesNotFit: ``patch_failed``, for one that does not end.
    """
    lines = iter(line.removesuffix("\r") for line in text.split("\n"))
    for line in lines:
        opening = _OPENING.match(line)
        if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
            if around is not None:
                around.append(line)
            continue
        inside: list[str] = []
        closing = re.compile(rf" {{0,3}}{opening['fence']}{opening['fence'][0]}*[ \t]*\Z")
        for inner in lines:
            if closing.match(inner):
                break
            inside.append(re.sub(rf"\A {{0,{len(opening['indent'])}}}", "", inner))
        else:
            raise failed(f"the fenced block {line.strip()[:80]!r} does not end", "send all of it")
        yield Fence(opening["info"].strip(), tuple(inside))
