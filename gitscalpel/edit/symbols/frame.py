"""How the lines of code came: dedented, as they are to stand, or the first without its indentation."""

from __future__ import annotations

import re
from itertools import takewhile

from gitscalpel.edit.source import Source
from gitscalpel.syntax.outline import Outline
from gitscalpel.text.indent import indent as indentation
from gitscalpel.text.indent import indent_at

_CLOSERS = (b"}", b")", b"]", b"end")
_INK = re.compile(rb"[^\t]")
_WORD = re.compile(rb"\w")


def flush(lines: list[bytes], source: Source) -> set[int]:
    """The rows below the first that stand at the margin whatever is around them."""
    margin = source.rules.margin
    return {n for n, line in enumerate(lines) if n and margin and line.startswith(margin)}


def is_pinned(code: bytes, source: Source) -> bool:
    """Whether code begins with what is only read at the margin."""
    return source.rules.pinned and code.startswith(source.rules.margin)


def pinned(at: int, code: bytes, source: Source) -> int:
    """Where code that was to begin at ``at`` begins: at the margin, if it is read nowhere else."""
    if not is_pinned(code, source):
        return at
    line = source.text.rfind(b"\n", 0, at) + 1
    return at if source.text[line:at].strip() else line


def margin(at: int, source: Source) -> bytes:
    """The indentation of code that begins at ``at``: its line's, or its own where columns are syntax."""
    own = indent_at(source.text, at)
    before = source.text[source.text.rfind(b"\n", 0, at) + 1 : at]
    language = source.rules
    by_column = language.blocks == "indent" and not language.aligned and not language.data
    return _INK.sub(b" ", before) if by_column and before.strip() else own


def remarks(lines: list[bytes], symbols: Outline) -> set[int]:
    """The rows below the first that begin with a comment at the margin, which may be out of the way there."""
    rows = {node.start_point.row for node in symbols.nodes("comment")}
    return {row for row in rows if row and not indentation(lines[row])}


def common(lines: list[bytes]) -> bytes:
    """The indentation that all lines begin with."""
    indents = [indentation(line) for line in lines]
    if not indents:
        return b""
    least, most = min(indents), max(indents)
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False))
    return least[: sum(1 for _ in equal)]


def stands(lines: list[bytes], indent: bytes, old: set[bytes]) -> bool:
    """Whether the lines are as they are to stand, though some keep to the margin or mix tabs and blanks.

    The first may have been copied without its indentation; the lines of the ``old`` code tell then.
    """
    if indentation(lines[0]):
        return indentation(lines[0]) == indent
    below = {line for line in lines[1:] if _WORD.search(line) and not line.lstrip().startswith(_CLOSERS)}
    dedented = lines[-1].startswith(_CLOSERS)
    return not dedented and len(below & old) > sum(indent + line in old for line in below)


def left_behind(lines: list[bytes], symbols: Outline, indent: bytes, level: bytes) -> bytes:
    """The indentation of the rest where the first line was copied without its own."""
    if len(lines) < 2 or indentation(lines[0]):
        return b""
    rest = common(lines[1:])
    if not rest or not rest.startswith(indent):
        return b""
    is_layout = symbols.syntax.language.blocks == "indent"
    if _begins_above(symbols):
        return rest if rest == indent or not is_layout else b""
    if is_layout:
        word = lines[0].split()[:1]
        goes_on = any(line.startswith(rest) and line.split()[:1] == word for line in lines[1:])
        return indent if rest == indent + level or (rest == indent and goes_on) else b""
    closes = lines[-1].lstrip(b" \t").startswith(_CLOSERS) and indentation(lines[-1]) == rest
    return rest if closes and not any(_opens(line, rest) for line in lines[1:-1]) else b""


def _opens(line: bytes, indent: bytes) -> bool:
    """Whether a line at ``indent`` opens what the last line closes, though it is not the header."""
    own = line.strip()
    return indentation(line) == indent and own.endswith((b"{", b"(", b"[")) and bool(_WORD.match(own))


def _begins_above(symbols: Outline) -> bool:
    """Whether the first line holds nothing but a comment or decorator, which what follows is aligned with."""
    text = symbols.syntax.text
    start = len(symbols.syntax.language.prologue)
    above = [*symbols.nodes("comment"), *symbols.nodes("decorator")]
    first = (text[start : n.end_byte].rstrip() for n in above if n.start_byte == start)
    return any(not text[start + len(said) :].split(b"\n")[0].strip() for said in first)
