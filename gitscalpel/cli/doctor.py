"""Examine git, the disk, who commits and what will be started; say what to change."""

from __future__ import annotations

from gitscalpel import Check, Misconfigured, doctor
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.json(parser)


def command(given: Given) -> None:
    checks = doctor()
    rows = [{"name": c.name, "ok": c.code is None, "says": c.says, "hint": c.hint} for c in checks]
    bad = [check for check in checks if check.code is not None]
    if bad and not given.json:
        output.complain(map(_line, checks))
    if bad:
        first = bad[0]
        raise Misconfigured(str(first.code), f"{first.name}: {first.says}", first.hint, checks=rows)
    output.answer("doctor", {"checks": rows}, "\n".join(map(_line, checks)), given.json)


def _line(check: Check) -> str:
    hint = f" ({check.hint})" if check.hint else ""
    return f"{'ok ' if check.code is None else 'BAD'}  {check.name}: {check.says}{hint}"
