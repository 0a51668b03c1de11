"""Reads the places out of what compilers, linters and test runners print."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import Finding, quoted

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PLACES = (
    re.compile(  # gcc's way, and go vet's, which says its name before
        r"(?:vet: )?(?P<path>[^\s:()]+):(?P<line>\d+)(?::(?P<column>\d+))?:\s*(?P<message>\S.*)"
    ),
    re.compile(r"(?P<path>[^\s()]+)\((?P<line>\d+),(?P<column>\d+)\):\s*(?P<message>\S.*)"),  # tsc's
    re.compile(  # pytest's summary; what is in brackets may hold anything
        r"(?:FAILED|ERROR) (?P<path>[^\s:]+)"
        r"(?:(?P<test>::[^\[\s][^\[]*?(?:\[(?:[^\[\]]|\[[^\]]*\])*\])?)?(?: - (?P<message>.*))?$"
        r"|\s|(?P<rest>::.*))"
    ),
)
_ARROW = re.compile(r"\s*--> (?P<path>\S+?):(?P<line>\d+):(?P<column>\d+)")  # rustc's, below what it is about
_BELOW = re.compile(  # eslint's, below the name of the file
    r"\s+(?P<line>\d+):(?P<column>\d+)\s+(?P<severity>error|warning)\s+(?P<message>\S.*)"
)
_TESTS = (
    re.compile(r"\s*--- FAIL: (?P<test>\S+)"),  # go test
    re.compile(r"\s*not ok \d+ -? ?(?P<test>.*?\S)\s*(?:# time=.*)?$"),  # the Test Anything Protocol
    re.compile(r"\s*✖ (?P<test>.*\S) \([0-9.]+ms\)"),  # node --test
)
_FAILING = re.compile(r"\b(?:fail(?:ed|ure|s)?|error|panic(?:ked)?|exception)\b", re.IGNORECASE)
_COUNTING = re.compile(r"\d+ (?:\w+ )?(?:fail|error)|\b(?:fail|error)\w*[ =:]+\d", re.IGNORECASE)
_MILD = re.compile(r"(?:warning|note|info|hint)\b", re.IGNORECASE)


class Failure(msgspec.Struct, frozen=True):
    """One failure that an output tells of.

    Attributes:
        finding: as it is told.
        test: the name of the test that failed, if it is one.
        words: what is said, beside that name.
    """

    finding: Finding
    test: str
    words: str


def of(output: str, exists: Callable[[str], bool]) -> Iterator[Failure]:
    """Each place that the output names, once; a test without a place has the path ``""``.

    Args:
        output: what a command has printed.
        exists: whether there is such a file: what looks like a place need not be one.
    """
    seen: set[Failure] = set()
    about = ""
    for raw in output.splitlines():
        line = _COLOURS.sub("", raw).rstrip()
        found = _of_line(line, about, exists)
        if found is not None and found not in seen:
            seen.add(found)
            yield found
        about = line if line and not line[0].isspace() else about


def unplaced(output: str, exists: Callable[[str], bool]) -> Iterator[Failure]:
    """Each line that tells of a failure in a form of its own, with the path ``""``; counts of them do not.

    Arguments as in :func:`of`.
    """
    for raw in output.splitlines():
        line = _COLOURS.sub("", raw).strip()
        if _FAILING.search(line) and not _COUNTING.search(line) and _of_line(line, "", exists) is None:
            yield Failure(Finding("", 1, 1, line, "error"), "", line)


def _of_line(line: str, about: str, exists: Callable[[str], bool]) -> Failure | None:
    for pattern in (*_PLACES, _ARROW):
        match = pattern.match(line)
        path = posixpath.normpath(match["path"]) if match else ""
        if match and exists(path):
            said = match.groupdict()
            test = (said.get("test") or said.get("rest") or "").removeprefix("::")
            words = said.get("message") or ("" if test else about)
            place = (quoted(path), int(said.get("line") or 1), int(said.get("column") or 1))
            return _failure(place, test, words)
    below = _BELOW.match(line)
    if below and exists(posixpath.normpath(about)):
        place = (quoted(posixpath.normpath(about)), int(below["line"]), int(below["column"]))
        return _failure(place, "", f"{below['severity']}: {below['message']}")
    for pattern in _TESTS:
        match = pattern.match(line)
        if match:
            return _failure(("", 1, 1), match["test"], "")
    return None


def _failure(place: tuple[str, int, int], test: str, words: str) -> Failure:
    message = " - ".join(filter(None, (test, words))).strip()
    severity: Literal["error", "warning"] = "warning" if _MILD.match(message) else "error"
    return Failure(Finding(*place, message, severity), test, words)
