"""Permissions of new files in a git directory, as `core.sharedRepository` says.

The permissions that the caller's umask takes away are restored as git does it, for every new file and
directory: https://git-scm.com/docs/git-config#Documentation/git-config.txt-coresharedRepository, and
``adjust_shared_perm`` in git's ``path.c``. Repositories that are not shared are left alone.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import msgspec

from gitscalpel.errors import Misconfigured

KEY = "core.sharedrepository"
_GROUP, _EVERYBODY = 0o660, 0o664
_NAMED = {"umask": 0, "group": _GROUP, "all": _EVERYBODY, "world": _EVERYBODY, "everybody": _EVERYBODY}
_OLD = {0: 0, 1: _GROUP, 2: _EVERYBODY}
_TRUE = frozenset({"true", "yes", "on", ""})
_SET_GROUP = stat.S_ISGID if sys.platform.startswith("linux") else 0
"""Elsewhere what is made in a folder is its group's anyway."""


class Sharing(msgspec.Struct, frozen=True):
    """What others may do.

    Attributes:
        bits: the permissions of a file that its owner may write.
        exact: these and no others; else they are added to what the umask leaves.
    """

    bits: int
    exact: bool = False

    def of(self, mode: int) -> int:
        """The permissions that a file or folder with ``mode`` is to have."""
        bits = self.bits
        if not mode & stat.S_IWUSR:
            bits &= ~0o222
        if mode & stat.S_IXUSR:
            bits |= _searchable(bits)
        mode = (mode & ~0o777) | bits if self.exact else mode | bits
        if stat.S_ISDIR(mode):
            mode |= _searchable(mode)
            mode |= _SET_GROUP if mode & 0o060 else 0
        return stat.S_IMODE(mode)


_SHARED: dict[Path, Sharing] = {}
"""The git directories of shared repositories that this process has opened."""


def settle(git_dir: Path, value: str | None) -> None:
    """From now on, what is made in ``git_dir`` is shared as the configuration says.

    Raises:
        Misconfigured: ``config_error``: the owner would not be able to read or write.
    """
    sharing = read(value)
    if sharing.bits:
        _SHARED[git_dir] = sharing
    else:
        _SHARED.pop(git_dir, None)


def read(value: str | None) -> Sharing:
    """What a value of ``core.sharedRepository`` means; None: there is none. Raises as :func:`settle`."""
    if value is None or value in _NAMED:
        return Sharing(_NAMED[value] if value else 0)
    try:
        number = int(value, 8)
    except ValueError:
        return Sharing(_GROUP if value.lower() in _TRUE else 0)
    if number in _OLD:
        return Sharing(_OLD[number])
    if number & 0o600 != 0o600:
        raise Misconfigured(
            "config_error",
            f"core.sharedRepository is {value}, which closes files to their owner",
            "git config core.sharedRepository group (or 0660)",
        )
    return Sharing(number & 0o666, exact=True)


def adjust(path: Path) -> None:
    """Open what has just been made at ``path`` to others, if it lies in a shared repository.

    Raises:
        OSError: it is somebody else's.
    """
    sharing = next((_SHARED[above] for above in path.parents if above in _SHARED), None) if _SHARED else None
    if sharing is None:
        return
    mode = path.lstat().st_mode
    wanted = sharing.of(mode)
    if stat.S_IMODE(mode) != wanted:
        path.chmod(wanted)


def make_folder(folder: Path) -> None:
    """Make a folder of a git directory, with those above it that are not there."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir()
        except FileExistsError:  # somebody else has, in this very moment
            continue
        adjust(each)


def _searchable(mode: int) -> int:
    """Who may read a folder, or a program, may also enter, or start it."""
    return (mode & 0o444) >> 2
