"""Pages made of templates: everything escaped, and nothing in them that nobody would see."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from gitscalpel.web.pending import Seen, seen
from gitscalpel.web.visible import visible

__all__ = ["BUTTONS", "app", "environment", "seen"]
BUTTONS = ("approve", "reject", "check", "land")


def environment() -> Environment:
    """What reads the templates."""
    return Environment(
        loader=PackageLoader("gitscalpel.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
    )


def app(of: Seen | None, buttons: Collection[str] = ()) -> str:
    """A page that needs nothing beside it, for a client of MCP to show in a frame (``ui://``).

    Args:
        of: the transaction; None: that whose id its frame will be told.
        buttons: those of :data:`BUTTONS` that there are.
    """
    static = files("gitscalpel.web") / "static"
    parts = {name: (static / name).read_text("utf-8") for name in ("style.css", "app.js")}
    said = {"seen": of, "buttons": buttons, "error": None, "job": None, "done": ""}
    return (
        environment()
        .get_template("app.html")
        .render(style=parts["style.css"], script=parts["app.js"], **said)
    )
