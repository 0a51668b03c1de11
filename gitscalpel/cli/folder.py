"""Folders for verbs on whole files: each of their files is an operation, all of them one changeset."""

from __future__ import annotations

from typing import Any

from gitscalpel import BadCall, DoesNotFit, Repository, changeset
from gitscalpel.cli import edit, output, target
from gitscalpel.cli.parser import Given

_WORDS = {"move_file": "Move", "copy_file": "Copy", "remove": "Remove"}


def each(command: str, given: Given, op: str) -> None:
    """Do ``op`` on a file, or on every file of a folder."""
    with output.opened() as repo:
        view = output.place(repo, given)
        fields = target.both(given, repo) if hasattr(given, "to") else _plain(given, repo)
        found = view.folder(fields["path"])
    if found is None:
        edit.one(command, given, lambda _: fields, op=op)
        return
    if given.expect or given.base:
        raise BadCall("invalid_args", "--expect and --base are about one file", "leave them out for a folder")
    path, to = fields["path"], fields.get("to")
    if to is not None:
        _refuse_meeting(path, to, view.folder(to))
    ops = [_moved(op, file, path, to) for file in found]
    words = f"{_WORDS[op]} {path}" + (f" to {to}" if to is not None else "")
    request = changeset(*ops, message=given.message or words)
    edit.whole(command, given, lambda _: request)


def _plain(given: Given, repo: Repository) -> dict[str, Any]:
    return {"path": target.from_root(given.path, repo)}


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
            f"{to}/ puts it in there, as {to}/{name}",
            retry={"to": f"{to}/{name}"},
        )
