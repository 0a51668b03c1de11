"""``--no-record``: edits of the checkout without a record, for sandboxes with a read-only .git."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.unprivileged import run_unprivileged

FILES = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2", "--checkout", "--no-record")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


def test_edit_writes_the_file_and_no_object(repo: Sandbox) -> None:
    before = repo.git("for-each-ref"), sorted(repo.root.glob(".git/objects/??/*"))
    answer = scalpel(repo.root, *EDIT, "--json")
    assert (answer.data["state"], answer.data["tx"], answer.json["next"]) == ("edited", None, [])
    assert any("git restore a.py" in words for words in answer.json["warnings"])
    assert repo.files()["a.py"] == b"x = 2\n"
    assert (repo.git("for-each-ref"), sorted(repo.root.glob(".git/objects/??/*"))) == before
    assert scalpel(repo.root, "undo", "--json").error["code"] == "nothing_to_undo"


def test_uncommitted_content_is_not_overwritten(repo: Sandbox) -> None:
    (repo.root / "a.py").write_bytes(b"x = 1\nmine\n")
    error = scalpel(repo.root, *EDIT, "--json").error
    assert (error["code"], "a.py" in error["message"]) == ("dirty_overlap", True)
    assert repo.files()["a.py"] == b"x = 1\nmine\n"
    repo.git("add", "a.py")
    assert scalpel(repo.root, *EDIT, "--json").data["state"] == "edited"
    repo.write({"new.py": b"mine\n"})
    error = scalpel(repo.root, "text", "new.py", "--old", "mine", "--new", "2", *EDIT[-2:], "--json").error
    assert error["code"] == "dirty_overlap"


def test_changeset_writes_several_files(repo: Sandbox) -> None:
    write = '{"op": "write", "path": "new/c.py", "content": "z = 1\\n"}'
    ops = f'{{"ops": [{{"op": "remove", "path": "b.py"}}, {write}]}}'
    answer = scalpel(repo.root, "apply", "-", "--checkout", "--no-record", "--json", stdin=ops.encode())
    assert [row["path"] for row in answer.data["files"]] == ["b.py", "new/c.py"]
    assert repo.files() == {"a.py": FILES["a.py"], "new/c.py": b"z = 1\n"}


@pytest.mark.parametrize("more", [(), ("--no-land",), ("--onto", "main"), ("--tx", "TX")])
def test_branch_or_transaction_needs_a_record(repo: Sandbox, more: tuple[str, ...]) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    words = [tx if word == "TX" else word for word in more]
    error = scalpel(repo.root, *EDIT[:-2], "--no-record", *words, "--json").error
    assert (error["code"], "--no-record" in error["message"]) == ("invalid_args", True)
    assert repo.files() == FILES


def test_request_id_needs_a_record(repo: Sandbox) -> None:
    ops = '{"request_id": "r", "ops": [{"op": "remove", "path": "b.py"}]}'
    answer = scalpel(repo.root, "apply", "-", "--checkout", "--no-record", "--json", stdin=ops.encode())
    assert answer.error["code"] == "invalid_args"
    assert repo.files() == FILES


def test_failed_write_restores_the_other_files(repo: Sandbox) -> None:
    repo.commit({"shut/c.py": b"z = 1\n"})
    files = repo.files()
    ops = [{"op": "write", "path": "new.py", "content": "n = 1\n"}]
    ops += [{"op": "text", "path": path, "old": " = 1", "new": " = 2"} for path in ("a.py", "shut/c.py")]
    (repo.root / "changes.json").write_text(json.dumps({"ops": ops}))
    (repo.root / "shut").chmod(0o555)
    call = ("git", "scalpel", "apply", "changes.json", "--checkout", "--no-record", "--json")
    completed = run_unprivileged(repo.root, *call)
    (repo.root / "shut").chmod(0o755)
    (repo.root / "changes.json").unlink()
    assert json.loads(completed.stdout)["error"]["code"] == "io_error", completed.stdout
    assert repo.files() == files
