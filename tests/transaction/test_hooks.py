"""The pre-commit and commit-msg hooks of the user run once, as git runs them, and their changes land."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gitscalpel import DoesNotFit, GateRefused, NotAllowed, Repository
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.whole import land, land_staged, redo, stage, text, undo


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n", "sub/b.py": b"b = 1\n"})


def _write_hook(
    repo: Sandbox, name: str, script: str, folder: str = ".git/hooks", first: str = "#!/bin/sh"
) -> Path:
    hook = repo.root / folder / name
    hook.parent.mkdir(exist_ok=True, parents=True)
    hook.write_text(f"{first}\n{script}\n")
    hook.chmod(0o755)
    return hook


def _write_counting_hook(repo: Sandbox, name: str = "pre-commit") -> Path:
    count = repo.root.parent / "count"
    _write_hook(repo, name, f"echo {name} >> {count}")
    return count


EDIT = text("return 1", "return 2")


def test_hooks_run_once(repo: Sandbox) -> None:
    count = _write_counting_hook(repo)
    _write_counting_hook(repo, "commit-msg")
    result = land(repo, EDIT)
    assert count.read_text() == "pre-commit\ncommit-msg\n"
    row = result.facts.gates[-1]
    assert (row.name, row.status) == ("hooks", "passed")
    assert result.facts.unchecked == ()


def test_checked_hooks_do_not_run_again(repo: Sandbox) -> None:
    count = _write_counting_hook(repo)
    staged = stage(repo, EDIT)
    assert staged.facts.unchecked == ("the pre-commit hook has not run yet; it runs on check or land",)
    assert not count.exists()
    with Repository(repo.root) as opened:
        checked = opened.transaction(str(staged.tx)).check()
        again = opened.transaction(str(staged.tx)).check()
    assert checked.facts.gates[-1].status == "passed"
    assert (checked.facts.unchecked, again.facts.unchecked) == ((), ())
    assert (again.facts.gates[-1].name, again.facts.gates[-1].status) == ("hooks", "cached")
    land_staged(repo, str(staged.tx))
    assert count.read_text() == "pre-commit\n"


def test_hooks_run_again_on_a_moved_branch(repo: Sandbox) -> None:
    count = _write_counting_hook(repo)
    staged = stage(repo, EDIT)
    with Repository(repo.root) as opened:
        opened.transaction(str(staged.tx)).check()
    repo.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "moved")
    land_staged(repo, str(staged.tx))
    assert count.read_text() == "pre-commit\n" * 2


def test_changed_hooks_run_again(repo: Sandbox) -> None:
    count = _write_counting_hook(repo)
    staged = stage(repo, EDIT)
    with Repository(repo.root) as opened:
        opened.transaction(str(staged.tx)).check()
    _write_hook(repo, "pre-commit", f"echo changed >> {count}")
    _write_counting_hook(repo, "commit-msg")
    land_staged(repo, str(staged.tx))
    assert count.read_text() == "pre-commit\nchanged\ncommit-msg\n"


class TestUndo:
    @pytest.fixture(autouse=True)
    def _land_edit(self, repo: Sandbox) -> None:
        land(repo, EDIT)

    def test_fast_undo_runs_no_hook(self, repo: Sandbox) -> None:
        count = _write_counting_hook(repo)
        undo(repo)
        redo(repo)
        assert not count.exists()

    def test_revert_runs_hooks_as_a_commit(self, repo: Sandbox) -> None:
        repo.commit({"c.txt": b"later\n"})
        count = _write_counting_hook(repo)
        _write_hook(repo, "commit-msg", 'echo "Ticket: 1" >> "$1"')
        assert undo(repo).revert
        assert count.read_text() == "pre-commit\n"
        assert repo.git("log", "-1", "--format=%B").endswith("Ticket: 1")
        assert repo.files()["a.py"] == b"def f():\n    return 1\n"
        repo.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "later")
        assert redo(repo).revert
        assert count.read_text() == "pre-commit\n" * 2
        assert repo.git("for-each-ref", "refs/scalpel/tx/") == ""

    def test_undo_rejected_by_a_hook_changes_nothing(self, repo: Sandbox) -> None:
        repo.commit({"c.txt": b"later\n"})
        _write_hook(repo, "pre-commit", "echo not back; exit 1")
        before = repo.state()
        with pytest.raises(GateRefused, match="not back") as caught:
            undo(repo)
        assert caught.value.code == "hook_failed"
        assert repo.state() == before

    def test_undo_lands_files_staged_by_a_hook(self, repo: Sandbox) -> None:
        repo.commit({"c.txt": b"later\n"})
        _write_hook(repo, "pre-commit", "echo 'x = 0' >> a.py; git add a.py")
        undo(repo)
        assert repo.files()["a.py"] == b"def f():\n    return 1\nx = 0\n"
        assert repo.status() == ""

    def test_undo_skips_hooks_by_policy(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[gates]\nhooks = "skip"\n'})
        count = _write_counting_hook(repo)
        assert undo(repo).revert
        assert not count.exists()

    def test_undo_awaiting_approval_runs_hooks_once(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["a.py"]\n'})
        count = _write_counting_hook(repo)
        _write_hook(repo, "commit-msg", 'echo "Ticket: 1" >> "$1"')
        first, again = (scalpel(repo.root, "undo", "--json").error for _ in range(2))
        assert (first["code"], first["data"]["tx"]) == ("approval_required", again["data"]["tx"])
        assert count.read_text() == "pre-commit\n"


def test_hook_environment_is_that_of_git_commit(repo: Sandbox, tmp_path: Path) -> None:
    """Compare with ``git commit`` in another worktree of the pool."""
    log = tmp_path / "seen"
    for name in ("pre-commit", "commit-msg"):
        _write_hook(
            repo, name, f'(pwd; echo "$#"; env | grep -E "^(GIT_|PATH=)" | sort) > {log}.$(basename $0)'
        )
    staged = stage(repo, EDIT)
    with Repository(repo.root) as opened:
        tx = opened.transaction(str(staged.tx))
        worktree = tx.worktree()
        tx.check()
    ours = [_normalized_lines(Path(f"{log}.{name}")) for name in ("pre-commit", "commit-msg")]
    subprocess.run(["git", "commit", "-q", "-m", "by git"], cwd=worktree, check=True)
    theirs = [_normalized_lines(Path(f"{log}.{name}")) for name in ("pre-commit", "commit-msg")]
    assert ours == theirs


def _normalized_lines(log: Path) -> list[str]:
    """Return the recorded lines without worktree numbers and dates, which differ between runs."""
    lines = [line for line in log.read_text().splitlines() if "_DATE=" not in line]
    return [re.sub(r"/\d/repo$|(?<=worktrees/repo)\d?(?=/|$)", "/N", line) for line in lines]


def test_hook_failure_changes_nothing_and_shows_its_output(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "echo not like this; echo x > a.py; exit 3")
    before = repo.state()
    with pytest.raises(GateRefused, match="not like this") as caught:
        land_edit(repo)
    assert caught.value.code == "hook_failed"
    assert (caught.value.data["hook"], caught.value.data["status"]) == ("pre-commit", 3)
    assert repo.state() == before


def land_edit(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        opened.edit(EDIT)


def test_file_staged_by_a_hook_lands(repo: Sandbox) -> None:
    _write_hook(
        repo, "pre-commit", "echo 'c = 1' > c.py; git add c.py; echo left > left.txt; echo x >> sub/b.py"
    )
    result = land(repo, EDIT)
    assert [file.path for file in result.files] == ["a.py", "c.py"]
    assert [(fix.path, fix.fix) for fix in result.facts.fixed or ()] == [("c.py", "pre-commit")]
    assert repo.files()["c.py"] == b"c = 1\n"
    assert repo.files()["sub/b.py"] == b"b = 1\n"
    assert repo.status() == ""


def test_hook_cannot_empty_a_transaction(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "git reset -q")
    tx = scalpel(repo.root, "write", "new.txt", "--content", "x", "--no-land", "--json").data["tx"]
    before = repo.git("rev-parse", f"scalpel/tx/{tx}^{{tree}}")
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "hook_failed"
    assert repo.git("rev-parse", f"scalpel/tx/{tx}^{{tree}}") == before


def test_file_staged_by_a_hook_is_judged(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "echo 'def (' > a.py; git add a.py")
    before = repo.state()
    with pytest.raises(GateRefused) as caught:
        land_edit(repo)
    assert caught.value.code == "syntax_error"
    assert repo.state() == before


def test_commit_msg_hook_edits_the_message(repo: Sandbox) -> None:
    _write_hook(repo, "commit-msg", 'printf "\\n\\n\\nTicket: 1   \\n\\n\\n" >> "$1"')
    result = land(repo, EDIT, message="Better")
    assert result.message == "Better\n\nTicket: 1\n"
    assert repo.git("log", "-1", "--format=%B") == "Better\n\nTicket: 1"


def test_empty_message_is_rejected(repo: Sandbox) -> None:
    _write_hook(repo, "commit-msg", ': > "$1"')
    with pytest.raises(GateRefused, match="no message"):
        land(repo, EDIT)


def test_commit_by_a_hook_keeps_the_message(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "git commit -q --no-verify -m inner")
    assert scalpel(repo.root, "write", "new.txt", "--content", "x", "-m", "outer").status == 0
    assert repo.git("log", "-1", "--format=%s") == "outer"


@pytest.mark.parametrize("removal", ['rm -rf "$PWD"', 'unset GIT_DIR; git worktree remove --force "$PWD"'])
def test_hook_that_removes_its_worktree_fails(repo: Sandbox, removal: str) -> None:
    _write_hook(repo, "pre-commit", removal)
    answer = scalpel(repo.root, "write", "new.txt", "--content", "x", "--json")
    assert answer.error["code"] == "hook_failed"
    _write_hook(repo, "pre-commit", "true")
    assert scalpel(repo.root, "write", "new.txt", "--content", "x").status == 0


def test_hook_without_shebang_runs_in_the_shell(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "exit 7", first="")
    with pytest.raises(GateRefused, match="exit status 7"):
        land(repo, EDIT)


def test_hook_with_missing_interpreter_fails(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "exit 0", first="#!/no/such/thing")
    with pytest.raises(GateRefused, match="pre-commit"):
        land(repo, EDIT)


def test_background_process_of_a_hook_is_ended(repo: Sandbox) -> None:
    _write_hook(repo, "pre-commit", "(sleep 1; echo late > late.txt; git add late.txt) &")
    result = land(repo, EDIT)
    assert [file.path for file in result.files] == ["a.py"]


def test_unstaged_manual_edits_block_the_check(repo: Sandbox) -> None:
    _write_counting_hook(repo)
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        (tx.worktree() / "a.py").write_text("def f():\n    return 5\n")
        answer = scalpel(repo.root, "check", tx.id, "--json")
    assert answer.error["code"] == "dirty_overlap"


def test_concurrent_manual_edit_hides_no_failure(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(EDIT)
        worktree = tx.worktree()
        _write_hook(
            repo, "pre-commit", f"echo 'def (' > a.py; git add a.py; echo 'hand = 1' > {worktree}/a.py"
        )
        answer = scalpel(repo.root, "check", tx.id, "--json")
    assert answer.error["code"] == "syntax_error"
    assert (worktree / "a.py").read_text() == "hand = 1\n"


def test_policy_can_skip_hooks(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[gates]\nhooks = "skip"\n'})
    count = _write_counting_hook(repo)
    assert "hooks" not in [row.name for row in land(repo, EDIT).facts.gates]
    assert not count.exists()


def test_hook_can_read_but_not_land(repo: Sandbox) -> None:
    program = f"{sys.executable} -m gitscalpel"
    _write_hook(repo, "pre-commit", f"{program} show a.py && {program} write inner.txt --content x")
    answer = scalpel(repo.root, "text", "a.py", "--old", "return 1", "--new", "return 2", "--json")
    assert answer.error["code"] == "hook_failed"
    assert "return 2" in answer.error["data"]["output"]
    assert "error: invalid_args" in answer.error["data"]["output"]


class TestTrackedHooks:
    @pytest.fixture
    def count(self, repo: Sandbox) -> Path:
        count = repo.root.parent / "count"
        _write_hook(repo, "pre-commit", f"echo ran >> {count}", folder=".hooks")
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", "hooks")
        repo.git("config", "core.hooksPath", ".hooks")
        return count

    def test_untrusted_tracked_hook_blocks_the_landing(self, repo: Sandbox, count: Path) -> None:
        before = repo.state()
        with pytest.raises(NotAllowed, match=r"\.hooks/pre-commit") as caught:
            land_edit(repo)
        assert caught.value.code == "untrusted"
        assert repo.state() == before
        assert not count.exists()

    def test_trusted_tracked_hook_runs(self, repo: Sandbox, count: Path) -> None:
        listed = scalpel(repo.root, "trust", "--list", "--json").data["programs"]
        assert [row["trusted"] for row in listed] == [False, False]
        trusted = scalpel(repo.root, "trust", "--json").data["programs"]
        assert [row["where"] for row in trusted] == ["core.hookspath", "hook .hooks/pre-commit"]
        assert all(row["trusted"] for row in trusted)
        land_edit(repo)
        assert count.read_text() == "ran\n"

    def test_changed_tracked_hook_needs_trust(self, repo: Sandbox, count: Path) -> None:
        scalpel(repo.root, "trust")
        with (repo.root / ".hooks/pre-commit").open("a") as file:
            file.write("echo more\n")
        with pytest.raises(NotAllowed):
            land_edit(repo)
        assert not count.exists()

    def test_edit_of_a_hook_runs_the_old_hook(self, repo: Sandbox, count: Path) -> None:
        scalpel(repo.root, "trust")
        land(repo, text("echo ran", "exit 0; echo", path=".hooks/pre-commit"))
        assert count.read_text() == "ran\n"

    def test_revoked_trust_blocks_the_landing(self, repo: Sandbox, count: Path) -> None:
        scalpel(repo.root, "trust")
        scalpel(repo.root, "trust", "--revoke")
        with pytest.raises(NotAllowed):
            land_edit(repo)

    def test_trust_does_not_apply_to_a_copy(self, repo: Sandbox, count: Path) -> None:
        scalpel(repo.root, "trust")
        copy = repo.root.parent / "copy"
        subprocess.run(["cp", "-a", repo.root, copy], check=True)
        with pytest.raises(NotAllowed):
            land_edit(Sandbox(copy))


class TestPreCommitFramework:
    @pytest.fixture(autouse=True)
    def _installed(self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        pytest.importorskip("pre_commit")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
        configuration = f"""\
