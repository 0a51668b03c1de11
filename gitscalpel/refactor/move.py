"""Move a definition to another file, as plain edits of all files in one change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Affected, quote_path
from gitscalpel.changesets.file_tree import TREE, Overlay
from gitscalpel.changesets.operations import Move
from gitscalpel.edit.outcome import FileSplices, LoweredOperation, OpenSource
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg, call, place
from gitscalpel.names import unresolved_notes
from gitscalpel.names.files import Files
from gitscalpel.refactor.javascript.move import DefinitionMove as ScriptDefinitionMove
from gitscalpel.refactor.python.method_moves import MethodToAttribute, MethodToFunction
from gitscalpel.refactor.python.move import DefinitionMove
from gitscalpel.syntax.languages import recognise
from gitscalpel.text import line_endings
from gitscalpel.text.document import Document
from gitscalpel.text.line_diff import diff_items
from gitscalpel.text.splice import Splice


def changed_files(before: Files, after: Files, ending: bytes = b"\n") -> Iterator[FileSplices]:
    """Yield the edits of the files that existed before; ``ending`` is used in files without a line ending."""
    for path in sorted(after.touched):
        old, new = before.source(path), after.source(path)
        if old is not None and new is not None:
            splices = tuple(line_splices(old.document, new.text, ending))
            yield from [FileSplices(path, splices)] if splices else []


def new_files(before: Files, after: Files, ending: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each new file, with ``ending`` as line ending."""
    for path in sorted(after.touched):
        new = after.source(path)
        if before.source(path) is None and new is not None:
            text = line_endings.convert_to_lf(new.text).replace(b"\n", ending)
            yield path, new.document.with_text(text).raw


def line_splices(before: Document, after: bytes, ending: bytes = b"\n") -> Iterator[Splice]:
    """Yield the changes from one text to another; ``ending`` is used if the old file has no line ending."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    for start, end, first, last in diff_items(old, new):
        text = b"".join(new[first:last])
        if before.eol == "none":
            yield Splice(starts[start], starts[end], line_endings.convert_to_lf(text).replace(b"\n", ending))
        else:
            yield line_endings.make_splice(before, starts[start], starts[end], text)


_SCRIPT_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})


def lower_move(op: Move, overlay: Overlay, read: OpenSource) -> LoweredOperation:
    """Return the edits that move the target of an operation.

    Raises ``DoesNotFit`` if the target is not found, ``unsupported_language``, ``duplicate_symbol`` or
    ``no_change``.
    """
    files = Files(overlay, read)
    path, _ = paths.require_file(op.path, overlay)
    to = path if op.to_path is None else paths.resolve_path(op.to_path, overlay)
    hint = "name a file in the folder; it is created if missing"
    paths.require_no_trailing_slash(op.to_path or "", to, "a definition moves to a file", hint)
    _require_no_folder(overlay, path, to)
    if op.is_to_attribute:
        return _move_to_attribute(op, files, path, to)
    _require_movable(op, path, to)
    after, affected, notes = files, list[Affected](), list[str]()
    for symbol in op.symbols:
        moving = _start_move(op, symbol, after, path, to)
        after = moving.perform()
        uses = [each for each in moving.found.certain if each.kind != "definition"]
        of_files = len({each.path for each in uses})
        affected.append(Affected(symbol=symbol, references=len(uses), files=of_files))
        notes += unresolved_notes.iter_unresolved(moving.resolver, moving.found, text=moving.found.text)
        notes += moving.list_notes(after)
    notes += _list_emptied(after, path, to)
    source = files.source(path)  # a new file gets its line ending
    ending = b"\r\n" if source is not None and source.document.eol == "crlf" else b"\n"
    edits = tuple(changed_files(files, after, ending))
    made = tuple(new_files(files, after, ending))
    return LoweredOperation(edits, tuple(affected), tuple(dict.fromkeys(notes)), made)


def _require_no_folder(overlay: Overlay, path: str, to: str) -> None:
    entry = overlay.entry(to)
    if entry is not None and entry.mode == TREE:
        hint = f"name a file in it, such as {place(to + '/' + path.rpartition('/')[2])}"
        raise DoesNotFit("not_a_file", f"{to} is a folder", hint, path=to)


def _list_emptied(after: Files, path: str, to: str) -> Iterator[str]:
    """Yield a note if a file is empty after the move, since the caller may have meant the file."""
    source = after.source(path)
    if source is not None and not source.text.strip():
        whole = f"{call('mv')} takes a whole file along"
        yield f"{quote_path(path)} is empty, as its last part is in {quote_path(to)}: {whole}"


def _move_to_attribute(op: Move, files: Files, path: str, to: str) -> LoweredOperation:
    """Return the edits that move a method to the class of an attribute, with a delegating method left."""
    if _language_names(path) != {"python"} or path != to:
        raise DoesNotFit(
            "unsupported_language",
            f"{op.symbol} of {path} cannot be moved as {op.to} yet",
            "move a method to the class of an attribute, in Python",
        )
    after = MethodToAttribute(files, path, op.symbol, op.to or "").perform()
    affected = Affected(symbol=op.symbol, references=0, files=0)
    return LoweredOperation(tuple(changed_files(files, after)), (affected,))


def _start_move(
    op: Move, symbol: str, files: Files, path: str, to: str
) -> DefinitionMove | MethodToFunction | ScriptDefinitionMove:
    if _language_names(path) <= _SCRIPT_LANGUAGES:
        return ScriptDefinitionMove(files, path, symbol, to)
    if op.to is not None and path == to:
        return MethodToFunction(files, path, symbol, op.to)
    return DefinitionMove(files, path, symbol, to)


def _require_movable(op: Move, path: str, to: str) -> None:
    if "::" in to:
        file, _, name = to.partition("::")
        hint = f"name the file alone, {file}"
        hint += f"; the new name is {arg('to', name)}" if name not in ("", op.symbol) else ""
        raise BadCall("invalid_args", f"{to} is not a file", hint)
    if path == to and op.to is None:
        raise DoesNotFit("no_change", f"the definition is already in {path}", "choose another file")
    languages = _language_names(path, to)
    is_free = languages == {"python"} and path == to and op.to is not None and op.to.isidentifier()
    if not is_free and (op.to is not None or not (languages == {"python"} or languages <= _SCRIPT_LANGUAGES)):
        raise DoesNotFit(
            "unsupported_language",
            f"{op.symbol} of {path} cannot be moved to {to}{f' as {op.to}' if op.to else ''} yet",
            "move it under its own name, between files of Python or of JavaScript and TypeScript; otherwise "
            "use `insert` and `delete`",
        )


def _language_names(*file_paths: str) -> set[str]:
    return {"" if (found := recognise(each, b"")) is None else found.name for each in file_paths}
