"""CSTQuery's ``query_cst`` and ``patch_cst_module``, Code Scalpel's ``update_symbol``, and ``file_edit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.adapters.dialect_server import CODE, USER, apply_call, serve_dialects

AT = {"file_path": "shop.py"}
NEW = "def total(self):\n    return 7"


def op(code: str, **selector: Any) -> dict[str, Any]:
    return {"selector": selector, "new_code": code}


def test_nodes_are_found_and_edited_by_id(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "cstquery") as agent:
        found = json.loads(
            agent.call("query_cst", **AT, selector="method[name=total] Return", include_code=True)
        )
        assert (found["success"], found["truncated"], len(found["matches"])) == (True, False, 1)
        match = found["matches"][0]
        assert (match["code"], match["start_line"], match["start_col"], match["end_col"]) == (
            "return 1",
            5,
            8,
            16,
        )
        assert json.loads(agent.call("query_cst", **AT, selector="Return", max_results=1))["truncated"]
        every = json.loads(agent.call("query_cst", **AT, selector="Return", max_results=-1))
        assert (len(every["matches"]), every["truncated"]) == (3, False)
        by_id = op("return 7", kind="node_id", node_id=match["node_id"])
        assert json.loads(agent.call("patch_cst_module", **AT, ops=[by_id]))["applied"]
        assert agent.read() == CODE.replace("return 1", "return 7")
        stale = json.loads(
            agent.call_error("patch_cst_module", **AT, ops=[op("x", kind="node_id", node_id="a:1-2")])
        )
        assert (stale["code"], "`query_cst`" in stale["hint"]) == ("INVALID_REF", True)
        wrong = json.loads(agent.call_error("query_cst", **AT, selector="Return["))
        assert wrong["code"] == "CST_QUERY_PARSE_ERROR"


def test_patch_cst_module_is_atomic(tmp_path: Path) -> None:
    ops = [
        op("return 7", kind="cst_query", query="Return", match_index=0),
        op("return None", kind="range", start_line=8, end_line=8),
        op("", kind="function", name="tax"),
    ]
    with serve_dialects(tmp_path / "r", "cstquery") as agent:
        tried = json.loads(agent.call("patch_cst_module", **AT, ops=ops, apply=False))
        assert not tried["applied"]
        assert "+        return 7" in tried["diff"]
        assert agent.read() == CODE
        agent.call("patch_cst_module", **AT, ops=ops)
        code = CODE[: CODE.index("\n\ndef tax")]
        code = code.replace("return 1", "return 7").replace("not self.total()", "None")
        assert agent.read() == code
        addition = {**op("def half(self):\n    return 0", kind="method", name="total"), "position": "after"}
        agent.call("patch_cst_module", **AT, ops=[addition])
        assert agent.read() == code.replace("7\n", "7\n\n    def half(self):\n        return 0\n")
        end = {**op("def whole():\n    return 1", kind="module"), "position": "end"}
        agent.call("patch_cst_module", **AT, ops=[end])
        assert agent.read().endswith("\n\n\ndef whole():\n    return 1\n")
        many = [op("return 0", kind="method", name="total"), op("x", kind="cst_query", query="Return")]
        assert json.loads(agent.call_error("patch_cst_module", **AT, ops=many))["success"] is False
        words = json.loads(agent.call_error("patch_cst_module", **AT, ops=[op("x", kind="range")]))["message"]
        assert words == "a selector of kind range needs 'start_line'"


def test_selector_finds_replaces_and_extends_a_class(tmp_path: Path) -> None:
    by_query = {"kind": "cst_query", "query": "class[name='Cart']", "match_index": 0}
    with serve_dialects(tmp_path / "r", "cstquery") as agent:
        found = json.loads(agent.call("query_cst", **AT, selector="class[name='Cart']"))
        assert [match["name"] for match in found["matches"]] == ["Cart"]
        for position, code in (("before", "A = 1"), ("after", "B = 2"), ("end", "def c(self):\n    pass")):
            agent.call("patch_cst_module", **AT, ops=[{**op(code, **by_query), "position": position}])
        whole = agent.read()
        assert (
            whole.index("A = 1")
            < whole.index("class Cart")
            < whole.index("    def c(self)")
            < whole.index("B = 2")
        )
        agent.call("patch_cst_module", **AT, ops=[op("class Cart:\n    pass", **by_query)])
        assert "def c(self)" not in agent.read()
        many = json.loads(
            agent.call_error("patch_cst_module", **AT, ops=[op("", kind="cst_query", query="Return")])
        )
        assert many["success"] is False
        beyond = {"kind": "cst_query", "query": "class", "match_index": 9}
        code = json.loads(agent.call_error("patch_cst_module", **AT, ops=[op("", **beyond)]))["code"]
        assert code == "CST_QUERY_MATCH_INDEX"


def test_libcst_only_nodes_are_found_and_patched(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "cstquery") as agent:
        found = json.loads(
            agent.call("query_cst", **AT, selector="BinaryOperation > Multiply", include_code=True)
        )
        (match,) = found["matches"]
        assert (match["type"], match["code"]) == ("Multiply", "*")
        by_id = op("+", kind="node_id", node_id=match["node_id"])
        agent.call("patch_cst_module", **AT, ops=[by_id])
        assert agent.read() == CODE.replace("() * 2", "() + 2")
        agent.call("patch_cst_module", **AT, ops=[op("-", kind="cst_query", query="Add", match_index=0)])
        assert agent.read() == CODE.replace("() * 2", "() - 2")
        wrong = json.loads(agent.call_error("query_cst", **AT, selector="Subtracted"))
        assert wrong["code"] == "CST_QUERY_PARSE_ERROR"


def test_update_symbol_reports_the_actual_changes(tmp_path: Path) -> None:
    named = {**AT, "target_type": "method", "target_name": "Cart.total"}
    with serve_dialects(tmp_path / "r", "code-scalpel") as agent:
        answer = json.loads(agent.call("update_symbol", **named, new_code=f"{NEW}\n", create_backup=True))
        lines = {"lines_before": 2, "lines_after": 2, "lines_delta": 0}
        assert answer.items() >= {"success": True, **named, **lines, "warnings": []}.items()
        assert agent.read() == CODE.replace("return 1", "return 7")
        missing = json.loads(
            agent.call_error("update_symbol", **named | {"target_name": "gone"}, new_code=NEW)
        )
        assert (missing["success"], missing["error_code"]) == (False, "symbol_not_found")
        assert json.loads(agent.call_error("update_symbol", **named))["error"] == "replace needs `new_code`"
        function = {**AT, "target_type": "function", "target_name": "tax"}
        agent.call("update_symbol", **function, operation="rename", new_name="vat")
        assert agent.read("user.py") == USER.replace("tax", "vat")
        kind = json.loads(
            agent.call_error("update_symbol", **function | {"target_type": "module"}, new_code=NEW)
        )
        assert "one of function, class, method" in kind["hint"]


def test_file_read_and_file_edit_accept_text_or_symbol(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "file-edit") as agent:
        assert agent.call("file_read", path="shop.py", symbol="Cart.total").startswith(
            "     4\t    def total(self):"
        )
        assert agent.call("file_read", path="shop.py", start_line=1, end_line=1) == "     1\tclass Cart:"
        agent.call("file_edit", path="shop.py", symbol="Cart.total", new_text=NEW)
        agent.call("file_edit", path="shop.py", old_text="return 7", new_text="return 8")
        assert agent.read() == CODE.replace("return 1", "return 8")
        agent.call(
            "file_edit",
            path="shop.py",
            symbol="Cart.total",
            new_text=NEW.replace("total", "n"),
            position="after",
        )
        agent.call("file_edit", path="shop.py", symbol="Cart.n", new_text="")
        assert agent.read() == CODE.replace("return 1", "return 8")
        error = agent.call_error("file_edit", path="shop.py", old_text="total()", new_text="x")
        assert error.startswith("Error: old_text occurs 2 times in shop.py, at lines 8, 12.")
        assert "nothing to edit" in agent.call_error("file_edit", path="shop.py", new_text="x")


def test_apply_accepts_calls_of_several_dialects(tmp_path: Path) -> None:
    with serve_dialects(tmp_path / "r", "openai") as agent:
        named = {**AT, "target_type": "method", "target_name": "Cart.total", "new_code": NEW}
        ops = [op("return 9", kind="cst_query", query="function[name=tax] Return")]
        sent = [
            {"name": "update_symbol", "arguments": named},
            {"name": "patch_cst_module", "arguments": {**AT, "ops": ops}},
            {"name": "file_edit", "arguments": {"path": "user.py", "old_text": "None", "new_text": "1"}},
        ]
        assert apply_call(agent.root, sent)["ok"]
        assert agent.read() == CODE.replace("return 1", "return 7").replace("cart.total() * 2", "9")
        assert agent.read("user.py") == USER.replace("None", "1")
        tried = {"name": "patch_cst_module", "arguments": {**AT, "ops": ops, "apply": False}}
        assert apply_call(agent.root, tried)["error"]["code"] == "invalid_args"
