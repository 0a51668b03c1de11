"""``replace``: a complete new definition for an old one."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, frame, lead, shape
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.operations import Replace
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import endings
from gitscalpel.text.splice import Splice


def replace(op: Replace, target: Symbol, source: Source) -> Edit:
    """Replace a definition, keeping the parts of its lead that the code does not bring.

    Raises:
        DoesNotFit, BadCall, GateRefused: as rules 4 to 6 of editing say; nothing is ever guessed.
    """
    refusals: list[ScalpelError] = []
    for spelling, corrections in code.spellings(op.code):
        try:
            return _replaced(target, spelling, corrections, op.lead, source)
        except ScalpelError as error:
            if op.rename and error.code == "name_mismatch":
                raise _no_rename(target) from None
            refusals.append(error)
            if corrections or error.code not in ("syntax_error", "body_only"):
                break
    raise refusals[0]


def _replaced(
    target: Symbol, spelling: bytes, corrections: tuple[str, ...], policy: lead.Policy, source: Source
) -> Edit:
    indent = frame.margin(target.start, source)  # a comment above may keep to the margin
    after = source.text[target.end :].lstrip()[:1]
    if after in (b",", b";"):
        # What parts it from its sibling stays where it is; grammars let a second one pass.
        spelling = spelling.rstrip().removesuffix(after)
    separator = source.rules.separator
    if source.text[target.start : target.end].rstrip().endswith(separator):
        spelling = spelling.rstrip().removesuffix(separator) + separator
    fitted = code.fit(spelling, source, indent, Span(target.outer, target.end))
    trial = _placed(target, fitted, policy, source)
    if not target.named:
        return _node(target, trial, fitted, corrections, source)
    shape.require_definition(trial, target, spelling, source)
    new = shape.require_match(trial.definitions(), target, source.outline)
    shape.require_others(trial, source.outline, Span(target.outer, target.end))
    joined = lead.join(target, trial, new, policy, indent)
    text = endings.fit(joined.text, source.document, joined.start, target.end)
    return Edit(
        splices=(Splice(joined.start, target.end, text),),
        target=(target.outer, target.end),
        corrections=corrections,
        lead=joined.report,
    )


def _node(
    target: Symbol, trial: shape.Trial, fitted: bytes, corrections: tuple[str, ...], source: Source
) -> Edit:
    """New text for a node that is no definition; it must parse, and take no definition beside it away."""
    if trial.fault:
        raise shape.syntax_error(trial, fitted)
    span = (target.start, target.end)
    shape.require_others(trial, source.outline, Span(*span))
    return Edit((Splice(*span, endings.fit(fitted, source.document, *span)),), span, corrections=corrections)


def _placed(target: Symbol, fitted: bytes, policy: lead.Policy, source: Source) -> shape.Trial:
    """The trial of the code, in the first spelling of its ends with which the file parses."""
    trials = (shape.place(source, target.outer, target.end, one) for one in _ended(target, fitted, source))
    found = next((trial for trial in trials if not trial.fault), None)
    words = target.lead.words
    if found is None and words and policy != "drop":  # it may be nothing without them (``private $x;``)
        spoken = source.text[words.start : words.end] + b" " + fitted
        again = shape.place(source, target.outer, target.end, spoken)
        found = None if again.fault else again
    return found or shape.place(source, target.outer, target.end, fitted)


def _ended(target: Symbol, fitted: bytes, source: Source) -> Iterator[bytes]:
    """The code with the terminator of what it replaces, as it came, and without a comma of its own."""
    after, last = target.node.next_sibling, fitted.rstrip().rpartition(b"\n")[2]
    ended = after is not None and after.type == ";" and after.end_byte <= target.end
    remark = source.rules.line_comment in last
    mark = source.text[after.start_byte :].split(None, 1)[0] if ended and after is not None else b";"
    mark = b";" if mark.startswith(b";") else mark  # what the grammar is shown as one, such as a delimiter
    if ended and not remark and not last.endswith(mark):
        yield fitted.rstrip() + mark
    yield fitted
    if last.endswith(b","):
        yield fitted.rstrip().removesuffix(b",")


def _no_rename(target: Symbol) -> Misconfigured:
    return Misconfigured(
        "unavailable",
        "replace cannot rename yet",
        f"keep the name {target.name}; change the name and its uses with text operations on single lines",
    )
