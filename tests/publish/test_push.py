"""A transaction is pushed as its own branch, based on the target branch of the remote."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import InputOutput
from gitscalpel.git import remotes
from gitscalpel.git.repository import discover
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
CHANGED_F = "def f():\n    return 3\n"


class Remote:
    """A bare repository and its clones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.first = Sandbox.of(folder / "first", {"a.py": A})
        self.bare = Sandbox(folder / "there.git")
        self.first.git("clone", "-q", "--bare", str(self.first.root), str(self.bare.root))
        self.first.git("remote", "add", "origin", str(self.bare.root))

    def clone(self, name: str, *options: str) -> Sandbox:
        place = self._folder / name
        self.first.git("clone", "-q", *options, f"file://{self.bare.root}", str(place))
        return Sandbox(place)

    def heads(self) -> dict[str, str]:
        rows = self.bare.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads")
        return dict(row.split() for row in rows.splitlines())

    def file(self, ref: str, path: str = "a.py") -> str:
        return self.bare.git("show", f"{ref}:{path}") + "\n"


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path)


def stage(repo: Sandbox, code: str = CHANGED_F, symbol: str = "f", message: str = "Return three") -> str:
    result = scalpel(
        repo.root, "replace", f"a.py::{symbol}", "--no-land", "-m", message, "--json", stdin=code
    )
    return str(result.data["tx"])


def push(repo: Sandbox, *words: str) -> Any:
    return scalpel(repo.root, "push", *words, "--json").data


def push_and_kill(remote: Remote, hook: str, tx: str) -> None:
    """Run a push whose process is killed while the remote runs this hook."""
    hook_file = remote.bare.root / "hooks" / hook
    hook_file.write_text('#!/bin/sh\nkill -9 "$PUSHER"\n')
    hook_file.chmod(0o755)
    words = ["sh", "-c", f"PUSHER=$$ exec {sys.executable} -m gitscalpel push {tx}"]
    result = subprocess.run(words, cwd=remote.first.root, check=False)
    assert result.returncode == -signal.SIGKILL
    hook_file.unlink()


def edit_tx(repo: Sandbox, tx: str, old: str, new: str) -> None:
    scalpel(repo.root, "text", "a.py", "--old", f"return {old}", "--new", f"return {new}", "--tx", tx)


@pytest.mark.parametrize("hook", ["pre-receive", "post-receive"])
def test_push_after_a_killed_one_sends_later_edits(remote: Remote, hook: str) -> None:
    tx = stage(remote.first)
    push_and_kill(remote, hook, tx)
    edit_tx(remote.first, tx, "3", "4")
    branch = push(remote.first, tx)["branch"]
    assert {*remote.heads()} == {"main", branch}
    assert remote.file(branch) == A.decode().replace("1", "4")
    edit_tx(remote.first, tx, "4", "9")
    push_and_kill(remote, hook, tx)
    edit_tx(remote.first, tx, "9", "5")
    assert push(remote.first, tx)["moved"] is True
    assert remote.file(branch) == A.decode().replace("1", "5")
    assert push(remote.first, tx)["moved"] is False


@pytest.mark.parametrize("edited", [True, False])
def test_push_after_a_killed_one_keeps_commits_of_others(remote: Remote, edited: bool) -> None:
    tx = stage(remote.first)
    branch = push(remote.first, tx)["branch"]
    _push_by_others(remote, branch, "reviewer", A.decode().replace("1", "3").replace("2", "8"))
    edit_tx(remote.first, tx, "3", "4")
    push_and_kill(remote, "post-receive", tx)
    assert "return 4" in remote.file(branch)
    if edited:
        edit_tx(remote.first, tx, "4", "5")
    data = push(remote.first, tx)
    assert (data["moved"], data["kept"]) == (edited, True)
    assert remote.file(branch) == f"def f():\n    return {5 if edited else 4}\n\n\ndef g():\n    return 8\n"
    steps = scalpel(remote.first.root, "log", "--json").data
    assert [row["after"] for row in steps][:1] == [data["commit"]]


def push_with_git(repo: Sandbox, tx: str) -> str:
    """Push as a gitscalpel that was killed before its record, and return the branch."""
    branch = f"scalpel/{tx}-return-three"
    repo.git("push", "-q", "origin", f"refs/scalpel/tx/{tx}:refs/heads/{branch}")
    return branch


