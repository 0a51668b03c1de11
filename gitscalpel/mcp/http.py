"""HTTP transport, bound to the loopback interface, with a token for each caller.

Each message is one POST request (``Streamable HTTP`` of the protocol). A client that sends ``initialize``
is identified by its ``Mcp-Session-Id``. A stateless client repeats parts of its message in headers.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gitscalpel.mcp import jsonrpc
from gitscalpel.mcp.capabilities import CAPABILITY, Offer
from gitscalpel.mcp.connection import ClientConnection
from gitscalpel.mcp.jsonrpc import Message, RequestError
from gitscalpel.mcp.permissions import Grant, find_grant
from gitscalpel.system import loopback

_MAX_SESSIONS = 64
"""Maximum number of sessions for each credential, so that one caller cannot end the sessions of another."""
_NAME_PARAMETERS = {"tools/call": "name", "resources/read": "uri"}
"""Parameter that the ``Mcp-Name`` header repeats, by method."""


class HttpCaller(msgspec.Struct, frozen=True):
    """A caller with a valid token. ``grant`` is None if each message has a token of its own."""

    token: str
    grant: Grant | None


class MessageRoute(msgspec.Struct, frozen=True):
    """The connection that handles a message.

    Attributes:
        connection: connection to the client.
        session: ID of a session that the message starts, or None.
        streams: True if progress may be sent before the answer.
        stateless: True if the message belongs to no session.
        cancel: cancels the request in the message.
    """

    connection: ClientConnection
    session: str | None
    streams: bool
    stateless: bool
    cancel: Callable[[], None]

    def http_status(self, answer: bytes) -> int:
        """Return the HTTP status of an answer. Errors have their own status only in stateless revisions."""
        if not self.stateless:
            return 200
        error = msgspec.json.decode(answer).get("error")
        if error is None:
            return 200
        return {jsonrpc.NO_METHOD: 404, jsonrpc.INTERNAL: 500}.get(error["code"], 400)


class _Session(msgspec.Struct):
    """A session of a credential: the token, and the agent if several share the server's token."""

    credential: tuple[str, str]
    connection: ClientConnection
    is_used: bool = False


class Sessions:
    """Sessions that clients have started. ``token`` is the server's own token."""

    def __init__(self, offer: Offer, token: str) -> None:
        self._offer, self._token = offer, token
        self._sessions: dict[str, _Session] = {}
        self._by_credential: dict[tuple[str, str], OrderedDict[str, None]] = {}

    def authenticate(self, token: str) -> HttpCaller | None:
        if loopback.is_token(token, self._token):
            return HttpCaller(token, None)
        grant = find_grant(self._offer.tokens, token) if self._offer.tokens else None
        return None if grant is None else HttpCaller(token, grant)

    def end(self, caller: HttpCaller, session: str | None) -> bool:
        """End a session; return False if there is no such session."""
        if self._find(caller, session) is None:
            return False
        self._forget(str(session))
        return True

    def route(
        self, caller: HttpCaller, session: str | None, body: bytes, headers: Mapping[str, str]
    ) -> MessageRoute | None:
        """Return the connection that handles a message, or None if there is no such session.

        Raises:
            RequestError: the headers contradict the message.
        """
        messages, is_batch = jsonrpc.parse_line(body, batches=True)
        message = None if is_batch or isinstance(messages[0], RequestError) else messages[0]
        if isinstance(messages[0], RequestError) and not is_batch:
            raise messages[0]
        if message is not None and message.requested_version:
            _require_matching_headers(message, headers)
            return self._make_route(ClientConnection(self._offer, caller.grant), message, stateless=True)
        if message is not None and message.method == "initialize":
            return self._start(caller, message)
        version = headers.get("mcp-protocol-version")
        if version is not None and version not in [revision.version for revision in jsonrpc.HANDSHAKE]:
            id_ = None if message is None else message.id
            text = f"version {version} must be named in _meta; other versions need a session"
            raise RequestError(jsonrpc.INVALID_PARAMS, text, id_=id_)
        connection = self._find(caller, session)
        return None if connection is None else self._make_route(connection, message)

    def _find(self, caller: HttpCaller, session: str | None) -> ClientConnection | None:
        session_state = self._sessions.get(session or "")
        if session_state is None or session_state.credential[0] != caller.token:
            return None
        session_state.is_used = True
        self._by_credential[session_state.credential].move_to_end(str(session))
        return session_state.connection

    def _start(self, caller: HttpCaller, message: Message) -> MessageRoute:
        session, connection = secrets.token_urlsafe(24), ClientConnection(self._offer, caller.grant)
        credential = caller.token, self._agent_of(message)
        self._sessions[session] = _Session(credential, connection)
        sessions = self._by_credential.setdefault(credential, OrderedDict())
        sessions[session] = None
        if len(sessions) > _MAX_SESSIONS:
            self._forget(self._least_used(sessions))
        return msgspec.structs.replace(self._make_route(connection, message), session=session)

    def _agent_of(self, message: Message) -> str:
        """Return the agent that ``initialize`` identifies, if agents share the server's own token."""
        token = message.meta.get(CAPABILITY)
        grant = (
            find_grant(self._offer.tokens, token) if isinstance(token, str) and self._offer.tokens else None
        )
        return "" if grant is None else grant.agent

    def _least_used(self, sessions: OrderedDict[str, None]) -> str:
        """Return the session to forget: one never used after its start, otherwise the least recently used.

        The newest session is kept, since it could not have been used yet.
        """
        *older, _ = sessions
        return next((session for session in older if not self._sessions[session].is_used), older[0])

    def _forget(self, session: str) -> None:
        sessions = self._by_credential[self._sessions.pop(session).credential]
        del sessions[session]

    @staticmethod
    def _make_route(
        connection: ClientConnection, message: Message | None, *, stateless: bool = False
    ) -> MessageRoute:
        streams = message is not None and message.meta.get("progressToken") is not None
        id_ = None if message is None else message.id
        return MessageRoute(connection, None, streams, stateless, lambda: connection.cancel(id_))


