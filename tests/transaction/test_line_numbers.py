"""Line numbers are ambiguous in a file with uncommitted changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel import Repository, changeset
from gitscalpel.errors import WorldMoved
from gitscalpel.text.line_refs import content_hash, line_hash
from tests.command import scalpel
from tests.sandbox import Sandbox

BEFORE = b"one\ntwo\nthree\n"
DIRTY = b"zero\none\ntwo\nthree\n"
TWO = line_hash(b"two")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": BEFORE, "b.txt": BEFORE})


BARE: dict[str, dict[str, Any]] = {
    "lines": {"op": "lines", "start": 2, "code": "2"},
    "insert": {"op": "lines", "start": 2, "code": "2", "position": "after"},
    "replace": {"op": "replace", "start": 2, "code": "2"},
    "delete": {"op": "delete", "start": 2},
    "only one end has a hash": {"op": "lines", "start": f"2:{TWO}", "end": 3, "code": "2"},
    "beyond the end of one version": {"op": "lines", "start": 4, "code": "2"},
}


@pytest.mark.parametrize("op", BARE.values(), ids=BARE)
def test_bare_line_number_in_a_dirty_file_is_rejected(repo: Sandbox, op: dict[str, Any]) -> None:
    repo.write({"a.txt": DIRTY})
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(WorldMoved) as caught:
        opened.apply(
            changeset({"op": "text", "path": "b.txt", "old": "one", "new": "1"}, {"path": "a.txt", **op})
        )
    assert (caught.value.code, caught.value.op) == ("stale", 1)
    assert repo.state() == before


def test_error_shows_both_lines(repo: Sandbox) -> None:
    repo.write({"a.txt": DIRTY})
    error = scalpel(repo.root, "lines", "a.txt:2", "--code", "2", "--json").error
    assert error["data"]["committed"] == {"n": 2, "hash": TWO, "text": "two"}
    assert error["data"]["on_disk"] == {"n": 2, "hash": line_hash(b"one"), "text": "one"}
    assert f"a.txt:2:{TWO}" in error["hint"]
    assert scalpel(repo.root, "lines", f"a.txt:2:{TWO}", "--code", "2").status == 0
    assert (repo.root / "a.txt").read_bytes() == b"zero\none\n2\nthree\n"
    assert repo.git("show", "HEAD:a.txt") == "one\n2\nthree"


PATCHES = {
    "insert at a line": '{"command": "insert", "path": "a.txt", "insert_line": 2, "insert_text": "2\\n"}',
    "a hunk without old lines": "--- a/a.txt\n+++ b/a.txt\n@@ -2,0 +3 @@\n+2\n",
    "an LSP workspace edit": '{"changes": {"a.txt": [{"range": {"start": {"line": 1, "character": 0}, '
    '"end": {"line": 1, "character": 3}}, "newText": "2"}]}}',
}


@pytest.mark.parametrize("diff", PATCHES.values(), ids=PATCHES)
def test_patch_with_only_line_numbers_is_rejected(repo: Sandbox, diff: str) -> None:
    repo.write({"a.txt": DIRTY})
    before = repo.state()
    with Repository(repo.root) as opened, pytest.raises(WorldMoved) as caught:
        opened.apply(changeset({"op": "patch", "diff": diff}))
    assert (caught.value.code, caught.value.op) == ("stale", 0)
    assert repo.state() == before
    base = repo.git("rev-parse", "HEAD:a.txt")
    with Repository(repo.root) as opened:
        opened.apply(changeset({"op": "patch", "diff": diff, "path": "a.txt", "base": base}), land=False)
    repo.write({"a.txt": BEFORE})
    with Repository(repo.root) as opened:
        opened.apply(changeset({"op": "patch", "diff": diff}))


def test_patch_with_context_is_applied(repo: Sandbox) -> None:
    repo.write({"a.txt": DIRTY})
    with Repository(repo.root) as opened:
        opened.apply(
            changeset({"op": "patch", "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -3 +3 @@\n-three\n+3\n"})
        )
    assert (repo.root / "a.txt").read_bytes() == b"zero\none\ntwo\n3\n"


LINE_PROOFS: dict[str, dict[str, Any]] = {
    "hash": {"start": f"2:{TWO}"},
    "both hashes": {"start": f"2:{TWO}", "end": f"2:{TWO}"},
    "content": {"start": f"2@{content_hash(b'two')}"},
    "expect": {"start": 2, "expect": content_hash(b"two")},
    "base": {"start": 2, "base": "BLOB"},
}


@pytest.mark.parametrize("proof", LINE_PROOFS.values(), ids=LINE_PROOFS)
def test_line_with_a_hash_or_base_is_applied(repo: Sandbox, proof: dict[str, Any]) -> None:
    if "base" in proof:
        proof = {**proof, "base": repo.git("rev-parse", "HEAD:a.txt")}
    repo.write({"a.txt": BEFORE + b"four\n"})
    with Repository(repo.root) as opened:
        opened.apply(changeset({"op": "lines", "path": "a.txt", "code": "2", **proof}), land=False)


BARE_OP = {"op": "lines", "path": "a.txt", "start": 2, "code": "2"}


def test_touched_file_is_not_dirty(repo: Sandbox) -> None:
    (repo.root / "a.txt").touch()
    with Repository(repo.root) as opened:
        assert opened.apply(changeset(BARE_OP)).landed is not None


def test_dirty_file_elsewhere_does_not_matter(repo: Sandbox) -> None:
    repo.git("branch", "side")
    repo.write({"b.txt": DIRTY})
    with Repository(repo.root) as opened:
        opened.apply(changeset(BARE_OP))
        repo.write({"a.txt": DIRTY})
        opened.apply(changeset(BARE_OP), onto="side")
        repo.write({"a.txt": None})
        opened.apply(changeset({**BARE_OP, "code": "II"}), land=False)


def test_line_number_in_a_transaction_needs_an_adopted_file(repo: Sandbox) -> None:
    repo.write({"a.txt": DIRTY})
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    rejected = scalpel(repo.root, "lines", "a.txt:2", "--code", "2", "--tx", tx, "--json")
    assert rejected.error["code"] == "stale"
    adopted = scalpel(repo.root, "begin", "--adopt", "a.txt", "--json").data["tx"]
    answer = scalpel(repo.root, "lines", "a.txt:2", "--code", "I", "--tx", adopted, "--json")
    assert answer.data["files"][0]["path"] == "a.txt"
    assert repo.git("show", f"scalpel/tx/{adopted}:a.txt", check=False) == "zero\nI\ntwo\nthree"
