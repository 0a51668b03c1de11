"""The JSON schemas of what verbs take and answer, for programs that call them."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, get_args, get_origin

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.errors.messages import Spelling
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Asked, frozen=True, kw_only=True):
    """Whose."""

    verb: Annotated[str | None, said("One command; else all of them.", "COMMAND", place=True)] = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A verb.

    Attributes:
        verb, help: how it is called, and what it does.
        access: the most that it may do: ``look``, ``edit``, ``land`` or ``keep house``.
        request, answer: JSON schemas, the latter of ``data``.
    """

    verb: str
    help: str
    access: str
    request: dict[str, Any]
    answer: dict[str, Any]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The verbs."""

    verbs: tuple[Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Show them."""
    del caller
    from gitscalpel.verbs.table import VERBS

    if asked.verb is not None and asked.verb not in VERBS:
        raise BadCall("invalid_args", f"there is no command {asked.verb!r}", f"one of {', '.join(VERBS)}")
    chosen = VERBS.values() if asked.verb is None else [VERBS[asked.verb]]
    answer = Answer(
        verbs=tuple(
            Row(
                verb=verb.name,
                help=verb.help,
                access=verb.access,
                request=_schema(verb.request),
                answer=_schema(verb.answer),
            )
            for verb in chosen
        )
    )

    def words(_: Spelling) -> Words:
        return Words(msgspec.json.format(msgspec.json.encode(answer)).decode(), page=True)

    return Reply(answer, words)


def _schema(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is UnionType:  # of structs, which msgspec tells apart by a tag alone
        return {"anyOf": [msgspec.json.schema(each) for each in get_args(kind)]}
    return msgspec.json.schema(kind)
