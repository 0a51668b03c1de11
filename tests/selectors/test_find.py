"""``find`` with names of LibCST over a folder: other languages and files that LibCST cannot read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import scalpel
from tests.sandbox import Sandbox

FILES = {"a.py": b"a = b and c\n", "old.py": b"print 1\n", "x.js": b"let a = 1 && 2;\n"}


def test_what_libcst_cannot_read_is_left_out_with_a_note(tmp_path: Path) -> None:
    root = Sandbox.of(tmp_path / "r", FILES).root
    done = scalpel(root, "find", "And", ".", "--json")
    told = json.loads(done.out)
    assert [(each["path"], each["node_id"]) for each in told["data"]["matches"]] == [("a.py", "And:6-9")]
    assert "not searched: old.py: LibCST cannot parse the file: line 1" in done.out + done.err


def test_a_file_that_is_named_is_refused(tmp_path: Path) -> None:
    root = Sandbox.of(tmp_path / "r", FILES).root
    for path, code in (("old.py", "unsupported_language"), ("x.js", "query_syntax")):
        told = json.loads(scalpel(root, "find", "And", path, "--json").out)
        assert told["error"]["code"] == code
    told = json.loads(scalpel(root, "find", "[value=1]", "x.js", "--json").out)
    assert "column 2: there is no attribute 'value'" in told["error"]["message"]
