"""The compiled client has the same lists as the Python client. A change of one needs a change of both."""

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
def test_lists_match_the_python_client(name: str, words: object) -> None:
    match = re.search(rf"\b{name}\[\] = {{([^}}]*)}}", SOURCE.read_text())
    assert match is not None
    assert set(re.findall(r'"([^"]*)"', match[1])) == set(words)  # type: ignore[call-overload]
