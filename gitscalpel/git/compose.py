"""Writes a commit object as ``git commit-tree`` would, where that is certain; a process start saved.

Git strips names, checks encodings and drops repeated parents. What it would
leave as it is can be written here; for anything else there is None, and git
is asked. See ident.c (``strbuf_addstr_without_crud``) and commit.c
(``find_invalid_utf8``) in git.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.identity import Who, person
from gitscalpel.git.settings import LiveSettings, ReadSettings, Settings

_ENDS = "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
_REFUSED = re.compile(f"[\0\ufdd0-\ufdef{_ENDS}]")


class CommitObjects:
    """A :class:`gitscalpel.git.store.Composer`."""

    def __init__(self, settings: ReadSettings | LiveSettings) -> None:
        self._settings = settings

    def signs(self) -> bool:
        """See :meth:`gitscalpel.git.store.Composer.signs`."""
        return self._settings.now().signing

    def commit(self, tree: Oid, parents: Sequence[Oid], message: bytes, author: str | None) -> bytes | None:
        """See :meth:`gitscalpel.git.store.Composer.commit`."""
        settings = self._settings.now()
        wrote, committed = _author(settings, author), settings.committer
        if wrote is None or committed is None or len(set(parents)) != len(parents):
            return None
        now = _now()
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {wrote.name} {wrote.date or now}",
            f"committer {committed.name} {committed.date or now}",
        ]
        content = "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\n" + message
        return content if _is_clean(content) else None


def _author(settings: Settings, author: str | None) -> Who | None:
    if author is None or settings.author is None:
        return settings.author
    given = person(author)
    return given and msgspec.structs.replace(given, date=given.date or settings.author.date)


def _now() -> str:
    seconds = int(time.time())
    time.tzset()  # as a git started now would: the zone may have changed since this process began
    offset = time.localtime(seconds).tm_gmtoff
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f"{seconds} {'-' if offset < 0 else '+'}{hours:02}{minutes:02}"


def _is_clean(content: bytes) -> bool:
    if content.isascii():
        return b"\0" not in content
    try:
        return not _REFUSED.search(content.decode())
    except UnicodeDecodeError:
        return False
