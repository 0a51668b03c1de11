"""Edits of nodes that the grammar does not have: operators, white space, lines of several statements.

They use byte ranges alone. The file must parse afterwards, with unchanged definitions around.
"""

from __future__ import annotations

from gitscalpel.changesets.operations import Delete, Insert, Replace
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import insertion_layout, trial_parse
from gitscalpel.edit.symbols.delete import only_statement_error
from gitscalpel.errors import GateRefused
from gitscalpel.syntax.libcst_nodes import WHITE
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import line_endings
from gitscalpel.text.indentation import indent_of


def edit_node(op: Insert | Delete | Replace, target: Symbol, source: Source) -> Edit:
    """Insert next to, delete or replace the bytes of a node.

    Raises ``syntax_error``, or ``invalid_position`` for a child of a node without a body.
    """
    if isinstance(op, Delete):
        return _delete_node(op, target, source)
    raw = line_endings.convert_to_lf(op.code.encode("utf-8", "surrogateescape"))
    if isinstance(op, Replace):
        span = Span(target.start, target.end)
        return _check_edit(span, _fit_code(raw, target, source), raw, source)
    if op.position not in ("before", "after"):
        raise insertion_layout.no_body_error(op.position, target)
    return _insert_beside(raw, op.position == "before", target, source)


def _fit_code(raw: bytes, target: Symbol, source: Source) -> bytes:
    """Indent code for its place, with a final line ending if the node has one."""
    ends_line = source.text[target.start : target.end].endswith(b"\n")
    if target.kind in WHITE:
        indent = _own_indent(target, source) if raw.strip() == raw else b""
        return indent + raw + (b"\n" if ends_line and not raw.endswith(b"\n") else b"")
    code = raw.rstrip(b"\n")
    if b"\n" in code:
        code = insertion_layout.fit_code(
            code, source, insertion_layout.margin_at(target.start, source), Span(target.start, target.end)
        )
    return code + b"\n" * ends_line


def _own_indent(target: Symbol, source: Source) -> bytes:
    node_text = source.text[target.start : target.end]
    is_comment = target.kind == "EmptyLine" and bool(node_text.strip())
    return indent_of(node_text) if is_comment else b""


def _insert_beside(raw: bytes, is_before: bool, target: Symbol, source: Source) -> Edit:
    text, lines = source.text, _whole_lines(target, source)
    if lines is None:
        at = target.start if is_before else target.end
        return _check_edit(Span(at, at), raw, raw, source)
    at = lines.start if is_before else lines.end
    indent = text[lines.start : target.start] + _own_indent(target, source)
    new_text = indent + insertion_layout.fit_code(raw.rstrip(b"\n"), source, indent)
    new_text = b"\n" + new_text if not is_before and not text.endswith(b"\n", 0, at) else new_text + b"\n"
    return _check_edit(Span(at, at), new_text, raw, source)


def _delete_node(op: Delete, target: Symbol, source: Source) -> Edit:
    text, lines = source.text, _whole_lines(target, source)
    span = Span(target.start, target.end)
    if lines is not None:
        span = lines
    elif target.kind not in WHITE and not text[text.rfind(b"\n", 0, target.start) + 1 : target.start].strip():
        rest = text[target.end :]  # what follows in the line takes its place, and so its indentation
        span = Span(target.start, target.end + len(rest) - len(rest.lstrip(b" \t")))
    try:
        return _check_edit(span, b"", b"", source)
    except GateRefused:
        fill = (op.fill or "").strip().encode("utf-8", "surrogateescape")
        if lines is None or not source.rules.fill or target.kind in WHITE:
            raise
        if fill:
            return _check_edit(Span(target.start, target.end), fill, fill, source)
        raise only_statement_error(target, source) from None


def _whole_lines(target: Symbol, source: Source) -> Span | None:
    """Return the whole lines of a node, without a final comment, or None if it shares a line."""
    text = source.text
    start = text.rfind(b"\n", 0, target.start) + 1
    if text[start : target.start].strip():
        return None
    if text.endswith(b"\n", 0, target.end) and target.start < target.end:
        return Span(start, target.end)
    feed = text.find(b"\n", target.end)
    rest = text[target.end : len(text) if feed < 0 else feed].rstrip(b"\r")
    if target.kind in WHITE or (
        rest.strip(b" \t;") and not insertion_layout.is_trailing_comment(rest, source)
    ):
        return None
    return Span(start, feed + 1 or len(text))


def _check_edit(span: Span, new: bytes, raw: bytes, source: Source) -> Edit:
    """Return the edit that writes ``new`` at ``span``, or raise if the file does not parse with it."""
    new = line_endings.fit_line_endings(new, source.document, *span)
    trial = trial_parse.clear_known_fault(trial_parse.parse_trial(source, *span, new), source)
    trial_parse.require_no_fault(trial, raw)
    trial_parse.require_definitions_kept(trial, source.outline, span)
    return Edit((line_endings.make_splice(source.document, *span, new),), span)
