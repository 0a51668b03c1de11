"""codescout's edits of text and of symbols."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.speaking import CODE, USER, applied, speaking

BODY = "    def total(self):\n        return 7"


def test_symbols_are_replaced_inserted_removed_and_renamed(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        said = agent.told("replace_symbol", name_path="Cart/total", path="shop.py", new_body=BODY)
        assert said == "ok: Cart/total replaced, lines 4-5"
        code = CODE.replace("return 1", "return 7")
        assert agent.read() == code
        new = "def half(cart):\n    return 0"
        agent.told("insert_code", name_path="tax", path="shop.py", code=new, position="before")
        agent.told("insert_code", name_path="tax", path="shop.py", code=new.replace("half", "most"))
        before, tax = code.split("def tax")
        assert agent.read() == f"{before}{new}\n\n\ndef tax{tax}\n\n{new.replace('half', 'most')}\n"
        for name in ("half", "most"):
            agent.told("remove_symbol", name_path=name, path="shop.py")
        assert agent.read() == code
        renamed = agent.told("rename_symbol", name_path="tax", path="shop.py", new_name="vat")
        assert renamed.splitlines() == ["ok: tax is vat now, in 2 files", "  shop.py", "  user.py"]
        assert (agent.read(), agent.read("user.py")) == (
            code.replace("tax", "vat"),
            USER.replace("tax", "vat"),
        )


def test_one_tool_does_what_four_do(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        at = {"path": "shop.py", "symbol": "tax"}
        agent.told(
            "edit_code", **at, action="insert", body="def half(cart):\n    return 0", position="before"
        )
        agent.told(
            "edit_code", path="shop.py", symbol="half", action="replace", body="def half(cart):\n    return 1"
        )
        assert "def half(cart):\n    return 1\n\n\ndef tax" in agent.read()
        agent.told("edit_code", path="shop.py", symbol="half", action="remove")
        assert agent.read() == CODE
        assert agent.told("edit_code", **at, action="rename", new_name="vat").startswith("ok: tax is vat now")
        assert "action replace needs body" in agent.refused(
            "edit_code", **{**at, "symbol": "vat"}, action="replace"
        )


def test_parameters_are_taken_by_the_names_of_earlier_versions(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        assert "symbol" in agent.client.tools()["remove_symbol"]["inputSchema"]["required"]
        agent.told("replace_symbol", symbol="Cart/total", path="shop.py", new_code=BODY)
        assert agent.read() == CODE.replace("return 1", "return 7")
        agent.told("edit_file", file_path="shop.py", old_string="return 7", new_string="return 8")
        assert agent.read() == CODE.replace("return 1", "return 8")
        both = {"symbol": "Cart/total", "name_path": "tax", "path": "shop.py"}
        assert "has no parameter name_path" in agent.refused("remove_symbol", **both)


def test_what_does_not_fit_is_refused_in_its_words(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        gone = agent.refused("replace_symbol", name_path="Cart/sum", path="shop.py", new_body=BODY)
        assert gone.startswith("error: there is no symbol Cart.sum")
        assert "error:" in agent.refused("replace_symbol", name_path="tax", path="shop.py", new_body=BODY)
        assert "needs new_body" in agent.refused("replace_symbol", name_path="tax", path="shop.py")
        assert "edits is empty" in agent.refused("edit_file", path="shop.py", edits=[])
        found = agent.refused("edit_file", path="shop.py", old_string="total()", new_string="sum()")
        assert found.startswith("error: old_string occurs 2 times in shop.py, at lines 8, 12.")


def test_the_gate_is_strict_whatever_the_repository_says(tmp_path: Path) -> None:
    header = {
        "old_string": "def total(self):\n        return 1",
        "new_string": "def total(self):\n        return 7",
    }
    with speaking(tmp_path / "r", "codescout", "claude-code") as agent:
        said = agent.refused("edit_file", path="shop.py", **header)
        assert said.startswith("edit_file blocked:")
        assert "replace_symbol" in said
        removed = agent.refused(
            "edit_file", path="shop.py", old_string=CODE[CODE.index("\n\ndef tax") :], new_string=""
        )
        assert "Use remove_symbol" in removed
        agent.told("edit_file", path="shop.py", old_string="return 1", new_string="return 6")
        agent.told(
            "Edit", file_path="shop.py", **{n: s.replace("return 1", "return 6") for n, s in header.items()}
        )
        assert agent.read() == CODE.replace("return 1", "return 7")


def test_a_file_is_edited_at_its_ends_and_at_several_places(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        agent.told("edit_file", path="shop.py", insert="prepend", new_string="# top\n")
        agent.told("edit_file", path="shop.py", insert="append", new_string="# end\n")
        edits = [{"old_string": "# top", "new_string": "# 1"}, {"old_string": "# end", "new_string": "# 2"}]
        agent.told("edit_file", path="shop.py", edits=edits)
        assert agent.read() == f"# 1\n{CODE}# 2\n"
        assert "nothing to edit" in agent.refused("edit_file", path="shop.py", new_string="x")


def test_its_calls_are_applied(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        call = {
            "name": "replace_symbol",
            "arguments": {"name_path": "Cart/total", "path": "shop.py", "new_body": BODY},
        }
        rename = {
            "name": "rename_symbol",
            "input": {"name_path": "tax", "path": "shop.py", "new_name": "vat"},
        }
        assert applied(agent.root, [call, rename])["ok"]
        assert agent.read() == CODE.replace("return 1", "return 7").replace("tax", "vat")


def test_another_name_is_refused_with_the_tool_that_gives_it(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        body = "def levy(price):\n    return price"
        said = agent.refused("replace_symbol", symbol="tax", path="shop.py", new_body=body)
        assert "`rename_symbol` gives" in said.splitlines()[1]


def test_a_single_line_passes_whatever_it_does_to_a_definition(tmp_path: Path) -> None:
    with speaking(tmp_path / "r", "codescout") as agent:
        agent.told(
            "edit_file", path="shop.py", old_string="def tax(cart):", new_string="def tax(cart, rate=2):"
        )
        agent.told("edit_file", path="shop.py", insert="append", new_string="END = 1\n")
        agent.told(
            "edit_file", path="shop.py", insert="append", new_string="\n\ndef end():\n    return END\n"
        )
        pairs = [
            {"old_string": "def empty(self):", "new_string": "def is_empty(self):"},
            {"old_string": "        return 1", "new_string": "        one = 1\n        return one"},
        ]
        agent.told("edit_file", path="shop.py", edits=pairs)
        assert "is_empty" in agent.read()
        many = "def is_empty(self):\n        return not self.total()"
        said = agent.refused(
            "edit_file", path="shop.py", old_string=many, new_string=many.replace("not ", "")
        )
        assert "Use replace_symbol," in said
        more = f"{many}\n\n    def full(self):\n        return True"
        assert "Use insert_code or replace_symbol," in agent.refused(
            "edit_file", path="shop.py", old_string=many, new_string=more
        )
        assert "Use remove_symbol," in agent.refused(
            "edit_file", path="shop.py", old_string=many, new_string=""
        )
