"""Layout of new code among its siblings: indentation, white space and separators.

Code may arrive with any indentation, also dedented except for its first line. It is dedented and then
indented like its target, in the unit of the file. Lines inside multi-line strings are content and stay
unchanged, unless the old code shows that they were dedented with the rest, or the string is documentation
that follows the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

import msgspec
import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import block_members
from gitscalpel.errors import BadCall
from gitscalpel.syntax.captures import read_captures
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Span, Symbol, find_opening
from gitscalpel.text import line_endings
from gitscalpel.text.fuzzy_match import decode_escapes, strip_line_numbers
from gitscalpel.text.indentation import indent_at, indent_of, indent_unit, is_blank
from gitscalpel.text.splice import Splice

_CLOSERS = (b"}", b")", b"]", b"end")
_INK = re.compile(rb"[^\t]")
_WORD = re.compile(rb"\w")


def flush_rows(lines: list[bytes], source: Source) -> set[int]:
    margin = source.rules.margin
    return {n for n, line in enumerate(lines) if n and margin and line.startswith(margin)}


def is_pinned(code: bytes, source: Source) -> bool:
    """Return True if code begins with a construct that is only valid at the margin."""
    return source.rules.is_margin_only and code.startswith(source.rules.margin)


def find_pinned_start(at: int, code: bytes, source: Source) -> int:
    """Return the start for code at ``at``, moved to the margin if it is only valid there."""
    if not is_pinned(code, source):
        return at
    line = source.text.rfind(b"\n", 0, at) + 1
    return at if source.text[line:at].strip() else line


def margin_at(at: int, source: Source) -> bytes:
    """Return the indentation of code at ``at``: that of its line, or its column if columns are syntax."""
    line_indent = indent_at(source.text, at)
    before = source.text[source.text.rfind(b"\n", 0, at) + 1 : at]
    language = source.rules
    by_column = language.blocks == "indent" and not language.has_aligned_blocks and not language.data
    return _INK.sub(b" ", before) if by_column and before.strip() else line_indent


def comment_rows(lines: list[bytes], symbols: Outline) -> set[int]:
    """Return the rows below the first with a comment at the margin, which may be commented-out code."""
    rows = {node.start_point.row for node in symbols.nodes("comment")}
    return {row for row in rows if row and not indent_of(lines[row])}


def common_indent(lines: list[bytes]) -> bytes:
    indents = [indent_of(line) for line in lines]
    if not indents:
        return b""
    least, most = min(indents), max(indents)
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False))
    return least[: sum(1 for _ in equal)]


def is_indented(lines: list[bytes], indent: bytes, old: set[bytes]) -> bool:
    """Return True if the lines have their final indentation, even if some are at the margin or mix tabs.

    The first may have been copied without its indentation; then the lines of the ``old`` code decide.
    """
    if indent_of(lines[0]):
        return indent_of(lines[0]) == indent
    below = {line for line in lines[1:] if _WORD.search(line) and not line.lstrip().startswith(_CLOSERS)}
    dedented = lines[-1].startswith(_CLOSERS)
    return not dedented and len(below & old) > sum(indent + line in old for line in below)


def find_lost_indent(lines: list[bytes], symbols: Outline, indent: bytes, level: bytes) -> bytes:
    """Return the indentation of the other lines, if the first line was copied without its own."""
    if len(lines) < 2 or indent_of(lines[0]):
        return b""
    common = common_indent(lines[1:])
    if not common or not common.startswith(indent):
        return b""
    is_layout = symbols.syntax.language.blocks == "indent"
    if _has_comment_first(symbols):
        return common if common == indent or not is_layout else b""
    if is_layout:
        word = lines[0].split()[:1]
        has_sibling = any(line.startswith(common) and line.split()[:1] == word for line in lines[1:])
        return indent if common == indent + level or (common == indent and has_sibling) else b""
    has_closer = lines[-1].lstrip(b" \t").startswith(_CLOSERS) and indent_of(lines[-1]) == common
    return common if has_closer and not any(_opens_last(line, common) for line in lines[1:-1]) else b""


def _opens_last(line: bytes, indent: bytes) -> bool:
    """Return True if a line at ``indent`` opens what the last line closes, and is not the header."""
    text = line.strip()
    return indent_of(line) == indent and text.endswith((b"{", b"(", b"[")) and bool(_WORD.match(text))


def _has_comment_first(symbols: Outline) -> bool:
    """Return True if the first line has only a comment or decorator, aligned with what follows."""
    text = symbols.syntax.text
    start = len(symbols.syntax.language.prologue)
    nodes = [*symbols.nodes("comment"), *symbols.nodes("decorator")]
    comments = (text[start : n.end_byte].rstrip() for n in nodes if n.start_byte == start)
    return any(not text[start + len(comment) :].split(b"\n")[0].strip() for comment in comments)


_FENCE = re.compile(rb"\s*```[^\n`]*\n(?P<code>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_NOTHING = Span(0, 0)


def iter_spellings(code: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Yield the code as sent, then without wrappers that models put around it, if it does not parse."""
    raw = line_endings.strip_line_endings(code.encode("utf-8", "surrogateescape"))
    yield raw, ()
    decoded = decode_escapes(raw)
    if b"\n" not in raw and decoded != raw:
        yield (
            line_endings.strip_line_endings(decoded),
            ("decoded the escapes in code, which did not parse as sent",),
        )
    fenced = _FENCE.match(raw)
    if fenced:
        yield line_endings.strip_line_endings(fenced["code"]), ("removed the Markdown fence around the code",)
    unnumbered, _ = strip_line_numbers(raw, b"")
    if unnumbered != raw:
        yield line_endings.strip_line_endings(unnumbered), ("removed the line numbers from the code",)


