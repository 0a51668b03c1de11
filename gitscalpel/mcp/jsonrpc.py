"""Messages of the protocol: JSON-RPC 2.0, one a line, the answers to a batch, and the protocol's revisions.

JSON-RPC is that of jsonrpc.org/specification, the revisions are on modelcontextprotocol.io/specification.
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
LONGEST = 64 << 20
"""Bytes of a message, or a batch."""
Id = str | int | None


class Fault(Exception):
    """What a request is answered with that is none, or none that there is an answer to."""

    def __init__(self, code: int, message: str, data: Any = None, id_: Id = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id_


class Message(msgspec.Struct, frozen=True):
    """A message of the client.

    Attributes:
        id: that its answer has to name; None: a notification, which has none.
        method: what is asked; "": it answers a request of ours.
        params: with what.
        result: the answer.
    """

    id: Id
    method: str
    params: dict[str, Any]
    result: Any = None

    @property
    def meta(self) -> dict[str, Any]:
        """What it says beside its parameters (``_meta``)."""
        said = self.params.get("_meta")
        return said if isinstance(said, dict) else {}

    @property
    def is_request(self) -> bool:
        """Whether it has to be answered."""
        return self.id is not None and bool(self.method) and not self.method.startswith("notifications/")


def read(line: bytes, *, batches: bool) -> tuple[list[Message | Fault], bool]:
    """The messages of a line, each that is none as what it is answered with; whether it is a batch.

    Raises:
        Fault: it holds none at all.
    """
    if len(line) > LONGEST:
        raise Fault(INVALID_REQUEST, f"a message has at most {LONGEST >> 20} MiB")
    try:
        said = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unread(line, str(error)) from None
    if not isinstance(said, list):
        return [_message(said)], False
    if not said or not batches:
        words = "a batch has at least one message" if batches else "a message is one object, and no batch"
        raise Fault(INVALID_REQUEST, words)
    return [_message(each) for each in said], True


def _unread(line: bytes, why: str) -> Fault:
    """What a line is answered with that is none; or has half of a character (a lone surrogate) in a text.

    Python's own reader takes that, so it says whose call it is: who has cut a text apart waits for an answer.
    """
    import json

    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return Fault(PARSE_ERROR, f"this is no JSON: {why}")
    words = f"a text holds half of a character, or a number is too large: {why}"
    return Fault(INVALID_REQUEST, words, id_=_id(said))


def _id(said: Any) -> Id:
    """Whose answer it is, as far as a message says so."""
    id_ = said.get("id") if isinstance(said, dict) else None
    return id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None


def _message(said: Any) -> Message | Fault:
    id_ = _id(said)
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return Fault(INVALID_REQUEST, "a message is one object with jsonrpc 2.0", id_=id_)
    method, params = said.get("method", ""), said.get("params", {})
    if id_ != said.get("id") or not isinstance(method, str):
        return Fault(INVALID_REQUEST, "id is a string or a number, method a string", id_=id_)
    if not isinstance(params, dict):
        return Fault(INVALID_REQUEST, "params is an object", id_=id_)
    return Message(id_, method, params, said.get("result"))


def answer(id_: Id, result: dict[str, Any]) -> bytes:
    """An answer, as a line."""
    return _line({"jsonrpc": "2.0", "id": id_, "result": result})


def fault(id_: Id, why: Fault) -> bytes:
    """An answer that is none, as a line."""
    error = {"code": why.code, "message": why.message, **({} if why.data is None else {"data": why.data})}
    return _line({"jsonrpc": "2.0", "id": id_, "error": error})


def notification(method: str, params: dict[str, Any]) -> bytes:
    """Something that is told, as a line."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def request(id_: str, method: str, params: dict[str, Any] | None = None) -> bytes:
    """Something that the client is asked, as a line."""
    more = {} if params is None else {"params": params}
    return _line({"jsonrpc": "2.0", "id": id_, "method": method, **more})


def is_answer(line: bytes) -> bool:
    """Whether one of these lines answers a request, or several."""
    said = msgspec.json.decode(line)
    return not isinstance(said, dict) or "method" not in said


