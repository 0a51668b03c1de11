"""Where every byte of a result comes from, for inserts and deletes; and that an insert can be taken back."""

from __future__ import annotations

import re

from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import Symbol
from tests.generator import standing
from tests.generator.case import Violation
from tests.generator.doing import do
from tests.generator.fixtures import Fixture, begin
from tests.generator.oracles import Found, Judged
from tests.generator.spelling import MARK

_PARTS = b",;|"
"""What may come or go between siblings."""
_REMARK = re.compile(rb"[ \t]*[,;][ \t]*(//|/\*|#|--)[^\n]*")
"""A comment behind the separator behind a definition goes with it."""


def _bare(text: bytes) -> bytes:
    return b"".join(text.split())


def _loose(text: bytes) -> bytes:
    return _bare(text).translate(None, _PARTS)


def inserted(judged: Judged) -> Found:
    """The file is what it was with the code in one place, but for white space and one separator."""
    before, after = judged.before.text, judged.after.text
    code = _bare(judged.op["code"].encode())
    old, new = _bare(before), _bare(after)
    spots = [at for at in range(len(new)) if new.startswith(code[:8], at)]
    for at in spots:
        for own in (code, code.rstrip(_PARTS)):
            rest = new[:at] + new[at + len(own) :]
            if new.startswith(own, at) and len(rest) - len(old) <= 1 and _loose(rest) == _loose(old):
                return
    if _loose(new) == _loose(old + code) or sorted(_loose(new)) == sorted(_loose(old + code)):
        yield Violation("provenance", "an insert stands apart, or something in it", judged.differ(before))
    else:
        yield Violation("provenance", "an insert changed something else", judged.differ(before))


def outside(judged: Judged) -> Found:
    """What stands around a delete is the same to the byte, but for blank lines and a separator."""
    before, after, target = judged.before.text, judged.after.text, judged.target
    assert target is not None
    head, tail = _common(before, after), _common(before[::-1], after[::-1])
    first = len(before[: target.full_start].rstrip(b" \t\r\n,;|"))
    remark = _REMARK.match(before, target.end)
    rests = [before[end:] for end in (target.end, *([remark.end()] if remark else []))]
    if any(_loose(before[: target.full_start] + rest) == _loose(after) for rest in rests):
        return  # a separator may go that stands before a comment
    rest = rests[-1].lstrip(b" \t\r\n,;|")
    if head < first or tail < len(rest):
        yield Violation("provenance", "a delete changed what is beside it", judged.differ(before))
    added = after[head : max(head, len(after) - tail)].strip()
    if added and not judged.op.get("fill"):
        yield Violation("provenance", "a delete added something", repr(added))


def deleted(judged: Judged) -> Found:
    """It is gone."""
    assert judged.target is not None
    name = standing.name(judged.target)
    before, after = standing.names(judged.before.outline), standing.names(judged.after.outline)
    if after[name] >= before[name]:
        yield Violation("deleted", "what was deleted is still there", repr(name))


def _common(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def came(judged: Judged) -> list[Symbol]:
    """The outermost symbols that an insert brought."""
    more = standing.names(judged.after.outline) - standing.names(judged.before.outline)
    new = [s for s in judged.after.outline.walk() if standing.name(s) in more and s.name.endswith(MARK)]
    ids = {id(s) for s in new}
    return [s for s in new if s.parent is None or id(s.parent) not in ids]


def _column(source: Source, symbol: Symbol) -> int:
    return begin(symbol) - source.text.rfind(b"\n", 0, begin(symbol))


def _columns(judged: Judged, name: str) -> set[int]:
    """Where the symbols begin of which an insert is a copy."""
    before = judged.before
    return {_column(before, s) for s in before.outline.walk() if s.name == name.removesuffix(MARK)}


def comes_and_goes(judged: Judged) -> Found:
    """What was put in reads as it was sent, and the file is as it was once it is deleted."""
    case, new = judged.case, came(judged)
    if len(new) != 1:
        yield Violation(
            "comeback",
            "an insert did not bring the one symbol that it holds",
            judged.differ(judged.before.text),
        )
        return
    after = Fixture(case.path, judged.after.document.raw.decode())
    placed = after.own(begin(new[0]), new[0].end)
    alike = case.placed is not None and _bare(placed.encode()) == _bare(case.placed.encode())
    tabs = ("\t" in placed) == ("\t" in (case.placed or ""))
    if (
        alike
        and tabs
        and placed != case.placed
        and _column(judged.after, new[0]) in _columns(judged, new[0].name)
    ):
        yield Violation(
            "placed", "an insert has other white space than its sibling", f"{case.placed!r} {placed!r}"
        )
    same = next(
        s for s in after.symbols if (s.start, s.kind, s.name) == (new[0].start, new[0].kind, new[0].name)
    )
    back = do(case.path, after.raw, [{"op": "delete", "symbol": after.address(same)}])
    yield from back.wrong
    if back.after is None:
        yield Violation("comeback", f"what was put in cannot be deleted: {back.code}", after.text)
    elif back.after != judged.before.document.raw:
        shown = f"{judged.after.document.raw!r}\n{back.after!r}"
        yield Violation("comeback", "insert then delete is not what it was", shown)
