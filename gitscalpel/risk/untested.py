"""Untested: lines that no test reaches, as a report of coverage says. What breaks there, nobody hears."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gitscalpel import paths, private
from gitscalpel.errors import ScalpelError
from gitscalpel.risk import coverage
from gitscalpel.risk.about import About
from gitscalpel.risk.measured import Measured
from gitscalpel.snapshot import content_of
from gitscalpel.text.changes import changes
from gitscalpel.text.merge import lines

NAME = "untested"


def measure(about: About) -> Measured:
    """The share of the lines where it changes something, as they were, that no test reaches.

    The report is of the files before the change, as far as anybody can tell.
    """
    found = _report(about)
    if found is None:
        return Measured(0, 0.0, "there is no report of coverage")
    name, report = found
    reached = [hit for path in about.paths for hit in _hits(about, path, coverage.of(report, path) or {})]
    if not reached:
        return Measured(0, 0.0, f"{name} knows none of the lines where it changes something")
    missed = reached.count(False)
    share = missed / len(reached)
    return Measured(missed, share, f"{missed} of {len(reached)} lines there are reached by no test ({name})")


def _hits(about: About, path: str, known: coverage.Lines) -> Iterator[bool]:
    """Of the lines that go or are replaced, and of those around what is added."""
    overlay = about.outcome.overlay
    old, new = (lines(text or b"") for text in (overlay.before(path), overlay.content(path)))
    numbers: set[int] = set()
    for first, last, _, _ in changes(old, new) if known else ():
        numbers |= set(range(first + 1, last + 1)) or {first, first + 1}
    yield from (known[number] for number in sorted(numbers) if number in known)


def _report(about: About) -> tuple[str, dict[str, dict[int, bool]]] | None:
    """The first report that there is: in the tree, or in the user's files, where most are ignored by git."""
    root = about.ws.repo.work_tree
    for name in about.rule.coverage:
        with suppress(ScalpelError, OSError):
            path = paths.clean(name)
            content = content_of(about.outcome.overlay.below, path)
            if content is None and root is not None:
                content = private.read(root / path)
            if content is not None and len(content) <= coverage.LARGEST:
                report = coverage.read(content)
                if report:
                    return name, report
    return None
