"""What must hold of every merge of two versions of a file."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator

from gitscalpel.edit.merge.file_merge import Conflict, merge_by_symbols
from gitscalpel.edit.source import Source
from gitscalpel.syntax.syntax_errors import find_faults
from tests.generator import data, standing
from tests.generator.case import Case, Told, Violation
from tests.generator.doing import LONGEST, do

Lines = Counter[bytes]
_PARTS = b" \t\r\n,;"


def told(case: Case) -> Told:
    """Make both sides, merge them, and judge that."""
    base = case.before.encode()
    sides = [do(case.path, base, ops) for ops in (case.ops, case.theirs)]
    if sides[0].after is None or sides[1].after is None:
        return Told(next(side.code for side in sides if side.after is None), ())
    found = list(_violated(case.path, base, sides[0].after, sides[1].after))
    return Told("accepted" if found and found[0] is None else "conflict", tuple(v for v in found if v))


def _violated(path: str, base: bytes, ours: bytes, theirs: bytes) -> Iterator[Violation | None]:
    """The violations; None before them where it is no conflict."""
    began = time.process_time()
    try:
        merged = merge_by_symbols(path, base, ours, theirs)
        turned = merge_by_symbols(path, base, theirs, ours)
        for other, side in (
            ((base, base, theirs), theirs),
            ((base, ours, base), ours),
            ((base, ours, ours), ours),
        ):
            alone = merge_by_symbols(path, *other)
            if isinstance(alone, bytes) and alone != side:
                yield Violation(
                    "merge", "who changed nothing changes something", _shown(base, ours, theirs, alone)
                )
    except Exception as error:
        yield Violation("exception", f"{type(error).__name__} in a merge", str(error)[:200])
        return
    if time.process_time() - began > 5 * LONGEST:
        yield Violation("slow", "five merges of a small file")
    if isinstance(merged, Conflict) != isinstance(turned, Conflict):
        yield Violation("merge", "a conflict one way round only", _shown(base, ours, theirs, b""))
    if isinstance(merged, Conflict):
        return
    yield None
    shown = _shown(base, ours, theirs, merged)
    if isinstance(turned, bytes) and _words(turned) != _words(merged):
        yield Violation("merge", "other words the other way round", shown + f"turned {turned!r}")
    for words in (*_lines_kept(base, ours, theirs, merged), *_symbols_kept(path, base, ours, theirs, merged)):
        yield Violation("merge", words, shown)
    yield from _parses(path, ours, theirs, merged, shown)


def _shown(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> str:
    return f"base {base!r}\nours {ours!r}\ntheirs {theirs!r}\nmerged {merged!r}\n"


def _lines(text: bytes) -> Lines:
    return Counter(stripped for line in text.split(b"\n") if (stripped := line.strip(_PARTS)))


def _lines_kept(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> Iterator[str]:
    """Each word, and each line that is not woven of two, stands as often as the versions say."""
    for what, split in (("word", _words), ("line", _lines)):
        was, one, other, is_ = (split(text) for text in (base, ours, theirs, merged))
        if is_.keys() - one.keys() - other.keys():
            if what == "word":
                yield "a word that no version has"
            return
        for part in was.keys() | one.keys() | other.keys():
            counts = was[part], one[part], other[part], is_[part]
            often = is_[part] > max(one[part], other[part])
            if not _may(*counts) and (often or what == "word"):  # a line may be woven into another
                yield f"a {what} is {'there too often' if often else 'missing'}"
                return


def _words(text: bytes) -> Lines:
    return Counter(re.findall(rb"\w+|[^\w\s,;]", text))


def _may(was: int, one: int, other: int, is_: int) -> bool:
    """Whether a line may stand so often."""
    if one == was:
        return is_ == other
    if other == was:
        return is_ == one
    low, high = sorted((one, other))
    return min(low, one + other - was) <= is_ <= max(high, one + other - was)


def _symbols_kept(path: str, base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> Iterator[str]:
    was, one, other, is_ = (
        standing.names(standing.outlined(path, text)) for text in (base, ours, theirs, merged)
    )
    for name in was.keys() | one.keys() | other.keys() | is_.keys():
        if not _may(was[name], one[name], other[name], is_[name]):
            yield "a symbol is there too often or missing"
            return


def _parses(path: str, ours: bytes, theirs: bytes, merged: bytes, shown: str) -> Iterator[Violation]:
    syntax = Source.read(path, merged).syntax
    if syntax is not None and find_faults(syntax):
        yield Violation("merge", "it does not parse", shown)
    language = Source.read(path, ours).rules.name
    sides = [data.read(language, side.decode())[0] for side in (ours, theirs)]
    if all(sides) and not data.read(language, merged.decode())[0]:
        yield Violation("merge", "another reader cannot read it", shown)
