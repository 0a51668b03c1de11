"""Lower a patch to plain steps: its targets, its preconditions, and edits or whole files.

All files of a patch are read as they were before it, so that a rename may make room for a new file and two
files may swap places. An edit of a file that the patch itself has created is read in a separate round.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    TREE,
    Entry,
    Overlay,
    object_hash,
)
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit import placeholder_expansion, preconditions
from gitscalpel.edit.file_operations import require_free
from gitscalpel.edit.patches import patch_edit
from gitscalpel.edit.patches.formats.format_detection import read_patch
from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    Hunk,
    LineEdit,
    Piece,
    Span,
    WholeContent,
    no_change_error,
    patch_error,
)
from gitscalpel.edit.patches.placement import require_no_overlap
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.syntax.languages import read_document
from gitscalpel.text.document import Document


def resolve_targets(
    files: Iterable[FilePatch], roots: Sequence[str], before: Overlay
) -> tuple[FilePatch, ...]:
    """Return ``files`` with paths from the repository root, and folders expanded to their files.

    Absolute paths may point into ``roots``. Raises ``invalid_args`` or ``path_denied``.
    """
    resolved = [
        msgspec.structs.replace(
            file, path=_relative_path(file.path, roots), source=_relative_path(file.source, roots)
        )
        for file in files
    ]
    sources = {file.source for file in resolved if not file.deep}
    return tuple(each for file in resolved for each in _iter_folder_files(file, sources, before))


def _relative_path(path: str, roots: Sequence[str]) -> str:
    relative_paths = (
        path[len(root) :].lstrip("/") for root in roots if path.startswith(root.rstrip("/") + "/")
    )
    return paths.normalize_path(next(relative_paths, path))


def _iter_folder_files(file: FilePatch, taken: set[str], before: Overlay) -> Iterator[FilePatch]:
    entry = before.entry(file.source) if file.deep else None
    if entry is None or entry.mode != TREE:
        yield file
        return
    for source in list(before.under(file.source)):
        if source not in taken:
            path = file.path + source[len(file.source) :]
            yield msgspec.structs.replace(file, path=path, source=source, deep=False)


def reduce_patch(file: FilePatch, freed: Overlay) -> tuple[FilePatch | None, str | None]:
    """Return what remains to be done for ``file``, and the path of a file removed because of it.

    Raises ``patch_failed`` if the patch edits a file that it then does not create.
    """
    if file.kind == "edit" and file.opens and not _exists(file.source, freed):
        return msgspec.structs.replace(file, kind="create"), None
    if file.may_miss:
        return (file if _exists(file.path, freed) else None), None
    is_free = file.kind not in ("create", "rename", "copy") or not _exists(file.path, freed)
    if is_free or file.taken == "refuse" or (file.taken == "fill" and not _is_empty(file.path, freed)):
        return file, None
    if file.taken == "keep":
        if file.kind != "create" and file.pieces:
            raise patch_error(
                f"{file.path} exists, so {file.source} is not moved, but the patch edits it too"
            )
        kept = msgspec.structs.replace(file, kind="edit", source=file.path, content=None)
        return (kept if file.pieces else None), None
    if file.kind == "create":
        new = WholeContent(patch_edit.build_new_content(file))
        return msgspec.structs.replace(file, kind="edit", content=new, pieces=()), None
    path, _ = paths.require_file(file.path, freed, "edit")
    return file, path


def _is_empty(path: str, freed: Overlay) -> bool:
    path = paths.resolve_path(path, freed)
    entry = freed.entry(path)
    return entry is not None and entry.mode != TREE and freed.content(path) == b""


def _exists(path: str, freed: Overlay) -> bool:
    return freed.entry(paths.resolve_path(path, freed)) is not None


def require_single_expect(op: Patch, files: Sequence[FilePatch]) -> None:
    """Raise ``invalid_args`` if a content hash is given for a patch of several files."""
    if op.expect is not None and len(files) > 1:
        raise BadCall(
            "invalid_args",
            "expect is the content hash of one file, but the patch changes several",
            "leave out expect: a patch applies only where its old lines match",
        )


def require_base(op: Patch, file: FilePatch, path: str, before: Overlay) -> None:
    """Raise ``patch_failed`` (binary diff) or ``stale`` if the content was made from another blob."""
    if file.base is None:
        return
    if file.by_hand:
        preconditions.check_file(msgspec.structs.replace(op, base=file.base, expect=None), path, before)
        return
    below, entry = before.below.entry(path), before.entry(path)
    if entry is not None and entry == below and not entry.oid.startswith(file.base):
        raise patch_error(
            f"{path} is not the file that the binary patch was made from",
            "make the patch again, or replace the file with write, content_b64 and overwrite",
            path=path,
        )


def require_empty_file(file: FilePatch, path: str, entry: Entry, raw: bytes) -> None:
    """Raise ``patch_failed`` if a patch for an empty file is applied to one that has content.

    ``-0,0`` may also be the top of a file in a diff without context. Its blob id shows that, or without one
    its other hunks.
    """
    if not file.opens or not raw:
        return
    if len(file.hunks) > 1 if file.blobs is None else entry.oid.startswith(file.blobs[0]):
        return
    raise patch_error(
        f"a hunk says that {path} is empty (-0,0), but it is not; perhaps the patch was already applied",
        "give a few unchanged lines around the new ones; to replace the whole file, use write",
        path=path,
    )


def find_existing_file(file: FilePatch, before: Overlay) -> tuple[str, Entry]:
    """Return the file that a patch starts from, or a link itself if the patch is about the link.

    Raises ``path_denied``, ``file_not_found`` or ``not_a_file``.
    """
    if not file.link and (file.pieces or file.kind not in ("rename", "copy")):
        return paths.require_file(file.source, before, "edit")
    path = paths.resolve_parent(file.source, before)
    entry = before.entry(path)
    if entry is None or entry.mode in (TREE, SUBMODULE):
        return paths.require_file(file.source, before, "edit")
    return path, entry


def check_mode(mode: str) -> str:
    """Return ``mode``, or raise ``patch_failed`` if it is not a valid file mode."""
    if mode not in (REGULAR, EXECUTABLE, SYMLINK):
        raise patch_error(f"invalid file mode in the patch: {mode}", f"use {REGULAR} or {EXECUTABLE}")
    return mode


def require_same_file_type(file: FilePatch, entry: Entry, mode: str) -> None:
    """Raise ``patch_failed`` if only the mode changes between a file and a link, as git does."""
    if SYMLINK in (mode, entry.mode) and mode != entry.mode:
        raise patch_error(
            f"the patch changes {file.source} from {entry.mode} to {mode}",
            "remove the file and create the other in its place, as git diff writes it",
            path=file.source,
        )


def require_not_below_file(path: str, files: Container[str]) -> None:
    """Raise ``not_a_file`` if a new file is below another file of the same patch."""
    parent = next((path[:at] for at, each in enumerate(path) if each == "/" and path[:at] in files), None)
    if parent is not None:
        raise DoesNotFit(
            "not_a_file",
            f"{parent} is a file in this patch, not a folder",
            "choose another path",
            path=path,
        )


def require_link_inside(path: str, entry: Entry, files: Overlay) -> None:
    """Raise ``path_denied`` if a link points outside the repository."""
    if entry.mode == SYMLINK:
        paths.check_symlink_target(path, files.read(entry.oid).decode("utf-8", "surrogateescape"))


def is_exact(file: FilePatch, path: str, entry: Entry, raw: bytes) -> bool:
    """Return True if the exact bytes of ``file`` are meant, and its text could give others.

    A diff of git names the blobs before and after, so the result is known to the byte. ``entry`` has no id if
    earlier operations have changed the file.
    """
    if file.blobs is None or not file.hunks or not entry.oid.startswith(file.blobs[0]):
        return False
    if not _may_differ(file, path, raw):
        return False
    try:
        content = patch_edit.apply_to_bytes(file, file.path, raw)
    except DoesNotFit:
        return False
    algorithm = "sha256" if len(entry.oid) == 64 else "sha1"
    return object_hash(algorithm, b"blob %d\0" % len(content), content).hexdigest().startswith(file.blobs[1])


def _may_differ(file: FilePatch, path: str, raw: bytes) -> bool:
    """Return True if text and bytes may differ: by encoding, byte order mark or line endings."""
    document = read_document(path, raw)
    if document.encoding != "utf-8" or (document.bom and any((hunk.number or 1) == 1 for hunk in file.hunks)):
        return True
    lines = [line for hunk in file.hunks for line in hunk.lines]
    returns = {line.text.endswith(b"\r") for line in lines if not line.bare}
    if (True in returns or b"\r\n" in raw) and returns != {True}:
        return True
    return any(patch_edit.needs_bytes(line.text) for line in lines)


Group = TypeVar("Group", bound=Entry | None)


class InsideEdit(NamedTuple):
    """An edit inside a file, and the file's mode afterwards."""

    source: Source
    edit: Edit
    after: Source
    mode: str


