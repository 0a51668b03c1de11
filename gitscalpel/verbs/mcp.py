"""Tools for agents that speak MCP, over standard input and output, until the client goes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain

_ALLOW_EDIT = "ALLOW_EDIT"
"""The variable that says the same as ``--allow-edit``."""


class Request(Asked, frozen=True, kw_only=True):
    """What is offered, and to whom."""

    allow_edit: Annotated[
        bool, said("Offer tools that change something as well, those that are named (or: ALLOW_EDIT=1).")
    ] = False
    tools: Annotated[
        tuple[str, ...],
        said("The tools to offer (default: all that only look); all: every one.", "NAME", many=True),
    ] = ()
    dialect: Annotated[
        tuple[str, ...],
        said(
            "Offer the tools that agents know already, instead of ours: anthropic, blueprint, "
            "claude-code, code-scalpel, codescout, cstquery, file-edit, openai, probe, serena.",
            "NAME",
            many=True,
        ),
    ] = ()
    read_before_edit: Annotated[
        bool, said("Refuse edits of files that the agent has not read, or that have changed since.")
    ] = False
    confirm: Annotated[
        tuple[str, ...],
        said(
            "Ask the person at the client before these; all: before whatever changes something.",
            "NAME",
            many=True,
        ),
    ] = ()
    output_schemas: Annotated[
        bool, said("List the schemas of what tools answer as well, which every agent then has to read.")
    ] = False
    paths: Annotated[tuple[str, ...], said("The only files that may be changed.", "GLOB", many=True)] = ()
    capability: Annotated[
        str | None,
        said("For several agents: a TOML file with a table each: token, paths, tools.", "FILE"),
    ] = None
    root: Annotated[
        tuple[str, ...],
        said("A repository to work in (default: the current one); may be repeated.", "FOLDER"),
    ] = ()
    http: Annotated[
        int | None,
        said("Serve over HTTP instead, to this machine alone (0: a port that is free).", "PORT"),
    ] = None
    onto: Annotated[str, said("What is edited where a call does not say.", "BRANCH")] = CHECKOUT


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The client has gone."""

    state: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Serve until then."""
    if caller.typed is None:
        raise BadCall("invalid_args", "nothing is typed here", "ask the command line for it")
    if caller.typed.environment.get(_ALLOW_EDIT, "").lower() in ("1", "true", "yes", "on"):
        asked = msgspec.structs.replace(asked, allow_edit=True)
    caller.typed.speak(asked)
    return Reply(Answer(state="ended"), plain(""), raw=True)