def test_killed_push_is_recorded_by_the_next_push(remote: Remote) -> None:
    tx = stage(remote.first)
    branch = push_with_git(remote.first, tx)
    again = push(remote.first, tx)
    assert (again["branch"], again["commit"], again["kept"]) == (branch, remote.heads()[branch], False)
    assert [row["kind"] for row in scalpel(remote.first.root, "log", "--json").data] == ["push"]
    assert push(remote.first, tx)["moved"] is False
    scalpel(remote.first.root, "text", "a.py", "--old", "return 3", "--new", "return 4", "--tx", tx)
    assert push(remote.first, tx)["branch"] == branch
    assert "return 4" in remote.file(branch)


def test_lock_of_the_remote_branch_is_reported(remote: Remote) -> None:
    tx = stage(remote.first)
    lock = remote.bare.root / f"refs/heads/scalpel/{tx}-return-three.lock"
    lock.parent.mkdir()
    lock.touch()
    result = scalpel(remote.first.root, "push", tx, "--json")
    assert (result.error["code"], str(lock.name) in result.error["message"]) == ("target_moved", True)


def test_push_onto_unpublished_commits_is_refused(remote: Remote) -> None:
    repo = remote.first
    scalpel(repo.root, "text", "a.py", "--old", "return 1", "--new", "return 7")
    result = scalpel(repo.root, "push", stage(repo), "--json")
    assert result.error["code"] == "merge_conflict"
    assert "main on origin lacks commits that the transaction is based on" in result.error["message"]
    assert "`git push origin refs/heads/main`" in result.error["hint"]


def test_pre_push_hooks_run_and_their_output_is_reported(remote: Remote) -> None:
    repo = remote.first
    scalpel(repo.root, "init", "--hooks")
    tx = stage(repo)
    assert push(repo, tx)["moved"] is True
    other = repo.root / ".git/hooks/pre-push.before-scalpel"
    other.write_text("#!/bin/sh\necho not on a Friday >&2\nexit 1\n")
    other.chmod(0o755)
    result = scalpel(repo.root, "push", stage(repo, "def g():\n    return 4\n", "g", "Four"), "--json")
    assert (
        result.error["code"],
        "pre-push hook rejected the push: not on a Friday" in result.error["message"],
    ) == (
        "push_denied",
        True,
    )


def set_ssh_remote(remote: Remote, script: str) -> dict[str, str]:
    """Make ``script`` the ssh command of the remote, and return its environment variables."""
    remote.first.git("remote", "set-url", "origin", "ssh://nowhere.example/r.git")
    return {"GIT_SSH_COMMAND": f"sh -c '{script}'", "GIT_SSH_VARIANT": "simple"}


def test_ssh_errors_are_reported(remote: Remote) -> None:
    tx = stage(remote.first)
    message = "ssh: connect to host nowhere.example port 22: Connection refused"
    result = scalpel(
        remote.first.root, "push", tx, "--json", env=set_ssh_remote(remote, f'echo "{message}" >&2; exit 255')
    )
    assert result.error["code"] == "io_error"
    assert message in result.error["message"]
    result = scalpel(
        remote.first.root,
        "push",
        tx,
        "--json",
        env=set_ssh_remote(
            remote, 'echo "git@nowhere.example: Permission denied (publickey)." >&2; exit 255'
        ),
    )
    assert (result.error["code"], "Permission denied (publickey)" in result.error["message"]) == (
        "push_denied",
        True,
    )


def test_silent_remote_times_out(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remotes, "LIST_TIMEOUT_S", 0.5)
    for name, value in set_ssh_remote(remote, "exec sleep 60").items():
        monkeypatch.setenv(name, value)
    began = time.monotonic()
    repo = discover(remote.first.root, os.environ)
    with pytest.raises(InputOutput, match="took more than"):
        remotes.list_remote_refs(repo, "origin", ["main"])
    assert time.monotonic() - began < 20


def push_error(repo: Sandbox, *words: str) -> tuple[int, str]:
    answer: Answer = scalpel(repo.root, "push", *words, "--json")
    return answer.status, str(answer.error["code"])


