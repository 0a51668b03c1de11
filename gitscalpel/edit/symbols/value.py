"""A key's value alone, in the place of the whole pair: ``"4.9.9"`` for ``"version": "4.9.8"``.

Only where the code cannot be the pair, and is the whole value where it stands.
"""

from __future__ import annotations

from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, frame, shape
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import endings
from gitscalpel.text.splice import Splice


def replaced(target: Symbol, spelling: bytes, source: Source) -> Edit | None:
    """The key with another value, its comments as they are; None where the code is no value of it."""
    if not _takes_values(target, spelling, source):
        return None
    start, end = _span(target)
    value = spelling.strip().removesuffix(b",") if source.rules.separator == b"," else spelling.strip()
    value = _anchor(target, value, source) + value
    fitted = code.fit(value, source, frame.margin(target.start, source), Span(start, end))
    trial = shape.place(source, start, end, fitted)
    if trial.fault or not _is_its_value(trial, target, source):
        return None
    text = endings.fit(fitted, source.document, start, end)
    note = f"took the code as the value of {target.qualname}"
    return Edit((Splice(start, end, text),), (target.outer, target.end), corrections=(note,))


def hinted(error: ScalpelError, target: Symbol, source: Source) -> ScalpelError:
    """A refusal of code for a key, which says that its value is enough."""
    if error.code == "body_only" and target.named and _is_pair(target, source):
        pair = source.text[target.start : target.node.end_byte].split(b"\n")[0].decode("utf-8", "replace")
        return error.but(hint=f"send the pair, such as {pair.strip()}, or its value as the file spells one")
    return error


def _is_pair(target: Symbol, source: Source) -> bool:
    return target.kind == "key" and source.rules.data and source.rules.parses == "strictly"


def _takes_values(target: Symbol, spelling: bytes, source: Source) -> bool:
    """Whether it is a key of data with a value; in a format of indentation one that fits its line."""
    rules = source.rules
    start, end = _span(target)
    if not target.named or not _is_pair(target, source) or not target.start < start < end:
        return False
    old = source.text[target.start : end]
    return rules.blocks != "indent" or b"\n" not in old + spelling.strip()


def _span(pair: Symbol) -> Span:
    """Where the value stands; empty where there is none."""
    value = next((node for node in pair.node.children if node.start_byte == pair.header_end), None)
    return Span(pair.header_end, value.end_byte if value else pair.header_end)


def _anchor(pair: Symbol, value: bytes, source: Source) -> bytes:
    """Return the anchor of the old value, by which aliases name it, where the new one brings none."""
    if not source.rules.has_anchors or value[:1] in (b"&", b"*"):
        return b""
    old = next((node for node in pair.node.children if node.start_byte == pair.header_end), None)
    anchors = [node for node in old.children if node.type == "anchor"] if old else []
    return b"".join(source.text[node.start_byte : node.end_byte] + b" " for node in anchors)


def _is_its_value(trial: shape.Trial, target: Symbol, source: Source) -> bool:
    """Whether the key is there as before, all of the code is its value, and nothing else has changed."""
    found = [s for s in trial.outline.walk() if s.start == target.start and s.path == target.path]
    if len(found) != 1 or _span(found[0]) != trial.region:
        return False
    whole = shape.Trial(trial.before, trial.syntax, Span(target.outer, found[0].end), None)
    try:
        shape.require_others(whole, source.outline, Span(target.outer, target.end))
    except ScalpelError:
        return False
    return True
