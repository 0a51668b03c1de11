"""``insert``: new code beside a definition, or as first or last child of its body."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, gaps, seams, separators, shape
from gitscalpel.edit.symbols.locate import alone, symbols_of
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.operations import Insert
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Symbol
from gitscalpel.text import endings
from gitscalpel.text.indent import unit
from gitscalpel.text.splice import Splice


def insert(op: Insert, target: Symbol, source: Source) -> Edit:
    """Insert code with the separation that its siblings use.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
        GateRefused: ``syntax_error``.
    """
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
    trial, layout = _tried(op, target, spelling, source)
    scope = target.parent if op.position in ("before", "after") else target
    brought = trial.definitions()
    if not brought and source.outline is not None and source.outline.nodes("clause"):
        brought = list(alone(source, spelling).symbols)  # it went on with one that is there
    _refuse_duplicates(brought, scope, source)
    plain = layout.single and _is_statement(trial)
    gap, new = _placed(op, target, spelling, layout._replace(plain=plain))
    new = endings.fit(new, source.document, gap.start, gap.end)
    return Edit(
        (Splice(gap.start, gap.end, new),),
        (gap.start, gap.start),
        corrections=corrections,
        margins=endings.margins(new, gap.before, gap.after),
    )


def _tried(op: Insert, target: Symbol, spelling: bytes, source: Source) -> tuple[shape.Trial, seams.Layout]:
    """Set the code in as it is, or with what parts it from its siblings or ends it.

    What stands beside a member should define one: some lists take it for a part of the one before.
    """
    assert source.language is not None  # noqa: S101 - locate has refused these
    refused: GateRefused | None = None
    spare: tuple[shape.Trial, seams.Layout] | None = None
    for layout in _layouts(op, target, spelling, source):
        gap, new = _placed(op, target, spelling, layout)
        trial = shape.place(source, gap.start, gap.end, new)
        try:
            _refuse_harm(trial, spelling, source)
        except GateRefused as error:
            refused = refused or error
        else:
            if trial.definitions() or not (target.kind == "member" or source.language.data):
                return trial, layout
            spare = spare or (trial, layout)
    if spare is None:
        assert refused is not None  # noqa: S101 - every layout was tried
        raise refused
    return spare


def _layouts(op: Insert, target: Symbol, spelling: bytes, source: Source) -> Iterator[seams.Layout]:
    """The ways to set code in, the likeliest first."""
    level = unit(source.plain if _is_indented(source.text) else spelling)
    assert source.language is not None  # noqa: S101 - locate has refused these
    terminated = source.language.data or spelling.rstrip().endswith((b";", b"}"))
    bare = seams.Layout(source, False, b"", level, b"\n" not in spelling, terminated)
    separator = source.language.separator
    parted = bare._replace(separator=separator)
    if source.language.data:
        if separator == b";" and not code.parted(spelling, source)[0].endswith((b";", b"}")):
            yield bare._replace(ended=True)
        yield from (bare, parted, parted._replace(closed=True), bare._replace(ended=True))
        return
    leading = separators.leading(target, op.position, source)
    if leading is not None and (leading.white or b"\n" not in spelling):
        yield bare._replace(leading=leading)
    yield from (parted,) if _is_list_of_ended(op, target, parted) else ()
    yield from (bare, parted, parted._replace(closed=True), bare._replace(ended=True))
    yield bare._replace(separator=b";")
    yield bare._replace(terminator=b";", terminated=True)
    if (second := separators.second(target, op.position, source)) is not None:
        yield bare._replace(leading=second)


def _is_list_of_ended(op: Insert, target: Symbol, parted: seams.Layout) -> bool:
    """Whether the member before the place has a separator behind it, so that the new one shall have one."""
    if op.position not in ("after", "last"):
        return False
    gap = gaps.gap(op.position, target, parted)
    return gap.after.startswith(parted.separator) and not gap.before.startswith(parted.separator)


def _refuse_harm(trial: shape.Trial, spelling: bytes, source: Source) -> None:
    if trial.fault:
        raise shape.syntax_error(trial, spelling)
    shape.require_all(trial, symbols_of(source))


def _placed(op: Insert, target: Symbol, spelling: bytes, layout: seams.Layout) -> tuple[seams.Gap, bytes]:
    source = layout.source
    assert source.language is not None  # noqa: S101 - locate has refused these
    gap = gaps.gap(op.position, target, layout)
    body, remark, after = spelling, b"", gap.after
    if layout.separator or layout.ended or layout.terminator:
        body, remark = code.parted(spelling, source)
    body = body.removesuffix(layout.separator)
    if layout.leading is not None:
        sign = layout.leading.sign
        body = body.strip().removeprefix(sign).removesuffix(sign).strip()
    end = layout.terminator or source.language.separator * layout.ended
    if remark and layout.separator and after.startswith(layout.separator):
        end, after = layout.separator, after.removeprefix(layout.separator)
    return gap, gap.before + code.fit(body + end + remark, source, gap.indent) + after


def _is_indented(text: bytes) -> bool:
    return any(line[:1] in (b" ", b"\t") and line.strip() for line in text.split(b"\n"))


def _is_statement(trial: shape.Trial) -> bool:
    """Whether the code is something else than a function or type with a body."""
    return not any(s.kind in FUNCTIONS | TYPES and s.header_end < s.end for s in trial.definitions())


def _refuse_duplicates(brought: list[Symbol], scope: Symbol | None, source: Source) -> None:
    siblings = symbols_of(source).symbols if scope is None else scope.children
    for new in brought:
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
