"""Files of the working tree: read, written atomically, and replaced only if unchanged.

An editor may save between a check and a rename over the file. So the two files are exchanged in one system
call, and the old one is checked afterwards. Systems without such a call keep that gap.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, TREE, Entry, Oid, parent_folders
from gitscalpel.git.object_store import Store
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import SAVED_PREFIX
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

_AT_HERE, _EXCHANGE, _SWAP = -100, 2, 2
_PAUSE = 0.002  # seconds between checks for a writing process


FileIdentity = tuple[int, int, int]


class FileChanged(Exception):
    """Raised if a file differs from its expected state. It was left as it is.

    ``left`` is a file with an earlier save that cannot go back, since another save followed, or None.
    """

    def __init__(self, left: Path | None = None) -> None:
        super().__init__()
        self.left = left


class WriterPatience:
    """Remaining total time in seconds to wait for programs that write into replaced files."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.left = seconds


def replace_file(
    new: Path, full: Path, is_expected: Callable[[Path], bool], patience: WriterPatience
) -> None:
    """Put the file ``new`` in the place of ``full``, whose old file is deleted if it ``is_expected``.

    Raises ``FileChanged``, and deletes ``new``, if it is not.
    """
    ours = file_identity(new)
    try:
        exchanged = exchange_files(new, full)
    except FileNotFoundError:
        new.unlink()
        raise FileChanged from None
    if not exchanged:
        new.rename(full)
        return
    wait_for_writers(new, patience)
    step()
    if is_expected(new):
        new.unlink()
        return
    raise FileChanged(restore_file(new, full, ours))


def place_file(new: Path, full: Path) -> None:
    """Put the file ``new`` at a free path. If the path is taken, delete it and raise ``FileChanged``."""
    if put_file_back(new, full) is not None:
        new.unlink()
        raise FileChanged


def remove_file(
    full: Path, aside: Path, is_expected: Callable[[Path], bool], patience: WriterPatience
) -> None:
    """Move ``full`` to ``aside`` and delete it there if it ``is_expected``, or raise ``FileChanged``."""
    with suppress(FileNotFoundError, NotADirectoryError):
        full.rename(aside)
        wait_for_writers(aside, patience)
        step()
        if not is_expected(aside):
            raise FileChanged(put_file_back(aside, full))
        aside.unlink()


def put_file_back(aside: Path, full: Path) -> Path | None:
    """Move a file back to ``full``, unless another file was saved there: then it stays and is returned."""
    try:
        os.link(aside, full, follow_symlinks=False)
    except FileExistsError:
        return aside
    except (OSError, NotImplementedError):  # the file system or system has no hard links
        aside.rename(full)
        return None
    aside.unlink()
    return None


def restore_file(aside: Path, full: Path, ours: FileIdentity) -> Path | None:
    """Move a file back to ``full``, where we have put ``ours`` in its place.

    Returns:
        the file that was moved aside, if a program has written into ``ours``, which is newer and stays. A
        program that replaced ``ours`` by a new file would have replaced the original in the same way.
    """
    original = file_identity(aside)
    try:
        if not exchange_files(aside, full):
            aside.rename(full)
            return None
    except FileNotFoundError:  # our file was removed
        return put_file_back(aside, full)
    current = file_identity(aside)
    if current == ours:
        aside.unlink()
        return None
    with suppress(FileNotFoundError):  # the restored file was removed, the newer one stays
        if file_identity(full) == original:  # otherwise there was another save
            exchange_files(aside, full)
    if file_identity(aside) == original and current[0] != ours[0]:
        aside.unlink()
        return None
    return aside


def file_identity(path: Path) -> FileIdentity:
    """Return a value that identifies a file and changes when it is written."""
    return _get_identity(os.lstat(path))


def exchange_files(a: Path, b: Path) -> bool:
    """Exchange two files atomically. Return False if the system cannot. Raises ``OSError``."""
    names = (os.fsencode(a), os.fsencode(b))
    try:
        import ctypes  # missing in a Python built without libffi

        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, _SWAP)
        else:
            failed = library.renameat2(_AT_HERE, names[0], _AT_HERE, names[1], _EXCHANGE)
    except (ImportError, AttributeError, OSError, TypeError):  # neither glibc 2.28 nor macOS
        return False
    if not failed:
        return True
    import errno

    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):  # an old kernel, or this file system
        return False
    raise OSError(number, os.strerror(number), str(b))


