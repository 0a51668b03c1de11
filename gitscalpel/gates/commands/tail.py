"""Shows what commands print while they run, line by line, each with the name of its gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


class Tail:
    """The ends of files that grow.

    Args:
        show: told each line.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._seen: dict[str, tuple[Path, int]] = {}

    def add(self, name: str, file: Path) -> None:
        """Show the lines of one more file."""
        self._seen[name] = (file, 0)

    def look(self) -> None:
        """Show the lines that are complete since the last look."""
        for name, (file, at) in self._seen.items():
            try:
                with file.open("rb") as opened:
                    opened.seek(at)
                    text = opened.read()
            except FileNotFoundError:
                continue
            whole = text[: text.rfind(b"\n") + 1]
            for line in whole.decode("utf-8", "replace").splitlines():
                self._show(f"{name}| {line}")
            self._seen[name] = (file, at + len(whole))