def _line(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(answers.clean(message)) + b"\n"


Write = Callable[[bytes], None]


class Exchange:
    """Answers to what came together, wherever and whenever they are found.

    Args:
        write: takes a line.
        requests: how many of them are answered.
        batch: the answers go back together (JSON-RPC 2.0, section 6).
        ended: told when nothing more follows.
    """

    def __init__(
        self, write: Write, requests: int, *, batch: bool = False, ended: Callable[[], None] | None = None
    ) -> None:
        self._write, self._left, self._is_batch, self._ended = write, requests, batch, ended
        self._lock = threading.Lock()
        self._kept: list[bytes] = []
        if not requests:
            self._end()

    def tell(self, line: bytes) -> None:
        """Tell what is no answer."""
        self._write(line)

    def answer(self, line: bytes | None) -> None:
        """Answer one request; None: it is cancelled, and has no answer."""
        with self._lock:
            self._left -= 1
            last = self._left == 0
            if line is not None and self._is_batch:
                self._kept.append(line.rstrip(b"\n"))
            elif line is not None:
                self._write(line)
        if last:
            self._end()

    def _end(self) -> None:
        if self._kept:
            self._write(b"[" + b",".join(self._kept) + b"]\n")
        if self._ended is not None:
            self._ended()


_VERSION = "io.modelcontextprotocol/protocolVersion"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER = "io.modelcontextprotocol/serverInfo"
_LOG = "io.modelcontextprotocol/logLevel"
_DATA_ALONE = frozenset({"claude-code", "codex-mcp-client", "opencode"})
"""Clients whose model reads the data of a result in the place of its text, as they call themselves
(github.com: anthropics/claude-code/issues/79944, openai/codex/issues/38287, anomalyco/opencode/pull/32074).
Its text says the same in a quarter of the tokens."""
LIST_LASTS = 60_000
"""Milliseconds for which a client may keep what changes with the server's own start only."""


class Era(msgspec.Struct, frozen=True):
    """A revision.

    Attributes:
        version: its date.
        stateless: every request says it.
        structured: results of tools are data as well as text.
        batches: several messages may come as one.
    """

    version: str
    stateless: bool = False
    structured: bool = True
    batches: bool = False


HANDSHAKE = (
    Era("2024-11-05", structured=False, batches=True),
    Era("2025-03-26", structured=False, batches=True),
    Era("2025-06-18"),
    Era("2025-11-25"),
)
STATELESS = (Era("2026-07-28", stateless=True),)


class Client(msgspec.Struct, frozen=True):
    """Who calls.

    Attributes:
        era: the revision that it speaks.
        name: what it calls itself.
        has_roots: it can be asked for its folders.
        has_person: somebody is there who can be asked (``elicitation`` in a form).
    """

    era: Era
    name: str = ""
    has_roots: bool = False
    has_person: bool = False

    @property
    def wants_data(self) -> bool:
        """Whether results are data as well as text, where no schema promises that."""
        return self.era.structured and self.name not in _DATA_ALONE


def greeted(params: Mapping[str, Any]) -> Client:
    """The client that begins with these parameters of ``initialize``; what it cannot speak it is offered."""
    asked = params.get("protocolVersion")
    era = next((era for era in HANDSHAKE if era.version == asked), HANDSHAKE[-1])
    can = params.get("capabilities")
    has_roots = isinstance(can, dict) and isinstance(can.get("roots"), dict)
    return Client(era, _name(params.get("clientInfo")), has_roots, _has_person(can))


def told(params: Mapping[str, Any]) -> Client | None:
    """The client that says in its request what it speaks; None: it does not.

    Raises:
        Fault: nobody here speaks that, or it says only half of it.
    """
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    asked = meta.get(_VERSION)
    if asked is None:
        return None
    era = next((era for era in STATELESS if era.version == asked), None)
    if era is None:
        versions = [era.version for era in STATELESS]
        data = {"supported": versions, "requested": asked}
        raise Fault(UNSUPPORTED_VERSION, f"version {asked} is not spoken here", data)
    if not isinstance(meta.get(_CAPABILITIES), dict):
        raise Fault(INVALID_PARAMS, f"_meta lacks {_CAPABILITIES}")
    return Client(era, _name(meta.get(_CLIENT)), has_person=_has_person(meta[_CAPABILITIES]))


def logs(params: Mapping[str, Any]) -> Any:
    """The level from which on a stateless request wants the log; None: it wants none."""
    meta = params.get("_meta")
    return meta.get(_LOG) if isinstance(meta, dict) else None


def _has_person(can: Any) -> bool:
    """Whether forms are shown; a client that says no kind of ``elicitation`` shows forms."""
    asks = can.get("elicitation") if isinstance(can, dict) else None
    return isinstance(asks, dict) and (not asks or "form" in asks)


def says(params: Mapping[str, Any]) -> Any:
    """The revision that a request says of itself, whether or not there is one; None: it does not."""
    meta = params.get("_meta")
    return meta.get(_VERSION) if isinstance(meta, dict) else None


def header(value: str | None) -> str | None:
    """What a header says: ``=?base64?…?=`` where that is more than plain ASCII (revision 2026-07-28)."""
    import base64
    import binascii

    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[len("=?base64?") : -len("?=")], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _name(info: Any) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""


def result(
    era: Era, said: dict[str, Any], server: Mapping[str, str], *, lasts: int | None = None
) -> dict[str, Any]:
    """A result as a revision writes it.

    Args:
        era: the revision.
        said: the result.
        server: who says so.
        lasts: for how many milliseconds it may be kept; None: it is none that is kept.
    """
    if not era.stateless:
        return said
    kept = {} if lasts is None else {"ttlMs": lasts, "cacheScope": "private"}
    meta = {**said.get("_meta", {}), _SERVER: dict(server)}
    kind = "input_required" if "inputRequests" in said else "complete"
    return {**said, **kept, "resultType": kind, "_meta": meta}
