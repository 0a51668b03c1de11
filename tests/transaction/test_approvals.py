"""Approval of a change: required approvers, their decisions, and validity of decisions after an edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gitscalpel.errors import WaitsForPerson
from gitscalpel.git import oplog
from gitscalpel.git.oplog import Record
from gitscalpel.landing.landing import move
from gitscalpel.transaction import recovery
from gitscalpel.transaction.change import load_change
from gitscalpel.transaction.check import gate_runner
from gitscalpel.workspace.workspace import Session, Workspace
from tests.command import Answer, scalpel
from tests.sandbox import Content, Sandbox

PY = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"auth/a.py": PY, "b.py": PY, "c.txt": b"one\n"}
PATHS = '[approval]\npaths = ["auth/**"]\n'
AUTH = ("text", "auth/a.py", "--old", "return 1", "--new", "return 3")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {**FILES, ".gitscalpel.toml": PATHS.encode()})


def person_env(name: str, key: Path | None = None) -> dict[str, str]:
    """Return the environment of a person, with the key that signs."""
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", f"{name}@example.org"))
    }
    settings = {"gpg.format": "ssh", "user.signingkey": f"{key}.pub"} if key else {}
    keys = {f"GIT_CONFIG_KEY_{n}": name for n, name in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{n}": value for n, value in enumerate(settings.values())}
    return {**identity, **keys, **values, "GIT_CONFIG_COUNT": str(len(settings))}


ANN, BOB, EVE = person_env("ann"), person_env("bob"), person_env("eve")


def run_as(person: dict[str, str], repo: Sandbox, *words: str, **options: Any) -> Answer:
    return scalpel(repo.root, *words, "--json", env=person, **options)


def request_approval(repo: Sandbox, *words: str) -> str:
    """Make Ann's edit, which needs an approval, and return its transaction id."""
    error = run_as(ANN, repo, *(words or AUTH)).error
    assert error["code"] == "approval_required"
    return str(error["data"]["tx"])


def error_code(answer: Answer) -> str | None:
    return (answer.json.get("error") or {}).get("code")


def test_change_lands_after_approval_by_another_person(repo: Sandbox) -> None:
    answer = run_as(ANN, repo, *AUTH)
    data = answer.error["data"]
    assert (answer.status, data["missing"], data["needed"]) == (5, 1, ["auth/a.py (approval.paths)"])
    tx = data["tx"]
    assert error_code(run_as(ANN, repo, "approve", tx)) == "invalid_args"
    assert run_as(ANN, repo, "show-tx", tx).data["approval"]["missing"] == 1
    assert run_as(BOB, repo, "approve", tx, "-m", "fine").data["missing"] == 0
    assert (
        run_as(ANN, repo, "show-tx", tx).data["approval"]["decisions"][0]["user"] == "bob <bob@example.org>"
    )
    assert run_as(ANN, repo, "land", tx).data["state"] == "landed"
    assert repo.git("log", "-1", "--format=%an") == "ann"
    record = repo.git("show", "refs/scalpel/ops:record.json")
    assert '"bob <bob@example.org> ' in record


def test_approval_of_a_stale_head_is_rejected(repo: Sandbox) -> None:
    tx = request_approval(repo)
    head = run_as(BOB, repo, "show-tx", tx).data["head"]
    run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    assert run_as(BOB, repo, "approve", tx, "--expect", head[:10]).error["code"] == "stale"
    assert run_as(BOB, repo, "reject", tx, "-m", "no", "--expect", head).error["code"] == "stale"
    head = run_as(BOB, repo, "show-tx", tx).data["head"]
    assert run_as(BOB, repo, "approve", tx, "--expect", head[:10]).status == 0
    assert run_as(ANN, repo, "land", tx).status == 0


