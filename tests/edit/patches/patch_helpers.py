"""Patches applied to files in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from tests.edit.editing import Content, apply_changeset, dedent_block, expect_refusal, read_changes

NUMBERS = "".join(f"{n}\n" for n in range(1, 21))
"""A file of twenty lines, each with its own number."""


PatchInput = str | bytes | dict[str, Any] | list[Any]
"""A patch as text or bytes, or data to encode as JSON."""


def apply_patch(before: Mapping[str, Content], diff: PatchInput) -> Outcome:
    """Apply ``diff`` to files."""
    return apply_changeset(before, {"op": "patch", "path": "", "diff": _encode_patch(diff)})


def patch_file(before: Content, diff: PatchInput, path: str = "a.txt") -> bytes:
    """Return the bytes of the file that ``diff`` changes."""
    content = apply_patch({path: before}, diff).overlay.content(path)
    assert content is not None
    return content


def expect_error(before: Mapping[str, Content], diff: PatchInput) -> ScalpelError:
    """Return the error of ``diff``."""
    return expect_refusal(before, {"op": "patch", "path": "", "diff": _encode_patch(diff)})


def changed_files(before: Mapping[str, Content], diff: PatchInput) -> dict[str, tuple[str, bytes] | None]:
    """Return the files that ``diff`` changes, with their modes, where None is a deleted file."""
    return read_changes(apply_patch(before, diff))


def _encode_patch(diff: PatchInput) -> str:
    if isinstance(diff, (dict, list)):
        return json.dumps(diff)
    return diff.decode("utf-8", "surrogateescape") if isinstance(diff, bytes) else dedent_block(diff)
