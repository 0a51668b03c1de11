"""Insert code next to a definition, or as the first or last child of its body (``insert``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.changesets.operations import Insert
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import block_members, insertion_layout, trial_parse
from gitscalpel.edit.symbols.insertion_layout import Gap, Layout
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.syntax.captures import is_import
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Span, Symbol
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.text import line_endings
from gitscalpel.text.splice import Splice

_ATTRIBUTED = 3  # attributing an error may take long, so only the likeliest layouts are tried


class Attempt(NamedTuple):
    """New code at its place, in one layout."""

    trial: trial_parse.Trial
    layout: Layout
    gap: Gap


def insert(op: Insert, target: Symbol, source: Source) -> Edit:
    """Insert code with the separation of its siblings. Raises ``duplicate_symbol`` or ``syntax_error``."""
    refusals: list[GateRefused] = []
    for spelling, corrections in [
        *insertion_layout.iter_spellings(op.code),
        *_iter_unmarked(op, target, source),
    ]:
        try:
            return _insert_code(op, target, spelling, corrections, source)
        except GateRefused as error:
            refusals.append(error)
    raise _hint_type_block(refusals[0], op, target, source)


def _hint_type_block(error: GateRefused, op: Insert, target: Symbol, source: Source) -> GateRefused:
    """Add a hint to the error: the block of methods of a type, or the mark of a list item."""
    kinds = [
        kind for kind in ("impl", "extension") if trial_parse.find_namesake(source.outline, target, kind)
    ]
    if kinds and op.position in ("first", "last"):
        hint = f"to put it into the {kinds[0]} of that name, give {arg('kind', kinds[0])}"
        error = error.but(hint=hint, retry={"kind": kinds[0]})
    neighbours = [target] if op.position in ("before", "after") else target.children
    mark = source.rules.markers[:1].decode()
    if mark and source.rules.data and neighbours and all(symbol.index is not None for symbol in neighbours):
        first = op.code.strip().splitlines()[0]
        return error.but(hint=f"begin each item of this list with {mark}, as in {mark} {first}")
    return error


def _iter_unmarked(op: Insert, target: Symbol, source: Source) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Yield an item without its list mark (``- ``), if the target list uses brackets."""
    block = target.node.parent if op.position in ("before", "after") else target.body_node
    is_bracketed = block is not None and block_members.find_bracketed_span(block, source) is not None
    code = line_endings.strip_line_endings(op.code.encode("utf-8", "surrogateescape"))
    mark = code[:1]
    if is_bracketed and mark and mark in source.rules.markers and code[1:2] == b" ":
        yield code[2:], (f"removed the {mark.decode()} before the code, since the list has brackets",)


def _insert_code(
    op: Insert, target: Symbol, spelling: bytes, corrections: tuple[str, ...], source: Source
) -> Edit:
    trial, layout = _try_layouts(op, target, spelling, source)
    scope = target.parent if op.position in ("before", "after") else target
    new_symbols = trial.definitions()
    if op.is_of_file or target.node.parent is None:
        _require_read_as_code(trial, spelling, source)
        scope = _enclosing_top(new_symbols, source)
    if not new_symbols and source.outline.nodes("clause"):
        new_symbols = list(source.alone(spelling).symbols)  # it went on with one that is there
    _require_no_duplicates(new_symbols, scope, source)
    gap, new = _place_code(op, target, msgspec.structs.replace(layout, sort=_sort_of_code(trial, layout)))
    new = line_endings.fit_line_endings(new, source.document, gap.start, gap.end)
    return Edit(
        (Splice(gap.start, gap.end, new),),
        (gap.start, gap.start),
        corrections=corrections,
        margins=line_endings.measure_margins(new, gap.before, gap.after),
    )


