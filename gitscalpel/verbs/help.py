"""The pages of the documentation, which lie beside the package as text: ``docs/*.md``."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.errors.messages import Spelling, arg, call, spelt
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain

PAGES = Path(__file__).parents[1] / "docs"


class Request(Asked, frozen=True, kw_only=True):
    """About what."""

    topic: Annotated[str | None, said("A topic, or a command; else all topics.", "TOPIC", place=True)] = None
    all: Annotated[bool, said("List all commands instead of the topics.")] = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A topic, or a command.

    Attributes:
        name, about: how it is called, and what its page is about.
        text: the page, in Markdown, or how the command is called; None where all topics are listed.
    """

    name: str
    about: str
    text: str | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for."""

    topics: tuple[Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Show a page, how a command is called, or which topics there are.

    Raises:
        BadCall: ``invalid_args``: there is no such topic.
    """
    if asked.all:
        return _commands(caller, asked)
    topics = {file.stem: file for file in sorted(PAGES.glob("*.md"))}
    if asked.topic is None:
        rows = tuple(msgspec.structs.replace(_page(file), text=None) for file in topics.values())
        return Reply(Answer(topics=rows), lambda spelling: _listed(rows, spelling))
    row = _page(topics[asked.topic]) if asked.topic in topics else _command(caller, asked.topic, topics)
    return Reply(Answer(topics=(row,)), plain(row.text or row.about, page=True))


def _page(file: Path) -> Row:
    """A page; what it is about is the line below its title."""
    text = file.read_text("utf-8")
    return Row(name=file.stem, about=text.split("\n", 3)[2], text=text)


def _commands(caller: Caller, asked: Request) -> Reply:
    """List all commands."""
    from gitscalpel.verbs.table import VERBS

    if asked.topic is not None:
        words = f"{arg('topic')} and {arg('all')} cannot be combined"
        raise BadCall("invalid_args", words, "give one of them")
    rows = tuple(Row(name=verb.name, about=verb.help) for verb in VERBS.values())
    text = "" if caller.typed is None else caller.typed.usage(None)
    return Reply(Answer(topics=rows), plain(text, page=True))


def _command(caller: Caller, name: str, topics: dict[str, Path]) -> Row:
    from gitscalpel.verbs.table import VERBS

    if name in VERBS:
        usage = None if caller.typed is None else caller.typed.usage(name)
        return Row(name=name, about=VERBS[name].help, text=usage)
    near = difflib.get_close_matches(name, [*topics, *VERBS], 3)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise BadCall("invalid_args", f"there is no topic {name!r}", f"{hint}{call('help')} lists them")


def _listed(rows: tuple[Row, ...], spelling: Spelling) -> Words:
    shown = spelt(f"{call('help', topic='TOPIC')} shows a page:", spelling)
    lines = [f"  {row.name:<13} {row.about}" for row in rows]
    return Words("\n".join([shown, "", *lines]))
