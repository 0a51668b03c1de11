"""Apply fixes to new diagnostics that have exactly one safe fix.

A fix is safe if it changes only the file that it is offered for, which the change has edited already,
and does not just silence its tool at that place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress

from gitscalpel.changesets.answers import Fix, quoted
from gitscalpel.changesets.file_tree import Overlay, Snapshot
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic, Remedy

_SILENCING = re.compile(
    rb"noqa|type: *ignore|(?:ty|pyright|mypy|basedpyright|pyrefly|zuban|pyre)(?::|-) *(?:ignore|fixme)"
    rb"|pylint: *disable|nosec|ruff: *(?:noqa|disable|ignore)|@ts-(?:ignore|expect-error|nocheck)"
    rb"|(?:eslint|oxlint|biome|tslint|deno-lint|stylelint)-(?:disable|ignore)|nolint|noinspection"
    rb"|lint:ignore|#!?\[(?:cfg_attr\(.*)?(?:allow|expect)\(|@SuppressWarnings|#pragma .*ignored"
    rb"|nosemgrep|codeql\[|NOSONAR|no_type_check",
    re.IGNORECASE,
)
"""What makes tools keep silent about a place: comments, and attributes of that meaning."""


def mended(
    found: Iterable[Diagnostic], files: Snapshot, within: Collection[str]
) -> tuple[Overlay, tuple[Fix, ...]]:
    """The files with each diagnostic mended that can be in one way, and what was done.

    A remedy that meets another one is left: whoever looks again may still offer it.

    Args:
        found: what is to be mended.
        files: the tree.
        within: the paths that may be changed.
    """
    now, before = Overlay(files), Overlay(files)
    chosen: tuple[Patch, ...] = ()
    fixed: list[Fix] = []
    for each in found:
        safe = (remedy for remedy in each.remedies if remedy.is_safe)
        ways = {after: remedy for remedy in safe if (after := _after(remedy, before, each.path))}
        if len(ways) != 1 or each.path not in within:
            continue
        (remedy,) = ways.values()
        patches = (*chosen, Patch(path=each.path, diff=remedy.patch))
        with suppress(ScalpelError):
            now = apply(patches, before).overlay
            chosen = patches
            fixed.append(Fix(quoted(each.path), f"line {each.line}: {remedy.title}"))
    return now, tuple(fixed)


def _after(remedy: Remedy, files: Overlay, path: str) -> bytes | None:
    """The file with one remedy; None: it is none that may be taken."""
    try:
        outcome = apply((Patch(path=path, diff=remedy.patch),), files)
    except ScalpelError:
        return None
    content = outcome.overlay.content(path)
    if content is None or [change.path for change in outcome.changes] != [path]:
        return None
    silenced = (len(_SILENCING.findall(text or b"")) for text in (files.content(path), content))
    return content if next(silenced) >= next(silenced) else None
