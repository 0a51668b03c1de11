"""Commands that judge what is to land: a configuration, an edit, and what comes of it."""

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


def counted(repo: Sandbox, then: str = "true") -> str:
    """A command line that leaves a mark each time it is run."""
    return f"echo >> {repo.root.parent / 'asked'}; {then}"


def times(repo: Sandbox) -> int:
    asked = repo.root.parent / "asked"
    return len(asked.read_text()) if asked.exists() else 0


def rows(answer: Answer) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in answer.data["gates"]}


def edit(repo: Sandbox, *more: str, **how: Any) -> Answer:
    return scalpel(repo.root, *(more or EDIT), "--json", **how)


def test_what_passes_lands_and_what_it_said_is_on_record(repo: Sandbox) -> None:
    configure(repo, 'run = "cat a.py"')
    row = rows(edit(repo))["g0"]
    assert (row["status"], row["output"]) == ("passed", "x = 2\n")
    assert repo.files()["a.py"] == b"x = 2\n"


def test_what_fails_does_not_land(repo: Sandbox) -> None:
    configure(repo, 'run = "echo a.py:1:5: too much; exit 3"')
    before = repo.state()
    error = edit(repo).error
    assert (error["code"], error["data"]["status"], error["data"]["gate"]) == ("gate_failed", 3, "g0")
    assert "too much" in error["message"]
    assert repo.state() == before


def test_it_runs_on_what_is_to_land_and_leaves_nothing_of_its_own(repo: Sandbox) -> None:
    staged = "$(git rev-parse scalpel/tx/$SCALPEL_TX^{tree})"
    configure(repo, f"run = 'test $(git write-tree) = {staged} && touch junk kept.log'")
    repo.write({"b.txt": b"mine\n"})
    assert edit(repo).data["state"] == "landed"
    assert "junk" not in repo.files()
    assert "junk" not in repo.git("ls-tree", "--name-only", "HEAD").split()


