"""Connection to one client: its requests, running calls, progress and log messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gitscalpel.mcp import jsonrpc, permissions, tool_calls
from gitscalpel.mcp.capabilities import Offer
from gitscalpel.mcp.jsonrpc import (
    CANNOT_BE_ASKED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    AnswerCollector,
    Client,
    Id,
    Message,
    RequestError,
    Write,
)
from gitscalpel.mcp.permissions import ClientRequests, Consent, Grant, Question
from gitscalpel.mcp.roots import ClientRoots
from gitscalpel.mcp.tool_calls import CallResult, ToolCall

_REQUIRED_CAPABILITIES: dict[str, Any] = {"requiredCapabilities": {"elicitation": {"form": {}}}}


class ClientCalls(msgspec.Struct, frozen=True):
    """Runs tool calls for a client. ``write`` sends messages and requests that precede the result."""

    offer: Offer
    client: Client
    grant: Grant
    questions: ClientRequests
    write: Write

    def run(self, call: ToolCall, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a call and return its result. ``params`` may contain a person's answer.

        Raises:
            RequestError: the client cannot ask the person who must confirm the call, or the ``requestState``
                is invalid.
        """
        if call.tool.name not in self.offer.confirmed_tools:
            return self._result(self.offer.runner.call(call, self.grant, self.client.name))
        try:
            consent, question = permissions.obtain_consent(
                lambda: self.offer.runner.question(call, self.grant, self.client.name),
                lambda question: self._ask_person(question, call, params),
            )
        except RequestError:
            raise
        except BaseException as error:
            return self._result(tool_calls.error_result(call, error))
        if consent == "anew":
            return self.offer.result(self.client.revision, self.offer.consent.input_required(question))
        if consent == "no":
            return self._result(tool_calls.error_result(call, permissions.declined_error(call.tool.name)))
        agreed = call._replace(confirmed=self.client.name or "a client")
        return self._result(self.offer.runner.call(agreed, self.grant, self.client.name))

    def _ask_person(self, question: Question, call: ToolCall, params: Mapping[str, Any]) -> Consent:
        if not self.client.has_person:
            message = f"{call.tool.name} needs a person's consent, and this client cannot ask for it"
            raise RequestError(CANNOT_BE_ASKED, message, _REQUIRED_CAPABILITIES)
        if self.client.revision.is_stateless:
            return self.offer.consent.read_consent(params, question)
        stop = call.stop or threading.Event()
        return permissions.parse_consent(
            self.questions.ask("elicitation/create", question.form, self.write, stop)
        )

    def _result(self, result: CallResult) -> dict[str, Any]:
        has_data = self.client.wants_data or (
            self.offer.has_output_schemas and self.client.revision.has_structured_results
        )
        return self.offer.result(self.client.revision, _tool_result(result, data=has_data))


def _tool_result(result: CallResult, *, data: bool) -> dict[str, Any]:
    structured = {"structuredContent": result.envelope} if data and not result.is_text_only else {}
    return {"content": [{"type": "text", "text": result.text}], **structured, "isError": result.is_error}