def _require_matching_headers(message: Message, headers: Mapping[str, str]) -> None:
    """Raise ``RequestError`` unless the headers, on which proxies may rely, agree with the message."""
    expected = {
        "mcp-protocol-version": message.requested_version,
        "mcp-method": message.method,
    }
    if message.method in _NAME_PARAMETERS:
        expected["mcp-name"] = message.params.get(_NAME_PARAMETERS[message.method])
    for name, value in expected.items():
        if jsonrpc.decode_header(headers.get(name)) != value:
            text = f"header {name} differs from the message, which has {value!r}"
            raise RequestError(jsonrpc.HEADER_MISMATCH, text, id_=message.id)


_SESSION_HEADER = "mcp-session-id"
_STATUS = {jsonrpc.NO_METHOD: 404}  # HTTP status by error code, other than 400


class HttpApp:
    """ASGI application of the server. Its own token and those of agents are accepted."""

    def __init__(self, offer: Offer, token: str, port: int) -> None:
        self._hosts = loopback.valid_hosts(port)
        self._sessions = Sessions(offer, token)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/mcp", self._answer, methods=["GET", "POST", "DELETE"])])

    async def _answer(self, request: Request) -> Response:
        refused = self._check_origin(request)
        if refused is not None:
            return refused
        caller = self._sessions.authenticate(_bearer_token(request))
        if caller is None:
            return JSONResponse(
                {"error": "send the token that the command printed: Authorization: Bearer …"},
                401,
                {"WWW-Authenticate": "Bearer"},
            )
        if request.method == "GET":
            return Response(status_code=405, headers={"Allow": "POST, DELETE"})
        session = request.headers.get(_SESSION_HEADER)
        if request.method == "DELETE":
            return Response(status_code=204 if self._sessions.end(caller, session) else 404)
        return await self._answer_message(request, caller, session)

    def _check_origin(self, request: Request) -> Response | None:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            return JSONResponse({"error": "only this machine may use this server"}, 421)
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return JSONResponse({"error": "other web pages may not use this server"}, 403)
        return None

    async def _answer_message(self, request: Request, caller: HttpCaller, session: str | None) -> Response:
        body = await _read_body(request)
        try:
            route = self._sessions.route(caller, session, body, request.headers)
        except RequestError as error:
            return _json_response(jsonrpc.error_response(error.id, error), _STATUS.get(error.code, 400))
        if route is None:
            return JSONResponse({"error": "no such session: send initialize"}, 404)
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        put = _thread_safe_put(asyncio.get_running_loop(), lines)
        route.connection.receive(body, put, lambda: put(None))
        headers = {} if route.session is None else {"Mcp-Session-Id": route.session}
        first = await _next_line(request, lines, route.cancel)
        if first is None:
            return Response(status_code=202, headers=headers)
        if (route.streams or not jsonrpc.is_response(first)) and "text/event-stream" in request.headers.get(
            "accept", ""
        ):
            return StreamingResponse(
                _event_stream(first, lines, route.cancel), media_type="text/event-stream", headers=headers
            )
        answer = first
        while (line := await _next_line(request, lines, route.cancel)) is not None:
            answer = line
        return _json_response(answer, route.http_status(answer), headers)


def _bearer_token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


async def _read_body(request: Request) -> bytes:
    """Return the request body, cut just above the maximum length of a message."""
    body = bytearray()
    async for part in request.stream():
        body += part[: jsonrpc.MAX_BYTES + 1 - len(body)]
    return bytes(body)


def _json_response(line: bytes, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(line, status, headers, media_type="application/json")


def _thread_safe_put(
    loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]
) -> Callable[[bytes | None], None]:
    def put(line: bytes | None) -> None:
        with suppress(RuntimeError):  # the server is ending
            loop.call_soon_threadsafe(lines.put_nowait, line)

    return put


async def _next_line(
    request: Request, lines: asyncio.Queue[bytes | None], cancel: Callable[[], None]
) -> bytes | None:
    """Return the next line. The request is cancelled if the client disconnects."""
    while True:
        try:
            return await asyncio.wait_for(lines.get(), 0.5)
        except asyncio.TimeoutError:
            if await request.is_disconnected():
                cancel()


async def _event_stream(
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
    """Serve until interrupted, on a free port if ``port`` is 0.

    ``tell`` receives the address and the token, which is new for each start.

    Raises:
        OSError: the port is in use.
    """
    import uvicorn

    with loopback.open_listener(port) as (listening, at):
        token = secrets.token_urlsafe(24)
        tell(f"http://127.0.0.1:{at}/mcp")
        tell(f"Authorization: Bearer {token}")
        app = HttpApp(offer, token, at).app()
        config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
