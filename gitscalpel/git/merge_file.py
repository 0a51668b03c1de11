"""Three-way merge of one file's bytes, by git, so that a user's edits end up on top of a landing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gitscalpel.git import scratch
from gitscalpel.git.run import Git, failure

_MARKER = 41
"""Longer than any conflict marker that a file may hold already."""


class Overlap(msgspec.Struct, frozen=True):
    """The merge failed.

    Attributes:
        lines: ranges of the first file's lines that overlap; empty: it is binary.
    """

    lines: tuple[tuple[int, int], ...]


def merge(git: Git, scalpel_dir: Path, ours: bytes, base: bytes, theirs: bytes) -> bytes | Overlap:
    """Merge ``ours`` and ``theirs``, which both began as ``base``."""
    if ours == base:
        return theirs
    if theirs == base:
        return ours
    with scratch.made(scalpel_dir) as held:
        files = [held.path / name for name in ("ours", "base", "theirs")]
        for file, content in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(content)
        result = git.inheriting(held.lock).run(
            *("-c", "merge.conflictStyle=merge", "merge-file", "-p", f"--marker-size={_MARKER}"),
            *map(str, files),
        )
    if result.status == 0:
        return result.out
    if result.status < 128:
        return Overlap(tuple(_overlaps(result.out)))
    if "binary" in result.err:
        return Overlap(())
    raise failure("merge-file", result.status, result.err)


def _overlaps(merged: bytes) -> list[tuple[int, int]]:
    """Where the conflicts lie in the first file."""
    found: list[tuple[int, int]] = []
    number, start, theirs = 1, 0, False
    for line in merged.split(b"\n"):
        if line.startswith(b"<" * _MARKER):
            start = number
        elif line.startswith(b"=" * _MARKER):
            found.append((start, max(start, number - 1)))
            theirs = True
        elif line.startswith(b">" * _MARKER):
            theirs = False
        elif not theirs:
            number += 1
    return found
