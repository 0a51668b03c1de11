"""``init`` and ``deinit``: what is there stays, what is installed works, and what is taken back is gone."""

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


def hook(repo: Sandbox, name: str, script: str, folder: str = ".git/hooks") -> Path:
    file = repo.root / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def hooks(repo: Sandbox, folder: str = ".git/hooks") -> dict[str, tuple[bytes, int, int]]:
    """Every file there: its bytes, its mode, and when it was written."""
    files = sorted((repo.root / folder).iterdir())
    return {f.name: (f.read_bytes(), stat.S_IMODE(f.stat().st_mode), f.stat().st_mtime_ns) for f in files}


class TestTheConfiguration:
    def test_as_it_is_written_it_changes_nothing(self) -> None:
        assert config.parse_rules(init.CONFIG_TEMPLATE.encode(), {}) == Rules()

    def test_every_line_of_it_can_be_used(self) -> None:
        lines = init.CONFIG_TEMPLATE.splitlines()
        used = [line[2:] for line in lines if re.match(r"# (\[|[a-z_]+ = )", line)]
        rules = config.parse_rules("\n".join(used).encode(), {})
        assert rules.gates.command[0].name == "tests"
        assert rules.gates == Rules(gates=rules.gates).gates
        assert (rules.gates.syntax, rules.gates.structure, rules.gates.docs) == (True, "block", "off")

    def test_it_is_written_where_there_is_none_and_taken_back(self, repo: Sandbox) -> None:
        before = repo.state()
        done = scalpel(repo.root, "init", "--json").data
        assert done["languages"] == {"python": 1, "go": 1}
        assert (repo.root / ".gitscalpel.toml").read_text() == init.CONFIG_TEMPLATE
        scalpel(repo.root, "init")
        scalpel(repo.root, "deinit")
        assert repo.state() == before

    @pytest.mark.parametrize("content", [b"", b"[gates]\n", init.CONFIG_TEMPLATE.encode() + b"# mine\n"])
    def test_one_that_is_there_stays(self, repo: Sandbox, content: bytes) -> None:
        repo.write({".gitscalpel.toml": content})
        scalpel(repo.root, "init")
        scalpel(repo.root, "deinit")
        assert (repo.root / ".gitscalpel.toml").read_bytes() == content

    def test_one_that_is_committed_stays(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init")
        repo.commit({})
        assert "committed" in scalpel(repo.root, "deinit", "--json").data["configuration"]
        assert (repo.root / ".gitscalpel.toml").exists()
        repo.write({".gitscalpel.toml": None})
        scalpel(repo.root, "init")
        assert not (repo.root / ".gitscalpel.toml").exists()

    def test_a_link_there_is_not_followed(self, repo: Sandbox, tmp_path: Path) -> None:
        (repo.root / ".gitscalpel.toml").symlink_to(tmp_path / "elsewhere")
        scalpel(repo.root, "init")
        assert not (tmp_path / "elsewhere").exists()


class TestHooks:
    @pytest.mark.parametrize("folder", [".git/hooks", ".githooks"])
    def test_to_and_fro_is_as_before_to_the_byte(self, repo: Sandbox, folder: str) -> None:
        if folder != ".git/hooks":
            repo.git("config", "core.hooksPath", folder)
        hook(repo, "pre-commit", "exit 0", folder)
        hook(repo, "commit-msg", "exit 0", folder).chmod(0o644)  # so git does not run it
        before = hooks(repo, folder)
        for _ in range(2):
            done = scalpel(repo.root, "init", "--hooks", "--json").data["hooks"]
            assert sorted(done) == list(HOOKS)
        assert set(done.values()) == {"already installed"}
        assert hooks(repo, folder).keys() >= {*HOOKS, "pre-commit.before-scalpel"}
        scalpel(repo.root, "deinit", "--hooks")
        assert hooks(repo, folder) == before
        assert scalpel(repo.root, "deinit", "--hooks", "--json").data["hooks"] == {}

    def test_they_judge_what_git_commits(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        repo.write({"a.py": b"a = (\n"})
        repo.git("commit", "-q", "-a", "-m", "broken", check=False)
        assert repo.git("log", "-1", "--format=%s") == "a commit"
        repo.write({"a.py": b"a = 2\n"})
        repo.git("commit", "-q", "-a", "-m", "no", "-m", "Scalpel-Tx: zzzzzzzz", check=False)
        repo.git("commit", "-q", "-a", "-m", "sound")
        assert repo.git("log", "-1", "--format=%s") == "sound"

    def test_what_was_there_comes_first_and_is_heard(self, repo: Sandbox, tmp_path: Path) -> None:
        hook(repo, "pre-commit", "echo ran >>../count; test ! -e stop")
        hook(repo, "pre-push", 'echo "$1" >>../count; cat >>../count')
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

    def test_one_that_was_changed_since_stays(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        with (repo.root / ".git/hooks/pre-commit").open("a") as file:
            file.write("echo mine\n")
        done = scalpel(repo.root, "deinit", "--hooks", "--json").data["hooks"]
        assert done == {
            "pre-commit": "left: it has been changed since",
            "commit-msg": "removed",
            "pre-push": "removed",
        }

    def test_the_frameworks_own_hook(self, repo: Sandbox) -> None:
        hook(repo, "pre-commit", "# File generated by pre-commit: https://pre-commit.com\nexit 0")
        repo.write({".pre-commit-config.yaml": b"repos: []\n"})
        done = scalpel(repo.root, "init", "--json").data
        assert done["found"] == {"pre-commit": "the pre-commit framework"}
        assert done["framework"] is True

    @pytest.mark.parametrize("folder", [".husky/_", ".husky"])
    def test_huskys_hooks_are_left_to_husky(self, repo: Sandbox, folder: str) -> None:
        (repo.root / ".husky/_").mkdir(parents=True)
        hook(repo, "pre-commit", '. "$(dirname "$0")/husky.sh"', folder)
        repo.git("config", "core.hooksPath", folder)
        before = (repo.root / folder / "pre-commit").read_bytes()
        error = scalpel(repo.root, "init", "--hooks", "--json").error
        assert "git scalpel hook pre-commit" in error["hint"]
        assert (repo.root / folder / "pre-commit").read_bytes() == before

    def test_a_folder_of_all_repositories_is_left_alone(
        self, repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path}/all\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
        assert scalpel(repo.root, "init", "--hooks", "--json").error["code"] == "config_error"
        assert not (tmp_path / "all").exists()


class TestLanding:
    """It runs the user's hooks as a gate, and ours must not be in its way."""

    def test_ours_alone_are_no_gate(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        done = land(repo, text("1", "2"))
        assert "hooks" not in [row.name for row in done.facts.gates]

    def test_the_one_before_ours_judges_once(
        self, repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
        earlier = hook(repo, "pre-commit", f"echo ran >>{tmp_path}/count")
        scalpel(repo.root, "init", "--hooks")
        land(repo, text("1", "2"))
        assert (tmp_path / "count").read_text() == "ran\n"
        earlier.with_name("pre-commit.before-scalpel").write_text("#!/bin/sh\nexit 3\n")
        refused = scalpel(repo.root, "text", "a.py", "--old", "2", "--new", "3", "--json").error
        assert (refused["code"], refused["data"]["status"]) == ("hook_failed", 3)

    def test_what_a_repository_brings_as_ours_is_trusted_like_any_hook(self, repo: Sandbox) -> None:
        scalpel(repo.root, "init", "--hooks")
        shim = (repo.root / ".git/hooks/pre-commit").read_bytes()
        scalpel(repo.root, "deinit", "--hooks")
        canary = b"#!/bin/sh\ntouch ../canary\n"
        brought = {
            "reference-transaction": shim + canary,
            "pre-commit": shim,
            "pre-commit.before-scalpel": canary,
        }
        repo.commit({f".githooks/{name}": ("100755", content) for name, content in brought.items()})
        repo.git("config", "core.hooksPath", ".githooks")
        error = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--json").error
        assert error["code"] == "untrusted"
        named = {row["where"] for row in scalpel(repo.root, "trust", "--list", "--json").data["programs"]}
        assert named >= {f"hook .githooks/{name}" for name in brought}
        assert not (repo.root / "../canary").exists()
