"""Answers that took long, on the disk: each may be lost, and is believed only if this user sealed it here.

They lie in the user's cache and not in the git directory, so they neither come along with a repository nor
go to whoever gets it. Two that write the same one at once both write a whole one, and the later stays.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.errors import ScalpelError
from gitscalpel.git.pool import place
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, seal
from gitscalpel.system.failpoint import step

KEPT, BYTES = 200, 32_000_000
"""Answers of a repository, and what they may take together; what was written first goes first."""
_LARGEST = 4_000_000


def folder(repo: Repository) -> Path:
    """Where they lie, whether there are any or not."""
    return place.cache_of(repo) / "answers"


def read(repo: Repository, name: str) -> bytes | None:
    """What was kept under a name; None: nothing, or nothing that this user has written there."""
    said = None
    with suppress(OSError, ScalpelError):
        said = seal.kept(folder(repo) / name, folder(repo), _about(name))
    with suppress(zlib.error):
        return None if said is None else zlib.decompress(said)
    return None


def keep(repo: Repository, name: str, content: bytes) -> None:
    """Keep something under a name, if that can be done; none is kept without a secret that lasts."""
    packed = zlib.compress(content, 1)
    if len(packed) > _LARGEST or not seal.has_secret():
        return
    with suppress(OSError, ScalpelError):
        own = folder(repo)
        own.mkdir(parents=True, exist_ok=True, mode=0o700)
        step()
        through = own / f"{name}.{os.getpid()}.new"
        seal.keep(private_files.folder(own) / name, own, _about(name), packed, through)
        for old in surplus(own):
            step()
            private_files.remove(old)


def surplus(own: Path) -> Iterator[Path]:
    """The oldest files of a folder of answers, beyond what may stay."""
    found = []
    for file in private_files.entries(own):
        with suppress(OSError):  # it has just gone
            found.append((file.lstat().st_mtime_ns, file.lstat().st_size, file))
    count = taken = 0
    for _, size, file in sorted(found, reverse=True):
        count, taken = count + 1, taken + size
        if count > KEPT or taken > BYTES:
            yield file


def _about(name: str) -> str:
    return f"answer {name}"
