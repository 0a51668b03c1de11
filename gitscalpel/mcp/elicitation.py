"""Requests to the client, and confirmation of a call by the person at the client.

From revision 2026-07-28 on, the call is answered with the question (``input_required``) and sent again
with the person's answer. Before that, the client is asked while the call waits (``elicitation/create``).
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
from gitscalpel.mcp.jsonrpc import INVALID_PARAMS, Fault, Message, Write

_PREFIX = "gitscalpel-"
_LOOKS_UP = 0.2
"""Seconds after which somebody who waits looks whether he still has to."""


class _Open:
    def __init__(self) -> None:
        self.answered = threading.Event()
        self.result: Any = None


class Questions:
    """Those of one client that are open."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()
        self._asked = 0
        self._gone = threading.Event()

    def ask(self, method: str, params: dict[str, Any], write: Write, stop: threading.Event) -> Any:
        """Ask, and wait for the result.

        Args:
            method: what is asked.
            params: with what.
            write: takes the request.
            stop: is set when nobody wants to know any more.

        Returns:
            None where there is none: the client says that it failed, has gone, or nobody wants to know.
        """
        with self._lock:
            self._asked += 1
            id_ = f"{_PREFIX}{self._asked}"
            waiting = self._open[id_] = _Open()
        write(jsonrpc.request(id_, method, params))
        while not (waiting.answered.wait(_LOOKS_UP) or stop.is_set() or self._gone.is_set()):
            pass
        with self._lock:
            self._open.pop(id_, None)
        return waiting.result

    def hear(self, message: Message) -> bool:
        """Take an answer; whether it is one that somebody waits for."""
        with self._lock:
            waiting = self._open.get(message.id) if isinstance(message.id, str) else None
        if waiting is None or message.method:
            return False
        waiting.result = message.result
        waiting.answered.set()
        return True

    def close(self) -> None:
        """The client has gone: nobody will answer."""
        self._gone.set()


_KEY = "consent"
Word = Literal["yes", "no", "anew"]
"""What became of a question: agreed to, or not, or it has to be asked (again)."""


class Question(msgspec.Struct, frozen=True):
    """What is asked: it tells all that is agreed to, so that nobody's word counts for anything else."""

    text: str

    @property
    def form(self) -> dict[str, Any]:
        """As ``elicitation/create`` asks it: there is nothing to fill in."""
        schema = {"type": "object", "properties": {}}
        return {"mode": "form", "message": self.text, "requestedSchema": schema}


class Seals:
    """Says again which question somebody was asked, where nothing is kept of him between two requests."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def required(self, question: Question) -> dict[str, Any]:
        """A result that asks."""
        digest = _digest(question)
        requests = {_KEY: {"method": "elicitation/create", "params": question.form}}
        return {"inputRequests": requests, "requestState": f"{digest}.{self._mac(digest)}"}

    def word(self, params: Mapping[str, Any], question: Question) -> Word:
        """What a request says to a question.

        Raises:
            Fault: it shows a state that is none of ours.
        """
        state, responses = params.get("requestState"), params.get("inputResponses")
        if state is None:
            return "anew"
        digest, _, mac = state.partition(".") if isinstance(state, str) else ("", "", "")
        if not hmac.compare_digest(self._mac(digest).encode(), mac.encode()):
            raise Fault(INVALID_PARAMS, "requestState is none of this server's")
        if digest != _digest(question) or not isinstance(responses, dict) or _KEY not in responses:
            return "anew"
        return word(responses[_KEY])

    def _mac(self, digest: str) -> str:
        return hmac.new(self._key, digest.encode(), hashlib.sha256).hexdigest()


def word(response: Any) -> Word:
    """What somebody has said to a question (``ElicitResult``)."""
    return "yes" if isinstance(response, dict) and response.get("action") == "accept" else "no"


def obtained(current: Callable[[], Question], say: Callable[[Question], Word]) -> tuple[Word, Question]:
    """The word of a person on what is asked, as it is when he has said it.

    Args:
        current: the question as it is now.
        say: asks it.
    """
    question = current()
    while True:
        said = say(question)
        now = current() if said == "yes" else question
        if now == question:
            return said, question
        question = now


def refusal(tool: str) -> WaitsForPerson:
    """Why nothing is done where a person has not agreed."""
    return WaitsForPerson(
        "rejected", f"the person who was asked did not agree to {tool}", "ask what to do otherwise"
    )


def _digest(question: Question) -> str:
    return hashlib.sha256(question.text.encode()).hexdigest()
