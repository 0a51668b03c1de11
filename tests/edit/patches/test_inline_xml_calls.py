"""Calls in XML that do not begin and end in lines of their own."""

from __future__ import annotations

import json

import pytest

from tests.edit.patches.patching import patched

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
def test_a_call_ends_where_it_ends(call: str) -> None:
    assert patched("one two\n", call) == b"one 2 </invoke>\n"


def test_two_calls_in_one_line_each() -> None:
    one = '<invoke name="Edit">' + "".join(FIELDS) + "</invoke>\n"
    assert (
        patched("one two\n", one + one.replace("two", "one").replace("2 </invoke>", "1"))
        == b"1 2 </invoke>\n"
    )


def test_calls_in_json_with_tags_in_their_line() -> None:
    def call(old: str, new: str) -> str:
        given = {"file_path": "a.txt", "old_string": old, "new_string": new}
        return f"<tool_call>{json.dumps({'name': 'Edit', 'arguments': given})}</tool_call>"

    assert patched("one two\n", call("two", "2")) == b"one 2\n"
    assert patched("one two\n", call("two", "2") + " " + call("one", "1")) == b"1 2\n"
    assert patched("one two\n", f"Here:\n{call('two', '2')}\n{call('one', '1')}\n") == b"1 2\n"
