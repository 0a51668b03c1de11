"""``init`` and ``deinit`` keep existing files, and installed hooks work and can be removed."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from gitscalpel.changesets import config
from gitscalpel.changesets.rules import Rules
from gitscalpel.maintenance import init
from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox
from tests.whole import land, text

HOOKS = ("commit-msg", "pre-commit", "pre-push")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n", "b.go": b"package b\n"})


def write_hook(repo: Sandbox, name: str, script: str, folder: str = ".git/hooks") -> Path:
    file = repo.root / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def read_hooks(repo: Sandbox, folder: str = ".git/hooks") -> dict[str, tuple[bytes, int, int]]:
    """Return content, mode and modification time of every hook."""
    files = sorted((repo.root / folder).iterdir())
    return {f.name: (f.read_bytes(), stat.S_IMODE(f.stat().st_mode), f.stat().st_mtime_ns) for f in files}


class TestConfiguration:
    def test_template_equals_the_default_rules(self) -> None:
        assert config.parse_rules(init.CONFIG_TEMPLATE.encode(), {}) == Rules()

    def test_every_option_of_the_template_is_valid(self) -> None:
        lines = init.CONFIG_TEMPLATE.splitlines()
        used = [line[2:] for line in lines if re.match(r"# (\[|[a-z_]+ = )", line)]
        rules = config.parse_rules("\n".join(used).encode(), {})
        assert rules.gates.command[0].name == "tests"
        assert rules.gates == Rules(gates=rules.gates).gates
        assert (rules.gates.syntax, rules.gates.structure, rules.gates.docs) == (True, "block", "off")

    def test_missing_configuration_is_written_and_removed(self, repo: Sandbox) -> None:
        before = repo.state()
        result = scalpel(repo.root, "init", "--json").data
        assert result["languages"] == {"python": 1, "go": 1}
        assert (repo.root / ".gitscalpel.toml").read_text() == init.CONFIG_TEMPLATE
        scalpel(repo.root, "init")
        scalpel(repo.root, "deinit")
        assert repo.state() == before

    @pytest.mark.parametrize("content", [b"", b"[gates]\n", init.CONFIG_TEMPLATE.encode() + b"# mine\n"])
    def test_existing_configuration_stays(self, repo: Sandbox, content: bytes) -> None:
        repo.write({".gitscalpel.toml": content})
        scalpel(repo.root, "init")
        scalpel(repo.root, "deinit")
        assert (repo.root / ".gitscalpel.toml").read_bytes() == content

    def test_committed_configuration_stays(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init")
        repo.commit({})
        assert "committed" in scalpel(repo.root, "deinit", "--json").data["configuration"]
        assert (repo.root / ".gitscalpel.toml").exists()
        repo.write({".gitscalpel.toml": None})
        scalpel(repo.root, "init")
        assert not (repo.root / ".gitscalpel.toml").exists()

    def test_symlink_is_not_followed(self, repo: Sandbox, tmp_path: Path) -> None:
        (repo.root / ".gitscalpel.toml").symlink_to(tmp_path / "elsewhere")
        scalpel(repo.root, "init")
        assert not (tmp_path / "elsewhere").exists()


class TestHooks:
    @pytest.mark.parametrize("folder", [".git/hooks", ".githooks"])
    def test_init_and_deinit_restore_the_hooks(self, repo: Sandbox, folder: str) -> None:
        if folder != ".git/hooks":
            repo.git("config", "core.hooksPath", folder)
        write_hook(repo, "pre-commit", "exit 0", folder)
        write_hook(repo, "commit-msg", "exit 0", folder).chmod(0o644)  # so that git does not run the hook
        before = read_hooks(repo, folder)
        for _ in range(2):
            result = scalpel(repo.root, "init", "--hooks", "--json").data["hooks"]
            assert sorted(result) == list(HOOKS)
        assert set(result.values()) == {"already installed"}
        assert read_hooks(repo, folder).keys() >= {*HOOKS, "pre-commit.before-scalpel"}
        scalpel(repo.root, "deinit", "--hooks")
        assert read_hooks(repo, folder) == before
        assert scalpel(repo.root, "deinit", "--hooks", "--json").data["hooks"] == {}

    def test_hooks_check_a_commit(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        repo.write({"a.py": b"a = (\n"})
        repo.git("commit", "-q", "-a", "-m", "broken", check=False)
        assert repo.git("log", "-1", "--format=%s") == "a commit"
        repo.write({"a.py": b"a = 2\n"})
        repo.git("commit", "-q", "-a", "-m", "no", "-m", "Scalpel-Tx: zzzzzzzz", check=False)
        repo.git("commit", "-q", "-a", "-m", "sound")
        assert repo.git("log", "-1", "--format=%s") == "sound"

    def test_existing_hook_runs_first(self, repo: Sandbox, tmp_path: Path) -> None:
        write_hook(repo, "pre-commit", "echo ran >>../count; test ! -e stop")
        write_hook(repo, "pre-push", 'echo "$1" >>../count; cat >>../count')
        scalpel(repo.root, "init", "--hooks")
        repo.write({"stop": b""})
        repo.git("commit", "-q", "--allow-empty", "-m", "stopped", check=False)
        repo.write({"stop": None})
        repo.git("commit", "-q", "--allow-empty", "-m", "made")
        repo.git("init", "-q", "--bare", "../there")
        repo.git("push", "-q", "../there", "main", check=False)
        first, second, *pushed = (tmp_path / "count").read_text().splitlines()
        assert (first, second) == ("ran", "ran")
        assert pushed == ["../there", f"refs/heads/main {repo.tip()} refs/heads/main {'0' * 40}"]

    def test_changed_hook_stays(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        with (repo.root / ".git/hooks/pre-commit").open("a") as file:
            file.write("echo mine\n")
        result = scalpel(repo.root, "deinit", "--hooks", "--json").data["hooks"]
        assert result == {
            "pre-commit": "left: it has been changed since",
            "commit-msg": "removed",
            "pre-push": "removed",
        }

    def test_pre_commit_framework_is_detected(self, repo: Sandbox) -> None:
        write_hook(repo, "pre-commit", "# File generated by pre-commit: https://pre-commit.com\nexit 0")
        repo.write({".pre-commit-config.yaml": b"repos: []\n"})
        result = scalpel(repo.root, "init", "--json").data
        assert result["found"] == {"pre-commit": "the pre-commit framework"}
        assert result["framework"] is True

    @pytest.mark.parametrize("folder", [".husky/_", ".husky"])
    def test_husky_hooks_are_not_changed(self, repo: Sandbox, folder: str) -> None:
        (repo.root / ".husky/_").mkdir(parents=True)
        write_hook(repo, "pre-commit", '. "$(dirname "$0")/husky.sh"', folder)
        repo.git("config", "core.hooksPath", folder)
        before = (repo.root / folder / "pre-commit").read_bytes()
        error = scalpel(repo.root, "init", "--hooks", "--json").error
        assert "git scalpel hook pre-commit" in error["hint"]
        assert (repo.root / folder / "pre-commit").read_bytes() == before

    def test_global_hooks_directory_is_not_changed(
        self, repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path}/all\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
        assert scalpel(repo.root, "init", "--hooks", "--json").error["code"] == "config_error"
        assert not (tmp_path / "all").exists()


class TestLanding:
    """A landing runs the user's hooks as a gate, without gitscalpel's own hooks."""

    def test_own_hooks_are_not_a_gate(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        result = land(repo, text("1", "2"))
        assert "hooks" not in [row.name for row in result.facts.gates]

    def test_existing_hook_runs_once_in_a_landing(
        self, repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
        existing = write_hook(repo, "pre-commit", f"echo ran >>{tmp_path}/count")
        scalpel(repo.root, "init", "--hooks")
        land(repo, text("1", "2"))
        assert (tmp_path / "count").read_text() == "ran\n"
        existing.with_name("pre-commit.before-scalpel").write_text("#!/bin/sh\nexit 3\n")
        refused = scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--json").error
        assert (refused["code"], refused["data"]["status"]) == ("hook_failed", 3)

    def test_hooks_in_the_repository_need_trust(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        shim = (repo.root / ".git/hooks/pre-commit").read_bytes()
        scalpel(repo.root, "deinit", "--hooks")
        canary = b"#!/bin/sh\ntouch ../canary\n"
        hook_files = {
            "reference-transaction": shim + canary,
            "pre-commit": shim,
            "pre-commit.before-scalpel": canary,
        }
        repo.commit({f".githooks/{name}": ("100755", content) for name, content in hook_files.items()})
        repo.git("config", "core.hooksPath", ".githooks")
        error = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--json").error
        assert error["code"] == "untrusted"
        listed = {row["where"] for row in scalpel(repo.root, "trust", "--list", "--json").data["programs"]}
        assert listed >= {f"hook .githooks/{name}" for name in hook_files}
        assert not (repo.root / "../canary").exists()
