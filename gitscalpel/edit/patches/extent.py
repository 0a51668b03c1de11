"""How far a hunk of a unified diff reaches, where its counts cannot say so.

Whatever begins like a line of a hunk belongs to one, up to the next header, the end of the fence or
the mail around it: no such line is passed over in silence. Bullets in prose below are the exception.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitscalpel.edit.patches.refusals import failed

MARKS = (b" ", b"-", b"+")
CHANGES = (b"-", b"+")
SIGNATURE = b"-- "
"""What format-patch puts below the last hunk, above git's version."""
_STRAY = re.compile(rb"^[ \t]*@+ *-[0-9]+(?:,[0-9]+)? *\+[0-9]+.*$", re.MULTILINE)
"""What can only be meant as a hunk's header."""
FENCE = re.compile(rb"(?P<fence> {0,3}(?:`{3,}|~{3,}))[ \t]*(?P<info>[^`]*?)\s*\Z")
"""With its indentation, since a fence one blank deeper is context."""
_MAIL = re.compile(rb"From [0-9a-f]{40} ")
_VERSION = re.compile(rb"\d+\.\d+")
_BULLET = re.compile(rb"- \S")
_RECURSIVE = re.compile(rb"Only in [^:]+: \S|(?:Binary files|Files) \S.* differ\r?\Z")
"""What ``diff -r`` says between the parts of files."""
_RULE = re.compile(rb"={20,}\r?\Z")


def is_file_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether a file's part begins at ``lines[at]``."""
    if lines[at].startswith(b"diff --git "):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else b""
    return lines[at].startswith(b"--- ") and following.startswith(b"+++ ")


def is_certain_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether it does even where counts say that the hunk goes on: the header of a hunk follows."""
    return is_file_header(lines, at) and at + 2 < len(lines) and lines[at + 2].startswith(b"@@")


def is_outside(lines: Sequence[bytes], at: int) -> bool:
    """Whether the patch of a mail ends at ``lines[at]``, or another mail begins."""
    if _MAIL.match(lines[at]):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else b""
    return lines[at].rstrip(b"\r") in (SIGNATURE, b"--") and _VERSION.match(following) is not None


def is_index(lines: Sequence[bytes], at: int) -> bool:
    """Return True if Subversion or quilt name the next file at ``lines[at]``."""
    following = lines[at + 1] if at + 1 < len(lines) else b""
    return lines[at].startswith(b"Index: ") and _RULE.match(following) is not None


def is_end(line: bytes) -> bool:
    """Whether it is the line that stands below the patch in a mail."""
    return line.rstrip(b"\r") in (SIGNATURE, b"--")


def closes(line: bytes, fence: bytes) -> bool:
    """Whether ``line`` ends the block that ``fence`` began (CommonMark 0.31, section 4.5)."""
    found = FENCE.match(line) if fence else None
    return found is not None and not found["info"] and found["fence"].startswith(fence)


def boundary(lines: Sequence[bytes], at: int, fence: bytes) -> int:
    """The first line from ``at`` on that no hunk reaches over.

    Args:
        lines: the whole text.
        at: from where on to look.
        fence: what began the Markdown block around the hunk, empty if nothing.
    """
    return next((n for n in range(at, len(lines)) if _bounds(lines, n, fence)), len(lines))


def _bounds(lines: Sequence[bytes], at: int, fence: bytes) -> bool:
    line = lines[at]
    if line.startswith((b"@@", b"diff ", b"*** ")) or is_file_header(lines, at) or is_outside(lines, at):
        return True
    if _STRAY.match(line) or _RECURSIVE.match(line) or is_index(lines, at):
        return True
    return closes(line, fence) or (found_fence(line) in (b"diff", b"patch"))


def found_fence(line: bytes) -> bytes:
    """The language behind a fence, if the line is one that says one."""
    found = FENCE.match(line)
    return found["info"].split(b" ")[0].lower() if found else b""


def is_change(line: bytes) -> bool:
    """Whether a line below a hunk or in prose is one that comes or goes, and no bullet."""
    return line[:1] in CHANGES and not _BULLET.match(line)


def end(lines: Sequence[bytes], at: int, stop: int) -> int:
    """The line below the last of ``lines[at:stop]`` that can only be one of a hunk.

    Lines without a mark are context that lost its blank if lines with one follow; below a blank line
    they may be prose, and then bullets and indented lines are that too.
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


def goes_on(lines: Sequence[bytes], at: int, stop: int) -> bool:
    """Whether below a hunk that is whole by its counts, there is what can only be more of it."""
    if at >= stop:
        return False
    if lines[at].rstrip(b"\r") == b"":
        below = next((line for line in lines[at:stop] if line.strip()), b"")
        return below[:1] == b" " or any(map(is_change, lines[at:stop]))
    if is_end(lines[at]):
        return False
    return lines[at][:1] in MARKS or end(lines, at, stop) > at


def refuse_stray(text: bytes) -> None:
    """Refuse a hunk's header that cannot be read; its lines would be passed over as prose.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    stray = _STRAY.search(text)
    if stray is not None:
        raise failed(
            f"the header of a hunk cannot be read: {stray[0].decode('utf-8', 'replace').strip()}",
            "write it as @@ -LINE,COUNT +LINE,COUNT @@, or as @@ alone",
        )
