"""Check preconditions (``expect``, ``base``): the target still has the content that the caller saw."""

from __future__ import annotations

from typing import Any

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import NO_FILE, AddressedOperation, Operation
from gitscalpel.edit.source import Source
from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.syntax.languages import read_document
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.line_refs import content_hash, line_hash


def check_file(op: Operation, path: str, overlay: Overlay) -> None:
    """Raise ``stale`` unless a whole file agrees with ``expect`` and ``base``."""
    if op.expect is None and op.base is None:
        return
    content = overlay.content(path)
    entry = overlay.below.entry(path)
    expected = op.expect is None or (content is not None and _same_hash(op.expect, content))
    based = op.base is None or (entry.oid if entry else NO_FILE) == op.base
    if not (expected and based):
        text = read_document(path, content or b"").text
        blob = entry.oid if entry else None
        raise stale_error(f"{path} is not the file that the caller saw", text, 1, blob=blob)


def check_symbol(op: AddressedOperation, symbol: Symbol, source: Source) -> None:
    """Raise ``stale`` unless a definition, with or without its leading trivia, agrees with ``expect``."""
    if op.expect is None:
        return
    spans = [(symbol.full_start, symbol.end), (symbol.start, symbol.end)]
    original_texts = [source.original.text[slice(*source.track.back(*span))] for span in spans]
    if not any(_same_hash(op.expect, text) for text in original_texts):
        line = source.document.line_at(symbol.full_start)
        current_text = source.text[symbol.full_start : symbol.end]
        raise stale_error(f"{symbol.qualname} is not what the caller saw", current_text, line)


def check_span(op: Operation, source: Source, origin: tuple[int, int]) -> None:
    """Raise ``stale`` unless a range of the original text, or all of it, agrees with ``expect``."""
    if op.expect is None:
        return
    start, end = origin
    text = source.original.text[start:end]
    if not _same_hash(op.expect, text) and not _same_hash(op.expect, source.original.text):
        line = source.original.line_at(start)
        raise stale_error(f"the target in {source.path} is not what the caller saw", text, line)


def _same_hash(expected: str, content: bytes) -> bool:
    return content_hash(content) == expected.lower()


def stale_error(message: str, text: bytes, line: int, **data: Any) -> WorldMoved:
    """Return the ``stale`` error with the current text, which begins at ``line``."""
    lines = text.removesuffix(b"\n").split(b"\n")
    texts = [line_text.decode("utf-8", "replace") for line_text in lines]
    digest = content_hash(text)
    return WorldMoved(
        "stale",
        message,
        f"check the current text; if the edit still applies, send it again with {arg('expect', digest)}",
        content="\n".join(texts),
        hash=digest,
        span=[line, line + len(lines) - 1],
        lines=[
            {"n": line + n, "hash": line_hash(raw), "text": line_text}
            for n, (raw, line_text) in enumerate(zip(lines, texts, strict=True))
        ],
        retry={"expect": digest, "base": None},
        **data,
    )