repos:
- repo: local
  hooks:
  - id: no-todo
    name: no TODO
    language: pygrep
    entry: TODO
    types: [python]
  - id: stamp
    name: stamp
    language: system
    entry: {sys.executable} -c 'import sys, pathlib as p; [q.write_text("# stamped\\n" + q.read_text())
      for q in map(p.Path, sys.argv[1:]) if not q.read_text().startswith("# stamped")]'
    types: [python]
"""
        repo.commit({".pre-commit-config.yaml": configuration.encode(), "a.py": b"# stamped\nx = 1\n"})
        subprocess.run(
            [sys.executable, "-m", "pre_commit", "install"], cwd=repo.root, check=True, capture_output=True
        )

    def test_passing_hooks_land(self, repo: Sandbox) -> None:
        land(repo, text("x = 1", "x = 2"))
        assert repo.files()["a.py"] == b"# stamped\nx = 2\n"

    def test_failing_hook_blocks_the_landing(self, repo: Sandbox) -> None:
        with pytest.raises(GateRefused, match="TODO"):
            land(repo, text("x = 1", "x = 2  # TODO"))

    def test_unstaged_change_by_a_hook_fails_as_in_git(self, repo: Sandbox) -> None:
        with pytest.raises(GateRefused, match="files were modified by this hook"):
            land(repo, {"op": "write", "path": "new.py", "content": "y = 1\n"})


def test_empty_transaction_fails_before_hooks_run(repo: Sandbox) -> None:
    count = _write_counting_hook(repo)
    with Repository(repo.root) as opened, pytest.raises(DoesNotFit):
        opened.begin().land()
    assert not count.exists()
