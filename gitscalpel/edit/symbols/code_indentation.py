"""Dedent the caller's code and indent it as its place in the file needs.

Code may arrive with any indentation, also dedented except for its first line. It is dedented and then
indented as its target is, in the unit of the file. Lines inside multi-line strings are content and stay
as they are, unless the old code shows that they were dedented with the rest, or the string is
documentation that follows the indentation of the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import captures
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Span
from gitscalpel.text import line_endings
from gitscalpel.text.fuzzy_match import decode_escapes, strip_line_numbers
from gitscalpel.text.indentation import indent_at, indent_of, indent_unit, is_blank

_CLOSERS = (b"}", b")", b"]", b"end")
_INK = re.compile(rb"[^\t]")
_WORD = re.compile(rb"\w")


def flush_rows(lines: list[bytes], source: Source) -> set[int]:
    """The rows below the first that stand at the margin whatever is around them."""
    margin = source.rules.margin
    return {n for n, line in enumerate(lines) if n and margin and line.startswith(margin)}


def is_pinned(code: bytes, source: Source) -> bool:
    """Whether code begins with what is only read at the margin."""
    return source.rules.pinned and code.startswith(source.rules.margin)


def pinned_start(at: int, code: bytes, source: Source) -> int:
    """Where code that was to begin at ``at`` begins: at the margin, if it is read nowhere else."""
    if not is_pinned(code, source):
        return at
    line = source.text.rfind(b"\n", 0, at) + 1
    return at if source.text[line:at].strip() else line


def margin_at(at: int, source: Source) -> bytes:
    """The indentation of code that begins at ``at``: its line's, or its own where columns are syntax."""
    own = indent_at(source.text, at)
    before = source.text[source.text.rfind(b"\n", 0, at) + 1 : at]
    language = source.rules
    by_column = language.blocks == "indent" and not language.aligned and not language.data
    return _INK.sub(b" ", before) if by_column and before.strip() else own


def comment_rows(lines: list[bytes], symbols: Outline) -> set[int]:
    """The rows below the first that begin with a comment at the margin, which may be out of the way there."""
    rows = {node.start_point.row for node in symbols.nodes("comment")}
    return {row for row in rows if row and not indent_of(lines[row])}


def common_indent(lines: list[bytes]) -> bytes:
    """The indentation that all lines begin with."""
    indents = [indent_of(line) for line in lines]
    if not indents:
        return b""
    least, most = min(indents), max(indents)
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False))
    return least[: sum(1 for _ in equal)]


def is_indented(lines: list[bytes], indent: bytes, old: set[bytes]) -> bool:
    """Whether the lines are as they are to stand, though some keep to the margin or mix tabs and blanks.

    The first may have been copied without its indentation; the lines of the ``old`` code tell then.
    """
    if indent_of(lines[0]):
        return indent_of(lines[0]) == indent
    below = {line for line in lines[1:] if _WORD.search(line) and not line.lstrip().startswith(_CLOSERS)}
    dedented = lines[-1].startswith(_CLOSERS)
    return not dedented and len(below & old) > sum(indent + line in old for line in below)


def lost_indent(lines: list[bytes], symbols: Outline, indent: bytes, level: bytes) -> bytes:
    """The indentation of the rest where the first line was copied without its own."""
    if len(lines) < 2 or indent_of(lines[0]):
        return b""
    rest = common_indent(lines[1:])
    if not rest or not rest.startswith(indent):
        return b""
    is_layout = symbols.syntax.language.blocks == "indent"
    if _begins_above(symbols):
        return rest if rest == indent or not is_layout else b""
    if is_layout:
        word = lines[0].split()[:1]
        goes_on = any(line.startswith(rest) and line.split()[:1] == word for line in lines[1:])
        return indent if rest == indent + level or (rest == indent and goes_on) else b""
    closes = lines[-1].lstrip(b" \t").startswith(_CLOSERS) and indent_of(lines[-1]) == rest
    return rest if closes and not any(_opens(line, rest) for line in lines[1:-1]) else b""


def _opens(line: bytes, indent: bytes) -> bool:
    """Whether a line at ``indent`` opens what the last line closes, though it is not the header."""
    own = line.strip()
    return indent_of(line) == indent and own.endswith((b"{", b"(", b"[")) and bool(_WORD.match(own))


