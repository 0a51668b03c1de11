"""Bound the disk use: expire what was kept, remove surplus worktrees, pack objects and refs."""

from __future__ import annotations

from typing import Any

from gitscalpel import Item, Swept
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="Say what would be done; change nothing.")
    parser.add_argument(
        "--quarantine",
        action="store_true",
        help="Remove what recovery set aside more than 30 days ago, too.",
    )
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        swept = repo.gc(dry_run=given.dry_run, quarantine=given.quarantine)
    output.answer("gc", _data(swept), "\n".join(_lines(swept)), given.json)


def _data(swept: Swept) -> dict[str, Any]:
    return {
        "dry_run": swept.dry_run,
        "removed": [_row(item) for item in swept.items if item.removed],
        "left": [_row(item) for item in swept.items if not item.removed],
        "objects": {
            name: {"loose": count.loose, "packs": count.packs, "bytes": count.bytes}
            for name, count in (("before", swept.before), ("after", swept.after))
        },
        "freed": swept.freed,
    }


def _row(item: Item) -> dict[str, Any]:
    row = {"kind": item.kind, "name": item.name, "why": item.why, "bytes": item.bytes}
    return {**row, "kept": item.kept} if item.kept else row


def _lines(swept: Swept) -> list[str]:
    would = "would be " if swept.dry_run else ""
    lines = []
    for item in swept.items:
        what = f"{would}removed" if item.removed else "stays"
        kept = f"; what was left in it is kept as {item.kept}" if item.kept else ""
        lines.append(f"{what}: {item.kind} {item.name}: {item.why}{kept}")
    loose = f"{swept.before.loose} loose objects before, {swept.after.loose} now"
    return [*lines, f"{swept.before.loose} loose objects" if swept.dry_run else loose, _freed(swept)]


def _freed(swept: Swept) -> str:
    if swept.dry_run:
        return f"would free {swept.freed} bytes, and what packing saves"
    return f"freed {swept.freed} bytes" if swept.freed >= 0 else f"took {-swept.freed} bytes"
