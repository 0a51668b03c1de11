"""Look for what is damaged, and for what killed processes left; say what to do."""

from __future__ import annotations

from gitscalpel import Damaged
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "--full", action="store_true", help="Read every object, not only how they hang together."
    )
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        findings = repo.fsck(full=given.full)
    rows = [
        {"what": f.what, "name": f.name, "says": f.says, "hint": f.hint, "level": f.level} for f in findings
    ]
    lines = [f"{f.level}: {f.what} {f.name}: {f.says}\n  {f.hint}" for f in findings]
    damage = [finding for finding in findings if finding.level == "damage"]
    if not damage:
        output.answer("fsck", {"findings": rows}, "\n".join(lines) or "nothing is damaged", given.json)
        return
    if not given.json:
        output.complain(lines)
    says = f"{len(damage)} damaged: {damage[0].what} {damage[0].name}: {damage[0].says}"
    raise Damaged("corrupt", says, damage[0].hint, findings=rows)
