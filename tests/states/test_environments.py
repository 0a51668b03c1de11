"""Calls from hooks, aliases, rebases, subdirectories and unusual environments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import SEARCH, Answer, scalpel
from tests.sandbox import Sandbox

EDIT = ("text", "a.py", "--old", "two", "--new", "TWO", "--json")
SHELL = "git scalpel text a.py --old two --new TWO"


def run_git(repo: Sandbox, *words: str, **env: str) -> Answer:
    completed = subprocess.run(
        ["git", *words],
        cwd=repo.root,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"], **env},
    )
    return Answer(completed.returncode, completed.stdout.decode(), completed.stderr.decode())


def has_landed(repo: Sandbox) -> bool:
    clean = repo.status() == ""
    return (
        clean
        and repo.files()["a.py"] == b"one\nTWO\nthree\n"
        and repo.git("show", "HEAD:a.py") == "one\nTWO\nthree"
    )


def test_edit_from_an_alias_uses_config_of_the_call(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    answer = run_git(repo, "-c", "user.name=Once", "-c", f"alias.x=!{SHELL}", "x")
    assert (answer.status, has_landed(repo)) == (0, True), answer
    assert repo.git("log", "-1", "--format=%an") == "Once"
    answer = run_git(repo, "-c", "core.filemode=true", "scalpel", "undo")
    assert answer.status == 0, answer


def test_edit_from_an_alias_without_a_shell(repo: Sandbox) -> None:
    repo.git("config", "alias.edit", "scalpel text a.py --old two --new TWO")
    assert (run_git(repo, "edit").status, has_landed(repo)) == (0, True)


@pytest.mark.parametrize("hook", ["post-commit", "post-checkout", "post-rewrite"])
def test_edit_from_a_post_hook_lands(repo: Sandbox, hook: str) -> None:
    file = repo.root / ".git/hooks" / hook
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\nrm -f .git/hooks/{hook}\n{SHELL}\n")
    file.chmod(0o755)
    words = {
        "post-commit": ("commit", "-q", "--allow-empty", "-m", "x"),
        "post-checkout": ("switch", "-q", "-c", "other"),
        "post-rewrite": ("commit", "-q", "--amend", "--allow-empty", "-m", "x"),
    }[hook]
    answer = run_git(repo, *words)
    assert has_landed(repo), answer


def test_edit_from_a_pre_commit_hook_is_busy(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nrm .git/hooks/pre-commit\n{SHELL} --json > ../said\n")
    hook.chmod(0o755)
    repo.write({"sub/b.py": b"mine\n"})
    tip = repo.tip()
    assert run_git(repo, "commit", "-q", "-a", "-m", "x").status != 0
    assert '"busy"' in (repo.root.parent / "said").read_text()
    assert (repo.tip(), repo.status()) == (tip, " M sub/b.py")


def test_edit_during_a_rebase_needs_onto(repo: Sandbox) -> None:
    repo.commit({"c.py": b"c\n"})
    tip = repo.tip("main")
    answer = run_git(repo, "rebase", "-q", "--exec", SHELL, "HEAD~1")
    assert answer.status != 0
    assert "--onto" in answer.err
    repo.git("rebase", "--abort")
    assert (repo.tip("main"), repo.status()) == (tip, "")


@pytest.mark.parametrize("relative", [False, True])
def test_git_variables_of_this_repository_are_accepted(repo: Sandbox, relative: bool) -> None:
    root = "." if relative else str(repo.root)
    env = {
        "GIT_DIR": f"{root}/.git",
        "GIT_WORK_TREE": root,
        "GIT_INDEX_FILE": f"{root}/.git/index",
        "GIT_PREFIX": "",
        "GIT_OBJECT_DIRECTORY": f"{root}/.git/objects",
    }
    assert (scalpel(repo.root, *EDIT, env=env).status, has_landed(repo)) == (0, True)


def test_git_dir_names_the_repository(repo: Sandbox, tmp_path: Path) -> None:
    answer = scalpel(tmp_path, *EDIT, env={"GIT_DIR": "repo/.git", "GIT_WORK_TREE": "repo"})
    assert (answer.status, has_landed(repo)) == (0, True), answer


def test_edit_from_a_subdirectory_and_from_git_dir(repo: Sandbox) -> None:
    assert scalpel(repo.root / "sub", "text", "../a.py", "--old", "two", "--new", "TWO").status == 0
    assert has_landed(repo)
    assert scalpel(repo.root / ".git", *EDIT).error["code"] == "not_a_repository"


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_non_ascii_names_work_in_the_c_locale(repo: Sandbox, env: dict[str, str]) -> None:
    answer = scalpel(
        repo.root, "write", "gr\u00fc\u00dfe.py", "--content", "x = '\u00e4'\n", "--json", env=env
    )
    assert answer.status == 0, answer
    assert repo.files()["gr\u00fc\u00dfe.py"] == "x = '\u00e4'\n".encode()
    assert repo.status() == ""


def test_missing_home_is_accepted(repo: Sandbox) -> None:
    no_homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), "")
    assert (scalpel(repo.root, *EDIT, env=no_homes).status, has_landed(repo)) == (0, True)
    missing_homes = dict.fromkeys(no_homes, "/nowhere")
    assert scalpel(repo.root, "undo", env=missing_homes).status == 0


def test_closed_stdin_is_accepted(repo: Sandbox) -> None:
    answer = run_git(repo, "-c", f"alias.x=!{SHELL} <&-", "x")
    assert (answer.status, has_landed(repo)) == (0, True), answer


def test_deleted_working_directory_is_reported(repo: Sandbox) -> None:
    script = "mkdir gone && cd gone && rmdir ../gone && git scalpel status --json"
    answer = run_git(repo, "-c", f"alias.x=!{script}", "x")
    assert answer.status not in (0, 70)
    assert answer.error["code"] in ("not_a_repository", "io_error")
