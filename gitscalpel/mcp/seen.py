"""What each agent has read, where it may edit nothing that it has not, or that has changed since."""

from __future__ import annotations

import threading

from gitscalpel import FileTracker


class Readers:
    """What each agent has seen in each repository."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], FileTracker] = {}
        self._lock = threading.Lock()

    def of(self, root: str, agent: str) -> FileTracker:
        """What one has seen in one."""
        with self._lock:
            return self._known.setdefault((root, agent), FileTracker())
