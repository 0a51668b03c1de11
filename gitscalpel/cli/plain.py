"""A field of a request as an option of its own name, or as a word that is given by its place."""

from __future__ import annotations

import argparse
import posixpath
from typing import Any, Literal, get_args, get_origin

from gitscalpel.cli import target
from gitscalpel.cli.fields import Field, names
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.verbs.reply import Caller

_SEVERAL: dict[bool, dict[str, Any]] = {
    False: {"action": "append"},
    True: {"action": "extend", "nargs": "+"},
}


def add(parser: Parser, field: Field) -> None:
    """An option, or a word that is given by its place."""
    options: dict[str, Any] = {"help": field.words}
    if field.how["shown"]:
        options["metavar"] = field.how["shown"]
    if get_origin(field.type) is Literal:
        options["choices"] = get_args(field.type)
        options.pop("metavar", None)
    one = get_args(field.type)[0] if field.is_many else field.type
    if one in (int, float):
        options["type"] = _number if field.least == 1 else _seconds if one is float else int
    if field.how.get("place"):
        if field.is_many:
            options["nargs"] = "+" if field.required else "*"
        elif not field.required:
            options["nargs"] = "?"
        parser.add_argument(field.name, **options)
        return
    if field.type is bool:
        options["action"] = "store_true"
    elif field.is_many:
        options |= _SEVERAL[field.how.get("many", False)]
    elif field.required:
        options["required"] = True
    else:
        options["default"] = field.default
    parser.add_argument(*names(field), dest=field.name, **options)


def value(given: Given, field: Field, caller: Caller) -> dict[str, Any]:
    """What was given for it.

    Raises:
        Misconfigured: ``not_a_repository``, of a path.
    """
    value = getattr(given, field.name)
    if field.is_many:
        value = tuple(value or ([field.how["none"]] if "none" in field.how else ()))
    if field.how.get("path") and value is not None:
        if field.is_many:
            value = tuple(target.from_root(path, caller.repo) for path in value)
        else:
            into = getattr(given, field.how["into"]) if "into" in field.how and value.endswith("/") else ""
            typed = value + posixpath.basename(into.rstrip("/"))
            value = target.from_root(typed, caller.repo) or (typed and ".")
    return {field.name: value}


def _number(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
