"""Conflict markers that a file quotes, and those that git left in it."""

from __future__ import annotations

import pytest

from tests.edit.editing import apply_changeset, expect_refusal, read_changes

MARKERS = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
QUOTED = {
    "guide.md": f"# Heer\n\n```\n{MARKERS}```\n\nheer\n=======\n",
    "guide.rst": f"{MARKERS}\nheer\n",
    "fixture.py": f'X = """\\\n{MARKERS}"""\nheer = 1\n',
    "fixture.ts": f"const x = `\n{MARKERS}`;\nconst heer = 1;\n",
    "fixture.go": f"package x\n\nvar y = `\n{MARKERS}`\nvar heer = 1\n",
    "comment.c": f"/*\n{MARKERS}*/\nint heer;\n",
    "crlf.py": f'X = """\n{MARKERS}"""\nheer = 1\n'.replace("\n", "\r\n"),
}
CONFLICTED = {
    "a.py": MARKERS.replace("a\n", "a = 1\n") + "heer = 1\n",
    "both.py": f'X = """\n{MARKERS}"""\n{MARKERS}heer = 1\n',
    "a.ts": f"const c = 1;\n{MARKERS}const heer = 1;\n",
    "a.json": f'{{\n{MARKERS}"heer": 1}}\n',
    "a.unknown": f"{MARKERS}heer\n",
}


@pytest.mark.parametrize("path", QUOTED)
def test_quoted_markers_are_content(path: str) -> None:
    edit = {"op": "text", "path": path, "old": "heer", "new": "here"}
    (_, after) = read_changes(apply_changeset({path: QUOTED[path]}, edit))[path] or ("", b"")
    assert after == QUOTED[path].replace("heer", "here").encode()


@pytest.mark.parametrize("path", CONFLICTED)
def test_conflicted_file_is_refused(path: str) -> None:
    assert (
        expect_refusal(
            {path: CONFLICTED[path]}, {"op": "text", "path": path, "old": "heer", "new": "here"}
        ).code
        == "conflicted"
    )
