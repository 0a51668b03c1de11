"""Fixes from language servers and linters are listed, and one of them is applied."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gitscalpel import Repository
from gitscalpel.gates import diagnostics
from tests.command import Answer, blob, scalpel
from tests.sandbox import Sandbox

PRINTER = """\
import json, pathlib
found = []
for path in sorted(pathlib.Path(".").glob("*.py")):
    for row, line in enumerate(path.read_text().splitlines(), 1):
        at = line.find("== None")
        if at >= 0:
            place = {"row": row, "column": at + 1}
            fix = {"applicability": "%s", "message": "use is", "edits": [{"content": "is", "location": place,
                   "end_location": {"row": row, "column": at + 3}}]}
            found.append({"filename": str(path), "location": place, "message": "odd comparison",
                          "code": "E711", "fix": fix})
        if "missing" in line:
            found.append({"filename": str(path), "location": {"row": row, "column": 1}, "message": "no name",
                          "code": "F821", "fix": None})
print(json.dumps(found))
raise SystemExit(bool(found))
"""


@pytest.fixture(params=["safe", "unsafe"])
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    command = f"name = 'lint'\nrun = '{sys.executable} lint.txt'\noutput = 'auto'\n"
    return Sandbox.of(
        tmp_path / "shop",
        {
            "a.py": b"x = 1\n",
            "lint.txt": (PRINTER % request.param).encode(),
            ".gitscalpel.toml": f"[gates]\ndiagnostics = 'new-errors'\n[[gates.command]]\n{command}".encode(),
        },
    )


def stage_errors(repo: Sandbox) -> str:
    code = "x = 1\nif x == None:\n    pass\nmissing = x == None\n"
    answer = scalpel(repo.root, "write", "a.py", "--overwrite", "--code", code, "--no-land", "--json")
    return str(answer.data["tx"])


def test_diagnostic_lists_its_fixes(repo: Sandbox) -> None:
    tx = stage_errors(repo)
    report = scalpel(repo.root, "check", tx, "--fixes", "--json").data
    rows = [(row["line"], [fix["n"] for fix in row["fixes"]]) for row in report["diagnostics"]]
    assert rows == [(2, [1]), (4, []), (4, [2])]
    first = report["diagnostics"][0]
    assert (first["by"], first["path"], first["message"]) == ("lint", "a.py", "odd comparison [E711]")
    assert "-if x == None:\n+if x is None:\n" in first["fixes"][0]["diff"]
    text = scalpel(repo.root, "check", tx, "--fixes").out
    assert "a.py:2:6: error: odd comparison [E711] [lint]\n  1. use is" in text
    assert "no name [F821] [lint]\n  no fix is offered" in text
    assert ("(unsafe)" in text) == (not first["fixes"][0]["is_safe"])


def test_named_fix_is_applied(repo: Sandbox) -> None:
    tx = stage_errors(repo)
    answer = scalpel(repo.root, "check", tx, "--apply", "2", "--json").data
    assert answer["tx"] == tx
    remaining = scalpel(repo.root, "check", tx, "--fixes", "--json").data["diagnostics"]
    assert [row["line"] for row in remaining] == [2, 4]
    with Repository(repo.root) as opened:
        opened.transaction(tx).take_fix(1)
        assert [row.line for row in opened.transaction(tx).fixes().diagnostics] == [4]
    assert blob(repo.root, "HEAD:a.py") == b"x = 1\n"
    assert scalpel(repo.root, "check", tx, "--apply", "9", "--json").error["code"] == "index_out_of_range"


def test_fix_is_applied_in_the_checkout(repo: Sandbox) -> None:
    (repo.root / "a.py").write_text("x = 1\ny = x == None\n")
    report = scalpel(repo.root, "check", "@checkout", "--fixes", "--json").data
    assert [fix["n"] for row in report["diagnostics"] for fix in row["fixes"]] == [1]
    assert scalpel(repo.root, "check", "@checkout", "--apply", "1").status == 0
    assert (repo.root / "a.py").read_text() == "x = 1\ny = x is None\n"
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_eslint_fixes_and_suggestions_are_read() -> None:
    fix = {"range": [8, 9], "text": "const"}
    row = {
        "ruleId": "r",
        "severity": 2,
        "message": "odd",
        "line": 2,
        "column": 1,
        "fix": fix,
        "suggestions": [{"desc": "another", "fix": {"range": [0, 0], "text": "x"}}],
    }
    log = json.dumps([{"filePath": "a.js", "messages": [row], "source": "a('😀');\nb\n"}])
    (diagnostic,) = diagnostics.read_output(log, "auto", lambda _: True) or ()
    assert [(remedy.title, remedy.is_safe) for remedy in diagnostic.remedies] == [
        ("r", True),
        ("another", False),
    ]
    (change,) = json.loads(diagnostic.remedies[0].patch)["runs"][0]["results"][0]["fixes"][0][
        "artifactChanges"
    ]
    assert change["replacements"][0]["deletedRegion"] == {
        "startLine": 1,
        "startColumn": 9,
        "endLine": 2,
        "endColumn": 1,
    }


def check(repo: Sandbox, *words: str) -> Answer:
    return scalpel(repo.root, "check", *words, "--json")


def test_fixes_of_the_index_are_rejected(repo: Sandbox) -> None:
    assert check(repo, "--staged", "--fixes").error["code"] == "invalid_args"