def test_redo_of_an_approved_undo_needs_approval(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    run_as(ANN, repo, "land", tx)
    repo.commit({"c.txt": b"two\n"})
    run_as(BOB, repo, "approve", run_as(ANN, repo, "undo").error["data"]["tx"])
    assert run_as(ANN, repo, "undo").status == 0
    error = run_as(ANN, repo, "redo").error
    assert error["code"] == "approval_required"
    assert repo.files()["auth/a.py"] == PY
    run_as(BOB, repo, "approve", error["data"]["tx"])
    assert run_as(ANN, repo, "redo").data["tx"] == tx
    assert repo.files()["auth/a.py"] != PY


def test_pending_gates_and_approvals_are_listed(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    command = '[[gates.command]]\nname = "test"\nrun = "true"\npaths = ["auth/**"]\n'
    repo.commit({".gitscalpel.toml": (PATHS + command).encode()})
    approval_note = "auth/a.py (approval.paths) needs 1 approval to land"
    gate_note = "gates.command test has not run yet; it runs on check or land"
    assert run_as(ANN, repo, *AUTH, "--dry-run").data["unchecked"] == [gate_note, approval_note]
    staged = run_as(ANN, repo, *AUTH, "--no-land").data
    assert staged["unchecked"] == [gate_note, approval_note]
    for _ in range(2):
        assert run_as(ANN, repo, "check", staged["tx"]).data["unchecked"] == [approval_note]
    run_as(BOB, repo, "approve", staged["tx"])
    assert run_as(ANN, repo, "land", staged["tx"]).data["unchecked"] == []
    assert run_as(ANN, repo, "show-tx", staged["tx"]).data["unchecked"] == []
    elsewhere = ("text", "c.txt", "--old", "one", "--new", "two", "--no-land")
    assert run_as(ANN, repo, *elsewhere).data["unchecked"] == [
        "c.txt: no parser for this type of file, so its syntax was not judged"
    ]


def test_change_outside_the_approval_paths_lands(repo: Sandbox) -> None:
    assert run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two").data["state"] == "landed"


@pytest.mark.parametrize(
    ("rules", "words", "needed"),
    [
        (
            'symbols = ["**::g"]',
            ("text", "b.py", "--old", "return 2", "--new", "return 3"),
            ["g in b.py (approval.symbols: **::g)"],
        ),
        ('symbols = ["**::g"]', ("text", "b.py", "--old", "return 1", "--new", "return 3"), []),
        (
            "max_lines = 1",
            ("text", "b.py", "--old", "return 1", "--new", "return 3"),
            ["2 lines change, 2 of them here; approval.max_lines is 1"],
        ),
        (
            "max_files = 0",
            ("text", "b.py", "--old", "return 1", "--new", "return 3"),
            ["1 file changes; approval.max_files is 0"],
        ),
    ],
)
def test_approval_rules_list_what_needs_approval(
    repo: Sandbox, rules: str, words: tuple[str, ...], needed: list[str]
) -> None:
    repo.commit({".gitscalpel.toml": f"[approval]\n{rules}\n".encode()})
    answer = run_as(ANN, repo, *words)
    assert (answer.error["data"]["needed"] if answer.status else []) == needed


def test_count_needs_different_approvers(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + "count = 2\n").encode()})
    tx = request_approval(repo)
    assert [run_as(BOB, repo, "approve", tx).data["missing"] for _ in range(2)] == [1, 1]
    assert run_as(EVE, repo, "approve", tx).data["missing"] == 0
    assert run_as(ANN, repo, "land", tx).status == 0


def test_approval_is_void_after_another_edit(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    error = run_as(ANN, repo, "land", tx).error
    assert error["code"] == "approval_required"
    assert "another one since" in error["message"]


TWINS = b"def f():\n    a = 1\n    return a\n\n\ndef g():\n    a = 1\n    return a\n"


def test_approval_is_void_for_a_line_in_another_function(repo: Sandbox) -> None:
    repo.commit({"b.py": TWINS})
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    line = ("--code", "    return True", "--tx", tx)
    run_as(ANN, repo, "lines", "b.py:2", "--after", *line)
    run_as(BOB, repo, "approve", tx)
    run_as(ANN, repo, "lines", "b.py:3", "--code", "", "--tx", tx)
    run_as(ANN, repo, "lines", "b.py:7", "--after", *line)
    diff = run_as(ANN, repo, "show-tx", tx).data["diff"]
    assert diff.count("\n+    return True") == 1
    assert diff.index("def g") < diff.index("return True")
    assert error_code(run_as(ANN, repo, "land", tx)) == "approval_required"
    run_as(EVE, repo, "approve", tx)
    assert run_as(ANN, repo, "land", tx).status == 0


def test_approval_is_void_for_a_line_moved_by_hand(repo: Sandbox) -> None:
    """A user sets the ref of the transaction and leaves its record unchanged."""
    repo.commit({"b.py": TWINS})
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    run_as(ANN, repo, "lines", "b.py:2", "--after", "--code", "    return True", "--tx", tx)
    run_as(BOB, repo, "approve", tx)
    index = {"GIT_INDEX_FILE": str(repo.root.parent / "index")}
    moved = TWINS[:-13] + b"    return True\n    return a\n"
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=repo.root, input=moved, capture_output=True, check=True
    ).stdout.decode()
    for words in (
        ["read-tree", f"refs/scalpel/tx/{tx}"],
        ["update-index", "--cacheinfo", f"100644,{blob.strip()},b.py"],
    ):
        subprocess.run(["git", *words], cwd=repo.root, env={**os.environ, **index}, check=True)
    env = {**os.environ, **index, **ANN}
    tree = subprocess.run(["git", "write-tree"], cwd=repo.root, env=env, capture_output=True, check=True)
    commit = repo.git("commit-tree", "-p", "main", "-m", "m", tree.stdout.decode().strip())
    repo.git("update-ref", f"refs/scalpel/tx/{tx}", commit)
    assert error_code(run_as(ANN, repo, "land", tx)) == "approval_required"


