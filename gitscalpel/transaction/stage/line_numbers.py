"""Refuse bare line numbers if the file they count in is ambiguous.

Edits apply to the tip of a branch, but a caller may have counted in the file on disk. If that file has
other lines, the edit would change a line that the caller never saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.changesets.operations import Lines, Operation, Patch, Placed
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.errors.messages import call, place
from gitscalpel.git import refs
from gitscalpel.syntax.languages import document
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import LineRange, line_hash
from gitscalpel.transaction import open_transaction
from gitscalpel.workspace import Target, Workspace, is_dirty


def refuse(ws: Workspace, operations: Sequence[Operation], target: Target, roots: Sequence[str] = ()) -> None:
    """Refuse numbers without hash, ``base`` or ``expect`` in files that have uncommitted changes.

    Args:
        ws: where the caller stands.
        operations: those of a changeset.
        target: what they are to be done to.
        roots: folders on the disk whose files absolute names in a patch mean.

    Raises:
        WorldMoved: ``stale``, with both lines.
    """
    for index, op in enumerate(operations):
        error = None
        if op.base is not None or op.expect is not None:
            continue
        if isinstance(op, (Lines, Placed)) and op.lines is not None:
            error = _of_lines(ws, op.path, op.lines, target)
        elif isinstance(op, Patch):
            error = _of_patch(ws, op, target, roots)
        if error is not None:
            raise error.at(index)


def _of_lines(ws: Workspace, path: str, lines: LineRange, target: Target) -> WorldMoved | None:
    ends = (lines.first, lines.last)
    if lines.content is not None or all(end.hash is not None for end in ends):
        return None
    two = _two_versions(ws, target, path)
    return _refusal(path, [end.number for end in ends], target, *two) if two else None


def _of_patch(ws: Workspace, op: Patch, target: Target, roots: Sequence[str]) -> WorldMoved | None:
    from gitscalpel.edit.patches import patch_lowering

    with suppress(ScalpelError):  # said where the edit is tried
        for file in patch_lowering.iter_numbered_files(op, Overlay(target.snapshot), roots):
            two = _two_versions(ws, target, file.path)
            found = [patch_lowering.numbered_line(piece, two[0]) for piece in file.pieces] if two else []
            bare = [number for number in found if number is not None]
            if two and bare:
                return _refusal(file.path, bare, target, *two, is_patch=True)
    return None


def _two_versions(ws: Workspace, target: Target, given: str) -> tuple[Document, Document] | None:
    """A file as the edit sees it and as it lies where the caller stands, if these have other lines."""
    before = Overlay(target.snapshot)
    try:
        path = paths.resolve(given, before)
        paths.refuse_folder(given, path)
    except ScalpelError:  # said where the edit is tried
        return None
    entry = before.entry(path)
    if entry is None or entry.mode == TREE:  # this as well, with what may have been meant, which is dear
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
        where = ws.at(open_transaction.load(ws, tx).meta.branch)
    if root is None or not is_dirty(ws, where, path):
        return None
    with suppress(OSError):
        return document(path, (Path(str(root)) / path).read_bytes())
    return None


def _plain(read: Document) -> bytes:
    """The text with the line endings that a checkout may have changed made alike."""
    return read.text.replace(b"\r\n", b"\n")


def _refusal(
    path: str,
    numbers: Sequence[int],
    target: Target,
    seen: Document,
    on_disk: Document,
    *,
    is_patch: bool = False,
) -> WorldMoved:
    name = target.name if target.branch.startswith("refs/heads/") else "the transaction"
    number = next((n for n in numbers if _row(seen, n) != _row(on_disk, n)), numbers[0])
    there, here = _row(seen, number), _row(on_disk, number)
    known = f":{there['hash']}" if there else ":HASH"
    way = (
        "send the lines around it there as well, or the blob that was meant as base"
        if is_patch
        else f"give its line with its hash, {place(path)}:{number}{known} if it is this one "
        f"({call('show', path=path)} prints them)"
    )
    return WorldMoved(
        "stale",
        f"{path} has uncommitted changes: line {number} of {name} {_said(there)}, on disk {_said(here)}, "
        f"and a bare number does not say which is meant",
        f"edits see {name}: {way}, or commit first",
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
