"""What all editing verbs share: options, code from where it comes, one whole transaction."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from gitscalpel import shadow, transaction
from gitscalpel.cli import output
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.git.repository import Repository
from gitscalpel.report import subject
from gitscalpel.requests import Request, parse_operations
from gitscalpel.shadow import Staged
from gitscalpel.workspace import Workspace

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the diff and write nothing.")]
NoLand = Annotated[bool, typer.Option("--no-land", help="Leave it staged; `git scalpel land ID` lands it.")]
Message = Annotated[str | None, typer.Option("-m", "--message", help="The commit message.")]
Onto = Annotated[str | None, typer.Option("--onto", metavar="BRANCH", help="The branch to land on.")]
Expect = Annotated[
    str | None,
    typer.Option("--expect", metavar="HASH", help="Refuse unless the target still has this content hash."),
]
Base = Annotated[str | None, typer.Option("--base", metavar="BLOB", help="The file's blob id as you saw it.")]
Code = Annotated[str | None, typer.Option("--code", help="The code; else --code-file or standard input.")]
CodeFile = Annotated[
    Path | None, typer.Option("--code-file", metavar="FILE", help="Read the code from FILE.")
]
Query = Annotated[str | None, typer.Option("--query", metavar="SELECTOR", help="Address by a selector.")]
Match = Annotated[
    int | None, typer.Option("--match", metavar="N", help="Which match of the selector, from 0.")
]
Kind = Annotated[
    str | None, typer.Option("--kind", help="What the target must be: function, class, method, …")
]
Id = Annotated[str, typer.Argument(metavar="ID", help="The transaction, or the first characters of its id.")]
Target = Annotated[str, typer.Argument(metavar="TARGET", help="PATH, PATH::SYMBOL or PATH:LINES.")]


def code_from(code: str | None, file: Path | None, what: str = "code") -> str:
    """The code as given, from a file or from standard input.

    Raises:
        BadCall: ``invalid_args``, if there is none or two.
        DoesNotFit: ``file_not_found``.
    """
    if code is not None and file is not None:
        raise BadCall("invalid_args", f"--{what} and --{what}-file exclude each other", "give one of them")
    if code is not None:
        return code
    if file is not None:
        return read(file).decode("utf-8", "surrogateescape")
    if sys.stdin is None or sys.stdin.isatty():
        raise BadCall(
            "invalid_args", f"there is no {what}", f"give --{what}, --{what}-file or standard input"
        )
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def read(file: Path) -> bytes:
    """The bytes of a file that an option or argument names.

    Raises:
        DoesNotFit: ``file_not_found``.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DoesNotFit("file_not_found", f"{file} does not exist", "name a file to read from") from None


def one(
    command: str,
    build: Callable[[Repository], dict[str, Any]],
    *,
    json: bool,
    dry_run: bool,
    no_land: bool,
    message: str | None,
    onto: str | None,
) -> None:
    """Do the one operation that ``build`` describes, as a whole transaction."""

    def request(repo: Repository) -> Request:
        raw = {k: v for k, v in build(repo).items() if v is not None}
        return Request(operations=parse_operations([{"op": command, **raw}]), message=message)

    whole(command, request, onto=onto, dry_run=dry_run, no_land=no_land, json=json)


def whole(
    command: str,
    build: Callable[[Repository], Request],
    *,
    onto: str | None,
    dry_run: bool,
    no_land: bool,
    json: bool,
) -> None:
    """Do what ``build`` asks for: try it, stage it, or stage and land it."""
    with Workspace() as ws:
        request = build(ws.repo)
        before = shadow.earlier(ws, request.request_id) if request.request_id else None
        if before is not None:
            staged = before if before.landed or dry_run or no_land else transaction.land(ws, before)
        elif dry_run or no_land:
            staged = transaction.stage(ws, request, ws.target(onto), dry_run=dry_run)
        else:
            staged = transaction.perform(ws, request, onto)
    tell(command, staged, json)


def tell(command: str, staged: Staged, json: bool) -> None:
    """Answer for a transaction that was staged, landed or only tried."""
    data = staged.data()
    following = []
    if staged.landed:
        following = ["git scalpel undo"]
    elif staged.id:
        following = [f"git scalpel land {staged.id}", f"git scalpel drop {staged.id}"]
    recovered = staged.landed.recovered if staged.landed else ()
    output.answer(
        command,
        data,
        _text(staged, data),
        json,
        warnings=[*recovered, *staged.meta.warnings],
        following=following,
    )


def _text(staged: Staged, data: dict[str, Any]) -> str:
    if staged.id is None:
        return str(data["diff"])
    what = f"landed on {data['target']}" if staged.landed else f"staged for {data['target']}"
    lines = [f"{what}: {subject(staged.meta.message)}  [{staged.id}]"]
    lines += [f"  {row['path']}  +{row['added']} -{row['removed']}" for row in data["files"]]
    for row in data["ops"]:
        lines += [f"  note: {note}" for note in row["corrections"]]
        if row.get("lead"):
            lines.append(f"  lead: {row['lead']}")
        if row.get("matched") not in (None, "exact"):
            lines.append(f"  matched: {row['matched']}")
    if staged.landed:
        lines += [
            f"  {f.path}: your uncommitted changes stay on top"
            for f in staged.landed.files
            if f.what == "merged"
        ]
        lines.append("undo with: git scalpel undo")
    else:
        lines.append(f"land with: git scalpel land {staged.id}")
    return "\n".join(lines)
