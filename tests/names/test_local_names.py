"""Renames of local names and parameters list no text outside of their function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

PYTHON = {
    "a.py": b"def load(path):\n    # path of x\n    found = path  # load\n    return found\n",
    "b.py": b"from a import load\nload(path=1)\nprint('the found path')\n",
    "c.md": b"The `path` is found.\n",
}
GO = {
    "a.go": b"package a\n\n// F has a name.\nfunc F(name string) string { return name }\n\n// A name.\n",
}
NAMESPACE = {
    "a.ts": b"namespace N {\n  export const key = 1;\n}\n// key of N\n",
    "b.ts": b"namespace M { N.key }\n",
}


@pytest.mark.parametrize(
    ("files", "target", "notes", "changed"),
    [
        pytest.param(PYTHON, "a.py:3:found", [], {"a.py"}, id="a local"),
        pytest.param(
            PYTHON,
            "a.py:1:path",
            ["a.py:2: path is left: it is in a comment"],
            {"a.py", "b.py"},
            id="a parameter, which a caller names",
        ),
        pytest.param(
            GO,
            "a.go:4:name",
            ["a.go:3: name is left: it is in a comment"],
            {"a.go"},
            id="a comment above it",
        ),
        pytest.param(
            NAMESPACE,
            "a.ts:2:key",
            ["a.ts:4: key is left: it is in a comment"],
            {"a.ts", "b.ts"},
            id="a member of a namespace is not local",
        ),
    ],
)
def test_text_outside_of_the_function_is_not_listed(
    tmp_path: Path, files: dict[str, bytes], target: str, notes: list[str], changed: set[str]
) -> None:
    repo = Sandbox.of(tmp_path / "repo", files)
    data = scalpel(repo.root, "rename", target, "other", "--dry-run", "--json").data
    assert (data["unchecked"], {row["path"] for row in data["files"]}) == (notes, changed)
