"""Connection to one client: its requests, running calls, progress and log messages.

The transport is separate (``stdio.py``, ``http.py``). A server can be started so that a person must confirm
calls. Clients that ask for progress or log messages (``logging``) get them while a call runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gitscalpel.mcp import elicitation, jsonrpc, tool_calls
from gitscalpel.mcp.capabilities import Offer
from gitscalpel.mcp.elicitation import Question, Questions, Word
from gitscalpel.mcp.jsonrpc import (
    CANNOT_BE_ASKED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Client,
    Exchange,
    Fault,
    Id,
    Message,
    Write,
)
from gitscalpel.mcp.permissions import Grant
from gitscalpel.mcp.roots import NamedRoots
from gitscalpel.mcp.tool_calls import Call, Done

_NEEDED: dict[str, Any] = {"requiredCapabilities": {"elicitation": {"form": {}}}}


class Doing(msgspec.Struct, frozen=True):
    """Runs tool calls for a client.

    Attributes:
        offer: what the server offers.
        client: the calling client.
        granted: permissions of the client.
        questions: open requests to the client.
        write: sends messages and requests that precede the result.
    """

    offer: Offer
    client: Client
    granted: Grant
    questions: Questions
    write: Write

    def done(self, call: Call, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a call and return its result.

        Args:
            call: the tool call.
            params: parameters of the request, which may contain a person's answer.

        Raises:
            Fault: a person must confirm the call, but the client cannot ask one, or the ``requestState`` is
                invalid.
        """
        if call.tool.name not in self.offer.confirmed:
            return self._result(self.offer.desk.call(call, self.granted, self.client.name))
        try:
            word, question = elicitation.obtained(
                lambda: self.offer.desk.question(call, self.granted, self.client.name),
                lambda question: self._word(question, call, params),
            )
        except Fault:
            raise
        except BaseException as error:
            return self._result(tool_calls.refused(call, error))
        if word == "anew":
            return self.offer.result(self.client.era, self.offer.seals.required(question))
        if word == "no":
            return self._result(tool_calls.refused(call, elicitation.refusal(call.tool.name)))
        agreed = call._replace(confirmed=self.client.name or "a client")
        return self._result(self.offer.desk.call(agreed, self.granted, self.client.name))

    def _word(self, question: Question, call: Call, params: Mapping[str, Any]) -> Word:
        if not self.client.has_person:
            words = f"a person has to agree to {call.tool.name}, and this client asks nobody"
            raise Fault(CANNOT_BE_ASKED, words, _NEEDED)
        if self.client.era.stateless:
            return self.offer.seals.word(params, question)
        stop = call.stop or threading.Event()
        return elicitation.word(self.questions.ask("elicitation/create", question.form, self.write, stop))

    def _result(self, done: Done) -> dict[str, Any]:
        wanted = self.client.wants_data or (self.offer.answers and self.client.era.structured)
        return self.offer.result(self.client.era, _content(done, data=wanted))


def _content(done: Done, *, data: bool) -> dict[str, Any]:
    said = {"structuredContent": done.envelope} if data and not done.bare else {}
    return {"content": [{"type": "text", "text": done.text}], **said, "isError": done.is_error}


