"""Refuses line numbers of which nobody can tell which file they count in.

Edits see the tip of a branch. Who gives a bare number may have counted in the file on the screen; where
that holds other lines, the edit would change one that nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gitscalpel import paths
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.git import refs
from gitscalpel.operations import Lines, Operation, Placed
from gitscalpel.report import quoted
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.languages import document
from gitscalpel.text.anchors import LineRange, line_hash
from gitscalpel.text.document import Document
from gitscalpel.transaction import shadow
from gitscalpel.workspace import Target, Workspace, is_dirty


def refuse(ws: Workspace, operations: Sequence[Operation], target: Target) -> None:
    """Refuse numbers without hash, ``base`` or ``expect`` in files that have uncommitted changes.

    Raises:
        WorldMoved: ``stale``, with both lines.
    """
    for index, op in enumerate(operations):
        lines = op.lines if isinstance(op, (Lines, Placed)) else None
        if lines is None or not _is_bare(op, lines):
            continue
        two = _two_versions(ws, target, op.path)
        if two is not None:
            error = _refusal(op.path, lines, target, *two)
            error.op = index
            raise error


def _is_bare(op: Operation, lines: LineRange) -> bool:
    """Whether nothing but numbers says which lines are meant."""
    if op.base is not None or op.expect is not None or lines.content is not None:
        return False
    return lines.first.hash is None or lines.last.hash is None


def _two_versions(ws: Workspace, target: Target, given: str) -> tuple[Document, Document] | None:
    """A file as the edit sees it and as it lies where the caller stands, if these have other lines."""
    before = Overlay(target.snapshot)
    try:
        path, entry = paths.existing(given, before)
    except ScalpelError:  # said where the edit is tried
        return None
    seen = document(path, before.read(entry.oid))
    on_screen = _on_screen(ws, target, path)
    return None if on_screen is None or _plain(on_screen) == _plain(seen) else (seen, on_screen)


def _on_screen(ws: Workspace, target: Target, path: str) -> Document | None:
    """The file that lies where the caller stands; None where it is what git has, or none lies there."""
    where, root = target, ws.repo.work_tree
    tx = target.branch.removeprefix(refs.TX)
    if ws.inside is not None and tx == ws.inside:
        root = ws.here.work_tree
    elif tx != target.branch:
        where = ws.at(shadow.load(ws, tx).meta.branch)
    if root is None or not is_dirty(ws, where, path):
        return None
    with suppress(OSError):
        return document(path, (Path(str(root)) / path).read_bytes())
    return None


def _plain(read: Document) -> bytes:
    """The text with the line endings that a checkout may have changed made alike."""
    return read.text.replace(b"\r\n", b"\n")


def _refusal(path: str, lines: LineRange, target: Target, seen: Document, on_disk: Document) -> WorldMoved:
    name = target.name if target.branch.startswith("refs/heads/") else "the transaction"
    ends = (lines.first.number, lines.last.number)
    number = next((n for n in ends if _row(seen, n) != _row(on_disk, n)), ends[0])
    there, here = _row(seen, number), _row(on_disk, number)
    known = f":{there['hash']}" if there else ":HASH"
    return WorldMoved(
        "stale",
        f"{path} has uncommitted changes: line {number} of {name} {_said(there)}, on disk {_said(here)}, "
        f"and a bare number does not say which is meant",
        f"edits see {name}: give its line with its hash, {path}:{number}{known} if it is this one "
        f"(git scalpel show {path} prints them), or commit first",
        path=quoted(path),
        committed=there,
        on_disk=here,
    )


def _said(row: dict[str, Any]) -> str:
    return f"reads {row['text']!r}" if row else "is not there"


def _row(read: Document, number: int) -> dict[str, Any]:
    """A line as ``show`` lists it; empty where there is none."""
    if not 1 <= number <= read.line_count:
        return {}
    line = read.line(number)
    return {"n": number, "hash": line_hash(line), "text": line.decode("utf-8", "replace")}
