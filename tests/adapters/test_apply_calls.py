"""Tool calls of dialects passed to ``apply``: in JSON or XML, alone or in lists, with patches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.dialect_server import CODE, apply_call
from tests.sandbox import Sandbox

ARGUMENTS = {"name_path": "Cart/total", "path": "shop.py", "new_body": "def total(self):\n    return 7"}
AFTER = CODE.replace("return 1", "return 7")
XML = """<invoke name="replace_symbol">
<parameter name="name_path">Cart/total</parameter>
<parameter name="path">shop.py</parameter>
<parameter name="new_body">def total(self):
    return 7</parameter>
</invoke>
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Sandbox.of(tmp_path / "r", {"shop.py": CODE.encode()}).root


@pytest.mark.parametrize(
    "sent",
    [
        {"name": "replace_symbol", "arguments": ARGUMENTS},
        {"name": "replace_symbol", "input": ARGUMENTS},
        {"name": "replace_symbol", "arguments": json.dumps(ARGUMENTS)},
        {"name": "mcp__codescout__replace_symbol", "input": ARGUMENTS},
        [{"name": "replace_symbol", "arguments": ARGUMENTS}],
        {"type": "function", "function": {"name": "replace_symbol", "arguments": json.dumps(ARGUMENTS)}},
        {"tool_calls": [{"function": {"name": "replace_symbol", "arguments": json.dumps(ARGUMENTS)}}]},
        {"method": "tools/call", "params": {"name": "replace_symbol", "arguments": ARGUMENTS}},
        XML,
        f"<function_calls>\n{XML}</function_calls>\n",
        f"I change the total.\n\n{json.dumps({'name': 'replace_symbol', 'input': ARGUMENTS})}\n",
    ],
    ids=[
        "arguments",
        "input",
        "text",
        "prefixed",
        "list",
        "function",
        "tool_calls",
        "rpc",
        "xml",
        "calls",
        "prose",
    ],
)
def test_call_is_read_in_each_wrapping(root: Path, sent: Any) -> None:
    assert apply_call(root, sent)["ok"]
    assert (root / "shop.py").read_text() == AFTER


def test_calls_of_several_tools_form_one_changeset(root: Path) -> None:
    edit = {"file_path": "shop.py", "old_string": "* 2", "new_string": "* 3"}
    sent = [
        {"name": "replace_symbol", "arguments": ARGUMENTS},
        {"name": "Edit", "input": edit},
        {"name": "str_replace_editor", "input": {"command": "create", "path": "n.txt", "file_text": "n\n"}},
    ]
    done = apply_call(root, sent)
    assert [row["op"] for row in done["data"]["ops"]] == ["replace", "patch", "patch"]
    assert (root / "shop.py").read_text() == AFTER.replace("* 2", "* 3")
    edit["old_string"] = "nowhere"
    (root / "n.txt").unlink()
    assert apply_call(root, sent)["error"]["code"] in ("not_found", "no_change")
    assert not (root / "n.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({**ARGUMENTS, "body": "x"}, "replace_symbol has no parameter body"),
        ({"path": "shop.py"}, "replace_symbol needs symbol and new_body"),
        ({**ARGUMENTS, "path": 7}, "path is not of type string"),
    ],
)
def test_unfitting_arguments_are_refused(root: Path, arguments: dict[str, Any], words: str) -> None:
    error = apply_call(root, {"name": "replace_symbol", "arguments": arguments})["error"]
    assert (error["code"], error["message"]) == ("invalid_args", words)


def test_read_call_is_refused(root: Path) -> None:
    read = {"name": "Read", "input": {"file_path": "shop.py"}}
    error = apply_call(root, [read, {"name": "replace_symbol", "arguments": ARGUMENTS}])["error"]
    assert error["code"] == "invalid_args"
    assert "Read" in error["message"]
    assert (root / "shop.py").read_text() == CODE


def test_edit_call_is_read_as_a_patch(root: Path) -> None:
    sent = {
        "name": "Edit",
        "input": {"file_path": "shop.py", "old_string": "return 1", "new_string": "return 7"},
    }
    assert [row["op"] for row in apply_call(root, sent)["data"]["ops"]] == ["patch"]
    assert (root / "shop.py").read_text() == AFTER


def test_foreign_edit_tools_are_read_as_patches(root: Path) -> None:
    for name in ("edit", "file_edit", "edit_file"):
        arguments = {"path": "shop.py", "oldText": "return 1", "newText": "return 1"}
        assert apply_call(root, {"name": name, "input": arguments})["error"]["code"] == "no_change", name


