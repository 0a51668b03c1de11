"""What a patch still has to do, given which files stand where it puts new ones."""

from __future__ import annotations

import msgspec

from gitscalpel import paths
from gitscalpel.edit.patches import content
from gitscalpel.edit.patches.form import FilePatch, Whole
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.snapshot import Change, Overlay


def settled(file: FilePatch, freed: Overlay) -> tuple[FilePatch | None, Change | None]:
    """What is left to do for ``file`` (None: nothing), and the file that goes because of it.

    Args:
        file: as it was read.
        freed: the files without those that the patch has removed so far.

    Raises:
        DoesNotFit: ``patch_failed``, if it edits what it then does not put there.
    """
    if file.may_miss:
        return (file if _is_there(file.path, freed) else None), None
    if file.taken == "refuse" or not _is_there(file.path, freed):
        return file, None
    if file.taken == "keep":
        if file.kind != "create" and file.pieces:
            raise failed(f"{file.path} exists, so that {file.source} stays, and the patch edits it too")
        kept = msgspec.structs.replace(file, kind="edit", source=file.path, content=None)
        return (kept if file.pieces else None), None
    if file.kind == "create":
        new = Whole(content.created(file))
        return msgspec.structs.replace(file, kind="edit", content=new, pieces=()), None
    path, entry = paths.existing(file.path, freed)
    return file, Change(path, entry.mode, None)


def _is_there(path: str, freed: Overlay) -> bool:
    return freed.entry(paths.resolve(path, freed)) is not None
