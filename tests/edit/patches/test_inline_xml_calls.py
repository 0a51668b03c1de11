"""XML calls that do not start and end on their own lines."""

from __future__ import annotations

import json

import pytest

from tests.edit.patches.patch_helpers import patch_file

FIELDS = (
    '<parameter name="file_path">a.txt</parameter>',
    '<parameter name="old_string">two</parameter>',
    '<parameter name="new_string">2 </invoke></parameter>',
)


@pytest.mark.parametrize(
    "call",
    [
        '<invoke name="Edit">' + "".join(FIELDS) + "</invoke>",
        '  <invoke name="Edit">\n    ' + "\n    ".join(FIELDS) + "\n  </invoke>",
        "<invoke id='1' name='Edit'>" + " ".join(FIELDS) + "</invoke>",
        '<function_calls><invoke name="Edit">' + "".join(FIELDS) + "</invoke></function_calls>",
        '<function_calls>\n<invoke name="Edit">' + "".join(FIELDS) + "\n</invoke>\n</function_calls>",
        ('<invoke name="Edit">' + "".join(FIELDS) + "</invoke>").replace("name=", 'type="string" name='),
    ],
)
def test_call_in_any_layout_is_applied(call: str) -> None:
    assert patch_file("one two\n", call) == b"one 2 </invoke>\n"


def test_two_one_line_calls_are_applied() -> None:
    one = '<invoke name="Edit">' + "".join(FIELDS) + "</invoke>\n"
    assert (
        patch_file("one two\n", one + one.replace("two", "one").replace("2 </invoke>", "1"))
        == b"1 2 </invoke>\n"
    )


def test_json_calls_in_inline_tags_are_applied() -> None:
    def call(old: str, new: str) -> str:
        arguments = {"file_path": "a.txt", "old_string": old, "new_string": new}
        return f"<tool_call>{json.dumps({'name': 'Edit', 'arguments': arguments})}</tool_call>"

    assert patch_file("one two\n", call("two", "2")) == b"one 2\n"
    assert patch_file("one two\n", call("two", "2") + " " + call("one", "1")) == b"1 2\n"
    assert patch_file("one two\n", f"Here:\n{call('two', '2')}\n{call('one', '1')}\n") == b"1 2\n"
