"""Parts of replies that several dialects share: numbered lines, places and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from gitscalpel.adapters.tool import Edit, Look, Refusal, Talk
from gitscalpel.changesets.answers import clean

_AROUND = 4
"""Lines that are shown before and after what an edit wrote."""


def numbered(lines: Iterable[str], first: int = 1) -> str:
    """Lines with their numbers before a tab, as ``cat -n`` prints them."""
    return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, first))


def split(content: str) -> list[str]:
    """The lines of a file, counted as git counts them."""
    lines = content.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def json(value: Any) -> str:
    """A result that is data."""
    return msgspec.json.encode(clean(value)).decode()


def notes(done: dict[str, Any]) -> list[str]:
    """What was put right in a call, and what nobody could check."""
    corrected = [note for row in done.get("ops", ()) for note in row.get("corrections", ())]
    return [*corrected, *done.get("unchecked", ())]


def noting(text: str, done: dict[str, Any]) -> str:
    """A result with what was noticed beside."""
    return "\n".join([text, *(f"note: {note}" for note in notes(done))])


def snippet(done: dict[str, Any]) -> Talk:
    """What stands now around that which the last operation wrote; "" where there is nothing to show."""
    row = done["ops"][-1] if done.get("ops") else {}
    if not row.get("after"):
        return ""
    shown = yield Look("show", {"path": row["path"]})
    first, last = row["after"]
    begin = max(first - _AROUND, 1)
    return numbered(split(shown["content"])[begin - 1 : last + _AROUND], begin)


def edited(edit: Edit, head: str) -> Talk:
    """Do it and tell so, with what stands there now."""
    done = yield edit
    return (yield from described(done, head))


def described(done: dict[str, Any], head: str) -> Talk:
    """What was done, with what stands there now."""
    shown = yield from snippet(done)
    return noting("\n".join(filter(None, [head, shown])), done)


def once(why: Refusal, what: str, path: str) -> str:
    """That a text does not stand in a file exactly once, or says nothing; "": it is another refusal."""
    if why.code == "not_found":
        rows = [f"line {row['line']}: {row['text'].strip()}" for row in why.data.get("nearest", ())]
        near = f" Nearest: {'; '.join(rows)}" if rows else ""
        return f"{what} was not found in {path}. Nothing was replaced.{near}"
    if why.code == "ambiguous":
        at = places(why.lines)
        count = len(why.lines) or why.data.get("count", 0)
        return f"{what} occurs {count} times in {path}, {at}. Nothing was replaced."
    if why.code == "empty_target":
        return f"{what} is empty, so it names no place. Nothing was replaced."
    if why.code == "no_change":
        return f"Nothing is to be changed: {why.message}."
    if why.code == "file_not_found":
        return f"File not found: {path}"
    return ""


def which(given: Mapping[str, Any], name: str, why: Refusal) -> str:
    """Which of several edits in a list was refused, before why; "": there is one."""
    return f"{name}[{why.op}]: " if why.op is not None and len(given.get(name, ())) > 1 else ""


def places(lines: Sequence[int]) -> str:
    """Where something stands."""
    return f"at line{'s' if len(lines) != 1 else ''} {', '.join(map(str, lines))}"
