"""A definition that is exchanged for nothing is deleted; what is more or less than one is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.speaking import Speaker, speaking

CODE = """\
import os


# Adds.
@cached
def add(a, b):
    return a + b


class Box:
    def open(self):
        return os

    def shut(self):
        return None


def last():
    return 1
"""
ADD = "# Adds.\n@cached\ndef add(a, b):\n    return a + b\n"
BOX = CODE[CODE.index("class Box") : CODE.index("def last")]
OPEN = "    def open(self):\n        return os\n\n"
WAYS = {
    "anthropic": ("str_replace_based_edit_tool", "path", "old_str", "new_str", {"command": "str_replace"}),
    "claude-code": ("Edit", "file_path", "old_string", "new_string", {}),
}


@pytest.fixture(params=WAYS)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with speaking(tmp_path / "r", request.param) as speaker:
        (speaker.root / "shop.py").write_text(CODE)
        yield speaker, WAYS[request.param]


def _asked(way: tuple[Any, ...], old: str, new: str) -> dict[str, Any]:
    _, path, before, after, more = way
    return {path: "shop.py", before: old, after: new, **more}


@pytest.mark.parametrize("text", [ADD, f"{ADD}\n\n", f"\n{ADD}", BOX, f"{ADD}\n\n{BOX}", OPEN])
def test_whole_definitions_go(agent: tuple[Speaker, tuple[Any, ...]], text: str) -> None:
    speaker, way = agent
    speaker.told(way[0], **_asked(way, text, ""))
    left = CODE.replace(text.strip("\n"), "")
    assert "".join(speaker.read().split()) == "".join(left.split())
    assert "\n\n\n\n" not in speaker.read()


@pytest.mark.parametrize(
    "text",
    [
        ADD + "\n\nclass Box:\n",  # the class would lose its header
        "def add(a, b):\n    return a + b\n",  # its decorator would hold something else
        BOX.replace("        return None\n", "").rstrip() + "\n",
    ],
)
def test_what_is_no_whole_definition_stays(agent: tuple[Speaker, tuple[Any, ...]], text: str) -> None:
    speaker, way = agent
    speaker.refused(way[0], **_asked(way, text, ""))


def test_what_comes_in_its_place_is_judged_as_ever(agent: tuple[Speaker, tuple[Any, ...]]) -> None:
    speaker, way = agent
    speaker.refused(way[0], **_asked(way, ADD, "# gone\n\n"))


def test_line_endings_do_not_decide_what_is_whole(agent: tuple[Speaker, tuple[Any, ...]]) -> None:
    speaker, way = agent
    (speaker.root / "shop.py").write_bytes(CODE.replace("\n", "\r\n").encode())
    speaker.told(way[0], **_asked(way, ADD, ""))
    assert b"def add" not in (speaker.root / "shop.py").read_bytes()


def test_a_line_alone_gives_a_definition_another_name(agent: tuple[Speaker, tuple[Any, ...]]) -> None:
    """As the refusal of more than a line says."""
    speaker, way = agent
    old, new = "def last():\n    return 1", "def final():\n    return 1"
    assert "rename it" in speaker.refused(way[0], **_asked(way, old, new))
    speaker.told(way[0], **_asked(way, old.splitlines()[0], new.splitlines()[0]))
    assert speaker.read() == CODE.replace(old, new)