def test_call_with_extra_fields_is_read_in_its_dialect(root: Path) -> None:
    by_line = {"file_path": "shop.py", "start_line": 2, "new_string": "    # bought"}
    assert apply_call(root, {"name": "edit", "input": by_line})["ok"]
    top = {"path": "shop.py", "insert": "prepend", "new_string": "# top\n"}
    assert apply_call(root, {"name": "edit_file", "input": top})["ok"]
    assert (root / "shop.py").read_text() == "# top\n" + CODE.replace('"""What is bought."""', "# bought")
    over = {"file_path": "shop.py", "content": "x = 1\n", "overwrite": True}
    assert apply_call(root, {"name": "create", "input": over})["ok"]
    assert (root / "shop.py").read_text() == "x = 1\n"


def test_changeset_may_tighten_but_not_loosen_the_structure_gate(root: Path) -> None:
    op = {
        "op": "text",
        "path": "shop.py",
        "old": "def total(self):\n        return 1",
        "new": "def total(self):\n        return 7",
    }
    assert apply_call(root, {"ops": [op], "structure": "strict"})["error"]["code"] == "structural_gate"
    assert apply_call(root, {"ops": [op], "structure": "off"})["error"]["code"] == "invalid_args"
    assert apply_call(root, {"ops": [op]})["ok"]


def test_headers_level_allows_single_line_edits(root: Path) -> None:
    op = {"op": "text", "path": "shop.py", "old": "def total(self):", "new": "def total(self, of=1):"}
    assert apply_call(root, {"ops": [op], "structure": "headers"})["ok"]
    both = {**op, "old": "def tax(cart):\n    return", "new": "def tax(cart):\n    return 1 +"}
    error = apply_call(root, {"ops": [both], "structure": "headers"})["error"]
    assert (error["code"], "header of tax" in error["message"]) == ("structural_gate", True)


NEW = "def total(self):\n    return 7"
BY_FIELDS: dict[str, tuple[Any, str]] = {
    "symbol": ({"file_path": "shop.py", "symbol": "Cart.total", "new_string": NEW}, AFTER),
    "position": (
        {"file_path": "shop.py", "symbol": "tax", "position": "before", "new_string": "RATE = 2"},
        CODE.replace("def tax", "RATE = 2\n\n\ndef tax"),
    ),
    "lines": (
        {"file_path": "shop.py", "start_line": "5", "end_line": "5", "new_string": "        return 7"},
        AFTER,
    ),
    "target": ({"file": "shop.py", "target": "Cart.total", "code": NEW}, AFTER),
    "target_name": (
        {"file_path": "shop.py", "target_type": "method", "target_name": "Cart.total", "new_code": NEW},
        AFTER,
    ),
    "overwrite": ({"file_path": "shop.py", "content": "x = 1\n", "overwrite": True}, "x = 1\n"),
    "two": (
        [
            {"file_path": "shop.py", "symbol": "Cart.total", "new_string": NEW},
            {"file_path": "shop.py", "old_string": "* 2", "new_string": "* 3"},
        ],
        AFTER.replace("* 2", "* 3"),
    ),
}


@pytest.mark.parametrize("case", list(BY_FIELDS))
def test_call_without_tool_name_is_read_by_its_fields(root: Path, case: str) -> None:
    sent, after = BY_FIELDS[case]
    assert apply_call(root, sent)["ok"]
    assert (root / "shop.py").read_text() == after


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (
            {"file_path": "no.py", "symbol": "f", "old_string": "a", "new_string": "b"},
            "symbol and old_string",
        ),
        ({"file_path": "no.py", "start_line": 1, "symbol": "f", "new_string": "b"}, "symbol and start_line"),
        ({"path": "no.py", "start_line": 3, "end_line": 5, "content": "x"}, "start_line and content"),
        ({"file_path": "no.py", "position": "after", "new_string": "b"}, "nothing to edit"),
        ({"path": "no.py", "line": 3, "new_string": "b"}, "cannot have line"),
        ({"path": "no.py", "edits": [{"old_string": "a", "new_string": "b", "line": 1}]}, "cannot have line"),
        (
            {"name": "of_mine", "input": {"file_path": "no.py", "symbol": "f", "new_string": "b"}},
            "cannot have symbol",
        ),
        ({"name_path": "tax", "relative_path": "shop.py", "body": "x = 1"}, "may be one of"),
    ],
)
def test_contradicting_or_unknown_fields_are_refused(root: Path, sent: Any, words: str) -> None:
    error = apply_call(root, sent)["error"]
    assert (error["code"], words in error["message"]) == ("invalid_args", True), error
    assert [path.name for path in root.iterdir() if path.name != ".git"] == ["shop.py"]


def test_call_without_tool_name_does_not_create_a_file(root: Path) -> None:
    for more in ({"symbol": "f"}, {"start_line": "42", "end_line": "43"}):
        sent = {"file_path": "typo.py", "new_string": "x = 1", **more}
        assert apply_call(root, sent)["error"]["code"] == "file_not_found"
    assert not (root / "typo.py").exists()


