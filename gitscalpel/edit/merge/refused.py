"""What reads a format, and refuses what its grammar lets pass: a merge may not make a file that it refuses.

Languages with a reader of their own are held to it; here is what else merges can do to a file, such as
saying one thing twice. A file that was refused before the merge is not judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from xml.parsers import expat

from gitscalpel.edit.source import Source
from gitscalpel.syntax.validators import validate

_MODULE = re.compile(rb"^(?:\t|[ ]+|require[ \t]+)(?P<path>[\w.~/-]+)[ \t]+v\d[^\n]*$", re.MULTILINE)

_ASSIGNED = re.compile(rb"(?P<key>[\w#.-]+)\s*=\s*(?P<value>.*)")
_BRACKETS = re.compile(rb"[{}\[\]()]")


def spoils(versions: Sequence[Source], merged: Source) -> bool:
    """Whether a merged file is refused by what read both of its versions."""
    takes = _taken_by(merged)
    return not takes(merged) and all(map(takes, versions))


def _taken_by(source: Source) -> Callable[[Source], bool]:
    """What a file of this sort is held to."""
    if source.language is None:
        return _is_go_mod if source.path.rpartition("/")[2] == "go.mod" else _gives_each_key_once
    return _OTHERS.get(source.language.name, _is_read)


def _is_read(source: Source) -> bool:
    """Whether the language's reader takes it, if there is one."""
    return source.syntax is None or validate(source.syntax, source.document.raw) is None


def _is_xml(source: Source) -> bool:
    try:
        expat.ParserCreate().Parse(source.document.raw, True)
    except expat.ExpatError:
        return False
    return True


def _has_no_attribute_twice(source: Source) -> bool:
    named = (
        (node.parent.id, source.text[node.start_byte : node.end_byte].partition(b"=")[0].strip().lower())
        for node in source.outline.syntax.of_type("attribute")
        if node.parent is not None
    )
    return all(count == 1 for count in Counter(named).values())


def _is_go_mod(source: Source) -> bool:
    """Whether no module is required twice, in two versions."""
    told = {(found["path"], found[0].strip()) for found in _MODULE.finditer(source.text)}
    return len({path for path, _ in told}) == len(told)


def _gives_each_key_once(source: Source) -> bool:
    """Whether no block of a format that is not known says ``key = value`` twice, in two ways."""
    said: dict[tuple[int, bytes], bytes] = {}
    around, blocks = [0], 0
    for line in source.text.split(b"\n"):
        assigned = _ASSIGNED.fullmatch(line.strip())
        if (
            assigned
            and said.setdefault((around[-1], assigned["key"]), assigned["value"]) != assigned["value"]
        ):
            return False
        for sign in _BRACKETS.findall(line):
            if sign in b"{[(":
                blocks += 1
                around.append(blocks)
            elif len(around) > 1:
                around.pop()
    return True


_OTHERS: dict[str, Callable[[Source], bool]] = {"xml": _is_xml, "html": _has_no_attribute_twice}
