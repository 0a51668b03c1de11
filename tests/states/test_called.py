"""Called from anywhere: hooks, aliases, git's own variables, odd folders and environments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.command import SEARCH, Answer, scalpel
from tests.sandbox import Sandbox

EDIT = ("text", "a.py", "--old", "two", "--new", "TWO", "--json")
SHELL = "git scalpel text a.py --old two --new TWO"


def by_git(repo: Sandbox, *words: str, **env: str) -> Answer:
    done = subprocess.run(
        ["git", *words],
        cwd=repo.root,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"], **env},
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def landed(repo: Sandbox) -> bool:
    clean = repo.status() == ""
    return (
        clean
        and repo.files()["a.py"] == b"one\nTWO\nthree\n"
        and repo.git("show", "HEAD:a.py") == "one\nTWO\nthree"
    )


def test_from_an_alias_with_settings_of_one_call(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    said = by_git(repo, "-c", "user.name=Once", "-c", f"alias.x=!{SHELL}", "x")
    assert (said.status, landed(repo)) == (0, True), said
    assert repo.git("log", "-1", "--format=%an") == "Once"
    said = by_git(repo, "-c", "core.filemode=true", "scalpel", "undo")
    assert said.status == 0, said


def test_from_an_alias_that_starts_no_shell(repo: Sandbox) -> None:
    repo.git("config", "alias.edit", "scalpel text a.py --old two --new TWO")
    assert (by_git(repo, "edit").status, landed(repo)) == (0, True)


@pytest.mark.parametrize("hook", ["post-commit", "post-checkout", "post-rewrite"])
def test_from_a_hook_that_runs_when_all_is_done(repo: Sandbox, hook: str) -> None:
    file = repo.root / ".git/hooks" / hook
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\nrm -f .git/hooks/{hook}\n{SHELL}\n")
    file.chmod(0o755)
    words = {
        "post-commit": ("commit", "-q", "--allow-empty", "-m", "x"),
        "post-checkout": ("switch", "-q", "-c", "other"),
        "post-rewrite": ("commit", "-q", "--amend", "--allow-empty", "-m", "x"),
    }[hook]
    said = by_git(repo, *words)
    assert landed(repo), said


def test_from_a_hook_while_git_commits_nothing_moves(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nrm .git/hooks/pre-commit\n{SHELL} --json > ../said\n")
    hook.chmod(0o755)
    repo.write({"sub/b.py": b"mine\n"})
    tip = repo.tip()
    assert by_git(repo, "commit", "-q", "-a", "-m", "x").status != 0
    assert '"busy"' in (repo.root.parent / "said").read_text()
    assert (repo.tip(), repo.status()) == (tip, " M sub/b.py")


def test_from_a_rebase(repo: Sandbox) -> None:
    repo.commit({"c.py": b"c\n"})
    tip = repo.tip("main")
    said = by_git(repo, "rebase", "-q", "--exec", SHELL, "HEAD~1")
    assert said.status != 0
    assert "--onto" in said.err
    repo.git("rebase", "--abort")
    assert (repo.tip("main"), repo.status()) == (tip, "")


@pytest.mark.parametrize("relative", [False, True])
def test_with_the_variables_that_git_sets(repo: Sandbox, relative: bool) -> None:
    root = "." if relative else str(repo.root)
    env = {
        "GIT_DIR": f"{root}/.git",
        "GIT_WORK_TREE": root,
        "GIT_INDEX_FILE": f"{root}/.git/index",
        "GIT_PREFIX": "",
        "GIT_OBJECT_DIRECTORY": f"{root}/.git/objects",
    }
    assert (scalpel(repo.root, *EDIT, env=env).status, landed(repo)) == (0, True)


def test_with_the_repository_named_from_outside(repo: Sandbox, tmp_path: Path) -> None:
    said = scalpel(tmp_path, *EDIT, env={"GIT_DIR": "repo/.git", "GIT_WORK_TREE": "repo"})
    assert (said.status, landed(repo)) == (0, True), said


def test_from_a_folder_below_and_from_inside_git(repo: Sandbox) -> None:
    assert scalpel(repo.root / "sub", "text", "../a.py", "--old", "two", "--new", "TWO").status == 0
    assert landed(repo)
    assert scalpel(repo.root / ".git", *EDIT).error["code"] == "not_a_repository"


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_names_in_a_locale_of_bytes(repo: Sandbox, env: dict[str, str]) -> None:
    said = scalpel(repo.root, "write", "gr\u00fc\u00dfe.py", "--content", "x = '\u00e4'\n", "--json", env=env)
    assert said.status == 0, said
    assert repo.files()["gr\u00fc\u00dfe.py"] == "x = '\u00e4'\n".encode()
    assert repo.status() == ""


def test_without_a_home_and_with_one_that_is_not_there(repo: Sandbox) -> None:
    bare = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), "")
    assert (scalpel(repo.root, *EDIT, env=bare).status, landed(repo)) == (0, True)
    gone = dict.fromkeys(bare, "/nowhere")
    assert scalpel(repo.root, "undo", env=gone).status == 0


def test_without_a_standard_input(repo: Sandbox) -> None:
    said = by_git(repo, "-c", f"alias.x=!{SHELL} <&-", "x")
    assert (said.status, landed(repo)) == (0, True), said


def test_in_a_folder_that_is_gone(repo: Sandbox) -> None:
    script = "mkdir gone && cd gone && rmdir ../gone && git scalpel status --json"
    said = by_git(repo, "-c", f"alias.x=!{script}", "x")
    assert said.status not in (0, 70)
    assert said.error["code"] in ("not_a_repository", "io_error")
