"""Syntax errors that an edit adds to a file, for edits, merges and the syntax gate alike.

The syntax errors of a file that did not parse before must not get worse. The number of errors cannot show
that, since a parser that has lost its way reports a missing bracket or a whole page as one error. So the
tokens inside an error that belong to no node below it are counted, line by line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span
from gitscalpel.syntax.syntax_errors import SyntaxFault, find_faults
from gitscalpel.text.line_diff import diff_lines

if TYPE_CHECKING:
    from gitscalpel.edit.error_attribution import Attribution, OverlayMacros


class NewSyntaxErrors(msgspec.Struct, frozen=True):
    """Syntax errors that a file did not have before, in document order, and their cause."""

    found: tuple[SyntaxFault, ...] = ()
    attribution: Attribution | None = None

    @property
    def faults(self) -> tuple[SyntaxFault, ...]:
        """The errors that are caused by the text itself, not by a gap of its grammar."""
        return self.found if self.attribution is not None and self.attribution.is_broken else ()


NONE = NewSyntaxErrors()


def find_new_errors(
    old: Source | None, new: Source, macros: Callable[[], OverlayMacros] | None = None
) -> NewSyntaxErrors:
    """Compare the syntax errors of a file with those of its old version, if there is one.

    ``macros`` returns the macros of all files; None to find them in the files around ``new``.
    """
    if new.language is None or not has_syntax_errors(new):
        return NONE
    before = old.readings if old is not None else ()
    pairs = zip_longest(before[: len(new.readings)], new.readings)
    errors = (each for syntaxes in pairs if find_faults(syntaxes[1]) for each in _iter_new_errors(*syntaxes))
    faults = tuple(dict.fromkeys(errors))
    if not faults:
        return NONE
    has_parsed = old is not None and not has_syntax_errors(old)
    return NewSyntaxErrors(
        faults, _attribute(new, macros, old.text if old is not None and has_parsed else None)
    )


def has_syntax_errors(source: Source) -> bool:
    return any(find_faults(syntax) for syntax in source.readings)


def is_source_sound(source: Source) -> bool:
    """Return True if the file parses or only its grammar is to blame; False for a template."""
    if not has_syntax_errors(source):
        return True
    cause = _attribute(source, None, None)
    return cause.is_judged and not cause.is_broken


def with_text(source: Source, text: bytes) -> Source:
    return msgspec.structs.replace(source, document=source.document.with_text(text))


def read_outlines(*syntaxes: Syntax) -> list[Outline]:
    """Return outlines to compare: all in older syntax if a grammar does not know one of the texts."""
    if any(syntax.root.has_error for syntax in syntaxes):
        return [each.compute_once(_read_outline_in_older_syntax) for each in syntaxes]
    return [outline_of(each) for each in syntaxes]


def _read_outline_in_older_syntax(syntax: Syntax) -> Outline:
    return outline_of(Syntax(syntax.language, syntax.text, takes_newer=True))


def _attribute(
    source: Source, macros: Callable[[], OverlayMacros] | None, parsed: bytes | None
) -> Attribution:
    # Few texts need it, and its tables take longer to load than an edit does.
    from gitscalpel.edit.error_attribution import OverlayMacros, attribute_errors

    return attribute_errors(source, macros() if macros else OverlayMacros(source.files), parsed)


def _iter_new_errors(old: Syntax | None, new: Syntax) -> Iterator[SyntaxFault]:
    if old is not None and not is_worse(old, new):
        return
    known = {fault.message for fault in find_faults(old)} if old is not None else set()
    yield from [fault for fault in find_faults(new) if fault.message not in known] or find_faults(new)


_Lost = Mapping[int, Sequence[bytes]]
_WORD = re.compile(rb"\w+|[^\w\s]")


def is_worse(old: Syntax, new: Syntax) -> bool:
    """Return True if ``new`` has more errors than ``old``, or errors that cover more text.

    A replacement of lines none of which parsed is not compared, since worse cannot be determined. In a
    replacement of other lines, at least half of the text that does not parse must be text that did not parse
    before.
    """
    if len(find_faults(new)) > len(find_faults(old)):
        return True
    before, after = _find_lost_words(old), _find_lost_words(new)
    lines = [syntax.text.split(b"\n") for syntax in (old, new)]
    excess, old_end, new_end = 0, 0, 0
    for a, b, c, d in [*diff_lines(*lines), (len(lines[0]),) * 2 + (len(lines[1]),) * 2]:
        excess += (
            _count_words(after, new_end, c).total() - _count_words(before, old_end, a).total()
        )  # what is as it was
        if not _is_lost(before, lines[0], a, b):
            old_words, new_words = _count_words(before, a, b), _count_words(after, c, d)
            excess += new_words.total() - old_words.total()
            if 2 * (new_words & old_words).total() < new_words.total():
                return True
        old_end, new_end = b, d
    return excess > 0


def _is_lost(lost: _Lost, lines: Sequence[bytes], start: int, end: int) -> bool:
    """Return True if nothing in these lines parsed; for an empty range, in the lines around it."""
    rows = range(start, end) if end > start else range(start - 1, start + 1)
    return all(lost.get(row) or not 0 <= row < len(lines) or not lines[row].strip() for row in rows)


def _count_words(lost: _Lost, start: int, end: int) -> Counter[bytes]:
    return Counter(word for row in range(start, end) for word in lost.get(row, ()))


def _find_lost_words(syntax: Syntax) -> _Lost:
    words: defaultdict[int, list[bytes]] = defaultdict(list)
    at = row = 0
    for start, end in sorted(_iter_loose_spans(syntax.root)):
        for word in _WORD.finditer(syntax.text, start, end):
            row += syntax.text.count(b"\n", at, word.start())
            at = word.start()
            words[row].append(word.group())
    return words


def _iter_loose_spans(root: tree_sitter.Node) -> Iterator[Span]:
    """Yield the stretches of errors that belong to no node below them."""
    pending = [root] if root.has_error else []
    while pending:
        node = pending.pop()
        at = node.start_byte
        for child in node.children:
            if child.has_error:
                pending.append(child)
            if node.is_error and (child.child_count or child.is_error):
                yield Span(at, child.start_byte)
                at = child.end_byte
        if node.is_error:
            yield Span(at, node.end_byte)
