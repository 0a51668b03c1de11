"""Verify the operation log (the chain, and who signed), or write it out as JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gitscalpel import Damaged
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("what", choices=("verify", "export"), help="What to do.")
    parser.add_argument(
        "--signers", metavar="FILE", type=Path, help="The keys that count, as for ssh-keygen; for verify."
    )
    options.json(parser)


def command(given: Given) -> None:
    if given.what == "export":
        with output.opened() as repo:
            for row in repo.audit_rows():
                sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    signers = given.signers.read_bytes() if given.signers else None
    with output.opened() as repo:
        found = repo.audit(signers)
    lines = [f"{fault.entry[:12]} {fault.tx}: {fault.says}" for fault in found.faults]
    if found.faults:
        raise Damaged(
            "corrupt",
            f"{len(found.faults)} of {found.steps} steps are not as they should be:\n" + "\n".join(lines),
            "`git log refs/scalpel/ops` shows each step, `git show ENTRY:record.json` what it says",
            faults=[{"entry": each.entry, "tx": each.tx, "says": each.says} for each in found.faults],
        )
    data = {"steps": found.steps, "signed": found.signed if signers is not None else None}
    signed = f", {found.signed} of them signed" if signers is not None else ""
    output.answer("audit", data, f"{found.steps} steps{signed}: each stands on the one before", given.json)
