"""Protocol revisions: how a client states its revision, and how messages differ between them.

The revisions are those of modelcontextprotocol.io/specification. Up to 2025-11-25 a client begins with
``initialize``. From 2026-07-28 on there is no handshake, and every request names its revision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitscalpel.mcp.jsonrpc import INVALID_PARAMS, UNSUPPORTED_VERSION, Fault

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
