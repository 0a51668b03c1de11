"""Command gates: a configuration, an edit, and the result of the gate."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from tests.command import Answer, scalpel
from tests.sandbox import Content, Sandbox
from tests.today import some

ONE: dict[str, Content] = {"a.py": b"x = 1\n", "b.txt": b"one\n", ".gitignore": b"*.log\n"}
EDIT = ("text", "a.py", "--old", "x = 1", "--new", "x = 2")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    return Sandbox.of(tmp_path / "shop", ONE)


def configure(repo: Sandbox, *gates: str, head: str = "") -> None:
    tables = "".join(f'[[gates.command]]\nname = "g{n}"\n{gate}\n' for n, gate in enumerate(gates))
    repo.commit({".gitscalpel.toml": f"{head}\n{tables}".encode()})


def counting_command(repo: Sandbox, next_command: str = "true") -> str:
    """Return a command line that appends a line to a file each time it runs."""
    return f"echo >> {repo.root.parent / 'asked'}; {next_command}"


def count_runs(repo: Sandbox) -> int:
    log = repo.root.parent / "asked"
    return len(log.read_text()) if log.exists() else 0


def rows(answer: Answer) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in answer.data["gates"]}


def edit(repo: Sandbox, *more: str, **options: Any) -> Answer:
    return scalpel(repo.root, *(more or EDIT), "--json", **options)


def test_passed_gate_lands_and_its_output_is_recorded(repo: Sandbox) -> None:
    configure(repo, 'run = "cat a.py"')
    row = rows(edit(repo))["g0"]
    assert (row["status"], row["output"]) == ("passed", "x = 2\n")
    assert repo.files()["a.py"] == b"x = 2\n"


def test_failed_gate_blocks_the_landing(repo: Sandbox) -> None:
    configure(repo, 'run = "echo a.py:1:5: too much; exit 3"')
    before = repo.state()
    error = edit(repo).error
    assert (error["code"], error["data"]["status"], error["data"]["gate"]) == ("gate_failed", 3, "g0")
    assert "too much" in error["message"]
    assert repo.state() == before


def test_gate_runs_on_the_staged_tree_and_leaves_no_files(repo: Sandbox) -> None:
    staged = "$(git rev-parse scalpel/tx/$SCALPEL_TX^{tree})"
    configure(repo, f"run = 'test $(git write-tree) = {staged} && touch junk kept.log'")
    repo.write({"b.txt": b"mine\n"})
    assert edit(repo).data["state"] == "landed"
    assert "junk" not in repo.files()
    assert "junk" not in repo.git("ls-tree", "--name-only", "HEAD").split()


def test_gate_that_changes_files_fails(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y >> a.py"')
    error = edit(repo).error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", ["a.py"])
    assert repo.files()["a.py"] == b"x = 1\n"


@pytest.mark.parametrize(("paths", "status"), [('["**/*.py"]', "passed"), ('["docs/**"]', "skipped")])
def test_gate_runs_only_for_matching_paths(repo: Sandbox, paths: str, status: str) -> None:
    configure(repo, f'run = "true"\npaths = {paths}')
    assert rows(edit(repo))["g0"]["status"] == status


@pytest.mark.parametrize("paths", some(["conf/**", "**/x", "*.cfg", "conf/x"]))
@pytest.mark.parametrize("line", ["grep -q ok conf/x", "grep -qr ok {changed}/"])
def test_gate_runs_for_a_retargeted_symlink(repo: Sandbox, paths: str, line: str) -> None:
    repo.commit({"a/x": b"ok\n", "b/x": b"other\n", "c/x": b"ok\n", "conf": (SYMLINK, b"a")})
    configure(repo, f'run = "{line}"\npaths = ["{paths}"]')
    run = ("run", "--json", "--", "ln", "-sfn")
    assert scalpel(repo.root, *run, "b", "conf").error["code"] == "gate_failed"
    assert scalpel(repo.root, *run, "c", "conf").status == 0


def test_changed_placeholder_lists_the_changed_files(repo: Sandbox) -> None:
    repo.commit({"-x y.py": b"1\n", "gone.py": b"1\n"})
    configure(repo, 'run = "printf %s, {changed}"\npaths = ["*.py"]')
    patch = (
        "*** Begin Patch\n*** Update File: -x y.py\n@@\n-1\n+2\n*** Delete File: gone.py\n"
        "*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch\n"
    )
    assert rows(scalpel(repo.root, "apply", "--json", stdin=patch))["g0"]["output"] == "./-x y.py,"


@pytest.mark.parametrize(
    ("line", "accepted"),
    [
        ("ls '{changed}'", False),
        ('sh -c "ls {changed}"', False),
        ("ls \\{changed}", False),
        ("echo 'it is' \"$(ls {changed})\"", True),
        ('echo "`ls {changed}` (" && (ls {changed})', True),
        ("echo \\' {changed}", True),
    ],
)
def test_file_name_is_not_run_as_a_command(repo: Sandbox, line: str, accepted: bool) -> None:
    configure(repo, f"run = '''{line}'''")
    answer = scalpel(repo.root, "write", "x; touch RUN; y", "--json", stdin="1\n")
    assert answer.status == (0 if accepted else 78)
    assert accepted or answer.error["code"] == "config_error"


def test_gate_without_changed_files_is_skipped(repo: Sandbox) -> None:
    configure(repo, 'run = "false {changed}"\npaths = ["*.py"]')
    assert rows(edit(repo, "rm", "a.py"))["g0"]["status"] == "skipped"


def test_slow_gate_is_ended_with_its_children(repo: Sandbox) -> None:
    mark = repo.root.parent / "late"
    configure(repo, f'run = "(sleep 3; touch {mark}) & sleep 60"\ntimeout = "300ms"')
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("gate_timeout", 124)
    time.sleep(3.2)
    assert not mark.exists()


def test_exit_status_125_is_indeterminate(repo: Sandbox) -> None:
    configure(repo, 'run = "exit 125"')
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("gate_indeterminate", 125)


def test_flaky_gate_is_retried_and_noted(repo: Sandbox) -> None:
    mark = repo.root.parent / "once"
    configure(repo, f'run = "test -e {mark} || {{ touch {mark}; false; }}"\nretries = 1')
    row = rows(edit(repo))["g0"]
    assert (row["status"], row["notes"]) == ("passed", ["passed at try 2: it is flaky"])


def test_dependent_gate_waits_for_its_predecessor(repo: Sandbox) -> None:
    mark = repo.root.parent / "built"
    configure(
        repo,
        f'run = "sleep 0.5; cd {mark.parent}; touch built"',
        f'run = "cd {mark.parent}; test -e built"\nafter = ["g0"]',
        'run = "false"',
        'run = "true"\nafter = ["g2"]',
    )
    assert edit(repo).error["data"]["gate"] == "g2"
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    scalpel(repo.root, "check", tx)
    gates = rows(scalpel(repo.root, "show-tx", tx, "--json"))
    assert [gates[f"g{n}"]["status"] for n in range(4)] == ["cached", "cached", "failed", "skipped"]


def test_passed_gate_is_not_run_twice(repo: Sandbox) -> None:
    configure(repo, f'run = "{counting_command(repo)}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    for _ in range(2):
        assert scalpel(repo.root, "check", tx).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert count_runs(repo) == 1
    scalpel(repo.root, "undo")
    assert rows(edit(repo))["g0"]["status"] == "cached"
    assert count_runs(repo) == 1


def test_cached_failure_has_a_hint_to_run_again(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command may depend on something that it does not name, such as a server."""
    judge = tmp_path / "judge"
    judge.write_text(f"test -e {tmp_path}/up\n")
    configure(repo, f'run = "sh {judge}"')
    assert "SCALPEL_FRESH" not in edit(repo).error["hint"]
    (tmp_path / "up").touch()
    assert "SCALPEL_FRESH=1 runs the command again" in edit(repo).error["hint"]
    monkeypatch.setenv("SCALPEL_FRESH", "1")
    assert edit(repo).data["state"] == "landed"


