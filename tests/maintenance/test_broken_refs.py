"""A ref that only keeps something and whose commit is gone costs what it kept, and stops nothing else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from gitscalpel import Repository
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.today import some

LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    """Every kind of these refs is there; the checkout has a change that landings leave alone."""
    repo = Sandbox.of(tmp_path / "shop", {"a.txt": LINES.encode(), "b.txt": b"one\n"})
    (repo.root / "a.txt").write_text(f"{LINES}mine\n")
    with Repository(repo.root) as there:
        there.account("first")
    for call in (
        ("text", "a.txt", "--old", "line 1\n", "--new", "line one\n"),  # saves what is uncommitted
        ("text", "b.txt", "--old", "one", "--new", "two"),
        ("undo",),
        ("text", "b.txt", "--old", "one", "--new", "three", "--checkout"),
        ("snapshot", "-m", "first"),
    ):
        scalpel(repo.root, call[0], "--json", *call[1:]).data  # noqa: B018
    return repo


def lose_object(repo: Sandbox, name: str) -> None:
    repo.object_file(repo.git("rev-parse", name)).unlink()


def lose_tree(repo: Sandbox, name: str) -> None:
    repo.object_file(repo.git("rev-parse", f"{name}^{{tree}}")).unlink()


def tear(repo: Sandbox, name: str) -> None:
    (repo.root / ".git" / name).write_bytes(b"")


def name_a_blob(repo: Sandbox, name: str) -> None:
    oid = repo.git("hash-object", "-w", "--stdin", stdin="a blob")
    (repo.root / ".git" / name).write_text(f"{oid}\n")


def stand_for_a_branch(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, "refs/heads/main")


def stand_for_nothing(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, "refs/heads/nothing")


def stand_for_itself(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, name)


SPOILS = (lose_object, lose_tree, tear, name_a_blob, stand_for_a_branch, stand_for_nothing, stand_for_itself)


def reported(repo: Sandbox) -> list[str]:
    """The refs that fsck names."""
    envelope = scalpel(repo.root, "fsck", "--json").json
    findings = (envelope["data"] if envelope["ok"] else envelope["error"]["data"])["findings"]
    return [row["name"] for row in findings if row["what"] == "ref"]


@pytest.mark.parametrize(
    ("spoil", "kind"), some([*product(SPOILS, ("snapshot", "keep", "disk", "account", "saved"))], 3)
)
def test_nothing_else_stops(repo: Sandbox, kind: str, spoil: Callable[[Sandbox, str], None]) -> None:
    names = repo.git("for-each-ref", "--format=%(refname)", f"refs/scalpel/{kind}").splitlines()
    for name in names:
        spoil(repo, name)
    assert {*names} <= {*reported(repo)}
    for call in (
        ("snapshot", "-m", "second"),
        ("run", "--checkout", "--", "sh", "-c", "echo x > new.txt"),
        ("undo",),
        ("redo",),
        ("text", "a.txt", "--old", "line 20\n", "--new", "line twenty\n"),
        ("snapshot", "--list"),
        ("log",),
        ("status",),
        ("gc", "--dry-run"),
    ):
        scalpel(repo.root, call[0], "--json", *call[1:]).data  # noqa: B018
    with Repository(repo.root) as there:
        there.account("second")
        taken = next(each for each in there.snapshots() if each.message == "second")
    scalpel(repo.root, "restore", taken.id, "--json").data  # noqa: B018
    swept = scalpel(repo.root, "gc", "--json").data["removed"]
    is_anew = kind in ("account", "saved") or (kind == "snapshot" and spoil is lose_tree)
    assert is_anew or {row["name"] for row in swept} >= {*names}
    assert reported(repo) == []
    assert "invalid sha1 pointer" not in repo.git("fsck", "--no-dangling", check=False)


def test_a_snapshot_whose_commit_is_gone_says_so(repo: Sandbox) -> None:
    (name,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/snapshot").splitlines()
    lose_object(repo, name)
    error = scalpel(repo.root, "restore", name.rpartition("/")[2], "--json").error
    assert error["code"] == "corrupt"
    assert "gc" in error["hint"]
