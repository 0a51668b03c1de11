"""New text, as it is typed: on the command line, from a file, or from standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from gitscalpel.api import BadCall, DoesNotFit
from gitscalpel.cli.fields import Field
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.verbs.reply import Caller


def add(parser: Parser, field: Field) -> None:
    """The options that give it."""
    called = (field.name, *field.how.get("also", ()))
    parser.add_argument(
        *(f"--{each}" for each in called),
        dest=field.name,
        metavar="TEXT",
        help=f"{field.words}; else --{field.name}-file or standard input.",
    )
    parser.add_argument(
        *(f"--{each}-file" for each in called),
        dest=f"{field.name}_file",
        metavar="FILE",
        type=Path,
        help="Read it from FILE; - is standard input.",
    )


def text(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    """The text; none, where another option makes it needless."""
    if "unless" in field.how and getattr(given, field.how["unless"]):
        return {}
    said = _from(given, field.name)
    if "unless" in field.how and not said and _is_left_out(given, field.name):
        other = (
            f"--{field.how['unless']} if it is to go"  # a script has an empty input where nobody thinks of it
        )
        raise BadCall("invalid_args", f"there is no {field.name}", f"give --{field.name}, or {other}")
    return {field.name: said}


def content(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    """The text of a whole file: characters where it was typed; what comes from elsewhere are bytes."""
    import base64

    said = _from(given, field.name)
    raw = said.encode("utf-8", "surrogateescape")
    if getattr(given, field.name) is not None and said == raw.decode("utf-8", "replace"):
        return {field.name: said}
    return {f"{field.name}_b64": base64.b64encode(raw).decode("ascii")}


def file(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    """What a file holds, or standard input."""
    name = getattr(given, field.name)
    raw = sys.stdin.buffer.read() if name == "-" else _read(Path(name))
    return {field.name: raw.decode("utf-8", "surrogateescape")}


def told(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    """What a program says at standard input to calls of some names; who sits at a terminal says nothing."""
    if given.what not in field.how["of"] or sys.stdin is None or sys.stdin.isatty():
        return {}
    return {field.name: sys.stdin.buffer.read().decode("utf-8", "surrogateescape")}


def _from(given: Given, name: str) -> str:
    """New text as given, from a file or from standard input.

    Raises:
        BadCall: ``invalid_args``, if there is none or two.
        DoesNotFit: ``file_not_found``.
    """
    text, file = getattr(given, name), getattr(given, f"{name}_file")
    if text is not None and file is not None:
        raise BadCall("invalid_args", f"--{name} and --{name}-file cannot be combined", "give one of them")
    if text is not None:
        return str(text)
    if file is not None and str(file) != "-":
        return _read(file).decode("utf-8", "surrogateescape")
    if sys.stdin is None or (file is None and sys.stdin.isatty()):
        raise BadCall(
            "invalid_args", f"there is no {name}", f"give --{name}, --{name}-file or standard input"
        )
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _is_left_out(given: Given, name: str) -> bool:
    """Whether no option says it, so that it comes from standard input."""
    return getattr(given, name) is None and getattr(given, f"{name}_file") is None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DoesNotFit("file_not_found", f"{file} does not exist", "name a file to read from") from None