Tell = Callable[[str], None]
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Log levels of RFC 5424, least severe first."""
_OURS = _LEVELS.index("info")


def level(asked: Any) -> str:
    """Check a log level that a client requested.

    Raises:
        Fault: there is no such level.
    """
    if asked not in _LEVELS:
        raise Fault(INVALID_PARAMS, f"there is no level {asked!r}: {', '.join(_LEVELS)}")
    return str(asked)


def teller(message: Message, write: Write, least: str | None) -> Tell | None:
    """Return a function that sends progress and log messages, or None if the client wants neither.

    Args:
        message: the request of the call.
        write: sends the messages.
        least: lowest log level that the client wants, or None for no log.
    """
    token = message.meta.get("progressToken")
    logs = least is not None and _LEVELS.index(least) <= _OURS
    if token is None and not logs:
        return None
    steps = 0

    def tell(words: str) -> None:
        nonlocal steps
        steps += 1
        if token is not None:
            said = {"progressToken": token, "progress": steps, "message": words}
            write(jsonrpc.notification("notifications/progress", said))
        if logs:
            entry = {"level": _LEVELS[_OURS], "logger": str(message.params.get("name")), "data": words}
            write(jsonrpc.notification("notifications/message", entry))

    return tell


class _Running(threading.Thread):
    """Thread of a running call. ``stop`` is set to cancel it."""

    def __init__(self, do: Callable[[threading.Event], None]) -> None:
        self.stop = threading.Event()
        super().__init__(target=do, args=(self.stop,), daemon=False)


class Connection:
    """A client and its running calls.

    Args:
        offer: what the server offers.
        grant: permissions of the client, or None if they depend on the token in each request.
        roots: asks the client for its root directories, or None if they do not matter.
    """

    def __init__(self, offer: Offer, grant: Grant | None = None, roots: NamedRoots | None = None) -> None:
        self._offer, self._grant, self._roots = offer, grant, roots
        self._client: Client | None = None
        self._under_way: dict[Id, _Running] = {}
        self._questions = Questions()
        self._level: str | None = None

    def receive(self, line: bytes, write: Write, ended: Callable[[], None] | None = None) -> None:
        """Handle a message or a batch.

        Args:
            line: the message as JSON.
            write: sends the answers, from any thread.
            ended: called after the last answer is written.
        """
        try:
            messages, is_batch = jsonrpc.read(line, batches=bool(self._client and self._client.era.batches))
        except Fault as why:
            Exchange(write, 1, ended=ended).answer(jsonrpc.fault(why.id, why))
            return
        requests = sum(isinstance(each, Fault) or each.is_request for each in messages)
        exchange = Exchange(write, requests, batch=is_batch, ended=ended)
        for message in messages:
            if isinstance(message, Fault):
                exchange.answer(jsonrpc.fault(message.id, message))
            elif message.is_request:
                self._asked(message, exchange)
            else:
                self._hear(message, write)

    def finish(self) -> None:
        """Wait for the running calls after the client has disconnected."""
        self._questions.close()
        for running in list(self._under_way.values()):
            running.join()

    def cancel(self, id_: Id) -> None:
        """Cancel a call: its processes are ended, it lands nothing more, and it gets no answer."""
        running = self._under_way.get(id_)
        if running is not None:
            running.stop.set()

    def _hear(self, message: Message, write: Write) -> None:
        if message.method == "notifications/cancelled":
            id_ = message.params.get("requestId")
            self.cancel(id_ if isinstance(id_, str | int) else None)
        elif self._questions.hear(message):
            return
        elif self._roots is not None and self._client is not None:
            self._roots.hear(message, self._client, write)

    def _asked(self, message: Message, exchange: Exchange) -> None:
        try:
            said = self._answered(message, exchange)
        except Fault as why:
            exchange.answer(jsonrpc.fault(message.id, why))
            return
        if said is not None:
            exchange.answer(jsonrpc.answer(message.id, said))

    def _answered(self, message: Message, exchange: Exchange) -> dict[str, Any] | None:
        """Return the result of a request, or None if a thread sends it later."""
        client = jsonrpc.told(message.params)
        if client is None and message.method == "initialize":
            client = self._client = jsonrpc.greeted(message.params)
            return self._offer.greeting(client.era)
        client = client or self._client or Client(jsonrpc.HANDSHAKE[-1])
        granted = self._offer.granted(message) if self._grant is None else self._grant
        if message.method == "logging/setLevel" and not client.era.stateless:
            self._level = level(message.params.get("level"))
            return {}
        if message.method == "tools/call":
            call = self._called(message, client, granted, exchange.tell)
            doing = Doing(self._offer, client, granted, self._questions, exchange.tell)
            self._begin(message, exchange, lambda stop: doing.done(call(stop), message.params))
        elif message.method == "resources/read":
            self._begin(
                message, exchange, lambda _: self._offer.read(message, client.era, granted, client.name)
            )
        else:
            return self._offer.said(message, client.era, granted)
        return None

    def _called(
        self, message: Message, client: Client, granted: Grant, write: Write
    ) -> Callable[[threading.Event], Call]:
        """Return a function that makes the tool call from its stop event.

        Raises:
            Fault: the tool is not offered, or the arguments are not an object.
        """
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = granted.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            words = f"there is no tool {name!r} here: {', '.join(granted.tools) or 'none'}"
            raise Fault(INVALID_PARAMS, words)
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments is an object")
        wanted = jsonrpc.logs(message.params) if client.era.stateless else self._level
        told = teller(message, write, None if wanted is None else level(wanted))
        return lambda stop: Call(tool, arguments, told, stop)

    def _begin(self, message: Message, exchange: Exchange, do: Callable[[threading.Event], Any]) -> None:
        """Run a request in a thread, so that a slow call does not delay others."""
        if message.id in self._under_way:
            raise Fault(INVALID_REQUEST, f"a call with id {message.id!r} is under way")

        def run(stop: threading.Event) -> None:
            if self._roots is not None:
                self._roots.wait()
            try:
                line = jsonrpc.answer(message.id, do(stop))
            except Fault as why:
                line = jsonrpc.fault(message.id, why)
            self._under_way.pop(message.id, None)
            exchange.answer(None if stop.is_set() else line)

        running = self._under_way[message.id] = _Running(run)
        running.start()
