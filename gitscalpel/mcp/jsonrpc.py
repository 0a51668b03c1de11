"""JSON-RPC 2.0 messages, batches, and the revisions of the protocol.

JSON-RPC is defined at jsonrpc.org/specification, the revisions at modelcontextprotocol.io/specification.
Up to 2025-11-25 a client begins with ``initialize``. From 2026-07-28 on there is no handshake, and every
request names its revision.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gitscalpel.changesets import answers

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION, CANNOT_BE_ASKED, HEADER_MISMATCH, NO_RESOURCE = -32022, -32021, -32020, -32002
MAX_BYTES = 64 << 20  # Maximum size of a message or batch in bytes
Id = str | int | None


class RequestError(Exception):
    """JSON-RPC error response."""

    def __init__(self, code: int, message: str, data: Any = None, id_: Id = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id_


class Message(msgspec.Struct, frozen=True):
    """A message from the client.

    Attributes:
        id: request id. None for a notification.
        method: method name. "" if the message answers a request of the server.
        params: parameters of the request.
        result: result, if the message is an answer.
    """

    id: Id
    method: str
    params: dict[str, Any]
    result: Any = None

    @property
    def meta(self) -> dict[str, Any]:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def requested_version(self) -> Any:
        """Return the revision that the message names, supported or not, or None."""
        return self.meta.get(_VERSION)

    @property
    def requested_log_level(self) -> Any:
        """Return the lowest log level that a stateless request asks for, or None for no log."""
        return self.meta.get(_LOG)

    @property
    def is_request(self) -> bool:
        """Return True if the message needs an answer."""
        return self.id is not None and bool(self.method) and not self.method.startswith("notifications/")


def parse_line(line: bytes, *, batches: bool) -> tuple[list[Message | RequestError], bool]:
    """Parse a line into messages, and return them with True if the line is a batch.

    An invalid message becomes the error to answer it with.

    Raises:
        RequestError: the line contains no message.
    """
    if len(line) > MAX_BYTES:
        raise RequestError(INVALID_REQUEST, f"a message has at most {MAX_BYTES >> 20} MiB")
    try:
        decoded = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _parse_error(line, str(error)) from None
    if not isinstance(decoded, list):
        return [_parse_message(decoded)], False
    if not decoded or not batches:
        text = "a batch has at least one message" if batches else "a message must be one object, not a batch"
        raise RequestError(INVALID_REQUEST, text)
    return [_parse_message(each) for each in decoded], True


def _parse_error(line: bytes, reason: str) -> RequestError:
    """Return the error for a line that msgspec cannot parse, with the request ID if there is one."""
    import json

    try:
        decoded = json.loads(line)
    except (ValueError, RecursionError):
        return RequestError(PARSE_ERROR, f"invalid JSON: {reason}")
    text = f"the text contains a lone surrogate, or a number is too large: {reason}"
    return RequestError(INVALID_REQUEST, text, id_=_request_id(decoded))


def _request_id(message: Any) -> Id:
    id_ = message.get("id") if isinstance(message, dict) else None
    return id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None


def _parse_message(message: Any) -> Message | RequestError:
    id_ = _request_id(message)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return RequestError(INVALID_REQUEST, "a message must be an object with jsonrpc 2.0", id_=id_)
    method, params = message.get("method", ""), message.get("params", {})
    if id_ != message.get("id") or not isinstance(method, str):
        return RequestError(INVALID_REQUEST, "id must be a string or a number, and method a string", id_=id_)
    if not isinstance(params, dict):
        return RequestError(INVALID_REQUEST, "params must be an object", id_=id_)
    return Message(id_, method, params, message.get("result"))


def success_response(id_: Id, result: dict[str, Any]) -> bytes:
    return _encode({"jsonrpc": "2.0", "id": id_, "result": result})


def error_response(id_: Id, why: RequestError) -> bytes:
    error = {
        "code": why.code,
        "message": why.message,
        **({} if why.data is None else {"data": why.data}),
    }
    return _encode({"jsonrpc": "2.0", "id": id_, "error": error})


def notification(method: str, params: dict[str, Any]) -> bytes:
    return _encode({"jsonrpc": "2.0", "method": method, "params": params})


def request(id_: str, method: str, params: dict[str, Any] | None = None) -> bytes:
    """Encode a request to the client as a line."""
    fields = {} if params is None else {"params": params}
    return _encode({"jsonrpc": "2.0", "id": id_, "method": method, **fields})


def is_response(line: bytes) -> bool:
    """Return True if the line is a response or a batch of responses."""
    message = msgspec.json.decode(line)
    return not isinstance(message, dict) or "method" not in message


def _encode(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(answers.make_json_safe(message)) + b"\n"


Write = Callable[[bytes], None]


class AnswerCollector:
    """Collects the answers to the messages of one line. Threads may add them in any order.

    Args:
        write: sends a line.
        requests: number of answers to expect.
        batch: True if the answers are sent together (JSON-RPC 2.0, section 6).
        ended: called after the last answer.
    """

    def __init__(
        self, write: Write, requests: int, *, batch: bool = False, ended: Callable[[], None] | None = None
    ) -> None:
        self._write, self._remaining, self._is_batch, self._ended = write, requests, batch, ended
        self._lock = threading.Lock()
        self._batched: list[bytes] = []
        if not requests:
            self._end()

    def tell(self, line: bytes) -> None:
        self._write(line)

    def answer(self, line: bytes | None) -> None:
        """Send the answer to one request, or none if the request was cancelled (None)."""
        with self._lock:
            self._remaining -= 1
            last = self._remaining == 0
            if line is not None and self._is_batch:
                self._batched.append(line.rstrip(b"\n"))
            elif line is not None:
                self._write(line)
        if last:
            self._end()

    def _end(self) -> None:
        if self._batched:
            self._write(b"[" + b",".join(self._batched) + b"]\n")
        if self._ended is not None:
            self._ended()


_VERSION = "io.modelcontextprotocol/protocolVersion"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER = "io.modelcontextprotocol/serverInfo"
_LOG = "io.modelcontextprotocol/logLevel"
_CLIENTS_READING_DATA = frozenset({"claude-code", "codex-mcp-client", "opencode"})
"""Clients whose model reads the structured content instead of the text, by their own name.