def split_end_comments(code: bytes, source: Source) -> tuple[bytes, bytes]:
    """Split the code before its final comments, so that a separator can go in between."""
    code_text, prologue_size = code.rstrip(), len(source.rules.prologue)
    end = len(code_text)  # a separator behind it, for what is nothing without
    comments = read_captures(source.fragment(code_text + b"\n" + source.rules.separator)).nodes["comment"]
    for node in sorted(comments, key=lambda node: -node.start_byte):
        if not code_text[node.end_byte - prologue_size : end].strip():
            end = len(code_text[: node.start_byte - prologue_size].rstrip())
    return (code_text[:end], code_text[end:]) if end else (code_text, b"")


def fit_code(code: bytes, source: Source, indent: bytes, old: Span = _NOTHING) -> bytes:
    """Indent ``code`` for a place with indentation ``indent``, except for its first line.

    ``old`` is the replaced range, which shows the indentation of its strings and whether tabs are meant.
    """
    lines = code.split(b"\n")
    while len(lines) > 1 and is_blank(lines[0]):
        del lines[0]
    symbols = source.alone(b"\n".join(lines))
    old_lines = set(line_endings.convert_to_lf(source.text[old.start : old.end]).split(b"\n"))
    strings = list(_iter_strings(lines, symbols))
    flush, remarks = flush_rows(lines, source), comment_rows(lines, symbols)
    excluded = flush.union(remarks, *(rows for rows, _ in strings))
    shiftable = [line for n, line in enumerate(lines) if n not in excluded and not is_blank(line)]
    common = common_indent(shiftable)
    code_lines = [line for n, line in enumerate(lines) if not any(n in rows for rows, _ in strings)]
    if indent and common != indent and is_indented(code_lines, indent, old_lines):
        return b"\n".join([lines[0].lstrip(b" \t"), *lines[1:]])
    lost = b"" if common else find_lost_indent(shiftable, symbols, indent, indent_unit(source.plain))
    fixed = flush | _find_fixed_rows(lines, strings, common + lost, indent, old_lines)
    if common + lost:
        fixed |= remarks
    below = [line if n in fixed else line.removeprefix(common + lost) for n, line in enumerate(lines[1:], 1)]
    dedented = [lines[0].removeprefix(common), *below]
    old_indents = _find_indents(source.plain[old.start : old.end].split(b"\n")[1:])
    prose = source.rules.blocks == "prose"
    converted = dedented if prose else _convert_unit(dedented, fixed, indent_unit(source.plain), old_indents)
    if common == indent and converted == dedented:
        return b"\n".join([converted[0], *lines[1:]])
    indented = [line if n in fixed or is_blank(line) else indent + line for n, line in enumerate(converted)]
    return b"\n".join([converted[0].lstrip(b" \t"), *indented[1:]])


