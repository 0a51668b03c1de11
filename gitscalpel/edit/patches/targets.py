"""Which files of the repository a patch means, and what is left to do where others stand in its way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.edit.patches import content
from gitscalpel.edit.patches.form import FilePatch, Whole
from gitscalpel.edit.patches.refusals import failed


def meant(files: Iterable[FilePatch], roots: Sequence[str], before: Overlay) -> tuple[FilePatch, ...]:
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


def left(file: FilePatch, freed: Overlay) -> tuple[FilePatch | None, str | None]:
    """What is left to do for ``file`` (None: nothing), and the path of the file that goes because of it.

    Args:
        file: as it was read.
        freed: the files without those that the patch has removed so far.

    Raises:
        DoesNotFit: ``patch_failed``, if it edits what it then does not put there.
    """
    if file.kind == "edit" and file.opens and not _is_there(file.source, freed):
        return msgspec.structs.replace(file, kind="create"), None
    if file.may_miss:
        return (file if _is_there(file.path, freed) else None), None
    is_free = file.kind not in ("create", "rename", "copy") or not _is_there(file.path, freed)
    if is_free or file.taken == "refuse" or (file.taken == "fill" and not _is_empty(file.path, freed)):
        return file, None
    if file.taken == "keep":
        if file.kind != "create" and file.pieces:
            raise failed(f"{file.path} exists, so that {file.source} stays, and the patch edits it too")
        kept = msgspec.structs.replace(file, kind="edit", source=file.path, content=None)
        return (kept if file.pieces else None), None
    if file.kind == "create":
        new = Whole(content.created(file))
        return msgspec.structs.replace(file, kind="edit", content=new, pieces=()), None
    path, _ = paths.existing(file.path, freed)
    return file, path


def _is_empty(path: str, freed: Overlay) -> bool:
    path = paths.resolve(path, freed)
    entry = freed.entry(path)
    return entry is not None and entry.mode != TREE and freed.content(path) == b""


def _is_there(path: str, freed: Overlay) -> bool:
    return freed.entry(paths.resolve(path, freed)) is not None
