"""How much one edit may change."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.gates.policy.judged import Judged
from gitscalpel.report import Finding, quoted


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each limit that is exceeded, at the largest change."""
    files, limits = len(judged.paths), judged.policy
    if limits.max_files is not None and files > limits.max_files:
        message = f"{files} files change; policy.max_files is {limits.max_files}"
        yield Finding(quoted(judged.paths[0]), 1, 1, message)
    if limits.max_lines is not None:
        sizes = {path: judged.size(path) for path in judged.paths}
        total = sum(sizes.values())
        if total > limits.max_lines:
            largest = max(sizes, key=lambda path: sizes[path])
            message = (
                f"{total} lines change, {sizes[largest]} of them here; policy.max_lines is {limits.max_lines}"
            )
            yield Finding(quoted(largest), 1, 1, message)
