"""Who has to agree to a change, who has, and what becomes of that when the change becomes another one."""

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


def person(name: str, key: Path | None = None) -> dict[str, str]:
    """The environment of somebody, with a key to sign with."""
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", f"{name}@example.org"))
    }
    settings = {"gpg.format": "ssh", "user.signingkey": f"{key}.pub"} if key else {}
    keys = {f"GIT_CONFIG_KEY_{n}": name for n, name in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{n}": value for n, value in enumerate(settings.values())}
    return {**who, **keys, **values, "GIT_CONFIG_COUNT": str(len(settings))}


ANN, BOB, EVE = person("ann"), person("bob"), person("eve")


def by(who: dict[str, str], repo: Sandbox, *words: str, **how: Any) -> Answer:
    return scalpel(repo.root, *words, "--json", env=who, **how)


def waiting(repo: Sandbox, *words: str) -> str:
    """Ann's edit, which has to be agreed to; its id."""
    error = by(ANN, repo, *(words or AUTH)).error
    assert error["code"] == "approval_required"
    return str(error["data"]["tx"])


def code(answer: Answer) -> str | None:
    return (answer.json.get("error") or {}).get("code")


def test_it_stays_open_until_somebody_else_agrees(repo: Sandbox) -> None:
    answer = by(ANN, repo, *AUTH)
    data = answer.error["data"]
    assert (answer.status, data["missing"], data["needed"]) == (5, 1, ["auth/a.py (approval.paths)"])
    tx = data["tx"]
    assert code(by(ANN, repo, "approve", tx)) == "invalid_args"
    assert by(ANN, repo, "show-tx", tx).data["approval"]["missing"] == 1
    assert by(BOB, repo, "approve", tx, "-m", "fine").data["missing"] == 0
    assert by(ANN, repo, "show-tx", tx).data["approval"]["decisions"][0]["user"] == "bob <bob@example.org>"
    assert by(ANN, repo, "land", tx).data["state"] == "landed"
    assert repo.git("log", "-1", "--format=%an") == "ann"
    record = repo.git("show", "refs/scalpel/ops:record.json")
    assert '"bob <bob@example.org> ' in record


def test_what_was_not_looked_at_is_not_agreed_to(repo: Sandbox) -> None:
    tx = waiting(repo)
    seen = by(BOB, repo, "show-tx", tx).data["head"]
    by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    assert by(BOB, repo, "approve", tx, "--expect", seen[:10]).error["code"] == "stale"
    assert by(BOB, repo, "reject", tx, "-m", "no", "--expect", seen).error["code"] == "stale"
    seen = by(BOB, repo, "show-tx", tx).data["head"]
    assert by(BOB, repo, "approve", tx, "--expect", seen[:10]).status == 0
    assert by(ANN, repo, "land", tx).status == 0


def test_what_people_have_agreed_to_take_back_is_not_made_again_without_them(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    by(ANN, repo, "land", tx)
    repo.commit({"c.txt": b"two\n"})
    by(BOB, repo, "approve", by(ANN, repo, "undo").error["data"]["tx"])
    assert by(ANN, repo, "undo").status == 0
    error = by(ANN, repo, "redo").error
    assert error["code"] == "approval_required"
    assert repo.files()["auth/a.py"] == PY
    by(BOB, repo, "approve", error["data"]["tx"])
    assert by(ANN, repo, "redo").data["tx"] == tx
    assert repo.files()["auth/a.py"] != PY


def test_what_is_still_to_be_judged_is_said_before(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    command = '[[gates.command]]\nname = "test"\nrun = "true"\npaths = ["auth/**"]\n'
    repo.commit({".gitscalpel.toml": (PATHS + command).encode()})
    people = "auth/a.py (approval.paths) needs 1 approval to land"
    tests = "gates.command test has not run yet; it runs on check or land"
    assert by(ANN, repo, *AUTH, "--dry-run").data["unchecked"] == [tests, people]
    staged = by(ANN, repo, *AUTH, "--no-land").data
    assert staged["unchecked"] == [tests, people]
    for _ in range(2):
        assert by(ANN, repo, "check", staged["tx"]).data["unchecked"] == [people]
    by(BOB, repo, "approve", staged["tx"])
    assert by(ANN, repo, "land", staged["tx"]).data["unchecked"] == []
    assert by(ANN, repo, "show-tx", staged["tx"]).data["unchecked"] == []
    elsewhere = ("text", "c.txt", "--old", "one", "--new", "two", "--no-land")
    assert by(ANN, repo, *elsewhere).data["unchecked"] == [
        "c.txt: no parser for this type of file, so its syntax was not judged"
    ]


def test_what_needs_nobody_lands(repo: Sandbox) -> None:
    assert by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two").data["state"] == "landed"


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
def test_what_needs_somebody(repo: Sandbox, rules: str, words: tuple[str, ...], needed: list[str]) -> None:
    repo.commit({".gitscalpel.toml": f"[approval]\n{rules}\n".encode()})
    answer = by(ANN, repo, *words)
    assert (answer.error["data"]["needed"] if answer.status else []) == needed


def test_as_many_have_to_agree_as_the_rules_say_each_once(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + "count = 2\n").encode()})
    tx = waiting(repo)
    assert [by(BOB, repo, "approve", tx).data["missing"] for _ in range(2)] == [1, 1]
    assert by(EVE, repo, "approve", tx).data["missing"] == 0
    assert by(ANN, repo, "land", tx).status == 0


def test_a_change_that_has_become_another_one_has_lost_them(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    error = by(ANN, repo, "land", tx).error
    assert error["code"] == "approval_required"
    assert "another one since" in error["message"]


TWINS = b"def f():\n    a = 1\n    return a\n\n\ndef g():\n    a = 1\n    return a\n"


def test_the_same_line_in_another_function_is_another_change(repo: Sandbox) -> None:
    repo.commit({"b.py": TWINS})
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    line = ("--code", "    return True", "--tx", tx)
    by(ANN, repo, "lines", "b.py:2", "--after", *line)
    by(BOB, repo, "approve", tx)
    by(ANN, repo, "lines", "b.py:3", "--code", "", "--tx", tx)
    by(ANN, repo, "lines", "b.py:7", "--after", *line)
    diff = by(ANN, repo, "show-tx", tx).data["diff"]
    assert diff.count("\n+    return True") == 1
    assert diff.index("def g") < diff.index("return True")
    assert code(by(ANN, repo, "land", tx)) == "approval_required"
    by(EVE, repo, "approve", tx)
    assert by(ANN, repo, "land", tx).status == 0


def test_the_same_line_is_not_moved_by_hand_either(repo: Sandbox) -> None:
    """Neither by a ref that somebody sets, with the record as it was."""
    repo.commit({"b.py": TWINS})
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    by(ANN, repo, "lines", "b.py:2", "--after", "--code", "    return True", "--tx", tx)
    by(BOB, repo, "approve", tx)
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
    made = {**os.environ, **index, **ANN}
    tree = subprocess.run(["git", "write-tree"], cwd=repo.root, env=made, capture_output=True, check=True)
    commit = repo.git("commit-tree", "-p", "main", "-m", "m", tree.stdout.decode().strip())
    repo.git("update-ref", f"refs/scalpel/tx/{tx}", commit)
    assert code(by(ANN, repo, "land", tx)) == "approval_required"


@pytest.mark.parametrize("meanwhile", ["text", "run", "worktree"])
def test_a_change_that_is_the_same_again_has_lost_them_for_good(repo: Sandbox, meanwhile: str) -> None:
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    was = repo.git("rev-parse", f"refs/scalpel/tx/{tx}^{{tree}}")
    for old, new in (("one", "two"), ("two", "one")):
        if meanwhile == "text":
            by(ANN, repo, "text", "c.txt", "--old", old, "--new", new, "--tx", tx)
        elif meanwhile == "run":
            by(ANN, repo, "run", "--tx", tx, "--", "sh", "-c", f"echo {new} > c.txt")
        else:
            folder = by(ANN, repo, "worktree", tx).data["worktree"]
            (Path(folder) / "c.txt").write_text(f"{new}\n")
            by(ANN, repo, "stage", tx)
    assert repo.git("rev-parse", f"refs/scalpel/tx/{tx}^{{tree}}") == was
    error = by(ANN, repo, "land", tx).error
    assert error["code"] == "approval_required"
    assert "another one since" in error["message"]
    assert by(BOB, repo, "approve", tx).data["missing"] == 0
    assert by(ANN, repo, "land", tx).status == 0


def test_a_rejection_of_a_change_that_is_the_same_again_stands_again(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "reject", tx, "-m", "no")
    for old, new in (("one", "two"), ("two", "one")):
        by(ANN, repo, "text", "c.txt", "--old", old, "--new", new, "--tx", tx)
    assert code(by(ANN, repo, "land", tx)) == "rejected"


def test_one_merge_after_another_leaves_them(repo: Sandbox) -> None:
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    by(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    by(BOB, repo, "approve", tx)
    repo.commit({".gitscalpel.toml": (PATHS + "count = 2\n").encode()})
    for header in (b"# one\n", b"# two\n# three\n"):
        repo.commit({"b.py": header + PY})
        assert by(ANN, repo, "land", tx).error["data"]["missing"] == 1
    by(EVE, repo, "approve", tx)
    assert by(ANN, repo, "land", tx).status == 0


def test_who_has_added_to_it_cannot_agree_to_it(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "text", "c.txt", "--old", "one", "--new", "two", "--tx", tx)
    assert code(by(BOB, repo, "approve", tx)) == "invalid_args"
    assert by(EVE, repo, "approve", tx).data["missing"] == 0


@pytest.mark.parametrize(
    ("path", "old", "survives"),
    [
        ("c.txt", b"one\ntwo\n", True),
        ("b.py", PY.replace(b"return 2", b"return 22"), True),
        ("auth/a.py", PY.replace(b"return 2", b"return 22"), False),
    ],
)
def test_a_merge_that_leaves_the_paths_alone_leaves_them(
    repo: Sandbox, path: str, old: bytes, survives: bool
) -> None:
    tx = by(ANN, repo, *AUTH, "--no-land").data["tx"]
    by(ANN, repo, "text", "b.py", "--old", "return 1", "--new", "return 3", "--tx", tx)
    by(BOB, repo, "approve", tx)
    repo.commit({path: old})
    assert code(by(ANN, repo, "land", tx)) == (None if survives else "approval_required")


def test_a_rejection_stands_until_the_change_is_another_one(repo: Sandbox) -> None:
    tx = by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--no-land").data["tx"]
    assert code(by(BOB, repo, "reject", tx)) == "invalid_args"
    by(BOB, repo, "reject", tx, "-m", "three is better")
    answer = by(ANN, repo, "land", tx)
    assert (code(answer), answer.status) == ("rejected", 5)
    assert "three is better" in answer.error["message"]
    by(ANN, repo, "text", "c.txt", "--old", "two", "--new", "three", "--tx", tx)
    assert by(ANN, repo, "land", tx).data["state"] == "landed"


def test_other_rules_take_no_rejection_back(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "reject", tx, "-m", "no")
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["c.txt"]\n'})
    assert code(by(ANN, repo, "land", tx)) == "rejected"


def test_who_has_added_to_it_may_not_take_the_name_of_another(repo: Sandbox) -> None:
    tx = waiting(repo)
    record = json.loads(repo.git("cat-file", "blob", f"refs/scalpel/meta/{tx}"))
    record["by"] = ["eve <eve@example.org>"]
    blob = repo.git("hash-object", "-w", "--stdin", stdin=json.dumps(record))
    repo.git("update-ref", f"refs/scalpel/meta/{tx}", blob)
    assert code(by(ANN, repo, "approve", tx)) == "invalid_args"


def test_who_has_rejected_it_may_think_again(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "reject", tx, "-m", "no")
    assert by(BOB, repo, "approve", tx).data["missing"] == 0
    assert by(ANN, repo, "land", tx).status == 0


def test_an_approval_does_not_hold_for_ever(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + 'expires = "1s"\n').encode()})
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    time.sleep(2.1)
    assert "older than 1s" in by(ANN, repo, "land", tx).error["message"]


def test_an_approval_from_the_days_to_come_does_not_count(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    tx = waiting(repo)
    monkeypatch.chdir(repo.root)
    by(BOB, repo, "approve", tx)
    with Workspace(Session()) as ws, recovery.hold_lock(ws):
        given = next(oplog.read_log(ws.repo)).record
        later = msgspec.structs.replace(given, time=given.time + 10 * 86_400)
        repo.git("update-ref", "-d", "refs/scalpel/ops")
        oplog.append_record(ws.repo, ws.store, later)
    assert "in the future" in by(ANN, repo, "land", tx).error["message"]


@pytest.fixture
def keys(tmp_path: Path, repo: Sandbox) -> dict[str, Path]:
    """Keys of three; the team knows those of two of them."""
    found = {}
    for name in ("ann", "bob", "eve"):
        found[name] = tmp_path / name
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(found[name])]
        subprocess.run(words, check=True)
    known = "".join(f"{n}@example.org {found[n].with_suffix('.pub').read_text()}" for n in ("ann", "bob"))
    rules = PATHS + 'signers = "signers"\n'
    repo.commit({"signers": known.encode(), ".gitscalpel.toml": rules.encode()})
    return found


def test_where_keys_are_known_only_their_signatures_count(repo: Sandbox, keys: dict[str, Path]) -> None:
    tx = waiting(repo)
    assert by(BOB, repo, "approve", tx).data["missing"] == 1
    assert by(person("eve", keys["eve"]), repo, "approve", tx).data["missing"] == 1
    assert by(person("bob", keys["ann"]), repo, "approve", tx).data["missing"] == 1
    told = [each["why_not"] for each in by(BOB, repo, "approve", tx).data["decisions"]]
    assert set(told) == {
        "it has no signature of an accepted key (signers)",
        "it is signed by ann@example.org (signers)",
    }
    assert by(person("bob", keys["bob"]), repo, "approve", tx).data["missing"] == 0
    assert by(ANN, repo, "land", tx).status == 0


def test_without_the_keys_nobody_is_asked_in_vain(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": (PATHS + 'signers = "signers"\n').encode()})
    assert by(ANN, repo, *AUTH).error["code"] == "config_error"
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""


def test_keys_that_the_change_itself_brings_do_not_count(repo: Sandbox, keys: dict[str, Path]) -> None:
    tx = waiting(repo)
    key = keys["eve"].with_suffix(".pub").read_text()
    by(ANN, repo, "write", "signers", "--content", f"eve@example.org {key}", "--overwrite", "--tx", tx)
    assert by(person("eve", keys["eve"]), repo, "approve", tx).data["missing"] == 1


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (PATHS, ("rm", ".gitscalpel.toml")),
        ('[gates]\npinned = ["auth/**"]\n', ("mv", ".gitscalpel.toml", "old")),
        ('[approval]\nmax_lines = 5\nsigners = "./who [1].txt"\n', ("write", "who [1].txt", "--overwrite")),
    ],
)
def test_what_says_who_has_to_agree_is_not_changed_alone(
    repo: Sandbox, rules: str, words: tuple[str, ...]
) -> None:
    repo.commit({".gitscalpel.toml": rules.encode(), "who [1].txt": b"#\n"})
    assert code(by(ANN, repo, *words, stdin="eve@example.org ssh-ed25519 AAAA\n")) == "approval_required"
    assert by(ANN, repo, "rm", "c.txt").status == 0


