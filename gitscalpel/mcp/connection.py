"""One client: what it asks, and what it is answered; over which road is for others to say."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gitscalpel.mcp import eras, telling, wire
from gitscalpel.mcp.calls import Call
from gitscalpel.mcp.doing import Doing
from gitscalpel.mcp.eras import Client
from gitscalpel.mcp.exchange import Exchange, Write
from gitscalpel.mcp.named import NamedRoots
from gitscalpel.mcp.offer import Offer
from gitscalpel.mcp.offered import Grant
from gitscalpel.mcp.questions import Questions
from gitscalpel.mcp.wire import INVALID_PARAMS, INVALID_REQUEST, Fault, Id, Message


class _Running(threading.Thread):
    """A call that is under way; ``stop`` is set when it is cancelled."""

    def __init__(self, do: Callable[[threading.Event], None]) -> None:
        self.stop = threading.Event()
        super().__init__(target=do, args=(self.stop,), daemon=False)


class Connection:
    """A client, and its calls that are under way.

    Args:
        offer: what it may be offered.
        grant: what it is granted, whatever it says; None: that depends on what it shows.
        roots: asks it for its folders; None: they are none of its business.
    """

    def __init__(self, offer: Offer, grant: Grant | None = None, roots: NamedRoots | None = None) -> None:
        self._offer, self._grant, self._roots = offer, grant, roots
        self._client: Client | None = None
        self._under_way: dict[Id, _Running] = {}
        self._questions = Questions()
        self._level: str | None = None

    def receive(self, line: bytes, write: Write, ended: Callable[[], None] | None = None) -> None:
        """Take a message, or several in a batch, and begin what it asks for.

        Args:
            line: it.
            write: takes the answers, from any thread.
            ended: told when the last of them is written.
        """
        try:
            messages, is_batch = wire.read(line, batches=bool(self._client and self._client.era.batches))
        except Fault as why:
            Exchange(write, 1, ended=ended).answer(wire.fault(why.id, why))
            return
        requests = sum(isinstance(each, Fault) or each.is_request for each in messages)
        exchange = Exchange(write, requests, batch=is_batch, ended=ended)
        for message in messages:
            if isinstance(message, Fault):
                exchange.answer(wire.fault(message.id, message))
            elif message.is_request:
                self._asked(message, exchange)
            else:
                self._hear(message, write)

    def finish(self) -> None:
        """The client has gone: wait for what is under way."""
        self._questions.close()
        for running in list(self._under_way.values()):
            running.join()

    def cancel(self, id_: Id) -> None:
        """End a call: its programs are ended, nothing of it lands that has not yet, and it has no answer."""
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
            exchange.answer(wire.fault(message.id, why))
            return
        if said is not None:
            exchange.answer(wire.answer(message.id, said))

    def _answered(self, message: Message, exchange: Exchange) -> dict[str, Any] | None:
        """The answer; None: it comes by itself."""
        client = eras.told(message.params)
        if client is None and message.method == "initialize":
            client = self._client = eras.greeted(message.params)
            return self._offer.greeting(client.era)
        client = client or self._client or Client(eras.HANDSHAKE[-1])
        granted = self._offer.granted(message) if self._grant is None else self._grant
        if message.method == "logging/setLevel" and not client.era.stateless:
            self._level = telling.level(message.params.get("level"))
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
        """The call that is asked for.

        Raises:
            Fault: there is no such tool here, or it is called with what are no arguments.
        """
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = granted.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            words = f"there is no tool {name!r} here: {', '.join(granted.tools) or 'none'}"
            raise Fault(INVALID_PARAMS, words)
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments is an object")
        wanted = eras.logs(message.params) if client.era.stateless else self._level
        told = telling.teller(message, write, None if wanted is None else telling.level(wanted))
        return lambda stop: Call(tool, arguments, told, stop)

    def _begin(self, message: Message, exchange: Exchange, do: Callable[[threading.Event], Any]) -> None:
        """Do what takes a while beside others, so that a slow gate keeps nobody waiting who only looks."""
        if message.id in self._under_way:
            raise Fault(INVALID_REQUEST, f"a call with id {message.id!r} is under way")

        def run(stop: threading.Event) -> None:
            if self._roots is not None:
                self._roots.wait()
            try:
                line = wire.answer(message.id, do(stop))
            except Fault as why:
                line = wire.fault(message.id, why)
            self._under_way.pop(message.id, None)
            exchange.answer(None if stop.is_set() else line)

        running = self._under_way[message.id] = _Running(run)
        running.start()