def _try_layouts(
    op: Insert, target: Symbol, spelling: bytes, source: Source
) -> tuple[trial_parse.Trial, Layout]:
    """Return the first layout that parses.

    Next to a member the code must define one, since some lists would read it as part of the one before.
    """
    refusals: list[GateRefused] = []
    fallback: tuple[trial_parse.Trial, Layout] | None = None
    broken: list[Attempt] = []
    for layout in _iter_layouts(op, target, spelling, source):
        gap, new = _place_code(op, target, layout)
        trial = trial_parse.parse_trial(source, gap.start, gap.end, new)
        if trial.fault:
            broken.append(Attempt(trial, layout, gap))
        try:
            _require_harmless(op, target, Attempt(trial, layout, gap), source)
        except GateRefused as error:
            refusals.append(error)
        else:
            if trial.definitions() or not (target.kind == "member" or source.rules.data):
                return trial, layout
            fallback = fallback or (trial, layout)
    if fallback is not None:
        return fallback
    likeliest: dict[bytes, Attempt] = {}
    for each in sorted(broken, key=lambda each: len(find_faults(each.trial.syntax))):
        likeliest.setdefault(each.trial.text, each)
    for each in [*likeliest.values()][:_ATTRIBUTED]:
        cleared = trial_parse.clear_known_fault(each.trial, source)
        if not cleared.fault:
            _require_harmless(op, target, each._replace(trial=cleared), source)
            return cleared, each.layout
    raise refusals[0]


def _require_harmless(op: Insert, target: Symbol, attempt: Attempt, source: Source) -> None:
    trial, layout, gap = attempt
    trial_parse.require_no_fault(trial, layout.code)
    trial_parse.require_definitions_kept(trial, source.outline)
    anchors = trial_parse.iter_anchors(op, target, Span(gap.start, gap.end), source)
    _require_uncut(trial, gap, source)
    _require_unjoined(trial, anchors, gap, source)


def _iter_layouts(op: Insert, target: Symbol, spelling: bytes, source: Source) -> Iterator[Layout]:
    trial = _parse_alone(spelling, source)
    imports = [node for node in trial.statements() if is_import(node)]
    plain = Layout(
        source, spelling, sort=block_members.IMPORT if trial.holds_only(imports) else block_members.BLOCK
    )
    separator, data = source.rules.separator, source.rules.data
    separated = msgspec.structs.replace(plain, separator=separator)
    leading = None if data else insertion_layout.find_leading(target, op.position, source)
    if leading is not None and (leading.white or plain.single):
        yield msgspec.structs.replace(plain, leading=leading)
    if separator == b";" and not insertion_layout.split_end_comments(spelling, source)[0].endswith(
        (b";", b"}")
    ):
        yield msgspec.structs.replace(plain, terminator=separator)
    if not data and _follows_separator(op, target, separated):
        yield separated
    yield from (
        plain,
        separated,
        msgspec.structs.replace(separated, closed=True),
        msgspec.structs.replace(plain, terminator=separator),
    )
    if data:
        return
    yield from (
        msgspec.structs.replace(plain, separator=b";"),
        msgspec.structs.replace(plain, terminator=b";"),
    )
    if (first_separator := insertion_layout.find_first_separator(target, op.position, source)) is not None:
        yield msgspec.structs.replace(plain, leading=first_separator)


def _follows_separator(op: Insert, target: Symbol, layout: Layout) -> bool:
    """Return True if the previous member has a trailing separator, so the new one needs one too."""
    if op.position not in ("after", "last"):
        return False
    gap = insertion_layout.find_gap(op.position, target, layout)
    return gap.after.startswith(layout.separator) and not gap.before.startswith(layout.separator)


def _require_uncut(trial: trial_parse.Trial, gap: Gap, source: Source) -> None:
    new = trial.text[slice(*trial.region)]
    statement = trial_parse.find_split_statement(
        source, Span(gap.start, gap.end), (Splice(gap.start, gap.end, new),), trial.syntax
    )
    if statement is None:
        return
    bound = [
        s for s in source.outline.walk() if statement.start_byte <= s.start and s.end <= statement.end_byte
    ]
    names = [s.name for s in bound if s.parent not in bound]
    raise GateRefused(
        "syntax_error",
        f"the code would split the statement that binds {', '.join(names)}",
        f"insert it after {names[-1]}, where the statement ends, or write it like the parts of the statement"
        if names
        else "insert it before or after the whole statement",
        definitions=names,
    )


