"""What all editing verbs share: code from where it comes, and one call of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitscalpel import BadCall, DoesNotFit, Repository, Request, Result, ScalpelError, changeset
from gitscalpel.cli import output, target
from gitscalpel.cli.parser import Given
from gitscalpel.report import subject

_SHARED = ("expect", "base")


def text_from(given: Given, name: str = "code") -> str:
    """New text as given, from a file or from standard input.

    Raises:
        BadCall: ``invalid_args``, if there is none or two.
        DoesNotFit: ``file_not_found``.
    """
    text, file = getattr(given, name), getattr(given, f"{name}_file")
    if text is not None and file is not None:
        raise BadCall("invalid_args", f"--{name} and --{name}-file exclude each other", "give one of them")
    if text is not None:
        return str(text)
    if file is not None and str(file) != "-":
        return read(file).decode("utf-8", "surrogateescape")
    if sys.stdin is None or (file is None and sys.stdin.isatty()):
        raise BadCall(
            "invalid_args", f"there is no {name}", f"give --{name}, --{name}-file or standard input"
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


def one(command: str, given: Given, build: Callable[[Repository], dict[str, Any]], op: str = "") -> None:
    """Do the one operation that ``build`` describes."""

    def request(repo: Repository) -> Request:
        fields = {**build(repo), **{name: getattr(given, name) for name in _SHARED}}
        operation = {"op": op or command, **{k: v for k, v in fields.items() if v is not None}}
        return changeset(operation, message=given.message)

    whole(command, given, request)


def whole(command: str, given: Given, build: Callable[[Repository], Request], note: str = "") -> None:
    """Do what ``build`` asks for: try it, stage it, or stage and land it; ``note`` is said of it."""
    with output.opened() as repo:
        where = getattr(given, "where", None) or getattr(given, "path", None)
        with target.meant(where, repo, lambda: output.place(repo, given)):
            request = build(repo)
            result = _done(repo, request, given)
    tell(command, result, given, note)


def _done(repo: Repository, request: Request, given: Given) -> Result:
    tx = output.transaction(repo, given)
    try:
        if tx is not None:
            return tx.apply(request, dry_run=given.dry_run)
        land = not given.no_land
        return repo.apply(request, onto=given.onto, dry_run=given.dry_run, land=land, wait=given.wait)
    except ScalpelError as error:
        if error.op is not None and not error.about:  # a gate knows only which one it was
            operation = request.operations[error.op]
            error.at(error.op, operation.name, operation.path)
        raise


def tell(command: str, result: Result, given: Given, note: str = "") -> None:
    """Answer for a transaction that was staged, landed or only tried."""
    following = []
    if result.state == "landed":
        following = ["git scalpel undo"]
    elif result.tx and not result.landed:
        following = [f"git scalpel {verb} {result.tx}" for verb in ("land", "drop")]
    text, then = ("", "") if given.json else _text(result, note)
    output.answer(
        command,
        {**result.data(), **({"note": note} if note else {})} if given.json else None,
        text,
        given.json,
        diff="" if given.json else result.patch.diff,
        then=then,
        brief=result.tx is not None,
        page=result.tx is None,
        warnings=result.warnings,
        following=following,
    )


def _text(result: Result, note: str) -> tuple[str, str]:
    """What is said above the diff, and below it."""
    if result.tx is None:
        return note, ""
    what = f"{'landed on' if result.landed else 'staged for'} {result.target}"
    if result.state == "undone":
        what += " before, and undone since"
    lines = [f"{what}: {subject(result.message)}  [{result.tx}]", *files(result)]
    lines += [f"  {note}"] if note else []
    for row in result.facts.ops:
        lines += [f"  note: {note}" for note in row.corrections]
        lines += [f"  lead: {row.lead}"] if row.lead else []
        lines += [f"  matched: {row.matched}"] if row.matched and row.matched != "exact" else []
    if result.state == "undone":
        return "\n".join(lines), ""
    if result.landed:
        merged = [file.path for file in result.landed.files if file.what == "merged"]
        lines += [f"  {path}: your uncommitted changes stay on top" for path in merged]
        return "\n".join(lines), "undo with: git scalpel undo"
    lines += [f"  {words}" for words in result.facts.unchecked if words not in result.warnings]
    return "\n".join(lines), f"land with: git scalpel land {result.tx}"


def files(result: Result) -> list[str]:
    """A line for each file that changed."""
    return [f"  {row.path}  +{row.added} -{row.removed}" for row in result.patch.rows]