Tell = Callable[[str], None]
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Log levels of RFC 5424, least severe first."""
_MESSAGE_LEVEL = _LEVELS.index("info")


def check_log_level(level: Any) -> str:
    """Return a log level that a client requested.

    Raises:
        RequestError: there is no such level.
    """
    if level not in _LEVELS:
        raise RequestError(INVALID_PARAMS, f"no such log level: {level!r}; use one of {', '.join(_LEVELS)}")
    return str(level)


def make_notifier(message: Message, write: Write, least: str | None) -> Tell | None:
    """Return a function that sends progress and log messages, or None if the client wants neither.

    ``least`` is the lowest log level that the client wants, or None for no log.
    """
    token = message.meta.get("progressToken")
    logs = least is not None and _LEVELS.index(least) <= _MESSAGE_LEVEL
    if token is None and not logs:
        return None
    steps = 0

    def tell(text: str) -> None:
        nonlocal steps
        steps += 1
        if token is not None:
            progress = {"progressToken": token, "progress": steps, "message": text}
            write(jsonrpc.notification("notifications/progress", progress))
        if logs:
            entry = {
                "level": _LEVELS[_MESSAGE_LEVEL],
                "logger": str(message.params.get("name")),
                "data": text,
            }
            write(jsonrpc.notification("notifications/message", entry))

    return tell


class _RunningCall(threading.Thread):
    def __init__(self, run: Callable[[threading.Event], None]) -> None:
        self.stop = threading.Event()
        super().__init__(target=run, args=(self.stop,), daemon=False)


class ClientConnection:
    """A client and its running calls.

    Args:
        offer: what the server offers.
        grant: permissions of the client, or None if they depend on the token in each request.
        roots: asks the client for its root directories, or None if they do not matter.
    """

    def __init__(self, offer: Offer, grant: Grant | None = None, roots: ClientRoots | None = None) -> None:
        self._offer, self._grant, self._roots = offer, grant, roots
        self._client: Client | None = None
        self._running: dict[Id, _RunningCall] = {}
        self._questions = ClientRequests()
        self._level: str | None = None

    def receive(self, line: bytes, write: Write, ended: Callable[[], None] | None = None) -> None:
        """Handle a message or a batch. ``ended`` is called after the last answer is written."""
        try:
            messages, is_batch = jsonrpc.parse_line(
                line, batches=bool(self._client and self._client.revision.has_batches)
            )
        except RequestError as why:
            AnswerCollector(write, 1, ended=ended).answer(jsonrpc.error_response(why.id, why))
            return
        requests = sum(isinstance(each, RequestError) or each.is_request for each in messages)
        exchange = AnswerCollector(write, requests, batch=is_batch, ended=ended)
        for message in messages:
            if isinstance(message, RequestError):
                exchange.answer(jsonrpc.error_response(message.id, message))
            elif message.is_request:
                self._answer_request(message, exchange)
            else:
                self._handle_notification(message, write)

    def finish(self) -> None:
        """Wait for the running calls after the client has disconnected."""
        self._questions.close()
        for running in list(self._running.values()):
            running.join()

    def cancel(self, id_: Id) -> None:
        """Cancel a call: its processes are ended, it lands nothing more, and it gets no answer."""
        running = self._running.get(id_)
        if running is not None:
            running.stop.set()

    def _handle_notification(self, message: Message, write: Write) -> None:
        if message.method == "notifications/cancelled":
            id_ = message.params.get("requestId")
            self.cancel(id_ if isinstance(id_, str | int) else None)
        elif self._questions.take_answer(message):
            return
        elif self._roots is not None and self._client is not None:
            self._roots.handle(message, self._client, write)

    def _answer_request(self, message: Message, exchange: AnswerCollector) -> None:
        try:
            result = self._handle_request(message, exchange)
        except RequestError as why:
            exchange.answer(jsonrpc.error_response(message.id, why))
            return
        if result is not None:
            exchange.answer(jsonrpc.success_response(message.id, result))

    def _handle_request(self, message: Message, exchange: AnswerCollector) -> dict[str, Any] | None:
        """Return the result of a request, or None if a thread sends it later."""
        client = jsonrpc.stateless_client(message)
        if client is None and message.method == "initialize":
            client = self._client = jsonrpc.initialized_client(message.params)
            return self._offer.initialize_result(client.revision)
        client = client or self._client or Client(jsonrpc.HANDSHAKE[-1])
        granted = self._offer.grant_for(message) if self._grant is None else self._grant
        if message.method == "logging/setLevel" and not client.revision.is_stateless:
            self._level = check_log_level(message.params.get("level"))
            return {}
        if message.method == "tools/call":
            call = self._parse_call(message, client, granted, exchange.tell)
            calls = ClientCalls(self._offer, client, granted, self._questions, exchange.tell)
            self._start(message, exchange, lambda stop: calls.run(call(stop), message.params))
        elif message.method == "resources/read":
            self._start(
                message,
                exchange,
                lambda _: self._offer.read_resource(message, client.revision, granted, client.name),
            )
        else:
            return self._offer.answer(message, client.revision, granted)
        return None

    def _parse_call(
        self, message: Message, client: Client, granted: Grant, write: Write
    ) -> Callable[[threading.Event], ToolCall]:
        """Return a function that makes the tool call from its stop event.

        Raises:
            RequestError: the tool is not offered, or the arguments are not an object.
        """
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = granted.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            message_text = f"no such tool: {name!r}; offered: {', '.join(granted.tools) or 'none'}"
            raise RequestError(INVALID_PARAMS, message_text)
        if not isinstance(arguments, dict):
            raise RequestError(INVALID_PARAMS, "arguments must be an object")
        level = message.requested_log_level if client.revision.is_stateless else self._level
        notify = make_notifier(message, write, None if level is None else check_log_level(level))
        return lambda stop: ToolCall(tool, arguments, notify, stop)

    def _start(
        self, message: Message, exchange: AnswerCollector, run_request: Callable[[threading.Event], Any]
    ) -> None:
        """Run a request in a thread, so that a slow call does not delay others."""
        if message.id in self._running:
            raise RequestError(INVALID_REQUEST, f"a call with id {message.id!r} is already running")

        def run(stop: threading.Event) -> None:
            if self._roots is not None:
                self._roots.wait()
            try:
                line = jsonrpc.success_response(message.id, run_request(stop))
            except RequestError as why:
                line = jsonrpc.error_response(message.id, why)
            self._running.pop(message.id, None)
            exchange.answer(None if stop.is_set() else line)

        running = self._running[message.id] = _RunningCall(run)
        running.start()
