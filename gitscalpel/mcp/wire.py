"""What goes over the line: JSON-RPC 2.0 (jsonrpc.org/specification), a message a line."""

from __future__ import annotations

from typing import Any

import msgspec

from gitscalpel import report

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022
Id = str | int | None


class Fault(Exception):
    """What a request is answered with that is none, or none that there is an answer to."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


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


def read(line: bytes) -> Message:
    """A message from a line.

    Raises:
        Fault: it is none.
    """
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise Fault(PARSE_ERROR, f"this is no JSON: {error}") from None
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, "a message is one object with jsonrpc 2.0")
    id_, method, params = said.get("id"), said.get("method", ""), said.get("params", {})
    usable = isinstance(id_, str | int | None) and not isinstance(id_, bool) and isinstance(method, str)
    if not usable or not isinstance(params, dict):
        raise Fault(INVALID_REQUEST, "id is a string or a number, method a string, params an object")
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


def _line(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(report.clean(message)) + b"\n"