FIELDS = ("<file_path>shop.py</file_path>", "<symbol>Cart.total</symbol>", f"<new_string>{NEW}</new_string>")
LAYOUTS = {
    "one line": f"<edit>{''.join(FIELDS)}</edit>",
    "prose around": f"I change it:\n\n<edit>{''.join(FIELDS)}</edit>\n\nDone.\n",
    "blocks": "<edit>\n" + "\n".join(FIELDS) + "\n</edit>\n",
    "indented": "  <edit>\n    " + "\n    ".join(FIELDS) + "\n  </edit>\n",
    "indented blocks": f"  <edit>\n    {FIELDS[0]}\n    {FIELDS[1]}\n"
    f"    <new_string>\n{NEW}\n    </new_string>\n  </edit>\n",
    "two in a line": f"<edit>\n  {FIELDS[0]} {FIELDS[1]}\n  {FIELDS[2]}\n</edit>",
    "place first": f"<edit>{FIELDS[1]}{FIELDS[0]}{FIELDS[2]}</edit>",
    "attributes": '<edit id="1">\n<file_path type="string">shop.py</file_path>\n'
    f"{FIELDS[1]}\n{FIELDS[2]}\n</edit>",
    "fields as attributes": f"<edit file_path=\"shop.py\" symbol='Cart.total'>{FIELDS[2]}</edit>",
    "cdata": f"<edit>{FIELDS[0]}{FIELDS[1]}<new_string><![CDATA[{NEW}]]></new_string></edit>",
    "invoke in one line": '<invoke name="edit"><parameter name="file_path" type="string">shop.py</parameter>'
    f'<parameter name="symbol">Cart.total</parameter><parameter name="new_string">{NEW}</parameter></invoke>',
}


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_xml_call_is_read_in_each_layout(root: Path, layout: str) -> None:
    assert apply_call(root, LAYOUTS[layout])["ok"]
    assert (root / "shop.py").read_text() == AFTER


def test_xml_calls_in_different_layouts_form_one_changeset(root: Path) -> None:
    second = f"<edit>\n{FIELDS[0]}\n<old_string>* 2</old_string>\n<new_string>* 3</new_string>\n</edit>"
    assert apply_call(root, f"{LAYOUTS['one line']}\n{second}\n")["ok"]
    assert (root / "shop.py").read_text() == AFTER.replace("* 2", "* 3")


def test_tags_in_an_xml_value_are_text(root: Path) -> None:
    code = 'def tax(cart):\n    return "</new_string> and <b>"'
    sent = f"<edit>{FIELDS[0]}<symbol>tax</symbol><new_string>{code}</new_string></edit>"
    assert apply_call(root, sent)["ok"]
    assert (root / "shop.py").read_text().endswith(f"{code}\n")


def test_xml_calls_on_one_line_are_all_read(root: Path) -> None:
    second = f"<edit>{FIELDS[0]}<old_string>* 2</old_string><new_string>* 3</new_string></edit>"
    invoke = LAYOUTS["invoke in one line"]
    other = '<invoke name="edit"><parameter name="file_path">shop.py</parameter><parameter name="old_string">'
    other += '* 3</parameter><parameter name="new_string">* 4</parameter></invoke>'
    assert apply_call(root, f"{LAYOUTS['one line']}{second}\n")["ok"]
    assert (root / "shop.py").read_text() == AFTER.replace("* 2", "* 3")
    (root / "shop.py").write_text(CODE.replace("* 2", "* 3"))
    assert apply_call(root, f"<function_calls>{invoke}{other}</function_calls>")["ok"]
    assert (root / "shop.py").read_text() == AFTER.replace("* 2", "* 4")


def test_empty_xml_tag_is_empty_text(root: Path) -> None:
    sent = f"{FIELDS[0]}<start_line>2</start_line><end_line>2</end_line><new_string/>"
    assert apply_call(root, f"<edit>{sent}</edit>")["ok"]
    assert (root / "shop.py").read_text() == CODE.replace('    """What is bought."""\n', "")


@pytest.mark.parametrize(
    "sent",
    [
        {"filePath": "shop.py", "symbol": "Cart.total", "newString": NEW},
        {"path": "shop.py", "symbol": "Cart.total", "new_string": NEW},
        {"file_path": "shop.py", "startLine": 5, "endLine": 5, "new_string": "        return 7"},
    ],
)
def test_alternative_field_names_are_accepted(root: Path, sent: dict[str, Any]) -> None:
    assert apply_call(root, sent)["ok"]
    assert (root / "shop.py").read_text() == AFTER


def test_indentation_of_a_closing_xml_tag_is_ignored(root: Path) -> None:
    sent = "<create>\n    <file_path>n.py</file_path>\n    <content>\nn = 1\n    </content>\n</create>\n"
    assert apply_call(root, sent)["ok"]
    assert (root / "n.py").read_text() == "n = 1\n"
