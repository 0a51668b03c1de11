"""Keeps a pack from being repacked until a ref names what is in it: git's own sign, a ``.keep`` beside it.

Who repacks by hand and drops what nothing names (``git repack -a -d``) would take it in the middle of a
landing. The sign is locked by the system for as long as it stands for somebody, so one that a kill has left
is known. What git says of it: https://git-scm.com/docs/git-repack#Documentation/git-repack.txt--a
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gitscalpel.errors import Damaged
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step

_OURS = b"git scalpel: until a ref names what is in it\n"


@contextmanager
def kept(pack: Path) -> Iterator[None]:
    """Keep a pack that is about to be there, for as long as the block lasts."""
    sign = pack.with_suffix(".keep")
    with repo_lock.attempt(sign) as held:
        if held is not None:  # else the same pack is being made elsewhere
            os.write(held.fd, _OURS)
        try:
            yield
        finally:
            if held is not None:
                sign.unlink(missing_ok=True)


def let_go(objects: Path) -> None:
    """Remove the signs of ours that no process stands behind any more.

    Args:
        objects: the repository's folder of objects.
    """
    for sign in private_files.entries(objects / "pack", "pack-*.keep"):
        with suppress(OSError, Damaged):
            said = private_files.read(sign)
            if said == _OURS or not (said or sign.with_suffix(".pack").exists()):
                with repo_lock.attempt(sign, create=False) as held:
                    if held is not None:
                        step()
                        sign.unlink()
