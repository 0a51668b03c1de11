"""Our files and directories in a git directory, opened without following links.

The author of an archive of a repository may have placed a link where a file of ours belongs. New files have
the permissions of ``core.sharedRepository`` (``adjust_shared_perm`` in git's path.c).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged, Misconfigured

SHARED_KEY = "core.sharedrepository"
_GROUP, _EVERYBODY = 0o660, 0o664
_NAMED_VALUES = {"umask": 0, "group": _GROUP, "all": _EVERYBODY, "world": _EVERYBODY, "everybody": _EVERYBODY}
_OLD_VALUES = {0: 0, 1: _GROUP, 2: _EVERYBODY}
_TRUE = frozenset({"true", "yes", "on", ""})
# Bit with which new files inherit the directory's group. Only Linux needs it.
_SET_GROUP = stat.S_ISGID if sys.platform.startswith("linux") else 0


class Sharing(msgspec.Struct, frozen=True):
    """Permissions of files in a shared repository."""

    bits: int  # permissions of a file that its owner may write
    exact: bool = False  # the permissions are exactly these. Otherwise they are added to the umask's.

    def apply_to(self, mode: int) -> int:
        bits = self.bits
        if not mode & stat.S_IWUSR:
            bits &= ~0o222
        if mode & stat.S_IXUSR:
            bits |= _execute_bits(bits)
        mode = (mode & ~0o777) | bits if self.exact else mode | bits
        if stat.S_ISDIR(mode):
            mode |= _execute_bits(mode)
            mode |= _SET_GROUP if mode & 0o060 else 0
        return stat.S_IMODE(mode)


_SHARED: dict[Path, Sharing] = {}  # git directories of shared repositories that this process has opened


def settle_sharing(git_dir: Path, value: str | None) -> None:
    """Share new files in ``git_dir`` as configured from now on.

    Raises:
        Misconfigured: ``config_error``: the owner could not read or write them.
    """
    sharing = read_sharing(value)
    if sharing.bits:
        _SHARED[git_dir] = sharing
    else:
        _SHARED.pop(git_dir, None)


def read_sharing(value: str | None) -> Sharing:
    """Parse a value of ``core.sharedRepository``. Raises as :func:`settle_sharing`."""
    if value is None or value in _NAMED_VALUES:
        return Sharing(_NAMED_VALUES[value] if value else 0)
    try:
        number = int(value, 8)
    except ValueError:
        return Sharing(_GROUP if value.lower() in _TRUE else 0)
    if number in _OLD_VALUES:
        return Sharing(_OLD_VALUES[number])
    if number & 0o600 != 0o600:
        raise Misconfigured(
            "config_error",
            f"core.sharedRepository is {value}, which denies the owner access",
            "run `git config core.sharedRepository group`",
        )
    return Sharing(number & 0o666, exact=True)


def adjust_permissions(path: Path) -> None:
    """Set the permissions of a new file if its repository is shared.

    Raises:
        OSError: another user owns the file.
    """
    sharing = next((_SHARED[above] for above in path.parents if above in _SHARED), None) if _SHARED else None
    if sharing is None:
        return
    mode = path.lstat().st_mode
    permissions = sharing.apply_to(mode)
    if stat.S_IMODE(mode) != permissions:
        path.chmod(permissions)


def make_folder(folder: Path) -> None:
    """Make a directory in a git directory, with its parents."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir()
        except FileExistsError:  # another process has just made it
            continue
        adjust_permissions(each)


def _execute_bits(mode: int) -> int:
    return (mode & 0o444) >> 2


def user_state_folder(environment: Mapping[str, str]) -> Path:
    """Return our directory in the user's state directory, where no repository puts files. May not exist."""
    state = environment.get("XDG_STATE_HOME", "")
    # The specification requires relative paths to be ignored.
    absolute = state if os.path.isabs(state) else os.path.expanduser("~/.local/state")  # noqa: PTH111, PTH117
    return Path(absolute) / "git-scalpel"


_OPEN_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # does not wait for a pipe

# Prefix of directories for file system tests. These are not scratch directories, since locks may not work.
PROBE_PREFIX = "doctor."
_MAX_BYTES = 1 << 29  # maximum file size in bytes: the journal of a landing of a million files is smaller