def _require_unjoined(
    trial: trial_parse.Trial, anchors: Iterable[tree_sitter.Node], gap: Gap, source: Source
) -> None:
    new = trial.text[slice(*trial.region)]
    if trial.is_guess or trial.holds_only(trial.outline.nodes("decorator")):
        return  # a decorator becomes part of the definition below it
    if not trial_parse.are_nodes_kept(source, anchors, (Splice(gap.start, gap.end, new),), trial.syntax):
        raise GateRefused(
            "syntax_error",
            "the code and the code next to it would become one statement",
            "begin and end the code as the neighbouring code does",
        )


def _place_code(op: Insert, target: Symbol, layout: Layout) -> tuple[Gap, bytes]:
    gap = insertion_layout.find_gap(op.position, target, layout)
    text, after = layout.text(gap.after)
    code = insertion_layout.fit_code(text, layout.source, gap.indent)
    if insertion_layout.is_pinned(code, layout.source):
        start = (
            gap.start if gap.before else insertion_layout.find_pinned_start(gap.start, code, layout.source)
        )
        gap = msgspec.structs.replace(gap, before=gap.before.rstrip(b" \t"), start=start)
    return gap, gap.before + code + after


def _sort_of_code(trial: trial_parse.Trial, layout: Layout) -> str:
    if trial.holds_only(trial.outline.nodes("decorator")):
        return block_members.LEAD
    if trial.holds_only([node for node in trial.statements() if is_import(node)]):
        return block_members.IMPORT
    return block_members.LINE if layout.single and _is_statement(trial) else block_members.BLOCK


def _is_statement(trial: trial_parse.Trial) -> bool:
    return not any(s.kind in FUNCTIONS | TYPES and s.header_end < s.end for s in trial.definitions())


def _require_read_as_code(trial: trial_parse.Trial, spelling: bytes, source: Source) -> None:
    """Raise ``syntax_error`` if code at this end of the file would be page text (below ``?>``)."""
    alone = _parse_alone(spelling, source)
    if source.rules.prologue and [n.type for n in trial.statements()] != [n.type for n in alone.statements()]:
        raise GateRefused(
            "syntax_error",
            f"{source.path} has plain text at this end, so the code would become part of that text",
            "insert it before or after a symbol, or at the other end",
        )


def _parse_alone(spelling: bytes, source: Source) -> trial_parse.Trial:
    prologue = source.rules.prologue
    trial = trial_parse.parse_trial(source, 0, len(source.text), prologue + spelling)
    return msgspec.structs.replace(trial, region=Span(len(prologue), trial.region.end))


def _enclosing_top(new_symbols: list[Symbol], source: Source) -> Symbol | None:
    """Return the definition that contains the top level of the file, such as a namespace, or None.

    Raises ``kind_mismatch`` if the code cannot be part of it, such as a key below a table.
    """
    scope = next((new.parent for new in new_symbols if new.parent is not None), None)
    if scope is None or scope.body_node is None:
        return next((s for s in source.outline.symbols if scope and s.path == scope.path), None)
    raise DoesNotFit(
        "kind_mismatch",
        f"at this end of {source.path} the code would become part of {scope.qualname}",
        "insert it at the other end, or before or after a top-level symbol",
    )


def _require_no_duplicates(new_symbols: list[Symbol], scope: Symbol | None, source: Source) -> None:
    siblings = source.outline.symbols if scope is None else scope.children
    for new in new_symbols:
        for old in siblings:
            alike = source.rules.alike
            if alike(old.segments) == alike(new.segments) and not (old.shared or new.shared):
                line = old.node.start_point.row + 1
                raise DoesNotFit(
                    "duplicate_symbol",
                    f"{new.name} is already defined in this scope (line {line})",
                    f"use `replace` to change {old.qualname}, or choose another name",
                    symbol=old.qualname,
                    line=line,
                )
