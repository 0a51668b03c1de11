"""The files that ``text`` is about where it is about several, and how often each holds the text."""

from __future__ import annotations

import re

from gitscalpel import BadCall, DoesNotFit, ScalpelError, View
from gitscalpel.cli.parser import Given

WILD = frozenset("*?[")
"""Characters that make a path a pattern, unless a file is called so."""


def holding(paths: list[str], view: View, given: Given) -> dict[str, int]:
    """The files that hold ``--old``, each with how often.

    Raises:
        BadCall: ``invalid_args``.
        DoesNotFit: ``not_found``, ``file_not_found``, or ``count_mismatch`` with ``--count``.
    """
    if given.occurrence or given.expect or given.base:
        raise BadCall(
            "invalid_args",
            "--occurrence, --expect and --base are about one file",
            "leave them out, or name one file",
        )
    pattern = _pattern(given)
    files = dict.fromkeys(file for path in paths for file in _meant(path, view))
    found = {file: _count(pattern, view.read(file)) for file in files}
    found = {file: count for file, count in found.items() if count}
    total = sum(found.values())
    if not found:
        raise DoesNotFit(
            "not_found",
            f"none of {len(files)} files holds --old",
            "in several files it is looked for exactly; for one file, name that one",
            files=len(files),
        )
    if given.count is not None and given.count != total:
        raise DoesNotFit(
            "count_mismatch",
            f"--old stands at {total} places in {len(found)} files, not {given.count}",
            f"give --count {total} if all of them are meant",
            count=total,
            files=found,
            retry={"count": total},
        )
    return found


def _pattern(given: Given) -> re.Pattern[bytes]:
    old = given.old.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n")
    if not old:
        raise BadCall("empty_target", "--old is empty, so it names no place", "give the text to replace")
    if not given.regex:
        return re.compile(re.escape(old))
    try:
        return re.compile(old, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise BadCall(
            "invalid_args", f"--old is no regular expression: {error}", "correct it, or leave --regex out"
        ) from None


def _count(pattern: re.Pattern[bytes], content: bytes) -> int:
    if b"\0" in content[:8000]:  # binary, as git judges it
        return 0
    return sum(1 for _ in pattern.finditer(content.replace(b"\r\n", b"\n")))


def _meant(path: str, view: View) -> list[str]:
    return view.matching(path) if WILD.intersection(path) and not is_file(view, path) else [path]


def is_file(view: View, path: str) -> bool:
    """Whether a file has this very name."""
    try:
        view.read(path)
    except ScalpelError:
        return False
    return True
