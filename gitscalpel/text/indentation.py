"""Indentation: the unit of a file, the lines around a line, and new lines reindented.

Models send code dedented, with tabs for spaces, or in steps of another width. The simplest rule that explains
all lines in both texts is taken. Without one there is no result, since a guess would be a silent change.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

LinePair = tuple[bytes, bytes]  # the caller's and the file's indentation of one line
# Maps the caller's indentation to the file's. None where that is not determined.
IndentRule = Callable[[bytes], "bytes | None"]

_INDENT = re.compile(rb"[ \t]*")
_INDENTED = re.compile(rb"^([ \t]*)[^ \t\r\n]", re.MULTILINE)
_TAB_WIDTHS = (2, 3, 4, 8)


def indent_of(line: bytes) -> bytes:
    match = _INDENT.match(line)
    return match.group() if match else b""


def indent_at(text: bytes, at: int) -> bytes:
    """Return the indentation of the line that contains ``at``, up to ``at``."""
    return indent_of(text[text.rfind(b"\n", 0, at) + 1 : at])


def is_blank(line: bytes) -> bool:
    return not line.strip()


def indent_unit(text: bytes) -> bytes:
    """Return one level of indentation: a tab, or the usual step between lines (four blanks if none)."""
    indents = _INDENTED.findall(text)
    if 2 * sum(b"\t" in blanks for blanks in indents) > sum(bool(blanks) for blanks in indents):
        return b"\t"
    widths = [len(blanks) for blanks in indents]
    steps = Counter(b - a for a, b in itertools.pairwise(widths) if 2 <= b - a <= 8)
    return b" " * (max(steps, key=steps.__getitem__) if steps else 4)


def indent_columns(blanks: bytes, tab: int) -> int:
    """Return the width of an indentation with tab stops every ``tab`` columns."""
    return len(blanks.expandtabs(tab))


def find_indent_rule(
    pairs: Sequence[LinePair], new: Sequence[bytes], file: bytes, *, uniform: bool = False
) -> IndentRule | None:
    """Return the simplest rule that explains every pair, or None if there is none.

    ``new`` are the indentations to convert, without blank lines. ``file`` shows the unit of indentation. With
    ``uniform``, all lines must be shifted by the same distance.
    """
    finders = (_find_identity, _find_shift, _find_column_shift)
    for find_rule in (
        (*finders, _find_known_indents)
        if uniform
        else (*finders, _find_cut_start, _find_scale, _find_known_indents)
    ):
        rule = find_rule(pairs, new, file)
        if rule is not None:
            return rule
    return None


def _find_identity(pairs: Sequence[LinePair], _new: Sequence[bytes], _file: bytes) -> IndentRule | None:
    return (lambda blanks: blanks) if all(a == b for a, b in pairs) else None


def _find_shift(pairs: Sequence[LinePair], new: Sequence[bytes], _file: bytes) -> IndentRule | None:
    known_blanks = b"".join(blanks for pair in pairs for blanks in pair)
    if set(b"".join(new)) - set(known_blanks):
        return None  # blanks where the file has tabs, or the reverse: a matter of columns
    deeper = {b[: len(b) - len(a)] for a, b in pairs if b.endswith(a)}
    if len(deeper) == 1 and all(b.endswith(a) for a, b in pairs):
        more = deeper.pop()
        if more and pairs == [(b"", more)] and new[1:] and all(len(b) >= len(more) for b in new[1:]):
            return None  # perhaps begun in mid-line, with the lines below as they are to stand
        return lambda blanks: more + blanks
    shallower = {a[: len(a) - len(b)] for a, b in pairs if a.endswith(b)}
    if len(shallower) == 1 and all(a.endswith(b) for a, b in pairs):
        less = shallower.pop()
        file_indents = {b for _, b in pairs}

        def shift(blanks: bytes) -> bytes | None:
            if blanks.startswith(less):
                return blanks.removeprefix(less)
            return blanks if file_indents == {blanks} else None  # it stands already where the file's lines do

        return shift
    return None


def _find_column_shift(pairs: Sequence[LinePair], new: Sequence[bytes], file: bytes) -> IndentRule | None:
    """Return a rule for tabs on one side and blanks on the other, at a constant distance in columns."""
    level = indent_unit(file)
    tabs = any(b"\t" in b for _, b in pairs) or (level == b"\t" and not any(b for _, b in pairs))
    caller = [*(a for a, _ in pairs), *new]
    widths = [
        w
        for w in _TAB_WIDTHS
        if len(_measure_distances(pairs, w)) == 1 and (tabs or _has_tab_width(caller, w))
    ]
    level_width = _indent_step(caller) if tabs else len(level)
    # A tab is as wide as makes both sides equal, or as one level of the side that has none.
    likely_widths = [w for w in widths if 0 in _measure_distances(pairs, w) or w == level_width]
    rules = [_make_column_rule(w, _measure_distances(pairs, w).pop(), tabs) for w in likely_widths]
    rules = [rule for rule in rules if all(rule(a) == b for a, b in pairs)]

    def convert(blanks: bytes) -> bytes | None:
        answers = {rule(blanks) for rule in rules}
        return answers.pop() if len(answers) == 1 else None

    return convert if rules else None


def _measure_distances(pairs: Iterable[LinePair], tab: int) -> set[int]:
    return {indent_columns(b, tab) - indent_columns(a, tab) for a, b in pairs}


def _has_tab_width(indents: Sequence[bytes], tab: int) -> bool:
    """Return True if tabs of this width were used wherever one fits."""
    return all(len(blanks) - len(blanks.rstrip(b" ")) < tab for blanks in indents)


def _make_column_rule(tab: int, more: int, tabs: bool) -> IndentRule:
    def rule(blanks: bytes) -> bytes | None:
        width = indent_columns(blanks, tab) + more
        if width < 0 or (tabs and more and width % tab):
            return None  # alignment that was moved as well is anybody's guess
        return b"\t" * (width // tab) + b" " * (width % tab) if tabs else b" " * width

    return rule


def _indent_step(indents: Iterable[bytes]) -> int:
    return math.gcd(*(len(blanks) for blanks in indents if b"\t" not in blanks))


def _find_cut_start(pairs: Sequence[LinePair], new: Sequence[bytes], file: bytes) -> IndentRule | None:
    """Return a rule for code whose first line lacks its indentation, and whose other lines have it."""
    begun = len(pairs) > 1 and not pairs[0][0]
    return _find_identity(pairs[1:], new, file) if begun else None


def _find_scale(pairs: Sequence[LinePair], new: Sequence[bytes], file: bytes) -> IndentRule | None:
    """Return a rule for blanks on both sides, with levels of different width."""
    level = indent_unit(file)
    points = {len(a): len(b) for a, b in pairs}
    if b"\t" in b"".join([level, *new, *(blanks for pair in pairs for blanks in pair)]) or len(points) < 2:
        return None
    base = min(points)
    step = math.gcd(*(abs(width - base) for width in (*points, *map(len, new))))
    from fractions import Fraction

    ratio = Fraction(len(level), step)
    if any(points[len(a)] != len(b) or len(b) - points[base] != ratio * (len(a) - base) for a, b in pairs):
        return None

    def rule(blanks: bytes) -> bytes | None:
        width = points[base] + ratio * (len(blanks) - base)
        return b" " * int(width) if width >= 0 and width.denominator == 1 else None

    return rule


def _find_known_indents(pairs: Sequence[LinePair], new: Sequence[bytes], file: bytes) -> IndentRule | None:
    """Return a rule that maps each indentation to that of a known line."""
    known = dict(pairs)
    if any(known[a] != b for a, b in pairs) or not known.keys() >= set(new):
        return None
    return None if _find_cut_start(pairs, new, file) else known.get


_TAB = 8
# Matches a line that continues or ends the block of the line above with the same indentation.
_GOES_ON = re.compile(
    rb"\s*(?:[)\]}]|</|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|when|case|default)\b)"
)


def enclosing_headers(lines: Sequence[bytes], row: int) -> Iterator[bytes]:
    """Yield the lines above ``row`` whose blocks contain it, without indentation, the innermost first.

    They are found by indentation alone, so for any language. A line that ends a block, or starts its next
    part, belongs to the block of the line that started it.
    """
    inner = lines[row]
    for line in reversed(lines[:row]):
        if not line.strip():
            continue
        distance = _measure_depth(inner) - _measure_depth(line)
        if distance > 0 or (distance == 0 and _GOES_ON.match(inner)):
            yield line.strip()
            inner = line


def _measure_depth(line: bytes) -> int:
    return indent_columns(indent_of(line), _TAB)


def reindent(
    old: Sequence[bytes],
    own: Sequence[bytes],
    new: Sequence[bytes],
    file: bytes,
    *,
    uniform: bool = False,
) -> list[bytes] | None:
    """Return ``new`` with the file's indentation, which has ``own`` where the caller has ``old``.

    Unchanged lines keep the bytes of ``own``. ``file`` shows its unit of indentation. With ``uniform``, one
    rule must explain the indentation of all lines.

    Returns:
        The lines, or None if ``old`` does not determine an indentation.
    """
    from difflib import SequenceMatcher

    pairs = [(indent_of(a), indent_of(b)) for a, b in zip(old, own, strict=True) if not is_blank(a)]
    rule = find_indent_rule(
        pairs, [indent_of(line) for line in new if not is_blank(line)], file, uniform=uniform
    )
    if rule is None and uniform:
        return None
    written: list[bytes] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            written += own[i:i_end]
            continue
        for at in range(j, j_end):
            blanks = None if rule is None else rule(indent_of(new[at]))
            if at == 0 and not is_blank(old[0]) and indent_of(old[0]) == indent_of(new[0]):
                blanks = indent_of(own[0])  # what stands before old in its line is in no pair
            elif blanks is None:
                blanks = _find_adjacent_indent(
                    old, own, (i, i_end), new[at], at - j if i_end - i == j_end - j else None
                )
            line = _indent_line(new[at], blanks)
            if line is None:
                return None
            written.append(line)
    return written


def _indent_line(line: bytes, blanks: bytes | None) -> bytes | None:
    if is_blank(line):
        return line if blanks is None or not line else blanks + line.lstrip(b" \t")
    return None if blanks is None else blanks + line.lstrip(b" \t")


def _find_adjacent_indent(
    old: Sequence[bytes], own: Sequence[bytes], block: tuple[int, int], line: bytes, nth: int | None
) -> bytes | None:
    """Return the indentation of the lines that ``line`` replaces or is between, or None if they differ."""
    start, end = block
    if nth is not None and indent_of(old[start + nth]) == indent_of(line):
        return indent_of(own[start + nth])
    if start == end:
        if not 0 < start < len(old):
            return None
        start, end = start - 1, end + 1
    around = {(indent_of(old[at]), indent_of(own[at])) for at in range(start, end) if not is_blank(old[at])}
    if len(around) != 1:
        return None
    caller, file = around.pop()
    return file if caller == indent_of(line) else None
