"""The manual page lists exactly the commands and exit statuses of the command line."""

from __future__ import annotations

import re

import pytest

from gitscalpel import errors
from tests.cli.manual import COMMANDS, PAGE, TOPICS, format_commands, format_topics

TEXT = PAGE.read_text("utf-8")


def _exit_statuses(root: type[errors.ScalpelError]) -> set[int]:
    statuses = [_exit_statuses(subclass) for subclass in root.__subclasses__()]
    return {root.exit_status}.union(*statuses)


def _section(name: str) -> str:
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH )", TEXT, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def test_manual_lists_the_commands() -> None:
    """Update the page with ``python -m tests.cli.manual``."""
    found = COMMANDS.search(TEXT)
    assert found
    assert found[0] == format_commands()


def test_manual_lists_the_topics() -> None:
    """Update the page with ``python -m tests.cli.manual``."""
    found = TOPICS.search(TEXT)
    assert found
    assert found[0] == format_topics()


def test_manual_lists_every_exit_status() -> None:
    listed = {int(number) for number in re.findall(r"^ *(\d+)  ", _section("EXIT STATUS"), re.MULTILINE)}
    assert listed == _exit_statuses(errors.ScalpelError) | {0}


@pytest.mark.parametrize("line", TEXT.splitlines())
def test_line_is_plain_roff(line: str) -> None:
    """A line that begins with a dot is a known macro, and hyphens of options are escaped."""
    macro = re.match(r"[.'](\w*)", line)
    assert macro is None or macro[1] in {"TH", "SH", "SS", "TP", "PP", "B", "BR", "BI", "I", "nf", "fi", "br"}
    assert re.search(r"(?<!\\)--", line) is None