def test_a_signed_commit_of_a_branch_is_no_decision(repo: Sandbox, keys: dict[str, Path]) -> None:
    """Bob signs his work, in which somebody has hidden what reads as his approval."""
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    bob = {**os.environ, **person("bob", keys["bob"])}
    repo.git("checkout", "-q", "-f", "-b", "work", "refs/scalpel/ops")
    words = ["git", "commit", "-q", "-S", "--allow-empty", "-m", "my work"]
    subprocess.run(words, cwd=repo.root, env=bob, check=True)
    repo.git("update-ref", "refs/scalpel/ops", "work")
    repo.git("checkout", "-q", "-f", "main")
    assert by(ANN, repo, "land", tx).error["data"]["missing"] == 1
    audit = scalpel(repo.root, "audit", "verify", "--signers", "signers", "--json")
    assert repo.git("rev-parse", "work") in [fault["entry"] for fault in audit.error["data"]["faults"]]


def test_a_queue_lands_only_what_was_agreed_to(repo: Sandbox) -> None:
    tx = waiting(repo)
    free = by(ANN, repo, "text", "c.txt", "--old", "one", "--new", "two", "--no-land").data["tx"]
    data = by(ANN, repo, "queue").error["data"]
    assert [row["tx"] for row in data["landed"]] == [free]
    assert [(row["tx"], row["code"]) for row in data["stayed"]] == [(tx, "approval_required")]
    by(BOB, repo, "approve", tx)
    assert [row["tx"] for row in by(ANN, repo, "queue").data["landed"]] == [tx]


