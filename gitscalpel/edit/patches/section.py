"""What a unified diff says of one file: git's extended headers, its names, its hunks.

The extended headers are those of git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import re

from gitscalpel.edit.patches import names
from gitscalpel.edit.patches.form import FilePatch, Kind, Whole
from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.regex import lazy
from gitscalpel.snapshot import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK

_MODE = lazy(rb"(old mode|new mode|new file mode|deleted file mode)(?: (.*?))?\r?\Z")
_EXECUTABLE = 0o100
_KINDS: dict[bytes, Kind] = {b"new file mode": "create", b"deleted file mode": "delete"}
_MOVED = lazy(rb"(rename|copy) (from|to) (.+)\Z", re.DOTALL)
_INDEX = lazy(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?\r?\Z")


class Section:
    """One file's part, while it is read."""

    def __init__(self, pair: tuple[str, str] | None, has_git_line: bool = False) -> None:
        self.old, self.new = pair or ("", "")
        self.has_git_line = has_git_line
        self.kind: Kind = "edit"
        self.hunks: list[Hunk] = []
        self.mode: str | None = None
        self.old_mode: str | None = None
        self.blobs: tuple[str, str] | None = None
        self.binary: Whole | None = None
        self.is_begun = False
        self.epochs = False, False

    def header(self, line: bytes) -> None:
        """Take one of git's extended headers; what is none is passed over."""
        if mode := _MODE.match(line):
            what, number = mode[1], _mode(mode[2] or b"")
            if what in (b"new mode", b"new file mode"):
                self.mode = number
            else:
                self.old_mode = number
            self._becomes(_KINDS.get(what, self.kind))
        elif moved := _MOVED.match(line):
            self._becomes("rename" if moved[1] == b"rename" else "copy")
            if moved[2] == b"from":
                self.old = names.name(moved[3])
            else:
                self.new = names.name(moved[3])
        elif index := _INDEX.match(line):
            self.blobs = index[1].decode(), index[2].decode()
            self.old_mode = index[3].decode() if index[3] else self.old_mode
        elif line.startswith(b"Binary files "):
            raise failed(
                f"the diff says only that {self.new or self.old} is binary and differs",
                "make it with git diff --binary, or replace the file with write and content_b64",
            )

    def _becomes(self, kind: Kind) -> None:
        if self.kind not in ("edit", kind):
            raise failed(f"the diff says of {self.new} both {self.kind} and {kind}", "say one of them")
        self.kind = kind

    def named(self, old_line: bytes, new_line: bytes) -> None:
        """Take the names of ``---`` and ``+++``; those of a rename are known better already."""
        self.is_begun = True
        self.epochs = names.is_epoch(old_line), names.is_epoch(new_line)
        old, new = names.name(old_line), names.name(new_line)
        if old == names.NOWHERE and self.kind == "edit":
            self.kind = "create"
        if new == names.NOWHERE and self.kind == "edit":
            self.kind = "delete"
        if self.kind in ("rename", "copy"):
            return
        known = self.old, self.new
        if names.NOWHERE in (old, new):
            single = names.single(
                new if old == names.NOWHERE else old, known[0] if known[0] == known[1] else ""
            )
            self.old = self.new = single
        else:
            self.old, self.new = names.pair(old, new)
        if self.has_git_line and known not in (("", ""), (self.old, self.new)):
            raise failed(
                f"diff --git names {known[1]}, and the lines below it {self.new}",
                "name the same file in all of them",
            )

    @property
    def _kind(self) -> Kind:
        """What happens to the file; a time of 0 says so only where the hunks have nothing against it."""
        was, becomes = self.epochs
        if self.kind == "edit" and self.hunks and was and not any(hunk.old for hunk in self.hunks):
            return "create"
        if self.kind == "edit" and self.hunks and becomes and not any(hunk.new for hunk in self.hunks):
            return "delete"
        return self.kind

    @property
    def says_something(self) -> bool:
        """Whether there is something to do; a name alone says nothing."""
        return bool(self.hunks or self.binary or self.kind != "edit" or self.mode)

    def done(self) -> FilePatch:
        """All that was said.

        Raises:
            DoesNotFit: ``patch_failed``, if that contradicts itself or cannot be done.
        """
        if not self.old or not self.new:
            raise failed(
                "the diff does not name its file", "begin it with --- a/PATH and +++ b/PATH, or give path"
            )
        if SUBMODULE in (self.mode, self.old_mode):
            raise failed(f"{self.new} is a submodule", "move it with git; a patch here changes files only")
        kind = self._kind
        if kind == "edit" and self.old != self.new:
            raise failed(
                f"the diff names two files, {self.old} and {self.new}",
                "write rename from and rename to if it is renamed, else the same name twice",
            )
        return FilePatch(
            path=self.old if kind == "delete" else self.new,
            source=self.new if kind == "create" else self.old,
            kind=kind,
            pieces=tuple(self.hunks),
            mode=self.mode,
            link=SYMLINK in (self.mode, self.old_mode),
            base=self.blobs[0] if self.blobs and self.binary else None,
            blobs=self.blobs,
            content=self.binary,
        )


def _mode(written: bytes) -> str:
    """A mode as git keeps it: of a regular file only whether it can be executed counts."""
    if re.fullmatch(rb"\d{6}", written) is None:
        raise failed(
            f"the diff gives a file the mode {written.decode('utf-8', 'replace')!r}", "write 100644 or 100755"
        )
    if written.startswith(b"100") and set(written) <= set(b"01234567"):
        return EXECUTABLE if int(written, 8) & _EXECUTABLE else REGULAR
    return written.decode()
