"""Patches inside shell commands, tool calls of any interface, XML and prose."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.edit.editing import Content, apply_changeset
from tests.edit.patches.patch_helpers import PatchInput, changed_files, expect_error, patch_file

FILES: dict[str, Content] = {"f": "a\nb\n", "d/f": "a\nb\n", "my d/f": "a\nb\n"}
BODY = "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n*** End Patch\n"
DIFF = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
BLOCK = "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n"
HERE_DOCUMENT = f"apply_patch <<'EOF'\n{BODY}EOF\n"
CHANGED = ("100644", b"a\nc\n")

SHELL: dict[str, tuple[PatchInput, str]] = {
    "a here-document": (HERE_DOCUMENT, "f"),
    "another delimiter": (HERE_DOCUMENT.replace("'EOF'", '"PATCH"').replace("EOF", "PATCH"), "f"),
    "in a fence": (f"I run:\n\n```bash\n{HERE_DOCUMENT}```\nThat is all.\n", "f"),
    "in a folder": (f"cd d && {HERE_DOCUMENT}", "d/f"),
    "in a quoted folder": (f"cd 'my d' && {HERE_DOCUMENT}", "my d/f"),
    "git apply in a folder": (f"cd d && git apply - <<'EOF'\n{DIFF}EOF\n", "d/f"),
    "a list": (["apply_patch", BODY], "f"),
    "a list with a shell": (["bash", "-lc", f"cd d && {HERE_DOCUMENT}"], "d/f"),
    "another shell": (["C:\\W\\powershell.exe", "-NoProfile", "-Command", HERE_DOCUMENT], "f"),
    "a command": ({"command": ["apply_patch", BODY]}, "f"),
    "a command in a folder": ({"command": ["apply_patch", BODY], "workdir": "d"}, "d/f"),
    "a folder in a folder": (
        {"command": ["bash", "-lc", f"cd ../d && {HERE_DOCUMENT}"], "workdir": "d"},
        "d/f",
    ),
    "a call of a shell": (
        {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"command": f"cd d && {HERE_DOCUMENT}"}),
        },
        "d/f",
    ),
}


@pytest.mark.parametrize(("message", "path"), SHELL.values(), ids=SHELL)
def test_command_that_applies_a_patch_is_accepted(message: PatchInput, path: str) -> None:
    assert changed_files(FILES, message) == {path: CHANGED}


OTHER_COMMANDS: dict[str, PatchInput] = {
    "another argument": HERE_DOCUMENT.replace("apply_patch ", "apply_patch f "),
    "two folders": f"cd d e && {HERE_DOCUMENT}",
    "cd with a semicolon": f"cd d; {HERE_DOCUMENT}",
    "cd with ||": f"cd d || {HERE_DOCUMENT}",
    "into a pipe": f"cd d | {HERE_DOCUMENT}",
    "two steps": f"cd d && cd e && {HERE_DOCUMENT}",
    "a variable": f'cd "$D" && {HERE_DOCUMENT}',
    "a command before": f"echo x; cd d && {HERE_DOCUMENT}",
    "cd in the line above": f"cd d\n{HERE_DOCUMENT}",
    "text after the delimiter": f"cd d && {HERE_DOCUMENT.rstrip()} && rm f\n",
    "a command below the end": f"{HERE_DOCUMENT}rm f\n",
    "no end": HERE_DOCUMENT.removesuffix("EOF\n"),
    "reversed": f"git apply -R <<'EOF'\n{DIFF}EOF\n",
    "another program": ["rm", "-r", "f"],
    "too many arguments": ["apply_patch", BODY, "f"],
}


@pytest.mark.parametrize("message", OTHER_COMMANDS.values(), ids=OTHER_COMMANDS)
def test_command_that_does_something_else_is_refused(message: PatchInput) -> None:
    error = expect_error({**FILES, "e": "x\n"}, message)
    assert error.code == "patch_failed"
    assert "does more than apply a patch" in error.message


OLD_NEW = {"old_str": "b", "new_str": "c"}
CALLS: dict[str, Any] = {
    "a text": {"input": BODY},
    "with an explanation": {"explanation": "b to c", "input": BODY},
    "a file and a diff": {"path": "f", "diff": BLOCK},
    "in another spelling": {"absolutePath": "f", "diff": BLOCK},
    "a call": {"type": "tool_use", "name": "apply_diff", "input": {"path": "f", "diff": BLOCK}},
    "a function": {"type": "function", "function": {"name": "e", "arguments": json.dumps({"input": BODY})}},
    "a response": {
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "Done:"}]},
            {"type": "custom_tool_call", "name": "apply_patch", "input": BODY},
        ]
    },
    "a step": {
        "type": "apply_patch_call",
        "operation": {"type": "update_file", "path": "f", "diff": "@@\n a\n-b\n+c"},
    },
    "replacements": {"explanation": "b to c", "replacements": [{"filePath": "f", **OLD_NEW}]},
    "replacements of one file": {"filePath": "f", "replacements": [OLD_NEW]},
    "null for missing fields": {"path": "f", "insert_line": None, "content": None, **OLD_NEW},
    "the number of places": {"path": "f", "expected_replacements": 1, **OLD_NEW},
}


@pytest.mark.parametrize("message", CALLS.values(), ids=CALLS)
def test_every_form_of_a_call_is_applied(message: Any) -> None:
    assert changed_files(FILES, message) == {"f": CHANGED}


def test_several_calls_in_one_message_are_applied() -> None:
    calls = [{"name": "apply_patch", "input": body} for body in (BODY, BODY.replace("File: f", "File: d/f"))]
    assert changed_files(FILES, {"output": calls}) == {"f": CHANGED, "d/f": CHANGED}


def test_operations_that_create_and_delete_are_applied() -> None:
    created = {"operation": {"type": "create_file", "path": "n", "diff": "+x\n+\n"}}
    assert changed_files(FILES, created) == {"n": ("100644", b"x\n\n")}
    assert changed_files(FILES, {"operation": {"type": "delete_file", "path": "f"}}) == {"f": None}


NEW_ALONE: dict[str, tuple[dict[str, Any], str, bytes]] = {
    "a new file": ({"path": "n", "new_text": "x"}, "n", b"x"),
    "an empty file": ({"path": "empty", "old_string": "", "new_string": "x"}, "empty", b"x"),
    "before a line": ({"path": "f", "new_text": "x\ny", "insert_line": 2}, "f", b"a\nx\ny\nb\n"),
    "at the end": ({"path": "f", "new_text": "x", "insert_line": 3}, "f", b"a\nb\nx\n"),
    "every place": ({"path": "t", "old_str": "a", "new_str": "b", "allow_multiple": True}, "t", b"b b\n"),
    "both places": ({"path": "t", "old_str": "a", "new_str": "b", "expected_replacements": 2}, "t", b"b b\n"),
}


@pytest.mark.parametrize(("message", "path", "expected"), NEW_ALONE.values(), ids=NEW_ALONE)
def test_every_argument_name_is_accepted(message: dict[str, Any], path: str, expected: bytes) -> None:
    assert changed_files({**FILES, "t": "a a\n", "empty": ""}, message) == {path: ("100644", expected)}


TAGS = {
    "tags": "<apply_diff>\n<path>f</path>\n<diff>\n{block}</diff>\n</apply_diff>\n",
    "files in tags": "I do it.\n\n<apply_diff>\n<args>\n<file>\n<path>f</path>\n<diff>\n"
    "<content><![CDATA[\n{block}]]></content>\n</diff>\n</file>\n</args>\n</apply_diff>\n",
    "parameters": '<function_calls>\n<invoke name="edit">\n<parameter name="path">f</parameter>\n'
    '<parameter name="old_str">b</parameter>\n<parameter name="new_str">c</parameter>\n</invoke>\n'
    "</function_calls>\n",
    "functions": "<function=edit>\n<parameter=path>f</parameter>\n<parameter=old_str>\nb\n</parameter>\n"
    "<parameter=new_str>\nc\n</parameter>\n</function>\n",
}


@pytest.mark.parametrize("message", TAGS.values(), ids=TAGS)
def test_every_xml_form_is_applied(message: str) -> None:
    assert changed_files(FILES, message.format(block=BLOCK).encode()) == {"f": CHANGED}


def test_file_content_in_tags_keeps_its_last_newline() -> None:
    message = "<write_to_file>\n<path>n</path>\n<content>\n<b>\n  &lt;x\n</b>\n</content>\n</write_to_file>\n"
    assert changed_files({}, message.encode()) == {"n": ("100644", b"<b>\n  &lt;x\n</b>\n")}


def test_text_around_xml_calls_is_ignored() -> None:
    message = "<thinking>\nb?\n</thinking>\n" + TAGS["parameters"] + "<b>\nc!\n</b>\n"
    assert changed_files(FILES, message.encode()) == {"f": CHANGED}


def test_added_lines_may_look_like_a_call() -> None:
    content = TAGS["parameters"] + json.dumps({"input": BODY}) + "\n"
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    count = len(content.splitlines())
    diff = f"--- /dev/null\n+++ b/n\n@@ -0,0 +1,{count} @@\n{lines}"
    assert changed_files({}, diff.encode()) == {"n": ("100644", content.encode())}


PROSE = {
    "a fence": "I change it so:\n\n```json\n{}\n```\n\nThat is all.\n",
    "a line": "I change it so:\n{}\nThat is all.\n",
}


@pytest.mark.parametrize("template", PROSE.values(), ids=PROSE)
def test_json_after_prose_is_applied(template: str) -> None:
    assert changed_files(FILES, template.replace("{}", json.dumps({"path": "f", **OLD_NEW})).encode()) == {
        "f": CHANGED
    }


def test_all_json_after_prose_is_applied() -> None:
    first, second = (json.dumps({"path": path, **OLD_NEW}) for path in ("f", "d/f"))
    assert changed_files(FILES, f"One:\n{first}\nTwo:\n{second}\n".encode()) == {"f": CHANGED, "d/f": CHANGED}


OVERLAPPING = [{"old_str": "a\nb", "new_str": "a\nx\nb"}, {"old_str": "b\nc", "new_str": "x\nb\nc"}]


def test_overlapping_edits_of_one_call_are_refused() -> None:
    before: dict[str, Content] = {"f": "a\nb\nc\n"}
    for message in ({"path": "f", "edits": OVERLAPPING}, {"path": "f", "replacements": OVERLAPPING}):
        error = expect_error(before, message)
        assert error.code == "patch_failed"
        assert "edits 1 and 2" in error.message
    assert changed_files(before, [{"path": "f", **each} for each in OVERLAPPING])  # separate calls


def test_edits_of_one_call_are_applied_in_order() -> None:
    edits = [{"old_str": "a", "new_str": "x"}, {"old_str": "x\nb", "new_str": "y"}]
    assert patch_file("a\nb\n", {"path": "a.txt", "edits": edits}) == b"y\n"


REFUSED: dict[str, tuple[Any, str]] = {
    "too few places": (
        {"path": "f", "old_str": "b", "new_str": "c", "expected_replacements": 2},
        "count_mismatch",
    ),
    "a place and old text": ({"path": "f", "insert_line": 1, **OLD_NEW}, "invalid_args"),
    "a line before the first": ({"path": "f", "new_text": "x", "insert_line": 0}, "invalid_range"),
    "a missing line": ({"path": "f", "new_text": "x", "insert_line": 9}, "out_of_range"),
    "a file with content": ({"path": "f", "old_str": "", "new_str": "c"}, "exists"),
    "a patch next to a call": ([{"input": BODY}, {"path": "f", **OLD_NEW}], "invalid_args"),
    "an unclosed XML call": (TAGS["tags"].removesuffix("</apply_diff>\n"), "patch_failed"),
    "a step of an unknown kind": ({"operation": {"type": ["create_file"], "path": "n"}}, "invalid_args"),
    "a step without a file": ({"operation": {"type": "create_file", "diff": "+x\n"}}, "patch_failed"),
}


@pytest.mark.parametrize(("message", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_message_is_refused(message: Any, code: str) -> None:
    assert expect_error(FILES, message).code == code


def test_directory_outside_is_refused() -> None:
    assert expect_error(FILES, f"cd .. && {HERE_DOCUMENT}").code == "path_denied"


def test_path_of_the_operation_applies_to_a_call_without_one() -> None:
    result = apply_changeset(FILES, {"op": "patch", "diff": json.dumps({"diff": BLOCK})}, path="f")
    assert result.overlay.content("f") == b"a\nc\n"


def test_several_fences_of_json_are_applied() -> None:
    message = "".join(f"```json\n{json.dumps({'path': name, **OLD_NEW})}\n```\n" for name in ("f", "d/f"))
    assert changed_files(FILES, message) == {"f": CHANGED, "d/f": CHANGED}


def test_file_name_in_the_sentence_above_a_block_is_used() -> None:
    files: dict[str, Content] = {"f.py": "a\nb\n"}
    assert changed_files(files, f"In `f.py`, replace:\n```python\n{BLOCK}```\n") == {"f.py": CHANGED}
    assert expect_error(files, f"In `f.py` or `g.py`:\n{BLOCK}").code == "file_not_found"


def test_error_reports_the_block_or_edit() -> None:
    error = expect_error(FILES, f"f\n{BLOCK}\nd/f\n{BLOCK.partition('>>>')[0]}")
    assert "block 2 is not closed" in error.message
    edits = [{"old_str": "a", "new_str": "a"}, OLD_NEW]
    error = expect_error(FILES, {"path": "f", "edits": edits})
    assert (error.code, error.message) == ("no_change", "edit 1 of the patch leaves f as it is")


FUNCTION = {"function": {"name": "edit", "arguments": json.dumps({"path": "f", **OLD_NEW})}}
ASSISTANT = {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}
WRAPPED: dict[str, Any] = {
    "a completion": {"choices": [{"index": 0, "message": ASSISTANT}]},
    "a conversation": [{"role": "user", "content": "b to c"}, ASSISTANT, {"role": "tool", "content": "ok"}],
    "search and replace": {"filepath": "f", "search": "b", "replace": "c"},
    "a list of edits": {"edits": [{"path": "f", **OLD_NEW}]},
}


@pytest.mark.parametrize("message", WRAPPED.values(), ids=WRAPPED)
def test_every_wrapper_of_a_call_is_accepted(message: Any) -> None:
    assert changed_files(FILES, message) == {"f": CHANGED}


def test_edits_with_their_own_files_are_applied() -> None:
    message = {"edits": [{"path": "f", **OLD_NEW}, {"filePath": "d/f", "oldString": "b", "newString": "c"}]}
    assert changed_files(FILES, message) == {"f": CHANGED, "d/f": CHANGED}


def make_xml_call(form: str, **fields: str) -> str:
    """Return a call in an XML form."""
    if form == "invoke":
        rows = "".join(f'<parameter name="{name}">{text}</parameter>\n' for name, text in fields.items())
        return f'<function_calls>\n<invoke name="str_replace_editor">\n{rows}</invoke>\n</function_calls>\n'
    if form == "function":
        rows = "".join(f"<parameter={name}>{text}</parameter>\n" for name, text in fields.items())
        return f"<tool_call>\n<function=str_replace_editor>\n{rows}</function>\n</tool_call>\n"
    rows = "".join(f"<{name}>{text}</{name}>\n" for name, text in fields.items())
    return f"<str_replace_editor>\n{rows}</str_replace_editor>\n"


PAIRS = [
    ("b", "B\n"),
    ("b", "B\n\n"),
    ("b", "\nB"),
    ("b", "\nB\n"),
    ("b\n", "B\n"),
    ("b\n", "B"),
    ("a\nb", "x\n"),
    ("b\nc\n", ""),
    ("b\nc\n", "\n"),
    ("b", "B"),
]


@pytest.mark.parametrize("form", ["invoke", "function", "tags"])
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_text_in_xml_tags_is_read_as_in_json(form: str, old: str, new: str) -> None:
    before: dict[str, Content] = {"f": "a\nb\nc\n"}
    fields = {"path": "f", "command": "str_replace", "old_str": old, "new_str": new}
    expected = changed_files(before, {"name": "str_replace_editor", "input": fields})
    assert changed_files(before, make_xml_call(form, **fields)) == expected


@pytest.mark.parametrize("form", ["invoke", "function", "tags"])
@pytest.mark.parametrize(("old", "new"), [("b", "B"), ("b\nc", ""), ("a\nb", "B\n"), ("b", "  B")])
def test_block_in_xml_tags_is_read_as_its_lines(form: str, old: str, new: str) -> None:
    before: dict[str, Content] = {"f": "a\nb\nc\n"}
    fields = {"path": "f", "command": "str_replace", "old_str": old, "new_str": new}
    blocks = {name: f"\n{text}\n" if name.endswith("str") else text for name, text in fields.items()}
    assert changed_files(before, make_xml_call(form, **blocks)) == changed_files(
        before, {"name": "e", "input": fields}
    )
