"""Operations folded over one file without a repository."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.operations import Lines, Text
from gitscalpel.changesets.requests import parse_operation
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.text_edits import edit_lines, replace_text
from gitscalpel.errors import ScalpelError


def fold_ops(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> tuple[bytes, Edit]:
    """Return the file after ``ops`` and the last edit."""
    source = Source.read(path, before)
    for raw in ops:
        op = parse_operation({"op": "text" if "old" in raw else "lines", "path": path, **raw})
        assert isinstance(op, (Text, Lines))
        edit = replace_text(op, source) if isinstance(op, Text) else edit_lines(op, source)
        source = source.with_edit(edit)
    return source.document.raw, edit


def apply_ops(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> bytes:
    """Return the file after ``ops``."""
    return fold_ops(before, *ops, path=path)[0]


def expect_error(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> ScalpelError:
    """Return the error of ``ops``."""
    with pytest.raises(ScalpelError) as caught:
        fold_ops(before, *ops, path=path)
    assert caught.value.hint
    return caught.value
