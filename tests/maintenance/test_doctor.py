"""``doctor`` works in a broken environment and reports each problem with a code and a hint."""

from __future__ import annotations

import shutil
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

import gitscalpel
from gitscalpel import Check
from gitscalpel.maintenance import doctor
from gitscalpel.maintenance.doctor import FileSystem
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox


def find_problems(repo: Sandbox) -> list[Check]:
    return [check for check in gitscalpel.doctor(repo.root) if check.code is not None]


def check_text(answer: Answer, name: str) -> str:
    rows = answer.data["checks"] if answer.status == 0 else answer.error["data"]["checks"]
    return str(next(row["says"] for row in rows if row["name"] == name))


def test_doctor_passes_in_a_valid_environment(repo: Sandbox) -> None:
    before = repo.state()
    answer = scalpel(repo.root, "doctor", "--json")
    assert all(row["ok"] for row in answer.data["checks"])
    assert check_text(answer, "identity") == "Ada <ada@example.org>"
    assert check_text(answer, "files") == "2"
    assert check_text(answer, "hooks") == "none will run"
    assert scalpel(repo.root, "doctor").out.startswith("ok   git: git version 2.")
    assert repo.state() == before
    assert [path.name for path in (repo.root / ".git/scalpel").iterdir()] == []


def test_missing_bytecode_cache_is_reported(
    repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_bytecode() -> Check:
        return next(check for check in gitscalpel.doctor(repo.root) if check.name == "bytecode")

    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert "is not stored" in check_bytecode().says
    assert "PYTHONDONTWRITEBYTECODE" in check_bytecode().hint
    cache_file = Path(cache_from_source(doctor.__file__))
    cache_file.parent.mkdir(parents=True)
    cache_file.touch()
    assert check_bytecode().says == "is stored"


def test_missing_sandbox_is_reported(repo: Sandbox) -> None:
    assert check_text(scalpel(repo.root, "doctor", "--json"), "sandbox").startswith(
        "none, so gates run with your rights"
    )


def test_doctor_works_outside_of_a_repository(tmp_path: Path) -> None:
    answer = scalpel(tmp_path, "doctor", "--json")
    assert (answer.status, answer.error["code"]) == (78, "not_a_repository")
    assert check_text(answer, "git").startswith("git version")


def test_old_git_is_reported_first(repo: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.30.2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent))
    assert [(check.name, check.code) for check in gitscalpel.doctor(repo.root)] == [("git", "git_too_old")]
    old.unlink()
    assert [(check.name, check.code) for check in gitscalpel.doctor(repo.root)] == [("git", "unavailable")]


def test_missing_identity_is_reported(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    repo.git("config", "user.useConfigOnly", "true")
    assert [(check.name, check.code) for check in find_problems(repo)] == [("identity", "identity_unknown")]
    answer = scalpel(repo.root, "doctor")
    assert (answer.status, "BAD  identity" in answer.err, "hint: run `git config" in answer.err) == (
        78,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("key", "value", "is_wrong"),
    [
        ("core.ignoreCase", "true", True),
        ("core.symlinks", "false", False),  # the user may want this
        ("core.fileMode", "false", False),
    ],
)
def test_git_configuration_is_compared_with_the_file_system(
    repo: Sandbox, key: str, value: str, is_wrong: bool
) -> None:
    repo.git("config", key, value)
    assert [check.name for check in find_problems(repo)] == ([key] if is_wrong else [])


def test_limited_file_system_is_reported(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = FileSystem(ignores_case=True, symlinks=False, executable_bits=False, locks=False)
    monkeypatch.setattr(doctor, "probe_directory", lambda _: limited)
    assert {check.name for check in find_problems(repo)} == {
        "locks",
        "core.ignoreCase",
        "core.symlinks",
        "core.fileMode",
    }
    assert all(check.hint for check in find_problems(repo))


def test_unusable_worktree_directory_is_reported(repo: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    repo.git("config", "scalpel.worktreeDir", str(tmp_path / "file/pool"))
    assert scalpel(repo.root, "trust").status == 0
    assert [check.name for check in find_problems(repo)] == ["worktrees"]


def test_hooks_and_many_files_are_reported(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    shutil.rmtree(hook.parent, ignore_errors=True)
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    blob = repo.tip("HEAD:a.py")
    rows = "".join(f"100644 {blob}\tf{number}\n" for number in range(50_000))
    repo.git("update-index", "--index-info", stdin=rows)
    answer = scalpel(repo.root, "doctor", "--json")
    assert check_text(answer, "hooks").startswith("pre-commit in ")
    assert "feature.manyFiles" in next(r["hint"] for r in answer.data["checks"] if r["name"] == "files")


def test_rules_without_a_match_and_missing_files_are_reported(repo: Sandbox) -> None:
    rules = """
    gates = { pinned = ["conftest.py"], command = [{ name = "t", run = "true", paths = ["srcs/**", "*"] }] }
    policy = { protected = ["a.py::f", "a.py::g"], require = [{ change = ["lib/**"], needs = ["tests/**"] }] }
    approval = { paths = ["auth/**"], signers = "signers" }
    """
    repo.commit({".gitscalpel.toml": rules.encode(), "a.py": b"def f(): ...\n"})
    found = [(check.name, check.says, check.code) for check in gitscalpel.doctor(repo.root)]
    assert found[found.index(("rules", ".gitscalpel.toml of main can be read", None)) + 1 :] == [
        ("rules", "untrusted programs in it: 1, so nothing lands", None),
        ("approval.signers", "main has no signers, so no approval counts", "config_error"),
        ("approval.paths", "auth/** names no file", None),
        ("gates.pinned", "conftest.py names no file", None),
        ("gates.command t", "srcs/** names no file", None),
        ("policy.require", "lib/** names no file", None),
        ("policy.protected", "a.py::g names no definition", None),
    ]


def test_invalid_rules_are_reported(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[gates]\nsyntaxx = true\n"})
    assert [(check.name, check.code) for check in find_problems(repo)] == [("rules", "config_error")]
    repo.commit({".gitscalpel.toml": b"[policy]\nrules = ['a.yml']\n", "a.yml": b"id: [\n"})
    assert [(check.name, check.code) for check in find_problems(repo)] == [("policy.rules", "config_error")]


def test_rule_without_a_match_suggests_a_similar_name(repo: Sandbox) -> None:
    rules = """
    [gates]
    pinned = ["srcs/**"]
    [policy]
    protected = ["src/app.py::Sever.start"]
    """
    repo.commit(
        {".gitscalpel.toml": rules.encode(), "src/app.py": b"class Server:\n    def start(self): ...\n"}
    )
    hints = {check.name: check.hint for check in gitscalpel.doctor(repo.root)}
    assert hints["gates.pinned"].startswith("did you mean src/**? ")
    assert hints["policy.protected"].startswith("did you mean src/app.py::Server.start? ")
