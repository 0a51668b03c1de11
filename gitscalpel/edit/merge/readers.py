"""What reads a format, and refuses what its grammar lets pass: a merge may not make a file that it refuses.

A file that was refused before the merge is not judged.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from xml.parsers import expat

from gitscalpel.edit.source import Source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MODULE = re.compile(rb"^(?:\t|[ ]+|require[ \t]+)(?P<path>[\w.~/-]+)[ \t]+v\d[^\n]*$", re.MULTILINE)

_ASSIGNED = re.compile(rb"(?P<key>[\w#.-]+)\s*=\s*(?P<value>.*)")
_BRACKETS = re.compile(rb"[{}\[\]()]")


def spoils(versions: Sequence[Source], merged: Source) -> bool:
    """Whether a merged file is refused by what read both of its versions."""
    reads = _reader(merged)
    return reads is not None and not reads(merged) and all(map(reads, versions))


def _reader(source: Source) -> Callable[[Source], bool] | None:
    if source.language is None:
        return _is_go_mod if source.path.rpartition("/")[2] == "go.mod" else _gives_each_key_once
    return _READERS.get(source.language.name)


def _is_python(source: Source) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source.document.raw, source.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _is_toml(source: Source) -> bool:
    try:
        tomllib.loads(source.text.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def _is_json(source: Source) -> bool:
    try:
        json.loads(source.text, parse_constant=str)
    except (ValueError, RecursionError):
        return False
    return True


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


_READERS: dict[str, Callable[[Source], bool]] = {
    "python": _is_python,
    "toml": _is_toml,
    "json": _is_json,
    "xml": _is_xml,
    "html": _has_no_attribute_twice,
}
