"""Render the page's templates with everything escaped and invisible characters made visible.

A reviewer approves what is visible. Characters that change the direction of a line can make it look like
another program ("Trojan Source", CVE-2021-42574), so such characters are shown by their code points. Joiners
(U+200C, U+200D) stay, because scripts and emoji need them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gitscalpel.changesets.answers import text_of
from gitscalpel.errors.messages import Spelling, spelt
from gitscalpel.review.pending_transactions import Seen

_INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def _make_visible(value: Any, spelling: Spelling) -> Any:
    """Return a value for display; trusted HTML stays unchanged."""
    if hasattr(value, "__html__") or not isinstance(value, str):
        return value
    return _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text_of(spelt(value, spelling)))


BUTTONS = ("approve", "reject", "check", "land")


def environment(spelling: Spelling) -> Environment:
    """Return the template environment; ``spelling`` is that of calls in messages and hints."""
    reader = Environment(
        loader=PackageLoader("gitscalpel.review"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=partial(_make_visible, spelling=spelling),
    )
    reader.filters["told"] = lambda error: error.told(spelling)
    return reader


def app(of: Seen | None, spelling: Spelling, buttons: Collection[str] = ()) -> str:
    """Return a self-contained page that an MCP client shows in a frame (``ui://``).

    Args:
        of: the transaction, or None if the frame gets the id later.
        spelling: spelling of calls in messages and hints.
        buttons: available ones of :data:`BUTTONS`.
    """
    static = files("gitscalpel.review") / "static"
    parts = {name: (static / name).read_text("utf-8") for name in ("style.css", "app.js")}
    said = {"seen": of, "buttons": buttons, "error": None, "job": None, "done": ""}
    template = environment(spelling).get_template("app.html")
    return template.render(style=parts["style.css"], script=parts["app.js"], **said)