def test_one_that_changes_files_has_not_checked_them(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y >> a.py"')
    error = edit(repo).error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", ["a.py"])
    assert repo.files()["a.py"] == b"x = 1\n"


@pytest.mark.parametrize(("paths", "status"), [('["**/*.py"]', "passed"), ('["docs/**"]', "skipped")])
def test_it_runs_where_it_is_concerned(repo: Sandbox, paths: str, status: str) -> None:
    configure(repo, f'run = "true"\npaths = {paths}')
    assert rows(edit(repo))["g0"]["status"] == status


@pytest.mark.parametrize("paths", some(["conf/**", "**/x", "*.cfg", "conf/x"]))
@pytest.mark.parametrize("line", ["grep -q ok conf/x", "grep -qr ok {changed}/"])
def test_it_runs_where_a_link_leads_elsewhere(repo: Sandbox, paths: str, line: str) -> None:
    repo.commit({"a/x": b"ok\n", "b/x": b"other\n", "c/x": b"ok\n", "conf": (SYMLINK, b"a")})
    configure(repo, f'run = "{line}"\npaths = ["{paths}"]')
    run = ("run", "--json", "--", "ln", "-sfn")
    assert scalpel(repo.root, *run, "b", "conf").error["code"] == "gate_failed"
    assert scalpel(repo.root, *run, "c", "conf").status == 0


def test_the_changed_files_stand_in_the_line(repo: Sandbox) -> None:
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
def test_no_name_of_a_file_becomes_a_command(repo: Sandbox, line: str, accepted: bool) -> None:
    configure(repo, f"run = '''{line}'''")
    answer = scalpel(repo.root, "write", "x; touch RUN; y", "--json", stdin="1\n")
    assert answer.status == (0 if accepted else 78)
    assert accepted or answer.error["code"] == "config_error"


def test_without_changed_files_it_is_skipped(repo: Sandbox) -> None:
    configure(repo, 'run = "false {changed}"\npaths = ["*.py"]')
    assert rows(edit(repo, "rm", "a.py"))["g0"]["status"] == "skipped"


def test_one_that_takes_too_long_is_ended_with_all_it_started(repo: Sandbox) -> None:
    mark = repo.root.parent / "late"
    configure(repo, f'run = "(sleep 3; touch {mark}) & sleep 60"\ntimeout = "300ms"')
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("gate_timeout", 124)
    time.sleep(3.2)
    assert not mark.exists()


def test_one_that_cannot_tell_says_so(repo: Sandbox) -> None:
    configure(repo, 'run = "exit 125"')
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("gate_indeterminate", 125)


def test_a_flaky_one_may_fail_and_says_so(repo: Sandbox) -> None:
    mark = repo.root.parent / "once"
    configure(repo, f'run = "test -e {mark} || {{ touch {mark}; false; }}"\nretries = 1')
    row = rows(edit(repo))["g0"]
    assert (row["status"], row["notes"]) == ("passed", ["passed at try 2: it is flaky"])


def test_one_that_comes_after_another_waits_for_it(repo: Sandbox) -> None:
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
    found = rows(scalpel(repo.root, "show-tx", tx, "--json"))
    assert [found[f"g{n}"]["status"] for n in range(4)] == ["cached", "cached", "failed", "skipped"]


def test_nothing_is_run_twice(repo: Sandbox) -> None:
    configure(repo, f'run = "{counted(repo)}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    for _ in range(2):
        assert scalpel(repo.root, "check", tx).status == 0
    assert scalpel(repo.root, "land", tx).status == 0
    assert times(repo) == 1
    scalpel(repo.root, "undo")
    assert rows(edit(repo))["g0"]["status"] == "cached"
    assert times(repo) == 1


def test_a_no_that_is_remembered_says_how_to_ask_again(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something that it does not name may be otherwise now: a server is up, say."""
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
def test_what_was_said_holds_for_nothing_else(
    repo: Sandbox, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time the command would fail: a verdict that is remembered too long lets it through."""
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
    assert times(repo) == 2


@pytest.mark.parametrize("named", ["sh {}", "sh -s x --config={} < $FILE"])
def test_what_was_said_holds_for_the_files_that_it_names(
    repo: Sandbox, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script"
    monkeypatch.setenv("FILE", str(script))
    script.write_text("exit 0\n")
    configure(repo, f'run = "{named.format(script)}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    assert scalpel(repo.root, "check", tx).status == 0
    script.write_text("exit 11\n")
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "gate_failed"


def test_what_was_said_of_one_tree_is_not_said_of_a_merge(repo: Sandbox) -> None:
    configure(repo, f'run = "{counted(repo, "! grep -q two b.txt || ! grep -q 2 a.py")}"')
    tx = edit(repo, *EDIT, "--no-land").data["tx"]
    assert scalpel(repo.root, "check", tx).status == 0
    repo.commit({"b.txt": b"two\n"})
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "gate_failed"
    assert times(repo) == 2


def test_what_was_said_of_a_change_from_one_commit_is_not_said_of_one_from_another(repo: Sandbox) -> None:
    """Both leave the same tree, and a command can ask git what has changed."""
    configure(repo, f'run = "{counted(repo, "git show HEAD:a.py | grep -q 1")}"')
    assert scalpel(repo.root, "check", edit(repo, *EDIT, "--no-land").data["tx"]).status == 0
    repo.commit({"a.py": b"x = 0\n"})
    other = edit(repo, "text", "a.py", "--old", "x = 0", "--new", "x = 2")
    assert other.error["code"] == "gate_failed"
    assert times(repo) == 2


def test_with_a_baseline_a_test_is_told_from_another_by_its_number(repo: Sandbox) -> None:
    repo.commit({"state": b"test_v1 bad\ntest_v2 good\n", "t.py": b""})
    run = "sed -n 's/ bad//p' state | sed 's/^/FAILED t.py::/'; ! grep -q bad state"
    configure(repo, f'run = """{run}"""\nbaseline = true')
    other = edit(repo, "write", "state", "--overwrite", "--content", "test_v1 good\ntest_v2 bad\n")
    assert [each["message"] for each in other.error["data"]["new"]] == ["test_v2"]
    same = edit(repo, "write", "state", "--overwrite", "--content", "test_v1 bad\n")
    assert same.data["state"] == "landed"


LINT = 'run = "grep -n BAD a.py | sed s/^/a.py:/ ; ! grep -q BAD a.py"\nbaseline = true'


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("x = 1", "x = 2", None),
        ("x = 1", "\nx = 1", None),  # the old failure stands one line further down
        ("x = 1", "x = 1  # BAD too", "gate_failed"),
        ("y = 1  # BAD", "y = 1", None),
    ],
)
def test_with_a_baseline_only_new_failures_count(repo: Sandbox, old: str, new: str, code: str | None) -> None:
    repo.commit({"a.py": b"x = 1\ny = 1  # BAD\n"})
    configure(repo, LINT)
    answer = edit(repo, "text", "a.py", "--old", old, "--new", new)
    assert (answer.json.get("error") or {}).get("code") == code


def test_a_baseline_that_says_nothing_of_places_excuses_nothing(repo: Sandbox) -> None:
    configure(repo, 'run = "false"\nbaseline = true')
    assert edit(repo).error["code"] == "gate_failed"


@pytest.mark.parametrize(
    ("new", "code"),
    [("x = 2", None), ("x = 1  # BAD", "gate_failed")],
)
def test_a_failure_that_names_no_place_is_one_as_well(repo: Sandbox, new: str, code: str | None) -> None:
    """Beside a place that was named before, as a warning is."""
    lint = "echo a.py:1: warning: old; echo FAIL: test_old; echo 2 failed; "
    lint += "! grep -q BAD a.py || echo FAIL: test_new; false"
    configure(repo, f'run = "{lint}"\nbaseline = true')
    answer = edit(repo, "text", "a.py", "--old", "x = 1", "--new", new)
    assert (answer.json.get("error") or {}).get("code") == code


def test_pinned_files_are_the_target_s(repo: Sandbox) -> None:
    """A change of what judges it does not judge it; and somebody else has to agree to it."""
    repo.commit({"conftest.py": b"strict\n"})
    configure(repo, 'run = "grep strict conftest.py"', head='[gates]\npinned = ["conftest.py"]')
    error = edit(repo, "text", "conftest.py", "--old", "strict", "--new", "lax").error
    assert (error["code"], error["data"]["needed"]) == ("approval_required", ["conftest.py (gates.pinned)"])
    row = rows(scalpel(repo.root, "show-tx", error["data"]["tx"], "--json"))["g0"]
    assert (row["status"], row["output"]) == ("passed", "strict\n")


def test_a_link_in_the_place_of_pinned_files_is_not_seen(repo: Sandbox) -> None:
    """Neither where the target has them, nor where it has nothing."""
    repo.commit({"tests/conftest.py": b"strict\n", "lax/conftest.py": b"lax\n"})
    pinned = '[gates]\npinned = ["tests/conftest.py", "more/conftest.py"]'
    configure(repo, 'run = "grep strict tests/conftest.py && ! test -e more"', head=pinned)
    link = "rm -r tests && ln -s lax tests && ln -s lax more"
    error = scalpel(repo.root, "run", "--json", "--", "sh", "-c", link).error
    assert error["code"] == "approval_required"
    assert rows(scalpel(repo.root, "show-tx", error["data"]["tx"], "--json"))["g0"]["status"] == "passed"


def test_an_edit_cannot_take_away_the_command_that_judges_it(repo: Sandbox) -> None:
    configure(repo, 'run = "false"')
    changed = edit(repo, "write", ".gitscalpel.toml", "--content", "", "--overwrite")
    assert changed.error["code"] == "gate_failed"


def test_nothing_runs_that_nobody_has_trusted(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(repo, f'run = "{counted(repo)}"')
    monkeypatch.delenv("SCALPEL_TRUST")
    answer = edit(repo)
    assert (answer.error["code"], answer.status) == ("untrusted", 6)
    assert times(repo) == 0
    assert repo.git("for-each-ref", "refs/scalpel/tx") == ""
    scalpel(repo.root, "trust")
    assert edit(repo).status == 0
    configure(repo, f'run = "{counted(repo)} "')
    assert edit(repo, "text", "a.py", "--old", "x = 2", "--new", "x = 3").error["code"] == "untrusted"
    assert times(repo) == 1


def test_what_another_branch_names_is_trusted_with_it(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCALPEL_TRUST")
    configure(repo, 'run = "true"')
    repo.git("checkout", "-q", "-b", "topic")
    configure(repo, 'run = "test 1"')
    repo.git("checkout", "-q", "main")
    assert scalpel(repo.root, "trust").status == 0
    refused = edit(repo, *EDIT, "--onto", "topic").error
    assert refused["code"] == "untrusted"
    assert "`git scalpel trust --onto topic`" in refused["hint"]
    assert scalpel(repo.root, "trust", "--onto", "topic").status == 0
    assert edit(repo, *EDIT, "--onto", "topic").status == 0
    assert edit(repo).status == 0


def test_a_project_installed_in_editable_mode_is_the_transaction_s(repo: Sandbox, tmp_path: Path) -> None:
    """Python would import it from the checkout, where it was installed."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (packages,) = venv.glob("lib/python3*/site-packages")
    (packages / "shop.pth").write_text(f"{repo.root}/src\n")
    repo.commit({"src/shop.py": b"VALUE = 1\n"})
    configure(repo, f"run = \"{venv}/bin/python -c 'import shop; print(shop.__file__, shop.VALUE)'\"")
    row = rows(edit(repo, "text", "src/shop.py", "--old", "VALUE = 1", "--new", "VALUE = 2"))["g0"]
    assert row["output"] == "src/shop.py 2\n"


def test_a_search_path_into_the_checkout_leads_into_the_worktree_and_no_other(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = f"{repo.root}-tools"
    monkeypatch.setenv("NODE_PATH", os.pathsep.join([f"{repo.root}/src", beside]))
    configure(repo, 'run = "echo $NODE_PATH"')
    assert rows(edit(repo))["g0"]["output"] == f"src{os.pathsep}{beside}\n"


def test_what_a_command_puts_into_the_index_is_a_change(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y = 1 > a.py; git add a.py"', 'run = "grep y a.py"\nafter = ["g0"]')
    error = edit(repo).error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", ["a.py"])
    assert repo.files()["a.py"] == ONE["a.py"]


@pytest.mark.parametrize(("second", "code"), [("exit 1", "gate_failed"), ("true", None)])
def test_what_comes_after_one_that_failed_as_before_is_asked(
    repo: Sandbox, second: str, code: str | None
) -> None:
    first = 'run = "echo a.py:1: old; exit 1"\nbaseline = true'
    configure(repo, first, f'run = "{second}"\nafter = ["g0"]')
    assert (edit(repo).json.get("error") or {}).get("code") == code


def test_a_baseline_holds_for_one_that_comes_after_another(repo: Sandbox) -> None:
    configure(repo, 'run = "true"', 'run = "echo a.py:1: old; exit 1"\nbaseline = true\nafter = ["g0"]')
    assert edit(repo).data["state"] == "landed"


@pytest.mark.parametrize("size", [30_000, 1_200_000])
def test_a_new_failure_before_a_great_many_old_ones_is_one(repo: Sandbox, size: int) -> None:
    new = "grep -q 2 a.py && echo a.py:1: new"
    configure(repo, f"run = \"{new}; yes 'a.py:1: old' | head -c {size}; exit 1\"\nbaseline = true")
    assert edit(repo).error["code"] == "gate_failed"


def test_a_crash_is_not_the_failure_of_before(repo: Sandbox) -> None:
    run = "echo a.py:1: old; grep -q 1 a.py && exit 1; kill -SEGV $$"
    configure(repo, f'run = "{run}"\nbaseline = true')
    assert edit(repo).error["code"] == "gate_failed"


def test_python_leaves_nothing_that_speaks_for_another_tree(
    repo: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    repo.commit({".gitignore": b"__pycache__/\n"})
    configure(repo, "run = \"python3 -c 'import a' && ! test -e __pycache__\"")
    assert edit(repo).data["state"] == "landed"


def test_a_revert_is_judged_before_it_lands(repo: Sandbox) -> None:
    configure(repo, counted(repo, "! (grep -q 1 a.py && test -e c.txt)").join(("run = '", "'")))
    landed = edit(repo).data["tx"]
    edit(repo, "write", "c.txt", "--content", "c\n")
    refused = scalpel(repo.root, "undo", landed, "--json")
    assert (refused.error["code"], repo.files()["a.py"]) == ("gate_failed", b"x = 2\n")
    assert not scalpel(repo.root, "list", "--json").data["transactions"]
    repo.commit({"c.txt": None})
    assert scalpel(repo.root, "undo", landed).status == 0
    assert (times(repo), repo.files()["a.py"]) == (4, b"x = 1\n")


def test_an_undo_that_is_killed_while_it_is_judged_leaves_nothing(repo: Sandbox) -> None:
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


def test_what_has_been_on_the_branch_is_not_judged_again(repo: Sandbox) -> None:
    configure(repo, f"run = '{counted(repo)}'")
    edit(repo)
    assert [scalpel(repo.root, verb).status for verb in ("undo", "redo", "undo")] == [0, 0, 0]
    assert times(repo) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_one_leaves_nothing(repo: Sandbox, number: int) -> None:
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
    for _ in range(80):  # git passes on what the terminal has told both
        editing.send_signal(number)
        time.sleep(0.005)
    assert editing.wait(10) in (130, -number)  # once Python ends, a signal ends it
    assert not scalpel(repo.root, "list", "--json").data["transactions"]
    assert repo.files()["a.py"] == b"x = 1\n"


HIDE = {
    "skip-worktree": "git update-index --skip-worktree a.py",
    "assume-unchanged": "git update-index --assume-unchanged a.py",
    "times": "git config core.trustctime false; git config core.checkStat minimal",
}


@pytest.mark.parametrize("how", HIDE)
def test_no_file_is_hidden_from_what_looks_whether_it_is_the_one_that_is_to_land(
    repo: Sandbox, how: str
) -> None:
    configure(repo, 'run = "! grep -q 2 a.py"')
    stage = "echo x = 2 > a.py; touch -d @1700000000 a.py; git add a.py; git status -s"
    put = "sleep 1; echo x = 1 > a.py; touch -d @1700000000 a.py"
    answer = scalpel(repo.root, "run", "--json", "--", "sh", "-c", f"{stage}; {HIDE[how]}; {put}")
    if answer.status == 0:
        assert answer.data["state"] == "unchanged"
    else:
        assert answer.error["code"] in {"dirty_overlap", "gate_failed"}, answer
    assert repo.files()["a.py"] == b"x = 1\n"


def test_no_file_is_left_out_of_what_a_command_sees(repo: Sandbox) -> None:
    configure(repo, 'run = "! test -e b.txt"')
    sparse = "echo x = 2 > a.py; git sparse-checkout set --no-cone '/*' '!/b.txt'"
    error = scalpel(repo.root, "run", "--json", "--", "sh", "-c", sparse).error
    assert error["code"] in {"dirty_overlap", "gate_failed"}, error


def test_a_command_sees_what_a_sparse_checkout_leaves_out(repo: Sandbox) -> None:
    configure(repo, 'run = "test -e docs/d.txt && test -e new/n.txt"')
    repo.commit({"docs/d.txt": b"d\n"})
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs/", "!/new/")
    answer = edit(repo, "write", "new/n.txt", "--content", "n")
    assert (answer.status, rows(answer)["g0"]["status"]) == (0, "passed")
    assert not (repo.root / "docs").exists()
    again = edit(repo)  # in the same worktree, which stands at it already
    assert (again.status, again.json["warnings"], again.err.count("kept")) == (0, [], 0)


@pytest.mark.parametrize("call", ["text b.txt --old one --new two", "undo", "gc", "begin"])
def test_a_command_changes_nothing_of_what_waits_for_it_from_elsewhere_either(
    repo: Sandbox, call: str
) -> None:
    configure(repo, f'run = "cd {repo.root}; git scalpel {call}"')
    assert "error: invalid_args" in edit(repo).error["data"]["output"]
    assert scalpel(repo.root, "list", "--json").data["transactions"] == []


def test_a_command_may_use_another_repository(repo: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.of(tmp_path / "other", {"b.txt": b"one\n"})
    configure(repo, f'run = "cd {other.root}; git scalpel text b.txt --old one --new two"')
    assert edit(repo).status == 0
    assert other.files()["b.txt"] == b"two\n"


@pytest.fixture
def library(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A repository of two commits; ``lib`` is a submodule at the first."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    library = Sandbox.of(repo.root.parent / "library", {"l": b"1\n"})
    repo.git("submodule", "add", "-q", str(library.root), "lib")
    library.commit({"l": b"2\n"})
    return library


def bumped(repo: Sandbox) -> Answer:
    """The answer to a transaction that takes the second commit."""
    newer = Sandbox(repo.root.parent / "library").git("rev-parse", "HEAD")
    bump = ("git", "update-index", "--cacheinfo", f"160000,{newer},lib")
    return scalpel(repo.root, "run", "--json", "--", *bump)


@pytest.mark.parametrize("ignored", ["none", "all"])
def test_submodules_that_the_setup_checks_out_are_what_lands(
    repo: Sandbox, library: Sandbox, ignored: str
) -> None:
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", ignored)
    repo.git("add", ".gitmodules", "lib")
    configure(repo, 'run = "cat lib/l"', head='[gates]\nsetup = "git submodule -q update --init"')
    assert rows(edit(repo))["g0"]["output"] == "1\n"
    assert rows(bumped(repo))["g0"]["output"] == "2\n"


def test_who_has_git_recurse_into_submodules_lands_a_new_commit_of_one(
    repo: Sandbox, library: Sandbox
) -> None:
    repo.git("config", "submodule.recurse", "true")
    configure(repo, 'run = "cat lib/l"', head='[gates]\nsetup = "git submodule -q update --init"')
    assert rows(edit(repo))["g0"]["output"] == "1\n"
    library.commit({"l": b"3\n"})  # in no clone yet
    assert rows(bumped(repo))["g0"]["output"] == "3\n"


def test_a_command_that_sees_another_commit_of_a_submodule_has_checked_nothing(
    repo: Sandbox, library: Sandbox
) -> None:
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    repo.git("add", ".gitmodules", "lib")
    configure(repo, 'run = "git submodule -q update --init; git -C lib checkout -q HEAD~1 || true"')
    assert edit(repo).status == 0
    assert bumped(repo).error["data"]["files"] == ["lib"]


def test_what_is_left_in_a_submodule_is_not_there_for_the_next_one(repo: Sandbox, library: Sandbox) -> None:
    configure(repo, 'run = "git submodule -q update --init; test ! -e lib/left; touch lib/left"')
    assert edit(repo).error["data"]["files"] == ["lib"]
    configure(repo, 'run = "git submodule -q update --init; test ! -e lib/left"')
    assert edit(repo).status == 0


def test_a_command_cannot_hide_what_it_has_changed(repo: Sandbox) -> None:
    configure(repo, 'run = "echo y >> a.py; git update-index --skip-worktree a.py"')
    assert edit(repo).error["data"]["files"] == ["a.py"]


def test_what_was_hidden_in_a_worktree_is_not_there_for_the_next_transaction(repo: Sandbox) -> None:
    configure(repo, 'run = "grep -q 2 a.py"')
    hide = "git update-index --skip-worktree a.py; echo x = 2 > a.py; echo two > b.txt"
    scalpel(repo.root, "run", "--no-land", "--", "sh", "-c", hide)
    scalpel(repo.root, "drop", scalpel(repo.root, "list", "--json").data["transactions"][0]["tx"])
    assert edit(repo, "text", "b.txt", "--old", "one", "--new", "three").error["code"] == "gate_failed"