def iter_rounds(op: Patch, before: Overlay, roots: Sequence[str] = ()) -> Iterator[tuple[FilePatch, ...]]:
    """Yield the files of ``op`` in rounds, each to be lowered after the one before is applied.

    Absolute paths may point into ``roots``. Raises an error if the patch cannot be read.
    """
    files = resolve_targets(read_patch(op.diff, op.path), roots, before)
    require_single_expect(op, files)
    files_of_round: list[FilePatch] = []
    new_paths: set[str] = set()
    for file in files:
        if file.kind in ("edit", "delete") and file.source in new_paths:
            yield tuple(files_of_round)
            files_of_round, new_paths = [], set()
        files_of_round.append(file)
        if file.kind != "delete" and (file.kind != "edit" or not file.pieces):
            new_paths.add(file.path)
    yield tuple(files_of_round)


class LoweredPatch(msgspec.Struct, frozen=True):
    """The steps of one round of a patch."""

    # Paths and contents of whole files in the order of application; None is a removed file.
    whole: list[tuple[str, Entry | None]]
    inside: list[InsideEdit]
    carried: dict[str, str]  # old paths of moved or copied files, by new path


def lower_patch(
    op: Patch, files: Sequence[FilePatch], before: Overlay, opened: Callable[[str, bytes], Source]
) -> LoweredPatch:
    """Return the steps of one round of ``op``, or raise the first misfit.

    ``opened`` opens a file from its path and content, as left by earlier operations and rounds.
    """
    lowering = _Lowering(op, before, opened)
    for file in files:
        lowering.add_file(file)
    return LoweredPatch(lowering.whole(), lowering.inside, lowering.carried)