def test_a_no_that_comes_when_all_is_ready_to_land_counts(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.root)
    tx = waiting(repo)
    by(EVE, repo, "approve", tx)
    with Workspace(Session()) as ws:
        ready = gate_runner.require_approvals(ws, load_change(ws, tx))
        by(BOB, repo, "reject", tx, "-m", "no")
        with recovery.hold_lock(ws) as held, pytest.raises(WaitsForPerson, match="has rejected"):
            move(ws, [ready], held)
    assert repo.files()["auth/a.py"] == PY


@pytest.mark.parametrize("asks", ["hook", "command"])
def test_what_is_decided_while_programs_judge_counts(repo: Sandbox, tmp_path: Path, asks: str) -> None:
    began, decided = tmp_path / "began", tmp_path / "decided"
    waits = f"touch {began}; for i in $(seq 200); do test -e {decided} && exit 0; sleep 0.1; done; exit 1"
    if asks == "hook":
        hook = repo.root / ".git/hooks/pre-commit"
        hook.write_text(f"#!/bin/sh\n{waits}\n")
        hook.chmod(0o755)
    else:
        gate = f"[[gates.command]]\nname = 'g'\nrun = '{waits}'\n"
        repo.commit({".gitscalpel.toml": f"{PATHS}{gate}".encode()})
    tx = str(by(ANN, repo, *AUTH, "--no-land").data["tx"])
    words = [sys.executable, "-m", "gitscalpel", "land", tx]
    env = {**os.environ, **ANN, "SCALPEL_TRUST": "1"}
    with subprocess.Popen(words, cwd=repo.root, env=env, stdout=-1, stderr=-1, text=True) as landing:
        while not began.exists():
            time.sleep(0.05)
        assert by(BOB, repo, "approve", tx).status == 0
        decided.touch()
        _, said = landing.communicate()
    assert (landing.returncode, repo.files()["auth/a.py"]) == (0, PY.replace(b"return 1", b"return 3")), said


