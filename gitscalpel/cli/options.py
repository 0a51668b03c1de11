"""Conversion between requests and command-line options.

A field is an option of its own name unless its description says otherwise. Some input has a special form,
such as TARGET, flags for fixed values, or new text from the command line, a file or standard input.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from gitscalpel.api import BadCall, DoesNotFit
from gitscalpel.cli import targets
from gitscalpel.cli.parser import AppendParagraph, CommandParser, ParsedArguments
from gitscalpel.cli.targets import SHELL_SPELLING
from gitscalpel.commands.reply import PANELS, Caller
from gitscalpel.errors.messages import spell


class RequestField(msgspec.Struct, frozen=True):
    """A field of a request.

    Attributes:
        name: name of the field.
        type: type without None.
        required: True if the field has no default.
        default: default value.
        least: minimum value, or None.
        how: details, see :func:`gitscalpel.commands.reply.describe_field`.
        panel: group in the help, from :data:`gitscalpel.commands.reply.PANELS`.
    """

    name: str
    type: Any
    required: bool
    default: Any
    least: int | None
    how: dict[str, Any]
    panel: str

    @property
    def words(self) -> str:
        """Return the description, with names as on the command line."""
        return spell(self.how["words"], SHELL_SPELLING)

    @property
    def is_many(self) -> bool:
        """Return True if the field takes several values."""
        return get_origin(self.type) is tuple


@cache
def request_fields(request: Any) -> list[RequestField]:
    """Return the fields of a request, in the order of the help."""
    panels = {
        name: request.own_panel if each is request else each.panel
        for each in reversed(request.__mro__)
        for name in vars(each).get("__annotations__", ())
    }
    found = [_request_field(each, panels[each.name]) for each in msgspec.structs.fields(request)]
    return sorted(found, key=lambda field: PANELS.index(field.panel))


def _request_field(info: Any, panel: str) -> RequestField:
    kind, *metas = get_args(info.type) if get_origin(info.type) is Annotated else (info.type,)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is Annotated:
        kind, *inner = get_args(kind)
        metas += inner
    least = next((meta.ge for meta in metas if meta.ge is not None), None)
    how = next(meta.extra for meta in metas if meta.extra)
    return RequestField(info.name, kind, info.required, info.default, least, how, panel)


def option_strings(field: RequestField) -> tuple[str, ...]:
    """Return the option names of a field."""
    name = field.how.get("typed", field.name).replace("_", "-")
    long = f"--{name}" if len(name) > 1 else f"-{name}"
    return (field.how["short"], long) if "short" in field.how else (long,)


_REPEATED: dict[bool, dict[str, Any]] = {
    False: {"action": "append"},
    True: {"action": "extend", "nargs": "+"},
}


def add_plain_option(parser: CommandParser, field: RequestField) -> None:
    """Add an option or a positional argument to the parser."""
    options: dict[str, Any] = {"help": field.words}
    if field.how["shown"]:
        options["metavar"] = field.how["shown"]
    if get_origin(field.type) is Literal:
        options["choices"] = get_args(field.type)
        options.pop("metavar", None)
    one = get_args(field.type)[0] if field.is_many else field.type
    if one in (int, float):
        options["type"] = _parse_number if field.least == 1 else _parse_seconds if one is float else int
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
        options |= _REPEATED[field.how.get("many", False)]
    elif field.required:
        options["required"] = True
    else:
        options["default"] = field.default
    parser.add_argument(*option_strings(field), dest=field.name, **options)


def read_plain(arguments: ParsedArguments, field: RequestField, caller: Caller) -> dict[str, Any]:
    """Return the value of a plain field.

    Raises:
        Misconfigured: ``not_a_repository``, for a path.
    """
    value = getattr(arguments, field.name)
    if field.is_many:
        value = tuple(value or ([field.how["none"]] if "none" in field.how else ()))
    if field.how.get("path") and value is not None:
        if field.is_many:
            value = tuple(targets.path_from_root(path, caller.repo) for path in value)
        else:
            into = (
                getattr(arguments, field.how["into"]) if "into" in field.how and value.endswith("/") else ""
            )
            typed = value + posixpath.basename(into.rstrip("/"))
            value = targets.path_from_root(typed, caller.repo) or (typed and ".")
    return {field.name: value}


def _parse_number(text: str) -> int:
    """Parse an integer from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def add_text_option(parser: CommandParser, field: RequestField) -> None:
    """Add the options for a text field."""
    called = (field.name, *field.how.get("also", ()))
    parser.add_argument(
        *(f"--{each}" for each in called),
        dest=field.name,
        metavar="TEXT",
        help=f"{field.words} (default: --{field.name}-file, else standard input).",
    )
    parser.add_argument(
        *(f"--{each}-file" for each in called),
        dest=f"{field.name}_file",
        metavar="FILE",
        type=Path,
        help="File to read it from; - is standard input.",
    )


