"""What becomes of a lead when its definition is replaced.

Each of the three parts is decided for itself: what the new code brings
replaces the old part, what it does not bring stays.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitscalpel.edit.symbols.shape import Trial
from gitscalpel.syntax.symbols import Lead, Span, Symbol

Policy = Literal["auto", "keep", "drop"]


class Joined(NamedTuple):
    """New text for a definition, where it begins to replace, and what was done, in words."""

    start: int
    text: bytes
    report: str | None


def join(old: Symbol, trial: Trial, new: Symbol, policy: Policy, indent: bytes) -> Joined:
    """Put the old and the new lead together as ``policy`` says."""
    text = trial.before
    code = trial.text[trial.region.start : trial.region.end]
    kept, replaced, dropped = _decide(old.lead, new.lead, policy)
    report = _report(kept, replaced, dropped)
    if not kept:
        return Joined(old.outer, code, report)
    before = trial.text[trial.region.start : min(new.outer, new.start)]
    own = trial.text[new.start : trial.region.end]
    if policy == "keep" or not any(new.lead):
        return Joined(old.start, before + own, report)
    pieces = [before]
    for name in Lead._fields:
        part = getattr(old.lead if name in kept else new.lead, name)
        whole = text if name in kept else trial.text
        if part is not None:
            pieces.append(_part(whole, part, name, indent))
    return Joined(old.outer, b"".join([*pieces, own]), report)


def _decide(old: Lead, new: Lead, policy: Policy) -> tuple[list[str], list[str], list[str]]:
    kept: list[str] = []
    replaced: list[str] = []
    dropped: list[str] = []
    for name in Lead._fields:
        if getattr(old, name) is None:
            continue
        if policy == "keep" or (policy == "auto" and getattr(new, name) is None):
            kept.append(name)
        else:
            (dropped if getattr(new, name) is None else replaced).append(name)
    return kept, replaced, dropped


def _part(text: bytes, span: Span, name: str, indent: bytes) -> bytes:
    """One part with the white space that parts it from what follows."""
    rest = text[span.end : span.end + 2]
    same_line = name == "words" or (name == "decorators" and rest.lstrip(b" \t")[:1] not in (b"\r", b"\n"))
    return text[span.start : span.end] + (b" " if same_line else b"\n" + indent)


def _report(kept: list[str], replaced: list[str], dropped: list[str]) -> str | None:
    said = [
        f"{word} {', '.join(names)}"
        for word, names in (("kept", kept), ("replaced", replaced), ("dropped", dropped))
        if names
    ]
    return "; ".join(said) or None
