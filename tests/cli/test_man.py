"""The man page lists what the command line has: its verbs and its exit statuses, no more and no less."""

from __future__ import annotations

import re

import pytest

from gitscalpel import errors
from tests.cli.manual import COMMANDS, PAGE, TOPICS, commands, topics

TEXT = PAGE.read_text("utf-8")


def _families(above: type[errors.ScalpelError]) -> set[int]:
    below = [_families(family) for family in above.__subclasses__()]
    return {above.exit_status}.union(*below)


def _section(name: str) -> str:
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH )", TEXT, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def test_the_commands_are_those_of_the_table() -> None:
    """``python -m tests.cli.manual`` renews them."""
    found = COMMANDS.search(TEXT)
    assert found
    assert found[0] == commands()


def test_the_topics_are_the_pages() -> None:
    """``python -m tests.cli.manual`` renews them."""
    found = TOPICS.search(TEXT)
    assert found
    assert found[0] == topics()


def test_every_exit_status_is_listed() -> None:
    listed = {int(number) for number in re.findall(r"^ *(\d+)  ", _section("EXIT STATUS"), re.MULTILINE)}
    assert listed == _families(errors.ScalpelError) | {0}


@pytest.mark.parametrize("line", TEXT.splitlines())
def test_it_is_plain_roff(line: str) -> None:
    """A line that begins with a dot is a known macro; an option's hyphen is written as a minus."""
    macro = re.match(r"[.'](\w*)", line)
    assert macro is None or macro[1] in {"TH", "SH", "SS", "TP", "PP", "B", "BR", "BI", "I", "nf", "fi", "br"}
    assert re.search(r"(?<!\\)--", line) is None
