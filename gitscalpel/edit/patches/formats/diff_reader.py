"""Unified diffs, with git's extended headers and with the mistakes of language models.

Text outside of a diff (a mail, a Markdown fence, prose) is skipped, as ``git apply`` does. A line that looks
like a line of a hunk is never skipped where one may be: it is read, or an error is raised. The extended
headers are described in git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK
from gitscalpel.changesets.paths import unescape_path
from gitscalpel.edit.patches.formats import diff_hunks
from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    Hunk,
    Kind,
    ReadPatch,
    TextFormat,
    WholeContent,
    patch_error,
)

NOWHERE = "/dev/null"
_PREFIX = re.compile(r"[abciow12]/")  # diff.mnemonicPrefix has i/, w/, c/ and o/; --no-index 1/ and 2/
_EPOCH = re.compile(rb"\t(?:1970-01-01|1969-12-31) (\d\d):(\d\d):00(?:\.0+)? ([+-])(\d\d):?(\d\d)\s*\Z")
_PLAIN = re.compile(rb"diff(?: -\S+)*[ ](?P<old>[^\s'\"-]\S*|'[^']+')[ ](?P<new>[^\s'\"]\S*|'[^']+')\Z")
_KEPT = ".orig"
_LONGEST = 3 * 4096  # More than two paths need; names with blanks are not looked for in longer lines.


def parse_name(written: bytes) -> str:
    """Parse the file name after ``---``, ``+++``, ``rename from`` and similar headers."""
    written = written.rstrip(b"\r").strip(b" ") if written.startswith(b'"') else written.rstrip(b"\r")
    if written.startswith(b'"') and b'"' in written[1:]:
        return unescape_path(written[1 : written.rindex(b'"')])
    return written.split(b"\t")[0].decode("utf-8", "surrogateescape")


def is_epoch(written: bytes) -> bool:
    """Return True if the time after a name is 0, by which ``diff -N`` marks a missing file."""
    match = _EPOCH.search(written)
    if match is None:
        return False
    hour, minute, zone_hour, zone_minute = (int(part) for part in match.group(1, 2, 4, 5))
    zone = (zone_hour * 60 + zone_minute) * (1 if match[3] == b"+" else -1)
    return (hour * 60 + minute - zone) % (24 * 60) == 0 and abs(zone) < 24 * 60


def strip_prefixes(old: str, new: str) -> tuple[str, str]:
    """Return both names without the prefixes of the old and the new side, if they have such.

    Any first folder counts as a prefix if the rest is the same (``diff -r old new``), as for ``patch -p1``.
    """
    names = _strip_pair(old, new)
    backup_names = _strip_pair(old.removesuffix(_KEPT), new)  # what it was, as patch(1) and editors keep it
    return backup_names if backup_names[0] == backup_names[1] else names


def _strip_pair(old: str, new: str) -> tuple[str, str]:
    if NOWHERE in (old, new):
        return _strip_prefix(old), _strip_prefix(new)
    if old == new:
        return old, new  # written without prefixes; a folder may well be called a
    if _below_first_folder(old) and _below_first_folder(old) == _below_first_folder(new):
        return _below_first_folder(old), _below_first_folder(new)
    stripped = _strip_prefix(old), _strip_prefix(new)
    if stripped[0] == stripped[1] or (stripped[0] != old and stripped[1] != new and old[0] != new[0]):
        return stripped
    return old, new


def parse_single_name(name: str, git_name: str) -> str:
    """Return the path of a file that exists only before or only after.

    ``name`` is the name after ``---`` or ``+++``, and ``git_name`` that in ``diff --git``, or empty. Two
    equal names there are the only evidence that distinguishes a prefix from a folder.
    """
    return git_name if git_name and git_name in (name, _below_first_folder(name)) else _strip_prefix(name)


def parse_plain_line(line: bytes) -> tuple[str, str] | None:
    """Return the paths in a line such as ``diff -Nru old/x new/x``, or None if they are ambiguous."""
    match = _PLAIN.match(line.rstrip(b"\r"))
    if match is None:
        return None
    old, new = strip_prefixes(*(parse_name(match[side].strip(b"'")) for side in ("old", "new")))
    return (old, new) if old == new else None


def parse_git_line(line: bytes) -> tuple[str, str] | None:
    """Return the paths in ``diff --git a/x b/x``, or None if blanks make them ambiguous."""
    rest = line.removeprefix(b"diff --git ").rstrip(b"\r")
    quoted = re.fullmatch(rb'("(?:[^"\\]|\\.)*"|[^ "]+) ("(?:[^"\\]|\\.)*"|[^ "]+)', rest)
    if quoted:
        return strip_prefixes(parse_name(quoted[1]), parse_name(quoted[2]))
    pairs = [strip_prefixes(*names) for names in _iter_splits(rest)] if len(rest) <= _LONGEST else []
    pairs = [names for names in pairs if names[0] == names[1]]
    return pairs[0] if len(pairs) == 1 else None


def _iter_splits(rest: bytes) -> Iterator[tuple[str, str]]:
    for blank in re.finditer(rb" ", rest):
        yield parse_name(rest[: blank.start()]), parse_name(rest[blank.end() :])


def _below_first_folder(path: str) -> str:
    return path.partition("/")[2]


def _strip_prefix(path: str) -> str:
    return _PREFIX.sub("", path, count=1) if _PREFIX.match(path) else path


_MODE = re.compile(rb"(old mode|new mode|new file mode|deleted file mode)(?: (.*?))?\r?\Z")
_EXECUTABLE = 0o100
# Ids of an empty file, by SHA-1 and SHA-256.
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_KINDS: dict[bytes, Kind] = {b"new file mode": "create", b"deleted file mode": "delete"}
_MOVED = re.compile(rb"(rename|copy) (from|to|old|new) (.+)\Z", re.DOTALL)
_SIMILARITY = re.compile(rb"(?:dis)?similarity index (\d+)%\r?\Z")
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?\r?\Z")


class FileSection:
    """The section of one file, while it is read.

    Attributes:
        takes_headers: True while extended headers may follow; like ``git apply``, up to the first other line.
        folders: first folders of the names in ``---`` and ``+++`` that are not part of the paths, or None.
        lone_name: the name of a file that exists only before or only after, if nothing shows whether its
            first folder is part of the path.
    """

    def __init__(self, pair: tuple[str, str] | None, has_git_line: bool = False) -> None:
        self.old, self.new = pair or ("", "")
        self.has_git_line = has_git_line
        self.kind: Kind = "edit"
        self.hunks: list[Hunk] = []
        self.mode: str | None = None
        self.old_mode: str | None = None
        self.blobs: tuple[str, str] | None = None
        self.binary: WholeContent | None = None
        self.is_begun = False
        self.takes_headers = has_git_line
        self.is_exact_move = True
        self.folders: tuple[str, str] | None = None
        self.lone_name = ""
        self.epochs = False, False

    def header(self, line: bytes) -> bool:
        """Read one of git's extended headers; return False for any other line."""
        if not self.takes_headers:
            return False
        if mode := _MODE.match(line):
            field, number = mode[1], _normalize_mode(mode[2] or b"")
            if field in (b"new mode", b"new file mode"):
                self.mode = number
            else:
                self.old_mode = number
            self._set_kind(_KINDS.get(field, self.kind))
        elif moved := _MOVED.match(line):
            self._set_kind("rename" if moved[1] == b"rename" else "copy")
            if moved[2] in (b"from", b"old"):
                self.old = parse_name(moved[3])
            else:
                self.new = parse_name(moved[3])
        elif index := _INDEX.match(line):
            self.blobs = index[1].decode(), index[2].decode()
            self.old_mode = index[3].decode() if index[3] else self.old_mode
        elif similarity := _SIMILARITY.match(line):
            self.is_exact_move = line.startswith(b"sim") and int(similarity[1]) == 100
        elif line.startswith(b"Binary files "):
            raise patch_error(
                f"the diff lacks the binary content of {self.new or self.old}",
                "make it with git diff --binary, or replace the file with write and content_b64",
            )
        else:
            self.takes_headers = not self.says_something
            return False
        return True

    def claims(self, old_line: bytes, new_line: bytes) -> bool:
        """Return True if the names after ``---`` and ``+++`` below the headers belong to this section.

        Some headers are incomplete without them. Others may be the whole section: a rename, a copy, a new
        mode or an empty file. Then the section of another file may follow without a ``diff --git`` line.
        """
        if not self.says_something:
            return True
        written = parse_name(old_line), parse_name(new_line)
        if NOWHERE in written:
            own_name = self.old if written[1] == NOWHERE else self.new
            names = {parse_single_name(written[0] if written[1] == NOWHERE else written[1], own_name)}
        else:
            names = set(strip_prefixes(*written))
        if not self.takes_headers:  # other lines are between
            return self.new in names and names <= {self.old, self.new}
        return bool(names & {self.old, self.new}) or not self._is_complete(NOWHERE in written)

    def _is_complete(self, is_lone: bool) -> bool:
        """Return True if the headers describe the whole change, and no hunk has to follow.

        With ``is_lone`` the names below belong to a file that exists only before or only after.
        """
        if self.kind in ("rename", "copy"):
            return self.is_exact_move
        if self.blobs is None:
            return not (is_lone and self.kind in ("create", "delete"))
        old_blob, new_blob = self.blobs
        empty = old_blob if self.kind == "delete" else new_blob
        return old_blob == new_blob or any(oid.startswith(empty) for oid in _EMPTY)

    def _set_kind(self, kind: Kind) -> None:
        if self.kind not in ("edit", kind):
            raise patch_error(f"the diff says both {self.kind} and {kind} for {self.new}", "keep one of them")
        self.kind = kind

    def take_names(self, old_line: bytes, new_line: bytes) -> None:
        """Read the names after ``---`` and ``+++``; for a rename the headers are more reliable."""
        self.is_begun = True
        self.epochs = is_epoch(old_line), is_epoch(new_line)
        old, new = parse_name(old_line), parse_name(new_line)
        if old == NOWHERE and self.kind == "edit":
            self.kind = "create"
        if new == NOWHERE and self.kind == "edit":
            self.kind = "delete"
        header_names = self.old, self.new
        if self.kind in ("rename", "copy"):
            if not {*strip_prefixes(old, new)} & {*header_names}:
                raise patch_error(
                    f"the diff names {header_names[0]} and {header_names[1]}, "
                    f"but the lines below name {old} and {new}",
                    "name the same files in all of them",
                )
            return
        if NOWHERE in (old, new):
            name = parse_single_name(
                new if old == NOWHERE else old, header_names[0] if header_names[0] == header_names[1] else ""
            )
            self.old = self.new = name
            self.lone_name = new if old == NOWHERE else old
            if header_names[0] and header_names[0] == header_names[1]:
                self.lone_name = ""
        else:
            self.old, self.new = strip_prefixes(old, new)
            self.folders = old.removesuffix(self.old), new.removesuffix(self.new)
        if self.has_git_line and header_names not in (("", ""), (self.old, self.new)):
            raise patch_error(
                f"diff --git names {header_names[1]}, but the lines below it name {self.new}",
                "name the same file in all of them",
            )

    def strip(self, folders: set[str]) -> None:
        """Remove from a lone name the first folder that other sections show to be a prefix."""
        for folder in folders:
            if folder and self.lone_name.startswith(folder) and self.lone_name == self.new:
                self.old = self.new = self.lone_name.removeprefix(folder)
                return

    @property
    def _kind(self) -> Kind:
        """The kind of change; an epoch timestamp counts only if the hunks agree."""
        is_created, is_deleted = self.epochs
        if self.kind == "edit" and self.hunks and is_created and not any(hunk.old for hunk in self.hunks):
            return "create"
        if self.kind == "edit" and self.hunks and is_deleted and not any(hunk.new for hunk in self.hunks):
            return "delete"
        return self.kind

    @property
    def says_something(self) -> bool:
        """True if the section changes anything; a name alone does not."""
        return bool(self.hunks or self.binary or self.kind != "edit" or self.mode)

    def build_patch(self) -> FilePatch:
        """Return the patch of the file, or raise ``patch_failed`` if the section contradicts itself."""
        if not self.old or not self.new:
            raise patch_error(
                "the diff does not name its file", "begin it with --- a/PATH and +++ b/PATH, or give path"
            )
        if SUBMODULE in (self.mode, self.old_mode):
            raise patch_error(
                f"{self.new} is a submodule", "change it with git; patches here only change files"
            )
        kind = self._kind
        if kind == "edit" and self.old != self.new:
            raise patch_error(
                f"the diff names two files, {self.old} and {self.new}",
                "write 'rename from' and 'rename to' for a rename, or else the same name twice",
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


def _normalize_mode(mode: bytes) -> str:
    """Return a mode as git stores it: of a regular file only the executable bit counts."""
    if re.fullmatch(rb"\d{6}", mode) is None:
        raise patch_error(
            f"invalid file mode in the diff: {mode.decode('utf-8', 'replace')!r}", "write 100644 or 100755"
        )
    if mode.startswith(b"100") and set(mode) <= set(b"01234567"):
        return EXECUTABLE if int(mode, 8) & _EXECUTABLE else REGULAR
    return mode.decode()


SIGN = re.compile(rb"^(?:diff --git |--- [^\n]*\n\+\+\+ |@@)", re.MULTILINE)
_HEADING = re.compile(rb"(?:Index: \S|diff -)")
_DIFFS = (b"diff", b"patch")  # languages of fenced blocks in which every line is one of a diff


def read(diff: bytes, path: str) -> ReadPatch:
    """Return the files of a diff; hunks before any header belong to ``path``. Raises ``patch_failed``."""
    lines = diff.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    headers = [line for line in lines if line.startswith((b"@@ ", b"--- ", b"+++ ", b"diff --git "))]
    if all(line.endswith(b"\r") for line in headers):
        lines = [line.removesuffix(b"\r") for line in lines]  # the patch, not the file, has CRLF
    reader = _Reading(lines, path)
    at = 0
    while at < len(lines):
        at = reader.step(at)
    reader.strip_folders()
    patches = tuple(section.build_patch() for section in reader.sections if section.says_something)
    unchanged = next((s for s in reader.sections if s.is_begun and not s.says_something), None)
    if patches and unchanged is not None:
        raise patch_error(
            f"the diff names {unchanged.new} but contains no change to it", "write its hunks below the names"
        )
    return ReadPatch(patches, b"\n".join(reader.around))


class _Reading:
    """The sections of a diff, while its lines are read.

    Attributes:
        around: the lines outside the sections.
        fence, info: the line that opened the current Markdown block, and the language it names.
        is_inside: True if lines of a hunk may follow.
        is_mail: True if the last line read was the end of a mail.
        heading: line that diff or Subversion writes above the file names, until these are read.
    """

    def __init__(self, lines: Sequence[bytes], path: str) -> None:
        self.lines = lines
        self.path = path
        self.sections: list[FileSection] = []
        self.around: list[bytes] = []
        self.fence = self.info = b""
        self.is_inside = self.is_mail = False
        self.heading = b""

    def step(self, at: int) -> int:
        """Read the element that begins at a line, and return the index of the line after it."""
        line = self.lines[at]
        if line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            raise patch_error(
                "the patch is a combined diff of a merge",
                "send the diff to one parent: git diff COMMIT^1 COMMIT",
            )
        if diff_hunks.is_file_header(self.lines, at):
            return self._read_header(at)
        if line.startswith(b"@@"):
            return self._take_hunk(diff_hunks.read_hunk(self.lines, at, self._next_index, self.fence))
        if self.sections and line.rstrip(b"\r") == b"GIT binary patch":
            self.sections[-1].binary, at = diff_hunks.read_binary(self.lines, at + 1)
            self.sections[-1].is_begun = True
            return at
        diff_hunks.require_readable_headers(line)
        if fence := diff_hunks.FENCE.match(line):
            self._take_fence(line, fence)
        elif diff_hunks.is_mail_boundary(self.lines, at):
            self.is_inside, self.is_mail = False, True
        elif self.is_inside and self._is_bare(line):
            hunk = diff_hunks.read_bare_hunk(self.lines, at, 1, self.fence)
            if hunk is not None:
                return self._take_hunk(hunk)
        elif self._is_left_over(line):
            raise _left_over_error(line, at)
        self._take_other_line(line)
        return at + 1

    @property
    def _next_index(self) -> int:
        return len(self.sections[-1].hunks) + 1 if self.sections else 1

    def _read_header(self, at: int) -> int:
        self.is_inside, self.is_mail = True, False
        line = self.lines[at]
        if line.startswith(b"diff --git "):
            self.sections.append(FileSection(parse_git_line(line), has_git_line=True))
            self.heading = b""
            return at + 1
        old, new = line[4:], self.lines[at + 1][4:]
        if not self.sections or self.sections[-1].is_begun or not self.sections[-1].claims(old, new):
            self.sections.append(FileSection(parse_plain_line(self.heading)))
        self.sections[-1].take_names(old, new)
        self.heading = b""
        return at + 2

    def _take_hunk(self, read_hunk: diff_hunks.ReadHunk) -> int:
        if self.heading and (self.sections or not self.path):
            heading = self.heading.decode("utf-8", "replace").strip()
            raise patch_error(
                f"the hunk below {heading} has no file names", "write --- a/PATH and +++ b/PATH above it"
            )
        if not self.sections:
            self.sections.append(FileSection((self.path, self.path) if self.path else None))
        self.sections[-1].hunks.append(read_hunk.hunk)
        self.sections[-1].is_begun = self.is_inside = True
        return read_hunk.end

    def _is_bare(self, line: bytes) -> bool:
        """Return True if a hunk without a header may begin here: none was read, and the names are known."""
        section = self.sections[-1]
        if section.hunks or section.binary:
            return False
        if section.has_git_line and section.kind == "create":
            return False  # git makes such a file empty, but the author meant the lines
        if section.says_something and not section.takes_headers and not section.is_begun:
            return False  # prose below a change that needs no hunk
        return line[:1] in diff_hunks.CHANGES or (section.is_begun and bool(line.strip()))

    def _is_left_over(self, line: bytes) -> bool:
        """Return True if the line belongs to a hunk that seemed complete, because its end was context."""
        if self.info in _DIFFS:
            return line[:1] in diff_hunks.CHANGES
        return bool(self.sections) and not (self.info or self.is_mail) and diff_hunks.is_change(line)

    def _take_fence(self, line: bytes, match: re.Match[bytes]) -> None:
        if self.fence and not diff_hunks.closes_fence(line, self.fence):
            return
        self.is_inside = False
        is_end = bool(self.fence)
        self.fence = b"" if is_end else match["fence"]
        self.info = b"" if is_end else diff_hunks.fence_language(line)

    def _take_other_line(self, line: bytes) -> None:
        if self.sections and not self.sections[-1].is_begun and self.sections[-1].header(line):
            return
        if _HEADING.match(line):
            self.heading = line
        self.around.append(line)

    def strip_folders(self) -> None:
        """Remove from lone names a first folder that is a prefix of other names, as ``git apply`` does."""
        for side in (0, 1):
            folders = {section.folders[side] for section in self.sections if section.folders}
            for section in self.sections:
                if section.kind == ("delete", "create")[side]:
                    section.strip(folders)


def _left_over_error(line: bytes, at: int) -> Exception:
    text = line.decode("utf-8", "replace").strip()[:80]
    return patch_error(
        f"line {at + 1} of the patch looks like a line of a hunk but is in none: {text}",
        "write @@ above it, below the file names; keep prose outside the fence of the diff",
        line=at + 1,
    )


_COLOUR = rb"(?:\x1b\[[0-9;]*[mK])"
_COLOURED = re.compile(rb"^" + _COLOUR + rb"+(?:diff --git |--- |@@)", re.MULTILINE)
_ALL = re.compile(_COLOUR)
_HEADER = re.compile(
    _COLOUR
    + rb"*(?:diff |index |--- |\+\+\+ |@@|(?:old|new|deleted|similarity|dissimilarity|rename|copy)[ \w]* )"
)
_BEGIN = re.compile(rb"\A" + _COLOUR + rb"*([-+ ]?)" + _COLOUR + rb"*")
_BLANKS = re.compile(_COLOUR + rb"+([ \t\r]+)(?:" + _COLOUR + rb"|\Z)")
_END = re.compile(_COLOUR + rb"+(\r?)\Z")


def strip_colours(raw: bytes) -> bytes:
    """Return a diff without git's colours, or raise ``patch_failed`` if colours may belong to the file."""
    if b"\x1b[" not in raw or not _COLOURED.search(raw):
        return raw
    return b"\n".join(map(_strip_line, raw.split(b"\n")))


def _strip_line(line: bytes) -> bytes:
    if b"\x1b[" not in line:
        return line
    if _HEADER.match(line):
        return _ALL.sub(b"", line)
    text = _BEGIN.sub(rb"\1", line, count=1)
    text = _END.sub(rb"\1", _BLANKS.sub(rb"\1", text))
    if b"\x1b[" in text:
        raise patch_error(
            "a line of the coloured diff contains colours that may belong to the file",
            "send the diff without colours: `git diff --no-color --no-ext-diff`",
        )
    return text


FORMATS = (
    TextFormat(
        name="a unified diff",
        usage="a unified diff with --- a/PATH, +++ b/PATH and @@ lines",
        priority=10,
        sign=SIGN,
        read=read,
        example="--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-old\n+new\n end\n",
    ),
)
