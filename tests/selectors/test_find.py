"""``find`` with LibCST names over a directory with other languages and unparsable files."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import scalpel
from tests.sandbox import Sandbox

FILES = {"a.py": b"a = b and c\n", "old.py": b"print 1\n", "x.js": b"let a = 1 && 2;\n"}


def test_unparsable_file_is_skipped_with_a_note(tmp_path: Path) -> None:
    root = Sandbox.of(tmp_path / "r", FILES).root
    result = scalpel(root, "find", "And", ".", "--json")
    answer = json.loads(result.out)
    assert [(each["path"], each["node_id"]) for each in answer["data"]["matches"]] == [("a.py", "And:6-9")]
    assert "not searched: old.py: LibCST cannot parse the file: line 1" in result.out + result.err


def test_unsupported_named_file_is_refused(tmp_path: Path) -> None:
    root = Sandbox.of(tmp_path / "r", FILES).root
    for path, code in (("old.py", "unsupported_language"), ("x.js", "query_syntax")):
        answer = json.loads(scalpel(root, "find", "And", path, "--json").out)
        assert answer["error"]["code"] == code
    answer = json.loads(scalpel(root, "find", "[value=1]", "x.js", "--json").out)
    assert "column 2: unknown attribute 'value'" in answer["error"]["message"]
