"""Tools ``Read``, ``Edit``, ``MultiEdit`` and ``Write`` as Claude Code calls them."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.dialect_server import CODE, serve_dialects


def test_read_numbers_lines_and_continues_at_offset(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code") as agent:
        whole = agent.call("Read", file_path=str(agent.root / "shop.py"))
        assert whole.splitlines()[3] == "     4\t    def total(self):"
        assert len(whole.splitlines()) == CODE.count("\n")
        part = agent.call("Read", file_path="shop.py", offset=4, limit=2)
        assert (
            part
            == "     4\t    def total(self):\n     5\t        return 1\n(7 more lines: read on with offset 6)"
        )
        agent.call("Write", file_path="long.txt", content="a" * 2007 + "\n")
        assert agent.call("Read", file_path="long.txt").endswith("aaa (7 more characters)")
        assert "13 lines" not in agent.call("Read", file_path="shop.py", offset=12)
        assert agent.call("Read", file_path="shop.py", offset=99).endswith(
            "12 lines, fewer than the offset 99."
        )
        assert agent.call("Read", file_path="shop.py", limit=1, pages="").startswith("     1\tclass Cart:")
        assert agent.call_error("Read", file_path="gone.py").startswith("Error: File not found")


def test_edit_replaces_a_unique_text(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code") as agent:
        path = str(agent.root / "shop.py")
        output = agent.call("Edit", file_path=path, old_string="return 1", new_string="return 7")
        assert output.splitlines()[0] == f"The file {path} has been updated. It reads now:"
        assert "     5\t        return 7" in output.splitlines()
        assert agent.read() == CODE.replace("return 1", "return 7")


def test_edit_lists_the_lines_of_a_repeated_text(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code") as agent:
        arguments = {"file_path": "shop.py", "old_string": "total()", "new_string": "sum()"}
        assert agent.call_error("Edit", **arguments).startswith(
            "Error: old_string occurs 2 times in shop.py, at lines 8, 12. Nothing was replaced."
        )
        assert len(agent.call("Edit", **arguments, replace_all=True).splitlines()) == 1
        assert agent.read() == CODE.replace("total()", "sum()")
        error = agent.call_error("Edit", file_path="shop.py", old_string="nowhere", new_string="x")
        assert error.startswith(
            "Error: old_string was not found in shop.py. Nothing was replaced.\nread it with `Read`"
        )
        error = agent.call_error(
            "Edit", file_path="shop.py", old_string="    def totals(self):", new_string="x"
        )
        assert "Nothing was replaced. Nearest: line 4: def total(self):" in error
        assert "the same" in agent.call_error("Edit", file_path="shop.py", old_string="tax", new_string="tax")
        assert "File not found" in agent.call_error(
            "Edit", file_path="gone.py", old_string="a", new_string="b"
        )
        assert "needs new_string" in agent.call_error("Edit", file_path="shop.py", old_string="tax")


def test_edit_without_old_string_creates_but_does_not_overwrite(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "claude-code") as agent:
        assert "created" in agent.call("Edit", file_path="new.txt", old_string="", new_string="a\n")
        assert agent.read("new.txt") == "a\n"
        assert "exists" in agent.call_error("Edit", file_path="new.txt", old_string="", new_string="b\n")
        agent.call("Write", file_path="new.txt", content="")
        filled = [{"old_string": "", "new_string": "b\n"}, {"old_string": "b", "new_string": "c"}]
        agent.call("MultiEdit", file_path="new.txt", edits=filled)
        assert agent.read("new.txt") == "c\n"
        assert "edits is empty" in agent.call_error("MultiEdit", file_path="new.txt", edits=[])


def test_multiedit_applies_edits_in_order_and_atomically(tmp_path: Path) -> None:
    first = {"old_string": "return 1", "new_string": "return 2"}
    with serve_dialects(tmp_path / "r", "claude-code") as agent:
        second = {"old_string": "return 2", "new_string": "return 3"}
        assert agent.call("MultiEdit", file_path="shop.py", edits=[first, second]).startswith(
            "Applied 2 edits"
        )
        assert agent.read() == CODE.replace("return 1", "return 3")
        wrong = [{"old_string": "return 3", "new_string": "return 4"}, first]
        error = agent.call_error("MultiEdit", file_path="shop.py", edits=wrong)
        assert error.startswith("Error: edits[1]: old_string was not found in shop.py. Nothing was replaced.")


def test_write_creates_or_overwrites_and_can_be_undone(tmp_path: Path) -> None:
    options = ("--allow-edit", "--tools", "all,undo")
    with serve_dialects(tmp_path / "r", "claude-code", options=options) as agent:
        assert agent.call("Write", file_path="a/b.txt", content="x\n").startswith(
            "The file a/b.txt has been created."
        )
        assert "shop.py has been overwritten." in agent.call("Write", file_path="shop.py", content="x = 1\n")
        assert (agent.read("a/b.txt"), agent.read()) == ("x\n", "x = 1\n")
        agent.client.call("undo")
        assert agent.read() == CODE
        assert "has exactly this content" in agent.call_error("Write", file_path="shop.py", content=CODE)
        assert "syntax_error" not in agent.call_error("Write", file_path="shop.py", content="def (\n")
