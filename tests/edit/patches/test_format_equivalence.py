"""An edit gives the same bytes in every format as the plain operation, and git's diffs apply exactly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gitscalpel.edit.patches.formats.format_detection import FORMATS
from gitscalpel.edit.text_edits import replace_lines
from gitscalpel.edit.unified_diff import diff_texts
from gitscalpel.text import splice
from gitscalpel.text.document import Document
from tests.edit.editing import Content, blob_id, read_changes
from tests.edit.patches.patch_helpers import PatchInput, apply_patch, patch_file
from tests.git.tree_writer import write_tree
from tests.sandbox import Sandbox

words = st.text(st.sampled_from("ab é😀\u0301\t.x"), max_size=5)
ENDINGS: dict[str, list[str]] = {"lf": ["\n"], "crlf": ["\r\n"], "mixed": ["\n", "\r\n"]}


class LineEdit:
    """A file, and a range of its lines (from 1) that is replaced."""

    def __init__(
        self, rows: list[tuple[str, str]], ends: bool, first: int, last: int, new: list[str]
    ) -> None:
        self.lines = [line for line, _ in rows]
        self.text = "".join(line + ending for line, ending in rows)
        self.text = self.text if ends else self.text.removesuffix("\n").removesuffix("\r")
        self.first, self.last, self.new = first, last, new
        before = [line + ending for line, ending in rows]
        self.start = len("".join(before[: first - 1]))
        self.end = min(len("".join(before[:last])), len(self.text))
        self.old = self.text[self.start : self.end]
        self.new_text = "\n".join(new) + ("\n" if self.old.endswith("\n") else "")

    def expected(self, bom: bytes) -> bytes:
        document = Document.read(bom + self.text.encode())
        new = [line.encode() for line in self.new]
        edit = replace_lines(document, new, document.starts[self.first - 1], document.starts[self.last])
        return document.with_text(splice.apply(document.text, [edit])).raw


@st.composite
def draw_cases(draw: st.DrawFn, kinds: tuple[str, ...]) -> LineEdit:
    endings = ENDINGS[draw(st.sampled_from(kinds))]
    rows = draw(st.lists(st.tuples(words, st.sampled_from(endings)), min_size=1, max_size=6))
    first = draw(st.integers(1, len(rows)))
    last = draw(st.integers(first, len(rows)))
    ends = draw(st.booleans()) or not rows[-1][0]
    case = LineEdit(rows, ends, first, last, draw(st.lists(words, min_size=1, max_size=3)))
    assume(case.new != case.lines[first - 1 : last])
    assume(ends or case.new[-1])  # a blank last line without an ending is not a line
    return case


@pytest.mark.parametrize("example", [each.example for each in FORMATS], ids=[each.name for each in FORMATS])
@pytest.mark.parametrize("before", [b"old\nend\n", b"old\r\nend\r\n", b"old\nend"])
def test_example_of_every_format_is_applied(example: str, before: bytes) -> None:
    assert patch_file(before, example.encode()) == before.replace(b"old", b"new")


def test_formats_of_one_kind_have_different_priorities() -> None:
    ranks = [(type(each), each.priority) for each in FORMATS]
    assert len(set(ranks)) == len(ranks)


def lsp_edit(case: LineEdit) -> PatchInput:
    whole = case.old.endswith("\n")
    column = len(case.lines[case.last - 1].encode("utf-16-le")) // 2
    end = {"line": case.last, "character": 0} if whole else {"line": case.last - 1, "character": column}
    edit = {
        "range": {"start": {"line": case.first - 1, "character": 0}, "end": end},
        "newText": case.new_text,
    }
    return {"changes": {"a.txt": [edit]}}


def sarif_fix(case: LineEdit) -> PatchInput:
    end = {"endLine": case.last + 1, "endColumn": 1} if case.old.endswith("\n") else {"endLine": case.last}
    replacement = {
        "deletedRegion": {"startLine": case.first, **end},
        "insertedContent": {"text": case.new_text},
    }
    change = {"artifactLocation": {"uri": "a.txt"}, "replacements": [replacement]}
    return {"runs": [{"results": [{"fixes": [{"artifactChanges": [change]}]}]}]}


def sarif_characters(case: LineEdit) -> PatchInput:
    region = {"charOffset": case.start, "charLength": case.end - case.start}
    replacement = {"deletedRegion": region, "insertedContent": {"text": case.new_text}}
    change = {"artifactLocation": {"uri": "a.txt"}, "replacements": [replacement]}
    fixes = [{"artifactChanges": [change]}]
    return {"runs": [{"columnKind": "unicodeCodePoints", "results": [{"fixes": fixes}]}]}


def astgrep_match(case: LineEdit, bom: bytes) -> PatchInput:
    start = len(bom) + len(case.text[: case.start].encode())
    offset = {"start": start, "end": start + len(case.old.encode())}
    return {"file": "a.txt", "text": case.old, "range": {"byteOffset": offset}, "replacement": case.new_text}


def suggestion_comment(case: LineEdit) -> PatchInput:
    body = "```suggestion\n" + "".join(line + "\n" for line in case.new) + "```"
    return {"path": "a.txt", "body": body, "line": case.last, "start_line": case.first}


def fenced_block(case: LineEdit) -> PatchInput:
    body = "".join(line + "\n" for line in case.new)
    return f"```text path=a.txt lines={case.first}-{case.last}\n{body}```\n".encode()


@given(draw_cases(("lf", "crlf", "mixed")), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_formats_with_positions_give_equal_bytes(case: LineEdit, bom: bytes) -> None:
    before, expected = bom + case.text.encode(), case.expected(bom)
    assume(expected != before)
    for patch in (
        lsp_edit(case),
        sarif_fix(case),
        sarif_characters(case),
        astgrep_match(case, bom),
        suggestion_comment(case),
        fenced_block(case),
    ):
        assert patch_file(before, patch) == expected


def old_new_call(case: LineEdit) -> PatchInput:
    return {"file_path": "a.txt", "old_string": case.old, "new_string": case.new_text}


def search_replace_block(case: LineEdit) -> PatchInput:
    old, new = ("".join(line + "\n" for line in lines) for lines in (_old_lines(case), case.new))
    return f"a.txt\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n".encode()


def patch_envelope(case: LineEdit) -> PatchInput:
    hunk = [*("-" + line for line in _old_lines(case)), *("+" + line for line in case.new)]
    return "\n".join(["*** Begin Patch", "*** Update File: a.txt", "@@", *hunk, "*** End Patch"]).encode()


def minus_block(case: LineEdit) -> PatchInput:
    patch = search_replace_block(case)
    assert isinstance(patch, bytes)
    marks = (b"<<<<<<< ", b"------- "), (b">>>>>>> ", b"+++++++ ")
    for mark, other in marks:
        patch = patch.replace(mark, other)
    return patch


def shell_call(case: LineEdit) -> PatchInput:
    patch = patch_envelope(case)
    assert isinstance(patch, bytes)
    return ["bash", "-lc", f"apply_patch <<'EOF'\n{patch.decode()}\nEOF"]


def path_and_diff(case: LineEdit) -> PatchInput:
    patch = search_replace_block(case)
    assert isinstance(patch, bytes)
    return {"path": "a.txt", "diff": patch.decode().split("\n", 1)[1]}


def xml_call(case: LineEdit) -> PatchInput:
    fields = {"path": "a.txt", "old_string": f"\n{case.old}\n", "new_string": f"\n{case.new_text}\n"}
    parameters = "".join(f'<parameter name="{name}">{value}</parameter>\n' for name, value in fields.items())
    return f'<invoke name="edit">\n{parameters}</invoke>\n'.encode()


def _old_lines(case: LineEdit) -> list[str]:
    return case.lines[case.first - 1 : case.last]


def _is_unique(case: LineEdit) -> bool:
    old = _old_lines(case)
    found = [n for n in range(len(case.lines)) if case.lines[n : n + len(old)] == old]
    at = case.text.find(case.old)
    return len(found) == 1 and bool(case.old) and case.text.find(case.old, at + 1) < 0


def _may_look_applied(case: LineEdit) -> bool:
    """Return True if the surrounding lines look as if the edit was already made."""
    old, new = _old_lines(case), case.new
    shared = [n for n in range(len(new)) if new[n : n + len(old)] == old]
    return any(case.lines[case.first - 1 - n :][: len(new)] == new for n in shared if case.first - 1 - n >= 0)


@given(draw_cases(("lf", "crlf")), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_formats_with_old_text_give_equal_bytes(case: LineEdit, bom: bytes) -> None:
    assume(_is_unique(case))
    # If a last line without an ending is deleted, a hunk keeps the line before unchanged.
    assume(case.old.endswith("\n") or case.new[-1] not in _old_lines(case))
    assume(not _may_look_applied(case))
    before, expected = bom + case.text.encode(), case.expected(bom)
    for write_patch in (
        old_new_call,
        search_replace_block,
        minus_block,
        patch_envelope,
        shell_call,
        path_and_diff,
        xml_call,
    ):
        patch = write_patch(case)
        assert patch_file(before, patch) == expected


@given(draw_cases(("lf", "crlf", "mixed")))
def test_whole_files_and_diffs_give_equal_bytes(case: LineEdit) -> None:
    before, expected = case.text.encode(), case.expected(b"")
    assume(expected != before)
    file_edit = {"path": "a.txt", "content": expected.decode(), "base": blob_id(before)}
    assert patch_file(before, file_edit) == expected
    head = "--- a/a.txt\n+++ b/a.txt\n"
    assert patch_file(before, (head + diff_texts(before, expected).hunks).encode()) == expected


contents = st.lists(
    st.tuples(st.sampled_from([b"", b"a", b"b", b"  a", b"- x", b"++ y", b"\\", b"@@"]),
              st.sampled_from([b"\n", b"\n", b"\r\n"])), max_size=9
).map(lambda rows: b"".join(line + ending for line, ending in rows))  # fmt: skip
contents |= contents.map(lambda content: content.rstrip(b"\r\n")) | st.sampled_from([b"\0a", b"\0b\n"])
PATHS = ("x", "d/y", "z w", "ä")
trees = st.fixed_dictionaries({}, optional=dict.fromkeys(PATHS, st.tuples(contents, st.booleans())))
Tree = dict[str, tuple[bytes, bool]]


@pytest.fixture
def folder(tmp_path: Path) -> Sandbox:
    return Sandbox.init(tmp_path / "trees")


@settings(
    max_examples=max(1, settings().max_examples // 4),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(trees, trees, st.sampled_from(["-U3", "-U1"]), st.booleans())
def test_diff_of_git_is_applied_exactly(
    folder: Sandbox, old: Tree, new: Tree, context: str, renames: bool
) -> None:
    ids = [_write_tree(folder, tree) for tree in (old, new)]
    assume(ids[0] != ids[1])
    for before, after, reverse in ((old, new, []), (new, old, ["-R"])):
        options = ["--binary", context, "-M" if renames else "--no-renames", *reverse]
        diff = os.fsencode(folder.git("diff", *options, *ids)) + b"\n"
        files: dict[str, Content] = {path: _make_entry(*entry) for path, entry in before.items()}
        result = apply_patch(files, diff)
        for path, changed_entry in read_changes(result).items():
            if changed_entry is None:
                del files[path]
            else:
                files[path] = changed_entry
        assert files == {path: _make_entry(*entry) for path, entry in after.items()}


def _write_tree(folder: Sandbox, tree: Tree) -> str:
    """Write a tree of these files and return its id."""
    with folder.opened() as (_, store):
        return write_tree(store, None, {path: _make_entry(*entry) for path, entry in tree.items()})


def _make_entry(content: bytes, is_executable: bool) -> tuple[str, bytes]:
    return "100755" if is_executable else "100644", content
