"""The compiled client holds the same words as Python's: whoever changes one of them has to change both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitscalpel import __main__ as script
from gitscalpel.server import client

SOURCE = Path(__file__).parents[2] / "gitscalpel/server/client.c"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HERE", script.UNSERVED_COMMANDS),
        ("OPEN_FILES", script.DESCRIPTOR_PATHS),
        ("STARTS", client.STARTUP_VARIABLES),
        ("LOADS", client.LOADER_VARIABLES),
    ],
)
def test_its_lists_are_pythons(name: str, words: object) -> None:
    found = re.search(rf"\b{name}\[\] = {{([^}}]*)}}", SOURCE.read_text())
    assert found is not None
    assert set(re.findall(r'"([^"]*)"', found[1])) == set(words)  # type: ignore[call-overload]
