"""Files of the working tree for one program, separate from the changes of other programs.

If the kernel can mount an overlay, changes go to a separate folder. Otherwise the files are copied.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from gitscalpel.system import private_files

_OPAQUE = "user.overlay.opaque"


class Layers(msgspec.Struct, frozen=True):
    """Where they lie.

    Attributes:
        below: the worktree.
        above: what was written; a copy of all of it, if that is how it was made.
        copied: that is how it was made.
    """

    below: Path
    above: Path
    copied: bool

    def changed(self, tracked: Callable[[str], bool]) -> list[str]:
        """The files of the worktree that were changed or removed, of those that are ``tracked``."""
        found = self._differing("") if self.copied else self._written("")
        return sorted(path for path in dict.fromkeys(found) if tracked(path))

    def _written(self, folder: str) -> Iterator[str]:
        """What differs because it was written over, or hidden, in a folder that lies above."""
        for name, status in _listed(self.above / folder):
            path = f"{folder}{name}"
            if stat.S_ISDIR(status.st_mode) and private_files.is_folder(self.below / path):
                if _is_opaque(self.above / path):
                    yield from self._differing(f"{path}/")
                else:
                    yield from self._written(f"{path}/")
            elif not _is_same(self.below / path, self.above / path):
                yield from _everything(self.below, path)

    def _differing(self, folder: str) -> Iterator[str]:
        """What of a folder below is not the same above."""
        for name, status in _listed(self.below / folder):
            path = f"{folder}{name}"
            if stat.S_ISDIR(status.st_mode) and private_files.is_folder(self.above / path):
                yield from self._differing(f"{path}/")
            elif not _is_same(self.below / path, self.above / path):
                yield from _everything(self.below, path)


def hand_over(above: Path, below: Path) -> None:
    """Let a folder that was made above be the one below, where there is none; no file in it gives rights."""
    if private_files.is_folder(above) and not os.path.lexists(below):
        shutil.move(above, below)
    if private_files.is_folder(below):
        for here, _, names in os.walk(below):
            for name in names:
                _without_rights(Path(here) / name)


def _without_rights(file: Path) -> None:
    mode = file.lstat().st_mode
    if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
        file.chmod(stat.S_IMODE(mode) & 0o777)


def _everything(root: Path, path: str) -> Iterator[str]:
    """What was there at a path: a file, or all files of a folder."""
    if not private_files.is_folder(root / path):
        yield path
        return
    yield path
    for name, _ in _listed(root / path):
        yield from _everything(root, f"{path}/{name}")


def _is_same(below: Path, above: Path) -> bool:
    """Whether two are the same kind of file with the same content; where there is none below, nothing was."""
    try:
        before, after = below.lstat(), above.lstat()
    except FileNotFoundError:
        return not os.path.lexists(below)
    if stat.S_IFMT(before.st_mode) != stat.S_IFMT(after.st_mode):
        return False
    if stat.S_ISLNK(before.st_mode):
        return below.readlink() == above.readlink()
    if not stat.S_ISREG(before.st_mode):
        return True
    if (before.st_mode ^ after.st_mode) & stat.S_IXUSR or not os.access(above, os.R_OK):
        return False
    return filecmp.cmp(below, above, shallow=False)


def _is_opaque(path: Path) -> bool:
    """Whether a folder above hides all of the one below: it was removed, and made again."""
    try:
        return os.getxattr(path, _OPAQUE) == b"y"  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False


def _listed(folder: Path) -> list[tuple[str, os.stat_result]]:
    if not os.access(folder, os.R_OK | os.X_OK):
        folder.chmod(stat.S_IRWXU)  # a program has closed what is its own; it lies above
    return sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in os.scandir(folder))
