"""Tools of codescout for text and symbols."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.dialect_server import CODE, USER, apply_call, serve_dialects

BODY = "    def total(self):\n        return 7"


def test_symbol_tools_replace_insert_remove_and_rename(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        output = agent.call("replace_symbol", name_path="Cart/total", path="shop.py", new_body=BODY)
        assert output == "ok: Cart/total replaced, lines 4-5"
        code = CODE.replace("return 1", "return 7")
        assert agent.read() == code
        new = "def half(cart):\n    return 0"
        agent.call("insert_code", name_path="tax", path="shop.py", code=new, position="before")
        agent.call("insert_code", name_path="tax", path="shop.py", code=new.replace("half", "most"))
        before, tax = code.split("def tax")
        assert agent.read() == f"{before}{new}\n\n\ndef tax{tax}\n\n{new.replace('half', 'most')}\n"
        for name in ("half", "most"):
            agent.call("remove_symbol", name_path=name, path="shop.py")
        assert agent.read() == code
        renamed = agent.call("rename_symbol", name_path="tax", path="shop.py", new_name="vat")
        assert renamed.splitlines() == ["ok: tax is vat now, in 2 files", "  shop.py", "  user.py"]
        assert (agent.read(), agent.read("user.py")) == (
            code.replace("tax", "vat"),
            USER.replace("tax", "vat"),
        )


def test_edit_code_covers_the_four_symbol_tools(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        at = {"path": "shop.py", "symbol": "tax"}
        agent.call(
            "edit_code", **at, action="insert", body="def half(cart):\n    return 0", position="before"
        )
        agent.call(
            "edit_code", path="shop.py", symbol="half", action="replace", body="def half(cart):\n    return 1"
        )
        assert "def half(cart):\n    return 1\n\n\ndef tax" in agent.read()
        agent.call("edit_code", path="shop.py", symbol="half", action="remove")
        assert agent.read() == CODE
        assert agent.call("edit_code", **at, action="rename", new_name="vat").startswith("ok: tax is vat now")
        assert "action replace needs body" in agent.call_error(
            "edit_code", **{**at, "symbol": "vat"}, action="replace"
        )


def test_parameter_names_of_earlier_versions_are_accepted(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        assert "symbol" in agent.client.tools()["remove_symbol"]["inputSchema"]["required"]
        agent.call("replace_symbol", symbol="Cart/total", path="shop.py", new_code=BODY)
        assert agent.read() == CODE.replace("return 1", "return 7")
        agent.call("edit_file", file_path="shop.py", old_string="return 7", new_string="return 8")
        assert agent.read() == CODE.replace("return 1", "return 8")
        both = {"symbol": "Cart/total", "name_path": "tax", "path": "shop.py"}
        assert "has no parameter name_path" in agent.call_error("remove_symbol", **both)


def test_refusals_use_the_wording_of_codescout(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        missing = agent.call_error("replace_symbol", name_path="Cart/sum", path="shop.py", new_body=BODY)
        assert missing.startswith("error: no such symbol in this file: Cart.sum")
        assert "error:" in agent.call_error("replace_symbol", name_path="tax", path="shop.py", new_body=BODY)
        assert "needs new_body" in agent.call_error("replace_symbol", name_path="tax", path="shop.py")
        assert "edits is empty" in agent.call_error("edit_file", path="shop.py", edits=[])
        found = agent.call_error("edit_file", path="shop.py", old_string="total()", new_string="sum()")
        assert found.startswith("error: old_string occurs 2 times in shop.py, at lines 8, 12.")


def test_structure_gate_is_always_strict(tmp_path: Path) -> None:
    header = {
        "old_string": "def total(self):\n        return 1",
        "new_string": "def total(self):\n        return 7",
    }
    with serve_dialects(tmp_path / "r", "codescout", "claude-code") as agent:
        error = agent.call_error("edit_file", path="shop.py", **header)
        assert error.startswith("edit_file blocked:")
        assert "replace_symbol" in error
        removed = agent.call_error(
            "edit_file", path="shop.py", old_string=CODE[CODE.index("\n\ndef tax") :], new_string=""
        )
        assert "Use remove_symbol" in removed
        agent.call("edit_file", path="shop.py", old_string="return 1", new_string="return 6")
        agent.call(
            "Edit", file_path="shop.py", **{n: s.replace("return 1", "return 6") for n, s in header.items()}
        )
        assert agent.read() == CODE.replace("return 1", "return 7")


def test_edit_file_prepends_appends_and_replaces_several_texts(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        agent.call("edit_file", path="shop.py", insert="prepend", new_string="# top\n")
        agent.call("edit_file", path="shop.py", insert="append", new_string="# end\n")
        edits = [{"old_string": "# top", "new_string": "# 1"}, {"old_string": "# end", "new_string": "# 2"}]
        agent.call("edit_file", path="shop.py", edits=edits)
        assert agent.read() == f"# 1\n{CODE}# 2\n"
        assert "nothing to edit" in agent.call_error("edit_file", path="shop.py", new_string="x")


def test_apply_accepts_codescout_calls(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        call = {
            "name": "replace_symbol",
            "arguments": {"name_path": "Cart/total", "path": "shop.py", "new_body": BODY},
        }
        rename = {
            "name": "rename_symbol",
            "input": {"name_path": "tax", "path": "shop.py", "new_name": "vat"},
        }
        assert apply_call(agent.root, [call, rename])["ok"]
        assert agent.read() == CODE.replace("return 1", "return 7").replace("tax", "vat")


def test_renaming_replacement_suggests_rename_symbol(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        body = "def levy(price):\n    return price"
        error = agent.call_error("replace_symbol", symbol="tax", path="shop.py", new_body=body)
        assert "`rename_symbol` gives" in error.splitlines()[1]


def test_single_line_edit_passes_the_structure_gate(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "codescout") as agent:
        agent.call(
            "edit_file", path="shop.py", old_string="def tax(cart):", new_string="def tax(cart, rate=2):"
        )
        agent.call("edit_file", path="shop.py", insert="append", new_string="END = 1\n")
        agent.call(
            "edit_file", path="shop.py", insert="append", new_string="\n\ndef end():\n    return END\n"
        )
        pairs = [
            {"old_string": "def empty(self):", "new_string": "def is_empty(self):"},
            {"old_string": "        return 1", "new_string": "        one = 1\n        return one"},
        ]
        agent.call("edit_file", path="shop.py", edits=pairs)
        assert "is_empty" in agent.read()
        many = "def is_empty(self):\n        return not self.total()"
        error = agent.call_error(
            "edit_file", path="shop.py", old_string=many, new_string=many.replace("not ", "")
        )
        assert "Use replace_symbol," in error
        more = f"{many}\n\n    def full(self):\n        return True"
        assert "Use insert_code or replace_symbol," in agent.call_error(
            "edit_file", path="shop.py", old_string=many, new_string=more
        )
        assert "Use remove_symbol," in agent.call_error(
            "edit_file", path="shop.py", old_string=many, new_string=""
        )
