"""Text editor tool of Anthropic's API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.adapters.dialect_server import CODE, DialectAgent, serve_dialects

TOOL = "str_replace_based_edit_tool"


def call(agent: DialectAgent, command: str, **arguments: Any) -> str:
    return agent.call(TOOL, command=command, **arguments)


def call_refused(agent: DialectAgent, command: str, **arguments: Any) -> str:
    return agent.call_error(TOOL, command=command, **arguments)


def test_view_shows_numbered_lines_and_two_levels_of_directories(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "anthropic") as agent:
        assert call(agent, "view", path="shop.py").splitlines()[0] == "     1\tclass Cart:"
        assert (
            call(agent, "view", path="shop.py", view_range=[12, -1]) == "    12\t    return cart.total() * 2"
        )
        call(agent, "create", path="a/b/c.txt", file_text="c\n")
        call(agent, "create", path=".hidden", file_text="c\n")
        assert call(agent, "view", path=str(agent.root)).splitlines()[1:] == ["a/b/", "shop.py", "user.py"]
        assert call(agent, "view", path="a").splitlines()[1:] == ["b/c.txt"]
        assert "12 lines" in call_refused(agent, "view", path="shop.py", view_range=[5, 40])
        assert call_refused(agent, "view", path="gone.py").startswith("Error: File not found: gone.py\n")


def test_str_replace_requires_exactly_one_occurrence(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "anthropic") as agent:
        output = call(agent, "str_replace", path="shop.py", old_str="return 1", new_str="return 7")
        assert output.splitlines()[0] == "Replaced the text at exactly one place in shop.py:"
        assert agent.read() == CODE.replace("return 1", "return 7")
        call(agent, "str_replace", path="shop.py", old_str=" * 2")
        assert agent.read() == CODE.replace("return 1", "return 7").replace(" * 2", "")
        found = call_refused(agent, "str_replace", path="shop.py", old_str="total()", new_str="x")
        assert found.startswith("Error: old_str occurs 2 times in shop.py, at lines 8, 12.")
        missing = call_refused(agent, "str_replace", path="shop.py", old_str="nowhere", new_str="x")
        assert missing.splitlines()[0] == "Error: old_str was not found in shop.py. Nothing was replaced."
        same = call_refused(agent, "str_replace", path="shop.py", old_str="return 7", new_str="return 7")
        assert same.splitlines()[0] == "Error: Nothing to change: the replacement leaves the file as it is."
        empty = call_refused(agent, "str_replace", path="shop.py", old_str="", new_str="x")
        assert (
            empty.splitlines()[0] == "Error: old_str is empty, so it matches no text. Nothing was replaced."
        )
        assert "needs old_str" in call_refused(agent, "str_replace", path="shop.py", new_str="x")


def test_insert_adds_lines_after_a_line(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "anthropic") as agent:
        call(agent, "insert", path="shop.py", insert_line=0, insert_text="import os\n")
        call(agent, "insert", path="shop.py", insert_line=13, insert_text="# the end")
        assert agent.read() == f"import os\n{CODE}# the end\n"
        call(agent, "insert", path="shop.py", insert_line=1, insert_text="import re")
        assert agent.read() == f"import os\nimport re\n{CODE}# the end\n"
        assert "is not a line" in call_refused(
            agent, "insert", path="shop.py", insert_line=-1, insert_text="x"
        )
        assert "needs insert_text" in call_refused(agent, "insert", path="shop.py", insert_line=1)
        assert "99" in call_refused(agent, "insert", path="shop.py", insert_line=99, insert_text="x")


def test_create_does_not_overwrite(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "anthropic") as agent:
        assert call(agent, "create", path="n.py", file_text="n = 1\n") == "The file n.py has been created."
        assert agent.read("n.py") == "n = 1\n"
        error = call_refused(agent, "create", path="shop.py", file_text="n = 1\n")
        assert error.splitlines()[0] == "Error: File already exists: shop.py. create does not overwrite it."
        assert "Permission denied" in call_refused(agent, "create", path="../n.py", file_text="n")
        outside = call_refused(agent, "view", path="/elsewhere/n.py")
        assert outside.splitlines() == [
            "Error: Permission denied: '/elsewhere/n.py' is refused: it is outside the repository",
            "give a path inside the repository",
        ]
        assert "one of view, create" in call_refused(agent, "undo_edit", path="shop.py")