def test_push_creates_a_branch_and_changes_nothing_locally(remote: Remote) -> None:
    repo = remote.first
    list_heads = partial(repo.git, "for-each-ref", "refs/heads")
    before = list_heads(), repo.git("status", "--porcelain")
    tx = stage(repo)
    data = push(repo, tx)
    branch = f"scalpel/{tx}-return-three"
    assert (data["branch"], data["moved"], data["before"]) == (branch, True, None)
    assert remote.heads()[branch] == data["commit"]
    assert remote.file(branch) == A.decode().replace("1", "3")
    assert (list_heads(), repo.git("status", "--porcelain")) == before
    (step,) = scalpel(repo.root, "log", "--json").data
    assert (step["kind"], step["tx"], step["after"]) == ("push", tx, data["commit"])
    assert scalpel(repo.root, "audit", "verify").status == 0


def test_second_push_changes_nothing(remote: Remote) -> None:
    tx = stage(remote.first)
    first = push(remote.first, tx)
    again = push(remote.first, tx)
    assert (again["commit"], again["moved"]) == (first["commit"], False)
    assert len(scalpel(remote.first.root, "log", "--json").data) == 1


def test_changed_transaction_replaces_the_branch(remote: Remote) -> None:
    tx = stage(remote.first)
    push(remote.first, tx)
    scalpel(remote.first.root, "text", "a.py", "--old", "return 3", "--new", "return 4", "--tx", tx)
    data = push(remote.first, tx, "--json")
    assert data["moved"]
    assert remote.file(data["branch"]) == A.decode().replace("1", "4")
    assert remote.bare.git("rev-list", "--count", data["branch"], "^main") == "1"


def test_branch_is_based_on_the_remote_target(remote: Remote) -> None:
    other = remote.clone("other")
    tx = stage(remote.first)
    scalpel(other.root, "replace", "a.py::g", "--code", "def g():\n    return 9")
    other.git("push", "-q", "origin", "main")
    data = push(remote.first, tx)
    assert data["base"] == remote.heads()["main"] != remote.first.tip()
    assert remote.file(data["branch"]) == "def f():\n    return 3\n\n\ndef g():\n    return 9\n"
    # Unpublished local commits are not pushed.
    scalpel(remote.first.root, "write", "here.txt", "--code", "here", "-m", "here")
    assert push(remote.first, tx)["moved"] is False


def test_conflict_with_the_remote_target_is_refused(remote: Remote) -> None:
    other = remote.clone("other")
    tx = stage(remote.first)
    scalpel(other.root, "replace", "a.py::f", "--code", "def f():\n    return 9")
    other.git("push", "-q", "origin", "main")
    assert push_error(remote.first, tx) == (4, "merge_conflict")
    assert [*remote.heads()] == ["main"]


def _push_by_others(remote: Remote, branch: str, name: str, content: str) -> None:
    other = remote.clone(name, "-b", branch)
    (other.root / "a.py").write_text(content)
    (other.root / "n.txt").write_text("n\n")
    other.git("add", ".")
    other.git("commit", "-qm", "theirs")
    other.git("push", "-q", "origin", branch)


def test_commits_of_others_on_the_branch_are_kept(remote: Remote) -> None:
    tx = stage(remote.first)
    branch = push(remote.first, tx)["branch"]
    _push_by_others(remote, branch, "reviewer", A.decode().replace("1", "3").replace("2", "8"))
    assert push(remote.first, tx)["moved"] is False
    scalpel(remote.first.root, "text", "a.py", "--old", "return 3", "--new", "return 4", "--tx", tx)
    data = push(remote.first, tx)
    assert (data["moved"], data["kept"]) == (True, True)
    assert remote.file(branch) == "def f():\n    return 4\n\n\ndef g():\n    return 8\n"
    assert remote.bare.git("log", "--format=%s", branch, "^main").splitlines()[1] == "theirs"
    assert push(remote.first, tx)["moved"] is False
    scalpel(remote.first.root, "write", "here.txt", "--code", "here", "-m", "here")
    remote.first.git("push", "-q", "origin", "main")
    assert (
        push(remote.first, tx)["moved"] is True
    )  # the target moved, so the branch is rebased, and the commit of others stays
    assert remote.bare.git("rev-list", "--count", branch, "^main") == "4"
    assert remote.file(branch, "n.txt") == "n\n"
    assert push(remote.first, tx)["moved"] is False


