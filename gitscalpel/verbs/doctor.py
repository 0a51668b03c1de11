"""The surroundings are examined: git, the disk, who commits and what will be started."""

from __future__ import annotations

import msgspec

from gitscalpel.api import Check, Misconfigured, doctor
from gitscalpel.errors.messages import Spelling
from gitscalpel.verbs.asked import Asked
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Asked, frozen=True, kw_only=True):
    """Nothing is asked."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    ok: bool
    says: str
    hint: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """All that was looked at."""

    checks: tuple[Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Examine them."""
    del asked
    checks = doctor(spelling=caller.spelling)
    rows = tuple(Row(name=c.name, ok=c.code is None, says=c.says, hint=c.hint) for c in checks)
    answer = Answer(checks=rows)
    bad = next((check for check in checks if check.code is not None), None)
    wrong = None
    if bad is not None:
        said = f"{bad.name}: {bad.says}"
        wrong = Misconfigured(str(bad.code), said, bad.hint, **msgspec.to_builtins(answer))

    def words(_: Spelling) -> Words:
        return Words("\n".join(map(_line, checks)))

    return Reply(answer, words, wrong=wrong)


def _line(check: Check) -> str:
    hint = f" ({check.hint})" if check.hint else ""
    return f"{'ok ' if check.code is None else 'BAD'}  {check.name}: {check.says}{hint}"
