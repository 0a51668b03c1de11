"""Files that move together, the tree before and after, and the edits that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.edit.outcome import OpenSource
from gitscalpel.names.files import Files
from gitscalpel.text.splice import Splice


class FileMoves:
    """Where files go.

    Args:
        pairs: where each was, and where it is.
        overlay: the tree after that.
        read: opens a file of a path with its bytes.

    Attributes:
        files: by path, where each file goes.
        folders: those of which nothing stays, and where they go.
        before, after: the tree.
    """

    def __init__(self, pairs: tuple[tuple[str, str], ...], overlay: Overlay, read: OpenSource) -> None:
        self.files: Mapping[str, str] = dict(pairs)
        came = overlay.without(to for _, to in pairs)
        for path, to in pairs:
            came.put(path, overlay.entry(to))
        self.before, self.after = Files(came, read), Files(overlay, read)
        self.folders: dict[str, str] = {}
        for path, to in pairs:
            self._folders(path, to)

    def _folders(self, path: str, to: str) -> None:
        """The folders of a file that has kept its name in them, as far as nothing of them stays."""
        (head, _, last), (new, _, new_last) = path.rpartition("/"), to.rpartition("/")
        while head and new and last == new_last and head != new and head not in self.folders:
            if any(True for _ in self.after.overlay.under(head)):
                return
            self.folders[head] = new
            (head, _, last), (new, _, new_last) = head.rpartition("/"), new.rpartition("/")

    def to(self, path: str) -> str:
        """Where a file or folder is in the end."""
        return self.files.get(path) or self.folders.get(path, path)

    def means(self, path: str) -> str:
        """Where what names a file finds it in the end: in its old place, if something new stands there."""
        return path if path not in self.files.values() and self._is_there(path) else self.to(path)

    def place_after(self, place: str) -> str:
        """Return where a file or directory is after the move, also one below a directory that moves."""
        found = self.means(place)
        head, tail = place, ""
        while found == place and head:
            head, _, last = head.rpartition("/")
            tail = f"/{last}{tail}"
            if head in self.folders:
                return self.folders[head] + tail
        return found

    def _is_there(self, path: str) -> bool:
        """Whether a file, or a folder with something in it, stands at a path afterwards."""
        entry = self.after.overlay.entry(path)
        is_folder = entry is not None and entry.mode == TREE
        return any(True for _ in self.after.overlay.under(path)) if is_folder else entry is not None

    @property
    def subjects(self) -> Iterator[str]:
        """What moves by itself: folders as a whole, and the files that do not go with one."""
        tops = [each for each in self.folders if each.rpartition("/")[0] not in self.folders]
        yield from tops
        for path in self.files:
            if self.means(path) != path and not any(path.startswith(top + "/") for top in tops):
                yield path


class MoveEdits(NamedTuple):
    """What follows.

    Attributes:
        splices: by path before, ascending.
        left: what may have to follow as well, in words.
    """

    splices: dict[str, list[Splice]]
    left: list[str]
