"""A transaction is held against the policy, or it is said what rules say of a path."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gitscalpel.verbs.asked import Asked, Named, Onto, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """What to do, and with what."""

    what: Annotated[Literal["check", "explain"], said("What to do.", place=True)]
    subject: Annotated[str | None, said("The transaction, or the path.", "ID | PATH", form="subject")] = None
    onto: Onto = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that is about a path, and whether it lets it change."""

    key: str
    says: str
    passes: bool


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What rules say of a path."""

    path: str
    may_change: bool
    rules: tuple[Rule, ...]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule has found."""

    path: str
    line: int
    message: str


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy says of a transaction; ``rules`` are those that were asked."""

    tx: str
    status: str
    findings: tuple[Place, ...]
    rules: tuple[str, ...] = ()


Answer = Explained | Checked


def perform(caller: Caller, asked: Request) -> Reply:
    """Do it."""
    return _explained(caller, asked) if asked.what == "explain" else _checked(caller, asked)


def _explained(caller: Caller, asked: Request) -> Reply:
    repo, path = caller.repo, asked.subject or ""
    found = repo.explain(path, asked.onto)
    rules = tuple(Rule(key=key, says=words, passes=passes) for key, words, passes in found)
    answer = Explained(path=path, may_change=all(rule.passes for rule in rules), rules=rules)
    text = "\n".join(f"{'  ' if rule.passes else '! '}{rule.key}: {rule.says}" for rule in rules)
    unknown = bool(path) and not repo.knows(path, asked.onto)
    warnings = (f"git knows no {path} on the target branch",) if unknown else ()
    return Reply(answer, plain(text or f"no rule is about {path}"), warnings)


def _checked(caller: Caller, asked: Request) -> Reply:
    tx = caller.chosen(Named(tx=asked.subject))
    row = tx.policy()
    places = tuple(Place(path=f.path, line=f.line, message=f.message) for f in row.findings)
    lines = [f"  {place.path}:{place.line}: {place.message}" for place in places]
    answer = Checked(tx=tx.id, status=row.status, findings=places, rules=row.rules or ())
    return Reply(answer, plain("\n".join([f"{tx.id}: {row.status}", *lines])))