def test_rewritten_branch_is_not_overwritten(remote: Remote) -> None:
    tx = stage(remote.first)
    branch = push(remote.first, tx)["branch"]
    remote.bare.git("update-ref", f"refs/heads/{branch}", "main")
    assert push_error(remote.first, tx) == (4, "target_moved")
    assert remote.heads()[branch] == remote.heads()["main"]
    assert push(remote.first, tx, "--branch", "mine")["branch"] == "mine"


def test_push_to_the_target_branch_is_refused(remote: Remote) -> None:
    tx = stage(remote.first)
    assert push_error(remote.first, tx, "--branch", "main") == (2, "invalid_args")


def test_push_is_refused_by_a_gate(remote: Remote) -> None:
    rules = b'[policy]\ndeny = ["a.py"]\n'
    other = remote.clone("other")
    (other.root / ".gitscalpel.toml").write_bytes(rules)
    other.git("add", ".")
    other.git("commit", "-qm", "rules")
    tx = stage(remote.first)
    other.git("push", "-q", "origin", "main")
    assert push_error(remote.first, tx) == (6, "policy_denied")
    assert [*remote.heads()] == ["main"]


def test_read_only_access_is_reported(remote: Remote) -> None:
    hook = remote.bare.root / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this token may only read >&2\nexit 1\n")
    hook.chmod(0o755)
    tx = stage(remote.first)
    answer = scalpel(remote.first.root, "push", tx, "--json")
    assert (answer.status, answer.error["code"]) == (6, "push_denied")
    assert "declined" in answer.error["message"]
    assert scalpel(remote.first.root, "log", "--json").data == []


def test_password_of_an_unreachable_remote_is_not_shown(remote: Remote) -> None:
    tx = stage(remote.first)
    remote.first.git("remote", "set-url", "origin", "https://ada:secret@localhost:1/there.git")
    answer = scalpel(remote.first.root, "push", tx, "--json")
    assert (answer.status, answer.error["code"]) == (74, "io_error")
    assert "secret" not in answer.out + answer.err
    assert push_error(remote.first, tx, "--remote", "elsewhere") == (2, "invalid_args")
    remote.first.git("remote", "remove", "origin")
    assert push_error(remote.first, tx) == (2, "invalid_args")


def test_push_works_from_a_shallow_clone_with_detached_head(remote: Remote) -> None:
    remote.first.commit({"b.py": b"x = 1\n"}, "more")
    remote.first.git("push", "-q", "origin", "main")
    shallow = remote.clone("shallow", "--depth=1")
    shallow.git("checkout", "-q", "--detach")
    result = scalpel(shallow.root, "replace", "a.py::f", "--no-land", "--json", stdin=CHANGED_F)
    assert (result.status, result.error["code"]) == (2, "invalid_args")  # a branch is required
    words = ("replace", "a.py::f", "--no-land", "--onto", "main", "--json")
    tx = str(scalpel(shallow.root, *words, stdin=CHANGED_F).data["tx"])
    data = push(shallow, tx)
    assert remote.bare.git("rev-list", "--count", data["branch"]) == "3"


def test_concurrent_pushes_do_not_affect_each_other(remote: Remote) -> None:
    bots = [remote.clone(f"bot{n}") for n in range(4)]
    ids = [stage(bot, f"def f():\n    return {n + 5}\n", message=f"Bot {n}") for n, bot in enumerate(bots)]
    bots_by_tx = dict(zip(ids, bots, strict=True))
    with ThreadPoolExecutor(8) as pool:  # each pushes twice at the same time
        calls = [(pool.submit(push, bot, tx), tx) for tx, bot in bots_by_tx.items() for _ in range(2)]
        result = [(call.result(), tx) for call, tx in calls]
    heads = remote.heads()
    assert len(heads) == 5
    for data, tx in result:
        assert data["branch"].startswith(f"scalpel/{tx}-")
        assert remote.bare.git("rev-list", "--count", data["branch"], "^main") == "1"


def test_pull_request_has_title_and_body(remote: Remote) -> None:
    message = "Return @three\n\nSince two was wrong."
    tx = stage(remote.first, message=message)
    remote.first.git("remote", "set-url", "--push", "origin", str(remote.bare.root))
    data = push(remote.first, tx)["pr"]
    assert (data["title"], data["head"], data["base"]) == (
        "Return @three",
        f"scalpel/{tx}-return-three",
        "main",
    )
    assert data["body"].startswith(
        "Since two was wrong.\n\n### What it does\n\n- changes the body of `f` in `a.py`\n"
    )
    assert "| `a.py` | modified | +1 -1 |" in data["body"]
    assert f"Transaction `{tx}`" in data["body"]
    assert "url" not in data  # the forge is unknown


_PROGRAM = """#!{python}
import json, sys
with open({file!r}, "a") as file:
    print(json.dumps(sys.argv[1:4]), file=file)
sys.exit(sys.argv[1:3] == ["pr", "edit"] and {first})
"""


@pytest.mark.parametrize(
    ("is_first", "commands"), [(1, [["pr", "edit"], ["pr", "create"]]), (0, [["pr", "edit"]])]
)
def test_forge_program_opens_or_edits_the_pull_request(
    remote: Remote, tmp_path: Path, is_first: int, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub is not available in tests, so the arguments of its program are checked."""
    program, calls = tmp_path / "bin/gh", tmp_path / "told"
    program.parent.mkdir()
    program.write_text(_PROGRAM.format(python=sys.executable, file=str(calls), first=is_first))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    data = push(remote.first, stage(remote.first), "--pr")
    assert data["pr"]["opened"] is True
    assert [json.loads(line)[:2] for line in calls.read_text().splitlines()] == commands


@pytest.mark.parametrize("name", ["a b", "../x", "--force", "x..y", "*", "x.lock", "@{-1}", "refs/heads/ x"])
def test_invalid_branch_name_is_refused(remote: Remote, name: str) -> None:
    tx = stage(remote.first)
    assert push_error(remote.first, tx, f"--branch={name}") == (2, "invalid_name")
    assert list(remote.heads()) == ["main"]


def test_remote_named_like_an_option_is_refused(remote: Remote, tmp_path: Path) -> None:
    repo, mark = remote.first, tmp_path / "mark"
    (tmp_path / "evil.sh").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / "evil.sh").chmod(0o755)
    option = f"--upload-pack={tmp_path}/evil.sh"
    with (repo.root / ".git/config").open("a") as config:
        config.write(
            f'[remote "{option}"]\n\turl = {remote.bare.root}\n[branch "main"]\n\tremote = {option}\n'
        )
    assert push_error(repo, stage(repo)) == (2, "invalid_args")
    assert not mark.exists()


def test_remote_name_with_a_space_works(remote: Remote) -> None:
    with (remote.first.root / ".git/config").open("a") as config:
        config.write(f'[remote "my own"]\n\turl = {remote.bare.root}\n')
    assert push(remote.first, stage(remote.first), "--remote", "my own")["remote"] == "my own"


def test_similar_branch_names_are_not_confused(remote: Remote) -> None:
    tx = stage(remote.first)
    remote.bare.git("update-ref", "refs/heads/aaa/refs/heads/main", "main")
    remote.bare.git("update-ref", f"refs/heads/0/refs/heads/scalpel/{tx}-x", "main")
    branch = push(remote.first, tx)["branch"]
    assert branch.startswith(f"scalpel/{tx}-")
    assert push(remote.first, tx, "--branch", "mine")["branch"] == "mine"
    # Another user may push a branch with the same id that sorts first.
    remote.bare.git("update-ref", f"refs/heads/scalpel/{tx}-0", "main")
    edit_tx(remote.first, tx, "3", "4")
    assert push(remote.first, tx)["branch"] == branch
    assert remote.file(branch) == A.decode().replace("1", "4")


@pytest.mark.parametrize("words", [(), ("--remote", "https://ada:s3cret@127.0.0.1:1/x.git")])
def test_answers_contain_no_password(remote: Remote, words: tuple[str, ...]) -> None:
    tx = stage(remote.first)
    for url in (
        "https://ada:s3/cret@127.0.0.1:1/x.git",
        "HTTPS://ada%40x:s3cret@127.0.0.1:1/x.git?token=s3cret",
    ):
        remote.first.git("remote", "set-url", "origin", url)
        answer = scalpel(remote.first.root, "push", tx, *words, "--json")
        assert answer.status
        assert "cret" not in answer.out + answer.err
