"""Reads fenced blocks that say what they are for: ``path=`` and ``lines=`` or ``base=``.

``lines=`` replaces these lines, with or without their hashes, as GitHub's suggestions do. ``base=``
is the blob that a whole file takes the place of, ``base=none`` that there is none. Without either
the block must hold comments such as ``# ... existing code ...`` for what stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from gitscalpel.edit.patches import fences
from gitscalpel.edit.patches.form import FilePatch, Read
from gitscalpel.edit.patches.pieces import Rows
from gitscalpel.edit.patches.whole import encoded, whole
from gitscalpel.errors import BadCall
from gitscalpel.text.anchors import parse_range

SIGN = re.compile(rb"^ {0,3}(?:`{3,}[^\n`]*|~{3,}[^\n]*?)[ \t](?:path|lines)=", re.MULTILINE)
_SAID = re.compile(r"(\w+)=(?:\"([^\"]*)\"|(\S+))")
_EXAMPLE = "as in ```python path=src/app.py lines=10-12; base=BLOB is for a whole file, base=none for a new"


def read(diff: bytes, path: str) -> Read:
    """The files of the blocks, in the order in which they are first named.

    Raises:
        BadCall: ``invalid_args``, ``invalid_ref`` or ``invalid_range``.
        DoesNotFit: ``patch_failed``, for a block that does not end.
    """
    files: dict[str, FilePatch] = {}
    around: list[str] = []
    index = 0
    for fence in fences.blocks(diff.decode("utf-8", "surrogateescape"), around):
        said = {name: quoted or plain for name, quoted, plain in _SAID.findall(fence.info)}
        if not said.keys() & {"path", "lines"}:
            around += fence.lines
            continue
        index += 1
        file = _file(fence, said, path, index)
        known = files.get(file.path)
        if known is not None and (known.content or file.content):
            raise BadCall(
                "invalid_args", f"several blocks write {file.path}, one of them whole", "send it once"
            )
        if known is not None:
            pieces, base = (*known.pieces, *file.pieces), known.base or file.base
            file = msgspec.structs.replace(file, pieces=pieces, base=base)
        files[file.path] = file
    return Read(tuple(files.values()), encoded("\n".join(around)))


def _file(fence: fences.Fence, said: Mapping[str, str], path: str, index: int) -> FilePatch:
    path = said.get("path", path)
    if not path.strip():
        raise BadCall("invalid_args", "a block names no file", f"add path= after the fence, {_EXAMPLE}")
    if "lines" in said and "base" not in said:
        seen = parse_range(said["lines"])
        new = tuple(map(encoded, fence.lines))
        rows = Rows(index=index, first=seen.first.number, last=seen.last.number, new=new, seen=seen)
        return FilePatch(path=path, source=path, pieces=(rows,), by_hand=True, as_text=True)
    if "lines" in said:
        raise BadCall("invalid_args", "a block says lines and base", "give one of them")
    text = "".join(line + "\n" for line in fence.lines)
    base = said.get("base")
    file = whole(path, text, None if base in (None, "none") else base, index)
    if base is None and file.kind == "create":
        raise BadCall(
            "invalid_args",
            f"the block for {path} does not say what it takes the place of",
            f"say lines= or base= behind its fence, {_EXAMPLE}",
            path=path,
        )
    return file