@pytest.mark.parametrize("edit_by", ["text", "run", "worktree"])
def test_approval_stays_void_after_a_reverted_edit(repo: Sandbox, edit_by: str) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    tree = repo.git("rev-parse", f"refs/scalpel/tx/{tx}^{{tree}}")
    for old, new in (("one", "two"), ("two", "one")):
        if edit_by == "text":
            run_as(ANN, repo, "text", "c.txt", "--old", old, "--new", new, "--tx", tx)
        elif edit_by == "run":
            run_as(ANN, repo, "run", "--tx", tx, "--", "sh", "-c", f"echo {new} > c.txt")
        else:
            folder = run_as(ANN, repo, "worktree", tx).data["worktree"]
            (Path(folder) / "c.txt").write_text(f"{new}\n")
            run_as(ANN, repo, "stage", tx)
    assert repo.git("rev-parse", f"refs/scalpel/tx/{tx}^{{tree}}") == tree
    error = run_as(ANN, repo, "land", tx).error
    assert error["code"] == "approval_required"
    assert "another one since" in error["message"]
    assert run_as(BOB, repo, "approve", tx).data["missing"] == 0
    assert run_as(ANN, repo, "land", tx).status == 0


def test_rejection_applies_after_a_reverted_edit(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "reject", tx, "-m", "no")
    for old, new in (("one", "two"), ("two", "one")):
        run_as(ANN, repo, "text", "c.txt", "--old", old, "--new", new, "--tx", tx)
    assert error_code(run_as(ANN, repo, "land", tx)) == "rejected"