Sources: github.com: anthropics/claude-code/issues/79944, openai/codex/issues/38287,
anomalyco/opencode/pull/32074. The text says the same in a quarter of the tokens, so these clients get the
text only.
"""
LIST_TTL_MS = 60_000  # Time to live in milliseconds of results that change only when the server restarts


class Revision(msgspec.Struct, frozen=True):
    """A revision of the protocol. ``is_stateless`` means that every request names its revision."""

    version: str
    is_stateless: bool = False
    has_structured_results: bool = True
    has_batches: bool = False


HANDSHAKE = (
    Revision("2024-11-05", has_structured_results=False, has_batches=True),
    Revision("2025-03-26", has_structured_results=False, has_batches=True),
    Revision("2025-06-18"),
    Revision("2025-11-25"),
)
STATELESS = (Revision("2026-07-28", is_stateless=True),)


class Client(msgspec.Struct, frozen=True):
    """A client of the server.

    Attributes:
        name: name that the client reports.
        has_roots: True if the client can list its root directories.
        has_person: True if the client can ask a person (``elicitation`` with a form).
    """

    revision: Revision
    name: str = ""
    has_roots: bool = False
    has_person: bool = False

    @property
    def wants_data(self) -> bool:
        """Return True if results contain structured content even without an output schema."""
        return self.revision.has_structured_results and self.name not in _CLIENTS_READING_DATA


def initialized_client(params: Mapping[str, Any]) -> Client:
    """Return the client that sends these parameters of ``initialize``.

    If its revision is unknown, the newest one with a handshake is offered.
    """
    version = params.get("protocolVersion")
    revision = next((revision for revision in HANDSHAKE if revision.version == version), HANDSHAKE[-1])
    capabilities = params.get("capabilities")
    has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
    return Client(revision, _client_name(params.get("clientInfo")), has_roots, _has_person(capabilities))


def stateless_client(message: Message) -> Client | None:
    """Return the client that a stateless request describes, or None if the request names no revision.

    Raises:
        RequestError: the revision is not supported, or a required field is missing.
    """
    meta, version = message.meta, message.requested_version
    if version is None:
        return None
    revision = next((revision for revision in STATELESS if revision.version == version), None)
    if revision is None:
        versions = [revision.version for revision in STATELESS]
        data = {"supported": versions, "requested": version}
        raise RequestError(UNSUPPORTED_VERSION, f"unsupported protocol version: {version}", data)
    if not isinstance(meta.get(_CAPABILITIES), dict):
        raise RequestError(INVALID_PARAMS, f"_meta lacks {_CAPABILITIES}")
    return Client(revision, _client_name(meta.get(_CLIENT)), has_person=_has_person(meta[_CAPABILITIES]))


def _has_person(capabilities: Any) -> bool:
    """Return True if the client shows forms. An empty ``elicitation`` capability means forms."""
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and (not elicitation or "form" in elicitation)


def decode_header(value: str | None) -> str | None:
    """Decode a header value: ``=?base64?…?=`` encodes text that is not plain ASCII (revision 2026-07-28)."""
    import base64
    import binascii

    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[len("=?base64?") : -len("?=")], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _client_name(info: Any) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""


def build_result(
    revision: Revision, result: dict[str, Any], server: Mapping[str, str], *, ttl_ms: int | None = None
) -> dict[str, Any]:
    """Return a result in the form of a protocol revision. Without ``ttl_ms``, it must not be cached."""
    if not revision.is_stateless:
        return result
    caching = {} if ttl_ms is None else {"ttlMs": ttl_ms, "cacheScope": "private"}
    meta = {**result.get("_meta", {}), _SERVER: dict(server)}
    kind = "input_required" if "inputRequests" in result else "complete"
    return {**result, **caching, "resultType": kind, "_meta": meta}
