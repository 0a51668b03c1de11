"""The page for reviews as a resource, for clients that show apps of servers (``ui://``, MCP Apps)."""

from __future__ import annotations

import importlib.util
from typing import Any

from gitscalpel.api import ScalpelError
from gitscalpel.mcp.offered import Grant
from gitscalpel.mcp.roots import Roots, Who

URI = "ui://gitscalpel/review"
TOOL = "diff"
"""The tool whose answers it shows."""
_MIME = "text/html;profile=mcp-app"
_SHOWN = {"mimeType": _MIME, "_meta": {"ui": {"prefersBorder": True}}}
_BUTTONS = {"approve": ("approve", "reject"), "check": ("check",), "land": ("land",)}
"""What may be pressed by who is granted a tool."""


def is_offered(granted: Grant) -> bool:
    """Whether there is one: for who may look at transactions, where what makes it is installed."""
    return TOOL in granted.tools and all(importlib.util.find_spec(name) for name in ("jinja2", "unidiff"))


def listed() -> list[dict[str, Any]]:
    """The page that shows what the tool has answered."""
    words = "What an open transaction changes, for people."
    return [{"uri": URI, "name": "review", "title": "Review", "description": words, **_SHOWN}]


def templates() -> list[dict[str, Any]]:
    """The page of one transaction."""
    words = "The page of one open transaction."
    row = {"uriTemplate": f"{URI}/{{tx}}", "name": "review-transaction", "title": "Review of a transaction"}
    return [{**row, "description": words, "mimeType": _MIME}]


def read(uri: str, roots: Roots, granted: Grant, agent: str) -> str | None:
    """The page; None: there is none of that name.

    Raises:
        ScalpelError: it cannot be made.
    """
    from gitscalpel.review import page_templates

    if uri == URI:
        return page_templates.app(None)
    tx = uri.removeprefix(f"{URI}/")
    if tx == uri or not tx.isalnum():
        return None
    buttons = [button for name in granted.tools for button in _BUTTONS.get(name, ())]
    for root in roots.folders:
        with roots.opened(Who(root, granted.agent or agent, granted.within)) as repo:
            try:
                return page_templates.app(page_templates.seen(repo, tx), buttons)
            except ScalpelError as error:
                if error.code not in ("tx_not_found", "tx_closed", "not_a_repository"):
                    raise
    return None


def contents(uri: str, text: str) -> dict[str, Any]:
    """A result that holds it."""
    return {"contents": [{"uri": uri, "text": text, **_SHOWN}]}