def test_repeated_merges_keep_the_approval(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    run_as(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    run_as(BOB, repo, "approve", tx)
    repo.commit({".gitscalpel.toml": (PATHS + "count = 2\n").encode()})
    for header in (b"# one\n", b"# two\n# three\n"):
        repo.commit({"b.py": header + PY})
        assert run_as(ANN, repo, "land", tx).error["data"]["missing"] == 1
    run_as(EVE, repo, "approve", tx)
    assert run_as(ANN, repo, "land", tx).status == 0


def test_co_author_cannot_approve(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    assert error_code(run_as(BOB, repo, "approve", tx)) == "invalid_args"
    assert run_as(EVE, repo, "approve", tx).data["missing"] == 0


@pytest.mark.parametrize(
    ("path", "old", "survives"),
    [
        ("c.txt", b"one\ntwo\n", True),
        ("b.py", PY.replace(b"return 2", b"return 22"), True),
        ("auth/a.py", PY.replace(b"return 2", b"return 22"), False),
    ],
)
def test_merge_outside_the_paths_keeps_the_approval(
    repo: Sandbox, path: str, old: bytes, survives: bool
) -> None:
    tx = run_as(ANN, repo, *AUTH, "--no-land").data["tx"]
    run_as(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    run_as(BOB, repo, "approve", tx)
    repo.commit({path: old})
    assert error_code(run_as(ANN, repo, "land", tx)) == (None if survives else "approval_required")


def test_rejection_blocks_until_the_change_is_edited(repo: Sandbox) -> None:
    tx = run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--no-land").data["tx"]
    assert error_code(run_as(BOB, repo, "reject", tx)) == "invalid_args"
    run_as(BOB, repo, "reject", tx, "-m", "three is better")
    answer = run_as(ANN, repo, "land", tx)
    assert (error_code(answer), answer.status) == ("rejected", 5)
    assert "three is better" in answer.error["message"]
    run_as(ANN, repo, "text", "c.txt", "--old", "two", "--new", "three", "--tx", tx)
    assert run_as(ANN, repo, "land", tx).data["state"] == "landed"


def test_rejection_survives_a_policy_change(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "reject", tx, "-m", "no")
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["c.txt"]\n'})
    assert error_code(run_as(ANN, repo, "land", tx)) == "rejected"


def test_forged_author_record_does_not_allow_approval(repo: Sandbox) -> None:
    tx = request_approval(repo)
    record = json.loads(repo.git("cat-file", "blob", f"refs/scalpel/meta/{tx}"))
    record["by"] = ["eve <eve@example.org>"]
    blob = repo.git("hash-object", "-w", "--stdin", stdin=json.dumps(record))
    repo.git("update-ref", f"refs/scalpel/meta/{tx}", blob)
    assert error_code(run_as(ANN, repo, "approve", tx)) == "invalid_args"


def test_reviewer_can_approve_after_rejecting(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "reject", tx, "-m", "no")
    assert run_as(BOB, repo, "approve", tx).data["missing"] == 0
    assert run_as(ANN, repo, "land", tx).status == 0


def test_approval_expires(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + 'expires = "1s"\n').encode()})
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    time.sleep(2.1)
    assert "older than 1s" in run_as(ANN, repo, "land", tx).error["message"]


def test_approval_dated_in_the_future_does_not_count(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    tx = request_approval(repo)
    monkeypatch.chdir(repo.root)
    run_as(BOB, repo, "approve", tx)
    with Workspace(Session()) as ws, recovery.hold_lock(ws):
        record = next(oplog.read_log(ws.repo)).record
        later = msgspec.structs.replace(record, time=record.time + 10 * 86_400)
        repo.git("update-ref", "-d", "refs/scalpel/ops")
        oplog.append_record(ws.repo, ws.store, later)
    assert "in the future" in run_as(ANN, repo, "land", tx).error["message"]


@pytest.fixture
def keys(tmp_path: Path, repo: Sandbox) -> dict[str, Path]:
    """Create keys of three people. The team accepts the keys of two of them."""
    paths = {}
    for name in ("ann", "bob", "eve"):
        paths[name] = tmp_path / name
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(paths[name])]
        subprocess.run(words, check=True)
    accepted = "".join(f"{n}@example.org {paths[n].with_suffix('.pub').read_text()}" for n in ("ann", "bob"))
    rules = PATHS + 'signers = "signers"\n'
    repo.commit({"signers": accepted.encode(), ".gitscalpel.toml": rules.encode()})
    return paths


def test_only_signatures_of_accepted_keys_count(repo: Sandbox, keys: dict[str, Path]) -> None:
    tx = request_approval(repo)
    assert run_as(BOB, repo, "approve", tx).data["missing"] == 1
    assert run_as(person_env("eve", keys["eve"]), repo, "approve", tx).data["missing"] == 1
    assert run_as(person_env("bob", keys["ann"]), repo, "approve", tx).data["missing"] == 1
    reasons = [decision["why_not"] for decision in run_as(BOB, repo, "approve", tx).data["decisions"]]
    assert set(reasons) == {
        "it has no signature of an accepted key (signers)",
        "it is signed by ann@example.org (signers)",
    }
    assert run_as(person_env("bob", keys["bob"]), repo, "approve", tx).data["missing"] == 0
    assert run_as(ANN, repo, "land", tx).status == 0


def test_missing_signers_file_is_a_config_error(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + 'signers = "signers"\n').encode()})
    assert run_as(ANN, repo, *AUTH).error["code"] == "config_error"
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""


