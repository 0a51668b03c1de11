"""Generate commands and topics of the manual page: ``python -m tests.cli.manual`` updates the page."""

from __future__ import annotations

import re
from argparse import Action
from collections.abc import Iterator
from pathlib import Path

import gitscalpel
from gitscalpel.cli.command_line import build_parser
from gitscalpel.commands import table
from gitscalpel.commands.guides import PAGES
from gitscalpel.commands.table import CommandEntry

PAGE = Path(gitscalpel.__file__).parent / "man" / "git-scalpel.1"
COMMANDS = re.compile(r"(?<=^\.SH COMMANDS\n).*?(?=^\.SH )", re.MULTILINE | re.DOTALL)
TOPICS = re.compile(r"(?<=^\.SH TOPICS\n).*?(?=^\.SH )", re.MULTILINE | re.DOTALL)
_SHARED = {
    *("--help", "--json", "--agent", "--message", "--onto", "--tx", "--dry-run", "--no-land", "--wait"),
    *("--expect", "--base", "--query", "--node", "--match", "--kind", "--code", "--code-file"),
}
"""Options that the page describes once, outside of commands."""


def format_commands() -> str:
    """Return the section on commands."""
    lines: list[str] = []
    for heading in dict.fromkeys(verb.heading for verb in table.COMMANDS.values()):
        lines.append(f".SS {heading}")
        for verb in table.COMMANDS.values():
            lines += _format_command(verb) if verb.heading == heading else ()
    return "".join(f"{line}\n" for line in lines)


def format_topics() -> str:
    """Return the section on the pages of the documentation."""
    lines = [".B git scalpel help \\fITOPIC\\fR", "shows a page of the documentation:"]
    for file in sorted(PAGES.glob("*.md")):
        lines += [".TP", f".B {file.stem}", _escape(file.read_text("utf-8").split("\n")[2])]
    return "".join(f"{line}\n" for line in lines)


def _format_command(verb: CommandEntry) -> Iterator[str]:
    yield from (".TP", f".B {verb.name}", _escape(verb.help))
    for action in build_parser(verb).list_actions():
        if action.option_strings and not _SHARED.intersection(action.option_strings):
            yield from (".br", f"{_format_option_names(action)}: {_escape(str(action.help))}")


def _format_option_names(action: Action) -> str:
    names = ", ".join(f"\\fB{_escape(name)}\\fR" for name in action.option_strings)
    if action.nargs == 0:
        return names
    value = "|".join(map(str, action.choices)) if action.choices else action.metavar or action.dest.upper()
    return f"{names} \\fI{value}\\fR"


def _escape(words: str) -> str:
    return words.replace("\\", "\\e").replace("-", "\\-")


if __name__ == "__main__":
    before = PAGE.read_text("utf-8")
    with_commands = COMMANDS.sub(lambda _: format_commands(), before)
    PAGE.write_text(TOPICS.sub(lambda _: format_topics(), with_commands), "utf-8")
