"""The man page lists what the command line has: its verbs and its exit statuses, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import errors
from gitscalpel.cli.app import VERBS

PAGE = (Path(gitscalpel.__file__).parent / "man" / "git-scalpel.1").read_text("utf-8")


def _families(above: type[errors.ScalpelError]) -> set[int]:
    below = [_families(family) for family in above.__subclasses__()]
    return {above.exit_status}.union(*below)


def _section(name: str) -> str:
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH )", PAGE, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def test_every_verb_stands_under_its_heading() -> None:
    listed, heading = {}, ""
    for macro, word in re.findall(r"^\.(SS|B) (.+)$", _section("COMMANDS"), re.MULTILINE):
        if macro == "SS":
            heading = word
        else:
            listed[word] = heading
    assert list(listed.items()) == list(VERBS.items())


def test_every_exit_status_is_listed() -> None:
    listed = {int(number) for number in re.findall(r"^ *(\d+)  ", _section("EXIT STATUS"), re.MULTILINE)}
    assert listed == _families(errors.ScalpelError) | {0}


@pytest.mark.parametrize("line", PAGE.splitlines())
def test_it_is_plain_roff(line: str) -> None:
    """A line that begins with a dot is a known macro; an option's hyphen is written as a minus."""
    macro = re.match(r"[.'](\w*)", line)
    assert macro is None or macro[1] in {"TH", "SH", "SS", "TP", "PP", "B", "BR", "BI", "I", "nf", "fi"}
    assert re.search(r"(?<!\\)--", line) is None