def _begins_above(symbols: Outline) -> bool:
    """Whether the first line holds nothing but a comment or decorator, which what follows is aligned with."""
    text = symbols.syntax.text
    start = len(symbols.syntax.language.prologue)
    above = [*symbols.nodes("comment"), *symbols.nodes("decorator")]
    first = (text[start : n.end_byte].rstrip() for n in above if n.start_byte == start)
    return any(not text[start + len(said) :].split(b"\n")[0].strip() for said in first)


_FENCE = re.compile(rb"\s*```[^\n`]*\n(?P<code>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_NOTHING = Span(0, 0)


def iter_spellings(code: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The code as sent; then, for where it does not parse, without what models put around it."""
    raw = line_endings.trim(code.encode("utf-8", "surrogateescape"))
    yield raw, ()
    decoded = decode_escapes(raw)
    if b"\n" not in raw and decoded != raw:
        yield line_endings.trim(decoded), ("decoded the escapes in code, which did not parse as sent",)
    fenced = _FENCE.match(raw)
    if fenced:
        yield line_endings.trim(fenced["code"]), ("took the code out of its Markdown fence",)
    bare, _ = strip_line_numbers(raw, b"")
    if bare != raw:
        yield line_endings.trim(bare), ("took the line numbers off the code",)


def split_end_comments(code: bytes, source: Source) -> tuple[bytes, bytes]:
    """The code, and the comments that end it with the blanks before them: a separator goes in between."""
    bare, ahead = code.rstrip(), len(source.rules.prologue)
    end = len(bare)  # a separator behind it, for what is nothing without
    found = captures(source.fragment(bare + b"\n" + source.rules.separator)).nodes["comment"]
    for node in sorted(found, key=lambda node: -node.start_byte):
        if not bare[node.end_byte - ahead : end].strip():
            end = len(bare[: node.start_byte - ahead].rstrip())
    return (bare[:end], bare[end:]) if end else (bare, b"")


def fit_code(code: bytes, source: Source, indent: bytes, old: Span = _NOTHING) -> bytes:
    """``code`` for a place that is indented by ``indent``; its first line comes without indentation.

    ``old`` is what it replaces, which shows the indentation of its strings, and whether tabs are meant.
    """
    lines = code.split(b"\n")
    while len(lines) > 1 and is_blank(lines[0]):
        del lines[0]
    symbols = source.alone(b"\n".join(lines))
    known = set(line_endings.plain(source.text[old.start : old.end]).split(b"\n"))
    strings = list(_strings(lines, symbols))
    flush, remarks = flush_rows(lines, source), comment_rows(lines, symbols)
    aside = flush.union(remarks, *(rows for rows, _ in strings))
    free = [line for n, line in enumerate(lines) if n not in aside and not is_blank(line)]
    common = common_indent(free)
    told = [line for n, line in enumerate(lines) if not any(n in rows for rows, _ in strings)]
    if indent and common != indent and is_indented(told, indent, known):
        return b"\n".join([lines[0].lstrip(b" \t"), *lines[1:]])
    rest = b"" if common else lost_indent(free, symbols, indent, indent_unit(source.plain))
    fixed = flush | _fixed(lines, strings, common + rest, indent, known)
    if common + rest:
        fixed |= remarks
    dedented = [lines[0].removeprefix(common), *_unindent(lines, fixed, common + rest)[1:]]
    deeper = _indented(source.plain[old.start : old.end].split(b"\n")[1:])
    prose = source.rules.blocks == "prose"
    inner = dedented if prose else _in_unit(dedented, fixed, indent_unit(source.plain), deeper)
    if common == indent and inner == dedented:
        return b"\n".join([inner[0], *lines[1:]])
    placed = [line if n in fixed or is_blank(line) else indent + line for n, line in enumerate(inner)]
    return b"\n".join([inner[0].lstrip(b" \t"), *placed[1:]])


def _strings(lines: list[bytes], symbols: Outline) -> Iterator[tuple[range, bool]]:
    """The rows that begin inside each multi-line string, and whether it follows the code's indentation."""
    for inside, documents in symbols.inside_strings:
        own = len(indent_of(lines[inside.start - 1]))
        follows = all(is_blank(lines[n]) or len(indent_of(lines[n])) >= own for n in inside)
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
    return [blanks for line in lines if not is_blank(line) and (blanks := indent_of(line))]


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
        own = indent_of(line)
        if foreign == b"\t":
            return own.replace(b"\t", level) + line[len(own) :]
        return b"\t" * (len(own) // width) + b" " * (len(own) % width) + line[len(own) :]

    return [line if n in fixed else converted(line) for n, line in enumerate(lines)]
