"""Read, Edit, MultiEdit and Write as Claude Code calls them."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.speaking import CODE, speaking


def test_read_numbers_lines_and_goes_on_where_it_is_told(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code") as agent:
        whole = agent.told("Read", file_path=str(agent.root / "shop.py"))
        assert whole.splitlines()[3] == "     4\t    def total(self):"
        assert len(whole.splitlines()) == CODE.count("\n")
        part = agent.told("Read", file_path="shop.py", offset=4, limit=2)
        assert (
            part
            == "     4\t    def total(self):\n     5\t        return 1\n(7 more lines: read on with offset 6)"
        )
        agent.told("Write", file_path="long.txt", content="a" * 2007 + "\n")
        assert agent.told("Read", file_path="long.txt").endswith("aaa (7 more characters)")
        assert "13 lines" not in agent.told("Read", file_path="shop.py", offset=12)
        assert agent.told("Read", file_path="shop.py", offset=99).endswith(
            "12 lines, fewer than the offset 99."
        )
        assert agent.told("Read", file_path="shop.py", limit=1, pages="").startswith("     1\tclass Cart:")
        assert agent.refused("Read", file_path="gone.py").startswith("Error: File not found")


def test_edit_replaces_what_stands_there_once(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code") as agent:
        path = str(agent.root / "shop.py")
        told = agent.told("Edit", file_path=path, old_string="return 1", new_string="return 7")
        assert told.splitlines()[0] == f"The file {path} has been updated. It reads now:"
        assert "     5\t        return 7" in told.splitlines()
        assert agent.read() == CODE.replace("return 1", "return 7")


def test_edit_says_where_a_text_stands_that_is_not_unique(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code") as agent:
        given = {"file_path": "shop.py", "old_string": "total()", "new_string": "sum()"}
        assert agent.refused("Edit", **given).startswith(
            "Error: old_string occurs 2 times in shop.py, at lines 8, 12. Nothing was replaced."
        )
        assert len(agent.told("Edit", **given, replace_all=True).splitlines()) == 1
        assert agent.read() == CODE.replace("total()", "sum()")
        said = agent.refused("Edit", file_path="shop.py", old_string="nowhere", new_string="x")
        assert said.startswith(
            "Error: old_string was not found in shop.py. Nothing was replaced.\nread it with `Read`"
        )
        said = agent.refused("Edit", file_path="shop.py", old_string="    def totals(self):", new_string="x")
        assert "Nothing was replaced. Nearest: line 4: def total(self):" in said
        assert "the same" in agent.refused("Edit", file_path="shop.py", old_string="tax", new_string="tax")
        assert "File not found" in agent.refused("Edit", file_path="gone.py", old_string="a", new_string="b")
        assert "needs new_string" in agent.refused("Edit", file_path="shop.py", old_string="tax")


def test_edit_without_old_text_makes_a_file_and_overwrites_none(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "claude-code") as agent:
        assert "created" in agent.told("Edit", file_path="new.txt", old_string="", new_string="a\n")
        assert agent.read("new.txt") == "a\n"
        assert "exists" in agent.refused("Edit", file_path="new.txt", old_string="", new_string="b\n")
        agent.told("Write", file_path="new.txt", content="")
        filled = [{"old_string": "", "new_string": "b\n"}, {"old_string": "b", "new_string": "c"}]
        agent.told("MultiEdit", file_path="new.txt", edits=filled)
        assert agent.read("new.txt") == "c\n"
        assert "edits is empty" in agent.refused("MultiEdit", file_path="new.txt", edits=[])


def test_several_edits_happen_on_one_another_or_not_at_all(tmp_path: Path) -> None:
    first = {"old_string": "return 1", "new_string": "return 2"}
    with speaking(tmp_path / "r", "claude-code") as agent:
        then = {"old_string": "return 2", "new_string": "return 3"}
        assert agent.told("MultiEdit", file_path="shop.py", edits=[first, then]).startswith("Applied 2 edits")
        assert agent.read() == CODE.replace("return 1", "return 3")
        wrong = [{"old_string": "return 3", "new_string": "return 4"}, first]
        said = agent.refused("MultiEdit", file_path="shop.py", edits=wrong)
        assert said.startswith("Error: edits[1]: old_string was not found in shop.py. Nothing was replaced.")


def test_write_makes_a_file_or_overwrites_it_and_that_can_be_undone(tmp_path: Path) -> None:
    options = ("--allow-edit", "--tools", "all,undo")
    with speaking(tmp_path / "r", "claude-code", options=options) as agent:
        assert agent.told("Write", file_path="a/b.txt", content="x\n").startswith(
            "The file a/b.txt has been created."
        )
        assert "shop.py has been overwritten." in agent.told("Write", file_path="shop.py", content="x = 1\n")
        assert (agent.read("a/b.txt"), agent.read()) == ("x\n", "x = 1\n")
        agent.client.call("undo")
        assert agent.read() == CODE
        assert "has exactly this content" in agent.refused("Write", file_path="shop.py", content=CODE)
        assert "syntax_error" not in agent.refused("Write", file_path="shop.py", content="def (\n")
