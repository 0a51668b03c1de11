"""Reads ``*** Begin Patch`` envelopes: files added, deleted, updated and moved, hunk by hunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gitscalpel.edit.patches.form import FilePatch, Kind, Read
from gitscalpel.edit.patches.pieces import Hunk, Line
from gitscalpel.edit.patches.refusals import failed

SIGN = re.compile(rb"^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)", re.MULTILINE)
_FILE = re.compile(rb"\*\*\* (Add|Update|Delete) File: *(.+?) *\Z")
_MOVE = re.compile(rb"\*\*\* Move to: *(.+?) *\Z")
_END = b"*** End Patch"
_END_OF_FILE = b"*** End of File"
_KINDS: dict[bytes, Kind] = {b"Add": "create", b"Update": "edit", b"Delete": "delete"}


def read(diff: bytes, path: str) -> Read:  # noqa: ARG001 - an envelope names its files
    """The files of all envelopes.

    Raises:
        DoesNotFit: ``patch_failed``, if it is cut off or holds a line that means nothing in it.
    """
    lines = [line.removesuffix(b"\r") for line in diff.split(b"\n")]
    files: list[FilePatch] = []
    around: list[bytes] = []
    at = 0
    while at < len(lines):
        if SIGN.match(lines[at]):
            stop = next((n for n in range(at, len(lines)) if lines[n].rstrip() == _END), None)
            if stop is None:
                raise failed("the patch is cut off", f"send all of it; its last line is {_END.decode()}")
            heads = {n: head for n in range(at, stop) if (head := _FILE.match(lines[n]))}
            files += [_file(heads[a], lines[a + 1 : b]) for a, b in pairwise([*heads, stop])]
            at = stop
        else:
            around.append(lines[at])
        at += 1
    return Read(tuple(files), b"\n".join(around))


def _file(head: re.Match[bytes], body: Sequence[bytes]) -> FilePatch:
    kind = _KINDS[head[1]]
    path = source = head[2].decode("utf-8", "surrogateescape")
    move = _MOVE.match(body[0]) if body else None
    if kind == "edit" and move is not None:
        kind, path, body = "rename", move[1].decode("utf-8", "surrogateescape"), body[1:]
    hunks = _hunks(body, source) if kind != "delete" else ()
    if kind == "edit" and not hunks:
        raise failed(f"the patch updates {source} and says no change of it", "write its hunks below the name")
    return FilePatch(path=path, source=source, kind=kind, pieces=hunks, by_hand=True)


def _hunks(body: Sequence[bytes], path: str) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    anchors: list[bytes] = []
    lines: list[Line] = []
    at_end = False

    def finish() -> None:
        while lines and lines[-1] == Line(b" ", b"", bare=True):
            lines.pop()  # empty lines between the parts of an envelope
        if lines:
            kept = tuple(line._replace(bare=False) for line in lines)
            index = len(hunks) + 1
            hunks.append(Hunk(index=index, lines=kept, anchors=tuple(anchors), at_end=at_end))
            anchors.clear()
        lines.clear()

    for line in body:
        if line.startswith(b"@@"):
            finish()
            at_end = False
            anchors += [title] if (title := line.strip(b"@ ")) else []
        elif line.rstrip() == _END_OF_FILE:
            at_end = True
        elif line[:1] in (b" ", b"-", b"+"):
            lines.append(Line(line[:1], line[1:]))
        elif not line:
            lines.append(Line(b" ", b"", bare=True))
        else:
            raise failed(
                f"a line of the patch for {path} begins with none of blank, - and +: "
                + line.decode("utf-8", "replace")[:80],
                "begin unchanged lines with a blank, removed ones with -, new ones with +",
                path=path,
            )
    finish()
    return tuple(hunks)
