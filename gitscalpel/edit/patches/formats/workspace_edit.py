"""WorkspaceEdits of the Language Server Protocol (3.17).

Files are created, renamed and deleted in order, and later steps use the new names. A column beyond the end of
its line means that end. A line beyond the end of the file shows that the edit was made for another file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from gitscalpel.edit.patches.formats import patch_model
from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    JsonFormat,
    LineColumn,
    Span,
    Taken,
    patch_error,
)
from gitscalpel.errors import BadCall
from gitscalpel.text import lenient_json

_BREAKS = rb"\r\n|\n|\r"
Count = Annotated[int, msgspec.Meta(ge=0)]


class Position(msgspec.Struct, frozen=True):
    """A position in the file before the edit, in UTF-16 code units."""

    line: Count
    character: Count

    @property
    def place(self) -> LineColumn:
        return LineColumn(self.line, self.character, "utf16", _BREAKS, clamps=True)


class Range(msgspec.Struct, frozen=True):
    """A range of an edit."""

    start: Position
    end: Position


class TextEdit(msgspec.Struct, frozen=True, rename="camel"):
    """New text for a range."""

    range: Range
    new_text: str | None = None
    annotation_id: str | None = None
    insert_text_format: int | None = None


class Document(msgspec.Struct, frozen=True):
    """The file of some edits. The editor's version number is ignored."""

    uri: str


class Options(msgspec.Struct, frozen=True, rename="camel"):
    """Options of a step that creates, renames or deletes a file."""

    overwrite: bool = False
    ignore_if_exists: bool = False
    recursive: bool = False
    ignore_if_not_exists: bool = False


class Change(msgspec.Struct, frozen=True, rename="camel"):
    """One step of ``documentChanges``."""

    kind: Literal["create", "rename", "delete"] | None = None
    text_document: Document | None = None
    edits: list[TextEdit] | None = None
    uri: str | None = None
    old_uri: str | None = None
    new_uri: str | None = None
    options: Options | None = None


class Annotation(msgspec.Struct, frozen=True, rename="camel"):
    """A label of some edits."""

    label: str = ""
    needs_confirmation: bool = False


class WorkspaceEdit(msgspec.Struct, frozen=True, rename="camel"):
    """Edits of several files; ``documentChanges`` is preferred if both fields are present."""

    changes: dict[str, list[TextEdit]] | None = None
    document_changes: list[Change] | None = None
    change_annotations: dict[str, Annotation] | None = None


class FileSteps:
    """The steps so far for each file, by its current path."""

    def __init__(self) -> None:
        self._now: dict[str, FilePatch] = {}
        self._gone: list[FilePatch] = []

    def files(self) -> tuple[FilePatch, ...]:
        """Return the patch of each file, deletions first; edits are numbered within the file."""
        return (*self._gone, *(file for file in self._now.values() if file.kind != "edit" or file.pieces))

    def add_edits(self, path: str, spans: Sequence[Span]) -> None:
        file = self._take_file(path)
        first = len(file.pieces) + 1
        numbered = (msgspec.structs.replace(span, index=n) for n, span in enumerate(spans, first))
        self._now[path] = msgspec.structs.replace(file, pieces=(*file.pieces, *numbered))

    def create_file(self, path: str, taken: Taken) -> None:
        self._refuse_known(path)
        self._now[path] = FilePatch(path=path, source=path, kind="create", taken=taken)

    def rename_path(self, old: str, new: str, taken: Taken) -> None:
        """Rename a file, or a folder with the steps of all its files."""
        self._refuse_known(new)
        inside = [path for path in self._now if path.startswith(old + "/")]
        is_known = old in self._now
        file = self._take_file(old)
        kind = file.kind if file.kind == "create" else "rename"
        deep = file.deep or not is_known
        self._now.pop(old, None)
        self._now[new] = msgspec.structs.replace(file, path=new, kind=kind, taken=taken, deep=deep)
        for path in inside:
            self.rename_path(path, new + path[len(old) :], taken)

    def delete_path(self, path: str, *, may_miss: bool, deep: bool) -> None:
        """Delete a file, or a folder with everything in it, and drop their earlier steps."""
        file = self._take_file(path)
        self._now.pop(path, None)
        for inside in [known for known in self._now if known.startswith(path + "/")] if deep else []:
            self.delete_path(inside, may_miss=True, deep=False)
        if file.kind != "create":
            self._gone.append(
                FilePatch(
                    path=file.source,
                    source=file.source,
                    kind="delete",
                    may_miss=may_miss,
                    deep=deep,
                    link=True,
                )
            )

    def _take_file(self, path: str) -> FilePatch:
        if path in self._now:
            return self._now[path]
        for folder in reversed(list(self._now.values())):
            if folder.deep and path.startswith(folder.path + "/"):
                source = folder.source + path[len(folder.path) :]
                return FilePatch(path=path, source=source, kind="rename", taken=folder.taken)
        return FilePatch(path=path, source=path)

    def _refuse_known(self, path: str) -> None:
        if path in self._now:
            raise patch_error(f"the patch puts two files at {path}", path=path)


