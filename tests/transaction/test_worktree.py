"""Worktree of a transaction: lease, manual edits, commands, staging and reuse."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Repository, ScalpelError, Transaction
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.whole import text

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"x   =  1\n", ".gitignore": b"*.log\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


def require_error(call: object, *arguments: object, **options: object) -> ScalpelError:
    with pytest.raises(ScalpelError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    return caught.value


def lease_worktree(tx: Transaction) -> Sandbox:
    return Sandbox(tx.worktree())


def test_worktree_is_linked_and_has_the_change_staged(repo: Sandbox) -> None:
    before = repo.state()[1:]
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        worktree = lease_worktree(tx)
        assert tx.result.worktree == str(worktree.root)
    assert worktree.root.name == "shop"
    assert repo.root not in worktree.root.parents
    assert worktree.status() == "M  a.py"
    assert worktree.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert worktree.tip() == repo.tip()
    assert repo.git("branch", "--list", "--all").split("\n")[0] == "* main"
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.state()[1:] == before


def test_all_kinds_of_edits_land_as_one_commit(repo: Sandbox) -> None:
    base = repo.tip()
    with gitscalpel.open(repo.root) as opened, opened.begin("Three ways") as tx:
        worktree = lease_worktree(tx)
        worktree.write({"a.py": A.replace(b"return 1", b"return 11"), "new/n.txt": b"new\n"})
        tx.stage()
        tx.run("sed", "-i", "s/ *= */ = /", "b.txt")
        tx.edit({"op": "replace", "path": "a.py", "symbol": "g", "code": "def g():\n    return 22"})
    assert repo.git("rev-list", f"{base}..main").split() == [repo.tip()]
    assert repo.git("log", "-1", "--format=%s") == "Three ways"
    assert repo.files() == {
        **FILES,
        "a.py": A.replace(b"return 1", b"return 11").replace(b"return 2", b"return 22"),
        "b.txt": b"x = 1\n",
        "new/n.txt": b"new\n",
    }
    assert repo.status() == ""


def test_commit_in_the_worktree_gives_the_message(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = lease_worktree(tx)
        worktree.commit({"a.py": A + b"x = 1\n"}, "Add x")
        worktree.git("switch", "-q", "-c", "aside")
        staged = tx.stage()
        assert (worktree.tip(), worktree.status()) == (repo.tip(), "M  a.py")
        assert [row.path for row in staged.patch.rows] == ["a.py"]
        assert [(row.kind, row.symbol) for row in staged.facts.intents] == [("add", "x")]
        tx.land()
    assert repo.git("log", "-1", "--format=%s") == "Add x"
    assert repo.git("rev-list", "--count", "main") == "2"


def test_ignored_files_stay_in_the_slot(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        first = opened.begin()
        worktree = lease_worktree(first)
        worktree.write({"warm.log": b"cache\n"})
        assert require_error(first.stage).code == "no_change"
        first.drop()
        second = opened.begin()
        assert second.worktree() == worktree.root
        assert worktree.files()["warm.log"] == b"cache\n"


def test_operation_keeps_unstaged_edits(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = lease_worktree(tx)
        worktree.write({"a.py": A + b"by_hand = 1\n", "b.txt": b"by hand\n"})
        tx.edit(text("return 1", "return 3"))
        assert worktree.status() == "MM a.py\n M b.txt"
        assert worktree.files()["a.py"] == A.replace(b"return 1", b"return 3") + b"by_hand = 1\n"
        clash = require_error(tx.edit, text("x   =  1", "x = 2", "b.txt"))
        assert (clash.code, clash.data["tx"]) == ("dirty_overlap", tx.id)
        assert f"stage(tx={tx.id!r})" in clash.hint
        assert require_error(tx.land).code == "dirty_overlap"
        tx.stage()
        assert tx.land().landed
    assert repo.files()["b.txt"] == b"by hand\n"
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 3") + b"by_hand = 1\n"


def test_broken_manual_edit_is_staged_but_does_not_land(repo: Sandbox) -> None:
    tip = repo.tip()
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = lease_worktree(tx)
        worktree.write({"a.py": A.replace(b"return 1", b"return (")})
        staged = tx.stage()
        assert (staged.state, [gate.status for gate in staged.facts.gates]) == ("open", ["failed"])
        assert require_error(tx.check).code == require_error(tx.land).code == "syntax_error"
        assert repo.tip() == tip
        tx.edit(text("return (", "return 4"))
        assert tx.result.state == "checked"
        tx.land()
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 4")


def test_unresolved_merge_is_not_staged(repo: Sandbox) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = lease_worktree(tx)
        worktree.git("merge", "-q", "side", check=False)
        assert require_error(tx.stage).code == "conflicted"
        worktree.write({"b.txt": b"both\n"})
        worktree.git("add", "b.txt")
        tx.stage()
        assert worktree.status() == "M  b.txt"
        assert not (Path(worktree.git("rev-parse", "--absolute-git-dir")) / "MERGE_HEAD").exists()


def test_reused_slot_keeps_leftover_edits_in_a_ref(repo: Sandbox) -> None:
    warnings: list[str] = []
    with Repository(repo.root, warnings.append) as opened:
        first = opened.begin()
        worktree = lease_worktree(first)
        worktree.write({"a.py": b"left\n", "untracked.txt": b"left too\n"})
        first.drop()
        second = opened.begin()
        assert second.worktree() == worktree.root
    assert (worktree.status(), worktree.files().keys()) == ("", repo.files().keys())
    ref = warnings[-1].split()[-1]
    assert repo.git("show", f"{ref}:untracked.txt") == "left too"
    assert repo.git("show", f"{ref}:a.py") == "left"


def test_untracked_file_hidden_from_status_is_kept(repo: Sandbox) -> None:
    repo.git("config", "status.showUntrackedFiles", "no")
    with Repository(repo.root) as r:
        tx = r.begin()
        Sandbox(tx.worktree()).write({"untracked.txt": b"left\n"})
        tx.drop()
        r.begin().worktree()
    (ref,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/keep/worktree-*").split() or [""]
    assert repo.git("show", f"{ref}:untracked.txt") == "left"


def test_each_transaction_has_its_own_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        worktrees = [opened.begin().worktree() for _ in range(3)]
        assert len(set(worktrees)) == 3
        assert [result.worktree for result in opened.status().transactions] == [*map(str, worktrees)]


def test_worktree_implies_its_transaction(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Inside")
        worktree = lease_worktree(tx)
    assert scalpel(worktree.root, "text", "b.txt", "--old", "x", "--new", "y").out.startswith(
        "staged for main"
    )
    assert worktree.status() == "M  b.txt"
    assert "y   =  1" in scalpel(worktree.root, "show", "b.txt").out
    worktree.write({"a.py": A + b"# more\n"})
    assert scalpel(worktree.root, "stage", "--json").data["tx"] == tx.id
    assert scalpel(worktree.root, "land").out.startswith("landed on main: Inside")
    assert repo.status() == ""
    assert repo.files()["b.txt"] == b"y   =  1\n"


def test_run_lands_changes_of_the_command(repo: Sandbox) -> None:
    repo.write({"a.py": A + b"# mine\n"})
    answer = scalpel(repo.root, "run", "--json", "--", "sh", "-c", "echo told; sed -i s/x/y/ b.txt")
    assert answer.data["landed"] == repo.tip()
    assert answer.err.endswith("told\n")
    assert repo.files()["b.txt"] == b"y   =  1\n"
    assert repo.status() == " M a.py"
    assert repo.git("log", "-1", "--format=%s") == "sh -c 'echo told; sed -i s/x/y/ b.txt'"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["sh", "-c", "echo broken > a.py; exit 3"], "gate_failed"),
        (["no-such-program"], "invalid_args"),
        (["sh", "-c", "echo 'def (' > a.py"], "syntax_error"),
        (
            ["sh", "-c", "echo '*.u working-tree-encoding=UTF-16' > .gitattributes; echo x > x.u"],
            "unencodable",
        ),
        ([], "invalid_args"),
    ],
)
def test_failed_run_leaves_nothing(repo: Sandbox, words: list[str], code: str) -> None:
    before = repo.state()
    assert scalpel(repo.root, "run", "--json", "--", *words).error["code"] == code
    assert repo.state() == before
    assert scalpel(repo.root, "run", "--", "touch", "fine").status == 0
    assert repo.status() == ""


def test_run_without_changes_is_reported(repo: Sandbox) -> None:
    before = repo.state()
    assert scalpel(repo.root, "run", "--json", "--", "true").data["state"] == "unchanged"
    assert repo.state() == before


def test_failed_run_restores_the_worktree(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        worktree = lease_worktree(tx)
        worktree.write({"b.txt": b"by hand\n"})
        assert require_error(tx.run, "sh", "-c", "echo > b.txt; touch junk; exit 1").code == "gate_failed"
        assert (worktree.files()["b.txt"], worktree.status()) == (b"by hand\n", "M  b.txt")
        tx.run("sh", "-c", "echo more >> b.txt; exit 7", ok=(0, 7))
        tx.land()
    assert repo.files()["b.txt"] == b"by hand\nmore\n"


def test_run_uses_the_directory_of_the_caller(repo: Sandbox) -> None:
    repo.commit({"sub/deep/c.txt": b"c\n"})
    assert scalpel(repo.root / "sub/deep", "run", "--", "sed", "-i", "s/c/C/", "c.txt").status == 0
    assert repo.files()["sub/deep/c.txt"] == b"C\n"


def test_lease_ends_with_the_processes_of_its_holder(repo: Sandbox) -> None:
    """The holder is killed while its command writes: the slot is busy until the command ends."""
    script = "touch started; while [ ! -e go ]; do sleep 0.02; done"
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin().id
    holder = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--tx", tx, "--", "sh", "-c", script], cwd=repo.root
    )
    try:
        with gitscalpel.open(repo.root) as opened:
            worktree = _wait_for(lambda: opened.status().transactions[0].worktree)
            _wait_for((Path(worktree) / "started").exists)
            holder.send_signal(signal.SIGKILL)
            holder.wait()
            assert require_error(opened.transaction(tx).worktree).code == "busy"
            (Path(worktree) / "go").touch()
            _wait_for(lambda: not _is_busy(opened, tx))
            opened.transaction(tx).drop()
            assert opened.begin().worktree() == Path(worktree)
    finally:
        holder.kill()


def _is_busy(opened: Repository, tx: str) -> bool:
    try:
        opened.transaction(tx).worktree()
    except ScalpelError as error:
        return error.code == "busy"
    return False


def _wait_for(condition: object) -> str:
    for _ in range(500):
        try:
            value = condition()  # type: ignore[operator]
        except IndexError:
            value = None
        if value:
            return str(value)
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def test_worktree_always_makes_one_for_each_transaction(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'worktree = "always"\n'})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        assert tx.result.worktree
        tx.edit(text("return 1", "return 3"))
        assert Sandbox(Path(tx.result.worktree)).status() == "M  a.py"
        tx.land()
        landed = opened.edit(text("return 2", "return 4"))
        assert landed.landed
    assert len(repo.git("worktree", "list").splitlines()) == 2
    assert repo.status() == ""


def test_unborn_branch_and_bare_repository_have_worktrees(repo: Sandbox, tmp_path: Path) -> None:
    unborn = Sandbox.init(tmp_path / "unborn")
    assert scalpel(unborn.root, "run", "--", "touch", "first").status == 0
    assert (unborn.git("log", "--format=%s"), unborn.status()) == ("touch first", "")

    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Sandbox(tmp_path / "bare.git")
    assert scalpel(bare.root, "run", "--onto", "main", "--", "sed", "-i", "s/x/y/", "b.txt").status == 0
    assert bare.git("show", "main:b.txt") == "y   =  1"


def test_pool_is_made_in_the_configured_directory(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "pool"))
    assert scalpel(repo.root, "trust").status == 0
    with gitscalpel.open(repo.root) as opened:
        assert tmp_path / "pool" in opened.begin().worktree().parents


def test_removed_slot_is_created_again(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        shutil.rmtree(tx.worktree())
        assert Sandbox(tx.worktree()).status() == "M  a.py"
    assert len(repo.git("worktree", "list").splitlines()) == 2


def test_slot_without_git_file_belongs_to_its_transaction(repo: Sandbox) -> None:
    """Without the .git file, git would find a repository in a parent directory."""
    with gitscalpel.open(repo.root) as opened:
        transaction = opened.begin()
        tx, root = transaction.id, transaction.worktree()
    (root / ".git").unlink()
    (root / "by hand").write_bytes(b"1\n")
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"
    assert scalpel(repo.root, "stage", tx).status == 0
    assert repo.git("show", f"refs/scalpel/tx/{tx}:by hand") == "1"
    scalpel(repo.root, "drop", tx)
    assert scalpel(repo.root, "gc").status == 0
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"


def test_transaction_dropped_by_its_command_is_closed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        drop = f"{sys.executable} -m gitscalpel drop {tx.id} && echo 1 > made.txt"
        assert require_error(tx.run, "sh", "-c", drop).code == "tx_closed"
    assert repo.status() == ""


def test_ignored_file_is_not_copied_through_a_symlink(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {".gitignore": b"*.env\n", "a.py": b"x = 1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    repo.git("switch", "-q", "-c", "other")
    (repo.root / "d").symlink_to(outside)
    repo.git("add", "d")
    repo.git("commit", "-q", "-m", "A link")
    repo.git("switch", "-q", "main")
    for path in ("d/x.env", "e/y.env"):
        (repo.root / path).parent.mkdir()
        (repo.root / path).write_text("secret\n")
    (repo.root / ".worktreeinclude").write_text("*.env\n")
    worktree = Path(scalpel(repo.root, "begin", "--onto", "other", "--worktree", "--json").data["worktree"])
    assert (worktree / "e/y.env").read_text() == "secret\n"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("resolved", ["as the branch merges", "otherwise"])
def test_merge_in_the_worktree_stages_no_edits_of_others(tmp_path: Path, resolved: str) -> None:
    """The files: changed by both sides, changed only on the branch, and in conflict."""
    lines = [f"v{n} = {n}" for n in range(9)]
    both = ("\n".join(lines) + "\n").encode()
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"X = 1\n", "b.py": b"y = 1\n", "both.py": both})
    ops = [
        {"op": "text", "path": "a.py", "old": "1", "new": "2"},
        {"op": "text", "path": "both.py", "old": "v0 = 0", "new": "v0 = 10"},
    ]
    tx = str(scalpel(repo.root, "apply", "-", "--no-land", "--json", stdin=json.dumps(ops)).data["tx"])
    subject = scalpel(repo.root, "show-tx", tx, "--json").data["message"]
    theirs = both.replace(b"v8 = 8", b"v8 = 80")
    repo.commit({"a.py": b"X = 3\n", "b.py": b"y = 5\n", "both.py": theirs})
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    worktree.git("commit", "-qm", "wip")
    worktree.git("merge", "-q", "main", check=False)
    worktree.write(
        {"a.py": b"X = 2\n"} if resolved.startswith("as") else {"a.py": b"X = 2\n", "b.py": b"y = 6\n"}
    )
    worktree.git("add", "-A")
    data = scalpel(worktree.root, "stage", "--json").data
    changed = [] if resolved.startswith("as") else ["b.py"]
    assert [row["path"] for row in data["files"]] == changed
    assert scalpel(repo.root, "land", tx).status == 0
    assert repo.files()["both.py"] == theirs.replace(b"v0 = 0", b"v0 = 10")
    landed_subject = repo.git("log", "-1", "--format=%s")
    assert (landed_subject == subject.splitlines()[0]) == (not changed)


@pytest.mark.parametrize(
    "integrate", [("merge", "-q"), ("rebase", "-q"), ("merge", "-q", "--no-ff", "-m", "merged")]
)
@pytest.mark.parametrize("is_committed", [False, True])
def test_commit_of_the_branch_gives_no_message(
    tmp_path: Path, integrate: tuple[str, ...], is_committed: bool
) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"X = 1\n"})
    tx = str(scalpel(repo.root, "begin", "--json").data["tx"])
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    repo.commit({"b.py": b"Y = 1\n"})
    repo.git("commit", "-q", "--amend", "-m", "theirs")
    worktree.write({"c.py": b"Z = 1\n"})
    if is_committed:
        worktree.git("add", "c.py")
        worktree.git("commit", "-q", "-m", "mine")
    worktree.git(*integrate, "main")
    data = scalpel(worktree.root, "stage", "--json").data
    assert [row["path"] for row in data["files"]] == ["c.py"]
    assert data["message"] == ("mine" if is_committed else "edit by hand")
