"""Folders for verbs on whole files: each of their files is an operation, all of them one changeset."""

from __future__ import annotations

from typing import Any

from gitscalpel.api import BadCall, DoesNotFit, changeset
from gitscalpel.errors.messages import arg, place
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Editing
from gitscalpel.verbs.reply import Caller, Reply

_WORDS = {"move_file": "Move", "copy_file": "Copy", "remove": "Remove"}


def each(caller: Caller, asked: Editing, op: str, path: str, to: str | None = None, **more: object) -> Reply:
    """Do ``op`` on a file, or on every file of a folder; ``more``: further fields of each operation."""
    folder = path.rstrip("/")
    if to is not None and to.endswith("/"):
        to += folder.rpartition("/")[2]
    view = caller.place(asked)
    found = view.folder(folder)
    if found is None:
        fields = {"path": path, "to": to, "expect": asked.expect, "base": asked.base, **more}
        return editing.one(caller, asked, editing.operation(op, (), asked, **fields))
    if asked.expect or asked.base:
        words = f"{arg('expect')} and {arg('base')} are about one file"
        raise BadCall("invalid_args", words, "leave them out for a folder")
    path = folder
    if to is not None:
        _refuse_meeting(path, to, view.folder(to))
    ops = [_moved(op, file, path, to) | more for file in found]
    words = f"{_WORDS[op]} {path}" + (f" to {to}" if to is not None else "")
    return editing.whole(caller, asked, changeset(*ops, message=asked.message or words))


def _moved(op: str, file: str, path: str, to: str | None) -> dict[str, Any]:
    return {"op": op, "path": file} | ({} if to is None else {"to": to + file[len(path) :]})


def _refuse_meeting(path: str, to: str, there: list[str] | None) -> None:
    """Refuse to put a folder into itself, or where one is."""
    if to == path or to.startswith(path + "/"):
        raise BadCall("invalid_args", f"{path} cannot go into itself", "name another folder")
    if there is not None:
        name = path.rpartition("/")[2]
        raise DoesNotFit(
            "exists",
            f"{to} is a folder already",
            f"{place(to)}/ puts it in there, as {place(f'{to}/{name}')}",
            retry={"to": f"{to}/{name}"},
        )
