"""File names as diffs write them: quoted, prefixed, followed by a time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.changesets.paths import unescaped

NOWHERE = "/dev/null"
_PREFIX = re.compile(r"[abciow12]/")  # diff.mnemonicPrefix has i/, w/, c/ and o/; --no-index 1/ and 2/
_EPOCH = re.compile(rb"\t(?:1970-01-01|1969-12-31) (\d\d):(\d\d):00(?:\.0+)? ([+-])(\d\d):?(\d\d)\s*\Z")
_PLAIN = re.compile(rb"diff(?: -\S+)*[ ](?P<old>[^\s'\"-]\S*|'[^']+')[ ](?P<new>[^\s'\"]\S*|'[^']+')\Z")
_KEPT = ".orig"
_LONGEST = 3 * 4096
"""More than two paths take; names between blanks are not looked for in longer lines."""


def name(written: bytes) -> str:
    """The name that follows ``---``, ``+++``, ``rename from`` and their like."""
    written = written.rstrip(b"\r").strip(b" ") if written.startswith(b'"') else written.rstrip(b"\r")
    if written.startswith(b'"') and b'"' in written[1:]:
        return unescaped(written[1 : written.rindex(b'"')])
    return written.split(b"\t")[0].decode("utf-8", "surrogateescape")


def is_epoch(written: bytes) -> bool:
    """Whether the time after a name is 0, which is how ``diff -N`` says that there is no such file."""
    time = _EPOCH.search(written)
    if time is None:
        return False
    hour, minute, zone_hour, zone_minute = (int(part) for part in time.group(1, 2, 4, 5))
    zone = (zone_hour * 60 + zone_minute) * (1 if time[3] == b"+" else -1)
    return (hour * 60 + minute - zone) % (24 * 60) == 0 and abs(zone) < 24 * 60


def pair(old: str, new: str) -> tuple[str, str]:
    """Both names without the prefixes that tell old from new, if that is what they are.

    Any first folder is one where the rest is the same (``diff -r old new``), as for ``patch -p1``.
    """
    found = _pair(old, new)
    kept = _pair(old.removesuffix(_KEPT), new)  # what it was, as patch(1) and editors keep it
    return kept if kept[0] == kept[1] else found


def _pair(old: str, new: str) -> tuple[str, str]:
    if NOWHERE in (old, new):
        return _bare(old), _bare(new)
    if old == new:
        return old, new  # written without prefixes; a folder may well be called a
    if _rest(old) and _rest(old) == _rest(new):
        return _rest(old), _rest(new)
    bare = _bare(old), _bare(new)
    if bare[0] == bare[1] or (bare[0] != old and bare[1] != new and old[0] != new[0]):
        return bare
    return old, new


def single(written: str, known: str) -> str:
    """The name of a file that is only there before or after.

    Args:
        written: as it follows ``---`` or ``+++``.
        known: what ``diff --git`` calls it, ``""`` if it does not say; two equal names there are the
            only thing to tell a prefix from a folder.
    """
    return known if known and known in (written, _rest(written)) else _bare(written)


def of_plain_line(line: bytes) -> tuple[str, str] | None:
    """Return the paths that a line such as ``diff -Nru old/x new/x`` names; None if it leaves them open."""
    found = _PLAIN.match(line.rstrip(b"\r"))
    if found is None:
        return None
    old, new = pair(*(name(found[side].strip(b"'")) for side in ("old", "new")))
    return (old, new) if old == new else None


def of_git_line(line: bytes) -> tuple[str, str] | None:
    """The names in ``diff --git a/x b/x``; None where blanks leave it open (then other headers say)."""
    rest = line.removeprefix(b"diff --git ").rstrip(b"\r")
    quoted = re.fullmatch(rb'("(?:[^"\\]|\\.)*"|[^ "]+) ("(?:[^"\\]|\\.)*"|[^ "]+)', rest)
    if quoted:
        return pair(name(quoted[1]), name(quoted[2]))
    found = [pair(*names) for names in _splits(rest)] if len(rest) <= _LONGEST else []
    found = [names for names in found if names[0] == names[1]]
    return found[0] if len(found) == 1 else None


def _splits(rest: bytes) -> Iterator[tuple[str, str]]:
    """What stands before and after each blank."""
    for blank in re.finditer(rb" ", rest):
        yield name(rest[: blank.start()]), name(rest[blank.end() :])


def _rest(path: str) -> str:
    """``path`` below its first folder; empty if it is in none."""
    return path.partition("/")[2]


def _bare(path: str) -> str:
    return _PREFIX.sub("", path, count=1) if _PREFIX.match(path) else path
