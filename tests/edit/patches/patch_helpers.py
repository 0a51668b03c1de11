"""Patches applied to files in memory: before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from tests.edit.editing import Content, changed, outcome, refused, text

NUMBERS = "".join(f"{n}\n" for n in range(1, 21))
"""A file of twenty lines, each its own number."""


Said = str | bytes | dict[str, Any] | list[Any]
"""A patch as it is, or what is to be written as JSON."""


def applied(before: Mapping[str, Content], diff: Said) -> Outcome:
    """What ``diff`` does to files."""
    return outcome(before, {"op": "patch", "path": "", "diff": _said(diff)})


def patched(before: Content, diff: Said, path: str = "a.txt") -> bytes:
    """The bytes of the one file that ``diff`` changes."""
    after = applied({path: before}, diff).overlay.content(path)
    assert after is not None
    return after


def refusal(before: Mapping[str, Content], diff: Said) -> ScalpelError:
    """The error that ``diff`` ends with."""
    return refused(before, {"op": "patch", "path": "", "diff": _said(diff)})


def after(before: Mapping[str, Content], diff: Said) -> dict[str, tuple[str, bytes] | None]:
    """The files that ``diff`` changes, with their modes; None is a file that is gone."""
    return changed(applied(before, diff))


def _said(diff: Said) -> str:
    if isinstance(diff, (dict, list)):
        return json.dumps(diff)
    return diff.decode("utf-8", "surrogateescape") if isinstance(diff, bytes) else text(diff)
