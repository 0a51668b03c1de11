"""Reads WorkspaceEdits of the Language Server Protocol (3.17).

Positions are lines and UTF-16 code units from 0 in the file as it was; a line ends with LF, CRLF or
a lone CR. Files are created, renamed and deleted in order, and names mean what they mean by then.
A column beyond the end of its line means that end; a line that the file does not have is refused,
since it shows that the edit was made for another file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitscalpel.edit.patches import jsons, uris
from gitscalpel.edit.patches.form import FilePatch, Taken
from gitscalpel.edit.patches.moves import Moves
from gitscalpel.edit.patches.pieces import Span
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.patches.shapes.workspace import (
    Annotation,
    Change,
    Document,
    Options,
    TextEdit,
    WorkspaceEdit,
)
from gitscalpel.errors import BadCall

NAME = "LSP WorkspaceEdits"


def claims(value: Mapping[str, Any]) -> bool:
    """Whether this is a WorkspaceEdit."""
    return "documentChanges" in value or isinstance(value.get("changes"), dict)


def read(found: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """The files of a WorkspaceEdit.

    Raises:
        BadCall: ``invalid_args``.
        DoesNotFit: ``patch_failed``.
        NotAllowed: ``path_denied``, for a URI that names no file.
    """
    if len(found) > 1:
        raise BadCall("invalid_args", "these are several WorkspaceEdits", "send them one after the other")
    said = jsons.typed(found[0], WorkspaceEdit, "WorkspaceEdit")
    changes = said.document_changes
    if changes is None:
        texts = (said.changes or {}).items()
        changes = [Change(text_document=Document(uri), edits=edits) for uri, edits in texts]
    moves = Moves()
    for change in changes:
        _take(change, moves, said.change_annotations or {})
    return moves.files()


def _take(change: Change, moves: Moves, annotations: Mapping[str, Annotation]) -> None:
    options = change.options or Options()
    taken: Taken = "replace" if options.overwrite else "keep" if options.ignore_if_exists else "refuse"
    if change.kind is None:
        path = uris.path(jsons.given(change.text_document, "textDocument").uri)
        edits = jsons.given(change.edits, "edits")
        moves.edited(path, [_span(edit, annotations) for edit in edits])
    elif change.kind == "rename":
        old, new = jsons.given(change.old_uri, "oldUri"), jsons.given(change.new_uri, "newUri")
        moves.renamed(uris.path(old), uris.path(new), taken)
    elif change.kind == "create":
        moves.created(uris.path(jsons.given(change.uri, "uri")), taken)
    else:
        path = uris.path(jsons.given(change.uri, "uri"))
        moves.deleted(path, may_miss=options.ignore_if_not_exists, deep=options.recursive)


def _span(edit: TextEdit, annotations: Mapping[str, Annotation]) -> Span:
    if edit.new_text is None or edit.insert_text_format == 2:
        raise failed("an edit has no newText, or is a snippet", "ask the server for plain text edits")
    said = annotations.get(edit.annotation_id or "", Annotation())
    notes = (f"{said.label or 'an edit'}: made without the confirmation that its server asks for",)
    return Span(
        index=0,
        start=edit.range.start.place,
        end=edit.range.end.place,
        new=edit.new_text.encode(),
        corrections=notes if said.needs_confirmation else (),
    )
