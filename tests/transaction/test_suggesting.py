"""What the team's commands suggest: they are told of a transaction, and answer with one on top of it."""

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
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def suggesting(repo: Sandbox, *lines: str, more: str = "") -> None:
    """Have commands in the rules, each a script for the shell."""
    tables = "".join(
        f"[[suggest]]\nname = 's{n}'\nrun = {json.dumps(line)}\n{more}\n" for n, line in enumerate(lines)
    )
    repo.commit({".gitscalpel.toml": tables.encode()})


def printing(**changeset: Any) -> str:
    return f"cat > /dev/null; echo '{json.dumps(changeset)}'"


def staged(repo: Sandbox, *words: str) -> str:
    return str(scalpel(repo.root, *(words or SIGNATURE), "--json").data["tx"])


def asked(repo: Sandbox, tx: str, *words: str) -> Answer:
    return scalpel(repo.root, "suggest", tx, "--json", *words)


FIX = {"op": "text", "path": "b.py", "old": "f(1)", "new": "f(1, 2)"}


def test_a_suggestion_stands_on_the_transaction_that_it_answers(repo: Sandbox) -> None:
    suggesting(repo, printing(message="Give f its y", ops=[FIX]))
    tx = staged(repo)
    (row,) = asked(repo, tx).data["suggestions"]
    assert (row["name"], row["state"], row["paths"], row["code"]) == ("s0", "checked", ["b.py"], None)
    assert row["message"] == f"Give f its y\n\nSuggested by s0 for transaction {tx}."
    made = row["tx"]
    shown = scalpel(repo.root, "show-tx", made, "--json").data
    assert (shown["answers"], shown["target"], shown["landed"]) == (tx, "main", None)
    assert shown["base"] == repo.git("rev-parse", f"refs/scalpel/tx/{tx}")
    assert f"(suggested for {tx})" in scalpel(repo.root, "list").out
    assert repo.files()["b.py"] == B


def test_it_lands_after_that_and_by_nobody_else(repo: Sandbox) -> None:
    suggesting(repo, printing(ops=[FIX]))
    tx = staged(repo)
    made = asked(repo, tx).data["suggestions"][0]["tx"]
    repo.commit({"c.txt": b"two\n"})
    error = scalpel(repo.root, "land", made, "--json").error
    assert (error["code"], error["data"]["answers"]) == ("operation_in_progress", tx)
    assert f"git scalpel land {tx}" in error["hint"]
    (stayed,) = scalpel(repo.root, "queue", made, "--json").error["data"]["stayed"]
    assert stayed["code"] == "operation_in_progress"
    assert scalpel(repo.root, "land", tx).status == 0
    assert repo.files()["b.py"] == B
    assert scalpel(repo.root, "land", made, "--json").data["state"] == "landed"
    assert repo.files()["b.py"] == B.replace(b"f(1)", b"f(1, 2)")
    assert repo.git("log", "-2", "--format=%s") == "Suggestion of s0\nChange the signature of f in a.py"


def test_a_suggestion_for_what_was_dropped_is_a_change_of_its_own(repo: Sandbox) -> None:
    suggesting(repo, printing(ops=[FIX]))
    tx = staged(repo)
    made = asked(repo, tx).data["suggestions"][0]["tx"]
    scalpel(repo.root, "drop", tx)
    assert scalpel(repo.root, "land", made).status == 0
    assert (repo.files()["a.py"], repo.files()["b.py"]) == (A, B.replace(b"f(1)", b"f(1, 2)"))


def test_who_asks_again_gets_the_same_suggestion(repo: Sandbox) -> None:
    suggesting(repo, printing(ops=[FIX]))
    tx = staged(repo)
    first, again = (asked(repo, tx).data["suggestions"][0]["tx"] for _ in range(2))
    assert first == again
    scalpel(repo.root, "text", "a.py", "--old", "return x", "--new", "return y", "--tx", tx)
    assert asked(repo, tx).data["suggestions"][0]["tx"] != first


