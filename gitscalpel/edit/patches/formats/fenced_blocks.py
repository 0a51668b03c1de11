"""Fenced blocks of Markdown (CommonMark 0.31, section 4.5) whose info string names a file, as patches.

``lines=`` replaces these lines, with or without their hashes. ``base=`` names the blob that a whole file
replaces, or ``none``. A block with neither must contain comments such as ``# ... existing code ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    LineEdit,
    ReadPatch,
    TextFormat,
    encode_text,
    patch_error,
    whole_file,
)
from gitscalpel.errors import BadCall
from gitscalpel.text.line_refs import parse_range

_OPENING = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>.*)\Z")


class Fence(msgspec.Struct, frozen=True):
    """A fenced block."""

    info: str
    lines: tuple[str, ...]


def iter_fences(text: str, around: list[str] | None = None) -> Iterator[Fence]:
    """Yield the fenced blocks of ``text``, and add other lines to ``around``.

    Raises ``patch_failed`` for a block that is not closed.
    """
    lines = iter(line.removesuffix("\r") for line in text.split("\n"))
    for line in lines:
        opening = _OPENING.match(line)
        if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
            if around is not None:
                around.append(line)
            continue
        content: list[str] = []
        closing = re.compile(rf" {{0,3}}{opening['fence']}{opening['fence'][0]}*[ \t]*\Z")
        for inner in lines:
            if closing.match(inner):
                break
            content.append(re.sub(rf"\A {{0,{len(opening['indent'])}}}", "", inner))
        else:
            raise patch_error(f"the fenced block {line.strip()[:80]!r} is not closed", "send all of it")
        yield Fence(opening["info"].strip(), tuple(content))


SIGN = re.compile(rb"^ {0,3}(?:`{3,}[^\n`]*|~{3,}[^\n]*?)[ \t](?:path|lines)=", re.MULTILINE)
_SAID = re.compile(r"(\w+)=(?:\"([^\"]*)\"|(\S+))")
_EXAMPLE = (
    "as in ```python path=src/app.py lines=10-12; base=BLOB is for a whole file, base=none for a new one"
)


def read(diff: bytes, path: str) -> ReadPatch:
    """Return the files of the blocks, in the order in which they are first named.

    Raises ``invalid_args``, ``invalid_ref``, ``invalid_range``, or ``patch_failed`` for a block that is not
    closed.
    """
    files: dict[str, FilePatch] = {}
    around: list[str] = []
    index = 0
    for fence in iter_fences(diff.decode("utf-8", "surrogateescape"), around):
        fields = {name: quoted or plain for name, quoted, plain in _SAID.findall(fence.info)}
        if not fields.keys() & {"path", "lines"}:
            around += fence.lines
            continue
        index += 1
        file = _make_file(fence, fields, path, index)
        earlier = files.get(file.path)
        if earlier is not None and (earlier.content or file.content):
            raise BadCall(
                "invalid_args",
                f"several blocks change {file.path}, and one replaces the whole file",
                "send only one of them",
            )
        if earlier is not None:
            pieces, base = (*earlier.pieces, *file.pieces), earlier.base or file.base
            file = msgspec.structs.replace(file, pieces=pieces, base=base)
        files[file.path] = file
    return ReadPatch(tuple(files.values()), encode_text("\n".join(around)))


def _make_file(fence: Fence, fields: Mapping[str, str], path: str, index: int) -> FilePatch:
    path = fields.get("path", path)
    if not path.strip():
        raise BadCall("invalid_args", "a block names no file", f"add path= after the fence, {_EXAMPLE}")
    if "lines" in fields and "base" not in fields:
        line_range = parse_range(fields["lines"])
        new = tuple(map(encode_text, fence.lines))
        first, last = line_range.first.number, line_range.last.number
        line_edit = LineEdit(index=index, first=first, last=last, new=new, seen=line_range)
        return FilePatch(path=path, source=path, pieces=(line_edit,), by_hand=True, as_text=True)
    if "lines" in fields:
        raise BadCall("invalid_args", "a block has both lines= and base=", "give one of them")
    text = "".join(line + "\n" for line in fence.lines)
    base = fields.get("base")
    file = whole_file(path, text, None if base in (None, "none") else base, index)
    if base is None and file.kind == "create":
        raise BadCall(
            "invalid_args",
            f"the block for {path} does not say what it replaces",
            f"add lines= or base= after the fence, {_EXAMPLE}",
            path=path,
        )
    return file


FORMATS = (
    TextFormat(
        name="a fence with path= or lines=",
        usage="a fence with path= and lines= or base=",
        priority=40,
        sign=SIGN,
        read=read,
        example="```text path=a.txt lines=1\nnew\n```\n",
    ),
)
