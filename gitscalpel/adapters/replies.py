"""Parts of replies that several adapters share: numbered lines, positions and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from gitscalpel.adapters.tool import CallError, EditStep, ReadStep, Steps
from gitscalpel.changesets.answers import make_json_safe

_AROUND = 4  # Lines shown before and after an edit


def number_lines(lines: Iterable[str], first: int = 1) -> str:
    """Format lines as ``cat -n`` does, with a number and a tab before each."""
    return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, first))


def split_lines(content: str) -> list[str]:
    """Split the text of a file into lines, counted as git counts them."""
    lines = content.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def to_json(value: Any) -> str:
    return msgspec.json.encode(make_json_safe(value)).decode()


def collect_notes(done: dict[str, Any]) -> list[str]:
    """Return the corrections of a call and the checks that could not be made."""
    corrected = [note for row in done.get("ops", ()) for note in row.get("corrections", ())]
    return [*corrected, *done.get("unchecked", ())]


def add_notes(text: str, done: dict[str, Any]) -> str:
    return "\n".join([text, *(f"note: {note}" for note in collect_notes(done))])


def show_edit(done: dict[str, Any]) -> Steps:
    """Return the lines around the last operation after the edit, or "" if there are none."""
    row = done["ops"][-1] if done.get("ops") else {}
    if not row.get("after"):
        return ""
    shown = yield ReadStep("show", {"path": row["path"]})
    first, last = row["after"]
    begin = max(first - _AROUND, 1)
    return number_lines(split_lines(shown["content"])[begin - 1 : last + _AROUND], begin)


def make_edit(edit: EditStep, head: str) -> Steps:
    """Make an edit and describe it, with the lines around it."""
    done = yield edit
    return (yield from describe_edit(done, head))


def describe_edit(done: dict[str, Any], head: str) -> Steps:
    shown = yield from show_edit(done)
    return add_notes("\n".join(filter(None, [head, shown])), done)


def explain_mismatch(why: CallError, what: str, path: str) -> str:
    """Explain that a text is empty or does not occur exactly once. "" for any other error."""
    if why.code == "not_found":
        rows = [f"line {row['line']}: {row['text'].strip()}" for row in why.data.get("nearest", ())]
        near = f" Nearest: {'; '.join(rows)}" if rows else ""
        return f"{what} was not found in {path}. Nothing was replaced.{near}"
    if why.code == "ambiguous":
        at = format_lines(why.lines)
        count = len(why.lines) or why.data.get("count", 0)
        return f"{what} occurs {count} times in {path}, {at}. Nothing was replaced."
    if why.code == "empty_target":
        return f"{what} is empty, so it names no place. Nothing was replaced."
    if why.code == "no_change":
        return f"Nothing is to be changed: {why.message}."
    if why.code == "file_not_found":
        return f"File not found: {path}"
    return ""


def edit_prefix(arguments: Mapping[str, Any], name: str, why: CallError) -> str:
    """Return the index of the failed edit in a list, as a prefix. "" if the list has only one."""
    return f"{name}[{why.op}]: " if why.op is not None and len(arguments.get(name, ())) > 1 else ""


def format_lines(lines: Sequence[int]) -> str:
    return f"at line{'s' if len(lines) != 1 else ''} {', '.join(map(str, lines))}"