def test_commands_are_told_what_has_changed_who_calls_it_and_what_was_found(
    repo: Sandbox, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    gate = "[[gates.command]]\nname = 'lint'\nrun = 'echo a.py:1:1: odd; exit 1'"
    suggesting(repo, f"cat > {told}; pwd; cat a.py >> {told}.seen; exit 3", more=f"\n{gate}")
    tx = staged(repo)
    assert scalpel(repo.root, "check", tx).status == 1
    asked(repo, tx)
    data = json.loads(told.read_text())
    assert (data["tx"], data["target"], data["paths"]) == (tx, "main", ["a.py"])
    assert data["intents"] == [{"kind": "signature_change", "symbol": "f", "path": "a.py"}]
    assert data["affected"] == [{"symbol": "f", "references": 2, "files": 1}]
    assert data["callers"] == [
        {"symbol": "f", "path": "b.py", "line": 1},
        {"symbol": "f", "path": "b.py", "line": 5},
    ]
    (found,) = data["findings"]
    assert (found["gate"], found["path"], found["line"], found["message"]) == ("lint", "a.py", 1, "odd")
    assert "def f(x, y)" in data["diff"]
    assert "def f(x, y)" in (tmp_path / "told.seen").read_text()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("echo no", "its output is not a changeset: this is not a changeset"),
        ("echo '{\"ops\": []}'", "the changeset has no operations"),
        ("echo oh no >&2; exit 3", "ended with exit status 3:\noh no"),
        (printing(onto="other", ops=[FIX]), "cannot set onto"),
        (printing(ops=[{**FIX, "old": "absent"}]), "its suggestion is rejected: not_found"),
        (printing(ops=[{**FIX, "new": "f(1"}]), "its suggestion is rejected: syntax_error"),
        (printing(ops=[{**FIX, "path": "../x"}]), "path_denied"),
    ],
)
def test_what_is_no_good_is_said_clearly(repo: Sandbox, line: str, words: str) -> None:
    suggesting(repo, line, printing(ops=[FIX]))
    tx = staged(repo)
    answer = asked(repo, tx)
    assert (answer.status, answer.error["code"]) == (1, "gate_failed")
    assert words in answer.error["message"]
    bad, good = answer.error["data"]["suggestions"]
    assert (bad["tx"], bad["code"]) == (None, "gate_failed")
    assert good["state"] == "checked"  # one that fails keeps no other


def test_what_takes_too_long_is_stopped(repo: Sandbox) -> None:
    suggesting(repo, "sleep 60", more="timeout = '300ms'")
    assert asked(repo, staged(repo)).error["code"] == "gate_timeout"


def test_gates_judge_it_and_it_stays_with_what_they_say(repo: Sandbox) -> None:
    gate = "[[gates.command]]\nname = 'tests'\nrun = '! grep -q 2 b.py'"
    suggesting(repo, printing(ops=[FIX]), more=f"\n{gate}")
    tx = staged(repo)
    answer = asked(repo, tx)
    (row,) = answer.error["data"]["suggestions"]
    assert (row["state"], row["code"]) == ("open", "gate_failed")
    assert scalpel(repo.root, "show-tx", row["tx"], "--json").data["gates"][-1]["status"] == "failed"


def test_nothing_to_suggest_is_nothing_wrong(repo: Sandbox) -> None:
    suggesting(repo, "cat > /dev/null; echo thinking >&2")
    said = scalpel(repo.root, "suggest", staged(repo))
    assert (said.status, said.out) == (0, "s0 has nothing to suggest\n")


def test_only_those_are_asked_whom_it_concerns(repo: Sandbox) -> None:
    suggesting(repo, printing(ops=[FIX]), more="paths = ['*.txt']")
    tx = staged(repo)
    assert asked(repo, tx).data["suggestions"] == []
    assert len(asked(repo, tx, "--only", "s0").data["suggestions"]) == 1
    assert "choose one of s0" in asked(repo, tx, "--only", "s1").error["hint"]


def test_they_are_trusted_first(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    suggesting(repo, printing(ops=[FIX]))
    tx = staged(repo)
    monkeypatch.delenv("SCALPEL_TRUST")
    assert "suggest s0" in asked(repo, tx).error["message"]
    assert asked(repo, tx).error["code"] == "untrusted"
    assert scalpel(repo.root, "trust").status == 0
    assert asked(repo, tx).status == 0


def test_rules_that_name_none_say_how(repo: Sandbox) -> None:
    assert "[[suggest]]" in asked(repo, staged(repo)).error["hint"]
