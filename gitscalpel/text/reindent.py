"""New lines as the file would write them, where it writes known lines in its own way.

What a fuzzy match forgave must not end up in the file: lines that did not
change keep their bytes, and new ones get the file's indentation.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from gitscalpel.text.indent import indent, is_blank, measure


def carry(
    old: Sequence[bytes],
    own: Sequence[bytes],
    new: Sequence[bytes],
    file: bytes,
    *,
    uniform: bool = False,
) -> list[bytes] | None:
    """``new`` as the file would write it, where it writes ``own`` for the caller's ``old``.

    Args:
        old: the lines that the caller gave, one for one with ``own``.
        own: the file's lines.
        new: the lines to write, indented as in ``old``.
        file: the whole file, which shows its unit of indentation.
        uniform: one rule must explain the indentation of all lines.

    Returns:
        The lines, or None if ``old`` does not determine an indentation.
    """
    known = [(indent(a), indent(b)) for a, b in zip(old, own, strict=True) if not is_blank(a)]
    rule = measure(known, [indent(line) for line in new if not is_blank(line)], file, uniform=uniform)
    if rule is None and uniform:
        return None
    written: list[bytes] = []
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            written += own[i:i_end]
            continue
        for at in range(j, j_end):
            blanks = None if rule is None else rule(indent(new[at]))
            if at == 0 and not is_blank(old[0]) and indent(old[0]) == indent(new[0]):
                blanks = indent(own[0])  # what stands before old in its line is in no pair
            elif blanks is None:
                blanks = _beside(old, own, (i, i_end), new[at], at - j if i_end - i == j_end - j else None)
            line = _indented(new[at], blanks)
            if line is None:
                return None
            written.append(line)
    return written


def _indented(line: bytes, blanks: bytes | None) -> bytes | None:
    if is_blank(line):
        return line if blanks is None or not line else blanks + line.lstrip(b" \t")
    return None if blanks is None else blanks + line.lstrip(b" \t")


def _beside(
    old: Sequence[bytes], own: Sequence[bytes], block: tuple[int, int], line: bytes, nth: int | None
) -> bytes | None:
    """The indentation of the lines that ``line`` replaces or stands between, if those agree."""
    start, end = block
    if nth is not None and indent(old[start + nth]) == indent(line):
        return indent(own[start + nth])
    if start == end:
        if not 0 < start < len(old):
            return None
        start, end = start - 1, end + 1
    around = {(indent(old[at]), indent(own[at])) for at in range(start, end) if not is_blank(old[at])}
    if len(around) != 1:
        return None
    caller, file = around.pop()
    return file if caller == indent(line) else None
