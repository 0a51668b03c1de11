"""One client: what it asks, and what it is answered; over which road is for others to say."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gitscalpel.mcp import eras, wire
from gitscalpel.mcp.calls import Call, Done
from gitscalpel.mcp.eras import Client, Era
from gitscalpel.mcp.exchange import Exchange, Write
from gitscalpel.mcp.named import NamedRoots
from gitscalpel.mcp.offer import Offer
from gitscalpel.mcp.offered import Grant
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
            Exchange(write, 1, ended=ended).answer(wire.fault(None, why))
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
        """Wait for what is under way."""
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
        if message.method != "tools/call":
            return self._offer.said(message, client.era, granted)
        self._begin(message, client, granted, exchange)
        return None

    def _begin(self, message: Message, client: Client, granted: Grant, exchange: Exchange) -> None:
        """Do a call beside others, so that a slow gate keeps nobody waiting who only looks."""
        name, arguments = message.params.get("name"), message.params.get("arguments", {})
        tool = granted.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            words = f"there is no tool {name!r} here: {', '.join(granted.tools) or 'none'}"
            raise Fault(INVALID_PARAMS, words)
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments is an object")
        if message.id in self._under_way:
            raise Fault(INVALID_REQUEST, f"a call with id {message.id!r} is under way")
        call = Call(tool, arguments, _progress(message, exchange.tell))
        running = _Running(
            lambda stop: self._call(message, client, call._replace(stop=stop), granted, exchange)
        )
        self._under_way[message.id] = running
        running.start()

    def _call(self, message: Message, client: Client, call: Call, granted: Grant, exchange: Exchange) -> None:
        if self._roots is not None:
            self._roots.wait()
        done = self._offer.desk.call(call, granted, client.name)
        self._under_way.pop(message.id, None)
        if call.stop is not None and call.stop.is_set():
            exchange.answer(None)
            return
        result = self._offer.result(client.era, _content(done, client.era))
        exchange.answer(wire.answer(message.id, result))


def _progress(message: Message, write: Write) -> Callable[[str], None] | None:
    """Who is told what takes a while; None: the client has not asked for it."""
    meta = message.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if token is None:
        return None
    steps = 0

    def tell(words: str) -> None:
        nonlocal steps
        steps += 1
        said = {"progressToken": token, "progress": steps, "message": words}
        write(wire.notification("notifications/progress", said))

    return tell


def _content(done: Done, era: Era) -> dict[str, Any]:
    data = {"structuredContent": done.envelope} if era.structured and not done.bare else {}
    return {"content": [{"type": "text", "text": done.text}], **data, "isError": done.is_error}
