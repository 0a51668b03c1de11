"""Where a transaction stands with those who have to agree to it: values, which faces show."""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.answers import Risk
from gitscalpel.changesets.rules import Approval
from gitscalpel.gates.approval import Needed


class Decision(msgspec.Struct, frozen=True):
    """What somebody has decided about an open transaction.

    Attributes:
        kind: ``approve`` or ``reject``.
        user: who, ``Name <mail>``.
        time: when, in seconds since the epoch.
        message: why.
        counts: it is about the transaction as it is, and has the signature that the rules ask for.
        why_not: why it does not count, in words.
        entry: the log's commit that says so.
        stage: in which it was given; "": there was but one.
        agent: the program that said so for them; "": none, or it does not tell.
        confirmed: the client that says that a person had agreed before; "": nobody was asked.
    """

    kind: str
    user: str
    time: int
    message: str
    counts: bool
    why_not: str = ""
    entry: str = ""
    stage: str = ""
    agent: str = ""
    confirmed: str = ""

    @property
    def by(self) -> str:
        """Who, and how far that is known: the identity is git's, whoever has used it."""
        asked = f", and {self.confirmed} says that a person agreed" if self.confirmed else ""
        return self.user + (f" with {self.agent}" if self.agent else "") + asked


class Stage(msgspec.Struct, frozen=True):
    """How far a transaction has come in one stage.

    Attributes:
        rule: what has to be agreed to there, and by whom.
        needed: what of the transaction that is.
        approved: the approvals that count.
    """

    rule: Approval
    needed: Needed
    approved: tuple[Decision, ...]

    @property
    def name(self) -> str:
        """Of the stage; "": there is but one."""
        return self.rule.name

    @property
    def missing(self) -> int:
        """How many more have to agree."""
        return max(0, self.rule.count - len(self.approved)) if self.needed.why else 0


class Standing(msgspec.Struct, frozen=True):
    """Where a transaction stands with those who have to agree to it.

    Attributes:
        stages: in which they do, one after the other.
        decisions: what was decided so far, the newest first.
        risk: how risky it is, where a stage asks for that.
    """

    stages: tuple[Stage, ...]
    decisions: tuple[Decision, ...]
    risk: Risk | None = None

    @property
    def needed(self) -> Needed:
        """What has to be agreed to, in all stages together."""
        each = [stage.needed for stage in self.stages]
        paths = [needed.paths for needed in each if needed.paths is not None]
        why = tuple(dict.fromkeys(words for needed in each for words in needed.why))
        return Needed(why, frozenset[str]().union(*paths) if len(paths) == len(each) else None)

    @property
    def waiting(self) -> Stage | None:
        """The stage in which somebody has to agree next."""
        return next((stage for stage in self.stages if stage.missing), None)

    @property
    def approved(self) -> list[Decision]:
        """The approvals that count."""
        return [each for each in self.decisions if each.counts and each.kind == "approve"]

    @property
    def rejected(self) -> Decision | None:
        """The rejection that stands, if there is one."""
        return next((each for each in self.decisions if each.counts and each.kind == "reject"), None)

    @property
    def missing(self) -> int:
        """How many more have to agree."""
        return sum(stage.missing for stage in self.stages)
