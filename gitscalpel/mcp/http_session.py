"""Who asks over HTTP: by its token, and its session; and whether headers and message agree."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec

from gitscalpel.mcp import eras, wire
from gitscalpel.mcp.connection import Connection
from gitscalpel.mcp.offer import CAPABILITY, Offer
from gitscalpel.mcp.offered import Grant, shown
from gitscalpel.mcp.wire import Fault, Message
from gitscalpel.system import loopback

_SESSIONS = 64
"""Sessions that are kept for each credential: nobody's greetings end the sessions of who has another one."""
_NAMED = {"tools/call": "name", "resources/read": "uri"}
"""Methods of which a header says what they are about, and the parameter that says it."""


class Visitor(msgspec.Struct, frozen=True):
    """Whoever has shown a token: it, and what goes with it (None: that depends on what a message shows)."""

    token: str
    grant: Grant | None


class Turn(msgspec.Struct, frozen=True):
    """What a message is said to.

    Attributes:
        connection: who answers.
        session: that has just begun; None: none has.
        streams: something may be told before the answer.
        stateless: the message stands for itself.
        cancel: ends what the message asks for.
    """

    connection: Connection
    session: str | None
    streams: bool
    stateless: bool
    cancel: Callable[[], None]

    def status(self, answer: bytes) -> int:
        """The status of an answer: a fault has one of its own where messages stand for themselves."""
        if not self.stateless:
            return 200
        error = msgspec.json.decode(answer).get("error")
        if error is None:
            return 200
        return {wire.NO_METHOD: 404, wire.INTERNAL: 500}.get(error["code"], 400)


class _Session(msgspec.Struct):
    """A session: whose it is (a token, and the agent that shares it), and whether it has been used since."""

    credential: tuple[str, str]
    connection: Connection
    is_used: bool = False


class Sessions:
    """Those that clients have begun.

    Args:
        offer: what is offered.
        token: the server's own.
    """

    def __init__(self, offer: Offer, token: str) -> None:
        self._offer, self._token = offer, token
        self._begun: dict[str, _Session] = {}
        self._of: dict[tuple[str, str], OrderedDict[str, None]] = {}

    def visitor(self, token: str) -> Visitor | None:
        """Who shows this token; None: nobody."""
        if loopback.is_token(token, self._token):
            return Visitor(token, None)
        grant = shown(self._offer.tokens, token) if self._offer.tokens else None
        return None if grant is None else Visitor(token, grant)

    def end(self, visitor: Visitor, session: str | None) -> bool:
        """Forget a session; whether there was one."""
        if self._found(visitor, session) is None:
            return False
        self._forget(str(session))
        return True

    def turn(
        self, visitor: Visitor, session: str | None, body: bytes, headers: Mapping[str, str]
    ) -> Turn | None:
        """Who answers a message; None: there is no such session.

        Raises:
            Fault: the headers say something else than the message.
        """
        messages, is_batch = wire.read(body, batches=True)
        message = None if is_batch or isinstance(messages[0], Fault) else messages[0]
        if isinstance(messages[0], Fault) and not is_batch:
            raise messages[0]
        if message is not None and eras.says(message.params):
            _refuse_other(message, headers)
            return self._turn(Connection(self._offer, visitor.grant), message, stateless=True)
        if message is not None and message.method == "initialize":
            return self._begin(visitor, message)
        version = headers.get("mcp-protocol-version")
        if version is not None and version not in [era.version for era in eras.HANDSHAKE]:
            id_ = None if message is None else message.id
            words = f"a message of version {version} says so in _meta; others are spoken in sessions"
            raise Fault(wire.INVALID_PARAMS, words, id_=id_)
        found = self._found(visitor, session)
        return None if found is None else self._turn(found, message)

    def _found(self, visitor: Visitor, session: str | None) -> Connection | None:
        found = self._begun.get(session or "")
        if found is None or found.credential[0] != visitor.token:
            return None
        found.is_used = True
        self._of[found.credential].move_to_end(str(session))
        return found.connection

    def _begin(self, visitor: Visitor, message: Message) -> Turn:
        session, connection = secrets.token_urlsafe(24), Connection(self._offer, visitor.grant)
        credential = visitor.token, self._shown(message)
        self._begun[session] = _Session(credential, connection)
        kept = self._of.setdefault(credential, OrderedDict())
        kept[session] = None
        if len(kept) > _SESSIONS:
            self._forget(self._least_used(kept))
        return msgspec.structs.replace(self._turn(connection, message), session=session)

    def _shown(self, message: Message) -> str:
        """Return the agent whose capability a greeting shows, where several share the server's own token."""
        token = message.meta.get(CAPABILITY)
        grant = shown(self._offer.tokens, token) if isinstance(token, str) and self._offer.tokens else None
        return "" if grant is None else grant.agent

    def _least_used(self, kept: OrderedDict[str, None]) -> str:
        """Return the session to forget: one that has only greeted, else the longest silent one.

        The newest one has had no time to say anything more.
        """
        *older, _ = kept
        return next((session for session in older if not self._begun[session].is_used), older[0])

    def _forget(self, session: str) -> None:
        kept = self._of[self._begun.pop(session).credential]
        del kept[session]

    @staticmethod
    def _turn(connection: Connection, message: Message | None, *, stateless: bool = False) -> Turn:
        streams = message is not None and message.meta.get("progressToken") is not None
        id_ = None if message is None else message.id
        return Turn(connection, None, streams, stateless, lambda: connection.cancel(id_))


def _refuse_other(message: Message, headers: Mapping[str, str]) -> None:
    """Refuse a message that its headers, by which others may have let it through, say otherwise.

    Raises:
        Fault: a header is missing, or is about something else.
    """
    said = {"mcp-protocol-version": eras.says(message.params), "mcp-method": message.method}
    if message.method in _NAMED:
        said["mcp-name"] = message.params.get(_NAMED[message.method])
    for name, value in said.items():
        if eras.header(headers.get(name)) != value:
            words = f"header {name} does not say {value!r}, as the message does"
            raise Fault(wire.HEADER_MISMATCH, words, id_=message.id)
