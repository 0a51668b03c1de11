"""Requests to the client, and confirmation of a call by the person at the client.

From revision 2026-07-28 on, a call is answered with the question (``input_required``), and the client sends
it again with the person's answer. Before that revision, the call waits while the server asks the client
(``elicitation/create``).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from gitscalpel.api import WaitsForPerson
from gitscalpel.mcp import jsonrpc
from gitscalpel.mcp.jsonrpc import INVALID_PARAMS, Message, RequestError, Write

_PREFIX = "gitscalpel-"
_POLL_S = 0.2
"""Interval in seconds at which a waiting call checks whether it was cancelled."""


class _OpenRequest:
    def __init__(self) -> None:
        self.answered = threading.Event()
        self.result: Any = None


class ClientRequests:
    """Open requests from the server to one client."""

    def __init__(self) -> None:
        self._open: dict[str, _OpenRequest] = {}
        self._lock = threading.Lock()
        self._count = 0
        self._gone = threading.Event()

    def ask(self, method: str, params: dict[str, Any], write: Write, stop: threading.Event) -> Any:
        """Send a request to the client and wait for the result.

        Args:
            method: method of the request.
            params: parameters of the request.
            write: sends the request.
            stop: event that ends the wait.

        Returns:
            The result. None if the client reports an error or disconnects, or if the wait was ended.
        """
        with self._lock:
            self._count += 1
            id_ = f"{_PREFIX}{self._count}"
            waiting = self._open[id_] = _OpenRequest()
        write(jsonrpc.request(id_, method, params))
        while not (waiting.answered.wait(_POLL_S) or stop.is_set() or self._gone.is_set()):
            pass
        with self._lock:
            self._open.pop(id_, None)
        return waiting.result

    def take_answer(self, message: Message) -> bool:
        """Take an answer from the client; return True if a request was waiting for it."""
        with self._lock:
            waiting = self._open.get(message.id) if isinstance(message.id, str) else None
        if waiting is None or message.method:
            return False
        waiting.result = message.result
        waiting.answered.set()
        return True

    def close(self) -> None:
        """End all waits, because the client has disconnected."""
        self._gone.set()


_KEY = "consent"
Consent = Literal["yes", "no", "anew"]
"""State of a question: accepted, declined, or to be asked (again)."""


class Question(msgspec.Struct, frozen=True):
    """A question for a person. The text contains everything that the person agrees to."""

    text: str

    @property
    def form(self) -> dict[str, Any]:
        """Return the parameters of ``elicitation/create``, with a form that has no fields."""
        schema = {"type": "object", "properties": {}}
        return {"mode": "form", "message": self.text, "requestedSchema": schema}


class ConsentRequests:
    """Signs questions, so that a stateless server can check which question an answer belongs to."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def input_required(self, question: Question) -> dict[str, Any]:
        """Return the ``input_required`` result for a question."""
        digest = _digest(question)
        requests = {_KEY: {"method": "elicitation/create", "params": question.form}}
        return {"inputRequests": requests, "requestState": f"{digest}.{self._mac(digest)}"}

    def read_consent(self, params: Mapping[str, Any], question: Question) -> Consent:
        """Return the answer to a question that a request contains.

        Raises:
            Fault: the ``requestState`` was not made by this server.
        """
        state, responses = params.get("requestState"), params.get("inputResponses")
        if state is None:
            return "anew"
        digest, _, mac = state.partition(".") if isinstance(state, str) else ("", "", "")
        if not hmac.compare_digest(self._mac(digest).encode(), mac.encode()):
            raise RequestError(INVALID_PARAMS, "requestState was not made by this server")
        if digest != _digest(question) or not isinstance(responses, dict) or _KEY not in responses:
            return "anew"
        return parse_consent(responses[_KEY])

    def _mac(self, digest: str) -> str:
        return hmac.new(self._key, digest.encode(), hashlib.sha256).hexdigest()


def parse_consent(response: Any) -> Consent:
    """Return a person's answer from an ``ElicitResult``."""
    return "yes" if isinstance(response, dict) and response.get("action") == "accept" else "no"


def obtain_consent(
    current: Callable[[], Question], say: Callable[[Question], Consent]
) -> tuple[Consent, Question]:
    """Ask until the accepted question is still the current one.

    Args:
        current: returns the current question.
        say: asks a question and returns the answer.

    Returns:
        The answer and the question that it belongs to.
    """
    question = current()
    while True:
        said = say(question)
        now = current() if said == "yes" else question
        if now == question:
            return said, question
        question = now


def declined_error(tool: str) -> WaitsForPerson:
    """Return the error for a call that a person declined."""
    return WaitsForPerson("rejected", f"the user declined {tool}", "ask the user how to proceed")


def _digest(question: Question) -> str:
    return hashlib.sha256(question.text.encode()).hexdigest()
