"""The operation log is verified, or written out as JSON lines."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gitscalpel.api import Damaged
from gitscalpel.errors.messages import Spelling
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain


class Request(Asked, frozen=True, kw_only=True):
    """What to do."""

    what: Annotated[Literal["verify", "export"], said("What to do.", place=True)]
    signers: Annotated[
        str | None,
        said(
            "The keys that count: an allowed-signers file as for ssh-keygen (verify only).",
            "FILE",
            form="contents",
        ),
    ] = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """How many steps there are, and how many are signed by keys that count."""

    steps: int
    signed: int | None


def perform(caller: Caller, asked: Request) -> Reply:
    """Do it."""
    if asked.what == "export":
        return _exported(caller)
    signers = None if asked.signers is None else asked.signers.encode("utf-8", "surrogateescape")
    found = caller.repo.audit(signers)
    lines = [f"{fault.entry[:12]} {fault.tx}: {fault.says}" for fault in found.faults]
    if found.faults:
        raise Damaged(
            "corrupt",
            f"{len(found.faults)} of {found.steps} steps are not as they should be:\n" + "\n".join(lines),
            "`git log refs/scalpel/ops` shows each step, `git show ENTRY:record.json` what it says",
            faults=[{"entry": each.entry, "tx": each.tx, "says": each.says} for each in found.faults],
        )
    signed = f", {found.signed} of them signed" if signers is not None else ""
    answer = Answer(steps=found.steps, signed=found.signed if signers is not None else None)
    return Reply(answer, plain(f"{found.steps} steps{signed}: each stands on the one before"))


def _exported(caller: Caller) -> Reply:
    import json

    rows = list(caller.repo.audit_rows())

    def words(_: Spelling) -> Words:
        return Words("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))

    return Reply(None, words, raw=True)
