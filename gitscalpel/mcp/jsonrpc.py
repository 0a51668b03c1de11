"""JSON-RPC 2.0 messages, one a line (jsonrpc.org/specification), and the answers to a batch."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
