"""Merge the leading trivia of a replaced definition with that of its new code.

Each of the three parts is decided separately: a part that the new code brings replaces the old part,
and any other part stays. Modifiers are not such a part. Decorators among them (``public @A final``)
are, and those that stay go before the new header.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.edit.symbols.trial_parse import Trial
from gitscalpel.syntax.symbols import Lead, Span, Symbol

TriviaPolicy = Literal["auto", "keep", "drop"]


class JoinedTrivia(msgspec.Struct, frozen=True):
    """New text for a definition, where it begins to replace, and what was done, in words."""

    start: int
    text: bytes
    report: str | None


def join_trivia(old: Symbol, trial: Trial, new: Symbol, policy: TriviaPolicy, indent: bytes) -> JoinedTrivia:
    """Put the old and the new lead together as ``policy`` says."""
    text = trial.before
    code = trial.text[trial.region.start : trial.region.end]
    kept, replaced, dropped = _decide(old, new, policy)
    report = _report(kept, replaced, dropped)
    if not kept:
        return JoinedTrivia(old.outer, code, report)
    before = trial.text[trial.region.start : min(new.outer, new.start)]
    own = trial.text[new.start : trial.region.end]
    if "decorators" in kept:
        mixed = b"".join(text[span.start : span.end] + b" " for span in old.mixed)
        own = mixed + _without(own, new.mixed, new.start)
    if policy == "keep" or not any(new.lead):
        return JoinedTrivia(old.start, before + own, report)
    pieces = [before]
    for name in Lead._fields:
        part = getattr(old.lead if name in kept else new.lead, name)
        whole = text if name in kept else trial.text
        if part is not None:
            pieces.append(_part(whole, part, name, indent))
    return JoinedTrivia(old.outer, b"".join([*pieces, own]), report)


def _decide(old: Symbol, new: Symbol, policy: TriviaPolicy) -> tuple[list[str], list[str], list[str]]:
    kept: list[str] = []
    replaced: list[str] = []
    dropped: list[str] = []
    brought = _brought(new)
    for name in _brought(old):
        if policy == "keep" or (policy == "auto" and name not in brought):
            kept.append(name)
        else:
            (replaced if name in brought else dropped).append(name)
    return kept, replaced, dropped


def _brought(symbol: Symbol) -> list[str]:
    """The names of the parts that a definition has."""
    has = symbol.lead._asdict()
    return [name for name, part in has.items() if part or (name == "decorators" and symbol.mixed)]


def _without(own: bytes, spans: tuple[Span, ...], start: int) -> bytes:
    """The text of a definition, which begins at ``start``, without ``spans`` and the blanks behind them."""
    for span in reversed(spans):
        own = own[: span.start - start] + own[span.end - start :].lstrip()
    return own


def _part(text: bytes, span: Span, name: str, indent: bytes) -> bytes:
    """One part with the white space that parts it from what follows."""
    rest = text[span.end : span.end + 2]
    same_line = name == "export" or (name == "decorators" and rest.lstrip(b" \t")[:1] not in (b"\r", b"\n"))
    return text[span.start : span.end] + (b" " if same_line else b"\n" + indent)


def _report(kept: list[str], replaced: list[str], dropped: list[str]) -> str | None:
    said = [
        f"{word} {', '.join(names)}"
        for word, names in (("kept", kept), ("replaced", replaced), ("dropped", dropped))
        if names
    ]
    return "; ".join(said) or None