def claims(value: Mapping[str, Any]) -> bool:
    return "documentChanges" in value or isinstance(value.get("changes"), dict)


def read(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files of a WorkspaceEdit.

    Raises ``invalid_args``, ``patch_failed``, or ``path_denied`` for a URI that is not a file.
    """
    if len(values) > 1:
        raise BadCall(
            "invalid_args", "the input contains several WorkspaceEdits", "send them one after the other"
        )
    workspace_edit = lenient_json.convert_value(values[0], WorkspaceEdit, "WorkspaceEdit")
    changes = workspace_edit.document_changes
    if changes is None:
        texts = (workspace_edit.changes or {}).items()
        changes = [Change(text_document=Document(uri), edits=edits) for uri, edits in texts]
    steps = FileSteps()
    for change in changes:
        _take_file(change, steps, workspace_edit.change_annotations or {})
    return steps.files()


def _take_file(change: Change, moves: FileSteps, annotations: Mapping[str, Annotation]) -> None:
    options = change.options or Options()
    taken: Taken = "replace" if options.overwrite else "keep" if options.ignore_if_exists else "refuse"
    if change.kind is None:
        path = patch_model.path_of_uri(lenient_json.require_given(change.text_document, "textDocument").uri)
        edits = lenient_json.require_given(change.edits, "edits")
        moves.add_edits(path, [_make_span(edit, annotations) for edit in edits])
    elif change.kind == "rename":
        old, new = (
            lenient_json.require_given(change.old_uri, "oldUri"),
            lenient_json.require_given(change.new_uri, "newUri"),
        )
        moves.rename_path(patch_model.path_of_uri(old), patch_model.path_of_uri(new), taken)
    elif change.kind == "create":
        moves.create_file(patch_model.path_of_uri(lenient_json.require_given(change.uri, "uri")), taken)
    else:
        path = patch_model.path_of_uri(lenient_json.require_given(change.uri, "uri"))
        moves.delete_path(path, may_miss=options.ignore_if_not_exists, deep=options.recursive)


def _make_span(edit: TextEdit, annotations: Mapping[str, Annotation]) -> Span:
    if edit.new_text is None or edit.insert_text_format == 2:
        raise patch_error("an edit has no newText, or is a snippet", "ask the server for plain text edits")
    annotation = annotations.get(edit.annotation_id or "", Annotation())
    notes = (f"{annotation.label or 'an edit'}: made without the confirmation that its server asks for",)
    return Span(
        index=0,
        start=edit.range.start.place,
        end=edit.range.end.place,
        new=edit.new_text.encode(),
        corrections=notes if annotation.needs_confirmation else (),
    )


FORMATS = (
    JsonFormat(
        name="LSP WorkspaceEdits",
        priority=10,
        claims=claims,
        read=read,
        example='{"changes": {"a.txt": [{"range": {"start": {"line": 0, "character": 0}, '
        '"end": {"line": 0, "character": 3}}, "newText": "new"}]}}',
    ),
)
