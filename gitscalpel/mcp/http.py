"""Clients over HTTP, on this machine alone: who shows a token is answered as at standard input and output.

One message is one POST (``Streamable HTTP`` of the protocol). A client that greets is known by its
``Mcp-Session-Id``; a stateless one says in headers again what its message says, and both must agree.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gitscalpel.mcp import wire
from gitscalpel.mcp.http_session import Sessions, Visitor
from gitscalpel.mcp.offer import Offer
from gitscalpel.mcp.wire import Fault
from gitscalpel.system import loopback

_SESSION = "mcp-session-id"
_STATUS = {wire.NO_METHOD: 404}
"""Of faults that say more than that the message is wrong."""


class Door:
    """Answers requests.

    Args:
        offer: what is offered.
        token: whoever shows it may ask; so may who shows an agent's own.
        port: on which this machine listens.
    """

    def __init__(self, offer: Offer, token: str, port: int) -> None:
        self._hosts = loopback.hosts(port)
        self._sessions = Sessions(offer, token)

    def app(self) -> Starlette:
        """What a server serves (ASGI 3)."""
        return Starlette(routes=[Route("/mcp", self._answer, methods=["GET", "POST", "DELETE"])])

    async def _answer(self, request: Request) -> Response:
        refused = self._refused(request)
        if refused is not None:
            return refused
        visitor = self._sessions.visitor(_bearer(request))
        if visitor is None:
            return JSONResponse(
                {"error": "show the token that the command has printed: Authorization: Bearer …"},
                401,
                {"WWW-Authenticate": "Bearer"},
            )
        if request.method == "GET":
            return Response(status_code=405, headers={"Allow": "POST, DELETE"})
        session = request.headers.get(_SESSION)
        if request.method == "DELETE":
            return Response(status_code=204 if self._sessions.end(visitor, session) else 404)
        return await self._said(request, visitor, session)

    def _refused(self, request: Request) -> Response | None:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            return JSONResponse({"error": "this server is for this machine alone"}, 421)
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return JSONResponse({"error": "other pages have no business here"}, 403)
        return None

    async def _said(self, request: Request, visitor: Visitor, session: str | None) -> Response:
        body = await _body(request)
        try:
            turn = self._sessions.turn(visitor, session, body, request.headers)
        except Fault as why:
            return _json(wire.fault(why.id, why), _STATUS.get(why.code, 400))
        if turn is None:
            return JSONResponse({"error": "there is no such session: initialize"}, 404)
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        put = _from_threads(asyncio.get_running_loop(), lines)
        turn.connection.receive(body, put, lambda: put(None))
        headers = {} if turn.session is None else {"Mcp-Session-Id": turn.session}
        first = await _or_gone(request, lines, turn.cancel)
        if first is None:
            return Response(status_code=202, headers=headers)
        if (turn.streams or not wire.is_answer(first)) and "text/event-stream" in request.headers.get(
            "accept", ""
        ):
            return StreamingResponse(
                _events(first, lines, turn.cancel), media_type="text/event-stream", headers=headers
            )
        answer = first
        while (line := await _or_gone(request, lines, turn.cancel)) is not None:
            answer = line
        return _json(answer, turn.status(answer), headers)


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


async def _body(request: Request) -> bytes:
    """The message; of one that is too long no more than says so."""
    body = bytearray()
    async for part in request.stream():
        body += part[: wire.LONGEST + 1 - len(body)]
    return bytes(body)


def _json(line: bytes, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(line, status, headers, media_type="application/json")


def _from_threads(
    loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]
) -> Callable[[bytes | None], None]:
    def put(line: bytes | None) -> None:
        with suppress(RuntimeError):  # the server is ending
            loop.call_soon_threadsafe(lines.put_nowait, line)

    return put


async def _or_gone(
    request: Request, lines: asyncio.Queue[bytes | None], cancel: Callable[[], None]
) -> bytes | None:
    """The next line; a client that goes meanwhile has cancelled what it asked for."""
    while True:
        try:
            return await asyncio.wait_for(lines.get(), 0.5)
        except asyncio.TimeoutError:
            if await request.is_disconnected():
                cancel()


async def _events(
    first: bytes, lines: asyncio.Queue[bytes | None], cancel: Callable[[], None]
) -> AsyncIterator[bytes]:
    line: bytes | None = first
    try:
        while line is not None:
            yield b"event: message\ndata: " + line + b"\n"
            line = await lines.get()
    finally:
        if line is not None:
            cancel()


def serve(offer: Offer, port: int, tell: Callable[[str], None]) -> None:
    """Serve until it is interrupted.

    Args:
        offer: what is offered.
        port: on which to listen; 0: one that is free.
        tell: hears address and token; that is made anew each time.

    Raises:
        OSError: the port is taken.
    """
    import uvicorn

    with loopback.listening(port) as (listening, at):
        token = secrets.token_urlsafe(24)
        tell(f"http://127.0.0.1:{at}/mcp")
        tell(f"Authorization: Bearer {token}")
        app = Door(offer, token, at).app()
        config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
