"""Errors for incomplete code: the line that does not parse, and the parts that the code lacks.

A line number refers to the file with the code in it, including the parts of the lead that stay above
the code, although those are only certain once the code parses.
"""

from __future__ import annotations

import re

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols.trial_parse import Trial
from gitscalpel.edit.symbols.trivia_merge import TriviaPolicy
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.syntax.syntax_errors import ANCHOR_HINT, UNANCHORED, SyntaxFault, faults
from gitscalpel.syntax.validators import Refusal, validate


def require_sound(trial: Trial, code: bytes, hint: str | None = None, above: int = 0) -> None:
    """Refuse code that breaks the file; the error says where in the code.

    Args:
        trial: the file with the code in it.
        code: as the caller sent it.
        hint: what else to do than to complete it.
        above: how many lines will stand above the code that do not in the trial.

    Raises:
        GateRefused: ``syntax_error``.
    """
    fault: SyntaxFault | Refusal | None = trial.fault
    if fault is None:
        return
    begun, height = trial.text.count(b"\n", 0, trial.region.start), code.count(b"\n") + 1
    told = validate(trial.syntax, trial.text)
    if isinstance(told, Refusal) and begun < told.line <= begun + height:
        fault = told  # a parser tells where it gave up, often far above, and not what is wrong
    words = fault.message
    if words.startswith(UNANCHORED):
        hint = ANCHOR_HINT
        said = (each.message for each in faults(trial.syntax) if each.message.startswith(UNANCHORED))
        words = "; ".join(dict.fromkeys([words, *said]))
    line = fault.line - begun
    where = f"line {line} of code" if 0 < line <= height else f"line {fault.line + above}"
    raise GateRefused(
        "syntax_error",
        f"the file would not parse: {where}, column {fault.column}: {words}",
        hint or "correct the code; it must be complete, with its closing brackets and its body",
        line=fault.line + above,
        column=fault.column,
    )


def require_definition(
    trial: Trial, target: Symbol, code: bytes, source: Source, policy: TriviaPolicy = "auto"
) -> None:
    """Refuse code in which no definition begins, or which does not parse.

    Raises:
        DoesNotFit: ``body_only``.
        GateRefused: ``syntax_error``.
    """
    if trial.is_guess and not trial.definitions():
        raise DoesNotFit(
            "body_only",
            f"the grammar cannot read the code, so nothing shows that it defines {target.qualname}",
            f"replace the lines of {target.qualname} with a lines operation",
        )
    if not trial.definitions() and not (trial.fault and begins_definition(code, target, source)):
        raise DoesNotFit(
            "body_only",
            f"the code holds no definition, so {target.qualname} would vanish",
            f"send the whole definition: the line {_first_line(target, source)!r} and its body",
        )
    require_parsed(trial, target, code, source, policy)


def require_parsed(
    trial: Trial, target: Symbol, code: bytes, source: Source, policy: TriviaPolicy = "auto"
) -> None:
    """Refuse code for ``target`` that breaks the file, and say what of the old header it lacks.

    Raises:
        GateRefused: ``syntax_error``.
    """
    if trial.fault:
        require_sound(trial, code, _lacking(target, code, source), _above(target, code, source, policy))


def begins_definition(code: bytes, target: Symbol, source: Source) -> bool:
    """Whether broken code at least begins as a definition of this name or with this keyword does."""
    first = _opening(code, source)[1].split(b"\n")[0]
    header = source.text[target.start : target.header_end].split()
    return target.name.encode("utf-8", "surrogateescape") in first or bool(
        header and first.split()[:1] == header[:1]
    )


def _first_line(target: Symbol, source: Source) -> str:
    line = source.text[target.start : target.end].split(b"\n")[0]
    return line.decode("utf-8", "replace").strip()


def _lacking(target: Symbol, code: bytes, source: Source) -> str | None:
    """What to do about modifiers and other words before the old name that the code does not say."""
    name = re.escape(target.name.encode("utf-8", "surrogateescape"))
    named = re.compile(rb"(?<!\w)" + name + rb"(?!\w)")
    header = source.text[target.start : target.header_end]
    for span in reversed(target.mixed):
        header = header[: span.start - target.start] + header[span.end - target.start :]
    said = set(code.split())
    words = [word for word in named.split(header, 1)[0].split() if word not in said]
    if not words or not named.search(code):
        return None
    missing = b" ".join(words).decode("utf-8", "replace")
    return f"the code says the whole header, modifiers included; {missing!r} of the old one is not in it"


def _above(target: Symbol, code: bytes, source: Source, policy: TriviaPolicy) -> int:
    """How many lines of the old lead stay above the code, as far as its own beginning shows that."""
    if policy == "drop":
        return 0
    comments, decorators, _ = target.lead
    parts = {
        "comment": Span(comments.start, decorators.start if decorators else target.start)
        if comments
        else None,
        "decorator": Span(decorators.start, target.start) if decorators else None,
    }
    brought = _opening(code, source)[0] if policy == "auto" else set[str]()
    return sum(
        source.text.count(b"\n", *part) for name, part in parts.items() if part and name not in brought
    )


def _opening(code: bytes, source: Source) -> tuple[set[str], bytes]:
    """Which parts of a lead the code begins with, and what stands behind them."""
    symbols, at = source.alone(code), len(source.rules.prologue)
    text = symbols.syntax.text
    nodes = [(name, node) for name in ("comment", "decorator") for node in symbols.nodes(name)]
    known = {node.start_byte: (name, node.end_byte) for name, node in nodes}
    begun: set[str] = set()
    while (at := len(text) - len(text[at:].lstrip())) in known:
        name, at = known[at]
        begun.add(name)
    return begun, text[at:]