def wait_for_writers(path: Path, patience: WriterPatience) -> None:
    """Wait until no process has the file open for writing, if the system can tell, for a limited time.

    A process that opened the file before it was moved still writes into it.
    """
    try:
        import fcntl

        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags)
    except (ImportError, OSError):  # a link has no writers
        return
    began = time.monotonic()
    try:
        while time.monotonic() - began <= patience.left:
            try:
                # A broken lease would kill this process with SIGIO; SIGURG is ignored by default.
                fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
                # The system grants a read lease only if no process has the file open for writing: fcntl(2).
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except BlockingIOError:
                time.sleep(_PAUSE)
            except (OSError, AttributeError):  # another user owns the file, or this is not Linux
                return
            else:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return
    finally:
        patience.left -= time.monotonic() - began
        os.close(descriptor)


OTHER = "other"  # mode of files that git does not track: sockets, pipes, devices


class WorkTree:
    """The files below ``root``.

    Attributes:
        blob_id: computes the id of bytes.
        executable_bits: the file system keeps them (``core.fileMode``).
        symlinks: the file system has symlinks (``core.symlinks``). Otherwise a link is a file with its
            target.
        keep: directory that is kept when it becomes empty, since it is the caller's current directory.
        quarantine: directory for files that would be lost otherwise. Without one, they stay next to their
            path.
    """

    def __init__(
        self,
        root: Path,
        blob_id: Callable[[bytes], Oid],
        *,
        executable_bits: bool = True,
        symlinks: bool = True,
        keep: str = "",
        quarantine: Path | None = None,
    ) -> None:
        self.root = root
        self.executable_bits = executable_bits
        self.symlinks = symlinks
        self._blob_id = blob_id
        self._keep = keep.rstrip("/")
        self._quarantine = quarantine
        self._changed: set[Path] = set()
        self._patience = WriterPatience()

    def obstacle(self, path: str) -> str | None:
        for parent in parent_folders(path):
            try:
                if not stat.S_ISDIR(os.lstat(self.root / parent).st_mode):
                    return parent
            except FileNotFoundError:
                return None
        return None

    def mode(self, path: str) -> str | None:
        return None if self.obstacle(path) is not None else _read_mode(self.root / path)

    def state(self, path: str) -> Entry | None:
        """Return the entry at ``path``, with the id of its raw bytes. None if it does not exist."""
        return None if self.obstacle(path) is not None else self._read_state(self.root / path)

    def _read_state(self, full: Path) -> Entry | None:
        mode = _read_mode(full)
        if mode is None:
            return None
        return Entry(mode, Oid("") if mode in (TREE, OTHER) else self._blob_id(_read_content(full)))

    def disk_entry(self, entry: Entry) -> Entry:
        return Entry(REGULAR, entry.oid) if entry.mode == SYMLINK and not self.symlinks else entry

    def same(self, a: Entry | None, b: Entry | None) -> bool:
        """Return True if two entries are equal as far as this file system can distinguish them."""
        if a is None or b is None or self.executable_bits:
            return a == b
        files = (REGULAR, EXECUTABLE)
        return a.oid == b.oid and (a.mode == b.mode or (a.mode in files and b.mode in files))

    def read(self, path: str) -> bytes:
        return _read_content(self.root / path)

    def files(self, folder: str) -> Iterator[str]:
        """Yield every file below ``folder``, of any type."""
        for folder_path, folders, names in os.walk(self.root / folder):
            links = [name for name in folders if (Path(folder_path) / name).is_symlink()]
            for name in names + links:
                yield os.path.relpath(Path(folder_path) / name, self.root).replace(os.sep, "/")

    def write(
        self, path: str, mode: str, content: bytes, token: str, over: Entry | None
    ) -> os.stat_result | None:
        """Write a file or symlink, with its directories, in place of ``over``, which is None for a free path.

        Every write is a temporary file in the same directory, synced and renamed. Returns its status, or None
        if it has been changed since. Raises ``FileChanged`` if another file is there, which stays.
        """
        full = self.root / path
        self._make_folder(full.parent)
        temporary = sibling_path(full, token)
        with suppress(FileNotFoundError):
            temporary.unlink()
        if mode == SYMLINK and self.symlinks:
            temporary.symlink_to(os.fsdecode(content))
        else:
            bits = self._choose_permissions(full, mode)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            default = 0o777 if mode == EXECUTABLE else 0o666
            with os.fdopen(os.open(temporary, flags, default if bits is None else bits), "wb") as file:
                if bits is not None:
                    os.fchmod(file.fileno(), bits)  # restores what the umask removed
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        written = os.lstat(temporary)
        if full.is_dir() and not full.is_symlink():
            _remove_empty(full)
        if over is None:
            place_file(temporary, full)
        else:
            with self._keep_replaced(path):
                replace_file(temporary, full, partial(self._has_state, over), self._patience)
        self._changed.add(full.parent)
        now = os.lstat(full)
        return now if _get_identity(now) == _get_identity(written) else None

    def _choose_permissions(self, full: Path, mode: str) -> int | None:
        """Return the permissions for a file, kept from the file that it replaces. None if there is none.

        Git would make a file that only its owner may read readable by all.
        """
        try:
            status = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        bits = status.st_mode & 0o777
        if mode == EXECUTABLE:
            return bits | (bits & 0o444) >> 2
        return bits & ~0o111 if self.executable_bits else bits

    def remove(self, path: str, token: str, was: Entry) -> None:
        """Remove the file at ``path``, and the directories that become empty.

        Raises ``FileChanged`` if it differs from ``was``. It stays.
        """
        full = self.root / path
        aside = sibling_path(full, token)
        with self._keep_replaced(path):
            remove_file(full, aside, partial(self._has_state, was), self._patience)
        folder = full.parent
        while folder != self.root and folder != self.root / self._keep:
            try:
                folder.rmdir()
            except OSError:
                break
            folder = folder.parent
        self._changed.add(folder)

    def sweep(self, path: str, token: str, before: Entry | None, after: Entry | None) -> None:
        """Remove the temporary file that a killed :meth:`write` or :meth:`remove` may have left.

        If that is an unchecked file which had been exchanged, it goes back to its place.
        """
        if self.obstacle(path) is not None:
            return
        full = self.root / path
        temporary = sibling_path(full, token)
        temporary_entry = self._read_state(temporary)
        if temporary_entry is None:
            return
        entry = self._read_state(full)
        if before == after or any(self.same(temporary_entry, known) for known in (before, after)):
            temporary.unlink()
        elif self.same(entry, before):
            temporary.unlink()  # partly written
        elif not self.same(entry, after):
            self._move_to_quarantine(temporary, path)
        elif entry is None:
            self._move_to_quarantine(put_file_back(temporary, full), path)
        else:
            self._move_to_quarantine(restore_file(temporary, full, file_identity(full)), path)

    @contextmanager
    def _keep_replaced(self, path: str) -> Iterator[None]:
        try:
            yield
        except FileChanged as changed:
            raise FileChanged(self._move_to_quarantine(changed.left, path)) from None

    def _move_to_quarantine(self, left: Path | None, path: str) -> Path | None:
        """Move a file that would be lost to the quarantine, and return its path. None if there is no file."""
        if left is None or self._quarantine is None:
            return left
        folder = private_files.ensure_folder(
            private_files.ensure_folder(self._quarantine) / f"{SAVED_PREFIX}{os.urandom(8).hex()}"
        )
        target = folder / path
        private_files.make_folder(target.parent)
        try:
            left.rename(target)
        except OSError:  # another file system
            private_files.write(target, _read_content(left), durable=True)
            left.unlink()
        return target

    def _has_state(self, entry: Entry, full: Path) -> bool:
        return self.same(self._read_state(full), entry)

    def sync(self) -> None:
        for folder in self._changed:
            with suppress(FileNotFoundError, NotADirectoryError):
                private_files.sync_path(folder)
        self._changed.clear()

    def _make_folder(self, folder: Path) -> None:
        missing = []
        while not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            each.mkdir()
            self._changed.add(each.parent)


