"""Definitions and other nodes that a selector matches, and the places of a text."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.answers import Match, shown
from gitscalpel.verbs.asked import Count, Looking, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain


class Request(Looking, frozen=True, kw_only=True):
    """What to find, and where."""

    selector: Annotated[
        str, said('Such as function:has(Return), call[name=f], or text("words").', "SELECTOR", place=True)
    ]
    paths: Annotated[
        tuple[str, ...],
        said("Files or folders; the current one if none.", "PATH", place=True, path=True, none="."),
    ] = ()
    limit: Annotated[Count | None, said("The first N matches only.", "N")] = None
    no_code: Annotated[bool, said("Leave their text out of the JSON.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found; ``more`` says of a limit whether there is more."""

    matches: tuple[Match, ...]
    more: bool | UnsetType = UNSET


def perform(caller: Caller, asked: Request) -> Reply:
    """Find it."""
    beyond = None if asked.limit is None else asked.limit + 1  # one more tells whether there are more
    paths = asked.paths or ("",)
    found = caller.place(asked).find(asked.selector, paths, beyond, code=not asked.no_code)
    matches = tuple(found[: asked.limit])
    more = UNSET if asked.limit is None else len(found) > len(matches)
    if not found:
        return Reply(Answer(matches=(), more=more), lambda _: Words("nothing there matches", aside=True))
    text = "\n".join(map(_row, matches))
    warnings = (f"there are more than these {len(matches)}",) if more is True else ()
    return Reply(Answer(matches=matches, more=more), plain(text, page=True), warnings)


def _row(match: Match) -> str:
    if match.range is UNSET:
        return f"{shown(match.path)}:{match.start_line}  {match.qualname}  {match.kind}"
    first, _, last = match.range.partition("@")[0].partition("-")
    return f"{shown(match.path)}:{first}{f'-{last}' if last != first else ''}| {match.code}"
