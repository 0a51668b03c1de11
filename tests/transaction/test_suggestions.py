"""Suggest commands of the team: they read a transaction and answer with a change on top of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import Answer, scalpel
from tests.sandbox import Content, Sandbox

A = b"def f(x):\n    return x\n"
B = b"from a import f\n\n\ndef g():\n    return f(1)\n"
FILES: dict[str, Content] = {"a.py": A, "b.py": B, "c.txt": b"one\n"}
SIGNATURE = ("signature", "a.py::f", "--code", "def f(x, y):", "--no-land")


@pytest.fixture(autouse=True)
def trust_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def configure_suggest(repo: Sandbox, *lines: str, more: str = "") -> None:
    """Configure suggest commands in the policy file, one for each shell script."""
    tables = "".join(
        f"[[suggest]]\nname = 's{n}'\nrun = {json.dumps(line)}\n{more}\n" for n, line in enumerate(lines)
    )
    repo.commit({".gitscalpel.toml": tables.encode()})


def print_changeset(**changeset: Any) -> str:
    return f"cat > /dev/null; echo '{json.dumps(changeset)}'"


def stage_edit(repo: Sandbox, *words: str) -> str:
    return str(scalpel(repo.root, *(words or SIGNATURE), "--json").data["tx"])


def run_suggest(repo: Sandbox, tx: str, *words: str) -> Answer:
    return scalpel(repo.root, "suggest", tx, "--json", *words)


FIX = {"op": "text", "path": "b.py", "old": "f(1)", "new": "f(1, 2)"}


def test_suggestion_is_based_on_its_transaction(repo: Sandbox) -> None:
    configure_suggest(repo, print_changeset(message="Give f its y", ops=[FIX]))
    tx = stage_edit(repo)
    (row,) = run_suggest(repo, tx).data["suggestions"]
    assert (row["name"], row["state"], row["paths"], row["code"]) == ("s0", "checked", ["b.py"], None)
    assert row["message"] == f"Give f its y\n\nSuggested by s0 for transaction {tx}."
    suggestion = row["tx"]
    details = scalpel(repo.root, "show-tx", suggestion, "--json").data
    assert (details["answers"], details["target"], details["landed"]) == (tx, "main", None)
    assert details["base"] == repo.git("rev-parse", f"refs/scalpel/tx/{tx}")
    assert f"(suggested for {tx})" in scalpel(repo.root, "list").out
    assert repo.files()["b.py"] == B


def test_suggestion_lands_only_after_its_transaction(repo: Sandbox) -> None:
    configure_suggest(repo, print_changeset(ops=[FIX]))
    tx = stage_edit(repo)
    suggestion = run_suggest(repo, tx).data["suggestions"][0]["tx"]
    repo.commit({"c.txt": b"two\n"})
    error = scalpel(repo.root, "land", suggestion, "--json").error
    assert (error["code"], error["data"]["answers"]) == ("operation_in_progress", tx)
    assert f"git scalpel land {tx}" in error["hint"]
    (stayed,) = scalpel(repo.root, "queue", suggestion, "--json").error["data"]["stayed"]
    assert stayed["code"] == "operation_in_progress"
    assert scalpel(repo.root, "land", tx).status == 0
    assert repo.files()["b.py"] == B
    assert scalpel(repo.root, "land", suggestion, "--json").data["state"] == "landed"
    assert repo.files()["b.py"] == B.replace(b"f(1)", b"f(1, 2)")
    assert repo.git("log", "-2", "--format=%s") == "Suggestion of s0\nChange the signature of f in a.py"


def test_suggestion_for_a_dropped_transaction_lands_alone(repo: Sandbox) -> None:
    configure_suggest(repo, print_changeset(ops=[FIX]))
    tx = stage_edit(repo)
    suggestion = run_suggest(repo, tx).data["suggestions"][0]["tx"]
    scalpel(repo.root, "drop", tx)
    assert scalpel(repo.root, "land", suggestion).status == 0
    assert (repo.files()["a.py"], repo.files()["b.py"]) == (A, B.replace(b"f(1)", b"f(1, 2)"))


def test_repeated_suggest_returns_the_same_transaction(repo: Sandbox) -> None:
    configure_suggest(repo, print_changeset(ops=[FIX]))
    tx = stage_edit(repo)
    first, again = (run_suggest(repo, tx).data["suggestions"][0]["tx"] for _ in range(2))
    assert first == again
    scalpel(repo.root, "text", "a.py", "--old", "return x", "--new", "return y", "--tx", tx)
    assert run_suggest(repo, tx).data["suggestions"][0]["tx"] != first


def test_suggest_command_gets_diff_callers_and_findings(repo: Sandbox, tmp_path: Path) -> None:
    request_file = tmp_path / "told"
    gate = "[[gates.command]]\nname = 'lint'\nrun = 'echo a.py:1:1: odd; exit 1'"
    configure_suggest(
        repo, f"cat > {request_file}; pwd; cat a.py >> {request_file}.seen; exit 3", more=f"\n{gate}"
    )
    tx = stage_edit(repo)
    assert scalpel(repo.root, "check", tx).status == 1
    run_suggest(repo, tx)
    data = json.loads(request_file.read_text())
    assert (data["tx"], data["target"], data["paths"]) == (tx, "main", ["a.py"])
    assert data["intents"] == [{"kind": "signature_change", "symbol": "f", "path": "a.py"}]
    assert data["affected"] == [{"symbol": "f", "references": 2, "files": 1}]
    assert data["callers"] == [
        {"symbol": "f", "path": "b.py", "line": 1},
        {"symbol": "f", "path": "b.py", "line": 5},
    ]
    (finding,) = data["findings"]
    assert (finding["gate"], finding["path"], finding["line"], finding["message"]) == (
        "lint",
        "a.py",
        1,
        "odd",
    )
    assert "def f(x, y)" in data["diff"]
    assert "def f(x, y)" in (tmp_path / "told.seen").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("echo no", "its output is not a changeset: this is not a changeset"),
        ("echo '{\"ops\": []}'", "the changeset has no operations"),
        ("echo oh no >&2; exit 3", "ended with exit status 3:\noh no"),
        (print_changeset(onto="other", ops=[FIX]), "cannot set onto"),
        (print_changeset(ops=[{**FIX, "old": "absent"}]), "its suggestion is rejected: not_found"),
        (print_changeset(ops=[{**FIX, "new": "f(1"}]), "its suggestion is rejected: syntax_error"),
        (print_changeset(ops=[{**FIX, "path": "../x"}]), "path_denied"),
    ],
)
def test_invalid_suggestion_is_reported(repo: Sandbox, line: str, message: str) -> None:
    configure_suggest(repo, line, print_changeset(ops=[FIX]))
    tx = stage_edit(repo)
    answer = run_suggest(repo, tx)
    assert (answer.status, answer.error["code"]) == (1, "gate_failed")
    assert message in answer.error["message"]
    bad, good = answer.error["data"]["suggestions"]
    assert (bad["tx"], bad["code"]) == (None, "gate_failed")
    assert good["state"] == "checked"  # a failed suggestion does not stop the others


def test_slow_suggest_command_times_out(repo: Sandbox) -> None:
    configure_suggest(repo, "sleep 60", more="timeout = '300ms'")
    assert run_suggest(repo, stage_edit(repo)).error["code"] == "gate_timeout"


def test_suggestion_that_fails_a_gate_stays_open(repo: Sandbox) -> None:
    gate = "[[gates.command]]\nname = 'tests'\nrun = '! grep -q 2 b.py'"
    configure_suggest(repo, print_changeset(ops=[FIX]), more=f"\n{gate}")
    tx = stage_edit(repo)
    answer = run_suggest(repo, tx)
    (row,) = answer.error["data"]["suggestions"]
    assert (row["state"], row["code"]) == ("open", "gate_failed")
    assert scalpel(repo.root, "show-tx", row["tx"], "--json").data["gates"][-1]["status"] == "failed"


def test_empty_suggestion_is_not_an_error(repo: Sandbox) -> None:
    configure_suggest(repo, "cat > /dev/null; echo thinking >&2")
    answer = scalpel(repo.root, "suggest", stage_edit(repo))
    assert (answer.status, answer.out) == (0, "s0 has nothing to suggest\n")


def test_suggest_runs_only_for_matching_paths(repo: Sandbox) -> None:
    configure_suggest(repo, print_changeset(ops=[FIX]), more="paths = ['*.txt']")
    tx = stage_edit(repo)
    assert run_suggest(repo, tx).data["suggestions"] == []
    assert len(run_suggest(repo, tx, "--only", "s0").data["suggestions"]) == 1
    assert "choose one of s0" in run_suggest(repo, tx, "--only", "s1").error["hint"]


def test_suggest_command_needs_trust(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    configure_suggest(repo, print_changeset(ops=[FIX]))
    tx = stage_edit(repo)
    monkeypatch.delenv("SCALPEL_TRUST")
    assert "suggest s0" in run_suggest(repo, tx).error["message"]
    assert run_suggest(repo, tx).error["code"] == "untrusted"
    assert scalpel(repo.root, "trust").status == 0
    assert run_suggest(repo, tx).status == 0


def test_missing_suggest_table_has_a_hint(repo: Sandbox) -> None:
    assert "[[suggest]]" in run_suggest(repo, stage_edit(repo)).error["hint"]
