"""File names as diffs write them: quoted, prefixed, followed by a time."""

from __future__ import annotations

import re

from gitscalpel.paths import unescaped

NOWHERE = "/dev/null"
_PREFIX = re.compile(r"[abciow12]/")  # diff.mnemonicPrefix has i/, w/, c/ and o/; --no-index 1/ and 2/


def name(written: bytes) -> str:
    """The name that follows ``---``, ``+++``, ``rename from`` and their like."""
    written = written.rstrip(b"\r").strip(b" ") if written.startswith(b'"') else written.rstrip(b"\r")
    if written.startswith(b'"') and b'"' in written[1:]:
        return unescaped(written[1 : written.rindex(b'"')])
    return written.split(b"\t")[0].decode("utf-8", "surrogateescape")


def pair(old: str, new: str) -> tuple[str, str]:
    """Both names without the prefixes that tell old from new, if that is what they are."""
    if NOWHERE in (old, new):
        return _bare(old), _bare(new)
    if old == new:
        return old, new  # written without prefixes; a folder may well be called a
    bare = _bare(old), _bare(new)
    if bare[0] == bare[1] or (bare[0] != old and bare[1] != new and old[0] != new[0]):
        return bare
    return old, new


def of_git_line(line: bytes) -> tuple[str, str] | None:
    """The names in ``diff --git a/x b/x``; None where blanks leave it open (then other headers say)."""
    rest = line.removeprefix(b"diff --git ").rstrip(b"\r")
    quoted = re.fullmatch(rb'("(?:[^"\\]|\\.)*"|[^ "]+) ("(?:[^"\\]|\\.)*"|[^ "]+)', rest)
    if quoted:
        return pair(name(quoted[1]), name(quoted[2]))
    half = len(rest) // 2
    old, new = name(rest[:half]), name(rest[half + 1 :])
    if rest[half : half + 1] == b" " and (old == new or _bare(old) == _bare(new)):
        return pair(old, new)
    return None


def _bare(path: str) -> str:
    return path if path == NOWHERE else _PREFIX.sub("", path, count=1) if _PREFIX.match(path) else path
