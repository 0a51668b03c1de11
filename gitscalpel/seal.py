"""Tells what this user's own calls have written from what came along with a repository.

What we read back from a git directory says which files to write and to remove, and whoever made an archive
of the repository could have written it. So it is sealed: with a keyed hash (BLAKE2b, RFC 7693) under a
secret in the user's own folder for state, over what it says, what it is about and where it lies. What does
not verify is told, and not followed.
"""

from __future__ import annotations

import hmac
import os
import stat
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from gitscalpel import private, userstate
from gitscalpel.errors import Damaged

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
    return _MAGIC + _mac(about, body).encode("ascii") + b"\n" + body


def opened(folder: Path, about: str, record: bytes) -> bytes | None:
    """What was sealed as ``about`` in this folder, by this user; None: this was not.

    The folder may have been moved since, which keeps its inode, or restored to where it was.
    """
    place, _, content = record[_HEAD:].partition(b"\n")
    return content if is_mine(about, record) and _is_here(place, folder) else None


def is_mine(about: str, record: bytes) -> bool:
    """Whether this user has sealed it, wherever that was: a repository may be copied with all in it."""
    mac, body = record[len(_MAGIC) : _HEAD - 1], record[_HEAD:]
    return record.startswith(_MAGIC) and hmac.compare_digest(mac, _mac(about, body).encode("ascii"))


def mark(about: str, content: bytes) -> str:
    """A seal alone, for what git keeps and whoever has the repository may see; it holds in every copy."""
    return _mac(about, content)


def is_marked(about: str, content: bytes, found: str) -> bool:
    """Whether this user has made the mark."""
    return hmac.compare_digest(_mac(about, content).encode("ascii"), found.encode("utf-8", "replace"))


def bare(record: bytes) -> bytes:
    """What a record says, whoever has sealed it, or nobody."""
    return record[_HEAD:].partition(b"\n")[2] if record.startswith(_MAGIC) else record


def has_secret() -> bool:
    """Whether this user's secret outlives this process; else nothing that it seals opens for the next one."""
    return _secret() != _passing()


def _mac(about: str, body: bytes) -> str:
    # The one is closed by its length, so that nothing can be moved from it to the other.
    what = about.encode("utf-8", "surrogateescape")
    return blake2b(b"%d %s" % (len(what), what) + body, key=_secret(), digest_size=_SIZE).hexdigest()


def _place(folder: Path) -> bytes:
    return b"%d %s" % (folder.stat().st_ino, os.fsencode(os.path.realpath(folder)).replace(b"\n", b"?"))


def _is_here(place: bytes, folder: Path) -> bool:
    then, now = place.split(b" ", 1), _place(folder).split(b" ", 1)
    return any(one == other for one, other in zip(then, now, strict=True))


def _secret() -> bytes:
    return _kept(userstate.folder() / "secret")


@cache
def _kept(file: Path) -> bytes:
    """The secret in ``file``, which is made if need be; one that passes where none can be kept."""
    with suppress(OSError, Damaged):
        found = _read(file)
        return found if found is not None else _made(file)
    return _passing()


def _read(file: Path) -> bytes | None:
    """None: there is none, or others could have read it or written it."""
    try:
        fd = private.opened(file, os.O_RDONLY, alone=False)  # while it is made it has two names
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as content:
        status = os.fstat(fd)
        secret = content.read()
    mine = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    return secret if mine and len(secret) == _SIZE else None


def _made(file: Path) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = file.with_name(f"{file.name}.{os.urandom(4).hex()}")
    with os.fdopen(private.opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
        new.write(os.urandom(_SIZE))
        new.flush()
        os.fsync(new.fileno())
    if file.exists():
        temporary.rename(file)  # one that was not fit to be a secret
    else:
        with suppress(FileExistsError):  # of several at the same moment one wins
            os.link(temporary, file)
        temporary.unlink()
    found = _read(file)
    if found is None:
        raise OSError(f"{file} is not this user's own")
    return found


@cache
def _passing() -> bytes:
    return os.urandom(_SIZE)
