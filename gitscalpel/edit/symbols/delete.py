"""Delete a definition with its leading trivia and one adjacent gap, on request only if it is unused.

A safe delete resolves names in languages that support it, and searches the word in others. A word has no
scope and may mean something else, so a safe delete refuses rather than guesses.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Delete, SafeDelete
from gitscalpel.edit.new_syntax_errors import find_new_errors, read_outlines, with_text
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import block_members, insertion_layout, trial_parse
from gitscalpel.edit.symbols.address_resolution import resolve_target
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.errors.messages import arg
from gitscalpel.syntax.addresses import address_of
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text import line_endings
from gitscalpel.text.splice import Splice

if TYPE_CHECKING:
    from gitscalpel.edit.outcome import Lower, OpenSource


def delete(op: Delete, target: Symbol, source: Source, snapshot: Overlay) -> Edit:
    """Remove a definition; the larger of the gaps before and after it remains.

    Raises ``referenced`` if ``safe`` finds uses, or ``syntax_error`` for a block without another statement.
    """
    target = _with_subtables(target, source)
    span = (target.full_start, target.end)
    if op.safe:
        require_unused(target, source, snapshot)
    _require_unshared(target, source)
    is_only = _is_only_statement(target, source)
    if is_only and op.fill is not None:
        fill = line_endings.strip_line_endings(op.fill.strip().encode("utf-8", "surrogateescape"))
        return Edit((Splice(*span, line_endings.fit_line_endings(fill, source.document, *span)),), span)
    emptying = _empty_container(target, source)
    if emptying is not None:
        return Edit((emptying,), span)
    if is_only and source.rules.blocks == "indent" and source.rules.fill:
        raise only_statement_error(target, source)
    removals = insertion_layout.iter_removals(target, partial(_make_removal, target, source), source)
    return Edit(_choose_harmless(target, list(removals), source), span)


def only_statement_error(target: Symbol, source: Source) -> GateRefused:
    return GateRefused(
        "syntax_error",
        f"{target.qualname} is the only statement of its block",
        f"give {arg('fill', source.rules.fill)}, or delete the definition around it",
        retry={"fill": source.rules.fill},
    )


def _with_subtables(target: Symbol, source: Source) -> Symbol:
    """Return an item extended by its subtables directly below, which only their names assign to it.

    Raises ``extra_definitions`` if others are between them.
    """
    if not target.named:
        return _with_trailing_comment(target, source)
    if target.index is None or target.defines:
        return target
    siblings = source.outline.symbols if target.parent is None else target.parent.children
    following = siblings[siblings.index(target) + 1 :]
    next_index = next((n for n, s in enumerate(following) if s.segments == target.segments), len(following))
    stem = target.segments[:-1]
    is_own = [len(s.segments) > len(stem) and s.segments[: len(stem)] == stem for s in following[:next_index]]
    own_count = is_own.index(False) if False in is_own else len(is_own)
    if not own_count and True not in is_own:
        return target
    if True in is_own[own_count:]:
        stray = following[is_own.index(True, own_count)].qualname
        raise DoesNotFit(
            "extra_definitions",
            f"{stray} is part of {target.qualname} but not directly below it",
            f"delete {stray} first, in the same changeset",
            definitions=[stray],
        )
    return msgspec.structs.replace(target, end=following[own_count - 1].end)


def _with_trailing_comment(target: Symbol, source: Source) -> Symbol:
    text = source.text
    line_start, line_end = text.rfind(b"\n", 0, target.start) + 1, text.find(b"\n", target.end)
    rest = text[target.end : len(text) if line_end < 0 else line_end].rstrip(b"\r")
    if text[line_start : target.start].strip() or not insertion_layout.is_trailing_comment(rest, source):
        return target
    return msgspec.structs.replace(target, end=target.end + len(rest))


def _require_unshared(target: Symbol, source: Source) -> None:
    others = sorted(name[-1] for name in source.outline.bound_with(target) - {target.segments})
    if others:
        raise DoesNotFit(
            "extra_definitions",
            f"the statement that defines {target.name} also defines {', '.join(others)}",
            "use a `lines` or `text` operation to replace it with a statement that defines only the others",
            definitions=others,
        )


def _is_only_statement(target: Symbol, source: Source) -> bool:
    block = target.node.parent
    if block is None or block.parent is None:
        return False
    return not any(
        child.start_byte >= target.end or child.start_byte < target.full_start
        for child in block.named_children
        if not block_members.is_comment(child, source)
    )


def _empty_container(target: Symbol, source: Source) -> Splice | None:
    """Return the splice that empties the brackets or tags of data with no other item, or None."""
    container = target.parent.body_node if target.parent else None
    span = (
        block_members.find_bracketed_span(container, source)
        if container is not None and not target.defines
        else None
    )
    if span is None:
        return None
    rest = source.text[span.start : target.full_start] + source.text[target.end : span.end]
    return Splice(*span, b"") if not rest.strip(b" \t\r\n,;") else None


def _choose_harmless(
    target: Symbol, removals: list[tuple[Splice, ...]], source: Source
) -> tuple[Splice, ...]:
    """Return the first way of removal that keeps the code around; if none parses, the first.

    Raises ``syntax_error`` if the rest would parse with another meaning.
    """
    deleted = {id(symbol) for symbol in target.walk()}
    neighbours = list(trial_parse.iter_around(source, Span(target.full_start, target.end)))
    harm = ""
    for removal in removals:
        after = source.after(removal)
        if find_new_errors(source, with_text(source, after.text)).faults:
            continue
        old_outline, new_outline = read_outlines(source.outline.syntax, after)
        members = [s for s in old_outline.walk() if target.full_start <= s.start and s.end <= target.end]
        if _list_remaining(new_outline, set()) != _list_remaining(
            old_outline, deleted.union(map(id, members))
        ):
            harm = harm or "the definitions around it would change"
        elif not trial_parse.are_nodes_kept(source, neighbours, removal, after):
            harm = "the code above and the code below it would run together"
        else:
            return removal
    if harm:
        raise GateRefused(
            "syntax_error",
            f"without {target.qualname} {harm}",
            "end the statement above it first, or replace all of the code around it with a lines or "
            "text operation",
        )
    return removals[0]


def _list_remaining(symbols: Outline, gone: set[int]) -> list[tuple[tuple[str, ...], str, int]]:
    remaining = [s for s in symbols.walk() if id(s) not in gone]
    index_by_id = {id(symbol): index for index, symbol in enumerate(remaining)}
    return [(s.segments, s.kind, index_by_id.get(id(s.parent), -1)) for s in remaining]


def _make_removal(target: Symbol, source: Source, start: int) -> Splice:
    text, end = source.text, target.end
    line_start = text.rfind(b"\n", 0, start) + 1
    line_end = text.find(b"\n", end)
    line_end = len(text) if line_end < 0 else line_end
    trailing = text[end:line_end].strip()
    has_comment = trailing[:1] == b"," and insertion_layout.is_trailing_comment(trailing[1:], source)
    if (trailing == b"," or has_comment) and not text[line_start:start].strip():
        end, trailing = line_end, b""
    if block_members.marker_indent(start, source) is not None and not trailing:
        return Splice(start, end + len(text[end:]) - len(text[end:].lstrip()), b"")  # what follows moves up
    if text[line_start:start].strip() or trailing:
        return _remove_within_line(source, Span(start, end), line_start)
    return _remove_lines(target, source, Span(line_start, line_end))


def _remove_lines(target: Symbol, source: Source, lines: Span) -> Splice:
    text = source.text
    has_above = block_members.has_previous(target, source)
    has_below = block_members.has_following(target, source)
    if not has_above and target.parent is not None and target.parent.end <= target.end:
        # All that a block held which nothing closes: what is around it parts its header from the rest.
        has_above, has_below = True, has_below or bool(text[lines.end :].strip())
    blanks_above, start_above = block_members.count_blanks_before(text, lines.start)
    blanks_below, end_below = block_members.count_blanks_after(text, lines.end)
    is_last = lines.end == len(text) and block_members.text_ending_at(lines.start, source) is not None
    if is_last or block_members.kept_blanks(lines.start, source) is not None:
        return Splice(lines.start, end_below, b"")  # what parts it from the text above is that text's
    # Of two equal gaps the one with white space in it is no insert's own, and an insert goes below.
    size_above = blanks_above, len(text[start_above : lines.start].translate(None, b"\r\n"))
    size_below = blanks_below, len(text[lines.end + 1 : end_below].translate(None, b"\r\n"))
    if not has_above or (has_below and size_above > size_below):
        return Splice(lines.start, end_below, b"")
    if not has_below and lines.end == len(text):
        # The last line of a file that does not end with a newline: nor shall the one that becomes last.
        end_of_previous = len(text[:start_above].rstrip(b"\r\n"))
        return Splice(end_of_previous, len(text), b"")
    return Splice(start_above, min(lines.end + 1, len(text)), b"")


def _remove_within_line(source: Source, span: Span, line_start: int) -> Splice:
    """Return the splice for a definition that shares its line, with a separator and adjacent blanks."""
    text, (start, end), separator = source.text, span, source.rules.separator
    if source.rules.inline:
        return Splice(start, end, b"")
    rest, before = text[end:], text[:start].rstrip()
    is_last = rest.lstrip()[:1] in (b";", b")", b"]", b"}")
    if is_last and before.endswith(separator) and not text[start:end].endswith(separator):
        return Splice(len(before) - 1, end, b"")  # the last of several
    if rest[:1] == b",":
        end += 1
        rest = rest[1:]
    if text[line_start:start].strip() and not rest.split(b"\n", 1)[0].strip():
        return Splice(len(text[:start].rstrip(b" \t")), end, b"")
    return Splice(start, end + len(rest) - len(rest.lstrip(b" \t")), b"")


_LISTED = 50
_NAMES = ("identifier", "constant", "name")  # ends of the node types of names


def resolve_safe_delete(
    op: Delete, source: Source, overlay: Overlay, read: OpenSource, lower: Lower
) -> tuple[Delete, tuple[str, ...]]:
    """Return a safe delete without certain uses as a plain delete, with its uncertain uses.

    In languages without name resolution the operation is returned unchanged. Raises ``referenced``.
    """
    target = resolve_target(op, source, overlay)
    try:
        symbol = address_of(source.outline, target)
        lowered = lower(SafeDelete(path=source.path, symbol=symbol), overlay, read)
    except DoesNotFit as error:
        if error.code not in ("unsupported_language", "symbol_not_found", "symbol_ambiguous"):
            raise
        return op, ()
    return msgspec.structs.replace(op, safe=False), lowered.unchecked


def require_unused(target: Symbol, source: Source, snapshot: Overlay) -> None:
    """Raise ``referenced`` if the name of a definition still occurs in code elsewhere."""
    uses = _find_uses(target.name, source, Span(target.full_start, target.end))
    for path in snapshot.mentions(target.name):
        if path != source.path:
            other_source = Source.read(path, snapshot.content(path) or b"")
            uses += _find_uses(target.name, other_source, Span(0, 0))
    if uses:
        raise references_error(target.qualname, uses, "; uses are found by name")


def references_error(name: str, uses: list[dict[str, Any]], how: str = "") -> DoesNotFit:
    lines = [*dict.fromkeys(f"{use['path']}:{use['line']}" for use in uses)]
    places = ", ".join(lines[:5]) + (f" and {len(lines) - 5} more" if len(lines) > 5 else "")
    return DoesNotFit(
        "referenced",
        f"{name} is still used: {places}",
        f"change these first, or delete without {arg('safe')}{how}",
        references=uses[:_LISTED],
        total=len(uses),
    )


def _find_uses(name: str, source: Source, excluded: Span) -> list[dict[str, Any]]:
    word = name.encode("utf-8", "surrogateescape")
    text = source.text
    if word not in text or source.syntax is None:
        return []
    lines = text.split(b"\n")
    rows = []
    for match in re.finditer(re.escape(word), text):
        node = source.syntax.root.descendant_for_byte_range(*match.span())
        outside = not excluded.start <= match.start() < excluded.end
        if outside and node is not None and node.type.endswith(_NAMES) and node.text == word:
            row = node.start_point.row
            line_text = lines[row].decode("utf-8", "replace").strip()
            rows.append({"path": source.path, "line": row + 1, "text": line_text})
    return rows
