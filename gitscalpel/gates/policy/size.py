"""How much one edit may change."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding, quoted
from gitscalpel.gates.policy.judged import Judged


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each limit that is exceeded, at the largest change."""
    policy = judged.policy
    for path, message in over(judged, "policy", policy.max_files, policy.max_lines):
        yield Finding(quoted(path), 1, 1, message)


def over(
    judged: Judged, table: str, max_files: int | None, max_lines: int | None
) -> Iterator[tuple[str, str]]:
    """The limits of a table of the configuration that are exceeded: the file that does it, and words."""
    files = len(judged.paths)
    if max_files is not None and files > max_files:
        yield (
            judged.paths[-1],
            f"{files} file{'s change' if files > 1 else ' changes'}; {table}.max_files is {max_files}",
        )
    if max_lines is not None:
        sizes = {path: judged.size(path) for path in judged.paths}
        total = sum(sizes.values())
        if total > max_lines:
            largest = max(sizes, key=lambda path: sizes[path])
            here = f"{total} lines change, {sizes[largest]} of them here"
            yield largest, f"{here}; {table}.max_lines is {max_lines}"
