"""A transaction's real worktree: leased, looked at, edited by hand and by commands, taken in, given back."""

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


def refusal(call: object, *arguments: object, **options: object) -> ScalpelError:
    with pytest.raises(ScalpelError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    return caught.value


def leased(tx: Transaction) -> Sandbox:
    return Sandbox(tx.worktree())


def test_it_is_a_linked_worktree_outside_the_repository_with_the_change_staged(repo: Sandbox) -> None:
    before = repo.state()[1:]
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        place = leased(tx)
        assert tx.result.worktree == str(place.root)
    assert place.root.name == "shop"
    assert repo.root not in place.root.parents
    assert place.status() == "M  a.py"
    assert place.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert place.tip() == repo.tip()
    assert repo.git("branch", "--list", "--all").split("\n")[0] == "* main"
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.state()[1:] == before


def test_by_hand_by_a_command_and_by_an_operation_is_one_commit(repo: Sandbox) -> None:
    base = repo.tip()
    with gitscalpel.open(repo.root) as opened, opened.begin("Three ways") as tx:
        place = leased(tx)
        place.write({"a.py": A.replace(b"return 1", b"return 11"), "new/n.txt": b"new\n"})
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


def test_commits_made_there_are_taken_in_and_name_the_step(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = leased(tx)
        place.commit({"a.py": A + b"x = 1\n"}, "Add x")
        place.git("switch", "-q", "-c", "aside")
        done = tx.stage()
        assert (place.tip(), place.status()) == (repo.tip(), "M  a.py")
        assert [row.path for row in done.patch.rows] == ["a.py"]
        assert [(row.kind, row.symbol) for row in done.facts.intents] == [("add", "x")]
        tx.land()
    assert repo.git("log", "-1", "--format=%s") == "Add x"
    assert repo.git("rev-list", "--count", "main") == "2"


def test_ignored_files_are_not_taken_in_and_survive_the_next_transaction(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        first = opened.begin()
        place = leased(first)
        place.write({"warm.log": b"cache\n"})
        assert refusal(first.stage).code == "no_change"
        first.drop()
        second = opened.begin()
        assert second.worktree() == place.root
        assert place.files()["warm.log"] == b"cache\n"


def test_an_operation_keeps_unstaged_edits_on_top(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = leased(tx)
        place.write({"a.py": A + b"by_hand = 1\n", "b.txt": b"by hand\n"})
        tx.edit(text("return 1", "return 3"))
        assert place.status() == "MM a.py\n M b.txt"
        assert place.files()["a.py"] == A.replace(b"return 1", b"return 3") + b"by_hand = 1\n"
        clash = refusal(tx.edit, text("x   =  1", "x = 2", "b.txt"))
        assert (clash.code, clash.data["tx"]) == ("dirty_overlap", tx.id)
        assert f"stage(tx={tx.id!r})" in clash.hint
        assert refusal(tx.land).code == "dirty_overlap"
        tx.stage()
        assert tx.land().landed
    assert repo.files()["b.txt"] == b"by hand\n"
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 3") + b"by_hand = 1\n"


def test_what_breaks_by_hand_is_taken_in_but_does_not_land(repo: Sandbox) -> None:
    tip = repo.tip()
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = leased(tx)
        place.write({"a.py": A.replace(b"return 1", b"return (")})
        done = tx.stage()
        assert (done.state, [gate.status for gate in done.facts.gates]) == ("open", ["failed"])
        assert refusal(tx.check).code == refusal(tx.land).code == "syntax_error"
        assert repo.tip() == tip
        tx.edit(text("return (", "return 4"))
        assert tx.result.state == "checked"
        tx.land()
    assert repo.files()["a.py"] == A.replace(b"return 1", b"return 4")


def test_an_unresolved_merge_is_not_taken_in(repo: Sandbox) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = leased(tx)
        place.git("merge", "-q", "side", check=False)
        assert refusal(tx.stage).code == "conflicted"
        place.write({"b.txt": b"both\n"})
        place.git("add", "b.txt")
        tx.stage()
        assert place.status() == "M  b.txt"
        assert not (Path(place.git("rev-parse", "--absolute-git-dir")) / "MERGE_HEAD").exists()


def test_a_slot_is_used_again_and_what_was_left_there_is_kept(repo: Sandbox) -> None:
    told: list[str] = []
    with Repository(repo.root, told.append) as opened:
        first = opened.begin()
        place = leased(first)
        place.write({"a.py": b"left\n", "untracked.txt": b"left too\n"})
        first.drop()
        second = opened.begin()
        assert second.worktree() == place.root
    assert (place.status(), place.files().keys()) == ("", repo.files().keys())
    ref = told[-1].split()[-1]
    assert repo.git("show", f"{ref}:untracked.txt") == "left too"
    assert repo.git("show", f"{ref}:a.py") == "left"


def test_a_new_file_that_git_status_is_not_to_show_is_kept(repo: Sandbox) -> None:
    repo.git("config", "status.showUntrackedFiles", "no")
    with Repository(repo.root) as r:
        tx = r.begin()
        Sandbox(tx.worktree()).write({"untracked.txt": b"left\n"})
        tx.drop()
        r.begin().worktree()
    (ref,) = repo.git("for-each-ref", "--format=%(refname)", "refs/scalpel/keep/worktree-*").split() or [""]
    assert repo.git("show", f"{ref}:untracked.txt") == "left"


def test_every_open_transaction_has_its_own(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        places = [opened.begin().worktree() for _ in range(3)]
        assert len(set(places)) == 3
        assert [result.worktree for result in opened.status().transactions] == [*map(str, places)]


def test_in_the_worktree_the_transaction_need_not_be_named(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin("Inside")
        place = leased(tx)
    assert scalpel(place.root, "text", "b.txt", "--old", "x", "--new", "y").out.startswith("staged for main")
    assert place.status() == "M  b.txt"
    assert "y   =  1" in scalpel(place.root, "show", "b.txt").out
    place.write({"a.py": A + b"# more\n"})
    assert scalpel(place.root, "stage", "--json").data["tx"] == tx.id
    assert scalpel(place.root, "land").out.startswith("landed on main: Inside")
    assert repo.status() == ""
    assert repo.files()["b.txt"] == b"y   =  1\n"


def test_run_lands_what_a_command_did(repo: Sandbox) -> None:
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
def test_run_that_fails_leaves_nothing(repo: Sandbox, words: list[str], code: str) -> None:
    before = repo.state()
    assert scalpel(repo.root, "run", "--json", "--", *words).error["code"] == code
    assert repo.state() == before
    assert scalpel(repo.root, "run", "--", "touch", "fine").status == 0
    assert repo.status() == ""


def test_run_that_changes_nothing_says_so(repo: Sandbox) -> None:
    before = repo.state()
    assert scalpel(repo.root, "run", "--json", "--", "true").data["state"] == "unchanged"
    assert repo.state() == before


def test_run_in_a_transaction_puts_the_worktree_back_if_the_command_fails(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        place = leased(tx)
        place.write({"b.txt": b"by hand\n"})
        assert refusal(tx.run, "sh", "-c", "echo > b.txt; touch junk; exit 1").code == "gate_failed"
        assert (place.files()["b.txt"], place.status()) == (b"by hand\n", "M  b.txt")
        tx.run("sh", "-c", "echo more >> b.txt; exit 7", ok=(0, 7))
        tx.land()
    assert repo.files()["b.txt"] == b"by hand\nmore\n"


def test_run_stands_where_the_caller_stands(repo: Sandbox) -> None:
    repo.commit({"sub/deep/c.txt": b"c\n"})
    assert scalpel(repo.root / "sub/deep", "run", "--", "sed", "-i", "s/c/C/", "c.txt").status == 0
    assert repo.files()["sub/deep/c.txt"] == b"C\n"


def test_a_lease_dies_with_its_holder_and_with_what_that_started(repo: Sandbox) -> None:
    """Killed while its command still writes: the slot is busy until that has ended, then free."""
    script = "touch started; while [ ! -e go ]; do sleep 0.02; done"
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin().id
    holder = subprocess.Popen(
        [sys.executable, "-m", "gitscalpel", "run", "--tx", tx, "--", "sh", "-c", script], cwd=repo.root
    )
    try:
        with gitscalpel.open(repo.root) as opened:
            place = _when(lambda: opened.status().transactions[0].worktree)
            _when((Path(place) / "started").exists)
            holder.send_signal(signal.SIGKILL)
            holder.wait()
            assert refusal(opened.transaction(tx).worktree).code == "busy"
            (Path(place) / "go").touch()
            _when(lambda: not _is_busy(opened, tx))
            opened.transaction(tx).drop()
            assert opened.begin().worktree() == Path(place)
    finally:
        holder.kill()


def _is_busy(opened: Repository, tx: str) -> bool:
    try:
        opened.transaction(tx).worktree()
    except ScalpelError as error:
        return error.code == "busy"
    return False


def _when(condition: object) -> str:
    for _ in range(500):
        try:
            found = condition()  # type: ignore[operator]
        except IndexError:
            found = None
        if found:
            return str(found)
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def test_always(repo: Sandbox) -> None:
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


def test_an_unborn_branch_and_a_bare_repository_have_worktrees_too(repo: Sandbox, tmp_path: Path) -> None:
    unborn = Sandbox.init(tmp_path / "unborn")
    assert scalpel(unborn.root, "run", "--", "touch", "first").status == 0
    assert (unborn.git("log", "--format=%s"), unborn.status()) == ("touch first", "")

    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Sandbox(tmp_path / "bare.git")
    assert scalpel(bare.root, "run", "--onto", "main", "--", "sed", "-i", "s/x/y/", "b.txt").status == 0
    assert bare.git("show", "main:b.txt") == "y   =  1"


def test_a_pool_where_the_user_wants_it(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "pool"))
    assert scalpel(repo.root, "trust").status == 0
    with gitscalpel.open(repo.root) as opened:
        assert tmp_path / "pool" in opened.begin().worktree().parents


def test_a_slot_that_was_removed_is_made_anew(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        tx.edit(text("return 1", "return 3"))
        shutil.rmtree(tx.worktree())
        assert Sandbox(tx.worktree()).status() == "M  a.py"
    assert len(repo.git("worktree", "list").splitlines()) == 2


def test_a_slot_whose_link_was_deleted_is_still_the_transactions(repo: Sandbox) -> None:
    """In a folder without it git would look for a repository further up."""
    with gitscalpel.open(repo.root) as opened:
        begun = opened.begin()
        tx, root = begun.id, begun.worktree()
    (root / ".git").unlink()
    (root / "by hand").write_bytes(b"1\n")
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"
    assert scalpel(repo.root, "stage", tx).status == 0
    assert repo.git("show", f"refs/scalpel/tx/{tx}:by hand") == "1"
    scalpel(repo.root, "drop", tx)
    assert scalpel(repo.root, "gc").status == 0
    assert scalpel(repo.root, "fsck").out == "nothing is damaged\n"


def test_what_is_dropped_while_a_command_works_in_it_is_closed(repo: Sandbox) -> None:
    with gitscalpel.open(repo.root) as opened:
        tx = opened.begin()
        drop = f"{sys.executable} -m gitscalpel drop {tx.id} && echo 1 > made.txt"
        assert refusal(tx.run, "sh", "-c", drop).code == "tx_closed"
    assert repo.status() == ""


def test_no_ignored_file_is_copied_through_a_link_of_the_tree(tmp_path: Path) -> None:
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
    place = Path(scalpel(repo.root, "begin", "--onto", "other", "--worktree", "--json").data["worktree"])
    assert (place / "e/y.env").read_text() == "secret\n"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("resolved", ["as the branch merges", "otherwise"])
def test_a_merge_brings_no_edits_of_others_into_what_was_staged(tmp_path: Path, resolved: str) -> None:
    """A file that both changed, one that only the branch changed, and one that conflicts."""
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
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    place.git("commit", "-qm", "wip")
    place.git("merge", "-q", "main", check=False)
    place.write(
        {"a.py": b"X = 2\n"} if resolved.startswith("as") else {"a.py": b"X = 2\n", "b.py": b"y = 6\n"}
    )
    place.git("add", "-A")
    data = scalpel(place.root, "stage", "--json").data
    changed = [] if resolved.startswith("as") else ["b.py"]
    assert [row["path"] for row in data["files"]] == changed
    assert scalpel(repo.root, "land", tx).status == 0
    assert repo.files()["both.py"] == theirs.replace(b"v0 = 0", b"v0 = 10")
    said = repo.git("log", "-1", "--format=%s")
    assert (said == subject.splitlines()[0]) == (not changed)


@pytest.mark.parametrize(
    "how", [("merge", "-q"), ("rebase", "-q"), ("merge", "-q", "--no-ff", "-m", "merged")]
)
@pytest.mark.parametrize("is_committed", [False, True])
def test_commits_of_the_branch_give_no_message(
    tmp_path: Path, how: tuple[str, ...], is_committed: bool
) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"X = 1\n"})
    tx = str(scalpel(repo.root, "begin", "--json").data["tx"])
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx).out.strip()))
    repo.commit({"b.py": b"Y = 1\n"})
    repo.git("commit", "-q", "--amend", "-m", "theirs")
    place.write({"c.py": b"Z = 1\n"})
    if is_committed:
        place.git("add", "c.py")
        place.git("commit", "-q", "-m", "mine")
    place.git(*how, "main")
    data = scalpel(place.root, "stage", "--json").data
    assert [row["path"] for row in data["files"]] == ["c.py"]
    assert data["message"] == ("mine" if is_committed else "edit by hand")
