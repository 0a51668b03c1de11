"""Reads unified diffs, with git's extended headers and with what models get wrong about them.

Whatever is no part of a diff (a mail around it, a Markdown fence, prose) is passed over, as git apply
does. What begins like a line of a hunk and stands where one may be is not: it is read or refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitscalpel.edit.patches import binary, extent, hunks, names
from gitscalpel.edit.patches.form import Read
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.patches.section import Section

SIGN = re.compile(rb"^(?:diff --git |--- [^\n]*\n\+\+\+ |@@)", re.MULTILINE)
_HEADING = re.compile(rb"(?:Index: \S|diff -)")
_DIFFS = (b"diff", b"patch")
"""What stands behind the fence of a block in which every line is one of a diff."""


def read(diff: bytes, path: str) -> Read:
    """The files of a unified diff; hunks before any header are those of ``path``.

    Raises:
        DoesNotFit: ``patch_failed``, for what cannot be read or is not supported.
    """
    lines = diff.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    headers = [line for line in lines if line.startswith((b"@@ ", b"--- ", b"+++ ", b"diff --git "))]
    if all(line.endswith(b"\r") for line in headers):
        lines = [line.removesuffix(b"\r") for line in lines]  # the patch, not the file, has CRLF
    reading = _Reading(lines, path)
    at = 0
    while at < len(lines):
        at = reading.step(at)
    reading.strip_folders()
    said = tuple(section.done() for section in reading.sections if section.says_something)
    idle = next((s for s in reading.sections if s.is_begun and not s.says_something), None)
    if said and idle is not None:
        raise failed(
            f"the diff names {idle.new} and contains no change to it", "write its hunks below the names"
        )
    return Read(said, b"\n".join(reading.around))


class _Reading:
    """The sections of a diff, while its lines are gone through.

    Attributes:
        sections: one for each file.
        around: the lines that are no part of them.
        fence, info: what began the Markdown block that is open, and the language it names.
        is_inside: lines of a hunk may follow.
        is_mail: the end of a mail was the last to come.
        heading: the line that diff or Subversion writes above the names of a file, while these are not
            there yet.
    """

    def __init__(self, lines: Sequence[bytes], path: str) -> None:
        self.lines = lines
        self.path = path
        self.sections: list[Section] = []
        self.around: list[bytes] = []
        self.fence = self.info = b""
        self.is_inside = self.is_mail = False
        self.heading = b""

    def step(self, at: int) -> int:
        """Take what begins at a line; the index of the line after it."""
        line = self.lines[at]
        if line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise failed("this is the combined diff of a merge, which is not a single change")
        if extent.is_file_header(self.lines, at):
            return self._header(at)
        if line.startswith(b"@@"):
            return self._hunk(hunks.read(self.lines, at, self._index, self.fence))
        if self.sections and line.rstrip(b"\r") == b"GIT binary patch":
            self.sections[-1].binary, at = binary.read(self.lines, at + 1)
            self.sections[-1].is_begun = True
            return at
        extent.refuse_stray(line)
        if found := extent.FENCE.match(line):
            self._fenced(line, found)
        elif extent.is_outside(self.lines, at):
            self.is_inside, self.is_mail = False, True
        elif self.is_inside and self._is_bare(line):
            bare = hunks.read_bare(self.lines, at, 1, self.fence)
            if bare is not None:
                return self._hunk(bare)
        elif self._is_left_over(line):
            raise _left_over(line, at)
        self._between(line)
        return at + 1

    @property
    def _index(self) -> int:
        return len(self.sections[-1].hunks) + 1 if self.sections else 1

    def _header(self, at: int) -> int:
        """A line of ``diff --git``, or the two with names."""
        self.is_inside, self.is_mail = True, False
        line = self.lines[at]
        if line.startswith(b"diff --git "):
            self.sections.append(Section(names.of_git_line(line), has_git_line=True))
            self.heading = b""
            return at + 1
        old, new = line[4:], self.lines[at + 1][4:]
        if not self.sections or self.sections[-1].is_begun or not self.sections[-1].claims(old, new):
            self.sections.append(Section(names.of_plain_line(self.heading)))
        self.sections[-1].named(old, new)
        self.heading = b""
        return at + 2

    def _hunk(self, found: hunks.Read) -> int:
        if self.heading and (self.sections or not self.path):
            shown = self.heading.decode("utf-8", "replace").strip()
            raise failed(f"the hunk below {shown} has no names", "write --- a/PATH and +++ b/PATH above it")
        if not self.sections:
            self.sections.append(Section((self.path, self.path) if self.path else None))
        self.sections[-1].hunks.append(found.hunk)
        self.sections[-1].is_begun = self.is_inside = True
        return found.end

    def _is_bare(self, line: bytes) -> bool:
        """Whether a hunk without a header may begin with a line: none came yet, and the names are known."""
        section = self.sections[-1]
        if section.hunks or section.binary:
            return False
        if section.has_git_line and section.kind == "create":
            return False  # git makes such a file empty, and whoever wrote the lines meant them
        if section.says_something and not section.takes_headers and not section.is_begun:
            return False  # prose below a change that needs no hunk
        return line[:1] in extent.CHANGES or (section.is_begun and bool(line.strip()))

    def _is_left_over(self, line: bytes) -> bool:
        """Whether a line is one of a hunk that seems to be over: what seemed to end its block was context."""
        if self.info in _DIFFS:
            return line[:1] in extent.CHANGES
        return bool(self.sections) and not (self.info or self.is_mail) and extent.is_change(line)

    def _fenced(self, line: bytes, found: re.Match[bytes]) -> None:
        if self.fence and not extent.closes(line, self.fence):
            return
        self.is_inside = False
        is_end = bool(self.fence)
        self.fence = b"" if is_end else found["fence"]
        self.info = b"" if is_end else extent.found_fence(line)

    def _between(self, line: bytes) -> None:
        if self.sections and not self.sections[-1].is_begun and self.sections[-1].header(line):
            return
        if _HEADING.match(line):
            self.heading = line
        self.around.append(line)

    def strip_folders(self) -> None:
        """Take off names that stand alone the first folder that other names have above their paths.

        ``git apply`` takes off the first folder of every name.
        """
        for side in (0, 1):
            folders = {section.folders[side] for section in self.sections if section.folders}
            for section in self.sections:
                if section.kind == ("delete", "create")[side]:
                    section.strip(folders)


def _left_over(line: bytes, at: int) -> Exception:
    shown = line.decode("utf-8", "replace").strip()[:80]
    return failed(
        f"line {at + 1} of the patch begins like one of a hunk and belongs to none: {shown}",
        "write @@ above it, below the names of its file; prose stands outside of the fence of a diff",
        line=at + 1,
    )
