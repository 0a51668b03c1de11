"""A definition moves to another file: plain edits of all files, as one change."""

from __future__ import annotations

from gitscalpel import paths
from gitscalpel.edit.lowered import Lowered, Read
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import between, told
from gitscalpel.meaning.files import Files
from gitscalpel.operations import Move
from gitscalpel.report import Affected
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.languages import recognise


def lowered(op: Move, overlay: Overlay, read: Read) -> Lowered:
    """The edits that move what ``op`` addresses.

    Raises:
        DoesNotFit: it is not found; ``unsupported_language``; ``duplicate_symbol``; ``no_change``.
    """
    files = Files(overlay, read)
    path, _ = paths.existing(op.path, overlay)
    to = paths.resolve(op.to_path, overlay)
    languages = [recognise(each, b"") for each in (path, to)]
    if any(language is None or language.name != "python" for language in languages) or op.to is not None:
        raise DoesNotFit(
            "unsupported_language",
            f"{op.symbol} of {path} cannot be moved to {to}{f' as {op.to}' if op.to else ''} yet",
            "definitions move between Python files, under their own name; insert and delete do the rest",
        )
    if path == to:
        raise DoesNotFit("no_change", f"it is in {path} already", "name another file")
    from gitscalpel.meaning.python.moving.definition import Moving

    moving = Moving(files, path, op.symbol, to)
    after = moving.done()
    uses = [each for each in moving.found.certain if each.kind != "definition"]
    affected = Affected(symbol=op.symbol, references=len(uses), files=len({each.path for each in uses}))
    left = (*told.left(moving.resolver, moving.found, text=True), *moving.unlisted(after))
    return Lowered(
        tuple(between.respelled(files, after)), (affected,), left, tuple(between.made(files, after))
    )