def test_a_clock_that_is_slow_hides_no_decision(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.root)
    tx = waiting(repo)
    by(BOB, repo, "reject", tx, "-m", "no")
    with Workspace(Session()) as ws, recovery.hold_lock(ws):
        earlier = int(time.time()) - 10 * 86_400
        oplog.append_record(
            ws.repo, ws.store, Record(kind="drop", tx="another1", user="eve <eve@x>", time=earlier)
        )
    assert code(by(ANN, repo, "land", tx)) == "rejected"


def test_who_may_not_change_the_rules_may_not_go_back_to_others(repo: Sandbox) -> None:
    rules = repo.files()[".gitscalpel.toml"]
    wider = (
        "text",
        ".gitscalpel.toml",
        "--old",
        'paths = ["auth/**"]',
        "--new",
        'paths = ["auth/**", "*.txt"]',
    )
    tx = waiting(repo, *wider)
    assert by(BOB, repo, "approve", tx).status == 0
    assert by(ANN, repo, "land", tx).status == 0
    error = by(ANN, repo, "undo").error
    assert error["code"] == "approval_required"
    assert repo.files()[".gitscalpel.toml"] != rules
    assert (
        scalpel(repo.root, "list", "--json").data["transactions"][0]["message"]
        == "Undo: Change approval.paths in .gitscalpel.toml"
    )
    assert by(BOB, repo, "approve", error["data"]["tx"]).status == 0
    assert by(ANN, repo, "land", error["data"]["tx"]).status == 0
    assert repo.files()[".gitscalpel.toml"] == rules


