"""``expect`` and ``base``: is the target still what the caller saw?

If the file changed and the target did not, the edit goes ahead on the file as
it is. Line numbers that mean an older file are carried to where those lines
are now.
"""

from __future__ import annotations

from typing import Any

import msgspec

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols.locate import locate
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.operations import Lines, Operation, Placed
from gitscalpel.snapshot import Oid, Overlay
from gitscalpel.text.anchors import content_hash, line_hash
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Track


def check_file(op: Operation, path: str, overlay: Overlay) -> None:
    """Compare a whole file with ``expect`` and ``base``.

    Raises:
        WorldMoved: ``stale``.
    """
    if op.expect is None and op.base is None:
        return
    content = overlay.content(path)
    entry = overlay.below.entry(path)
    expected = op.expect is None or (content is not None and _same_hash(op.expect, content))
    based = op.base is None or (entry is not None and entry.oid == op.base)
    if not (expected and based):
        text = Document.read(content or b"").text
        blob = entry.oid if entry else None
        raise _stale(f"{path} is not the file that the caller saw", text, 1, blob=blob)


def check_content(op: Operation, path: str, overlay: Overlay) -> None:
    """Compare a whole file with ``expect`` alone.

    Raises:
        WorldMoved: ``stale``.
    """
    check_file(msgspec.structs.replace(op, base=None), path, overlay)


def relocate(op: Operation, source: Source, overlay: Overlay) -> Operation:
    """Carry the address of ``op`` from its ``base`` to the file as it is.

    Raises:
        WorldMoved: ``stale``, if the target changed since.
        BadCall: ``invalid_ref``, if git has no such blob.
    """
    entry = overlay.below.entry(source.path)
    if op.base is None or (entry is not None and entry.oid == op.base):
        return op
    try:
        base = Source.read(source.path, overlay.read(Oid(op.base)))
    except KeyError:
        raise BadCall(
            "invalid_ref", f"git holds no blob {op.base}", "copy the blob id that show printed"
        ) from None
    if isinstance(op, Lines):
        return _carry_lines(op, base.document, source.original)
    if isinstance(op, Placed):
        _compare_symbols(op, base, source)
    return op


def check_symbol(op: Placed, source: Source) -> None:
    """Compare the definition that ``op`` addresses with ``expect``, with or without its lead.

    Raises:
        WorldMoved: ``stale``.
    """
    if op.expect is None:
        return
    symbol = locate(op, source)
    spans = [(symbol.outer, symbol.end), (symbol.start, symbol.end)]
    seen = [source.original.text[slice(*source.track.back(*span))] for span in spans]
    if not any(_same_hash(op.expect, text) for text in seen):
        line = source.document.line_at(symbol.outer)
        now = source.text[symbol.outer : symbol.end]
        raise _stale(f"{symbol.qualname} is not what the caller saw", now, line)


def check_span(op: Operation, source: Source, origin: tuple[int, int]) -> None:
    """Compare a range of the original text, or the whole of it, with ``expect``.

    Raises:
        WorldMoved: ``stale``.
    """
    if op.expect is None:
        return
    start, end = origin
    text = source.original.text[start:end]
    if not _same_hash(op.expect, text) and not _same_hash(op.expect, source.original.text):
        line = source.original.line_at(start)
        raise _stale(f"the target in {source.path} is not what the caller saw", text, line)


def _same_hash(expected: str, content: bytes) -> bool:
    return content_hash(content) == expected.lower()


def _carry_lines(op: Lines, base: Document, now: Document) -> Lines:
    import difflib

    olds = [base.line(n).rstrip() for n in range(1, base.line_count + 1)]
    news = [now.line(n).rstrip() for n in range(1, now.line_count + 1)]
    first, last = op.lines.first.number, op.lines.last.number
    if olds == news or last > len(olds):
        return op
    for block in difflib.SequenceMatcher(None, olds, news, autojunk=False).get_matching_blocks():
        if block.a < first <= last <= block.a + block.size:
            shift = block.b - block.a
            return msgspec.structs.replace(op, start=first + shift, end=last + shift)
    near = max(1, min(first, now.line_count))
    text = now.text[slice(*now.span(near, max(near, min(last, now.line_count))))] if now.line_count else b""
    raise _stale(f"lines {first}-{last} changed since", text, near)


def _compare_symbols(op: Placed, base: Source, source: Source) -> None:
    original = msgspec.structs.replace(source, document=source.original, track=Track())
    try:
        then = locate(op, base)
    except (DoesNotFit, BadCall):
        return  # it was not there then: what the caller means is what is there now
    try:
        now = locate(op, original)
    except ScalpelError as error:
        raise WorldMoved(
            "stale",
            f"{then.qualname} was in the file that the caller saw, and is not there now: {error.message}",
            "look at the file again with outline",
        ) from None
    old = base.text[then.outer : then.end].split(b"\n")
    new = original.text[now.outer : now.end].split(b"\n")
    if [line.rstrip() for line in old] != [line.rstrip() for line in new]:
        line = original.document.line_at(now.outer)
        raise _stale(f"{now.qualname} changed since", original.text[now.outer : now.end], line)


def _stale(message: str, text: bytes, line: int, **data: Any) -> WorldMoved:
    lines = text.removesuffix(b"\n").split(b"\n")
    shown = [said.decode("utf-8", "replace") for said in lines]
    digest = content_hash(text)
    return WorldMoved(
        "stale",
        message,
        "look at the current text in data; if the edit still fits it, send it again with its hash as expect",
        content="\n".join(shown),
        hash=digest,
        span=[line, line + len(lines) - 1],
        lines=[
            {"n": line + n, "hash": line_hash(raw), "text": said}
            for n, (raw, said) in enumerate(zip(lines, shown, strict=True))
        ],
        retry={"expect": digest, "base": None},
        **data,
    )
