"""Serena's tools for symbols, patterns and files, with lines counted from 0."""

from __future__ import annotations

import json
from pathlib import Path

from tests.adapters.dialect_server import CODE, USER, apply_call, serve_dialects

AT = {"relative_path": "shop.py"}


def test_symbols_are_listed_and_found_by_name_path(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        assert json.loads(agent.call("get_symbols_overview", **AT)) == {
            "Class": ["Cart"],
            "Function": ["tax"],
        }
        deep = json.loads(agent.call("get_symbols_overview", **AT, depth=1))
        assert deep["Class"] == [{"Cart": {"Method": ["total", "empty"]}}]
        found = json.loads(agent.call("find_symbol", name_path_pattern="Cart/total", include_body=True))
        assert found == [
            {
                "name_path": "Cart/total",
                "kind": "Method",
                "body_location": {"start_line": 3, "end_line": 4},
                "relative_path": "shop.py",
                "body": "def total(self):\n        return 1",
            }
        ]
        cart = json.loads(agent.call("find_symbol", name_path_pattern="/Cart", depth=1))
        assert [row["children"] for row in cart] == [{"Method": ["total", "empty"]}]
        assert (
            json.loads(agent.call("find_symbol", name_path="/Cart", depth=1)) == cart
        )  # as it was called once
        assert json.loads(agent.call("find_symbol", name_path_pattern="/total")) == []
        assert json.loads(agent.call("find_symbol", name_path_pattern="Other/total")) == []
        part = {"name_path_pattern": "t", "substring_matching": True}
        assert len(json.loads(agent.call("find_symbol", **part))) == 4
        assert len(json.loads(agent.call("find_symbol", **part, include_kinds=[12]))) == 1
        assert agent.call("find_symbol", **part, max_matches=1).startswith("4 symbols match, more than 1:")
        assert agent.call("find_symbol", **part, max_answer_chars=20).startswith("Too long.")


def test_references_are_listed_with_surrounding_lines(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        uses = json.loads(agent.call("find_referencing_symbols", name_path="Cart/total", **AT))["shop.py"]
        assert [(use["name_path"], use["reference_line"]) for use in uses] == [("Cart/empty", 7), ("tax", 11)]
        assert ">   7:        return not self.total()" in uses[0]["content_around_reference"]
        assert ["unsure" in use for use in uses] == [False, True]
        assert [*json.loads(agent.call("find_referencing_symbols", name_path="tax", **AT))] == ["user.py"]


def test_patterns_are_searched_and_files_read(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        arguments = {"substring_pattern": r"tax\(", "multiline": False}
        found = json.loads(agent.call("search_for_pattern", **arguments))
        assert found == {"shop.py": ["  >  10:def tax(cart):"], "user.py": ["  >   2:print(tax(None))"]}
        assert [*json.loads(agent.call("search_for_pattern", **arguments, paths_exclude_glob="user.*"))] == [
            "shop.py"
        ]
        assert [*json.loads(agent.call("search_for_pattern", **arguments, paths_include_glob="u*.py"))] == [
            "user.py"
        ]
        assert [
            *json.loads(
                agent.call("search_for_pattern", **arguments, paths_include_glob="{s*,x{y,z}}.{py,js}")
            )
        ] == ["shop.py"]
        below = {"relative_path": "shop.py", "context_lines_after": 1}
        around = json.loads(agent.call("search_for_pattern", **below, substring_pattern="^def"))
        assert around["shop.py"] == ["  >  10:def tax(cart):\n...  11:    return cart.total() * 2"]
        one = {**below, "multiline": False}
        for pattern, is_found in (
            ("^def", False),
            ("(?m)^def", True),
            ("^class", True),
            ("(?i)^CLASS", True),
        ):
            found = json.loads(agent.call("search_for_pattern", **one, substring_pattern=pattern))
            assert bool(found) is is_found, pattern
        assert agent.call("read_file", **AT, start_line=0, end_line=0) == "class Cart:"
        assert agent.call("read_file", **AT, start_line=-1) == "    return cart.total() * 2"


def test_symbol_tools_replace_insert_rename_and_delete(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        body = "def total(self):\n    return 7"
        assert agent.call("replace_symbol_body", name_path="Cart/total", **AT, body=body) == "OK"
        code = CODE.replace("return 1", "return 7")
        agent.call("insert_before_symbol", name_path="tax", **AT, body="def half():\n    return 0\n")
        agent.call("insert_after_symbol", name_path="Cart/empty", **AT, body="def sum(self):\n    return 0\n")
        first, tax = code.split("\n\ndef tax")
        both = (
            f"{first}\n    def sum(self):\n        return 0\n\n\ndef half():\n    return 0\n\n\ndef tax{tax}"
        )
        assert agent.read() == both
        assert agent.call("safe_delete_symbol", name_path_pattern="half", **AT) == "OK"
        assert agent.call("safe_delete_symbol", name_path_pattern="Cart/sum", **AT) == "OK"
        assert agent.read() == code
        used = agent.call_error("safe_delete_symbol", name_path_pattern="tax", **AT)
        assert used.splitlines()[0] == (
            "Cannot delete, the symbol is in use: tax is still used: user.py:1, user.py:3"
        )
        agent.call("rename_symbol", name_path="tax", **AT, new_name="vat")
        assert agent.read("user.py") == USER.replace("tax", "vat")
        assert "no such symbol" in agent.call_error("replace_symbol_body", name_path="gone", **AT, body=body)


def test_replace_content_and_create_text_file(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        regex = {"needle": r"return (\d)", "repl": r"return $!1  # \1", "mode": "regex"}
        agent.call("replace_content", **AT, **regex)
        assert agent.read() == CODE.replace("return 1", r"return 1  # \1")
        literal = {"needle": "total()", "repl": "sum()", "mode": "literal"}
        assert "2 times in shop.py, at lines 8, 12" in agent.call_error("replace_content", **AT, **literal)
        agent.call("replace_content", **AT, **literal, allow_multiple_occurrences=True)
        assert "total()" not in agent.read()
        output = agent.call("create_text_file", relative_path="n.py", content="n = 1\n")
        assert output == "File created: n.py."
        again = agent.call("create_text_file", relative_path="n.py", content="n = 2\n")
        assert again == "File created: n.py. Overwrote existing file."


def test_apply_accepts_serena_calls(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        sent = f"""<invoke name="rename_symbol">
<parameter name="name_path">tax</parameter>
<parameter name="relative_path">shop.py</parameter>
<parameter name="new_name">vat</parameter>
</invoke>
<invoke name="replace_content">
<parameter name="relative_path">shop.py</parameter>
<parameter name="needle">total()</parameter>
<parameter name="repl">{"sum"}()</parameter>
<parameter name="mode">literal</parameter>
<parameter name="allow_multiple_occurrences">true</parameter>
</invoke>
"""
        assert apply_call(agent.root, sent)["ok"]
        assert agent.read() == CODE.replace("tax", "vat").replace("total()", "sum()")
        assert agent.read("user.py") == USER.replace("tax", "vat")


def test_renaming_replacement_suggests_rename_symbol(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "serena") as agent:
        body = "def levy(price):\n    return price"
        error = agent.call_error("replace_symbol_body", name_path="tax", relative_path="shop.py", body=body)
        assert "`rename_symbol` gives" in error.splitlines()[1]
