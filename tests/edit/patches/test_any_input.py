"""Any input as a patch is applied or refused with an error, and nothing else happens."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.edit.patches.formats.format_detection import FORMATS
from gitscalpel.edit.patches.formats.patch_model import JsonFormat, TextFormat
from gitscalpel.errors import ScalpelError
from tests.edit.editing import Content, blob_id
from tests.edit.patches.patch_helpers import PatchInput, apply_patch

BEFORE: dict[str, Content] = {
    "a.txt": "old\nend\n",
    "a.py": "import a\n\n\ndef f():\n    return 1\n",
    "b": "x\r\ny\nz",
    "c": b"\xef\xbb\xbf\xf0\x9f\x98\x80\n",
    "d/e": b"\xff\x00",
    "l": ("120000", b"a.py"),
}


def try_patch(diff: PatchInput) -> None:
    with contextlib.suppress(ScalpelError):
        apply_patch(BEFORE, diff)


LINES = [
    *["diff --git a/b b/b", "--- a/b", "+++ b/b", "--- /dev/null", "+++ /dev/null", "@@ -1 +1 @@"],
    *["@@", "@@ -1,2 +1,9 @@", "@@ -0,0 +1 @@", " x", "-x", "+y", "-y\r", " y\r", "rename from b"],
    *["\\ No newline at end of file", "rename to n", "old mode 100644", "new mode 100755"],
    *["new file mode 120000", "deleted file mode 100644", "index 1111..2222 100644", "-- ", "2.39.2"],
    *["GIT binary patch", "literal 3", "delta 3", "KcmZ", "", "b", "<<<<<<< SEARCH", "=======", "x"],
    *[">>>>>>> REPLACE", ":start_line:1", "-------", "y", "z", "```", "*** Begin Patch", "@@ x"],
    *["*** Update File: b", "*** Add File: n", "*** Delete File: b", "*** Move to: n", "*** End Patch"],
    *["*** End of File", "```py path=b lines=1", "```py path=b base=none", "# ...", "{", "[", "}", "\0"],
    *["------- SEARCH", "+++++++ REPLACE", "\\=======", "  *** Update File: b", "apply_patch <<'EOF'"],
    *["cd d && apply_patch <<EOF", "EOF", "<edit>", "<path>b</path>", "<diff>", "</diff>", "</edit>"],
    *['<invoke name="e">', '<parameter name="path">b</parameter>', "</invoke>", "1 | x", "2\ty"],
    *["```py path=a.py", "import a", "def f():", "    return 1", "    return 2"],
]
LINES += [line for each in FORMATS if isinstance(each, TextFormat) for line in each.example.splitlines()]
texts = st.lists(st.sampled_from(LINES) | st.text(max_size=5), max_size=14).map("\n".join)


@given(st.binary(max_size=60) | texts.map(lambda text: text.encode("utf-8", "replace")))
def test_any_text_is_applied_or_refused(diff: bytes) -> None:
    try_patch(diff)


def _edit(start: list[int], end: list[int]) -> dict[str, Any]:
    first, last = ({"line": line, "character": character} for line, character in (start, end))
    return {"range": {"start": first, "end": last}, "newText": "q"}


NEW = {"new_string": "r"}
REGION = {"startLine": 1, "endLine": 1, "endColumn": 2}
SAMPLES: list[Any] = [
    {"path": "b", "old_str": "x", "new_str": "q", "replace_all": True},
    {"file_path": "b", "edits": [{"old_string": "x", "new_string": "q"}, {"old_string": "q"} | NEW]},
    [{"command": "insert", "path": "b", "insert_line": 1, "insert_text": "q"}],
    [{"command": "create", "path": "n", "file_text": "q\n"}, {"path": "n", "old_str": "q", "new_str": "r"}],
    {"name": "edit", "arguments": '{"path": "b", "old_str": "x", "new_str": "q"}'},
    {"path": "b", "insert_line": 2, "new_text": "q"},
    {"file_path": "b", "replacements": [{"old_string": "x", "new_string": "q", "expected_replacements": 1}]},
    {"path": "b", "diff": "<<<<<<< SEARCH\nx\n=======\nq\n>>>>>>> REPLACE"},
    ["bash", "-lc", "cd . && apply_patch <<E\n*** Begin Patch\n*** Delete File: b\n*** End Patch\nE"],
    {"output": [{"type": "reasoning"}, {"name": "apply_patch", "input": "*** Add File: n\n+q\n"}]},
    {"operation": {"type": "update_file", "path": "b", "diff": "@@\n-x\n+q\n"}},
    {"path": "b", "content": "q\n", "base": blob_id("x\r\ny\nz")},
    {"path": "a.py", "content": "import a\nimport b\n\n\ndef f():\n# ...\n    return 1\n"},
    {"changes": {"b": [_edit([0, 0], [1, 0]), _edit([1, 0], [1, 1])], "c": [_edit([0, 2], [0, 2])]}},
    {
        "documentChanges": [
            {"kind": "create", "uri": "n", "options": {"overwrite": True}},
            {"textDocument": {"uri": "n", "version": None}, "edits": [_edit([0, 0], [0, 0])]},
            {"kind": "rename", "oldUri": "d", "newUri": "g", "options": {"ignoreIfExists": True}},
            {"kind": "delete", "uri": "b", "options": {"recursive": True, "ignoreIfNotExists": True}},
        ]
    },
    {
        "runs": [
            {
                "columnKind": "utf16CodeUnits",
                "newlineSequences": ["\n"],
                "artifacts": [{"location": {"uri": "b"}}],
                "originalUriBaseIds": {"R": {"uri": ""}},
                "results": [
                    {
                        "fixes": [
                            {
                                "artifactChanges": [
                                    {
                                        "artifactLocation": {"uri": "b", "uriBaseId": "R", "index": 0},
                                        "replacements": [
                                            {
                                                "deletedRegion": REGION,
                                                "insertedContent": {"text": "q"},
                                            },
                                            {"deletedRegion": {"byteOffset": 3, "byteLength": 1}},
                                            {"deletedRegion": {"charOffset": 5, "charLength": 1}},
                                        ],
                                    }
                                ]
                            }
                        ]
                    }
                ],
            }
        ]
    },
    {
        "file": "b",
        "text": "y",
        "range": {"byteOffset": {"start": 3, "end": 4}},
        "replacement": "q",
        "replacementOffsets": {"start": 3, "end": 4},
    },
    [
        {
            "path": "b",
            "body": "```suggestion\nq\n```",
            "line": 2,
            "start_line": 2,
            "side": "RIGHT",
            "diff_hunk": "@@ -1 +1,2 @@\n-x\n+x\n+y",
            "original_line": 2,
        }
    ],
]
SAMPLES += [json.loads(each.example) for each in FORMATS if isinstance(each, JsonFormat)]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 6),
    st.sampled_from([10**30, 2**31 - 1, 2**63, -(2**70), 1.5, 1e300]),
    st.sampled_from(
        ["", "b", "c", "n", "d", "l", "x", "..", "/", ".git/x", "file:///b", "%00", "\0", "# ...", "😀"]
    ),
    st.text(max_size=4),
)
keys = st.sampled_from(
    ["path", "file_path", "content", "edits", "changes", "runs", "file", "range", "text", "body"]
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def _iter_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in ``value`` with each of its keys."""
    for key in (
        list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _iter_places(value[key])


@st.composite
def draw_changed_samples(draw: st.DrawFn) -> Any:
    """Draw a valid patch with some values replaced, removed or repeated."""
    sample = copy.deepcopy(draw(st.sampled_from(SAMPLES)))
    for _ in range(draw(st.integers(0, 3))):
        places = list(_iter_places(sample))
        if not places:
            break
        container, key = draw(st.sampled_from(places))
        action = draw(st.sampled_from(["replace", "remove", "repeat"]))
        if action == "replace":
            container[key] = draw(values)
        elif action == "remove":
            del container[key]
        elif isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
    return sample


@given(draw_changed_samples() | values)
def test_any_json_is_applied_or_refused(value: Any) -> None:
    try_patch(json.dumps(value).encode())


@given(draw_changed_samples(), st.data())
def test_damaged_json_is_applied_or_refused(value: Any, data: st.DataObject) -> None:
    raw = json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 8)))
    try_patch(raw[:start] + data.draw(st.binary(max_size=4)) + raw[end:])


def test_every_sample_is_valid() -> None:
    for sample in SAMPLES:
        apply_patch(BEFORE, json.dumps(sample))
