"""Requests as they are typed: the options of a verb from the fields of its request, and back.

A field is an option of its own name, unless it says how else it is given. What is typed in a way that has
no like elsewhere (a TARGET, new text, flags for one word) has a form.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitscalpel.api import BadCall
from gitscalpel.cli import plain, target, texts
from gitscalpel.cli.fields import Field, fields, names
from gitscalpel.cli.parser import Given, Paragraphs, Parser
from gitscalpel.verbs.reply import Caller


def arguments(parser: Parser, request: Any) -> None:
    """The options of a verb."""
    for field in fields(request):
        parser.panel = field.panel
        add, _ = FORMS.get(field.how.get("form", ""), _PLAIN)
        add(parser, field)


def check(given: Given, request: Any) -> None:
    """Refuse what is wrong by its form alone, before a repository is looked for.

    Raises:
        BadCall: ``invalid_args`` or ``invalid_position``.
    """
    for field in fields(request):
        checked = CHECKS.get(field.how.get("form", ""))
        if checked is not None:
            checked(given, field)


def read(given: Given, request: Any, caller: Caller) -> Any:
    """The request that was typed.

    Raises:
        ScalpelError: it cannot be read.
    """
    said: dict[str, Any] = {}
    for field in fields(request):
        _, value = FORMS.get(field.how.get("form", ""), _PLAIN)
        said |= value(given, field, caller)
    return request(**said)


def _no_option(_parser: Parser, _field: Field) -> None:
    """A field that another one's form gives."""


def _nothing(_given: Given, _field: Field, _caller: Caller) -> dict[str, Any]:
    return {}


def _add_target(parser: Parser, _: Field) -> None:
    parser.add_argument("where", metavar="TARGET", help="PATH, PATH::SYMBOL or PATH:LINES.")


def _add_named(parser: Parser, _: Field) -> None:
    parser.add_argument("where", metavar="TARGET", help="PATH::SYMBOL or PATH:LINE:NAME.")


def _named(given: Given, _: Field, caller: Caller) -> dict[str, Any]:
    return target.named(given.where, caller.repo)


def _add_lines(parser: Parser, _: Field) -> None:
    parser.add_argument("where", metavar="PATH:LINES", help="For example app.py:42-55.")


def _check_lines(given: Given, _: Field) -> None:
    if target.lines(given.where) is None:
        raise BadCall(
            "invalid_args",
            f"{given.where} names no lines",
            f"give PATH:LINES, such as {given.where.partition('::')[0]}:42-55",
        )


def _target(given: Given, _: Field, caller: Caller) -> dict[str, Any]:
    return target.read(given.where, caller.repo)


def _add_paragraphs(parser: Parser, field: Field) -> None:
    parser.add_argument(
        *names(field),
        dest=field.name,
        metavar=field.how["shown"],
        action=Paragraphs,
        default=field.default,
        help=field.words,
    )


def _add_flags(parser: Parser, field: Field) -> None:
    for name, words in field.how["each"].items():
        parser.add_argument(f"--{name}", action="store_true", help=words)


def _flags(given: Given, field: Field) -> list[str]:
    beside = [field.how["beside"]] if "beside" in field.how else []
    return [name for name in (*field.how["each"], *beside) if getattr(given, name)]


def _check_flags(given: Given, field: Field) -> None:
    chosen = _flags(given, field)
    if len(chosen) > 1:
        words = f"--{' and --'.join(chosen)} cannot be combined"
        raise BadCall("invalid_position", words, "give one of them")


def _flag(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    chosen = [name for name in _flags(given, field) if name in field.how["each"]]
    return {field.name: chosen[0] if chosen else field.default}


def _add_rest(parser: Parser, field: Field) -> None:
    parser.trailing = "-- COMMAND" if field.required else "[-- COMMAND]"
    parser.epilog = field.words


def _rest(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    return {field.name: tuple(given.rest)}


def _add_file(parser: Parser, field: Field) -> None:
    shown = field.how["shown"]
    parser.add_argument(field.name, metavar=shown, nargs="?", default="-", help=field.words)


def _add_contents(parser: Parser, field: Field) -> None:
    parser.add_argument(*names(field), dest=field.name, metavar="FILE", type=Path, help=field.words)


def _contents(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    file = getattr(given, field.name)
    return {field.name: file and file.read_bytes().decode("utf-8", "surrogateescape")}


def _add_subject(parser: Parser, field: Field) -> None:
    parser.add_argument(field.name, metavar=field.how["shown"], nargs="?", help=field.words)


def _subject(given: Given, field: Field, caller: Caller) -> dict[str, Any]:
    value = getattr(given, field.name)
    return {field.name: target.from_root(value or ".", caller.repo) if given.what == "explain" else value}


def _add_commas(parser: Parser, field: Field) -> None:
    shown = field.how["shown"]
    parser.add_argument(*names(field), dest=field.name, metavar=shown, action="append", help=field.words)


def _commas(given: Given, field: Field, _: Caller) -> dict[str, Any]:
    words = ",".join(getattr(given, field.name) or ()).split(",")
    return {field.name: tuple(word.strip() for word in words if word.strip())}


Adding = Callable[[Parser, Field], None]
Reading = Callable[[Given, Field, Caller], dict[str, Any]]

_PLAIN: tuple[Adding, Reading] = (plain.add, plain.value)
FORMS: dict[str, tuple[Adding, Reading]] = {
    "none": (_no_option, _nothing),
    "target": (_add_target, _target),
    "lines": (_add_lines, _target),
    "name": (_add_named, _named),
    "paragraphs": (_add_paragraphs, plain.value),
    "flags": (_add_flags, _flag),
    "text": (texts.add, texts.text),
    "content": (texts.add, texts.content),
    "file": (_add_file, texts.file),
    "contents": (_add_contents, _contents),
    "rest": (_add_rest, _rest),
    "subject": (_add_subject, _subject),
    "commas": (_add_commas, _commas),
    "told": (_no_option, texts.told),
}
"""What is added to the parser, and what is read from what it was given."""
CHECKS: dict[str, Callable[[Given, Field], None]] = {"lines": _check_lines, "flags": _check_flags}