def _iter_strings(lines: list[bytes], symbols: Outline) -> Iterator[tuple[range, bool]]:
    """Yield the rows inside each multi-line string, and True if they follow the code's indentation."""
    for inside, documents in symbols.inside_strings:
        width = len(indent_of(lines[inside.start - 1]))
        follows = all(is_blank(lines[n]) or len(indent_of(lines[n])) >= width for n in inside)
        yield inside, follows and documents


def _find_fixed_rows(
    lines: list[bytes], strings: list[tuple[range, bool]], prefix: bytes, indent: bytes, old: set[bytes]
) -> set[int]:
    fixed: set[int] = set()
    for rows, follows in strings:
        filled = [lines[n] for n in rows if not is_blank(lines[n])]
        unchanged = sum(line in old for line in filled)
        shifted = sum(indent + line.removeprefix(prefix) in old for line in filled)
        if shifted < unchanged or (shifted == unchanged and not follows):
            fixed.update(rows)
    return fixed


def _find_indents(lines: list[bytes]) -> list[bytes]:
    return [blanks for line in lines if not is_blank(line) and (blanks := indent_of(line))]


def _convert_unit(lines: list[bytes], fixed: set[int], level: bytes, old_indents: list[bytes]) -> list[bytes]:
    """Convert tabs to blanks or blanks to tabs if neither the file nor ``old_indents`` have the code's."""
    foreign = b" " if level == b"\t" else b"\t"
    indents = _find_indents([line for n, line in enumerate(lines) if n not in fixed])
    if any(b.startswith(foreign) for b in old_indents):
        return lines
    widths = [len(b) for b in indents if len(b) > 1]  # one blank aligns a comment's stars, it is no level
    if not indents or any(not b.startswith(foreign) for b in indents) or (foreign == b" " and not widths):
        return lines
    width = min(widths) if foreign == b" " else len(level)

    def convert(line: bytes) -> bytes:
        own = indent_of(line)
        if foreign == b"\t":
            return own.replace(b"\t", level) + line[len(own) :]
        return b"\t" * (len(own) // width) + b" " * (len(own) % width) + line[len(own) :]

    return [line if n in fixed else convert(line) for n, line in enumerate(lines)]


class Gap(msgspec.Struct, frozen=True):
    """The place of new code between ``before`` and ``after``; ``[start, end)`` is at most white space."""

    start: int
    end: int
    indent: bytes
    before: bytes
    after: bytes


class Leading(msgspec.Struct, frozen=True):
    """A place in a list whose separators precede each member, like the bars of alternatives."""

    sign: bytes
    white: bytes  # white space before the separator: nothing, a blank, or a line break and an indentation
    at: int  # offset of the new member
    first: bool  # True if the member is the first, so its separator follows it


class Layout(msgspec.Struct, frozen=True):
    """The layout of new code in a file."""

    source: Source
    code: bytes  # the new code as sent
    sort: str = "block"  # sort of the code, see ``block_members``
    separator: bytes = b""  # separator from the siblings: nothing, or a comma
    # True if the separator only belongs to its neighbour, as for a function below fields.
    closed: bool = False
    # Missing terminator: nothing, a semicolon, or a separator that the neighbour lacks (a field below
    # functions).
    terminator: bytes = b""
    leading: Leading | None = None  # the leading separators of the list, if it has such

    @property
    def single(self) -> bool:
        return b"\n" not in self.code

    @property
    def terminated(self) -> bool:
        ends = self.terminator == b";" or self.code.rstrip().endswith((b";", b"}"))
        return self.source.rules.data or ends

    @property
    def level(self) -> bytes:
        lines = self.source.text.split(b"\n")
        is_indented = any(line[:1] in (b" ", b"\t") and line.strip() for line in lines)
        return indent_unit(self.source.plain if is_indented else self.code)

    def text(self, after: bytes) -> tuple[bytes, bytes]:
        """Return the code with its terminator, without separators of the place, and the rest of ``after``.

        A final comment goes after a separator.
        """
        if not (self.separator or self.terminator or self.leading):
            return self.code, after
        text, remark = split_end_comments(self.code, self.source)
        text, end = text.removesuffix(self.separator), self.terminator
        if self.leading is not None:
            sign = self.leading.sign
            text = text.strip().removeprefix(sign).removesuffix(sign).strip()
        if remark and self.separator and after.startswith(self.separator):
            end, after = self.separator, after.removeprefix(self.separator)
        return text + end + remark, after


_OPEN = ("{", "[", "(")
_ENDS = (b"{", b";", b"}")  # a statement may begin behind these in the same line


def leading_gap(leading: Leading) -> Gap:
    """Return the place of a member in a list whose separators precede the members."""
    sign, white, at = leading.sign, leading.white, leading.at
    before, after = (b"", white + sign + b" ") if leading.first else (white + sign + b" ", b"")
    return Gap(at, at, white.lstrip(b"\n"), before, after)


def gap_above(at: int, node: tree_sitter.Node, blank: int, layout: Layout) -> Gap:
    text = layout.source.text
    indent = _indent_of_child(node, layout)
    line_start = text.rfind(b"\n", 0, at) + 1
    after = (b"" if layout.closed else layout.separator) + b"\n" * (1 + blank)
    if not text[line_start:at].strip():
        return Gap(line_start, line_start, indent, indent, after)
    if block_members.marker_indent(at, layout.source) is not None:
        return Gap(at, at, indent, b"", after + indent)
    if _is_inline(layout):
        return Gap(at, at, indent, b"", b"")
    if _may_share_line(at, layout):
        return Gap(at, at, indent, b"", b" ")
    start = len(text[:at].rstrip(b" \t"))
    return Gap(start, at, indent, b"\n" + indent, after + indent)


def gap_below(at: int, node: tree_sitter.Node, blank: int, layout: Layout, through: int = 0) -> Gap:
    """Return the place below a node that ends at ``at``, and below the comments up to ``through``."""
    text = layout.source.text
    indent = _indent_of_child(node, layout)
    kept = block_members.kept_blanks(max(at, through), layout.source)
    if kept is not None and text.endswith(b"\n", 0, kept.end):
        return Gap(kept.end, kept.end, indent, indent, b"\n")
    blank = 0 if kept is not None else blank
    if layout.separator:
        at, through = block_members.node_end(node, layout.source), max(at, through)
    is_separated = text[at:].lstrip(b" \t").startswith(layout.separator)
    missing = b"" if is_separated else layout.separator
    if layout.separator and is_separated:
        at = text.index(layout.separator, at) + len(layout.separator)
    after = layout.separator if is_separated and not layout.closed else b""
    stop = max(at, through)
    line_rest = text[stop:].split(b"\n", 1)[0].rstrip(b"\r")
    if not line_rest.strip() or is_trailing_comment(line_rest, layout.source):
        return _gap_below_line(Gap(at, stop + len(line_rest), indent, missing, after), blank, text)
    if _is_inline(layout):
        return Gap(at, at, indent, b"", b"")
    if _may_share_line(at, layout):
        return Gap(at, at, indent, b" ", b"")
    before = missing + b"\n" * (1 + blank) + indent
    end = at + len(text[at:]) - len(text[at:].lstrip(b" \t"))
    if text[end : end + 1] == b";":  # of the whole list, not of its last member
        return Gap(at, end, indent, before, after)
    is_closed = text[end : end + 1] in (b"}", b")", b"]")
    return Gap(at, end, indent, before, after + b"\n" + (indent_at(text, at) if is_closed else indent))


def _gap_below_line(rest: Gap, blank: int, text: bytes) -> Gap:
    """Return the place below a line whose ``rest`` has no code. A missing separator goes before that rest."""
    feed = text.find(b"\n", rest.end)
    end = feed + 1 or len(text)
    start, kept_line = (rest.start, rest.before + text[rest.start : end]) if rest.before else (end, b"")
    if feed < 0:
        return Gap(start, end, rest.indent, kept_line + b"\n" * (1 + blank) + rest.indent, rest.after)
    return Gap(start, end, rest.indent, kept_line + b"\n" * blank + rest.indent, rest.after + b"\n")


def is_trailing_comment(rest: bytes, source: Source) -> bool:
    mark, text = source.rules.line_comment, rest.strip()
    is_block = mark == b"//" and text.startswith(b"/*") and text.find(b"*/", 2) == len(text) - 2
    return is_block or (bool(mark) and text.startswith(mark))


def inline_gap(side: str, node: tree_sitter.Node, layout: Layout) -> Gap | None:
    """Return the place in a one-line list for one-line code, or None."""
    block = node.parent
    if not layout.separator or layout.closed or not layout.single or block is None or block.parent is None:
        return None
    is_bracketed = block.children[0].type in _OPEN or find_opening(block) > block.start_byte
    if block.start_point.row != block.end_point.row or not is_bracketed:
        return None
    separators = [c for c in block.children if c.type.encode() == layout.separator]
    after = separators[0].next_sibling if separators else None
    is_tight = after is not None and separators[0].end_byte == after.start_byte
    comma = layout.separator + (b"" if is_tight else b" ")
    if side == "before":
        return Gap(node.start_byte, node.start_byte, b"", b"", comma)
    return Gap(node.end_byte, node.end_byte, b"", comma, b"")


def empty_block_gap(span: Span, layout: Layout) -> Gap:
    """Return the place inside an empty block, opened to its own lines."""
    language = layout.source.rules
    if language.keeps_inline and layout.single:
        return Gap(span.start, span.end, b"", b"", b"")
    outside = indent_at(layout.source.text, span.end)
    indent = outside + layout.level
    return Gap(span.start, span.end, indent, b"\n" + indent, b"\n" + outside)


def text_gap(position: str, span: Span, layout: Layout) -> Gap:
    text, at = layout.source.text, span.start if position == "first" else span.end
    indent = indent_at(text, span.start)
    before, after = text[:at].rpartition(b"\n")[2], text[at:].partition(b"\n")[0]
    if position == "first" and not before.strip():
        return Gap(at, at, indent, b"", b"\n" + indent)
    if position == "last" and not after.strip():
        return Gap(at, at, indent, b"\n" + indent, b"")
    return Gap(at, at, indent, b"", b"")


def closing_gap(span: Span, layout: Layout) -> Gap:
    """Return the place before a closing keyword, after comments in place of a body."""
    text = layout.source.text
    outside = indent_at(text, span.start)
    comments = text[span.start : span.end].rstrip(b"; \t\r\n")
    return Gap(
        span.start + len(comments),
        span.end,
        outside + layout.level,
        (b"\n\n" if comments else b"\n") + outside + layout.level,
        b"\n" + outside,
    )


def _is_inline(layout: Layout) -> bool:
    language = layout.source.rules
    return language.inline and layout.single


def _may_share_line(at: int, layout: Layout) -> bool:
    """Return True if one-line code may share the line of its neighbours, which are terminated."""
    before = layout.source.text[:at].rstrip()[-1:]
    return layout.single and layout.terminated and not layout.separator and before in _ENDS


def _indent_of_child(node: tree_sitter.Node, layout: Layout) -> bytes:
    """Return the indentation of a statement's line, plus one level if its block opens on that line."""
    text, margin = layout.source.text, layout.source.rules.margin
    while margin and text.startswith(margin, node.start_byte) and node.prev_named_sibling is not None:
        node = node.prev_named_sibling  # a directive is at the margin, whatever the indentation
    marker_indent = block_members.marker_indent(node.start_byte, layout.source)
    if marker_indent is not None:
        return marker_indent
    indent = margin_at(node.start_byte, layout.source)
    if indent != indent_at(text, node.start_byte):
        return indent
    block = node.parent
    if block is not None and block.parent is not None and block.start_point.row == node.start_point.row:
        header = text[text.rfind(b"\n", 0, block.start_byte) + 1 : block.start_byte]
        return indent + layout.level if header.strip() else indent
    return indent


def find_gap(position: str, target: Symbol, layout: Layout) -> Gap:
    """Return the place for code at ``position`` of ``target``.

    Raises ``invalid_position`` for a child of a node without a body.
    """
    if layout.leading is not None:
        return leading_gap(layout.leading)
    if position in ("before", "after"):
        blank = block_members.measure_gap_beside(target, position, layout.sort, layout.source)
        inline = inline_gap(position, target.node, layout)
        if position == "before":
            return inline or gap_above(target.full_start, target.node, blank, layout)
        return inline or gap_below(target.end, target.node, blank, layout)
    if target.body is not None and target.body_node is not None:
        return _child_gap(position, target, target.body_node, layout)
    if target.level is not None:
        return _gap_in_section(position, target, layout)
    if target.body is not None:
        return closing_gap(target.body, layout)
    raise no_body_error(position, target)


def no_body_error(position: str, target: Symbol) -> BadCall:
    return BadCall(
        "invalid_position",
        f"{target.qualname} is a {target.kind} without a body, so nothing can be its {position} child",
        "use before or after",
    )


def _child_gap(position: str, target: Symbol, body: tree_sitter.Node, layout: Layout) -> Gap:
    source, span = layout.source, block_members.find_bracketed_span(body, layout.source)
    if span is not None and (span.end < target.header_end or body.parent is None):
        span = None  # they are its header's, or its last statement's
    body_span = span or Span(target.header_end, target.end)
    members = [node for node in block_members.list_members(body, source) if _is_within(node, body_span)]
    children = [n for n in members if source.text[n.start_byte : n.end_byte].strip()]
    if span is not None and (edge := block_members.edge_text(position, span, children, source)):
        return text_gap(position, edge, layout)
    if span is not None and children and all(block_members.is_label(node, source) for node in children):
        span, children = Span(block_members.label_end(children[-1]), span.end), []
    if not children and body.parent is None:
        return Gap(len(source.text), len(source.text), b"", b"", b"\n")
    if not children:
        return gap_below(target.end, body, 0, layout) if span is None else empty_block_gap(span, layout)
    if position == "first":
        preamble = block_members.list_preamble(body, layout.sort == block_members.IMPORT, source)
        children = [n for n in children if n.start_byte >= (preamble[-1].end_byte if preamble else 0)]
        if not children:
            blank = block_members.default_gap(preamble[-1], layout.sort, source)
            return gap_below(block_members.member_end(preamble[-1], source), preamble[-1], blank, layout)
    statements = [n for n in children if not block_members.is_comment(n, source)] or children
    blank = block_members.measure_gap_in_block(children, position == "first", layout.sort, source)
    if position == "first":
        inline = inline_gap("before", statements[0], layout)
        return inline or gap_above(
            block_members.member_start(children[0], source), children[0], blank, layout
        )
    if children[-1] not in statements:
        blank = max(blank, 1)  # a comment of nothing, or of what is above, is not to become the code's
    # A separator goes behind the last member, not behind the comments that follow it.
    last = statements[-1] if layout.separator else children[-1]
    rest = [n for n in block_members.list_statements(body, source) if not block_members.is_label(n, source)]
    last_statement = [n for n in rest if _is_within(n, body_span)][-1]
    inline = inline_gap("after", last, layout)
    end = block_members.node_end(last_statement, source) if last_statement.end_byte <= target.end else 0
    return inline or gap_below(block_members.member_end(last, source), last, blank, layout, end)


def _is_within(node: tree_sitter.Node, room: Span) -> bool:
    return room.start <= node.start_byte < room.end


def _gap_in_section(position: str, target: Symbol, layout: Layout) -> Gap:
    """Return the place below a heading: next to its subsections, not before the text above them."""
    children, source = target.children, layout.source
    if position == "first" and children:
        blank = block_members.measure_gap_beside(children[0], "before", layout.sort, source)
        return gap_above(children[0].full_start, children[0].node, blank, layout)
    blank = block_members.default_gap(target.node, layout.sort, source)
    if len(children) > 1:
        blank = block_members.measure_gap_beside(children[-1], "before", layout.sort, source)
    return gap_below(target.end, target.node, blank, layout)


_SIGNS = (b",", b";", b"|")


def find_leading(target: Symbol, position: str, source: Source) -> Leading | None:
    """Return the place of a new member next to or in ``target``, or None if separators are trailing."""
    node = target.node
    if position in ("first", "last"):
        members = block_members.list_members(target.body_node, source) if target.body_node is not None else []
        if not members or members[0].parent != target.body_node:
            return None
        node = members[0 if position == "first" else -1]
    before, after = _next_token(node, "prev_sibling"), _next_token(node, "next_sibling")
    sign = before or after
    if sign is None:
        return None
    if _is_first(sign, source.text):
        white = b"\n" + indent_at(source.text, sign.start_byte)
    elif sign.type == "|":
        white = b" "
    elif sign.type == "," and node.parent is not None and _is_on_one_line(node.parent):
        white = b""
    else:
        return None
    if position in ("after", "last"):
        return Leading(sign.type.encode(), white, block_members.member_end(node, source), False)
    if before is None:
        return Leading(sign.type.encode(), white, block_members.member_start(node, source), True)
    start = before.start_byte
    return Leading(sign.type.encode(), white, len(source.text[:start].rstrip()), False)


def find_first_separator(target: Symbol, position: str, source: Source) -> Leading | None:
    """Return the place next to an only alternative, which has no bar yet."""
    node = target.node
    if target.kind != "member" or position not in ("before", "after"):
        return None
    last_line = source.text[source.text.rfind(b"\n", 0, node.end_byte) + 1 : node.end_byte]
    white = b" " if _is_on_one_line(node) else b"\n" + indent_of(last_line)
    if position == "after":
        return Leading(b"|", white, block_members.member_end(node, source), False)
    return Leading(b"|", white, block_members.member_start(node, source), True)


def iter_removals(
    target: Symbol, removal: Callable[[int], Splice], source: Source
) -> Iterator[tuple[Splice, ...]]:
    """Yield the ways to remove a member with or without a separator, the most likely first.

    ``removal`` returns the splice that removes the member from an offset on.
    """
    text, start, end = source.text, target.full_start, target.end
    before, after = _next_token(target.node, "prev_sibling"), _next_token(target.node, "next_sibling")
    if before is not None and before.end_byte > start:
        before = None
    is_adjacent = before is not None and not text[before.end_byte : start].strip()
    if before is not None and is_adjacent and _is_first(before, text):
        yield (removal(before.start_byte),)
    with_after: tuple[Splice, ...] = ()
    if after is not None and after.start_byte >= end:
        stop = after.end_byte
        with_after = (Splice(start, stop + len(text[stop:]) - len(text[stop:].lstrip(b" \t")), b""),)
        if before is None and after.type == "|":
            yield with_after
    plain_removal = removal(start)
    follows = text[end:].lstrip()[:1] == b","
    last = before is not None and before.type == "," and after is None and not follows
    is_apart = before is not None and before.end_byte <= plain_removal.start
    if last and is_apart and before is not None:  # no comma follows the last one, before or after
        yield Splice(before.start_byte, before.end_byte, b""), plain_removal
    yield (plain_removal,)
    if before is not None and is_adjacent:
        yield (Splice(len(text[: before.start_byte].rstrip(b" \t")), end, b""),)
    if with_after:
        yield with_after


def _next_token(node: tree_sitter.Node, side: str) -> tree_sitter.Node | None:
    token: tree_sitter.Node | None = getattr(node, side)
    while token is not None and token.is_extra:
        token = getattr(token, side)
    return token if token is not None and token.type.encode() in _SIGNS else None


def _is_on_one_line(node: tree_sitter.Node) -> bool:
    return node.start_point.row == node.end_point.row


def _is_first(token: tree_sitter.Node, text: bytes) -> bool:
    return not text[text.rfind(b"\n", 0, token.start_byte) + 1 : token.start_byte].strip()