@pytest.mark.parametrize(
    "changed",
    ["command", "setup", "shared", "git's", "environment", "tree", "program", "fresh", "old"],
)
def test_gate_result_is_not_reused_after_a_change(
    repo: Sandbox, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run would fail, so a result that is cached too long would let it pass."""
    program = tmp_path / "bin/judge"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho >> $ASKED\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(repo.root.parent / "asked"))
    configure(repo, 'run = "judge"', head='[gates]\nremember = "1h"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    assert scalpel(repo.root, "check", tx).status == 0
    if changed == "command":
        configure(repo, 'run = "judge again"')
    elif changed == "setup":
        configure(repo, 'run = "judge"', head='[gates]\nsetup = "true"')
    elif changed == "shared":
        configure(repo, 'run = "judge"', head='[gates]\nshared = ["node_modules"]')
    elif changed == "git's":
        repo.git("config", "core.autocrlf", "true")
    elif changed == "environment":
        monkeypatch.setenv("MODE", "other")
    elif changed == "tree":
        edit(repo, "text", "b.txt", "--old", "one", "--new", "two", "--tx", tx)
    elif changed == "program":
        program.write_text("#!/bin/sh\necho >> $ASKED # upgraded\n")
    elif changed == "old":
        for verdict in (repo.root / ".git/scalpel/verdicts").iterdir():
            os.utime(verdict, (time.time() - 3700,) * 2)
    assert scalpel(repo.root, "check", tx, *(["--fresh"] if changed == "fresh" else [])).status == 0
    assert count_runs(repo) == 2


@pytest.mark.parametrize("command_line", ["sh {}", "sh -s x --config={} < $FILE"])
def test_gate_result_is_not_reused_for_a_changed_script(
    repo: Sandbox, command_line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script"
    monkeypatch.setenv("FILE", str(script))
    script.write_text("exit 0\n")
    configure(repo, f'run = "{command_line.format(script)}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    assert scalpel(repo.root, "check", tx).status == 0
    script.write_text("exit 11\n")
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "gate_failed"


def test_gate_result_is_not_reused_for_a_merge(repo: Sandbox) -> None:
    configure(repo, f'run = "{counting_command(repo, "! grep -q two b.txt || ! grep -q 2 a.py")}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    assert scalpel(repo.root, "check", tx).status == 0
    repo.commit({"b.txt": b"two\n"})
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "gate_failed"
    assert count_runs(repo) == 2


def test_gate_result_is_not_reused_for_another_base(repo: Sandbox) -> None:
    """Both transactions have the same tree, but a command can ask git for their changes."""
    configure(repo, f'run = "{counting_command(repo, "git show HEAD:a.py | grep -q 1")}"')
    assert scalpel(repo.root, "check", edit(repo, *EDIT, "--no-land").data["tx"]).status == 0
    repo.commit({"a.py": b"x = 0\n"})
    other = edit(repo, "text", "a.py", "--old", "x = 0", "--new", "x = 2")
    assert other.error["code"] == "gate_failed"
    assert count_runs(repo) == 2


def test_baseline_distinguishes_tests_by_number(repo: Sandbox) -> None:
    repo.commit({"state": b"test_v1 bad\ntest_v2 good\n", "t.py": b""})
    run = "sed -n 's/ bad//p' state | sed 's/^/FAILED t.py::/'; ! grep -q bad state"
    configure(repo, f'run = """{run}"""\nbaseline = true')
    other = edit(repo, "write", "state", "--overwrite", "--content", "test_v1 good\ntest_v2 bad\n")
    assert [failure["message"] for failure in other.error["data"]["new"]] == ["test_v2"]
    same = edit(repo, "write", "state", "--overwrite", "--content", "test_v1 bad\n")
    assert same.data["state"] == "landed"


LINT = 'run = "grep -n BAD a.py | sed s/^/a.py:/ ; ! grep -q BAD a.py"\nbaseline = true'


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("x = 1", "x = 2", None),
        ("x = 1", "\nx = 1", None),  # the old failure moves down by one line
        ("x = 1", "x = 1  # BAD too", "gate_failed"),
        ("y = 1  # BAD", "y = 1", None),
    ],
)
def test_baseline_counts_only_new_failures(repo: Sandbox, old: str, new: str, code: str | None) -> None:
    repo.commit({"a.py": b"x = 1\ny = 1  # BAD\n"})
    configure(repo, LINT)
    answer = edit(repo, "text", "a.py", "--old", old, "--new", new)
    assert (answer.json.get("error") or {}).get("code") == code


def test_baseline_without_positions_excuses_no_failure(repo: Sandbox) -> None:
    configure(repo, 'run = "false"\nbaseline = true')
    assert edit(repo).error["code"] == "gate_failed"


@pytest.mark.parametrize(
    ("new", "code"),
    [("x = 2", None), ("x = 1  # BAD", "gate_failed")],
)
def test_failure_without_a_position_counts(repo: Sandbox, new: str, code: str | None) -> None:
    """The failure appears next to an old warning with a position."""
    lint = "echo a.py:1: warning: old; echo FAIL: test_old; echo 2 failed; "
    lint += "! grep -q BAD a.py || echo FAIL: test_new; false"
    configure(repo, f'run = "{lint}"\nbaseline = true')
    answer = edit(repo, "text", "a.py", "--old", "x = 1", "--new", new)
    assert (answer.json.get("error") or {}).get("code") == code


def test_pinned_file_is_taken_from_the_target(repo: Sandbox) -> None:
    """A change of a pinned file does not judge itself, and another person has to approve it."""
    repo.commit({"conftest.py": b"strict\n"})
    configure(repo, 'run = "grep strict conftest.py"', head='[gates]\npinned = ["conftest.py"]')
    error = edit(repo, "text", "conftest.py", "--old", "strict", "--new", "lax").error
    assert (error["code"], error["data"]["needed"]) == ("approval_required", ["conftest.py (gates.pinned)"])
    row = rows(scalpel(repo.root, "show-tx", error["data"]["tx"], "--json"))["g0"]
    assert (row["status"], row["output"]) == ("passed", "strict\n")


def test_symlink_over_a_pinned_file_is_ignored(repo: Sandbox) -> None:
    """The target contains one of the two paths."""
    repo.commit({"tests/conftest.py": b"strict\n", "lax/conftest.py": b"lax\n"})
    pinned = '[gates]\npinned = ["tests/conftest.py", "more/conftest.py"]'
    configure(repo, 'run = "grep strict tests/conftest.py && ! test -e more"', head=pinned)
    link = "rm -r tests && ln -s lax tests && ln -s lax more"
    error = scalpel(repo.root, "run", "--json", "--", "sh", "-c", link).error
    assert error["code"] == "approval_required"
    assert rows(scalpel(repo.root, "show-tx", error["data"]["tx"], "--json"))["g0"]["status"] == "passed"


def test_edit_cannot_remove_its_own_gate(repo: Sandbox) -> None:
    configure(repo, 'run = "false"')
    changed = edit(repo, "write", ".gitscalpel.toml", "--content", "", "--overwrite")
    assert changed.error["code"] == "gate_failed"


def test_untrusted_gate_does_not_run(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(repo, f'run = "{counting_command(repo)}"')
    monkeypatch.delenv("SCALPEL_TRUST")
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("untrusted", 6)
    assert count_runs(repo) == 0
    assert repo.git("for-each-ref", "refs/scalpel/tx") == ""
    scalpel(repo.root, "trust")
    assert edit(repo).status == 0
    configure(repo, f'run = "{counting_command(repo)} "')
    assert edit(repo, "text", "a.py", "--old", "x = 2", "--new", "x = 3").error["code"] == "untrusted"
    assert count_runs(repo) == 1


def test_gates_of_another_branch_need_their_own_trust(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCALPEL_TRUST")
    configure(repo, 'run = "true"')
    repo.git("checkout", "-q", "-b", "topic")
    configure(repo, 'run = "test 1"')
    repo.git("checkout", "-q", "main")
    assert scalpel(repo.root, "trust").status == 0
    error = edit(repo, *EDIT, "--onto", "topic").error
    assert error["code"] == "untrusted"
    assert "`git scalpel trust --onto topic`" in error["hint"]
    assert scalpel(repo.root, "trust", "--onto", "topic").status == 0
    assert edit(repo, *EDIT, "--onto", "topic").status == 0
    assert edit(repo).status == 0


def test_editable_install_imports_from_the_worktree(repo: Sandbox, tmp_path: Path) -> None:
    """Python would import the package from the checkout, where it was installed."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (packages,) = venv.glob("lib/python3*/site-packages")
    (packages / "shop.pth").write_text(f"{repo.root}/src\n")
    repo.commit({"src/shop.py": b"VALUE = 1\n"})
    configure(repo, f"run = \"{venv}/bin/python -c 'import shop; print(shop.__file__, shop.VALUE)'\"")
    row = rows(edit(repo, "text", "src/shop.py", "--old", "VALUE = 1", "--new", "VALUE = 2"))["g0"]
    assert row["output"] == "src/shop.py 2\n"


def test_search_path_is_redirected_to_the_worktree(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sibling = f"{repo.root}-tools"
    monkeypatch.setenv("NODE_PATH", os.pathsep.join([f"{repo.root}/src", sibling]))
    configure(repo, 'run = "echo $NODE_PATH"')
    assert rows(edit(repo))["g0"]["output"] == f"src{os.pathsep}{sibling}\n"


def test_file_staged_by_a_gate_is_a_change(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y = 1 > a.py; git add a.py"', 'run = "grep y a.py"\nafter = ["g0"]')
    error = edit(repo).error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", ["a.py"])
    assert repo.files()["a.py"] == ONE["a.py"]


@pytest.mark.parametrize(("second", "code"), [("exit 1", "gate_failed"), ("true", None)])
def test_dependent_gate_runs_after_a_baseline_failure(repo: Sandbox, second: str, code: str | None) -> None:
    first = 'run = "echo a.py:1: old; exit 1"\nbaseline = true'
    configure(repo, first, f'run = "{second}"\nafter = ["g0"]')
    assert (edit(repo).json.get("error") or {}).get("code") == code


def test_dependent_gate_has_a_baseline(repo: Sandbox) -> None:
    configure(repo, 'run = "true"', 'run = "echo a.py:1: old; exit 1"\nbaseline = true\nafter = ["g0"]')
    assert edit(repo).data["state"] == "landed"


@pytest.mark.parametrize("size", [30_000, 1_200_000])
def test_new_failure_before_long_output_counts(repo: Sandbox, size: int) -> None:
    new = "grep -q 2 a.py && echo a.py:1: new"
    configure(repo, f"run = \"{new}; yes 'a.py:1: old' | head -c {size}; exit 1\"\nbaseline = true")
    assert edit(repo).error["code"] == "gate_failed"


def test_crash_is_a_new_failure(repo: Sandbox) -> None:
    run = "echo a.py:1: old; grep -q 1 a.py && exit 1; kill -SEGV $$"
    configure(repo, f'run = "{run}"\nbaseline = true')
    assert edit(repo).error["code"] == "gate_failed"


def test_python_gate_leaves_no_bytecode(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    repo.commit({".gitignore": b"__pycache__/\n"})
    configure(repo, "run = \"python3 -c 'import a' && ! test -e __pycache__\"")
    assert edit(repo).data["state"] == "landed"


def test_gates_run_before_a_revert_lands(repo: Sandbox) -> None:
    configure(repo, counting_command(repo, "! (grep -q 1 a.py && test -e c.txt)").join(("run = '", "'")))
    landed = edit(repo).data["tx"]
    edit(repo, "write", "c.txt", "--content", "c\n")
    answer = scalpel(repo.root, "undo", landed, "--json")
    assert (answer.error["code"], repo.files()["a.py"]) == ("gate_failed", b"x = 2\n")
    assert not scalpel(repo.root, "list", "--json").data["transactions"]
    repo.commit({"c.txt": None})
    assert scalpel(repo.root, "undo", landed).status == 0
    assert (count_runs(repo), repo.files()["a.py"]) == (4, b"x = 1\n")


def test_undo_killed_during_a_gate_leaves_nothing(repo: Sandbox) -> None:
    pid = repo.root.parent / "pid"
    configure(repo, f"run = 'test ! -e c.txt || grep -q 2 a.py || {{ echo $$ > {pid}; exec sleep 60; }}'")
    landed = edit(repo).data["tx"]
    edit(repo, "write", "c.txt", "--content", "c\n")
    undoing = subprocess.Popen([sys.executable, "-m", "gitscalpel", "undo", landed], cwd=repo.root)
    while not (pid.exists() and pid.read_text()):
        time.sleep(0.02)
    undoing.kill()
    undoing.wait()
    os.kill(int(pid.read_text()), signal.SIGKILL)
    edit(repo, "write", "d.txt", "--content", "d\n")
    assert not scalpel(repo.root, "list", "--json").data["transactions"]


def test_earlier_tip_is_not_judged_again(repo: Sandbox) -> None:
    configure(repo, f"run = '{counting_command(repo)}'")
    edit(repo)
    assert [scalpel(repo.root, verb).status for verb in ("undo", "redo", "undo")] == [0, 0, 0]
    assert count_runs(repo) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_edit_leaves_nothing(repo: Sandbox, number: int) -> None:
    started = repo.root.parent / "started"
    configure(repo, f"run = 'cd {started.parent}; touch started; sleep 30'")
    words = [sys.executable, "-m", "gitscalpel", *EDIT, "--json"]
    as_in_a_terminal = (
        f"import os, signal; signal.signal({int(number)}, signal.SIG_DFL); os.execv({words[0]!r}, {words!r})"
    )
    editing = subprocess.Popen(
        [sys.executable, "-c", as_in_a_terminal],
        cwd=repo.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not started.exists():
        time.sleep(0.02)
    for _ in range(80):  # git forwards the signals of the terminal
        editing.send_signal(number)
        time.sleep(0.005)
    assert editing.wait(10) in (130, -number)  # a signal kills Python while it exits
    assert not scalpel(repo.root, "list", "--json").data["transactions"]
    assert repo.files()["a.py"] == b"x = 1\n"


HIDE = {
    "skip-worktree": "git update-index --skip-worktree a.py",
    "assume-unchanged": "git update-index --assume-unchanged a.py",
    "times": "git config core.trustctime false; git config core.checkStat minimal",
}


@pytest.mark.parametrize("trick", HIDE)
def test_index_flags_do_not_hide_a_different_file(repo: Sandbox, trick: str) -> None:
    configure(repo, 'run = "! grep -q 2 a.py"')
    stage = "echo x = 2 > a.py; touch -d @1700000000 a.py; git add a.py; git status -s"
    put = "sleep 1; echo x = 1 > a.py; touch -d @1700000000 a.py"
    answer = scalpel(repo.root, "run", "--json", "--", "sh", "-c", f"{stage}; {HIDE[trick]}; {put}")
    if answer.status == 0:
        assert answer.data["state"] == "unchanged"
    else:
        assert answer.error["code"] in {"dirty_overlap", "gate_failed"}, answer
    assert repo.files()["a.py"] == b"x = 1\n"


def test_sparse_checkout_of_a_run_hides_no_file_from_gates(repo: Sandbox) -> None:
    configure(repo, 'run = "! test -e b.txt"')
    sparse = "echo x = 2 > a.py; git sparse-checkout set --no-cone '/*' '!/b.txt'"
    error = scalpel(repo.root, "run", "--json", "--", "sh", "-c", sparse).error
    assert error["code"] in {"dirty_overlap", "gate_failed"}, error


def test_gate_sees_files_outside_the_sparse_checkout(repo: Sandbox) -> None:
    configure(repo, 'run = "test -e docs/d.txt && test -e new/n.txt"')
    repo.commit({"docs/d.txt": b"d\n"})
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs/", "!/new/")
    answer = edit(repo, "write", "new/n.txt", "--content", "n")
    assert (answer.status, rows(answer)["g0"]["status"]) == (0, "passed")
    assert not (repo.root / "docs").exists()
    again = edit(repo)  # in the same worktree, which has the commit already
    assert (again.status, again.json["warnings"], again.err.count("kept")) == (0, [], 0)


@pytest.mark.parametrize("call", ["text b.txt --old one --new two", "undo", "gc", "begin"])
def test_gate_cannot_change_its_own_repository(repo: Sandbox, call: str) -> None:
    configure(repo, f'run = "cd {repo.root}; git scalpel {call}"')
    assert "error: invalid_args" in edit(repo).error["data"]["output"]
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_gate_can_change_another_repository(repo: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.of(tmp_path / "other", {"b.txt": b"one\n"})
    configure(repo, f'run = "cd {other.root}; git scalpel text b.txt --old one --new two"')
    assert edit(repo).status == 0
    assert other.files()["b.txt"] == b"two\n"


@pytest.fixture
def library(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Create a repository of two commits. ``lib`` is a submodule at the first."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    library = Sandbox.of(repo.root.parent / "library", {"l": b"1\n"})
    repo.git("submodule", "add", "-q", str(library.root), "lib")
    library.commit({"l": b"2\n"})
    return library


def bump_submodule(repo: Sandbox) -> Answer:
    """Return the answer of a run that moves the submodule to the second commit."""
    newer = Sandbox(repo.root.parent / "library").git("rev-parse", "HEAD")
    bump = ("git", "update-index", "--cacheinfo", f"160000,{newer},lib")
    return scalpel(repo.root, "run", "--json", "--", *bump)


@pytest.mark.parametrize("ignored", ["none", "all"])
def test_submodule_checked_out_by_setup_is_the_staged_one(
    repo: Sandbox, library: Sandbox, ignored: str
) -> None:
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", ignored)
    repo.git("add", ".gitmodules", "lib")
    configure(repo, 'run = "cat lib/l"', head='[gates]\nsetup = "git submodule -q update --init"')
    assert rows(edit(repo))["g0"]["output"] == "1\n"
    assert rows(bump_submodule(repo))["g0"]["output"] == "2\n"


def test_submodule_recurse_fetches_a_new_commit(repo: Sandbox, library: Sandbox) -> None:
    repo.git("config", "submodule.recurse", "true")
    configure(repo, 'run = "cat lib/l"', head='[gates]\nsetup = "git submodule -q update --init"')
    assert rows(edit(repo))["g0"]["output"] == "1\n"
    library.commit({"l": b"3\n"})  # in no clone yet
    assert rows(bump_submodule(repo))["g0"]["output"] == "3\n"


def test_gate_with_another_submodule_commit_fails(repo: Sandbox, library: Sandbox) -> None:
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    repo.git("add", ".gitmodules", "lib")
    configure(repo, 'run = "git submodule -q update --init; git -C lib checkout -q HEAD~1 || true"')
    assert edit(repo).status == 0
    assert bump_submodule(repo).error["data"]["files"] == ["lib"]


def test_file_left_in_a_submodule_is_removed(repo: Sandbox, library: Sandbox) -> None:
    configure(repo, 'run = "git submodule -q update --init; test ! -e lib/left; touch lib/left"')
    assert edit(repo).error["data"]["files"] == ["lib"]
    configure(repo, 'run = "git submodule -q update --init; test ! -e lib/left"')
    assert edit(repo).status == 0


def test_gate_cannot_hide_its_changes(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y >> a.py; git update-index --skip-worktree a.py"')
    assert edit(repo).error["data"]["files"] == ["a.py"]


def test_hidden_edit_does_not_reach_the_next_transaction(repo: Sandbox) -> None:
    configure(repo, 'run = "grep -q 2 a.py"')
    hide = "git update-index --skip-worktree a.py; echo x = 2 > a.py; echo two > b.txt"
    scalpel(repo.root, "run", "--no-land", "--", "sh", "-c", hide)
    scalpel(repo.root, "drop", scalpel(repo.root, "list", "--json").data["transactions"][0]["tx"])
    assert edit(repo, "text", "b.txt", "--old", "one", "--new", "three").error["code"] == "gate_failed"
