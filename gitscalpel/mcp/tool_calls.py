"""Run a tool call, and return its answer as data and as text."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from gitscalpel.adapters.tool import Tool
from gitscalpel.api import ScalpelError, unexpected_errors
from gitscalpel.changesets import answers
from gitscalpel.commands.reply import Caller, Reply, TransactionRequest
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors.messages import spell, spell_all
from gitscalpel.mcp import own_tools, tools
from gitscalpel.mcp.command_call import CallContext, FileTrackers
from gitscalpel.mcp.own_tools import MAX_LINES
from gitscalpel.mcp.permissions import Grant, Question
from gitscalpel.mcp.roots import Notify, RepositoryKey, Roots
from gitscalpel.mcp.tools import SPELLING
from gitscalpel.workspace.workspace import environment


class ToolCall(NamedTuple):
    """A tool call.

    Attributes:
        arguments: arguments as sent by the client.
        notify: receives progress messages, or None.
        stop: event that is set to cancel the call. A cancelled call ends its processes and lands nothing.
        confirmed: name of the client whose user confirmed the call, or "".
    """

    tool: Tool
    arguments: Mapping[str, Any]
    notify: Notify | None = None
    stop: threading.Event | None = None
    confirmed: str = ""

    @property
    def tool_arguments(self) -> dict[str, Any]:
        """Return the arguments without ``root``, which selects the repository."""
        return {name: value for name, value in self.arguments.items() if name != "root"}


class CallResult(msgspec.Struct, frozen=True):
    """Result of a tool call: the structured answer, as all front ends give it, and the answer as text."""

    envelope: dict[str, Any]
    text: str
    is_text_only: bool = False

    @property
    def is_error(self) -> bool:
        return not self.envelope["ok"]


class ToolRunner(msgspec.Struct, frozen=True):
    """Runs tool calls.

    Attributes:
        roots: repositories of the server.
        onto: default target of edits, a branch or ``@checkout``.
        trackers: file trackers, or None if agents may edit files that they have not read.
    """

    roots: Roots
    onto: str
    trackers: FileTrackers | None = None

    def call(self, asked: ToolCall, grant: Grant, agent: str) -> CallResult:
        """Run a call. An error becomes a result too."""
        tool, arguments = asked.tool, asked.tool_arguments
        try:
            with self._open_context(asked, grant, agent) as context:
                verb, reply = tools.run_call(tool, context, arguments)
                return _reply_result(verb, reply, tool, arguments)
        except BaseException as error:
            return error_result(asked, error)

    def question(self, call: ToolCall, grant: Grant, agent: str) -> Question:
        """Return the question that asks a person to confirm a call, with everything that the call affects.

        Raises:
            ScalpelError: the transaction of the call cannot be shown.
        """
        arguments_text = msgspec.json.encode(call.arguments, order="deterministic").decode()
        parts = [f"{grant.agent or agent or 'An agent'} wants to {call.tool.name}: {arguments_text}"]
        command = call.tool.find_command(call.tool_arguments)
        if issubclass(COMMANDS[command].request, TransactionRequest):
            with self._open_context(call, grant, agent) as context:
                fields = {"tx": call.tool_arguments["tx"]} if call.tool_arguments.get("tx") else {}
                shown = context.run_command("show-tx", fields).reply
                parts += [shown.words(SPELLING).text.strip(), f"at commit {shown.answer.head}"]
        return Question(answers.make_json_safe("\n\n".join(parts)))

    @contextmanager
    def _open_context(self, call: ToolCall, grant: Grant, agent: str) -> Iterator[CallContext]:
        root = self.roots.resolve(call.arguments.get("root"))
        key = RepositoryKey(root, grant.agent or agent, grant.within, call.confirmed)
        with self.roots.borrow(key, call.notify, call.stop) as repo:
            repo.tracker = self.trackers.tracker_of(key.root, key.agent) if self.trackers else None
            yield CallContext(Caller(lambda: repo, SPELLING), key.root, self.onto)


def error_result(call: ToolCall, error: BaseException) -> CallResult:
    verb = call.tool.find_command(call.tool_arguments)
    return _error_result(
        verb, to_scalpel_error(error, verb, call.tool_arguments), call.tool, call.tool_arguments
    )


def _reply_result(verb: str, reply: Reply, tool: Tool, arguments: dict[str, Any]) -> CallResult:
    words = spell_all(reply.words(SPELLING), SPELLING)
    parts = [words.text, "" if words.brief else _shorten_diff(words.diff), words.then]
    if reply.wrong is not None:
        failure = _error_result(verb, reply.wrong, tool, arguments)
        return CallResult(failure.envelope, "\n".join(filter(None, [*parts, failure.text])))
    warnings = [str(spell(warning, SPELLING)) for warning in reply.warnings]
    following = map(SPELLING.call, reply.next)
    envelope = answers.success_envelope(
        verb, answers.make_json_safe(msgspec.to_builtins(reply.answer), SPELLING), warnings, following
    )
    lines = [part.rstrip("\n") for part in parts] + reply.finding_lines(SPELLING)
    text = "\n".join(filter(None, lines))
    return CallResult(
        envelope,
        text if text or tool.format_error is not None else "there is nothing",
        tool.format_error is not None,
    )


def _shorten_diff(diff: str) -> str:
    """Return the first ``MAX_LINES`` lines of a diff."""
    lines = diff.splitlines()
    if len(lines) <= MAX_LINES:
        return diff
    files = sum(line.startswith("diff --git ") for line in lines)
    note = f"… {len(lines) - MAX_LINES} more lines; the diff is of {files} file{'s' if files != 1 else ''}"
    return "\n".join([*lines[:MAX_LINES], note])


def _error_result(verb: str, error: ScalpelError, tool: Tool, arguments: dict[str, Any]) -> CallResult:
    envelope = answers.failure_envelope(verb, error, SPELLING)
    error_fields = envelope["error"]
    if tool.format_error is not None:
        return CallResult(
            envelope, tools.format_adapter_error(tool, arguments, error_fields, error), is_text_only=True
        )
    lines = [f"error: {error.code}: {error_fields['message']}", f"hint: {error_fields['hint']}"]
    corrections = error.data.get("retry")
    if isinstance(corrections, Mapping):
        error_fields["retry"] = {
            "tool": tool.name,
            "arguments": own_tools.retry_arguments(arguments, error.op, dict(corrections)),
        }
        place = f"ops[{error.op}] " if error.op is not None and isinstance(arguments.get("ops"), list) else ""
        # The model still has the other arguments in its context, and each repeated token costs.
        fields = msgspec.json.encode(answers.make_json_safe(corrections)).decode()
        lines.append(f"retry: the same, {place}with {fields}")
    if error.data.get("content") is not None:  # current content of the lines
        lines += [f"  {row['n']}:{row['hash']}| {row['text']}" for row in error.data.get("lines", ())]
    return CallResult(envelope, "\n".join(lines))


def to_scalpel_error(error: BaseException, verb: str, arguments: Mapping[str, Any]) -> ScalpelError:
    """Return the error as a ``ScalpelError``; an unexpected one is reported as an internal error."""
    called = unexpected_errors.CallContext(lambda: ["mcp", verb, *arguments], environment(), _complain)
    return unexpected_errors.convert_error(error, called)


def _complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
