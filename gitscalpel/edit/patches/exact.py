"""Diffs of git that name the blobs before and after, and so say to the byte what comes out.

Encodings, byte order marks and line endings follow the file where a patch is written by hand. A diff
may change just these; that it means to is certain where its bytes, taken as they are, give its blob.
"""

from __future__ import annotations

from gitscalpel.changesets.file_tree import Entry, object_hash
from gitscalpel.edit.patches import content
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.languages import document


def is_due(file: FilePatch, path: str, entry: Entry, raw: bytes) -> bool:
    """Whether the bytes of ``file`` are meant as they are, where its text may give others.

    Args:
        file: what the patch says.
        path: of the file that it starts from.
        entry: that file; without an id if operations before it have changed it.
        raw: the content of that.
    """
    if file.blobs is None or not file.hunks or not entry.oid.startswith(file.blobs[0]):
        return False
    if not _may_differ(file, path, raw):
        return False
    try:
        made = content.patched(file, file.path, raw)
    except DoesNotFit:
        return False
    algorithm = "sha256" if len(entry.oid) == 64 else "sha1"
    return object_hash(algorithm, b"blob %d\0" % len(made), made).hexdigest().startswith(file.blobs[1])


def _may_differ(file: FilePatch, path: str, raw: bytes) -> bool:
    """Whether text and bytes are two things here: by the encoding, its mark, or the line endings."""
    read = document(path, raw)
    if read.encoding != "utf-8" or (read.bom and any((hunk.number or 1) == 1 for hunk in file.hunks)):
        return True
    lines = [line for hunk in file.hunks for line in hunk.lines]
    returns = {line.text.endswith(b"\r") for line in lines if not line.bare}
    if (True in returns or b"\r\n" in raw) and returns != {True}:
        return True
    return any(content.is_foreign(line.text) for line in lines)