def test_key_added_by_the_change_does_not_count(repo: Sandbox, keys: dict[str, Path]) -> None:
    tx = request_approval(repo)
    key = keys["eve"].with_suffix(".pub").read_text()
    run_as(ANN, repo, "write", "signers", "--content", f"eve@example.org {key}", "--overwrite", "--tx", tx)
    assert run_as(person_env("eve", keys["eve"]), repo, "approve", tx).data["missing"] == 1


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (PATHS, ("rm", ".gitscalpel.toml")),
        ('[gates]\npinned = ["auth/**"]\n', ("mv", ".gitscalpel.toml", "old")),
        ('[approval]\nmax_lines = 5\nsigners = "./who [1].txt"\n', ("write", "who [1].txt", "--overwrite")),
    ],
)
def test_change_of_approval_rules_needs_approval(repo: Sandbox, rules: str, words: tuple[str, ...]) -> None:
    repo.commit({".gitscalpel.toml": rules.encode(), "who [1].txt": b"#\n"})
    assert (
        error_code(run_as(ANN, repo, *words, stdin="eve@example.org ssh-ed25519 AAAA\n"))
        == "approval_required"
    )
    assert run_as(ANN, repo, "rm", "c.txt").status == 0


def test_signed_commit_with_approval_text_does_not_count(repo: Sandbox, keys: dict[str, Path]) -> None:
    """Bob signs his work, in which another person has hidden the text of an approval."""
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    bob = {**os.environ, **person_env("bob", keys["bob"])}
    repo.git("checkout", "-q", "-f", "-b", "work", "refs/scalpel/ops")
    words = ["git", "commit", "-q", "-S", "--allow-empty", "-m", "my work"]
    subprocess.run(words, cwd=repo.root, env=bob, check=True)
    repo.git("update-ref", "refs/scalpel/ops", "work")
    repo.git("checkout", "-q", "-f", "main")
    assert run_as(ANN, repo, "land", tx).error["data"]["missing"] == 1
    audit = scalpel(repo.root, "audit", "verify", "--signers", "signers", "--json")
    assert repo.git("rev-parse", "work") in [fault["entry"] for fault in audit.error["data"]["faults"]]


