"""The tool that reads: a file, its symbols, a symbol, lines, or what a selector finds."""

from __future__ import annotations

import posixpath
from typing import Any

import msgspec

from gitscalpel.api import BadCall, DoesNotFit
from gitscalpel.changesets.answers import Shown
from gitscalpel.mcp import schemas
from gitscalpel.mcp.asking import Answered, Here, refuse_others
from gitscalpel.verbs import outline
from gitscalpel.verbs.reply import Reply, plain

LONG = 400
"""Lines of a file that is not named for its whole length: more, and its symbols are shown instead. And lines
of the outline of a folder."""
_SHOW = ("path", "symbol", "start", "end", "onto", "tx")


def takes() -> tuple[dict[str, Any], list[str]]:
    """Its arguments."""
    fields, _ = schemas.properties("show", _SHOW)
    fields["path"] = {**fields["path"], "description": "A file or folder (default: all)."}
    return {
        **fields,
        "find": {
            "type": "string",
            "description": 'A selector: class[name=A] > method, call[name=f], text("words").',
        },
        "limit": {"type": "integer"},
        "hashes": {"type": "boolean", "description": "Show line hashes, to edit by."},
    }, []


def perform(here: Here, given: dict[str, Any]) -> Answered:
    """Read what is asked for.

    Raises:
        ScalpelError: it is not there, or the arguments do not fit together.
    """
    refuse_others(given, takes()[0])
    fields = dict(given)
    path, hashes = _within(here, fields.pop("path", None)), bool(fields.pop("hashes", False))
    if "find" in fields:
        return here.ask(
            "find", {"selector": fields.pop("find"), **fields, **({"paths": [path]} if path else {})}
        )
    if not path and {"symbol", "start", "end"} & fields.keys():
        hint = "a definition of which nobody knows the file is found by its name: find [name=f]"
        raise BadCall("invalid_args", "it does not say in which file: path", hint)
    if not path:
        return _folder(here, ".", fields, hashes)
    try:
        shown = here.ask("show", {"path": path, **fields})
    except DoesNotFit as error:
        if error.code != "not_a_file":
            raise
        return _folder(here, path, fields, hashes)
    file: Shown = shown.reply.answer
    if file.total_lines > LONG and not {"symbol", "start", "end"} & fields.keys():
        verb, reply = _outline(here, path, fields, hashes)
        note = f"{file.path} has {file.total_lines} lines: name a symbol, or start and end"
        return Answered(verb, msgspec.structs.replace(reply, warnings=(*reply.warnings, note)))
    return Answered(shown.verb, _read(shown.reply, file, hashes))


def _within(here: Here, path: Any) -> Any:
    """The path; None for all of the repository, however that is written (``.``, its own place)."""
    named = here.relative("path", path)
    return None if isinstance(named, str) and posixpath.normpath(named or ".") == "." else path


def _outline(here: Here, path: str, fields: dict[str, Any], hashes: bool) -> Answered:
    """The symbols of a file or folder; hashes only if they are asked for, since each costs its reader."""
    verb, reply = here.ask("outline", {"paths": [path], **fields})
    short = outline.worded(reply.answer, hashes)
    return Answered(verb, msgspec.structs.replace(short, warnings=reply.warnings))


def _folder(here: Here, path: str, fields: dict[str, Any], hashes: bool) -> Answered:
    """The symbols of a folder; of one with many, as many levels as fit, or its files alone."""
    verb, reply = _outline(here, path, fields, hashes)
    found: outline.Answer = reply.answer
    whole = _rows(found)
    if whole <= LONG:
        return Answered(verb, reply)
    shown = next((less for depth in (1, 0) if _rows(less := outline.levels(found, depth)) <= LONG), None)
    shown = outline.levels(found, 0)[:LONG] if shown is None else shown
    note = f"there are {whole - len(found)} symbols in {len(found)} files"
    note += f", of which {LONG} are shown" if len(shown) < len(found) else ""
    note += ": name a folder or a file to see more of it, or look for a name with find, [name=f]"
    short = outline.worded(shown, hashes)
    return Answered(verb, msgspec.structs.replace(short, warnings=(*reply.warnings, note)))


def _rows(found: outline.Answer) -> int:
    pending, rows = [file.symbols for file in found], len(found)
    while pending:
        symbols = pending.pop()
        rows += len(symbols)
        pending += [symbol.children for symbol in symbols]
    return rows


def _read(reply: Reply, shown: Shown, hashes: bool) -> Reply:
    """The lines with their numbers; with hashes only if they are asked for, since each costs its reader."""
    rows = [
        f"{line.n}:{line.hash}| {line.text}" if hashes else f"{line.n}| {line.text}" for line in shown.lines
    ]
    answer = msgspec.to_builtins(shown)
    del answer["content" if hashes else "lines"]  # the same twice
    return msgspec.structs.replace(reply, answer=answer, words=plain("\n".join(rows), verbatim=True))
