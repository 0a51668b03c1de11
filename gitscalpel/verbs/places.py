"""The files that ``text`` is about where it is about several, and how often each holds the text."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from gitscalpel.api import BadCall, DoesNotFit, ScalpelError, View
from gitscalpel.errors.messages import arg

WILD = frozenset("*?[")
"""Characters that make a path a pattern, unless a file is called so."""


class Wanted(msgspec.Struct, frozen=True):
    """Text that is looked for in files and patterns of files; ``times`` is how often it must be there."""

    paths: tuple[str, ...]
    old: str
    regex: bool
    times: int | None


def holding(view: View, asked: Wanted) -> dict[str, int]:
    """The files that hold the text, each with how often.

    Raises:
        BadCall: ``empty_target``, ``invalid_args``.
        DoesNotFit: ``not_found``, ``file_not_found``, ``count_mismatch`` of ``count``, or ``too_slow``.
    """
    counted = _counting(asked)
    files = dict.fromkeys(file for path in asked.paths for file in _meant(path, view))
    if not files:
        raise DoesNotFit(
            "file_not_found",
            f"no file is called {' or '.join(asked.paths)}",
            "check the pattern; `git ls-files` lists the files that git knows",
        )
    found = {file: _count(counted, view.read(file)) for file in files}
    found = {file: count for file, count in found.items() if count}
    total = sum(found.values())
    if not found:
        raise DoesNotFit(
            "not_found",
            f"none of {len(files)} files holds {arg('old')}",
            "in several files it is looked for exactly; for one file, name that one",
            files=len(files),
        )
    if asked.times is not None and asked.times != total:
        raise DoesNotFit(
            "count_mismatch",
            f"{arg('old')} stands at {total} places in {len(found)} files, not {asked.times}",
            f"give {arg('count', total)} if all of them are meant",
            count=total,
            files=found,
            retry={"count": total},
        )
    return found


def _counting(asked: Wanted) -> Callable[[bytes], int]:
    old = asked.old.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n")
    if not old:
        raise BadCall(
            "empty_target", f"{arg('old')} is empty, so it names no place", "give the text to replace"
        )
    if not asked.regex:
        return lambda text: text.count(old)
    from gitscalpel.system.regex_worker import Sent

    try:
        pattern = Sent(old, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise BadCall(
            "invalid_args",
            f"{arg('old')} is not a regular expression: {error}",
            f"correct it, or leave {arg('regex')} out",
        ) from None
    return lambda text: len(pattern.matches(text))


def _count(counted: Callable[[bytes], int], content: bytes) -> int:
    if b"\0" in content[:8000]:  # binary, as git judges it
        return 0
    return counted(content.replace(b"\r\n", b"\n"))


def _meant(path: str, view: View) -> list[str]:
    return view.matching(path) if WILD.intersection(path) and not is_file(view, path) else [path]


def is_file(view: View, path: str) -> bool:
    """Whether a file has this very name."""
    try:
        view.read(path)
    except ScalpelError:
        return False
    return True
