"""Permissions of an MCP session, and questions to its user.

If several agents share a server, each sends a token, and a file lists the permissions of each token.

A person at the client may have to confirm a call. From revision 2026-07-28 on, it is answered with the
question (``input_required``), and the client sends it again with the person's answer. Before that
revision, the call waits while the server asks the client (``elicitation/create``).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.adapters.tool import Tool
from gitscalpel.api import BadCall, Misconfigured, WaitsForPerson
from gitscalpel.commands.table import COMMANDS
from gitscalpel.errors.messages import arg
from gitscalpel.mcp import jsonrpc
from gitscalpel.mcp.jsonrpc import INVALID_PARAMS, Message, RequestError, Write
from gitscalpel.mcp.tools import TOOLS, tool_of_command

_MIN_TOKEN_LENGTH = 16  # Minimum length of a token in characters. Shorter ones can be guessed.
ALL = "all"


class Grant(msgspec.Struct, frozen=True):
    """Permissions of a caller.

    Attributes:
        tools: allowed tools by name, in the order of ``tools/list``.
        within: globs of the files that may be changed, or None for all files.
        agent: agent name for the operation log. "" if the client's own name is used.
    """

    tools: dict[str, Tool]
    within: tuple[str, ...] | None = None
    agent: str = ""

    def read_only(self) -> Grant:
        return msgspec.structs.replace(self, tools={n: t for n, t in self.tools.items() if not t.is_editing})


class _AgentTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    token: str
    paths: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


def default_grant(
    allow_edit: bool,
    tool_names: Iterable[str],
    within: tuple[str, ...] | None,
    adapter_tools: Mapping[str, Tool] | None = None,
) -> Grant:
    """Return the permissions without a token. Without names, these are all tools that only read.

    Args:
        allow_edit: True if tools that change something may be offered.
        tool_names: names of the offered tools.
        within: globs of the files that may be changed, or None for all files.
        adapter_tools: tools of adapters. If there are any, they replace ours, except those in ``tool_names``.

    Raises:
        BadCall: ``invalid_args``: there is no such tool.
    """
    names, available = tuple(tool_names), adapter_tools or TOOLS
    if not names:
        chosen = {name: tool for name, tool in available.items() if not tool.is_editing}
    else:
        every = available if ALL in names else {}
        chosen = {**every, **{name: available.get(name) or _find_tool(name) for name in names if name != ALL}}
    offered = Grant(chosen, within)
    return offered if allow_edit else offered.read_only()


def find_confirmed_tools(named: Iterable[str], default: Grant) -> frozenset[str]:
    """Return the tools that a person must confirm; ``all`` stands for each tool that changes something.

    Raises:
        BadCall: ``invalid_args``: a tool is not offered.
    """
    names = set(named)
    changing = {name for name, tool in default.tools.items() if tool.is_editing}
    unknown = sorted(names - default.tools.keys() - {ALL})
    if unknown:
        raise BadCall(
            "invalid_args", f"{', '.join(unknown)} is not offered here", f"add it to {arg('tools')} as well"
        )
    return frozenset(names - {ALL} | (changing if ALL in names else set()))


def _find_tool(name: str) -> Tool:
    if name in TOOLS:
        return TOOLS[name]
    if name in COMMANDS and COMMANDS[name].in_shell:
        raise BadCall("invalid_args", f"{name} is available only in a shell", "leave it out")
    if name in COMMANDS:
        return tool_of_command(name)
    import difflib

    near = difflib.get_close_matches(name, [*TOOLS, *COMMANDS], 1)
    hint = (
        f"did you mean {near[0]!r}? " if near else ""
    ) + f"there are {', '.join(TOOLS)}, and every command"
    raise BadCall("invalid_args", f"no such tool: {name!r}", hint)


def load_capabilities(file: Path, default: Grant) -> dict[str, Grant]:
    """Return the permissions by token. No token permits a tool that ``default`` does not have.

    Raises:
        Misconfigured: ``config_error``: the file is invalid, or other users can read it.
    """
    if file.stat().st_mode & 0o077:
        raise _config_error(file, "other users can read it", f"chmod 600 {file}")
    agents = _read(file)
    granted = {}
    for name, agent in agents.items():
        if len(agent.token) < _MIN_TOKEN_LENGTH:
            raise _config_error(
                file, f"the token of {name} has under {_MIN_TOKEN_LENGTH} characters", "make a longer one"
            )
        unknown = [tool for tool in agent.tools if tool not in default.tools]
        if unknown:
            text = f"{name} has {', '.join(unknown)}, which this server does not offer"
            raise _config_error(
                file,
                text,
                f"add it to {arg('tools')} as well, with {arg('allow_edit')} if it changes something",
            )
        tools = {n: t for n, t in default.tools.items() if not agent.tools or n in agent.tools}
        granted[agent.token] = Grant(tools, agent.paths, name)
    return granted


def _read(file: Path) -> dict[str, _AgentTable]:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=dict[str, _AgentTable])
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        hint = 'a table for each agent: [a], token = "…", paths = ["src/a/**"], tools = ["edit"]'
        raise _config_error(file, str(error), hint) from None


def _config_error(file: Path, problem: str, hint: str) -> Misconfigured:
    return Misconfigured("config_error", f"{file}: {problem}", hint)


def find_grant(granted: Mapping[str, Grant], token: str) -> Grant | None:
    """Return the permissions of a token, or None. The comparison takes constant time."""
    grants = [
        grant
        for known_token, grant in granted.items()
        if hmac.compare_digest(known_token.encode(), token.encode())
    ]
    return grants[0] if grants else None


_PREFIX = "gitscalpel-"
_POLL_S = 0.2  # Interval in seconds at which a waiting call checks whether it was cancelled


class _OpenRequest:
    def __init__(self) -> None:
        self.answered = threading.Event()
        self.result: Any = None


class ClientRequests:
    """Open requests from the server to one client."""

    def __init__(self) -> None:
        self._open: dict[str, _OpenRequest] = {}
        self._lock = threading.Lock()
        self._count = 0
        self._disconnected = threading.Event()

    def ask(self, method: str, params: dict[str, Any], write: Write, stop: threading.Event) -> Any:
        """Send a request to the client, and return its result.

        The result is None if the client reports an error or disconnects, or if ``stop`` is set.
        """
        with self._lock:
            self._count += 1
            id_ = f"{_PREFIX}{self._count}"
            open_request = self._open[id_] = _OpenRequest()
        write(jsonrpc.request(id_, method, params))
        while not (open_request.answered.wait(_POLL_S) or stop.is_set() or self._disconnected.is_set()):
            pass
        with self._lock:
            self._open.pop(id_, None)
        return open_request.result

    def take_answer(self, message: Message) -> bool:
        """Take an answer from the client, and return True if a request was waiting for it."""
        with self._lock:
            open_request = self._open.get(message.id) if isinstance(message.id, str) else None
        if open_request is None or message.method:
            return False
        open_request.result = message.result
        open_request.answered.set()
        return True

    def close(self) -> None:
        self._disconnected.set()


_KEY = "consent"
Consent = Literal["yes", "no", "anew"]  # State of a question: accepted, declined, or to be asked (again)


class Question(msgspec.Struct, frozen=True):
    """A question for a person, with everything that the person agrees to."""

    text: str

    @property
    def form(self) -> dict[str, Any]:
        """Return the parameters of ``elicitation/create``, with a form that has no fields."""
        schema = {"type": "object", "properties": {}}
        return {"mode": "form", "message": self.text, "requestedSchema": schema}


class ConsentRequests:
    """Signs questions, so that a stateless server can check which question an answer belongs to."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def input_required(self, question: Question) -> dict[str, Any]:
        digest = _digest(question)
        requests = {_KEY: {"method": "elicitation/create", "params": question.form}}
        return {"inputRequests": requests, "requestState": f"{digest}.{self._mac(digest)}"}

    def read_consent(self, params: Mapping[str, Any], question: Question) -> Consent:
        """Return the answer to a question that a request contains.

        Raises:
            RequestError: the ``requestState`` was not made by this server.
        """
        state, responses = params.get("requestState"), params.get("inputResponses")
        if state is None:
            return "anew"
        digest, _, mac = state.partition(".") if isinstance(state, str) else ("", "", "")
        if not hmac.compare_digest(self._mac(digest).encode(), mac.encode()):
            raise RequestError(INVALID_PARAMS, "requestState was not made by this server")
        if digest != _digest(question) or not isinstance(responses, dict) or _KEY not in responses:
            return "anew"
        return parse_consent(responses[_KEY])

    def _mac(self, digest: str) -> str:
        return hmac.new(self._key, digest.encode(), hashlib.sha256).hexdigest()


def parse_consent(response: Any) -> Consent:
    """Return a person's answer from an ``ElicitResult``."""
    return "yes" if isinstance(response, dict) and response.get("action") == "accept" else "no"


def obtain_consent(
    current: Callable[[], Question], ask: Callable[[Question], Consent]
) -> tuple[Consent, Question]:
    """Ask until the accepted question is still the current one, and return the answer with its question."""
    question = current()
    while True:
        consent = ask(question)
        current_question = current() if consent == "yes" else question
        if current_question == question:
            return consent, question
        question = current_question


def declined_error(tool: str) -> WaitsForPerson:
    return WaitsForPerson("rejected", f"the user declined {tool}", "ask the user how to proceed")


def _digest(question: Question) -> str:
    return hashlib.sha256(question.text.encode()).hexdigest()
