"""Callers' regular expressions, run in a process with a time limit.

Python's ``re`` takes no bound, and no other thread runs while it looks. An engine that takes one reads some
patterns otherwise (for ``regex``, ``{i}`` forgives differences), or knows less. So it is ``re``, and what is
bounded is a process: by the time for which it computes, so that on a busy machine no more is refused.
"""

from __future__ import annotations

import re
import warnings
from typing import AnyStr, Generic

from gitscalpel.system.regex_worker import pool

MOST = 3_000
"""Characters of a pattern: to compile it is not bounded, and may take a thousandth of a second for each."""
Spans = tuple[tuple[int, int], ...]
"""Where a match stands, and each of its groups, by offset; of one that took no part (-1, -1)."""


class Sent(Generic[AnyStr]):
    """A pattern that a caller has sent; no warning of Python's about it is shown.

    Args:
        pattern: as ``re`` reads it.
        flags: of ``re``.

    Raises:
        re.error: it is none that Python can compile, or longer than :data:`MOST`.
    """

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        if len(pattern) > MOST:
            raise re.error(f"it has {len(pattern):,} characters, and {MOST:,} are the most")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compiled = re.compile(pattern, flags)
            except (OverflowError, RecursionError, ValueError) as error:
                raise re.error(str(error)) from None
        self.names = dict(compiled.groupindex)
        self.groups = compiled.groups
        self._asked: tuple[AnyStr, int] = (pattern, int(flags))

    def matches(self, text: AnyStr) -> list[Spans]:
        """What ``finditer`` finds in a text.

        Raises:
            DoesNotFit: ``too_slow``.
            InputOutput: ``io_error``: the process that looks for it cannot start, or was ended.
        """
        found: list[Spans] = pool.answer(self._asked, text)
        return found

    def restart(self, text: AnyStr, matches: list[tuple[int, int]]) -> tuple[int, int] | None:
        """The number of the first of a text's matches inside of which it matches again, and where; or None.

        The places right behind a match's start at which it matches as well do not count: they are the same
        beginning, interrupted. All are asked about at once, as the text goes along with each question.

        Raises:
            DoesNotFit, InputOutput: as for :meth:`matches`.
        """
        found: tuple[int, int] | None = pool.answer(self._asked, text, matches)
        return found
