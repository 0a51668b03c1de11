"""A closing bracket at the end of new code that stands right behind the replaced text already.

Language models end a replacement with one bracket too many. Brackets repeat by nature, so that one is dropped
only where the file does not parse with it, and parses without it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitscalpel.edit.new_faults import find_new_faults, with_text
from gitscalpel.edit.source import Source
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.text.splice import Splice

DROPPED = "dropped a last line that repeats the bracket right behind: the file parses without it alone"
_LONE = re.compile(rb"[ \t]*[)\]}]+[;,]?[ \t]*\Z")


def drop(code: Sequence[bytes], following: bytes | None) -> list[bytes] | None:
    """Return lines without a last one that is a closing bracket and repeats ``following``.

    Returns:
        None where the last line is something else, or nothing would be left.
    """
    kept = list(code)
    while kept and not kept[-1].strip():
        kept.pop()
    if len(kept) < 2 or following is None or not _LONE.match(kept[-1]):
        return None
    last, own = following.strip().rstrip(b";,"), kept[-1].strip().rstrip(b";,")
    return kept[:-1] if own == last else None


def next_line(text: bytes, at: int) -> bytes | None:
    """Return the first line that is not blank from ``at`` on, which may be within a line; None if none is."""
    rest = text[at:].lstrip()
    return rest.split(b"\n", 1)[0] if rest else None


def is_needed(source: Source, with_bracket: Splice, without: Splice) -> bool:
    """Return True if the file breaks with the bracket and not without it."""
    if source.language is None or source.syntax is None:
        return False
    both = [source.after((made,)) for made in (with_bracket, without)]
    if len(faults(both[0])) <= len(faults(source.syntax)):
        return False
    with_it, without_it = (find_new_faults(source, with_text(source, each.text)).faults for each in both)
    return bool(with_it) and not without_it
