"""What a unified diff says of one file: git's extended headers, its names, its hunks.

The extended headers are those of git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import re

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK
from gitscalpel.edit.patches import names
from gitscalpel.edit.patches.form import FilePatch, Kind, Whole
from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.refusals import failed

_MODE = re.compile(rb"(old mode|new mode|new file mode|deleted file mode)(?: (.*?))?\r?\Z")
_EXECUTABLE = 0o100
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
"""The ids of an empty file, by SHA-1 and SHA-256."""
_KINDS: dict[bytes, Kind] = {b"new file mode": "create", b"deleted file mode": "delete"}
_MOVED = re.compile(rb"(rename|copy) (from|to|old|new) (.+)\Z", re.DOTALL)
_SIMILARITY = re.compile(rb"(?:dis)?similarity index (\d+)%\r?\Z")
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?\r?\Z")


class Section:
    """One file's part, while it is read.

    Attributes:
        has_git_line: the section begins with ``diff --git``.
        takes_headers: extended headers may follow. As for ``git apply``, these end at the first line
            that is none of them.
        folders: the first folders of the names, as the lines ``---`` and ``+++`` write them, that are no
            part of the paths. None if the lines do not say.
        lone_name: the name as written where the file is there only before or only after, and nothing
            in the section tells whether its first folder is part of the path.
    """

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
        self.takes_headers = has_git_line
        self.is_exact_move = True
        self.folders: tuple[str, str] | None = None
        self.lone_name = ""
        self.epochs = False, False

    def header(self, line: bytes) -> bool:
        """Take one of git's extended headers; return False if the line is none of them."""
        if not self.takes_headers:
            return False
        if mode := _MODE.match(line):
            what, number = mode[1], _mode(mode[2] or b"")
            if what in (b"new mode", b"new file mode"):
                self.mode = number
            else:
                self.old_mode = number
            self._becomes(_KINDS.get(what, self.kind))
        elif moved := _MOVED.match(line):
            self._becomes("rename" if moved[1] == b"rename" else "copy")
            if moved[2] in (b"from", b"old"):
                self.old = names.name(moved[3])
            else:
                self.new = names.name(moved[3])
        elif index := _INDEX.match(line):
            self.blobs = index[1].decode(), index[2].decode()
            self.old_mode = index[3].decode() if index[3] else self.old_mode
        elif similarity := _SIMILARITY.match(line):
            self.is_exact_move = line.startswith(b"sim") and int(similarity[1]) == 100
        elif line.startswith(b"Binary files "):
            raise failed(
                f"the diff says only that {self.new or self.old} is binary and differs",
                "make it with git diff --binary, or replace the file with write and content_b64",
            )
        else:
            self.takes_headers = not self.says_something
            return False
        return True

    def claims(self, old_line: bytes, new_line: bytes) -> bool:
        """Return True if the names of ``---`` and ``+++`` below the headers are names of this section.

        Headers that say nothing by themselves need them. Others may be all that there is of the file:
        of a rename, a copy, a new mode, an empty file. Then another file's section may follow, which
        has no ``diff --git`` of its own.
        """
        if not self.says_something:
            return True
        written = names.name(old_line), names.name(new_line)
        if names.NOWHERE in written:
            known = self.old if written[1] == names.NOWHERE else self.new
            found = {names.single(written[0] if written[1] == names.NOWHERE else written[1], known)}
        else:
            found = set(names.pair(*written))
        if not self.takes_headers:  # lines of something else stand between
            return self.new in found and found <= {self.old, self.new}
        return bool(found & {self.old, self.new}) or not self._is_whole(names.NOWHERE in written)

    def _is_whole(self, is_lone: bool) -> bool:
        """Return True if the headers say all of the change, and no hunk has to follow.

        Args:
            is_lone: the names below them are those of a file that is there only before or after.
        """
        if self.kind in ("rename", "copy"):
            return self.is_exact_move
        if self.blobs is None:
            return not (is_lone and self.kind in ("create", "delete"))
        was, becomes = self.blobs
        empty = was if self.kind == "delete" else becomes
        return was == becomes or any(oid.startswith(empty) for oid in _EMPTY)

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
        known = self.old, self.new
        if self.kind in ("rename", "copy"):
            if not {*names.pair(old, new)} & {*known}:
                raise failed(
                    f"the diff names {known[0]} and {known[1]}, and the lines below {old} and {new}",
                    "name the same files in all of them",
                )
            return
        if names.NOWHERE in (old, new):
            single = names.single(
                new if old == names.NOWHERE else old, known[0] if known[0] == known[1] else ""
            )
            self.old = self.new = single
            self.lone_name = new if old == names.NOWHERE else old
            if known[0] and known[0] == known[1]:
                self.lone_name = ""
        else:
            self.old, self.new = names.pair(old, new)
            self.folders = old.removesuffix(self.old), new.removesuffix(self.new)
        if self.has_git_line and known not in (("", ""), (self.old, self.new)):
            raise failed(
                f"diff --git names {known[1]}, and the lines below it {self.new}",
                "name the same file in all of them",
            )

    def strip(self, folders: set[str]) -> None:
        """Take off a name that stands alone the folder that other sections have above their paths."""
        for folder in folders:
            if folder and self.lone_name.startswith(folder) and self.lone_name == self.new:
                self.old = self.new = self.lone_name.removeprefix(folder)
                return

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
