"""Fixes that servers and linters offer: they are listed, and one of them is taken."""

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


def staged(repo: Sandbox) -> str:
    code = "x = 1\nif x == None:\n    pass\nmissing = x == None\n"
    done = scalpel(repo.root, "write", "a.py", "--overwrite", "--code", code, "--no-land", "--json")
    return str(done.data["tx"])


def test_each_diagnostic_has_the_fixes_that_are_offered_for_it(repo: Sandbox) -> None:
    tx = staged(repo)
    found = scalpel(repo.root, "check", tx, "--fixes", "--json").data
    rows = [(row["line"], [fix["n"] for fix in row["fixes"]]) for row in found["diagnostics"]]
    assert rows == [(2, [1]), (4, []), (4, [2])]
    first = found["diagnostics"][0]
    assert (first["by"], first["path"], first["message"]) == ("lint", "a.py", "odd comparison [E711]")
    assert "-if x == None:\n+if x is None:\n" in first["fixes"][0]["diff"]
    text = scalpel(repo.root, "check", tx, "--fixes").out
    assert "a.py:2:6: error: odd comparison [E711] [lint]\n  1. use is" in text
    assert "no name [F821] [lint]\n  no fix is offered" in text
    assert ("(unsafe)" in text) == (not first["fixes"][0]["is_safe"])


def test_the_one_that_is_named_is_taken(repo: Sandbox) -> None:
    tx = staged(repo)
    done = scalpel(repo.root, "check", tx, "--apply", "2", "--json").data
    assert done["tx"] == tx
    left = scalpel(repo.root, "check", tx, "--fixes", "--json").data["diagnostics"]
    assert [row["line"] for row in left] == [2, 4]
    with Repository(repo.root) as opened:
        opened.transaction(tx).take_fix(1)
        assert [row.line for row in opened.transaction(tx).fixes().diagnostics] == [4]
    assert blob(repo.root, "HEAD:a.py") == b"x = 1\n"
    assert scalpel(repo.root, "check", tx, "--apply", "9", "--json").error["code"] == "index_out_of_range"


def test_in_the_checkout_as_well(repo: Sandbox) -> None:
    (repo.root / "a.py").write_text("x = 1\ny = x == None\n")
    found = scalpel(repo.root, "check", "@checkout", "--fixes", "--json").data
    assert [fix["n"] for row in found["diagnostics"] for fix in row["fixes"]] == [1]
    assert scalpel(repo.root, "check", "@checkout", "--apply", "1").status == 0
    assert (repo.root / "a.py").read_text() == "x = 1\ny = x is None\n"
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_the_fixes_and_suggestions_of_eslint_are_offered() -> None:
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
    (found,) = diagnostics.read_output(log, "auto", lambda _: True) or ()
    assert [(each.title, each.is_safe) for each in found.remedies] == [("r", True), ("another", False)]
    (change,) = json.loads(found.remedies[0].patch)["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["deletedRegion"] == {
        "startLine": 1,
        "startColumn": 9,
        "endLine": 2,
        "endColumn": 1,
    }


def check(repo: Sandbox, *words: str) -> Answer:
    return scalpel(repo.root, "check", *words, "--json")


def test_fixes_are_not_for_what_is_staged_with_git(repo: Sandbox) -> None:
    assert check(repo, "--staged", "--fixes").error["code"] == "invalid_args"