def test_queue_lands_only_approved_changes(repo: Sandbox) -> None:
    tx = request_approval(repo)
    other = run_as(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--no-land").data["tx"]
    data = run_as(ANN, repo, "queue").error["data"]
    assert [row["tx"] for row in data["landed"]] == [other]
    assert [(row["tx"], row["code"]) for row in data["stayed"]] == [(tx, "approval_required")]
    run_as(BOB, repo, "approve", tx)
    assert [row["tx"] for row in run_as(ANN, repo, "queue").data["landed"]] == [tx]


def test_rejection_before_the_branch_moves_counts(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.root)
    tx = request_approval(repo)
    run_as(EVE, repo, "approve", tx)
    with Workspace(Session()) as ws:
        ready = gate_runner.require_approvals(ws, load_change(ws, tx))
        run_as(BOB, repo, "reject", tx, "-m", "no")
        with recovery.hold_lock(ws) as lock, pytest.raises(WaitsForPerson, match="has rejected"):
            move(ws, [ready], lock)
    assert repo.files()["auth/a.py"] == PY


@pytest.mark.parametrize("waiting_program", ["hook", "command"])
def test_approval_while_gates_run_counts(repo: Sandbox, tmp_path: Path, waiting_program: str) -> None:
    began, decided = tmp_path / "began", tmp_path / "decided"
    script = f"touch {began}; for i in $(seq 200); do test -e {decided} && exit 0; sleep 0.1; done; exit 1"
    if waiting_program == "hook":
        hook = repo.root / ".git/hooks/pre-commit"
        hook.write_text(f"#!/bin/sh\n{script}\n")
        hook.chmod(0o755)
    else:
        gate = f"[[gates.command]]\nname = 'g'\nrun = '{script}'\n"
        repo.commit({".gitscalpel.toml": f"{PATHS}{gate}".encode()})
    tx = str(run_as(ANN, repo, *AUTH, "--no-land").data["tx"])
    words = [sys.executable, "-m", "gitscalpel", "land", tx]
    env = {**os.environ, **ANN, "SCALPEL_TRUST": "1"}
    with subprocess.Popen(words, cwd=repo.root, env=env, stdout=-1, stderr=-1, text=True) as landing:
        while not began.exists():
            time.sleep(0.05)
        assert run_as(BOB, repo, "approve", tx).status == 0
        decided.touch()
        _, errors = landing.communicate()
    assert (landing.returncode, repo.files()["auth/a.py"]) == (0, PY.replace(b"return 1", b"return 3")), (
        errors
    )


def test_rejection_counts_despite_a_slow_clock(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.root)
    tx = request_approval(repo)
    run_as(BOB, repo, "reject", tx, "-m", "no")
    with Workspace(Session()) as ws, recovery.hold_lock(ws):
        earlier = int(time.time()) - 10 * 86_400
        oplog.append_record(
            ws.repo, ws.store, Record(kind="drop", tx="another1", user="eve <eve@x>", time=earlier)
        )
    assert error_code(run_as(ANN, repo, "land", tx)) == "rejected"


def test_undo_of_a_policy_change_needs_approval(repo: Sandbox) -> None:
    rules = repo.files()[".gitscalpel.toml"]
    wider = (
        "text",
        ".gitscalpel.toml",
        "--old",
        'paths = ["auth/**"]',
        "--new",
        'paths = ["auth/**", "*.txt"]',
    )
    tx = request_approval(repo, *wider)
    assert run_as(BOB, repo, "approve", tx).status == 0
    assert run_as(ANN, repo, "land", tx).status == 0
    error = run_as(ANN, repo, "undo").error
    assert error["code"] == "approval_required"
    assert repo.files()[".gitscalpel.toml"] != rules
    assert (
        scalpel(repo.root, "list", "--json").data["transactions"][0]["message"]
        == "Undo: Change approval.paths in .gitscalpel.toml"
    )
    assert run_as(BOB, repo, "approve", error["data"]["tx"]).status == 0
    assert run_as(ANN, repo, "land", error["data"]["tx"]).status == 0
    assert repo.files()[".gitscalpel.toml"] == rules


def test_approved_undo_is_one_operation(repo: Sandbox) -> None:
    tx = request_approval(repo)
    run_as(BOB, repo, "approve", tx)
    assert run_as(ANN, repo, "land", tx).status == 0
    repo.commit({"c.txt": b"two\n"})
    first, again = (run_as(ANN, repo, "undo").error for _ in range(2))
    assert first["code"] == "approval_required"
    assert again["data"]["tx"] == first["data"]["tx"]
    run_as(BOB, repo, "approve", first["data"]["tx"])
    assert run_as(ANN, repo, "undo").data["tx"] == tx
    assert repo.files()["auth/a.py"] == PY
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""
    last = json.loads(scalpel(repo.root, "audit", "export").out.splitlines()[-1])
    assert last["kind"] == "undo"
    assert last["approved"][0].startswith("bob")


def test_approval_survives_a_failed_undo(repo: Sandbox, tmp_path: Path) -> None:
    flag = tmp_path / "bad"
    gate = f'{PATHS}[gates]\nremember = "0s"\n[[gates.command]]\nname = "g"\nrun = "test ! -e {flag}"\n'
    repo.commit({".gitscalpel.toml": gate.encode()})
    ann = {**ANN, "SCALPEL_TRUST": "1"}
    tx = str(run_as(ann, repo, *AUTH).error["data"]["tx"])
    run_as(BOB, repo, "approve", tx)
    assert run_as(ann, repo, "land", tx).status == 0
    repo.commit({"c.txt": b"two\n"})
    request = run_as(ann, repo, "undo").error["data"]["tx"]
    run_as(BOB, repo, "approve", request)
    flag.touch()
    assert run_as(ann, repo, "undo").error["code"] == "gate_failed"
    flag.unlink()
    repo.write({"auth/a.py": b"mine\n"})
    assert run_as(ann, repo, "undo").error["code"] == "dirty_overlap"
    repo.write({"auth/a.py": PY.replace(b"return 1", b"return 3")})
    run_as(EVE, repo, "reject", request, "-m", "wait")
    error = run_as(ann, repo, "undo").error
    assert (error["code"], "the same command again" in error["hint"]) == ("rejected", False)
    run_as(EVE, repo, "approve", request)
    assert run_as(ann, repo, "undo").data["tx"] == tx
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""


def test_symlink_over_a_guarded_path_needs_approval(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["migrations/**"]\n'})
    link = ("run", "--json", "--", "ln", "-s", "auth", "migrations")
    assert scalpel(repo.root, *link, env=ANN).error["code"] == "approval_required"


def test_missing_approval_is_listed_once(repo: Sandbox) -> None:
    tx = request_approval(repo)
    assert scalpel(repo.root, "list").out.count("approval.paths") == 1
    assert scalpel(repo.root, "show-tx", tx).out.count("approval.paths") == 1
