"""``replace``: a complete new definition for an old one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitscalpel.changesets.operations import Replace
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, frame, lead, seams, shape, whole
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import endings


class Fitted(msgspec.Struct, frozen=True):
    """The code for a definition, as it is to stand in the file.

    Attributes:
        target: what it replaces.
        spelling: as it came.
        code: indented as its place is.
        indent: that of its place.
        policy: what becomes of the lead.
    """

    target: Symbol
    spelling: bytes
    code: bytes
    indent: bytes
    policy: lead.Policy


def replace(op: Replace, target: Symbol, source: Source) -> Edit:
    """Replace a definition, keeping the parts of its lead that the code does not bring.

    Raises:
        DoesNotFit, BadCall, GateRefused: as rules 4 to 6 of editing say; nothing is ever guessed.
    """
    refusals: list[ScalpelError] = []
    for spelling, corrections in _spellings(op, target, source):
        try:
            return _replaced(target, spelling, corrections, op.lead, source)
        except ScalpelError as error:
            refusals.append(error)
            if corrections or error.code not in ("syntax_error", "body_only"):
                break
    from gitscalpel.edit.symbols import value

    valued = value.replaced(target, next(code.spellings(op.code))[0], source)
    if valued is None:
        raise value.hinted(refusals[0], target, source)
    return valued


def _spellings(op: Replace, target: Symbol, source: Source) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Yield the code as it came, then what else may be meant where that does not parse."""
    yield from code.spellings(op.code)
    from gitscalpel.edit import bracket_echo

    raw = next(code.spellings(op.code))[0]
    kept = bracket_echo.drop(raw.split(b"\n"), bracket_echo.next_line(source.text, target.end))
    if kept is not None:
        yield b"\n".join(kept), (bracket_echo.DROPPED,)


def _replaced(
    target: Symbol, spelling: bytes, corrections: tuple[str, ...], policy: lead.Policy, source: Source
) -> Edit:
    fitted = _fitted(target, spelling, policy, source)
    target = fitted.target
    trial = _placed(target, fitted.code, source)
    if not target.named:
        return _node(target, trial, fitted.code, corrections, source)
    new = matched(fitted, trial, source)
    shape.require_others(trial, source.outline, Span(target.outer, target.end))
    return joined(fitted, trial, new, source, corrections)


def fit(op: Replace, target: Symbol, source: Source) -> Fitted:
    """The code of ``op`` as it came, for the place of ``target``."""
    return _fitted(target, next(code.spellings(op.code))[0], op.lead, source)


def _fitted(target: Symbol, spelling: bytes, policy: lead.Policy, source: Source) -> Fitted:
    indent = frame.margin(target.start, source)  # a comment above may keep to the margin
    spelling, target = _parted(spelling, target, source)
    placed = code.fit(spelling, source, indent, Span(target.outer, target.end))
    return Fitted(target, spelling, placed, indent, policy)


def is_ended(fitted: Fitted, source: Source) -> bool:
    """Whether the code has the end that its place wants, without a doubt."""
    return list(_ended(fitted.target, fitted.code, source)) == [(fitted.code, 0)]


def matched(fitted: Fitted, trial: shape.Trial, source: Source) -> Symbol:
    """The definition in the code that takes the place of the old one.

    Raises:
        DoesNotFit, GateRefused: there is none, or another one.
    """
    whole.require_definition(trial, fitted.target, fitted.spelling, source, fitted.policy)
    return shape.require_match(trial.definitions(), fitted.target, source.outline)


def joined(
    fitted: Fitted, trial: shape.Trial, new: Symbol, source: Source, corrections: tuple[str, ...] = ()
) -> Edit:
    """The edit that puts ``new`` in the place of the old definition, with what stays of that one's lead."""
    target = fitted.target
    done = lead.join(target, trial, new, fitted.policy, fitted.indent)
    start = frame.pinned(done.start, done.text, source)
    return Edit(
        splices=(endings.splice(source.document, start, target.end, done.text),),
        target=(target.outer, target.end),
        corrections=corrections,
        lead=done.report,
    )


def _parted(spelling: bytes, target: Symbol, source: Source) -> tuple[bytes, Symbol]:
    """The code with the separator that its place wants, and what it replaces.

    What parts a definition from its sibling stays where it is; grammars let a second one pass. A comment
    at the end of the code goes behind it, instead of the one there.
    """
    separator, rest = source.rules.separator, source.text[target.end :]
    after = rest.lstrip()[:1]
    if after in (b",", b";"):
        body, remark = code.parted(spelling, source)
        body = body.removesuffix(after)
        white, _, behind = rest.split(b"\n", 1)[0].rstrip(b"\r").partition(after)
        if not remark or white.strip() or (behind.strip() and not seams.is_remark(behind, source)):
            return body + remark, target
        end = target.end + len(white + after + behind)
        return body + after + remark, msgspec.structs.replace(target, end=end)
    if source.text[target.start : target.end].rstrip().endswith(separator):
        body, remark = code.parted(spelling, source)
        spelling = body.removesuffix(separator) + separator + remark
    return spelling, target


def _node(
    target: Symbol, trial: shape.Trial, fitted: bytes, corrections: tuple[str, ...], source: Source
) -> Edit:
    """New text for a node that is no definition; it must parse, and take no definition beside it away."""
    whole.require_sound(trial, fitted)
    span = (target.start, target.end)
    shape.require_others(trial, source.outline, Span(*span))
    return Edit((endings.splice(source.document, *span, fitted),), span, corrections=corrections)


def _placed(target: Symbol, fitted: bytes, source: Source) -> shape.Trial:
    """The trial of the code, in the first spelling of its ends with which the file parses."""
    ends = _ended(target, fitted, source)
    trials = ((shape.place(source, target.outer, target.end, one), length) for one, length in ends)
    found = next((trial for trial, length in trials if not trial.fault and _holds(trial, length)), None)
    return found or shape.without_known_faults(shape.place(source, target.outer, target.end, fitted), source)


def _ended(target: Symbol, fitted: bytes, source: Source) -> Iterator[tuple[bytes, int]]:
    """The code with the terminator of what it replaces, as it came, and without a comma of its own.

    With each comes how much of it a definition must hold.
    """
    after, (body, remark) = target.node.next_sibling, code.parted(fitted, source)
    last = body.rpartition(b"\n")[2]
    ended = after is not None and after.type == ";" and after.end_byte <= target.end
    mark = source.text[after.start_byte :].split(None, 1)[0] if ended and after is not None else b";"
    mark = b";" if mark.startswith(b";") else mark  # what the grammar is shown as one, such as a delimiter
    old = source.text[target.start : target.end]
    ends = ended or (b";" in old and code.parted(old, source)[0].endswith(b";"))
    if ends and not last.endswith(mark):
        yield body + mark + remark, 0 if ended else len(body + mark)
    yield fitted, 0
    if last.endswith(b","):
        yield body.removesuffix(b",") + remark, 0


def _holds(trial: shape.Trial, length: int) -> bool:
    """Whether a definition goes on through so much of the code: what ends it is no statement of its own."""
    reach = trial.region.start + length
    return not length or any(symbol.end >= reach for symbol in trial.definitions())
