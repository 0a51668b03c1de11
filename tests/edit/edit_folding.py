"""Operations folded over one file, without a repository: before and after."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.operations import Lines, Text
from gitscalpel.changesets.requests import parse_operation
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.text_edits import edit_lines, replace_text
from gitscalpel.errors import ScalpelError


def fold(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> tuple[bytes, Edit]:
    """The file after ``ops``, and what the last one did."""
    source = Source.read(path, before)
    for raw in ops:
        op = parse_operation({"op": "text" if "old" in raw else "lines", "path": path, **raw})
        assert isinstance(op, (Text, Lines))
        edit = replace_text(op, source) if isinstance(op, Text) else edit_lines(op, source)
        source = source.with_edit(edit)
    return source.document.raw, edit


def after(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> bytes:
    """The file after ``ops``."""
    return fold(before, *ops, path=path)[0]


def refusal(before: bytes, *ops: dict[str, Any], path: str = "a.txt") -> ScalpelError:
    """The error that ``ops`` end with."""
    with pytest.raises(ScalpelError) as caught:
        fold(before, *ops, path=path)
    assert caught.value.hint
    return caught.value
