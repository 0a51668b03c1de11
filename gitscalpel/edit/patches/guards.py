"""What must hold for a file of a patch, whatever its pieces say."""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, TREE, Entry, Overlay
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit import stale
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import BadCall, DoesNotFit


def refuse_expect_of_several(op: Patch, files: Sequence[FilePatch]) -> None:
    """Refuse a content hash that could be meant for several files.

    Raises:
        BadCall: ``invalid_args``.
    """
    if op.expect is not None and len(files) > 1:
        raise BadCall(
            "invalid_args",
            "expect is the content hash of one file, and the patch changes several",
            "leave it out: a patch fits only where its old lines stand",
        )


def refuse_other_base(op: Patch, file: FilePatch, path: str, before: Overlay) -> None:
    """Refuse content that was made from another blob; nothing in it could show a misfit.

    Raises:
        DoesNotFit: ``patch_failed``, for a binary diff.
        WorldMoved: ``stale``, for what is written by hand.
    """
    if file.base is None:
        return
    if file.by_hand:
        stale.check_file(msgspec.structs.replace(op, base=file.base, expect=None), path, before)
        return
    below, entry = before.below.entry(path), before.entry(path)
    if entry is not None and entry == below and not entry.oid.startswith(file.base):
        raise failed(
            f"{path} is not the file that the binary patch was made from",
            "make the patch again, or replace the file with write, content_b64 and overwrite",
            path=path,
        )


def refuse_filled(file: FilePatch, path: str, entry: Entry, raw: bytes) -> None:
    """Refuse lines for an empty file in one that is not.

    ``-0,0`` may also be the top of a file in a diff without context. That it is one shows in the blob
    that it names, or where it names none in its other hunks.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    if not file.opens or not raw:
        return
    if len(file.hunks) > 1 if file.blobs is None else entry.oid.startswith(file.blobs[0]):
        return
    raise failed(
        f"a hunk says that {path} is empty (-0,0), and it is not: perhaps the patch was applied before",
        "give a few unchanged lines around the new ones; to replace the whole file, use write",
        path=path,
    )


def existing(file: FilePatch, before: Overlay) -> tuple[str, Entry]:
    """The file that a patch starts from; a link itself where the patch says so, or moves it as it is.

    Raises:
        NotAllowed: ``path_denied``.
        DoesNotFit: ``file_not_found`` or ``not_a_file``.
    """
    if not file.link and (file.pieces or file.kind not in ("rename", "copy")):
        return paths.existing(file.source, before)
    path = paths.behind(file.source, before)
    entry = before.entry(path)
    if entry is None or entry.mode in (TREE, SUBMODULE):
        return paths.existing(file.source, before)
    return path, entry


def checked_mode(mode: str) -> str:
    """``mode``, if a file can have it.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    if mode not in (REGULAR, EXECUTABLE, SYMLINK):
        raise failed(f"the patch gives a file the mode {mode}", f"use {REGULAR} or {EXECUTABLE}")
    return mode


def refuse_other_kind(file: FilePatch, entry: Entry, mode: str) -> None:
    """Refuse to make a link of a file by its mode alone, or the other way round, as git does.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    if SYMLINK in (mode, entry.mode) and mode != entry.mode:
        raise failed(
            f"the patch changes {file.source} from {entry.mode} to {mode}",
            "remove the file and create the other in its place, as git diff writes it",
            path=file.source,
        )


def refuse_below(path: str, files: Container[str]) -> None:
    """Refuse a new file below another of the same patch.

    Raises:
        DoesNotFit: ``not_a_file``.
    """
    above = next((path[:at] for at, each in enumerate(path) if each == "/" and path[:at] in files), None)
    if above is not None:
        raise DoesNotFit(
            "not_a_file",
            f"{above} is a file in this patch, so nothing can be below it",
            "choose another path",
            path=path,
        )


def refuse_leading_out(path: str, entry: Entry, files: Overlay) -> None:
    """Refuse a link that leads out of the repository.

    Raises:
        NotAllowed: ``path_denied``.
    """
    if entry.mode == SYMLINK:
        paths.refuse_goal(path, files.read(entry.oid).decode("utf-8", "surrogateescape"))
