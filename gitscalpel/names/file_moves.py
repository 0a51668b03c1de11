"""Files that move together, the tree before and after, and the edits that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.edit.outcome import OpenSource
from gitscalpel.names.files import Files
from gitscalpel.text.splice import Splice


class FileMoves:
    """Old and new paths of moved files.

    Args:
        pairs: old and new path of each file.
        overlay: the tree after the move.
        read: opens a file from its path and bytes.

    Attributes:
        files: new path by old path.
        folders: new path of each directory whose files all move.
        before, after: the files of the tree before and after the move.
    """

    def __init__(self, pairs: tuple[tuple[str, str], ...], overlay: Overlay, read: OpenSource) -> None:
        self.files: Mapping[str, str] = dict(pairs)
        came = overlay.without(to for _, to in pairs)
        for path, to in pairs:
            came.put(path, overlay.entry(to))
        self.before, self.after = Files(came, read), Files(overlay, read)
        self.folders: dict[str, str] = {}
        for path, to in pairs:
            self._add_directories(path, to)

    def _add_directories(self, path: str, to: str) -> None:
        """Add the directories above a file that keep their names and of which no file stays."""
        (head, _, last), (new, _, new_last) = path.rpartition("/"), to.rpartition("/")
        while head and new and last == new_last and head != new and head not in self.folders:
            if any(True for _ in self.after.overlay.under(head)):
                return
            self.folders[head] = new
            (head, _, last), (new, _, new_last) = head.rpartition("/"), new.rpartition("/")

    def path_after(self, path: str) -> str:
        """Return the path of a file or directory after the move."""
        return self.files.get(path) or self.folders.get(path, path)

    def target_after(self, path: str) -> str:
        """Return the path that a reference finds after the move: the old path if a new file is there."""
        return path if path not in self.files.values() and self._exists_after(path) else self.path_after(path)

    def place_after(self, place: str) -> str:
        """Return the path of a file or directory after the move, also below a directory that moves."""
        found = self.target_after(place)
        head, tail = place, ""
        while found == place and head:
            head, _, last = head.rpartition("/")
            tail = f"/{last}{tail}"
            if head in self.folders:
                return self.folders[head] + tail
        return found

    def _exists_after(self, path: str) -> bool:
        """Return True if a file or a non-empty directory exists at a path after the move."""
        entry = self.after.overlay.entry(path)
        is_folder = entry is not None and entry.mode == TREE
        return any(True for _ in self.after.overlay.under(path)) if is_folder else entry is not None

    @property
    def subjects(self) -> Iterator[str]:
        """Yield whole directories that move, and files that move without their directory."""
        tops = [each for each in self.folders if each.rpartition("/")[0] not in self.folders]
        yield from tops
        for path in self.files:
            if self.target_after(path) != path and not any(path.startswith(top + "/") for top in tops):
                yield path


class MoveEdits(NamedTuple):
    """Edits that follow from a move.

    Attributes:
        splices: edits by old path, in ascending order.
        left: messages about places that may have to change as well.
    """

    splices: dict[str, list[Splice]]
    left: list[str]
