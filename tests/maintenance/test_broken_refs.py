"""A damaged gitscalpel ref loses what it kept, and nothing else fails."""

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
    """Return a repository with every kind of these refs, and an uncommitted change that landings keep."""
    repo = Sandbox.of(tmp_path / "shop", {"a.txt": LINES.encode(), "b.txt": b"one\n"})
    (repo.root / "a.txt").write_text(f"{LINES}mine\n")
    with Repository(repo.root) as opened:
        opened.account("first")
    for call in (
        ("text", "a.txt", "--old", "line 1\n", "--new", "line one\n"),  # saves uncommitted changes
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


def truncate(repo: Sandbox, name: str) -> None:
    (repo.root / ".git" / name).write_bytes(b"")


def point_to_a_blob(repo: Sandbox, name: str) -> None:
    oid = repo.git("hash-object", "-w", "--stdin", stdin="a blob")
    (repo.root / ".git" / name).write_text(f"{oid}\n")


def make_symbolic(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, "refs/heads/main")


def make_dangling_symbolic(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, "refs/heads/nothing")


def make_self_symbolic(repo: Sandbox, name: str) -> None:
    repo.git("symbolic-ref", name, name)


DAMAGES = (
    lose_object,
    lose_tree,
    truncate,
    point_to_a_blob,
    make_symbolic,
    make_dangling_symbolic,
    make_self_symbolic,
)


def find_reported_refs(repo: Sandbox) -> list[str]:
    """Return the refs that fsck reports."""
    envelope = scalpel(repo.root, "fsck", "--json").json
    findings = (envelope["data"] if envelope["ok"] else envelope["error"]["data"])["findings"]
    return [row["name"] for row in findings if row["what"] == "ref"]


@pytest.mark.parametrize(
    ("damage", "kind"), some([*product(DAMAGES, ("snapshot", "keep", "disk", "account", "saved"))], 3)
)
def test_commands_work_with_damaged_refs(
    repo: Sandbox, kind: str, damage: Callable[[Sandbox, str], None]
) -> None:
    names = repo.git("for-each-ref", "--format=%(refname)", f"refs/scalpel/{kind}").splitlines()
    for name in names:
        damage(repo, name)
    assert {*names} <= {*find_reported_refs(repo)}
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
    with Repository(repo.root) as opened:
        opened.account("second")
        snapshot = next(each for each in opened.snapshots() if each.message == "second")
    scalpel(repo.root, "restore", snapshot.id, "--json").data  # noqa: B018
    removed = scalpel(repo.root, "gc", "--json").data["removed"]
    is_rewritten = kind in ("account", "saved") or (kind == "snapshot" and damage is lose_tree)
    assert is_rewritten or {row["name"] for row in removed} >= {*names}
    assert find_reported_refs(repo) == []
    assert "invalid sha1 pointer" not in repo.git("fsck", "--no-dangling", check=False)


def test_restore_of_a_damaged_snapshot_is_corrupt(repo: Sandbox) -> None:
    (name,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/snapshot").splitlines()
    lose_object(repo, name)
    error = scalpel(repo.root, "restore", name.rpartition("/")[2], "--json").error
    assert error["code"] == "corrupt"
    assert "gc" in error["hint"]
