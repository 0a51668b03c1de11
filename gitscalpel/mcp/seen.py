"""Trackers of what agents have read, for a server that refuses edits of anything else."""

from __future__ import annotations

import threading

from gitscalpel.api import FileTracker


class Readers:
    """The trackers of what each agent has read in each repository."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], FileTracker] = {}
        self._lock = threading.Lock()

    def tracker_of(self, root: str, agent: str) -> FileTracker:
        """Return the tracker of an agent in the repository at a path; a new one knows nothing."""
        with self._lock:
            return self._known.setdefault((root, agent), FileTracker())
