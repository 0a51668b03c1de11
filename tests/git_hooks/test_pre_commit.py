"""The hooks of ``.pre-commit-hooks.yaml`` in the pre-commit framework, which installs this project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.whole import land, text

PROJECT = Path(__file__).parents[2]
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
PACKAGE_VARIABLES = {
    name: value for name, value in os.environ.items() if name.startswith(("PIP_", "XDG_", "HOME"))
}
"""Environment variables for package installation, from before tests are sealed off."""
_EXCLUDED = {".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", "bench", "tests"}
CONFIG = """\
default_install_hook_types: [pre-commit, commit-msg, pre-push]
repos:
- repo: {repo}
  rev: {rev}
  hooks: [{{id: scalpel-check}}, {{id: scalpel-trailers}}, {{id: scalpel-landed}}]
"""


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Return a repository with a commit of this project's files, for the framework to fetch."""
    copy = Sandbox.init(tmp_path_factory.mktemp("project"))
    for file in PROJECT.rglob("*"):
        name = file.relative_to(PROJECT)
        if file.is_file() and name.parts[0] not in _EXCLUDED and "__pycache__" not in name.parts:
            (copy.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy.root / name)
    me = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    copy.git("add", "-A")
    copy.git(*me, "commit", "-q", "-m", "the project")
    return copy


@pytest.fixture(scope="session")
def framework_store(project: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the framework's directory with this project installed, which takes half a minute."""
    if not PRE_COMMIT.exists():
        pytest.skip("pre-commit is not installed")
    store = tmp_path_factory.mktemp("store")
    repo = Sandbox.init(tmp_path_factory.mktemp("first"))
    _configure(repo, project)
    result = _run(repo, [PRE_COMMIT, "install-hooks"], {**PACKAGE_VARIABLES, "PRE_COMMIT_HOME": str(store)})
    if "No matching distribution" in result.stdout or "NewConnectionError" in result.stdout:
        pytest.skip("packages cannot be fetched here")
    assert result.returncode == 0, result.stdout
    return store


def _configure(repo: Sandbox, project: Sandbox) -> None:
    words = CONFIG.format(repo=project.root, rev=project.tip())
    repo.write({".pre-commit-config.yaml": words.encode()})


def _run(repo: Sandbox, words: list[str | Path], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    full_env = {**os.environ, **env}
    return subprocess.run(
        words,
        cwd=repo.root,
        env=full_env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_hooks_work_in_the_framework(
    framework_store: Path, project: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(framework_store))
    repo = Sandbox.init(tmp_path / "repo")
    _configure(repo, project)
    repo.commit({"a.py": b"def f():\n    return 1\n", "b.go": b"package b\n\nfunc F() {}\n"})
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "there"], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "there"))
    repo.git("push", "-q", "origin", "main")
    assert _run(repo, [PRE_COMMIT, "install"], {}).returncode == 0

    def run_git(*words: str) -> str:
        """Return the output of git if a hook fails, or an empty string."""
        result = _run(repo, ["git", *words], {})
        return result.stdout if result.returncode else ""

    # The hook checks staged content in every language, not the working tree.
    repo.write({"a.py": b"def f(:\n", "b.go": b"package b\n\nfunc F() {}\n\nfunc F() {}\n"})
    repo.git("add", "-A")
    repo.write({"a.py": b"def f():\n    return 2\n"})
    refused = run_git("commit", "-m", "Broken")
    assert "a.py:1:7: " in refused
    assert "b.go:5:1: line 5 would define F a second time" in refused
    repo.write({"b.go": b"package b\n\nfunc G() {}\n"})
    repo.git("add", "a.py", "b.go")
    repo.write({"a.py": b"def f(:\n"})
    assert run_git("commit", "-m", "Sound") == ""
    repo.git("checkout", "-q", "a.py")

    # A transaction named in a message must exist, and pushed commits must have landed.
    assert "no such transaction exists here" in run_git(
        "commit", "--allow-empty", "-m", "x\n\nScalpel-Tx: zzzzzzzz"
    )
    assert "1 of 1 commits have not landed" in run_git("push", "origin", "main")
    repo.git("reset", "-q", "--hard", "HEAD~")

    # The framework's hooks are a gate of a landing, and gitscalpel's own hooks pass.
    result = land(repo, text("return 1", "return 3"))
    assert [row.status for row in result.facts.gates if row.name == "hooks"] == ["passed"]
    assert run_git("push", "origin", "main") == ""