def open_private(file: Path, flags: int, mode: int = 0o666) -> int:
    """Open a regular file without other hard links, and return its descriptor.

    Raises:
        Damaged: ``corrupt``: it is a link or not a regular file.
        OSError: it cannot be opened.
    """
    try:
        fd = _open_file(file, flags, mode)
    except FileExistsError:
        raise
    except OSError:
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise foreign_file_error(file) from None
        raise
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_size > _MAX_BYTES:
        os.close(fd)
        raise foreign_file_error(file)
    return fd


@contextmanager
def hold_open(file: Path, flags: int) -> Iterator[int]:
    """Keep a file open in the block, and yield its descriptor. Raises as :func:`open_private`."""
    fd = open_private(file, flags)
    try:
        yield fd
    finally:
        os.close(fd)


def _open_file(file: Path, flags: int, mode: int) -> int:
    while flags & os.O_CREAT:
        try:
            fd = os.open(file, flags | os.O_EXCL | _OPEN_FLAGS, mode)
        except FileExistsError:
            if flags & os.O_EXCL:
                raise
        else:
            adjust_permissions(file)
            return fd
        with suppress(FileNotFoundError):  # it was just removed again
            return os.open(file, flags & ~os.O_CREAT | _OPEN_FLAGS)
    return os.open(file, flags | _OPEN_FLAGS)


def read(file: Path) -> bytes:
    """Return the content of a file. Raises as :func:`open_private`."""
    with os.fdopen(open_private(file, os.O_RDONLY), "rb") as content:
        return content.read()


def write(file: Path, content: bytes, *, mode: int = 0o666, durable: bool = False) -> None:
    """Write a new file in place of any file or link, not atomically."""
    file.unlink(missing_ok=True)
    with os.fdopen(open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as new:
        new.write(content)
        if durable:
            new.flush()
            os.fsync(new.fileno())


def sync_path(path: Path) -> None:
    """Make a file's content or a directory's names durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_names(files: Iterable[Path]) -> None:
    """Make the presence or absence of files durable."""
    for each in {file.parent for file in files}:
        sync_path(each)


def ensure_folder(path: Path) -> Path:
    """Make a directory with its parents if it does not exist, and return it.

    Raises:
        Damaged: ``corrupt``: it is a link or a file.
    """
    while (mode := _read_mode(path)) is None:  # a single check, since others may make the same directory
        make_folder(path)  # again if another process has removed it as abandoned
    if not stat.S_ISDIR(mode):
        raise foreign_file_error(path)
    return path


def is_folder(path: Path) -> bool:
    """Return True for a directory, but not for a link to one."""
    return stat.S_ISDIR(_read_mode(path) or 0)


def _read_mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def list_folder(path: Path, pattern: str = "*") -> list[Path]:
    """Return the sorted entries of a directory. Empty if it does not exist or is a link."""
    return sorted(path.glob(pattern)) if is_folder(path) else []


def count_names(folder: Path, ending: str = "") -> int:
    """Return the number of names in a directory with an ending. 0 if it cannot be read."""
    try:
        return sum(name.endswith(ending) for name in os.listdir(folder))  # noqa: PTH208 - ten times as fast
    except OSError:
        return 0


def modification_time(path: Path) -> float:
    """Return the modification time in seconds since the epoch. 0 if the file does not exist."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0


def remove_path(path: Path) -> None:
    """Remove a file, link or directory if it exists, despite missing permissions.

    Nested directories are first moved to the top, so no path gets too long and no recursion too deep.
    """
    if not is_folder(path):
        path.unlink(missing_ok=True)
        return
    path.chmod(stat.S_IRWXU)
    waiting = [path]
    while waiting:
        folder = waiting[-1]
        entries = [Path(entry) for entry in os.scandir(folder)]
        for each in entries:
            if not is_folder(each):
                each.unlink(missing_ok=True)
                continue
            each.chmod(stat.S_IRWXU)
            waiting.append(path / f"{os.urandom(8).hex()}.gone")
            each.rename(waiting[-1])
        if waiting[-1] == folder:
            folder.rmdir()
            waiting.pop()


def foreign_file_error(path: Path) -> Damaged:
    return Damaged(
        "corrupt",
        f"{path} was not created by gitscalpel: it is {_describe_file(path)}",
        "find out what created it, then move it elsewhere",
        path=str(path),
    )


def _describe_file(path: Path) -> str:
    if path.is_symlink():
        return f"a link to {path.readlink()}"
    if path.is_dir():
        return "a directory"
    return "a file with hard links, or a very large one" if path.is_file() else "not a regular file"
