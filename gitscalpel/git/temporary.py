"""Files of objects before they have their names; git's own gc sweeps files called so, when they are old."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gitscalpel.system import shared_repository


def write(folder: Path, kind: str, parts: Iterable[bytes]) -> Path:
    """A new file with these bytes, which nobody may change, not yet synced.

    Args:
        folder: where.
        kind: ``obj``, ``pack`` or ``idx``.
        parts: what is in it.

    Raises:
        OSError: it could not be written, and is not there.
    """
    file = folder / f"tmp_{kind}_{os.urandom(8).hex()}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with gone_if_failing([file]):
        with os.fdopen(descriptor, "wb") as new:
            new.writelines(parts)
        shared_repository.adjust(file)
    return file


@contextmanager
def gone_if_failing(files: Iterable[Path]) -> Iterator[None]:
    """Remove what has not got its name when the block ends with an error: the disk may be full."""
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise
