"""Commands in hints exist, and following a hint does not end in the same refusal."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli import test_error_codes
from tests.cli.test_error_codes import BY_OPERATION, BY_STATE
from tests.command import SEARCH, scalpel
from tests.sandbox import Content, Sandbox
from tests.today import some

FILES: dict[str, Content] = {
    "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return f()\n",
    "b.py": b"x = 1\n",
    "with space.py": b"y = 1\n",
}
EDIT = ("text", "b.py", "--old", "1", "--new", "2")
BAD_RULES = b"[gates]\nstructure = 'sometimes'\n"
HOOKS = Path(__file__).parents[2] / "hooks"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    return Sandbox.of(tmp_path / "repo", FILES)


def run(repo: Sandbox, command: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell, as a user would type it."""
    words = ["sh", "-c", command]
    return subprocess.run(words, cwd=repo.root, capture_output=True, text=True, check=False, timeout=60)


class Case(NamedTuple):
    """A refused call and the commands of its hint.

    Attributes:
        code: error code of the refusal.
        prepare: function that sets up the state; returns the values of placeholders in call and hint.
        call: arguments of the refused call.
        follow: commands of the hint; "!" marks other steps, "@" a command with an environment.
        again: True if the same call is repeated at the end and must succeed.
    """

    code: str
    prepare: Callable[[Sandbox], dict[str, str]]
    call: tuple[str, ...]
    follow: tuple[str, ...]
    again: bool = True


def _stage(repo: Sandbox, *call: str) -> dict[str, str]:
    return {"ID": scalpel(repo.root, *call, "--no-land", "--json").data["tx"]}


def _stage_edit(repo: Sandbox) -> dict[str, str]:
    return _stage(repo, *EDIT)


def _do_nothing(_repo: Sandbox) -> dict[str, str]:
    return {}


def _make_side_branch(repo: Sandbox) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"b.py": b"x = 5\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"b.py": b"x = 6\n"})


def _stage_during(*words: str) -> Callable[[Sandbox], dict[str, str]]:
    def prepare(repo: Sandbox) -> dict[str, str]:
        _make_side_branch(repo)
        staged = _stage(repo, "text", "a.py", "--old", "return 1", "--new", "return 2")
        repo.git(*words, check=False)
        return staged

    return prepare


def _write_dirty(path: str, text: bytes, *words: str) -> Callable[[Sandbox], dict[str, str]]:
    def prepare(repo: Sandbox) -> dict[str, str]:
        if words[:1] == ("update-index",):
            repo.git(*words, path)
        repo.write({path: text})
        if words[:1] == ("add",):
            repo.git(*words, path)
        return {}

    return prepare


def _delete_file(repo: Sandbox) -> dict[str, str]:
    repo.write({"b.py": None})
    return {}


def _move_branch_on(repo: Sandbox) -> dict[str, str]:
    staged = _stage_edit(repo)
    repo.commit({"b.py": b"x = 9\n"})
    return staged


def _close_by(verb: str) -> Callable[[Sandbox], dict[str, str]]:
    def prepare(repo: Sandbox) -> dict[str, str]:
        staged = _stage_edit(repo)
        assert scalpel(repo.root, verb, staged["ID"]).status == 0
        return staged

    return prepare


def _land_on_other_branch(repo: Sandbox) -> dict[str, str]:
    repo.git("branch", "other")
    done = scalpel(repo.root, *EDIT, "--onto", "other", "--json").data
    return {"ID": done["tx"]}


def _land_and_undo(repo: Sandbox) -> dict[str, str]:
    staged = _close_by("land")(repo)
    assert scalpel(repo.root, "undo").status == 0
    return staged


def _land_as_other_agent(repo: Sandbox) -> dict[str, str]:
    done = scalpel(repo.root, *EDIT, "--json", env={"SCALPEL_AGENT": "one"})
    return {"ID": done.data["tx"]}


def _require_approval(repo: Sandbox) -> dict[str, str]:
    repo.commit({".gitscalpel.toml": b'[approval]\npaths = ["b.py"]\n'})
    return _stage_edit(repo)


def _add_other_worktree(repo: Sandbox) -> dict[str, str]:
    repo.git("switch", "-q", "--detach")
    repo.git("worktree", "add", "-q", "../the other", "main")
    return {"…": shlex.join(EDIT)}


def _commit_invalid_configuration(repo: Sandbox) -> dict[str, str]:
    repo.commit({".gitscalpel.toml": BAD_RULES})
    return {}


def _add_untrusted_hook(repo: Sandbox) -> dict[str, str]:
    repo.commit({"hk/pre-commit": ("100755", b"#!/bin/sh\nexit 0\n")})
    repo.git("config", "core.hooksPath", "hk")
    return {}


def _make_import_cycle(repo: Sandbox) -> dict[str, str]:
    repo.commit({"a.py": b"from b import F\n\nZ = F()\n", "b.py": b"k = 1\n\n\nclass F:\n    a = k\n"})
    return {}


def _detach_head(repo: Sandbox) -> dict[str, str]:
    repo.git("switch", "-q", "--detach")
    repo.git("branch", "topic")
    return {"BRANCH": "topic"}


def _add_remote(repo: Sandbox) -> dict[str, str]:
    run(repo, "git init -q --bare ../there; git remote add origin ../there")
    return _stage_edit(repo)


def _push_without_remote(repo: Sandbox) -> dict[str, str]:
    run(repo, "git init -q --bare ../there && git push -q ../there main")
    return {**_stage_edit(repo), "URL": "../there"}


AS_BOB = " ".join(f"GIT_{who}_NAME=Bob GIT_{who}_EMAIL=bob@example.org" for who in ("AUTHOR", "COMMITTER"))
CASES = {
    "merge": Case(
        "operation_in_progress", _stage_during("merge", "side"), ("land", "ID"), ("git merge --abort",)
    ),
    "cherry-pick": Case(
        "operation_in_progress",
        _stage_during("cherry-pick", "side"),
        ("land", "ID"),
        ("git cherry-pick --abort",),
    ),
    "revert": Case(
        "operation_in_progress", _stage_during("revert", "HEAD~1"), ("land", "ID"), ("git revert --abort",)
    ),
    "rebase": Case(
        "operation_in_progress", _stage_during("rebase", "side"), ("land", "ID"), ("git rebase --abort",)
    ),
    "bisect": Case(
        "operation_in_progress", _stage_during("bisect", "start"), ("land", "ID"), ("git bisect reset",)
    ),
    "overlap": Case("dirty_overlap", _write_dirty("b.py", b"x = 7\n"), EDIT, ("git stash",)),
    "staged": Case("dirty_overlap", _write_dirty("b.py", b"x = 7\n", "add"), EDIT, ("git stash",)),
    "skip-worktree": Case(
        "dirty_overlap",
        _write_dirty("b.py", b"x = 7\n", "update-index", "--skip-worktree"),
        EDIT,
        ("git update-index --no-skip-worktree b.py", "git stash"),
    ),
    "assume-unchanged": Case(
        "dirty_overlap",
        _write_dirty("with space.py", b"y = 7\n", "update-index", "--assume-unchanged"),
        ("text", "with space.py", "--old", "1", "--new", "2"),
        ("git update-index --no-assume-unchanged 'with space.py'", "git stash"),
    ),
    "deleted": Case("dirty_overlap", _delete_file, EDIT, ("git restore b.py",)),
    "in the way": Case(
        "dirty_overlap",
        _write_dirty("a new.py", b"z = 1\n"),
        ("write", "a new.py", "--content", "z = 2\n"),
        ("git add 'a new.py'", "!git commit -qm new"),
        again=False,
    ),
    "moved on": Case(
        "merge_conflict",
        _move_branch_on,
        ("land", "ID"),
        (
            "git scalpel worktree ID",
            '!cd "$(git scalpel worktree ID)" && git commit -q -m mine; git merge -q main; '
            'echo "x = 10" >b.py; git add b.py',
            "git scalpel stage ID",
        ),
    ),
    "undo under later work": Case(
        "merge_conflict",
        lambda repo: (_close_by("land")(repo), repo.commit({"b.py": b"x = 9\n"}))[0],
        ("undo",),
        ("!git revert --no-edit HEAD",),
    ),
    "dropped": Case("tx_closed", _close_by("drop"), ("land", "ID"), ("git scalpel show-tx ID",), again=False),
    "landed": Case("tx_closed", _close_by("land"), ("land", "ID"), ("git scalpel undo ID",), again=False),
    "landed elsewhere": Case(
        "tx_closed", _land_on_other_branch, ("diff", "ID"), ("git scalpel undo ID --onto other",), again=False
    ),
    "undone": Case("tx_closed", _land_and_undo, ("land", "ID"), ("git scalpel show-tx ID",), again=False),
    "nothing to undo": Case("nothing_to_undo", _do_nothing, ("undo",), ("git scalpel log",), again=False),
    "nothing to redo": Case("nothing_to_undo", _do_nothing, ("redo",), ("git scalpel log",), again=False),
    "another agent's": Case(
        "nothing_to_undo", _land_as_other_agent, ("undo",), ("git scalpel undo ID",), again=False
    ),
    "approval": Case(
        "approval_required",
        _require_approval,
        ("land", "ID"),
        ("git scalpel diff ID", f"@{AS_BOB} git scalpel approve ID"),
    ),
    "other worktree": Case(
        "branch_in_use",
        _add_other_worktree,
        (*EDIT, "--onto", "main"),
        ("git -C '{root}/the other' scalpel …",),
        again=False,
    ),
    "rules": Case(
        "config_error",
        _commit_invalid_configuration,
        EDIT,
        ("!echo '[gates]' >.gitscalpel.toml", "git commit .gitscalpel.toml -m mend"),
    ),
    "trust": Case("untrusted", _add_untrusted_hook, EDIT, ("git scalpel trust",)),
    "no branch": Case("invalid_args", _detach_head, EDIT, ("!git switch -q BRANCH",)),
    "unknown branch": Case("invalid_args", _do_nothing, (*EDIT, "--onto", "topic"), ("git branch topic",)),
    "exists": Case("exists", _do_nothing, ("mv", "a.py", "b.py"), ("git scalpel rm b.py",)),
    "cycle": Case(
        "import_cycle",
        _make_import_cycle,
        ("move", "b.py::k", "a.py"),
        ("move F to a.py as well: --with F", "!git scalpel move b.py::F a.py"),
    ),
    "signature with another name": Case(
        "name_mismatch",
        _do_nothing,
        ("signature", "a.py::f", "--code", "def h():"),
        ("git scalpel rename a.py::f h",),
        again=False,
    ),
    "no remote": Case("invalid_args", _push_without_remote, ("push", "ID"), ("git remote add origin URL",)),
    "remote without the target": Case(
        "invalid_args", _add_remote, ("push", "ID"), ("git push origin refs/heads/main",)
    ),
}


def _fill(text: str, values: dict[str, str], root: Path) -> str:
    for name, value in values.items():
        pattern = rf"\b{name}\b" if name.isalpha() else re.escape(name)
        text = re.sub(pattern, value.replace("\\", r"\\"), text)
    return text.replace("{root}", str(root.parent))


@pytest.mark.parametrize("name", some([*CASES]))
def test_following_a_hint_resolves_the_refusal(repo: Sandbox, name: str) -> None:
    case = CASES[name]
    values = case.prepare(repo)
    call = [_fill(word, values, repo.root) for word in case.call]
    refused = scalpel(repo.root, *call, "--json").error
    assert refused["code"] == case.code
    shown = scalpel(repo.root, *call).err  # the hint in text output
    staged = re.search(r"it stays staged as (\w+)", shown)
    for step in case.follow:
        kind, words = (step[0], step[1:]) if step[0] in "!@" else ("", step)
        command = _fill(words, values, repo.root)
        if kind != "!":
            assert _required_part(words, values, repo.root) in shown
        if not command.startswith(("git", "GIT")) and not kind:
            continue  # a sentence, which the next step does
        done = run(repo, command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    if case.again:
        if staged and call[0] != "land" and call[0] != "push":
            assert scalpel(repo.root, "drop", staged[1]).status == 0
        answer = scalpel(repo.root, *call, "--json")
        assert answer.status == 0, answer.out


def _required_part(step: str, values: dict[str, str], root: Path) -> str:
    """Return the part of a step that the hint must contain."""
    words = step.removeprefix(f"{AS_BOB} ").removesuffix(" -m mend")
    return _fill(words, {name: value for name, value in values.items() if name not in ("…", "URL")}, root)


COMMAND = re.compile(
    r"`(git [^`]*)`|(git scalpel (?:[a-z]+(?:-[a-z]+)*)(?: (?:--?[a-z][\w-]*|ID|PATH|BRANCH))*)"
)


def commands(hint: str) -> list[str]:
    """Return the commands that a hint names."""
    return [(quoted or bare).strip() for quoted, bare in COMMAND.findall(hint)]


@pytest.mark.parametrize("code", [*BY_OPERATION, *BY_STATE])
def test_hint_names_existing_commands(tmp_path: Path, code: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", test_error_codes.FILES)
    if code in BY_OPERATION:
        operations = BY_OPERATION[code]
        ops = operations if isinstance(operations, list) else [operations]
        answer = scalpel(repo.root, "apply", "-", stdin=json.dumps({"message": "m", "ops": ops}))
    else:
        prepare, call = BY_STATE[code]
        prepare(repo)
        answer = scalpel(repo.root, *call)
    for command in commands(answer.err):
        _assert_exists(repo, command)


def _assert_exists(repo: Sandbox, command: str) -> None:
    words = shlex.split(command)
    if words[1] == "-C":
        del words[1:3]
    if words[2:] == ["…"]:
        return
    if words[1] != "scalpel":
        known = run(repo, f"git help -a | grep -w {shlex.quote(words[1])}")
        assert known.returncode == 0, command
        return
    page = scalpel(repo.root, words[2], "-h")
    assert page.status == 0, command
    for word in words[3:]:
        assert not word.startswith("--") or word.partition("=")[0] in page.out, command


class TestPushHooks:
    """Hints of the hook ``pre-push`` and of the server's ``pre-receive`` lead to a successful push."""

    def add_remote(self, repo: Sandbox, *, with_main: bool) -> None:
        run(repo, "git init -q --bare -b main ../there; git remote add origin ../there")
        if with_main:
            run(repo, "git push -q origin main")

    def test_first_push_hint_has_no_reset(self, repo: Sandbox) -> None:
        self.add_remote(repo, with_main=False)
        assert scalpel(repo.root, "init", "--hooks").status == 0
        assert scalpel(repo.root, *EDIT).status == 0
        refused = run(repo, "git push origin main").stderr
        assert "1 of 2 commits" in refused
        assert "reset --soft" not in refused  # the first commit has no parent
        assert "ORIG_HEAD" not in refused
        assert run(repo, "git push --no-verify -q origin main").returncode == 0
        assert run(repo, "git scalpel text a.py --old 'return 1' --new 'return 3'").returncode == 0
        assert run(repo, "git push -q origin main").returncode == 0

    def test_refused_branch_that_is_not_checked_out(self, repo: Sandbox) -> None:
        self.add_remote(repo, with_main=True)
        assert scalpel(repo.root, "init", "--hooks").status == 0
        run(
            repo,
            "rm .gitscalpel.toml; git switch -q -c topic; echo y=1 >c.py; git add .; git commit -qm by-hand",
        )
        repo.git("switch", "-q", "main")
        main = repo.tip("main")
        refused = run(repo, "git push origin topic").stderr
        for command in commands(refused)[:2]:
            assert command.startswith(("git switch topic", "git reset --soft "))
            assert run(repo, command).returncode == 0
        tx = scalpel(repo.root, "begin", "--adopt", ".", "-m", "again", "--json").data["tx"]
        assert scalpel(repo.root, "land", tx).status == 0
        assert repo.tip("main") == main
        assert run(repo, "git push -q origin topic").returncode == 0

    def test_push_succeeds_after_rules_are_corrected(self, repo: Sandbox) -> None:
        _commit_invalid_configuration(repo)
        self.add_remote(repo, with_main=True)
        assert run(repo, "git scalpel init --hooks").returncode == 0
        assert scalpel(repo.root, *EDIT, "--json").error["code"] == "config_error"
        repo.write({".gitscalpel.toml": b"[gates]\n"})
        assert run(repo, "git commit -q .gitscalpel.toml -m Mend").returncode == 0
        assert run(repo, "git push -q origin main").returncode == 0
        assert scalpel(repo.root, *EDIT).status == 0
        assert run(repo, "git push -q origin main").returncode == 0

    def test_server_with_invalid_rules_accepts_a_correction(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["secret/**"]\n'})
        _commit_invalid_configuration(repo)
        self.add_remote(repo, with_main=True)
        shutil.copy2(HOOKS / "pre-receive", repo.root.parent / "there/hooks/pre-receive")
        repo.commit({"c.py": b"c = 1\n"})
        refused = run(repo, "git push origin main")
        assert refused.returncode
        assert "push a commit that corrects .gitscalpel.toml" in refused.stderr
        repo.commit({".gitscalpel.toml": b"", "secret/a": b"1"})
        assert "policy.deny" in run(repo, "git push origin main").stderr  # the last rules that could be read
        repo.git("reset", "-q", "--hard", "HEAD~")
        repo.commit({".gitscalpel.toml": b""})
        assert run(repo, "git push origin main").returncode == 0


def test_placeholders_are_filled_in(tmp_path: Path) -> None:
    values: dict[str, Any] = {"ID": "abcd", "…": "text"}
    assert _fill("git scalpel land ID …", values, tmp_path) == "git scalpel land abcd text"


def test_uncommitted_changes_of_the_user_can_be_left_alone(repo: Sandbox) -> None:
    repo.write({"b.py": b"x = 7\n"})
    shown = scalpel(repo.root, *EDIT)
    assert shown.status == 4
    assert "else leave them: land the edit later, or drop it and edit with --checkout" in shown.err
    staged = re.search(r"it stays staged as (\w+)", shown.err)
    assert staged
    assert (repo.root / "b.py").read_bytes() == b"x = 7\n"
    assert scalpel(repo.root, "drop", staged[1]).status == 0
    assert scalpel(repo.root, "text", "b.py", "--old", "7", "--new", "2", "--checkout").status == 0
    assert (repo.root / "b.py").read_bytes() == b"x = 2\n"
