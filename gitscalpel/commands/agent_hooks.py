"""Commands agent, hook and mcp: called by coding agents and by git, not typed by people.

``agent`` handles an event that an agent's hooks send: it checks what the agent edits and records what it
did. ``hook`` answers a git hook. ``mcp`` serves tools over standard input and output until the client
disconnects.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gitscalpel.adapters import registry
from gitscalpel.agents import event_handler
from gitscalpel.api import BadCall, GateRefused, Misconfigured, Repository
from gitscalpel.changesets.answers import CHECKOUT, Judged, make_json_safe
from gitscalpel.commands import checks
from gitscalpel.commands.reply import Caller, CommandRequest, Reply, describe_field, plain_text
from gitscalpel.commands.table import TOOLS
from gitscalpel.errors.messages import arg


class AgentRequest(CommandRequest, frozen=True, kw_only=True):
    """A hook event of a coding agent."""

    examples = ("claude event.json", "codex -")

    of: Annotated[Literal["claude", "codex"], describe_field("Agent.", place=True)]
    event: Annotated[
        str,
        describe_field(
            "Event in JSON as the agent sends it (default: -, standard input).", "FILE|-", form="file"
        ),
    ]


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a hook event.

    Attributes:
        refused: code of the error that rejects the tool call, or null.
        steps: operations that were recorded and can be undone.
        mended: files that were overwritten with the result of the edit.
        folder: worktree that was made.
        tx: transaction that took in the work of a worktree.
    """

    refused: str | None
    steps: tuple[str, ...]
    mended: tuple[str, ...]
    folder: str
    tx: str


def perform_agent(caller: Caller, request: AgentRequest) -> Reply:
    """Handle a hook event. Outside of a repository, nothing is done.

    Raises:
        Misconfigured: ``unavailable``: the event cannot be handled. Agents take the exit status of a bad
            call (2) as a rejection of their tool call; after any other status, the tool call continues.
    """
    if caller.typed is None:
        caller.hooks.refuse_confined("an event of an agent")
    try:
        return _handle_event(caller, request.of, event_handler.read_event(request.event))
    except BadCall as error:
        raise Misconfigured("unavailable", error.message, error.hint) from None


def _handle_event(caller: Caller, of: str, event: event_handler.Event) -> Reply:
    agent = f"{of} {event.agent_type}".strip()
    place = event.worktree_path if event.kind == "no worktree" else event.cwd
    folder = Path(place) if place and os.path.isdir(place) else None  # noqa: PTH112 - not a Path
    try:
        with Repository(folder, agent=agent, long_lived=False, spelling=caller.spelling) as repo:
            heeded = event_handler.handle_event(repo, event)
        if event.hook_event_name == "SessionStart":
            event_handler.pass_agent_name(agent)
    except Misconfigured as error:
        if error.code != "not_a_repository":
            raise
        heeded = event_handler.EventOutcome()
    answer = AgentAnswer(
        refused=heeded.refused.code if heeded.refused else None,
        steps=heeded.steps,
        mended=heeded.mended,
        folder=heeded.folder,
        tx=heeded.tx,
    )
    words = event_handler.build_reply(heeded, event, caller.spelling)
    text = (
        heeded.folder
        if words is None
        else msgspec.json.encode(make_json_safe(words, caller.spelling)).decode()
    )
    return Reply(answer, plain_text(text, verbatim=True))


HookAnswer = Judged


class HookRequest(CommandRequest, frozen=True, kw_only=True):
    """A git hook, with its arguments and input."""

    examples = ("pre-commit", "commit-msg .git/COMMIT_EDITMSG")

    what: Annotated[
        Literal["pre-commit", "commit-msg", "pre-push", "pre-receive", "reference-transaction"],
        describe_field("Name of the hook.", place=True),
    ]
    words: Annotated[
        tuple[str, ...], describe_field("Arguments that git passes to the hook.", "ARG", place=True)
    ] = ()
    lines: Annotated[
        str,
        describe_field(
            "Lines that git writes to the hook's standard input.",
            form="told",
            of=("pre-push", "pre-receive", "reference-transaction"),
        ),
    ] = ""


def perform_hook(caller: Caller, request: HookRequest) -> Reply:
    """Check what git is about to do. The text is empty if everything passes."""
    try:
        done = caller.hooks.hook(request.what, *request.words, lines=request.lines)
    except GateRefused as error:
        if "findings" not in error.data:
            raise
        return checks.rejected_reply(error)
    return Reply(done, plain_text(""))


_ALLOW_EDIT_VARIABLE = "ALLOW_EDIT"
"""Environment variable with the meaning of ``--allow-edit``."""


def _tool_names() -> list[str]:
    return ["all", *TOOLS]


class McpRequest(CommandRequest, frozen=True, kw_only=True):
    """Options of an MCP server: the offered tools, permissions and transport."""

    examples = ("", "--allow-edit --paths 'src/**' --confirm land")

    allow_edit: Annotated[
        bool,
        describe_field(
            f"Also expose the tools that change something, if {arg('tools')} names them (or: ALLOW_EDIT=1)."
        ),
    ] = False
    tools: Annotated[
        tuple[str, ...],
        describe_field(
            "Tools to expose, or all (default: all read-only tools).",
            "NAME",
            many=True,
            offers=_tool_names,
        ),
    ] = ()
    dialect: Annotated[
        tuple[str, ...],
        describe_field(
            f"Tools of other programs to expose instead: {', '.join(registry.names())}.",
            "NAME",
            many=True,
            offers=registry.names,
        ),
    ] = ()
    read_before_edit: Annotated[
        bool, describe_field("Reject edits of files that the agent has not read, or that have changed since.")
    ] = False
    confirm: Annotated[
        tuple[str, ...],
        describe_field(
            "Tools that the user must confirm, or all for all that change something.",
            "NAME",
            many=True,
            offers=_tool_names,
        ),
    ] = ()
    output_schemas: Annotated[bool, describe_field("Also list the JSON schemas of the answers.")] = False
    paths: Annotated[
        tuple[str, ...],
        describe_field("Patterns of the files that may be changed (default: all).", "GLOB", many=True),
    ] = ()
    capability: Annotated[
        str | None,
        describe_field("TOML file with a table for each agent: token, paths, tools.", "FILE"),
    ] = None
    root: Annotated[
        tuple[str, ...],
        describe_field("Repository to work in (default: the current one); may be repeated.", "FOLDER"),
    ] = ()
    http: Annotated[
        int | None,
        describe_field("Port for HTTP on this machine instead of standard input (0: a free port).", "PORT"),
    ] = None
    onto: Annotated[str, describe_field("Default target of edits (default: @checkout).", "BRANCH")] = CHECKOUT


class McpAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """State after the client has disconnected."""

    state: str


def perform_mcp(caller: Caller, request: McpRequest) -> Reply:
    """Serve an MCP client until it disconnects."""
    shell = caller.shell
    if shell.environment.get(_ALLOW_EDIT_VARIABLE, "").lower() in ("1", "true", "yes", "on"):
        request = msgspec.structs.replace(request, allow_edit=True)
    shell.serve_mcp(request)
    return Reply(McpAnswer(state="ended"), plain_text(""), raw=True)
