"""Reads single entries out of an index file, where it is of the plain kind; else git is asked.

The format: https://git-scm.com/docs/index-format. Entries have no table of contents, and to walk over all of
them in Python would take longer than to start git; so an entry is searched for by its name, and believed only
if it is the one place that looks like an entry in every fixed part.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gitscalpel.changesets.file_tree import Entry, Oid
from gitscalpel.git.repository import Repository

_PLAIN = (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3")
HEADER = 12
_STATUS = 40
_MODES = {
    b"\0\0\x81\xa4": "100644",
    b"\0\0\x81\xed": "100755",
    b"\0\0\xa0\0": "120000",
    b"\0\0\xe0\0": "160000",
}
_MODE = 24
_ALIGNED = 8
_LONGEST_NAME = 0xFFF
_last: dict[tuple[str | int, ...], bytes] = {}
"""The index that was read last: a landing asks three times what is in it."""
TRACKED = "H"
"""As ``ls-files -v`` shows an entry of which nothing else is said."""


def plain(repo: Repository) -> bytes | None:
    """The index's bytes, with each path in one piece; empty: there is none; None: it is of another kind."""
    if repo.flag("index.sparse") or repo.flag("core.sparseCheckout") or repo.flag("core.splitIndex"):
        return None
    try:
        content = _read(repo.git_dir / "index")
        split = any(file.name.startswith("sharedindex.") for file in repo.git_dir.iterdir())
    except FileNotFoundError:
        return b""
    except OSError:
        return None
    return None if split or not content.startswith(_PLAIN) else content


def _read(file: Path) -> bytes:
    """The file's bytes; whoever writes an index puts a new file in its place."""
    status = file.stat()
    sign = (str(file), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    known = _last.get(sign)
    if known is None:
        known = file.read_bytes()
        _last.clear()
        _last[sign] = known
    return known


def entries(repo: Repository, names: Sequence[str]) -> dict[str, Entry] | None:
    """The entries at ``names`` that are there, all of them plain: tracked, merged, looked at.

    Returns:
        None: something of it takes git to say.
    """
    content = plain(repo)
    found = None if content is None else places(repo, content, names)
    if content is None or found is None:
        return None
    width = _width(repo)
    return {
        path: Entry(
            _MODES[content[at + _MODE : at + _MODE + 4]],
            Oid(content[at + _STATUS : at + _STATUS + width].hex()),
        )
        for path, at in found.items()
    }


def places(repo: Repository, content: bytes, names: Sequence[str]) -> dict[str, int] | None:
    """Where the entries at ``names`` begin that are there, as for :func:`entries`."""
    found = {}
    for path in names:
        name = os.fsencode(path)
        begins = _places(content, name, _STATUS + _width(repo))
        if begins is None or len(begins) > 1 or name + b"/" in content:  # a folder of that name, perhaps
            return None
        found.update(dict.fromkeys([path], begins[0]) if begins else {})
    return found


def _width(repo: Repository) -> int:
    return 32 if repo.object_format == "sha256" else 20


def _places(content: bytes, name: bytes, fixed: int) -> list[int] | None:
    """Where entries of that name begin; None: one of them is not plain."""
    length = min(len(name), _LONGEST_NAME)
    found = []
    at = content.find(name + b"\0", HEADER)
    while at >= 0:
        for wide in (0, 2):  # version 3 may have further flags before the name
            begins = at - wide - 2 - fixed
            flags = int.from_bytes(content[at - wide - 2 : at - wide], "big")
            if flags & _LONGEST_NAME == length and _begins(content, begins):
                if flags != length or wide:
                    return None
                found.append(begins)
        at = content.find(name + b"\0", at + 1)
    return found


def _begins(content: bytes, at: int) -> bool:
    return at >= HEADER and (at - HEADER) % _ALIGNED == 0 and content[at + _MODE : at + _MODE + 4] in _MODES
