"""Merge two imports that grew from one, and imports that both sides put at one place.

Both sides are right, so the result has the names of both, unless one name would then mean two things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitscalpel.syntax.language import Language
from gitscalpel.text.merge3 import merge_items, three_way

_LISTS = (
    re.compile(rb"(?P<head>[^({\"']*[({]\s*)(?P<names>[^(){}]*?)(?P<tail>,?\s*[)}][^(){}]*)"),
    re.compile(rb"(?P<head>\s*(?:from\s+[\w.]+\s+)?import\s+)(?P<names>[^(){}\"'*;]+?)(?P<tail>;?\s*)"),
)
_FROM = re.compile(rb"\s*(?:import|export)\s+(?:type\s+|typeof\s+)?(?P<names>[^\"'{}]*?)\s+from\b")
_ALIAS = re.compile(rb"(?:\bas|=>)\s+(?P<name>[\w$]+)$")
_ASSIGNED = re.compile(
    rb"(?:(?:global\s+)?using\s+(?P<name>[\w$]+)\s*=|(?:import\s+)?(?!import\b)(?P<short>[\w$]+)\s+\")"
)
_QUOTED = re.compile(rb"[\"'`<](?P<path>[^\"'`<>]+)[\"'`>]")
_PATH = re.compile(rb"[\w$*.:\\]+")
_PARTS = re.compile(rb"[.:\\]+")
_NO_NAMES = re.compile(rb"#|//|/\*|--|[\"'`]")
_NOTHING = (b"", b"*", b"_")


class _List(NamedTuple):
    """An import with a list of names, each with the white space before it."""

    head: bytes
    names: list[bytes]
    tail: bytes
    comma: bytes

    @property
    def said(self) -> list[bytes]:
        return [name.strip() for name in self.names]


def merge_imports(base: bytes, ours: bytes, theirs: bytes, rules: Language) -> bytes | None:
    """An import with what both did to its list of names, ours first; None where they do not go together."""
    old, mine, yours = (_listed(text) for text in (base, ours, theirs))
    if old is None or mine is None or yours is None:
        return None
    tail = three_way(old.tail, mine.tail, yours.tail)
    added, brought = ({*one.said} - {*old.said} for one in (mine, yours))
    if (
        not old[0::3] == mine[0::3] == yours[0::3]
        or tail is None
        or imports_contradict(added, brought, rules)
    ):
        return None
    names = (_in_lines if old.comma == b"\n" else _in_row)(old, mine, yours)
    return mine.head + names + tail if names else None


def imports_contradict(ours: Iterable[bytes], theirs: Iterable[bytes], rules: Language) -> bool:
    """Whether what one side imports has a name that the other gives to something else."""
    one, other = {*ours}, {*theirs}
    left = {name for text in one - other for name in bound(text, rules)}
    return any(name in left for text in other - one for name in bound(text, rules))


def bound(text: bytes, rules: Language) -> Iterator[bytes]:
    """The names that an import, or one of the names in it, defines in its file."""
    held = text.strip(b" \t\r\n;")
    listed = _listed(held)
    clause = _FROM.match(held)
    whole = rules.blocks == "indent"  # what is imported by its path is known by its path there
    for said in listed.said if listed else [clause["names"] if clause else held]:
        name = _of_one(said, whole)
        if name not in _NOTHING:
            yield name


def _of_one(said: bytes, whole: bool) -> bytes:
    """The name of one import: what it is given, or the last part of its path."""
    if alias := _ALIAS.search(said):
        return alias["name"]
    if assigned := _ASSIGNED.match(said):
        return assigned["name"] or assigned["short"]
    if quoted := _QUOTED.search(said):
        return quoted["path"] if said.startswith(b"#") else quoted["path"].rpartition(b"/")[2]
    paths = _PATH.findall(said)
    return (paths[-1] if whole else _PARTS.split(paths[-1])[-1]) if paths else b""


def _listed(text: bytes) -> _List | None:
    found = next((match for form in _LISTS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    comma = b"\n" if b"," not in found["names"] and _NO_NAMES.search(found["names"]) else b","
    names = found["names"].split(comma)
    told = [name.strip() for name in names]
    if comma == b"," and (_NO_NAMES.search(found["names"]) or len({*told, b""}) <= len(told)):
        return None
    return _List(found["head"], names, found["tail"], comma)


def _in_lines(old: _List, mine: _List, yours: _List) -> bytes | None:
    """Names that stand on a line each: lines that both put at one place are all there."""
    was, ours, theirs = ([name + b"\n" for name in one.names] for one in (old, mine, yours))
    found = merge_items(was, ours, theirs, lambda before, left, right: None if before else [*left, *right])
    return found[:-1] if found else None


def _in_row(old: _List, mine: _List, yours: _List) -> bytes | None:
    """Names with commas between them: what one took away is not there, what one added is."""
    before, left, right = ({*one.said} for one in (old, mine, yours))
    if before - left & before - right and left != right:
        return None
    found = [name for name in mine.names if name.strip() in right or name.strip() not in before]
    found += [name for name in yours.names if name.strip() not in before | left]
    usual = next((_lead(name) for one in (mine, yours, old) for name in one.names[1:]), b" ")
    return b",".join((_lead(n) or usual if at else b"") + n.strip() for at, n in enumerate(found))


def _lead(name: bytes) -> bytes:
    return name[: len(name) - len(name.lstrip())]
