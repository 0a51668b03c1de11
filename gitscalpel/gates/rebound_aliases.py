"""Aliases of YAML that an edit leaves as they are, and that mean another anchor afterwards.

An anchor may be defined again, and an alias means the last one above it in its document. So an edit that
takes one away, or renames it, changes the value of aliases below: the file still loads, with other data.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

from gitscalpel.changesets.answers import Finding
from gitscalpel.edit.source import Source
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import REBOUND, UNANCHORED
from gitscalpel.text.line_diff import Range, diff_lines


class _Alias(NamedTuple):
    """An alias.

    Attributes:
        line: from 0.
        column: in bytes, from 0.
        name: without the asterisk.
        anchor_line: the line of the anchor that the alias means; None if there is no such anchor.
    """

    line: int
    column: int
    name: bytes
    anchor_line: int | None


def find_rebound(before: Source | None, after: Source) -> tuple[Finding, ...]:
    """Return the aliases in lines that stay whose anchor is another one now, or is gone.

    Without a second anchor of a name, the faults of the grammar say all of that.
    """
    language = after.language
    if before is None or language is None or not language.has_anchors or before.syntax is None:
        return ()
    old = list(_aliases(before.syntax))
    if not old or after.syntax is None or not _is_ambiguous(before.syntax):
        return ()
    found = diff_lines(BytesIO(before.text).readlines(), BytesIO(after.text).readlines())
    new = {(each.line, each.column): each for each in _aliases(after.syntax)}
    rows = []
    for each in old:
        line, is_kept = _follow(found, each.line)
        now = new.get((line, each.column)) if is_kept else None
        if now is None or each.anchor_line is None:
            continue
        name = each.name.decode("utf-8", "replace")
        words = ""
        if now.anchor_line is None:
            words = f"{UNANCHORED} *{name} has no anchor &{name} above it"
        elif _follow(found, each.anchor_line) != _place(found, now.anchor_line):
            words = f"{UNANCHORED} *{name} {REBOUND} &{name}, line {now.anchor_line + 1}"
        if words:
            rows.append(Finding(after.path, line + 1, each.column + 1, words))
    return tuple(rows)


def _is_ambiguous(syntax: Syntax) -> bool:
    """Return True if an anchor is defined more than once."""
    names = [syntax.text[each.start_byte : each.end_byte] for each in syntax.found("(anchor) @found")]
    return len(set(names)) < len(names)


def _aliases(syntax: Syntax) -> Iterator[_Alias]:
    """Yield each alias with the last anchor of its name above it in its document."""
    starts = [document.start_byte for document in syntax.of_type("document")]
    known: dict[tuple[int, bytes], int] = {}
    for mark in syntax.found("[(anchor) (alias)] @found"):
        key = bisect_right(starts, mark.start_byte), syntax.text[mark.start_byte + 1 : mark.end_byte]
        line, column = mark.start_point
        if mark.type == "anchor":
            known[key] = line
        else:
            yield _Alias(line, column, key[1], known.get(key))


def _follow(found: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return the new number of an old line and True, or the index of the change that holds it and False."""
    for index, (start, end, _, new_end) in enumerate(reversed(found)):
        if line >= end:
            return line - end + new_end, True
        if line >= start:
            return len(found) - 1 - index, False
    return line, True


def _place(found: Sequence[Range], line: int) -> tuple[int, bool]:
    """Return a new line as :func:`_follow` names the old line that it was."""
    changed = (index for index, (_, _, start, end) in enumerate(found) if start <= line < end)
    index = next(changed, None)
    return (line, True) if index is None else (index, False)
