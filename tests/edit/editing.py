"""Changesets applied to files in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import Any

import pytest

from gitscalpel.changesets.file_tree import REGULAR, TREE, Entry, FileFilter, Oid
from gitscalpel.changesets.requests import parse_operations
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.transaction.static_gates import judge

Op = dict[str, Any]
Content = str | bytes | tuple[str, bytes]


class Files:
    """A snapshot of given files, with the object ids that git gives."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self.blobs: dict[Oid, bytes] = {}
        self.entries = {path: self.add(content) for path, content in files.items()}

    def add(self, content: Content) -> Entry:
        mode, data = content if isinstance(content, tuple) else (REGULAR, content)
        data = data.encode() if isinstance(data, str) else data
        oid = blob_id(data)
        self.blobs[oid] = data
        return Entry(mode, oid)

    def entry(self, path: str) -> Entry | None:
        if path == "" or any(known.startswith(path + "/") for known in self.entries):
            return Entry(TREE, Oid(""))
        return self.entries.get(path)

    def blob_id(self, content: bytes) -> Oid:
        return blob_id(content)

    def read(self, oid: Oid) -> bytes:
        return self.blobs[oid]

    def under(self, prefix: str) -> Iterator[str]:
        return (path for path in sorted(self.entries) if not prefix or path.startswith(prefix + "/"))

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterator[str]:
        del wanted
        words = word.encode("utf-8", "surrogateescape").split(b"\n")
        return (p for p in self.under("") if any(each in self.blobs[self.entries[p].oid] for each in words))

    def left_out(self, path: str) -> bool:
        del path
        return False


def blob_id(content: str | bytes) -> Oid:
    """Return the object id that git gives a blob."""
    data = content.encode() if isinstance(content, str) else content
    return Oid(hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest())


def read_changes(result: Outcome) -> dict[str, tuple[str, bytes] | None]:
    """Return the files that operations change, with their modes, where None is a deleted file."""
    return {
        path: (new.mode, result.overlay.read(new.oid)) if new else None for path, _, new in result.changes
    }


def apply_changeset(before: Content | Mapping[str, Content], *ops: Op, path: str = "a.py") -> Outcome:
    """Apply ``ops``, where an operation without a path uses ``path``."""
    files = Files(before if isinstance(before, Mapping) else {path: before})
    return apply(parse_operations([{"path": path, **op} for op in ops]), files)


def edit_file(before: Content, *ops: Op, path: str = "a.py") -> bytes:
    """Return the bytes of ``path`` after ``ops``."""
    content = apply_changeset(before, *ops, path=path).overlay.content(path)
    assert content is not None
    return content


def assert_edit(before: str, op: Op | list[Op], after: str, path: str = "a.py") -> None:
    """Assert that ``op`` changes ``before`` to ``after``, both of which may be indented as a whole."""
    ops = op if isinstance(op, list) else [op]
    assert edit_file(dedent_block(before), *ops, path=path).decode() == dedent_block(after)


def expect_refusal(before: Content | Mapping[str, Content], *ops: Op, path: str = "a.py") -> ScalpelError:
    """Return the error of ``ops``, which must have a message and a hint."""
    content = dedent_block(before) if isinstance(before, str) else before
    with pytest.raises(ScalpelError) as caught:
        apply_changeset(content, *ops, path=path)
    assert caught.value.message
    assert caught.value.hint
    return caught.value


def dedent_block(block: str) -> str:
    """Return a triple-quoted block without its indentation and first line break."""
    return dedent(block.removeprefix("\n")) if block.startswith("\n") else block


def insert(symbol: str, position: str, code: str) -> Op:
    """Make an insert at a symbol."""
    return {"op": "insert", "symbol": symbol, "position": position, "code": code}


def replace(symbol: str, code: str) -> Op:
    """Make a replacement of a symbol."""
    return {"op": "replace", "symbol": symbol, "code": code}


def signature(symbol: str, code: str) -> Op:
    """Make a replacement of the signature of a symbol."""
    return {"op": "signature", "symbol": symbol, "code": code}


def delete(symbol: str, **more: str) -> Op:
    """Make a deletion of a symbol."""
    return {"op": "delete", "symbol": symbol, **more}


def gate_errors(path: str, before: str, *ops: Op) -> list[str]:
    """Return the error codes of the gates."""
    verdicts = judge(apply_changeset(before, *ops, path=path), Rules())
    return [verdict.error.code for verdict in verdicts if verdict.error]
