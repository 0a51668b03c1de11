"""Seals that distinguish what this user's own calls wrote from what came with a repository.

Files in a git directory say which files to write and remove, and the author of an archive of the
repository could have written them. So each is sealed by a keyed hash (BLAKE2b, RFC 7693) over its
content, subject and location, with a secret in the user's own state directory. What does not verify is
reported, and not followed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from gitscalpel.errors import Damaged, ScalpelError
from gitscalpel.system import private_files, repo_lock

_MAGIC = b"git-scalpel sealed 1 "
_SIZE = 32
_HEAD = len(_MAGIC) + 2 * _SIZE + 1


def sealed(folder: Path, about: str, content: bytes) -> bytes:
    """``content`` with a seal.

    Args:
        folder: our folder in a git directory, in which it will lie.
        about: what it is; nothing that was sealed as something else opens as this.
        content: what to seal.
    """
    body = _place(folder) + b"\n" + content
    return _MAGIC + mark(about, body).encode("ascii") + b"\n" + body


def opened(folder: Path, about: str, record: bytes) -> bytes | None:
    """What was sealed as ``about`` in this folder, by this user; None: this was not.

    The folder may have been moved since, which keeps its inode, or restored to where it was.
    """
    place, _, content = record[_HEAD:].partition(b"\n")
    return content if is_mine(about, record) and _is_here(place, folder) else None


def keep(file: Path, folder: Path, about: str, content: bytes, through: Path | None = None) -> None:
    """Put a sealed file in its place, as a whole; it is not synced.

    Args:
        file: where.
        folder: as for :func:`sealed`.
        about: likewise.
        content: likewise.
        through: where it is written first; None: beside ``file``.
    """
    new = through or file.with_name(f"{file.name}.new")
    private_files.write(new, sealed(folder, about, content))
    new.rename(file)


def kept(file: Path, folder: Path, about: str) -> bytes | None:
    """What a sealed file says; None: there is none that this user has written here and can read."""
    with suppress(OSError, Damaged):
        return opened(folder, about, private_files.read(file))
    return None


def is_mine(about: str, record: bytes) -> bool:
    """Whether this user has sealed it, wherever that was: a repository may be copied with all in it."""
    mac, body = record[len(_MAGIC) : _HEAD - 1], record[_HEAD:]
    return record.startswith(_MAGIC) and compare_digest(mac, mark(about, body).encode("ascii"))


def is_marked(about: str, content: bytes, found: str) -> bool:
    """Whether this user has made the mark."""
    return compare_digest(mark(about, content).encode("ascii"), found.encode("utf-8", "replace"))


def bare(record: bytes) -> bytes:
    """What a record says, whoever has sealed it, or nobody."""
    return record[_HEAD:].partition(b"\n")[2] if record.startswith(_MAGIC) else record


def has_secret() -> bool:
    """Whether this user's secret lies in the folder for state; else a kill may leave what is not healed."""
    return load_secret(private_files.user_state_folder(os.environ)) is not None


def lasts() -> bool:
    """Whether the next call will know what this one has sealed; else the secret goes with this process."""
    return has_secret() or load_secret(_temporary()) is not None


def mark(about: str, content: bytes) -> str:
    """Return a seal alone, for what git keeps and others may see. It holds in every copy."""
    # The one is closed by its length, so that nothing can be moved from it to the other.
    what = about.encode("utf-8", "surrogateescape")
    return blake2b(b"%d %s" % (len(what), what) + content, key=_secret(), digest_size=_SIZE).hexdigest()


def _place(folder: Path) -> bytes:
    return b"%d %s" % (folder.stat().st_ino, os.fsencode(os.path.realpath(folder)).replace(b"\n", b"?"))


def _is_here(place: bytes, folder: Path) -> bool:
    inode, _, path = place.partition(b" ")
    # Which is told sooner: where a path leads, each of its folders says.
    return inode == b"%d" % folder.stat().st_ino or path == _place(folder).partition(b" ")[2]


def _secret() -> bytes:
    """The user's, which is made if need be: in the folder for state, or else in one of temporary files."""
    return load_secret(private_files.user_state_folder(os.environ)) or load_secret(_temporary()) or _passing()


@cache
def _temporary() -> Path:
    import tempfile

    return Path(tempfile.gettempdir()) / f"git-scalpel-{os.geteuid()}"


@cache
def load_secret(folder: Path) -> bytes | None:
    """The secret in a folder, which is made if need be; None where none can be kept there to oneself."""
    with suppress(OSError, ScalpelError):
        return _read(folder / "secret") or _made(folder)
    return None


def _read(file: Path) -> bytes | None:
    """None: there is none, or others could have read it or written it."""
    try:
        fd = private_files.opened(file, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as content:
        status = os.fstat(fd)
        secret = content.read()
    return secret if _is_mine(status) and not status.st_mode & 0o077 and len(secret) == _SIZE else None


def _is_mine(status: os.stat_result) -> bool:
    """Whether nobody else could have written there."""
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _made(folder: Path) -> bytes | None:
    above = next(each for each in folder.parents if each.is_dir())
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not private_files.is_folder(folder) or not _is_mine(folder.lstat()):
        return None
    # Of several at the same moment one makes it.
    with repo_lock.hold(folder, name="secret.lock"):
        found = _read(folder / "secret")
        if found is None:
            new = folder / "secret.new"
            private_files.write(new, os.urandom(_SIZE), mode=0o600, durable=True)
            new.rename(folder / "secret")
            # What is sealed from now on is to open after a power cut as well.
            with suppress(OSError):  # who may not read a folder cannot sync it
                for each in (folder, *(each for each in folder.parents if above in (each, *each.parents))):
                    private_files.sync(each)
            found = _read(folder / "secret")
    return found


@cache
def _passing() -> bytes:
    return os.urandom(_SIZE)
