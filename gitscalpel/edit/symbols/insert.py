"""``insert``: new code beside a definition, or as first or last child of its body."""

from __future__ import annotations

from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, gaps, shape
from gitscalpel.edit.symbols.locate import locate, symbols_of
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.operations import Insert
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Symbol
from gitscalpel.text import endings
from gitscalpel.text.splice import Splice


def insert(op: Insert, source: Source) -> Edit:
    """Insert code with the separation that its siblings use.

    Raises:
        DoesNotFit: ``duplicate_symbol``, or a target that is not there.
        GateRefused: ``syntax_error``.
    """
    target = locate(op, source)
    refused: GateRefused | None = None
    for spelling, corrections in code.spellings(op.code):
        try:
            return _inserted(op, target, spelling, corrections, source)
        except GateRefused as error:
            refused = refused or error
    assert refused is not None  # noqa: S101 - spellings yields at least one
    raise refused


def _inserted(
    op: Insert, target: Symbol, spelling: bytes, corrections: tuple[str, ...], source: Source
) -> Edit:
    gap = gaps.gap(op.position, target, False, source)
    fitted = code.fit(spelling, source, gap.indent)
    trial = shape.place(source, gap.start, gap.end, gap.before + fitted + gap.after)
    if trial.fault:
        raise shape.syntax_error(trial, spelling)
    _refuse_duplicates(trial, target.parent if op.position in ("before", "after") else target, source)
    if b"\n" not in fitted and _is_statement(trial):
        gap = gaps.gap(op.position, target, True, source)
    new = endings.fit(gap.before + fitted + gap.after, source.document, gap.start, gap.end)
    return Edit((Splice(gap.start, gap.end, new),), (gap.start, gap.start), corrections=corrections)


def _is_statement(trial: shape.Trial) -> bool:
    """Whether the code is something else than a function or type with a body."""
    return not any(s.kind in FUNCTIONS | TYPES and s.header_end < s.end for s in trial.definitions())


def _refuse_duplicates(trial: shape.Trial, scope: Symbol | None, source: Source) -> None:
    siblings = symbols_of(source).symbols if scope is None else scope.children
    for new in trial.definitions():
        for old in siblings:
            if old.segments == new.segments and not (old.shared or new.shared):
                line = old.node.start_point.row + 1
                raise DoesNotFit(
                    "duplicate_symbol",
                    f"{new.name} is already defined in this scope (line {line})",
                    f"use replace on {old.qualname}, or choose another name",
                    symbol=old.qualname,
                    line=line,
                )
