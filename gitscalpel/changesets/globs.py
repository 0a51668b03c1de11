"""Path patterns as in `.gitignore`: `*.pem` at any depth, `/a` at the root, `src/**`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, Change
from gitscalpel.errors import Misconfigured

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_WILD = re.compile(r"[*?\[\\]")
_SPECIAL = re.compile(r"[][*?\\ ]")


def escape(name: str) -> str:
    """Return a pattern that matches one name only."""
    return _SPECIAL.sub(r"\\\g<0>", name)


class Globs:
    """Patterns that a path may match.

    Raises:
        Misconfigured: ``config_error``: a pattern is not valid.

    Args:
        patterns: patterns as in ``.gitignore``. Of those that match, the last one counts; ``!`` marks an
            exception.
        folded: True if names that some file systems treat as equal are equal: case, Unicode forms, what NTFS
            cuts off a name, and its short names. An exception still matches only its exact spelling.
    """

    def __init__(self, patterns: Iterable[str], *, folded: bool = False) -> None:
        self._folded = folded
        self._given = tuple(patterns)
        if folded:
            self._given = tuple(each for given in self._given for each in (given, *_iter_short_forms(given)))
        self._patterns = tuple(map(self._fold, self._given))
        self._spec = _compile(self._patterns)
        self._has_exceptions = any(map(_is_exception, self._given))

    def match(self, path: str) -> bool:
        """Return True if the patterns match ``path``, relative to the root."""
        spec = self._spec
        if self._folded and self._has_exceptions:
            pairs = zip(self._given, self._patterns, strict=True)
            spec = _compile(tuple(folded for given, folded in pairs if _applies(given, path)))
        spelt = self._fold(path)
        return spec.match_file(spelt) or (self._folded and spec.match_file(_trim_for_ntfs(spelt)))

    def concern(self, change: Change, *, anywhere: bool = False) -> bool:
        """Return True if the patterns match a change, or a path that may be in a changed link or submodule.

        ``anywhere`` is True to include patterns for any directory (``**/*.py``, ``*.py``) that may match
        there.
        """
        if self.match(change.path):
            return True
        folder = any(entry and entry.mode in (SYMLINK, SUBMODULE) for entry in (change.old, change.new))
        floats = anywhere and any(
            _split_pattern(p)[0] == "**" for p in self._patterns if not _is_exception(p)
        )
        return folder and (floats or self.match(f"{change.path}/.") or self._is_above(change.path))

    def _is_above(self, path: str) -> bool:
        parts = self._fold(path).split("/")
        return any(
            _is_prefix(_split_pattern(each), parts) for each in self._patterns if not _is_exception(each)
        )

    def among(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the matching paths of ``names``."""
        return (path for path in names if self.match(path))

    def _fold(self, name: str) -> str:
        if not self._folded:
            return name
        return unicodedata.normalize("NFC", paths.IGNORED.sub("", name)).casefold()


def _trim_for_ntfs(path: str) -> str:
    """Return a path as NTFS shortens its names.

    NTFS cuts off dots and blanks at the end, and streams (``a::$DATA``).
    """
    return "/".join(part.partition(":")[0].rstrip(". ") or part for part in path.split("/"))


def _iter_short_forms(pattern: str) -> Iterator[str]:
    if _is_exception(pattern):
        return
    short = "/".join(map(_short_name, pattern.split("/")))
    if short != pattern:
        yield short


def _short_name(name: str) -> str:
    stem, dot, suffix = name.lstrip(".").rpartition(".") if "." in name[1:] else (name.lstrip("."), "", "")
    plain = re.sub("[. ]", "", stem)
    if _WILD.search(name) or (name == stem + dot + suffix and len(stem) <= 8 and len(suffix) <= 3):
        return name
    return f"{plain[:6]}~[0-9]{dot}{suffix[:3]}"


def _is_exception(pattern: str) -> bool:
    return pattern.startswith("!")


def _applies(pattern: str, path: str) -> bool:
    """Return True if a pattern applies to a path. An exception applies only to its exact spelling."""
    return not _is_exception(pattern) or _compile((pattern[1:],)).match_file(path)


def _split_pattern(pattern: str) -> list[str]:
    """Return the parts of a pattern between slashes. A pattern without a slash matches at any depth."""
    inner = pattern.rstrip("/")
    return inner.lstrip("/").split("/") if "/" in inner else ["**", inner]


def _is_prefix(segments: Sequence[str], parts: Sequence[str], anywhere: bool = True) -> bool:
    """Return True if the start of a pattern matches a path; a ``**`` stands for any directories."""
    if not parts or not segments:
        return bool(segments) and not anywhere
    if segments[0] == "**":
        return _is_prefix(segments[1:], parts, anywhere) or _is_prefix(segments, parts[1:], anywhere)
    return fnmatchcase(parts[0], segments[0]) and _is_prefix(segments[1:], parts[1:], anywhere=False)


@cache
def _compile(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # takes half as long as the whole start

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except (ValueError, re.error) as error:
        if len(patterns) > 1:
            for each in patterns:
                _compile((each,))  # raises for the invalid pattern
        raise Misconfigured(
            "config_error",
            f"the pattern {patterns[0]!r} cannot be read: {error}",
            "write it as in .gitignore, in the configuration or the rule of the target branch that has it",
        ) from None
