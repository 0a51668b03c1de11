"""What is damaged, and what killed processes left."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import Damaged, Finding
from gitscalpel.errors.messages import Spelling
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Asked, frozen=True, kw_only=True):
    """How thoroughly to look."""

    full: Annotated[bool, said("Read every object, not just the links between them.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    findings: tuple[Finding, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Look for it."""
    findings = caller.repo.fsck(full=asked.full)
    answer = Answer(findings=tuple(findings))
    damage = [finding for finding in findings if finding.level == "damage"]
    wrong = None
    if damage:
        first = damage[0]
        says = f"{len(damage)} damaged: {first.what} {first.name}: {first.says}"
        wrong = Damaged("corrupt", says, first.hint, **msgspec.to_builtins(answer))

    def words(_: Spelling) -> Words:
        lines = [f"{f.level}: {f.what} {f.name}: {f.says}\n  {f.hint}" for f in findings]
        return Words("\n".join(lines) or "nothing is damaged")

    return Reply(answer, words, wrong=wrong)
