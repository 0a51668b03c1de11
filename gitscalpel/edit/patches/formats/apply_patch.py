"""``*** Begin Patch`` envelopes: files added, deleted, updated and moved, hunk by hunk.

Models omit the first and the last line, or the blank before a context line, and put blanks around the lines
that begin with stars. A hunk that contains only context is an anchor for the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    Hunk,
    Kind,
    Line,
    ReadPatch,
    TextFormat,
    patch_error,
)

SIGN = re.compile(rb"^[ \t]*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)", re.MULTILINE)
_FILE = re.compile(rb"\*\*\* (Add|Update|Delete) File: *(.+?)[ \t]*\Z")
_MOVE = re.compile(rb"\*\*\* Move to: *(.+?) *\Z")
_BEGIN = b"*** Begin Patch"
_END = b"*** End Patch"
_END_OF_FILE = b"*** End of File"
_FENCE = re.compile(rb" {0,3}(?:`{3,}|~{3,})")
_KINDS: dict[bytes, Kind] = {b"Add": "create", b"Update": "edit", b"Delete": "delete"}


def read(diff: bytes, path: str) -> ReadPatch:  # noqa: ARG001 - an envelope names its files
    """Return the files of all envelopes; raises ``patch_failed`` if one is cut off or has an unknown line."""
    lines = [line.removesuffix(b"\r") for line in diff.split(b"\n")]
    files: list[FilePatch] = []
    around: list[bytes] = []
    at = 0
    while at < len(lines):
        if SIGN.match(lines[at]):
            stop = _find_stop(lines, at, is_fenced=any(map(_FENCE.match, around)))
            heads = _find_heads(lines, at, stop)
            ends = [*(n for n, _ in heads[1:]), stop]
            files += [
                _read_file(head, lines[n + 1 : end]) for (n, head), end in zip(heads, ends, strict=False)
            ]
            at = stop
        else:
            around.append(lines[at])
        at += 1
    return ReadPatch(tuple(files), b"\n".join(around))


def _find_stop(lines: Sequence[bytes], at: int, *, is_fenced: bool) -> int:
    rest = range(at, len(lines))
    plain = next((n for n in rest if lines[n].rstrip() == _END), None)
    if plain is not None:
        return plain
    padded = [n for n in rest if lines[n].strip() == _END]
    if padded:
        return padded[-1]  # one before it is a line of a file
    if lines[at].strip() == _BEGIN:
        raise patch_error("the patch is cut off", f"send all of it; its last line is {_END.decode()}")
    return next((n for n in rest if is_fenced and _FENCE.match(lines[n])), len(lines))


def _find_heads(lines: Sequence[bytes], at: int, stop: int) -> list[tuple[int, re.Match[bytes]]]:
    """Return the lines that name files; of those with leading blanks only the first, others are content."""
    heads = [(n, head) for n in range(at, stop) if (head := _FILE.match(lines[n]))]
    begin = at + (lines[at].strip() == _BEGIN)
    first = _FILE.match(lines[begin].strip()) if begin < stop else None
    return heads if first is None or any(n == begin for n, _ in heads) else [(begin, first), *heads]


def _read_file(head: re.Match[bytes], body: Sequence[bytes]) -> FilePatch:
    kind = _KINDS[head[1]]
    path = source = head[2].decode("utf-8", "surrogateescape")
    move = _MOVE.match(body[0].strip()) if body else None
    if kind == "edit" and move is not None:
        kind, path, body = "rename", move[1].decode("utf-8", "surrogateescape"), body[1:]
    hunks = _HunkReader(source, kind).read(body) if kind != "delete" else ()
    if kind == "edit" and not hunks:
        raise patch_error(
            f"the patch updates {source} but contains no change to it", "write its hunks below the name"
        )
    return FilePatch(path=path, source=source, kind=kind, pieces=hunks, by_hand=True)


class _HunkReader:
    def __init__(self, path: str, kind: Kind) -> None:
        self.path = path
        self.kind = kind
        self.hunks: list[Hunk] = []
        self.anchors: list[tuple[bytes, ...]] = []
        self.lines: list[Line] = []
        self.at_end = False

    def read(self, body: Sequence[bytes]) -> tuple[Hunk, ...]:
        for line in body:
            if line.startswith(b"@@"):
                self._finish_hunk(goes_on=True)
                self.anchors += [(title,)] if (title := line.strip(b"@ \t")) else []
            elif line.strip() == _END_OF_FILE:
                self.at_end = True
            else:
                self.lines.append(self._parse_line(line))
        self._finish_hunk(goes_on=False)
        return tuple(self.hunks)

    def _parse_line(self, line: bytes) -> Line:
        if line[:1] in (b" ", b"-", b"+"):
            return Line(line[:1], line[1:])
        if not line:
            return Line(b" ", b"", bare=True)  # perhaps it only separates the parts
        if self.kind == "create":
            raise patch_error(
                f"a line of the new file {self.path} does not begin with +: "
                + line.decode("utf-8", "replace")[:80],
                "begin every line of a new file with +",
                path=self.path,
            )
        return Line(b" ", line, unmarked=True)

    def _finish_hunk(self, *, goes_on: bool) -> None:
        while self.lines and self.lines[-1] == Line(b" ", b"", bare=True):
            self.lines.pop()
        if self.lines:
            kept = tuple(line._replace(bare=False) for line in self.lines)
            hunk = Hunk(
                index=len(self.hunks) + 1, lines=kept, anchors=tuple(self.anchors), at_end=self.at_end
            )
            if goes_on and not hunk.changes:
                self.anchors.append(tuple(hunk.old))
            else:
                self.hunks.append(hunk)
                self.anchors.clear()
        self.lines.clear()
        self.at_end = False


FORMATS = (
    TextFormat(
        name="an envelope (*** Begin Patch)",
        usage="*** Begin Patch",
        priority=30,
        sign=SIGN,
        read=read,
        example="*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n end\n*** End Patch\n",
    ),
)
