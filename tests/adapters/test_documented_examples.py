"""Calls from the examples in the documentation of the original tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.dialect_server import DialectAgent, apply_call, serve_dialects
from tests.sandbox import Sandbox

UTILS = """\
import { rate } from './rate.js';

function calculateTotal(items) {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}

class Cart {
  isEmpty() {
    return false;
  }
}
"""
TOTAL = "function calculateTotal(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}"
TAX = "function calculateTax(total, rate) {\n  return total * rate;\n}"
CONFIG = '{\n  "a": {"debug": false},\n  "b": {"debug": false}\n}\n'
ORDERS = '''\
"""Orders."""

import functools
from decimal import Decimal


# Prices are in cents.
@functools.cache
def calculate_total(items):
    """Sum up."""
    return sum(items)


class User:
    name = ""

    # Stores it.
    def save(self):
        return self.name
'''
FILES = {"src/utils.js": UTILS, "config.json": CONFIG, "src/orders.py": ORDERS}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Sandbox.of(tmp_path / "r", {path: code.encode() for path, code in FILES.items()}).root


def replace_function(code: str) -> str:
    """Return ``UTILS`` with another function."""
    return UTILS.replace(UTILS[UTILS.index("function") : UTILS.index("\n\nclass")], code)


PROBE: dict[str, tuple[dict[str, Any], str]] = {
    "text": (
        {"old_string": "return false;", "new_string": "return true;"},
        UTILS.replace("return false", "return true"),
    ),
    "text without its indentation": (
        {
            "old_string": "let sum = 0;\nfor (const item of items) {",
            "new_string": "let sum = 1;\nfor (const item of items) {",
        },
        UTILS.replace("sum = 0", "sum = 1"),
    ),
    "symbol": ({"symbol": "calculateTotal", "new_string": TOTAL}, replace_function(TOTAL)),
    "symbol, insert after": (
        {"symbol": "calculateTotal", "position": "after", "new_string": TAX},
        UTILS.replace("\n\nclass", f"\n\n{TAX}\n\nclass"),
    ),
    "symbol, insert before": (
        {"symbol": "Cart", "position": "before", "new_string": TAX},
        UTILS.replace("\n\nclass", f"\n\n{TAX}\n\nclass"),
    ),
    "a line": (
        {"start_line": "8", "new_string": "  return sum + 1;"},
        UTILS.replace("return sum;", "return sum + 1;"),
    ),
    "lines": (
        {"start_line": "5", "end_line": "7", "new_string": "  // simple\n  sum = items.length;"},
        UTILS.replace(
            "  for (const item of items) {\n    sum += item.price;\n  }\n",
            "  // simple\n  sum = items.length;\n",
        ),
    ),
    "insert after a line": (
        {"start_line": "4", "position": "after", "new_string": "  check(items);"},
        UTILS.replace("sum = 0;\n", "sum = 0;\n  check(items);\n"),
    ),
    "delete lines": (
        {"start_line": "5", "end_line": "7", "new_string": ""},
        UTILS.replace("  for (const item of items) {\n    sum += item.price;\n  }\n", ""),
    ),
    "a name as text": (
        {"old_string": "function calculateTotal(", "new_string": "function addUp(", "replace_all": "true"},
        UTILS.replace("calculateTotal", "addUp"),
    ),
}


@pytest.mark.parametrize("case", list(PROBE))
def test_probe_edit_modes(root: Path, case: str) -> None:
    arguments, after = PROBE[case]
    with serve_dialects(root, "probe") as agent:
        assert agent.call("edit", file_path="src/utils.js", **arguments).startswith("Successfully ")
        assert agent.read("src/utils.js") == after


@pytest.mark.parametrize("case", list(PROBE))
def test_apply_accepts_probe_calls_in_xml(root: Path, case: str) -> None:
    arguments, after = PROBE[case]
    fields = {"file_path": "src/utils.js", **arguments}
    written = "\n".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    assert apply_call(root, f"<edit>\n{written}\n</edit>\n")["ok"]
    assert (root / "src/utils.js").read_text() == after


def test_probe_replaces_all_occurrences_and_creates_files(root: Path) -> None:
    with serve_dialects(root, "probe") as agent:
        text = {"file_path": "config.json", "old_string": '"debug": false', "new_string": '"debug": true'}
        assert "2 times" in agent.call_error("edit", **text)
        assert "(2 replacements)" in agent.call("edit", **text, replace_all="true")
        new = {"file_path": "src/new/hello.js", "content": "export const hello = 1;\n"}
        assert agent.call("create", **new) == "Successfully created src/new/hello.js (24 bytes)"
        assert "`overwrite`" in agent.call_error("create", **new)
        agent.call("create", **{**new, "content": "export const hello = 2;\n"}, overwrite="true")


def test_probe_suggests_a_similar_symbol(root: Path) -> None:
    with serve_dialects(root, "probe") as agent:
        error = agent.call_error("edit", file_path="src/utils.js", symbol="calcTotal", new_string=TOTAL)
        assert "calculateTotal" in error
        shown = agent.call("extract", targets="src/utils.js#calculateTotal")
        assert "Lines: 3-9" in shown
        agent.call("edit", file_path="src/utils.js", symbol="calculateTotal", new_string=TOTAL)


def test_update_symbol_keeps_comments_and_decorators(root: Path) -> None:
    new = 'def calculate_total(items, tax):\n    """Sum up with tax."""\n    return sum(items) * (1 + tax)\n'
    method = "    def save(self):\n        self.saved = True\n        super().save()\n"
    with serve_dialects(root, "code-scalpel") as agent:
        answer = call_update_symbol(
            agent, target_type="function", target_name="calculate_total", new_code=new
        )
        assert (answer["success"], answer["syntax_valid"], answer["files_affected"]) == (
            True,
            True,
            ["src/orders.py"],
        )
        call_update_symbol(agent, target_type="method", target_name="User.save", new_code=method)
        code = ORDERS[: ORDERS.index("def calc")] + new + "\n\n" + ORDERS[ORDERS.index("class User") :]
        assert agent.read("src/orders.py") == code.replace(
            "    def save(self):\n        return self.name\n", method
        )


def call_update_symbol(agent: DialectAgent, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(agent.call("update_symbol", file_path="src/orders.py", **arguments))
    return answer


def test_update_symbol_answer_has_the_original_fields(root: Path) -> None:
    arguments = {
        "target_type": "function",
        "target_name": "calculate_total",
        "new_code": "def calculate_total(items): pass",
    }
    (root / "use.py").write_text("from src.orders import calculate_total\n\ncalculate_total([])\n")
    with serve_dialects(root, "code-scalpel") as agent:
        answer = call_update_symbol(
            agent, **arguments, path_mode="basename", include_integrity=True, create_backup=True
        )
        assert (
            answer.items()
            >= {
                "file_path": "orders.py",
                "symbol_name": "calculate_total",
                "symbol_type": "function",
                "backup_path": None,
                "lines_changed": 3,
                "error": None,
                "approval_status": "not_required",
                "rollback_available": True,
            }.items()
        )
        assert {"syntax", "structure"} <= set(answer["compliance_check"]["checks_run"])
        (file,) = answer["integrity"]["files"]
        assert (file["file"], len(file["blob_before"]), len(file["blob_after"])) == ("orders.py", 40, 40)
        renamed = call_update_symbol(
            agent,
            target_type="function",
            target_name="calculate_total",
            operation="rename",
            new_name="add_up",
            path_mode="absolute",
        )
        assert renamed["files_affected"] == [str(root / "src/orders.py"), str(root / "use.py")]
        assert renamed["imports_adjusted"] == [
            {"file": str(root / "use.py"), "action": "remove", "module": "src.orders.calculate_total"},
            {"file": str(root / "use.py"), "action": "add", "module": "src.orders.add_up"},
        ]
        broken = {**arguments, "target_name": "add_up", "new_code": "def add_up(:\n    pass"}
        wrong = json.loads(agent.call_error("update_symbol", file_path="src/orders.py", **broken))
        assert (wrong["success"], wrong["syntax_valid"]) == (False, False)


def test_patch_cst_module_applies_several_selectors(root: Path) -> None:
    by_name = {"kind": "cst_query", "query": "class[name='User']", "match_index": 0}
    ops = [
        {"selector": {"kind": "method", "name": "User.save"}, "new_code": "def save(self):\n    return 1"},
        {"selector": by_name, "code_lines": ["def load():", "    return None"], "position": "before"},
        {"selector": by_name, "new_code": "def last(self):\n    return 2", "position": "end"},
    ]
    with serve_dialects(root, "cstquery") as agent:
        answer = json.loads(
            agent.call("patch_cst_module", file_path="src/orders.py", ops=ops, return_diff=True)
        )
        assert answer["success"]
        code = ORDERS.replace("return self.name", "return 1").replace(
            "class User", "def load():\n    return None\n\n\nclass User"
        )
        assert agent.read("src/orders.py") == f"{code}\n    def last(self):\n        return 2\n"


RUST = "struct S;\n\nimpl S {\n    fn one(&self) -> u32 {\n        1\n    }\n}\n"
GATED = {
    "a.rs": (RUST, "fn one(&self) -> u32 {\n        1", "fn one(&self) -> u32 {\n        2"),
    "a.py": ("def f():\n    return 1\n", "def f():\n    return 1", "def f():\n    return 2"),
    "a.go": (
        "package a\n\nfunc F() int {\n\treturn 1\n}\n",
        "func F() int {\n\treturn 1",
        "func F() int {\n\treturn 2",
    ),
    "a.ts": (
        "function f() {\n  return 1;\n}\n",
        "function f() {\n  return 1;",
        "function f() {\n  return 2;",
    ),
}


@pytest.mark.parametrize("path", list(GATED))
def test_multi_line_edit_of_a_definition_is_blocked(root: Path, path: str) -> None:
    code, old, new = GATED[path]
    (root / path).write_text(code)
    with serve_dialects(root, "codescout") as agent:
        error = agent.call_error("edit_file", path=path, old_string=old, new_string=new)
        assert error.startswith("edit_file blocked: ")
        assert "replace_symbol" in error
        whole = code[code.index(old) :].partition("\n}" if path in ("a.go", "a.ts") else "\n    }")
        removal_error = agent.call_error(
            "edit_file", path=path, old_string=whole[0] + whole[1], new_string=""
        )
        assert "remove_symbol" in removal_error
        line, other = old.splitlines()[-1], new.splitlines()[-1]
        agent.call("edit_file", path=path, old_string=line, new_string=other)
        head = old.splitlines()[0]
        agent.call("edit_file", path=path, old_string=head, new_string=head.replace("(", "_renamed(", 1))


def test_multi_line_edit_of_markdown_is_allowed(root: Path) -> None:
    (root / "a.md").write_text("class A:\n    pass\n")
    with serve_dialects(root, "codescout") as agent:
        agent.call("edit_file", path="a.md", old_string="class A:\n    pass", new_string="class B:\n    pass")
