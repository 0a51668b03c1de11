"""Replacing a whole definition by nothing deletes it; parts of definitions are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.dialect_server import DialectAgent, serve_dialects

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
TOOLS = {
    "anthropic": ("str_replace_based_edit_tool", "path", "old_str", "new_str", {"command": "str_replace"}),
    "claude-code": ("Edit", "file_path", "old_string", "new_string", {}),
}


@pytest.fixture(params=TOOLS)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with serve_dialects(tmp_path / "r", request.param) as speaker:
        (speaker.root / "shop.py").write_text(CODE)
        yield speaker, TOOLS[request.param]


def _make_arguments(tool: tuple[Any, ...], old: str, new: str) -> dict[str, Any]:
    _, path, before, after, more = tool
    return {path: "shop.py", before: old, after: new, **more}


@pytest.mark.parametrize("text", [ADD, f"{ADD}\n\n", f"\n{ADD}", BOX, f"{ADD}\n\n{BOX}", OPEN])
def test_whole_definition_is_deleted(agent: tuple[DialectAgent, tuple[Any, ...]], text: str) -> None:
    speaker, tool = agent
    speaker.call(tool[0], **_make_arguments(tool, text, ""))
    expected = CODE.replace(text.strip("\n"), "")
    assert "".join(speaker.read().split()) == "".join(expected.split())
    assert "\n\n\n\n" not in speaker.read()


@pytest.mark.parametrize(
    "text",
    [
        ADD + "\n\nclass Box:\n",  # the class would lose its header
        "def add(a, b):\n    return a + b\n",  # its decorator would hold something else
        BOX.replace("        return None\n", "").rstrip() + "\n",
    ],
)
def test_part_of_a_definition_is_refused(agent: tuple[DialectAgent, tuple[Any, ...]], text: str) -> None:
    speaker, tool = agent
    speaker.call_error(tool[0], **_make_arguments(tool, text, ""))


def test_replacement_by_a_comment_is_refused(agent: tuple[DialectAgent, tuple[Any, ...]]) -> None:
    speaker, tool = agent
    speaker.call_error(tool[0], **_make_arguments(tool, ADD, "# gone\n\n"))


def test_definition_with_crlf_is_deleted(agent: tuple[DialectAgent, tuple[Any, ...]]) -> None:
    speaker, tool = agent
    (speaker.root / "shop.py").write_bytes(CODE.replace("\n", "\r\n").encode())
    speaker.call(tool[0], **_make_arguments(tool, ADD, ""))
    assert b"def add" not in (speaker.root / "shop.py").read_bytes()


def test_definition_is_renamed_by_a_single_line(agent: tuple[DialectAgent, tuple[Any, ...]]) -> None:
    """The refusal of a multi-line edit suggests this."""
    speaker, tool = agent
    old, new = "def last():\n    return 1", "def final():\n    return 1"
    assert "rename it" in speaker.call_error(tool[0], **_make_arguments(tool, old, new))
    speaker.call(tool[0], **_make_arguments(tool, old.splitlines()[0], new.splitlines()[0]))
    assert speaker.read() == CODE.replace(old, new)
