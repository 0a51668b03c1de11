"""The operation log as an audit record: its fields, verification and export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({"a.py": b"x = 1\n"})
    return sandbox


def export_log(repo: Sandbox) -> list[dict[str, object]]:
    return [json.loads(line) for line in scalpel(repo.root, "audit", "export").out.splitlines()]


def test_step_records_user_operation_and_commits(repo: Sandbox) -> None:
    before = repo.tip()
    scalpel(repo.root, *EDIT, "-m", "Two", "--agent", "robot")
    after = repo.tip()
    scalpel(repo.root, "undo", "--agent", "robot")
    land, undo = export_log(repo)
    assert (land["kind"], land["agent"], land["message"], land["paths"]) == ("land", "robot", "Two", ["a.py"])
    assert (land["before"], land["after"], land["user"]) == (before, after, undo["user"])
    assert (undo["kind"], undo["before"], undo["after"], undo["undoes"]) == (
        "undo",
        after,
        before,
        land["entry"],
    )
    note = land["note"]
    assert isinstance(note, dict)
    assert [op["op"] for op in note["ops"]] == ["text"]
    assert [gate["name"] for gate in note["gates"]] == ["syntax", "structure"]


def test_untouched_log_is_valid(repo: Sandbox) -> None:
    assert scalpel(repo.root, "audit", "verify", "--json").data["steps"] == 0
    scalpel(repo.root, *EDIT)
    repo.commit({"b.py": b"by hand\n"})
    scalpel(repo.root, "write", "c.py", "--content", "y = 1\n")
    assert scalpel(repo.root, "audit", "verify", "--json").data == {"steps": 2, "signed": None}


def test_forged_step_is_found(repo: Sandbox) -> None:
    """The log gets a landing that starts at a commit where the branch never was."""
    scalpel(repo.root, *EDIT)
    record = json.loads(repo.git("show", "refs/scalpel/ops:record.json"))
    other = repo.git("commit-tree", "-m", "elsewhere", "HEAD^{tree}")
    record |= {"tx": "abcd2345", "before": other, "after": repo.tip()}
    file = repo.root.parent / "record"
    file.write_text(json.dumps(record))
    blob = repo.git("hash-object", "-w", str(file))
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\trecord.json\n")
    repo.git(
        "update-ref",
        "refs/scalpel/ops",
        repo.git("commit-tree", "-p", "refs/scalpel/ops", "-m", "land", tree),
    )
    answer = scalpel(repo.root, "audit", "verify", "--json")
    assert (answer.error["code"], answer.status) == ("corrupt", 76)
    assert [fault["tx"] for fault in answer.error["data"]["faults"]] == ["abcd2345"]


def test_trailers_are_added_if_configured(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[record]\ntrailers = ["Scalpel-Tx", "Assisted-by"]\n'})
    tx = scalpel(
        repo.root, *EDIT, "-m", "Two\n\nSigned-off-by: A <a@b>", "--agent", "robot 2", "--json"
    ).data["tx"]
    message = repo.git("log", "-1", "--format=%B").strip()
    assert message == f"Two\n\nSigned-off-by: A <a@b>\nScalpel-Tx: {tx}\nAssisted-by: robot 2"
    scalpel(repo.root, "text", "a.py", "--old", "x = 2", "--new", "x = 3")
    assert repo.git("log", "-1", "--format=%B").strip().startswith("Change x in a.py\n\nScalpel-Tx: ")


def test_landing_fails_if_its_record_cannot_be_written(repo: Sandbox) -> None:
    scalpel(repo.root, *EDIT)
    (repo.root / ".git/refs/scalpel/ops").write_text("1" * 40 + "\n")
    before = repo.files(), repo.tip()
    assert (
        scalpel(repo.root, "text", "a.py", "--old", "x = 2", "--new", "x = 3", "--json").error["code"]
        == "corrupt"
    )
    assert (repo.files(), repo.tip()) == before
