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


def collect_notes(answer: dict[str, Any]) -> list[str]:
    """Return the corrections of a call and the checks that could not be made."""
    corrected = [note for row in answer.get("ops", ()) for note in row.get("corrections", ())]
    return [*corrected, *answer.get("unchecked", ())]


def add_notes(text: str, answer: dict[str, Any]) -> str:
    return "\n".join([text, *(f"note: {note}" for note in collect_notes(answer))])


def show_edit(answer: dict[str, Any]) -> Steps:
    """Return the lines around the last operation after the edit, or "" if there are none."""
    row = answer["ops"][-1] if answer.get("ops") else {}
    if not row.get("after"):
        return ""
    shown = yield ReadStep("show", {"path": row["path"]})
    first, last = row["after"]
    begin = max(first - _AROUND, 1)
    return number_lines(split_lines(shown["content"])[begin - 1 : last + _AROUND], begin)


def make_edit(edit: EditStep, head: str) -> Steps:
    """Make an edit and describe it, with the lines around it."""
    answer = yield edit
    return (yield from describe_edit(answer, head))


def describe_edit(answer: dict[str, Any], head: str) -> Steps:
    shown = yield from show_edit(answer)
    return add_notes("\n".join(filter(None, [head, shown])), answer)


def explain_mismatch(error: CallError, argument: str, path: str) -> str:
    """Explain that a text is empty or does not occur exactly once. "" for any other error."""
    if error.code == "not_found":
        rows = [f"line {row['line']}: {row['text'].strip()}" for row in error.data.get("nearest", ())]
        nearest_text = f" Nearest: {'; '.join(rows)}" if rows else ""
        return f"{argument} was not found in {path}. Nothing was replaced.{nearest_text}"
    if error.code == "ambiguous":
        position = format_lines(error.lines)
        count = len(error.lines) or error.data.get("count", 0)
        return f"{argument} occurs {count} times in {path}, {position}. Nothing was replaced."
    if error.code == "empty_target":
        return f"{argument} is empty, so it matches no text. Nothing was replaced."
    if error.code == "no_change":
        return f"Nothing to change: {error.message}."
    if error.code == "file_not_found":
        return f"File not found: {path}"
    return ""


def edit_prefix(arguments: Mapping[str, Any], name: str, error: CallError) -> str:
    """Return the index of the failed edit in a list, as a prefix. "" if the list has only one."""
    return f"{name}[{error.op}]: " if error.op is not None and len(arguments.get(name, ())) > 1 else ""


def format_lines(lines: Sequence[int]) -> str:
    return f"at line{'s' if len(lines) != 1 else ''} {', '.join(map(str, lines))}"