class _Lowering:
    def __init__(self, op: Patch, before: Overlay, opened: Callable[[str, bytes], Source]) -> None:
        self.op = op
        self.before = before
        self.opened = opened
        self.removed: dict[str, None] = {}
        self.added: dict[str, Entry] = {}
        self.rewritten: dict[str, Entry] = {}
        self.inside: list[InsideEdit] = []
        self.carried: dict[str, str] = {}
        self.latest: dict[str, Source] = {}

    @property
    def freed(self) -> Overlay:
        return self.before.without(self.removed)

    def whole(self) -> list[tuple[str, Entry | None]]:
        """Return the changes of whole files, removals first, since new files may need their place."""
        freed = self.freed
        for path in self.added:
            require_free(path, freed)
            require_not_below_file(path, self.added)
        removals = [(path, None) for path in self.removed if path not in self.added]
        return [*removals, *self.added.items(), *self.rewritten.items()]

    def add_file(self, requested: FilePatch) -> None:
        file, displaced = reduce_patch(requested, self.freed)
        if displaced is not None:
            self._add_once(displaced, self.removed)[displaced] = None
        if file is None:
            return
        if file.kind == "create":
            mode = check_mode(file.mode or REGULAR)
            self._add_new(file, self.before.holding(mode, patch_edit.build_new_content(file)))
            return
        path, entry = find_existing_file(file, self.before)
        require_base(self.op, file, path, self.before)
        raw = self.before.content(path) or b""
        require_empty_file(file, path, entry, raw)
        if file.kind == "delete":
            patch_edit.require_all_lines(file, path, raw)
        if file.kind in ("delete", "rename"):
            self._add_once(path, self.removed)[path] = None
        if file.kind != "delete":
            self._put_file(file, path, entry, raw)

    def _put_file(self, file: FilePatch, path: str, entry: Entry, raw: bytes) -> None:
        mode = check_mode(file.mode or entry.mode)
        require_same_file_type(file, entry, mode)
        is_whole = (
            entry.mode == SYMLINK
            or patch_edit.applies_to_whole_file(file, path, raw)
            or is_exact(file, path, entry, raw)
        )
        if is_whole or file.kind != "edit":
            preconditions.check_file(msgspec.structs.replace(self.op, base=None), path, self.before)
        new = Entry(mode, entry.oid)
        if is_whole and (file.content is not None or file.pieces):
            new = self.before.holding(mode, patch_edit.apply_to_bytes(file, path, raw))
        if new == entry and file.kind == "edit" and is_whole:
            raise no_change_error(path)
        new_path = path
        if file.kind != "edit":
            new_path = self._add_new(file, new)
            self.carried[new_path] = path
        elif is_whole:
            require_link_inside(path, new, self.before)
            self._add_once(path, self.rewritten)[path] = new
        if not is_whole and file.kind == "edit":
            file = patch_edit.with_current_numbers(file, path in self.latest)
            self.latest[path] = self._edit_file(file, self._open_source(path, raw), mode)
        elif not is_whole:
            self._edit_file(file, self.opened(path, raw).at(new_path), mode)

    def _edit_file(self, file: FilePatch, source: Source, mode: str) -> Source:
        require_no_overlap(file.pieces, source)
        is_idle = file.kind == "edit"
        for pieces in patch_edit.group_pieces(file):
            if not any(map(patch_edit.is_change, pieces)):
                patch_edit.place_pieces(pieces, source)
                continue
            is_idle = False
            edit = placeholder_expansion.expand_placeholders(
                patch_edit.make_edit(pieces, source, is_exempt=not file.as_text), source
            )
            if file.kind == "edit":
                preconditions.check_span(self.op, source, source.origin_of(edit))
            after = source.with_edit(edit)
            self.inside.append(InsideEdit(source, edit, after, mode))
            source = after
        if is_idle:
            raise no_change_error(source.path)
        return source

    def _open_source(self, path: str, raw: bytes) -> Source:
        if path not in self.latest:
            self._add_once(path, self.removed)
            self._add_once(path, self.rewritten)
            return self.opened(path, raw)
        return self.latest[path]

    def _add_new(self, file: FilePatch, new: Entry) -> str:
        path = (paths.resolve_parent if new.mode == SYMLINK else paths.resolve_path)(file.path, self.freed)
        require_link_inside(path, new, self.before)
        self._add_once(path, self.added)[path] = new
        return path

    def _add_once(self, path: str, group: dict[str, Group]) -> dict[str, Group]:
        if path in group or path in self.latest:
            raise patch_error(
                f"the patch changes {path} twice", "put all changes of a file in one section", path=path
            )
        return group


def iter_numbered_files(op: Patch, before: Overlay, roots: Sequence[str] = ()) -> Iterator[FilePatch]:
    """Yield the files whose version the patch does not identify by a blob id; see :func:`iter_rounds`."""
    for file in resolve_targets(read_patch(op.diff, op.path), roots, before):
        if file.kind == "edit" and not (file.base or file.blobs):
            yield file


def find_numbered_line(piece: Piece, document: Document) -> int | None:
    """Return the line (from 1) of a piece located by its number alone, or None if it shows old text.

    Such a piece fits anywhere, so nothing shows whether its author counted in another version of the file.
    Raises ``patch_failed`` for a position beyond the end of ``document``.
    """
    if isinstance(piece, Hunk):
        return None if piece.old or piece.opens or piece.number is None else max(1, piece.number)
    if isinstance(piece, LineEdit) and piece.seen is None and piece.shown is None:
        return max(1, min(piece.first, piece.last))
    if isinstance(piece, Span) and piece.shown is None:
        return document.line_at(piece.start.offset(document, f"edit {piece.index}"))
    return None
