"""Faults that an edit brings into a file, and whether the text or its grammar is to blame.

Edits, merges and the syntax gate ask the same question here, so that none of them refuses a text that
another one takes. A file that parses costs no more than its parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.edit.source import Source
from gitscalpel.syntax.outline import Outline, outline
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import SyntaxFault, faults

if TYPE_CHECKING:
    from gitscalpel.edit.faults.attribution import Attribution, Macros


class NewFaults(msgspec.Struct, frozen=True):
    """Faults of the grammar that a file did not have before.

    Attributes:
        found: the faults, in document order.
        attribution: their cause; None if there are none.
    """

    found: tuple[SyntaxFault, ...] = ()
    attribution: Attribution | None = None

    @property
    def faults(self) -> tuple[SyntaxFault, ...]:
        """The faults for which the text is to blame."""
        return self.found if self.attribution is not None and self.attribution.is_broken else ()


NONE = NewFaults()


def find_new_faults(old: Source | None, new: Source, macros: Callable[[], Macros] | None = None) -> NewFaults:
    """Compare the faults of a file with those that it had.

    Args:
        old: the file before; None if it is new.
        new: the file as it is to be.
        macros: returns the macros of all files; None looks for them in the files around ``new``.
    """
    if new.language is None or not has_faults(new):
        return NONE
    before = old.readings if old is not None else ()
    pairs = zip_longest(before[: len(new.readings)], new.readings)
    found = tuple(dict.fromkeys(fault for was, now in pairs if faults(now) for fault in _find(was, now)))
    if not found:
        return NONE
    has_parsed = old is not None and not has_faults(old)
    return NewFaults(found, _attribution(new, macros, old.text if old is not None and has_parsed else None))


def has_faults(source: Source) -> bool:
    """Return True if the grammar has something against a reading of a file."""
    return any(faults(syntax) for syntax in source.readings)


def is_sound(source: Source) -> bool:
    """Return True if a file parses, or its grammar alone is to blame; a template is not known to be sound."""
    if not has_faults(source):
        return True
    cause = _attribution(source, None, None)
    return cause.is_judged and not cause.is_broken


def with_text(source: Source, text: bytes) -> Source:
    """Return a file with another text, to be compared with what it is."""
    return msgspec.structs.replace(source, document=source.document.with_text(text))


def read_outlines(*syntaxes: Syntax) -> list[Outline]:
    """Return outlines that can be compared: of all texts in older syntax if a grammar does not know one."""
    if any(syntax.root.has_error for syntax in syntaxes):
        return [outline(Syntax(each.language, each.text, takes_newer=True)) for each in syntaxes]
    return [outline(each) for each in syntaxes]


def _attribution(source: Source, macros: Callable[[], Macros] | None, parsed: bytes | None) -> Attribution:
    from gitscalpel.edit.faults.attribution import Macros, attribute  # nearly nothing has a fault

    return attribute(source, macros() if macros else Macros(source.files), parsed)


def _find(old: Syntax | None, new: Syntax) -> Iterator[SyntaxFault]:
    from gitscalpel.edit.faults.worse import is_worse  # nearly nothing has a fault

    if old is not None and not is_worse(old, new):
        return
    known = {fault.message for fault in faults(old)} if old is not None else set()
    yield from [fault for fault in faults(new) if fault.message not in known] or faults(new)
