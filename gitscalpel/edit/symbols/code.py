"""Code as the caller sent it, brought to the place where it goes.

It may come at any indentation: it is dedented, then set at the target's own,
in the file's unit. Lines inside multi-line strings are content and stay as
they are, unless the old code shows that they were dedented with the rest, or
it is a documentation string that follows the code's indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import frame
from gitscalpel.syntax.captures import captures
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Span
from gitscalpel.text import endings
from gitscalpel.text.indent import indent as indentation
from gitscalpel.text.indent import is_blank, unit
from gitscalpel.text.strategies import decode, unnumbered

_FENCE = re.compile(rb"\s*```[^\n`]*\n(?P<code>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_NOTHING = Span(0, 0)


def spellings(code: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The code as sent; then, for where it does not parse, without what models put around it."""
    raw = endings.trim(code.encode("utf-8", "surrogateescape"))
    yield raw, ()
    decoded = decode(raw)
    if b"\n" not in raw and decoded != raw:
        yield endings.trim(decoded), ("decoded the escapes in code, which did not parse as sent",)
    fenced = _FENCE.match(raw)
    if fenced:
        yield endings.trim(fenced["code"]), ("took the code out of its Markdown fence",)
    bare, _ = unnumbered(raw, b"")
    if bare != raw:
        yield endings.trim(bare), ("took the line numbers off the code",)


def parted(code: bytes, source: Source) -> tuple[bytes, bytes]:
    """The code, and the comments that end it with the blanks before them: a separator goes in between."""
    bare, ahead = code.rstrip(), len(source.rules.prologue)
    end = len(bare)  # a separator behind it, for what is nothing without
    found = captures(source.fragment(bare + b"\n" + source.rules.separator)).nodes["comment"]
    for node in sorted(found, key=lambda node: -node.start_byte):
        if not bare[node.end_byte - ahead : end].strip():
            end = len(bare[: node.start_byte - ahead].rstrip())
    return (bare[:end], bare[end:]) if end else (bare, b"")


def fit(code: bytes, source: Source, indent: bytes, old: Span = _NOTHING) -> bytes:
    """``code`` for a place that is indented by ``indent``; its first line comes without indentation.

    ``old`` is what it replaces, which shows the indentation of its strings, and whether tabs are meant.
    """
    lines = code.split(b"\n")
    while len(lines) > 1 and is_blank(lines[0]):
        del lines[0]
    symbols = source.alone(b"\n".join(lines))
    known = set(endings.plain(source.text[old.start : old.end]).split(b"\n"))
    strings = list(_strings(lines, symbols))
    flush, remarks = frame.flush(lines, source), frame.remarks(lines, symbols)
    aside = flush.union(remarks, *(rows for rows, _ in strings))
    free = [line for n, line in enumerate(lines) if n not in aside and not is_blank(line)]
    common = frame.common(free)
    told = [line for n, line in enumerate(lines) if not any(n in rows for rows, _ in strings)]
    if indent and common != indent and frame.stands(told, indent, known):
        return b"\n".join([lines[0].lstrip(b" \t"), *lines[1:]])
    rest = b"" if common else frame.left_behind(free, symbols, indent, unit(source.plain))
    fixed = flush | _fixed(lines, strings, common + rest, indent, known)
    if common + rest:
        fixed |= remarks
    dedented = [lines[0].removeprefix(common), *_unindent(lines, fixed, common + rest)[1:]]
    deeper = _indented(source.plain[old.start : old.end].split(b"\n")[1:])
    prose = source.rules.blocks == "prose"
    inner = dedented if prose else _in_unit(dedented, fixed, unit(source.plain), deeper)
    if common == indent and inner == dedented:
        return b"\n".join([inner[0], *lines[1:]])
    placed = [line if n in fixed or is_blank(line) else indent + line for n, line in enumerate(inner)]
    return b"\n".join([inner[0].lstrip(b" \t"), *placed[1:]])


def _strings(lines: list[bytes], symbols: Outline) -> Iterator[tuple[range, bool]]:
    """The rows that begin inside each multi-line string, and whether it follows the code's indentation."""
    for inside, documents in symbols.inside_strings:
        own = len(indentation(lines[inside.start - 1]))
        follows = all(is_blank(lines[n]) or len(indentation(lines[n])) >= own for n in inside)
        yield inside, follows and documents


def _fixed(
    lines: list[bytes], strings: list[tuple[range, bool]], prefix: bytes, indent: bytes, old: set[bytes]
) -> set[int]:
    """The rows that must not be shifted."""
    fixed: set[int] = set()
    for rows, follows in strings:
        known = [lines[n] for n in rows if not is_blank(lines[n])]
        stayed = sum(line in old for line in known)
        shifted = sum(indent + line.removeprefix(prefix) in old for line in known)
        if shifted < stayed or (shifted == stayed and not follows):
            fixed.update(rows)
    return fixed


def _unindent(lines: list[bytes], fixed: set[int], prefix: bytes) -> list[bytes]:
    return [line if n in fixed else line.removeprefix(prefix) for n, line in enumerate(lines)]


def _indented(lines: list[bytes]) -> list[bytes]:
    """The indentations of lines, where they have one."""
    return [blanks for line in lines if not is_blank(line) and (blanks := indentation(line))]


def _in_unit(lines: list[bytes], fixed: set[int], level: bytes, known: list[bytes]) -> list[bytes]:
    """Tabs for blanks or blanks for tabs, where neither the file nor ``known`` lines use the code's."""
    foreign = b" " if level == b"\t" else b"\t"
    used = _indented([line for n, line in enumerate(lines) if n not in fixed])
    if any(b.startswith(foreign) for b in known):
        return lines
    wide = [len(b) for b in used if len(b) > 1]  # one blank aligns a comment's stars, it is no level
    if not used or any(not b.startswith(foreign) for b in used) or (foreign == b" " and not wide):
        return lines
    width = min(wide) if foreign == b" " else len(level)

    def converted(line: bytes) -> bytes:
        own = indentation(line)
        if foreign == b"\t":
            return own.replace(b"\t", level) + line[len(own) :]
        return b"\t" * (len(own) // width) + b" " * (len(own) % width) + line[len(own) :]

    return [line if n in fixed else converted(line) for n, line in enumerate(lines)]
