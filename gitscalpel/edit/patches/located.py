"""Which files of the repository a patch means: absolute names, and folders with all that is in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from gitscalpel import paths
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.snapshot import TREE, Overlay


def located(files: Iterable[FilePatch], roots: Sequence[str], before: Overlay) -> tuple[FilePatch, ...]:
    """``files`` with names from the repository root, and one for each file of a folder.

    Args:
        files: as they were read.
        roots: folders on the disk whose files absolute names mean.
        before: the files as they are before the patch.

    Raises:
        BadCall: ``invalid_args``.
        NotAllowed: ``path_denied``.
    """
    named = [
        msgspec.structs.replace(file, path=_named(file.path, roots), source=_named(file.source, roots))
        for file in files
    ]
    taken = {file.source for file in named if not file.deep}
    return tuple(each for file in named for each in _spread(file, taken, before))


def _named(path: str, roots: Sequence[str]) -> str:
    inside = (path[len(root) :].lstrip("/") for root in roots if path.startswith(root.rstrip("/") + "/"))
    return paths.clean(next(inside, path))


def _spread(file: FilePatch, taken: set[str], before: Overlay) -> Iterator[FilePatch]:
    entry = before.entry(file.source) if file.deep else None
    if entry is None or entry.mode != TREE:
        yield file
        return
    for source in list(before.under(file.source)):
        if source not in taken:
            path = file.path + source[len(file.source) :]
            yield msgspec.structs.replace(file, path=path, source=source, deep=False)
