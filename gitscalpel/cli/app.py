"""Builds the typer app; for a call of one verb, from that verb's file alone (the start-up time)."""

from __future__ import annotations

import importlib

import typer

VERBS = {
    "outline": "Look",
    "show": "Look",
    "find": "Look",
    "replace": "Edit",
    "insert": "Edit",
    "delete": "Edit",
    "signature": "Edit",
    "text": "Edit",
    "lines": "Edit",
    "write": "Edit",
    "rm": "Edit",
    "apply": "Edit",
    "status": "Transaction",
    "diff": "Transaction",
    "land": "Transaction",
    "drop": "Transaction",
    "undo": "Transaction",
    "redo": "Transaction",
    "log": "Transaction",
    "recover": "Keep house",
    "demo": "Keep house",
}
"""Every verb, and under which heading the help lists it."""

_HELP = "Transactional edits of code, with git as the database."


def build(arguments: list[str]) -> typer.Typer:
    """The app for these arguments."""
    app = typer.Typer(
        name="git scalpel",
        help=_HELP,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    first = arguments[0] if arguments else ""
    for verb in [first] if first in VERBS else VERBS:
        module = importlib.import_module(f"gitscalpel.cli.{verb}")
        # short_help as well: what typer makes of the help it cuts at 45 characters.
        app.command(verb, help=module.__doc__, short_help=module.__doc__, rich_help_panel=VERBS[verb])(
            module.command
        )
    return app


def _version(asked: bool) -> None:
    if asked:
        from gitscalpel import __version__

        typer.echo(f"git-scalpel {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", help="Show the version.", is_eager=True, callback=_version
    ),
) -> None:
    """Transactional edits of code, with git as the database."""
