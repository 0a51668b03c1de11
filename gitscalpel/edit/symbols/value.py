"""A value alone in the place of a whole pair or list item: ``"4.9.9"`` for ``"version": "4.9.8"``.

Code is taken as a value only where it cannot be the pair, and is the whole value where it stands.
"""

from __future__ import annotations

import re

import tree_sitter

from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code, frame, shape
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import endings
from gitscalpel.text.indent import unit
from gitscalpel.text.splice import Splice

_FLOW = (b"[", b"{")
_BLOCK_SCALAR = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#.*)?\Z")


def replaced(target: Symbol, spelling: bytes, source: Source) -> Edit | None:
    """Return the edit that gives a key or list item another value; None if the code is not a value of it.

    Comments and the anchor stay.
    """
    if not target.named or not _has_value(target, source):
        return None
    is_block = source.rules.blocks == "indent"
    splice = _in_lines(target, spelling, source) if is_block else _inside(target, spelling, source)
    if splice is None:
        return None
    trial = shape.place(source, splice.start, splice.end, splice.new)
    trial = shape.without_known_faults(trial, source)
    if trial.fault or not _is_its_value(trial, target, source):
        return None
    text = endings.fit(splice.new, source.document, splice.start, splice.end)
    note = f"took the code as the value of {target.qualname}"
    placed = Splice(splice.start, splice.end, text)
    return Edit((placed,), (target.outer, target.end), corrections=(note,))


def hinted(error: ScalpelError, target: Symbol, source: Source) -> ScalpelError:
    """A refusal of code for a key, which says that its value is enough."""
    if error.code == "body_only" and target.named and _is_pair(target, source):
        pair = source.text[target.start : target.node.end_byte].split(b"\n")[0].decode("utf-8", "replace")
        return error.but(hint=f"send the pair, such as {pair.strip()}, or its value as the file spells one")
    return error


def _is_pair(target: Symbol, source: Source) -> bool:
    return target.kind == "key" and source.rules.data and source.rules.parses == "strictly"


def _has_value(target: Symbol, source: Source) -> bool:
    is_item = target.kind == "item" and source.rules.blocks == "indent"
    return (_is_pair(target, source) or is_item) and _value(target) is not None


def _value(pair: Symbol) -> tree_sitter.Node | None:
    """Return the node of the value: the last one behind the separator. None where there is no value."""
    parts = [child for child in pair.node.children if "comment" not in child.type]
    named = [part for part in parts if part.is_named]
    has_separator = any(
        not part.is_named and part.start_byte < named[-1].start_byte for part in parts if named
    )
    return named[-1] if has_separator else None


def _inside(target: Symbol, spelling: bytes, source: Source) -> Splice | None:
    """Return the change of a value in a format of brackets."""
    value = _value(target)
    if value is None or value.start_byte != target.header_end:
        return None
    new = spelling.strip().removesuffix(b",") if source.rules.separator == b"," else spelling.strip()
    span = Span(value.start_byte, value.end_byte)
    return Splice(span.start, span.end, code.fit(new, source, frame.margin(target.start, source), span))


def _in_lines(target: Symbol, spelling: bytes, source: Source) -> Splice | None:
    """Return the change of a value in a format of indentation (YAML).

    A block scalar begins behind the key and goes on indented; a list stands below the key; all else fits one
    line. A mapping or list gives way only to another one: a single word in its place is more likely an error.
    """
    value = _value(target)
    if value is None:
        return None
    lines = spelling.strip(b"\n").rstrip().split(b"\n")
    lines = [lines[0].lstrip(), *lines[1:]] if len(lines) == 1 else _dedented(lines)
    text, old = source.text, source.text[value.start_byte : value.end_byte].strip()
    anchor = _anchor(target, lines[0], source)
    column = target.start - (text.rfind(b"\n", 0, target.start) + 1)
    deeper = b" " * column + unit(source.plain)
    is_list = lines[0].startswith(b"- ")
    is_collection = bool(target.children) and old[:1] not in _FLOW
    if is_collection and not is_list and lines[0][:1] not in _FLOW:
        return None
    if _BLOCK_SCALAR.match(lines[0]):
        rest = [deeper + line if line else line for line in _dedented(lines[1:])]
        new = b"\n".join([anchor + lines[0], *rest])
    elif is_list and target.kind == "key":
        new = b"\n".join([anchor.rstrip(), *(deeper + line for line in lines)])
    elif len(lines) == 1:
        new = anchor + lines[0]
    else:
        return None
    return _behind_separator(target, value, new, source)


def _behind_separator(target: Symbol, value: tree_sitter.Node, new: bytes, source: Source) -> Splice | None:
    """Return the change from the separator to the value's end; None where a comment stands between."""
    separators = [node.end_byte for node in target.node.children if not node.is_named]
    start = max(end for end in separators if end <= value.start_byte)
    end = value.start_byte + len(source.text[value.start_byte : value.end_byte].rstrip())
    if b"#" in source.text[start : value.start_byte]:
        return None if b"\n" in new else Splice(value.start_byte, end, new)
    gap = b"" if new.startswith(b"\n") else b" "
    same_line = b"\n" not in source.text[start : value.start_byte]
    if same_line and gap:
        start, gap = value.start_byte, b""
    return Splice(start, end, gap + new)


def _dedented(lines: list[bytes]) -> list[bytes]:
    margins = [len(line) - len(line.lstrip(b" ")) for line in lines if line.strip()]
    least = min(margins, default=0)
    return [line[least:] if line.strip() else b"" for line in lines]


def _anchor(pair: Symbol, value: bytes, source: Source) -> bytes:
    """Return the anchor of the old value, by which aliases name it, where the new one brings none."""
    if not source.rules.has_anchors or value[:1] in (b"&", b"*"):
        return b""
    old = _value(pair)
    anchors = [node for node in old.children if node.type == "anchor"] if old else []
    return b"".join(source.text[node.start_byte : node.end_byte] + b" " for node in anchors)


def _is_its_value(trial: shape.Trial, target: Symbol, source: Source) -> bool:
    """Whether the key is there as before, all of the code is its value, and nothing else has changed."""
    found = [s for s in trial.outline.walk() if s.start == target.start and s.path == target.path]
    value = _value(found[0]) if len(found) == 1 else None
    region = trial.text[trial.region.start : trial.region.end]
    if value is None or trial.text[value.start_byte : value.end_byte].strip() != region.strip():
        return False
    whole = shape.Trial(trial.before, trial.syntax, Span(target.outer, found[0].end), None)
    try:
        shape.require_others(whole, source.outline, Span(target.outer, target.end))
    except ScalpelError:
        return False
    return True
