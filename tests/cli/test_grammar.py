"""Forms of a command line that parsing libraries treat differently keep their meaning."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel import BadCall
from gitscalpel.cli import command_line
from gitscalpel.commands.table import COMMANDS

TEXT = ("a.py", "--old", "x", "--new", "y")


def _parse(verb: str, *words: str) -> dict[str, Any]:
    return vars(command_line.build_parser(COMMANDS[verb]).parse_words(list(words)))


@pytest.mark.parametrize(
    ("verb", "words", "name", "value"),
    [
        ("replace", ("a.py::f", "-m=one"), "message", "one"),
        ("replace", ("a.py::f", "-mone"), "message", "one"),
        ("replace", ("-m", "one", "a.py::f", "-m", "two"), "message", "one\n\ntwo"),
        ("replace", ("a.py::f", "--lead", "keep", "--lead", "auto"), "lead", "auto"),
        ("text", ("a.py", "--old", "-v", "--new", "--"), "old", "-v"),
        ("text", ("a.py", "--old", "-v", "--new", "--"), "new", "--"),
        ("text", ("a.py", "--old=x=y", "--new="), "old", "x=y"),
        ("text", ("a.py", "--old", "x", "b.py", "--new", "y"), "paths", ["a.py", "b.py"]),
        ("text", (*TEXT, "--", "-b.py"), "paths", ["a.py", "-b.py"]),
        ("find", ("-a b", "src"), "selector", "-a b"),
        ("show", ("-5",), "where", "-5"),
        ("show", ("a\udcff",), "where", "a\udcff"),
        ("log", ("-n5",), "n", 5),
        ("log", ("-n=5",), "n", 5),
        ("stage", ("id", "--from-checkout", "a", "b", "--json"), "from_checkout", ["a", "b"]),
        ("mcp", ("--tools", "a", "b", "--tools", "c"), "tools", ["a", "b", "c"]),
        ("run", ("--json", "--", "--", "ls", "--json"), "rest", ["--", "ls", "--json"]),
        ("hook", ("pre-push", "--", "-x", "y"), "words", ["-x", "y"]),
    ],
)
def test_form_is_accepted(verb: str, words: tuple[str, ...], name: str, value: object) -> None:
    assert _parse(verb, *words)[name] == value


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("text", ("a.py", "--ol", "x", "--new", "y")),
        ("text", ("a.py", "--old", "x", "--new")),
        ("show", ("a.py", "--json=1")),
        ("land", ("--wait", "nan")),
        ("land", ("--wait", "inf")),
        ("land", ("--wait", "-1")),
        ("log", ("-n", "0")),
        ("log", ("-n", "+5")),
        ("log", ("-n", " 5")),
        ("log", ("-n", "1_0")),
        ("run", ("ls",)),
        ("hook", ("pre-push", "-x")),
        ("mcp", ("--tools",)),
    ],
)
def test_form_is_refused(verb: str, words: tuple[str, ...]) -> None:
    with pytest.raises(BadCall):
        _parse(verb, *words)


@pytest.mark.parametrize(
    "words", [("-h", "--foo"), ("a.py::f", "--foo", "-h"), ("-h",), ("--help", "x", "y")]
)
def test_help_is_shown_with_any_other_arguments(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        _parse("replace", *words)
    assert exit_info.value.code == 0
    assert capsys.readouterr().out.startswith("usage: git scalpel replace TARGET")