def open_working_tree(repo: Repository, store: Store) -> WorkTree:
    assert repo.work_tree is not None  # noqa: S101  a bare repository has no checkout
    return WorkTree(
        repo.work_tree,
        store.blob_id,
        executable_bits=repo.flag("core.fileMode", default=True),
        symlinks=repo.flag("core.symlinks", default=True),
        keep=repo.prefix,
        quarantine=repo.scalpel_dir / "quarantine",
    )


def _read_mode(full: Path) -> str | None:
    try:
        mode = os.lstat(full).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(mode):
        return TREE
    if stat.S_ISLNK(mode):
        return SYMLINK
    if not stat.S_ISREG(mode):
        return OTHER
    return EXECUTABLE if mode & stat.S_IXUSR else REGULAR


def _read_content(full: Path) -> bytes:
    if full.is_symlink():
        return os.fsencode(full.readlink())
    return full.read_bytes()


def sibling_path(full: Path, token: str) -> Path:
    """Return the temporary path next to a file, for writing or moving it.

    Files of one directory have distinct ones, or a killed process's file would be taken for another's.
    """
    name = blake2b(os.fsencode(full.name), digest_size=8).hexdigest()
    return full.parent / f".git-scalpel-{token}-{name}.tmp"


def _get_identity(status: os.stat_result) -> FileIdentity:
    return status.st_ino, status.st_mtime_ns, status.st_size


def _remove_empty(folder: Path) -> None:
    """Remove a tree of empty directories. Raises ``OSError`` if it contains a file."""
    for path, _, _ in os.walk(folder, topdown=False):
        Path(path).rmdir()