def read_text(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    """Return the text of a field, or nothing if another option makes it unnecessary."""
    if "unless" in field.how and getattr(arguments, field.how["unless"]):
        return {}
    said = _read_new_text(arguments, field.name)
    if "unless" in field.how and not said and _is_from_stdin(arguments, field.name):
        other = (
            f"--{field.how['unless']} if it is to go"  # a script's standard input may be empty by accident
        )
        raise BadCall("invalid_args", f"no {field.name} given", f"give --{field.name}, or {other}")
    return {field.name: said}


def read_content(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    """Return the content of a file, as text if it was typed, otherwise as bytes."""
    import base64

    said = _read_new_text(arguments, field.name)
    raw = said.encode("utf-8", "surrogateescape")
    if getattr(arguments, field.name) is not None and said == raw.decode("utf-8", "replace"):
        return {field.name: said}
    return {f"{field.name}_b64": base64.b64encode(raw).decode("ascii")}


def read_file(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    """Return the content of a file or of standard input."""
    name = getattr(arguments, field.name)
    raw = sys.stdin.buffer.read() if name == "-" else _read_bytes(Path(name))
    return {field.name: raw.decode("utf-8", "surrogateescape")}


def read_hook_input(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    """Return git's input for a hook that has any. A terminal counts as no input."""
    if arguments.what not in field.how["of"] or sys.stdin is None or sys.stdin.isatty():
        return {}
    return {field.name: sys.stdin.buffer.read().decode("utf-8", "surrogateescape")}


def _read_new_text(arguments: ParsedArguments, name: str) -> str:
    """Return a new text from the option, a file or standard input.

    Raises:
        BadCall: ``invalid_args``, if there is no source or two.
        DoesNotFit: ``file_not_found``.
    """
    text, file = getattr(arguments, name), getattr(arguments, f"{name}_file")
    if text is not None and file is not None:
        raise BadCall("invalid_args", f"--{name} and --{name}-file cannot be combined", "give one of them")
    if text is not None:
        return str(text)
    if file is not None and str(file) != "-":
        return _read_bytes(file).decode("utf-8", "surrogateescape")
    if sys.stdin is None or (file is None and sys.stdin.isatty()):
        raise BadCall("invalid_args", f"no {name} given", f"give --{name}, --{name}-file or standard input")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _is_from_stdin(arguments: ParsedArguments, name: str) -> bool:
    """Return True if no option gives the text, so that standard input does."""
    return getattr(arguments, name) is None and getattr(arguments, f"{name}_file") is None


def _read_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DoesNotFit(
            "file_not_found", f"{file} does not exist", "give the path of an existing file"
        ) from None


def add_arguments(parser: CommandParser, request: Any) -> None:
    """Add all options of a command to its parser."""
    for field in request_fields(request):
        parser.panel = field.panel
        add, _ = FORMS.get(field.how.get("form", ""), _PLAIN)
        add(parser, field)


def check_arguments(arguments: ParsedArguments, request: Any) -> None:
    """Check the form of the arguments, before a repository is opened.

    Raises:
        BadCall: ``invalid_args`` or ``invalid_position``.
    """
    for field in request_fields(request):
        checked = CHECKS.get(field.how.get("form", ""))
        if checked is not None:
            checked(arguments, field)


def read_request(arguments: ParsedArguments, request: Any, caller: Caller) -> Any:
    """Return the request from the parsed arguments.

    Raises:
        ScalpelError: an argument is invalid.
    """
    said: dict[str, Any] = {}
    for field in request_fields(request):
        _, value = FORMS.get(field.how.get("form", ""), _PLAIN)
        said |= value(arguments, field, caller)
    return request(**said)


def _add_nothing(_parser: CommandParser, _field: RequestField) -> None:
    """Add no option for a field that the form of another field includes."""


def _read_nothing(_given: ParsedArguments, _field: RequestField, _caller: Caller) -> dict[str, Any]:
    return {}


def _add_target(parser: CommandParser, _: RequestField) -> None:
    parser.add_argument("where", metavar="TARGET", help="PATH, PATH::SYMBOL or PATH:LINES.")


def _add_name_target(parser: CommandParser, _: RequestField) -> None:
    parser.add_argument("where", metavar="TARGET", help="PATH::SYMBOL or PATH:LINE:NAME.")


def _read_name_target(arguments: ParsedArguments, _: RequestField, caller: Caller) -> dict[str, Any]:
    return targets.parse_name_target(arguments.where, caller.repo)


def _add_lines(parser: CommandParser, _: RequestField) -> None:
    parser.add_argument(
        "where", metavar="PATH:LINES", help="Lines of a file, such as app.py:42-55 or app.py:42:9f3c."
    )


def _check_lines(arguments: ParsedArguments, _: RequestField) -> None:
    if targets.parse_lines(arguments.where) is None:
        raise BadCall(
            "invalid_args",
            f"{arguments.where} names no lines",
            f"give PATH:LINES, such as {arguments.where.partition('::')[0]}:42-55",
        )


def _read_target(arguments: ParsedArguments, _: RequestField, caller: Caller) -> dict[str, Any]:
    return targets.parse_target(arguments.where, caller.repo)


def _add_paragraphs(parser: CommandParser, field: RequestField) -> None:
    parser.add_argument(
        *option_strings(field),
        dest=field.name,
        metavar=field.how["shown"],
        action=AppendParagraph,
        default=field.default,
        help=field.words,
    )


def _add_flags(parser: CommandParser, field: RequestField) -> None:
    for name, words in field.how["each"].items():
        parser.add_argument(f"--{name}", action="store_true", help=words)


def _chosen_flags(arguments: ParsedArguments, field: RequestField) -> list[str]:
    beside = [field.how["beside"]] if "beside" in field.how else []
    return [name for name in (*field.how["each"], *beside) if getattr(arguments, name)]


def _check_flags(arguments: ParsedArguments, field: RequestField) -> None:
    chosen = _chosen_flags(arguments, field)
    if len(chosen) > 1:
        words = f"--{' and --'.join(chosen)} cannot be combined"
        raise BadCall("invalid_position", words, "give one of them")


def _read_flag(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    chosen = [name for name in _chosen_flags(arguments, field) if name in field.how["each"]]
    return {field.name: chosen[0] if chosen else field.default}


def _add_rest(parser: CommandParser, field: RequestField) -> None:
    parser.trailing = "-- COMMAND" if field.required else "[-- COMMAND]"
    parser.epilog = field.words


def _read_rest(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    return {field.name: tuple(arguments.rest)}


def _add_file(parser: CommandParser, field: RequestField) -> None:
    shown = field.how["shown"]
    parser.add_argument(field.name, metavar=shown, nargs="?", default="-", help=field.words)


def _add_contents(parser: CommandParser, field: RequestField) -> None:
    parser.add_argument(*option_strings(field), dest=field.name, metavar="FILE", type=Path, help=field.words)


def _read_contents(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    file = getattr(arguments, field.name)
    return {field.name: file and file.read_bytes().decode("utf-8", "surrogateescape")}


def _add_subject(parser: CommandParser, field: RequestField) -> None:
    parser.add_argument(field.name, metavar=field.how["shown"], nargs="?", help=field.words)


def _read_subject(arguments: ParsedArguments, field: RequestField, caller: Caller) -> dict[str, Any]:
    value = getattr(arguments, field.name)
    return {
        field.name: targets.path_from_root(value or ".", caller.repo)
        if arguments.what == "explain"
        else value
    }


def _add_commas(parser: CommandParser, field: RequestField) -> None:
    shown = field.how["shown"]
    parser.add_argument(
        *option_strings(field), dest=field.name, metavar=shown, action="append", help=field.words
    )


def _read_commas(arguments: ParsedArguments, field: RequestField, _: Caller) -> dict[str, Any]:
    words = ",".join(getattr(arguments, field.name) or ()).split(",")
    return {field.name: tuple(word.strip() for word in words if word.strip())}


AddField = Callable[[CommandParser, RequestField], None]
ReadField = Callable[[ParsedArguments, RequestField, Caller], dict[str, Any]]

_PLAIN: tuple[AddField, ReadField] = (add_plain_option, read_plain)
FORMS: dict[str, tuple[AddField, ReadField]] = {
    "none": (_add_nothing, _read_nothing),
    "target": (_add_target, _read_target),
    "lines": (_add_lines, _read_target),
    "name": (_add_name_target, _read_name_target),
    "paragraphs": (_add_paragraphs, read_plain),
    "flags": (_add_flags, _read_flag),
    "text": (add_text_option, read_text),
    "content": (add_text_option, read_content),
    "file": (_add_file, read_file),
    "contents": (_add_contents, _read_contents),
    "rest": (_add_rest, _read_rest),
    "subject": (_add_subject, _read_subject),
    "commas": (_add_commas, _read_commas),
    "told": (_add_nothing, read_hook_input),
}
"""Function that adds a field to the parser, and function that reads its value, by form."""
CHECKS: dict[str, Callable[[ParsedArguments, RequestField], None]] = {
    "lines": _check_lines,
    "flags": _check_flags,
}
