"""How prose names a definition, and how it gets another name there.

One at the top of a file is named by its word; a member behind its owner, or where it is called on something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

from gitscalpel.edit.lowered_operation import FileSplices
from gitscalpel.meaning.documentation import spans
from gitscalpel.meaning.files import Files
from gitscalpel.text.splice import Splice


def last(symbol: str) -> str:
    """A symbol's own name."""
    return re.sub(r"#\d+$|\[\d+\]$", "", symbol).rpartition(".")[2]


def naming(symbol: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What names a symbol, and what calls it; ``name`` is its own name there."""
    owner, _, name = re.sub(r"#\d+", "", symbol).rpartition(".")
    word = rf"(?P<name>{re.escape(name)})(?!\w)"
    if not owner:
        return re.compile(rf"(?<!\w){word}"), re.compile(rf"(?<!\w){word}\s*\(")
    of = rf"(?<!\w){re.escape(owner.rpartition('.')[2])}(?:\.|::|#)"
    return re.compile(rf"(?:{of}|\.(?=\w+\s*\()){word}"), re.compile(rf"(?:{of}|\.){word}\s*\(")


def respelled(files: Files, paths: Iterable[str], symbol: str, to: str) -> Iterator[FileSplices]:
    """The edits that give a symbol another name in the code of prose, and in headings."""
    pattern, _ = naming(symbol)
    for path in paths:
        source = files.source(path) if path.lower().endswith(spans.SUFFIXES) else None
        if source is None:
            continue
        lines = source.text.decode("utf-8", "surrogateescape").split("\n")
        starts = [0, *accumulate(len(line.encode("utf-8", "surrogateescape")) + 1 for line in lines)]
        splices = []
        for piece in spans.code(path, "\n".join(lines)):
            for found in pattern.finditer(piece.text):
                before = lines[piece.line - 1][: piece.column + found.start("name")]
                start = starts[piece.line - 1] + len(before.encode("utf-8", "surrogateescape"))
                end = start + len(found["name"].encode("utf-8", "surrogateescape"))
                splices.append(Splice(start, end, to.encode("utf-8", "surrogateescape")))
        if splices:
            yield FileSplices(path, tuple(splices))
