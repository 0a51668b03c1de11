"""Hunks of a unified diff, where they end, and binary changes.

The line counts of a hunk header determine where the hunk ends, and only they distinguish a removed line ``--
x`` from a header. If they cannot be right, the hunk contains every line that looks like one of a hunk, up to
the next header, the end of the fence, or the mail around it.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gitscalpel.edit.patches.formats.patch_model import Hunk, Line, WholeContent, patch_error

MARKS = (b" ", b"-", b"+")
CHANGES = (b"-", b"+")
SIGNATURE = b"-- "  # below the last hunk of format-patch, above git's version
# Can only be meant as the header of a hunk.
_STRAY = re.compile(rb"^[ \t]*@+ *-[0-9]+(?:,[0-9]+)? *\+[0-9]+.*$", re.MULTILINE)
# With its indentation, since a fence one blank deeper is context.
FENCE = re.compile(rb"(?P<fence> {0,3}(?:`{3,}|~{3,}))[ \t]*(?P<info>[^`]*?)\s*\Z")
_MAIL = re.compile(rb"From [0-9a-f]{40} ")
_VERSION = re.compile(rb"\d+\.\d+")
_BULLET = re.compile(rb"- \S")
# Lines that ``diff -r`` writes between the sections of files.
_RECURSIVE = re.compile(rb"Only in [^:]+: \S|(?:Binary files|Files) \S.* differ\r?\Z")
_RULE = re.compile(rb"={20,}\r?\Z")


def is_file_header(lines: Sequence[bytes], at: int) -> bool:
    if lines[at].startswith(b"diff --git "):
        return True
    return lines[at].startswith(b"--- ") and _line_below(lines, at).startswith(b"+++ ")


def _line_below(lines: Sequence[bytes], at: int) -> bytes:
    return lines[at + 1] if at + 1 < len(lines) else b""


def is_certain_header(lines: Sequence[bytes], at: int) -> bool:
    """Return True for a file header followed by a hunk header, which ends even an incomplete hunk."""
    return is_file_header(lines, at) and at + 2 < len(lines) and lines[at + 2].startswith(b"@@")


def is_mail_boundary(lines: Sequence[bytes], at: int) -> bool:
    """Return True if the patch of a mail ends at ``lines[at]``, or another mail begins."""
    if _MAIL.match(lines[at]):
        return True
    return is_signature(lines[at]) and _VERSION.match(_line_below(lines, at)) is not None


def is_index_line(lines: Sequence[bytes], at: int) -> bool:
    """Return True if ``lines[at]`` names the next file as Subversion or quilt do."""
    return lines[at].startswith(b"Index: ") and _RULE.match(_line_below(lines, at)) is not None


def is_signature(line: bytes) -> bool:
    return line.rstrip(b"\r") in (SIGNATURE, b"--")


def closes_fence(line: bytes, fence: bytes) -> bool:
    """Return True if ``line`` closes the block that ``fence`` opened (CommonMark 0.31, section 4.5)."""
    match = FENCE.match(line) if fence else None
    return match is not None and not match["info"] and match["fence"].startswith(fence)


def hunk_boundary(lines: Sequence[bytes], at: int, fence: bytes) -> int:
    """Return the index of the first line from ``at`` on that cannot be part of a hunk.

    ``fence`` is the line that opened the Markdown block around the hunk, or empty.
    """
    return next((n for n in range(at, len(lines)) if _is_boundary(lines, n, fence)), len(lines))


def _is_boundary(lines: Sequence[bytes], at: int, fence: bytes) -> bool:
    line = lines[at]
    if (
        line.startswith((b"@@", b"diff ", b"*** "))
        or is_file_header(lines, at)
        or is_mail_boundary(lines, at)
    ):
        return True
    if _STRAY.match(line) or _RECURSIVE.match(line) or is_index_line(lines, at):
        return True
    return closes_fence(line, fence) or (fence_language(line) in (b"diff", b"patch"))


def fence_language(line: bytes) -> bytes:
    match = FENCE.match(line)
    return match["info"].split(b" ")[0].lower() if match else b""


def is_change(line: bytes) -> bool:
    """Return True if the line is an added or removed line, and not a bullet in prose."""
    return line[:1] in CHANGES and not _BULLET.match(line)


def hunk_end(lines: Sequence[bytes], at: int, stop: int) -> int:
    """Return the index below the last of ``lines[at:stop]`` that can only be part of a hunk.

    Lines without a mark are context that lost its blank if lines with one follow. Below a blank line they may
    be prose, and so may bullets and indented lines.
    """
    last, is_prose, is_apart = at, False, False
    for n in range(at, stop):
        line = lines[n].rstrip(b"\r")
        if not line:
            is_apart = True
            continue
        changes = is_change(line) or (not is_prose and line[:1] in CHANGES)
        if changes or (not is_prose and line[:1] == b" ") or (line[:1] == b"\\" and last == n):
            last, is_prose = n + 1, False
        elif is_apart:
            is_prose = True
        is_apart = False
    return last


def continues_below(lines: Sequence[bytes], at: int, stop: int) -> bool:
    """Return True if lines below a hunk that is complete by its counts can only belong to it."""
    if at >= stop:
        return False
    if lines[at].rstrip(b"\r") == b"":
        below = next((line for line in lines[at:stop] if line.strip()), b"")
        return below[:1] == b" " or any(map(is_change, lines[at:stop]))
    if is_signature(lines[at]):
        return False
    return lines[at][:1] in MARKS or hunk_end(lines, at, stop) > at


def require_readable_headers(text: bytes) -> None:
    """Raise ``patch_failed`` for an unreadable hunk header, whose lines would be skipped as prose."""
    match = _STRAY.search(text)
    if match is not None:
        raise patch_error(
            f"the header of a hunk cannot be read: {match[0].decode('utf-8', 'replace').strip()}",
            "write it as @@ -LINE,COUNT +LINE,COUNT @@, or as @@ alone",
        )


_HEADER = re.compile(rb"@@+ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(.*)\Z", re.DOTALL)
_AT = re.compile(rb"(?:\A|(?<=\s))@@+(?=\s|\Z)")
_PLACEHOLDER = re.compile(rb"[\s.,\-+\d]*|-\S+ \+\S+")


class ReadHunk(NamedTuple):
    """A hunk, and the index of the first line that is not certainly part of the hunk."""

    hunk: Hunk
    end: int


class _Counts(NamedTuple):
    olds: int
    news: int
    opens: bool


class _Body(msgspec.Struct, frozen=True):
    lines: list[Line]
    end: int


def read_hunk(lines: Sequence[bytes], at: int, index: int, fence: bytes) -> ReadHunk:
    """Return the hunk with the header ``lines[at]``; ``fence`` is as for :func:`hunk_boundary`."""
    header = _HEADER.match(lines[at])
    if header is None:
        return _read_unnumbered(lines, at + 1, index, fence, _read_titles(lines[at]))
    number, heading = int(header[1]), header[5].strip()
    olds, news = (int(count) if count is not None else 1 for count in header.group(2, 4))
    counts = _Counts(olds, news, opens=(number, olds) == (0, 0))
    for is_strict in (True, False):
        body = _read_counted(lines, at + 1, counts, fence, is_strict=is_strict)
        if body is not None:
            loose = _count_loose(lines, body)
            hunk = Hunk(
                index=index,
                lines=tuple(body.lines),
                number=number + (counts.olds == 0),  # a range without lines is after the line it names
                exact=is_strict,
                opens=counts.opens,
                heading=heading,
                loose=loose,
            )
            return ReadHunk(hunk, body.end - loose)
    body, loose = _read_to_boundary(lines, at + 1, fence, counts)
    note = f"counted the lines of hunk {index}"
    hunk = Hunk(index=index, lines=tuple(body.lines), number=number, heading=heading, loose=loose)
    return ReadHunk(hunk.with_correction(note), body.end - loose)


def read_bare_hunk(lines: Sequence[bytes], at: int, index: int, fence: bytes) -> ReadHunk | None:
    """Return the hunk without a header at ``lines[at]``, or None if the line is not part of a hunk."""
    stop = hunk_boundary(lines, at, fence)
    return _read_unnumbered(lines, at, index, fence) if hunk_end(lines, at, stop) > at else None


def _read_unnumbered(
    lines: Sequence[bytes], at: int, index: int, fence: bytes, anchors: tuple[tuple[bytes, ...], ...] = ()
) -> ReadHunk:
    body, loose = _read_to_boundary(lines, at, fence)
    hunk = Hunk(index=index, lines=tuple(body.lines), anchors=anchors, loose=loose)
    return ReadHunk(hunk.with_correction(f"hunk {index} came without line numbers"), body.end - loose)


def _read_titles(header: bytes) -> tuple[tuple[bytes, ...], ...]:
    """Return the anchors of a header without numbers; placeholders for numbers are skipped."""
    titles = (part.strip() for part in _AT.split(header))
    return tuple((part.strip(b"@ "),) for part in titles if not _PLACEHOLDER.fullmatch(part))


def _read_counted(
    lines: Sequence[bytes], at: int, counts: _Counts, fence: bytes, *, is_strict: bool
) -> _Body | None:
    """Return the body by its counts, or None if they cannot be right.

    ``is_strict`` is True if no line other than a blank one may lack its mark.
    """
    body: list[Line] = []
    olds, news, _ = counts
    while olds > 0 or news > 0 or _is_bare(lines, at):
        if at >= len(lines) or is_certain_header(lines, at):
            return None
        if _is_bare(lines, at):
            if not body:
                return None
            body[-1] = body[-1]._replace(bare=True)
        else:
            line = _parse_line(lines[at])
            if line.unmarked and (is_strict or lines[at].startswith((b"@@", b"diff ", b"*** "))):
                return None
            body.append(line)
            olds -= line.mark != b"+"
            news -= line.mark != b"-"
        at += 1
    stop = hunk_boundary(lines, at, fence)
    # If only the number shows the place, the lines directly below may be its context.
    has_line_below = counts.olds == 0 and at < stop and lines[at].strip() and not is_signature(lines[at])
    may_lack_context = has_line_below and not counts.opens
    if min(olds, news) < 0 or may_lack_context or continues_below(lines, at, stop):
        return None
    return _Body(body, at)


def _count_loose(lines: Sequence[bytes], body: _Body) -> int:
    """Return the number of final lines that may be blank lines and prose below the hunk."""
    begin = body.end
    while begin > body.end - len(body.lines) and lines[begin - 1][:1] not in (*MARKS, b"\\"):
        begin -= 1
    separators = (n for n in range(begin, body.end) if not lines[n].strip() or FENCE.match(lines[n]))
    return body.end - next(separators, body.end)


def _read_to_boundary(
    lines: Sequence[bytes], at: int, fence: bytes, counts: _Counts | None = None
) -> tuple[_Body, int]:
    """Return the body up to the last line of a hunk, and how many of its final lines are doubtful.

    Doubtful are the lines directly below, and if the counts announce more lines, also those after blank ones.
    """
    stop = hunk_boundary(lines, at, fence)
    end = hunk_end(lines, at, stop)
    body: list[Line] = []
    for n in range(at, end):
        if _is_bare(lines, n) and body:
            body[-1] = body[-1]._replace(bare=True)
        else:
            body.append(_parse_line(lines[n]))
    missing = max(0, counts.news - sum(line.mark != b"-" for line in body)) if counts else 0
    below = end
    while below < stop and (lines[below].strip() or below - end < missing):
        below += 1
    while below > end and not lines[below - 1].strip():
        below -= 1
    body += map(_parse_line, lines[end:below])
    return _Body(body, below), below - end


def _is_bare(lines: Sequence[bytes], at: int) -> bool:
    return at < len(lines) and lines[at].startswith(b"\\")


def _parse_line(raw: bytes) -> Line:
    if raw.rstrip(b"\r") == b"":
        return Line(b" ", raw)
    return Line(raw[:1], raw[1:]) if raw[:1] in MARKS else Line(b" ", raw, unmarked=True)


_BINARY_HEADER = re.compile(rb"(literal|delta) (\d{1,18})\r?\Z")


def read_binary(lines: Sequence[bytes], at: int) -> tuple[WholeContent, int]:
    """Return the binary change at ``lines[at]``, and the index after its forward part.

    The data are base85 of zlib data, in the line format of ``emit_binary_diff_body`` in git's diff.c.
    """
    header = _BINARY_HEADER.match(lines[at]) if at < len(lines) else None
    if header is None:
        raise patch_error("the binary part of the diff cannot be read")
    at += 1
    packed: list[bytes] = []
    while at < len(lines) and lines[at].strip():
        packed.append(_unpack_line(lines[at].rstrip(b"\r")))
        at += 1
    size = int(header[2])
    try:
        data = zlib.decompressobj().decompress(b"".join(packed), size + 1)
    except zlib.error as error:
        raise patch_error(f"the binary part of the diff is damaged: {error}") from None
    if len(data) != size:
        raise patch_error("the binary part of the diff has the wrong length")
    return WholeContent(data, header[1] == b"delta"), at


def _unpack_line(line: bytes) -> bytes:
    """Decode one line; its first letter is the number of bytes."""
    letter = line[0]
    count = letter - ord("A") + 1 if letter <= ord("Z") else letter - ord("a") + 27
    try:
        data = base64.b85decode(line[1:])
    except ValueError as error:
        raise patch_error(f"the binary part of the diff is damaged: {error}") from None
    if not 0 < count <= len(data):
        raise patch_error("the binary part of the diff is damaged")
    return data[:count]


def apply_binary(change: WholeContent, old: bytes) -> bytes:
    """Return the new content from ``old``; deltas are as in gitformat-pack(5), "Deltified representation"."""
    if not change.is_delta:
        return change.data
    try:
        return _apply_delta(change.data, old)
    except IndexError:
        raise patch_error("the binary delta of the diff is damaged") from None


def _apply_delta(delta: bytes, old: bytes) -> bytes:
    size, at = _read_number(delta, 0)
    expected_size, at = _read_number(delta, at)
    if size != len(old):
        raise patch_error("the binary delta was made from other content")
    pieces: list[bytes] = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            fields = [0] * 7
            for bit in range(7):
                if code & (1 << bit):
                    fields[bit] = delta[at]
                    at += 1
            start = int.from_bytes(bytes(fields[:4]), "little")
            length = int.from_bytes(bytes(fields[4:]), "little") or 0x10000
            pieces.append(old[start : start + length])
        else:
            pieces.append(delta[at : at + code])
            at += code
    content = b"".join(pieces)
    if len(content) != expected_size:
        raise patch_error("the binary delta of the diff is damaged")
    return content


def _read_number(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if not byte & 0x80:
            return value, at