def test_an_undo_that_people_have_agreed_to_is_asked_for_again_and_is_one(repo: Sandbox) -> None:
    tx = waiting(repo)
    by(BOB, repo, "approve", tx)
    assert by(ANN, repo, "land", tx).status == 0
    repo.commit({"c.txt": b"two\n"})
    first, again = (by(ANN, repo, "undo").error for _ in range(2))
    assert first["code"] == "approval_required"
    assert again["data"]["tx"] == first["data"]["tx"]
    by(BOB, repo, "approve", first["data"]["tx"])
    assert by(ANN, repo, "undo").data["tx"] == tx
    assert repo.files()["auth/a.py"] == PY
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""
    last = json.loads(scalpel(repo.root, "audit", "export").out.splitlines()[-1])
    assert last["kind"] == "undo"
    assert last["approved"][0].startswith("bob")


def test_what_people_have_agreed_to_is_not_lost_where_an_undo_fails(repo: Sandbox, tmp_path: Path) -> None:
    flag = tmp_path / "bad"
    gate = f'{PATHS}[gates]\nremember = "0s"\n[[gates.command]]\nname = "g"\nrun = "test ! -e {flag}"\n'
    repo.commit({".gitscalpel.toml": gate.encode()})
    ann = {**ANN, "SCALPEL_TRUST": "1"}
    tx = str(by(ann, repo, *AUTH).error["data"]["tx"])
    by(BOB, repo, "approve", tx)
    assert by(ann, repo, "land", tx).status == 0
    repo.commit({"c.txt": b"two\n"})
    asked = by(ann, repo, "undo").error["data"]["tx"]
    by(BOB, repo, "approve", asked)
    flag.touch()
    assert by(ann, repo, "undo").error["code"] == "gate_failed"
    flag.unlink()
    repo.write({"auth/a.py": b"mine\n"})
    assert by(ann, repo, "undo").error["code"] == "dirty_overlap"
    repo.write({"auth/a.py": PY.replace(b"return 1", b"return 3")})
    by(EVE, repo, "reject", asked, "-m", "wait")
    error = by(ann, repo, "undo").error
    assert (error["code"], "the same command again" in error["hint"]) == ("rejected", False)
    by(EVE, repo, "approve", asked)
    assert by(ann, repo, "undo").data["tx"] == tx
    assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""


def test_a_link_in_the_place_of_a_guarded_folder_has_to_be_agreed_to(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["migrations/**"]\n'})
    link = ("run", "--json", "--", "ln", "-s", "auth", "migrations")
    assert scalpel(repo.root, *link, env=ANN).error["code"] == "approval_required"


def test_a_missing_approval_is_listed_once(repo: Sandbox) -> None:
    tx = waiting(repo)
    assert scalpel(repo.root, "list").out.count("approval.paths") == 1
    assert scalpel(repo.root, "show-tx", tx).out.count("approval.paths") == 1
