"""Policy rules on the command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

RULES = b"""
[policy]
allow = ["src/**", "tests/**", ".gitscalpel.toml"]
deny = ["*.pem"]

[[policy.require]]
change = ["src/**"]
needs = ["tests/**"]
"""
CHANGE = ("text", "src/a.py", "--old", "x = 1", "--new", "x = 2")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "repo",
        {"src/a.py": b"x = 1\n", "tests/a.py": b"y = 1\n", "b.py": b"", ".gitscalpel.toml": RULES},
    )


def test_denied_path_leaves_the_repository_unchanged(repo: Sandbox) -> None:
    before = repo.state()
    answer = scalpel(repo.root, "write", "src/key.pem", "--content", "x", "--json")
    assert (answer.error["code"], answer.status) == ("policy_denied", 6)
    assert answer.error["data"]["findings"][0]["path"] == "src/key.pem"
    assert repo.state() == before


def test_adopted_changes_are_checked_as_their_own_commit(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[policy]\nsecrets = true\n"})
    repo.write({"b.py": b'key = "AKIA' + b'IOSFODNN7EXAMPLX"\n'})
    tx = scalpel(repo.root, "begin", "--adopt", "b.py", "--json").data["tx"]
    assert scalpel(repo.root, "write", "b.py", "--content", "k = 1\n", "--overwrite", "--tx", tx).status == 0
    for words in (("policy", "check", tx), ("land", tx)):
        refused = scalpel(repo.root, *words, "--json").error
        assert (refused["code"], refused["data"]["findings"][0]["path"]) == ("policy_denied", "b.py")


def test_change_lands_only_with_its_required_path(repo: Sandbox) -> None:
    assert scalpel(repo.root, *CHANGE, "--json").error["code"] == "policy_denied"
    tx = scalpel(repo.root, *CHANGE, "--no-land", "--json").data["tx"]
    assert scalpel(repo.root, "policy", "check", tx, "--json").error["code"] == "policy_denied"
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "policy_denied"
    scalpel(repo.root, "text", "tests/a.py", "--old", "y = 1", "--new", "y = 2", "--tx", tx)
    assert scalpel(repo.root, "policy", "check", tx, "--json").data["status"] == "passed"
    assert scalpel(repo.root, "land", tx).status == 0


@pytest.mark.parametrize(("path", "code"), [("/etc/passwd", "path_denied"), ("", "invalid_args")])
def test_explain_refuses_paths_outside_of_the_repository(repo: Sandbox, path: str, code: str) -> None:
    assert scalpel(repo.root, "policy", "explain", path, "--json").error["code"] == code


def test_explain_lists_the_rules_for_a_path(repo: Sandbox) -> None:
    assert scalpel(repo.root, "policy", "explain", "src/a.py").out == (
        "  policy.deny: does not name it\n"
        "  policy.allow: has it\n"
        "  policy.require: a change needs one of tests/**\n"
    )
    data = scalpel(repo.root, "policy", "explain", "b.py", "--json").data
    assert (data["path"], data["may_change"]) == ("b.py", False)


def test_edit_cannot_loosen_the_policy(repo: Sandbox) -> None:
    patch = (
        '*** Begin Patch\n*** Update File: .gitscalpel.toml\n@@\n-deny = ["*.pem"]\n+deny = []\n'
        "*** Add File: src/key.pem\n+x\n*** End Patch\n"
    )
    assert scalpel(repo.root, "apply", "--json", stdin=patch).error["code"] == "policy_denied"


def test_policy_of_the_target_applies_at_landing(repo: Sandbox) -> None:
    """Apply the policy of the tip, not that of the time of staging."""
    scalpel(repo.root, "text", ".gitscalpel.toml", "--old", "[[policy", "--new", "[[policy")
    tx = scalpel(
        repo.root, "text", "tests/a.py", "--old", "y = 1", "--new", "y = 2", "--no-land", "--json"
    ).data["tx"]
    repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["tests/**"]\n'})
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "policy_denied"


def test_submodule_path_is_checked(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    root = Path(scalpel(repo.root, "worktree", tx, "--json").data["path"])
    commit = repo.git("rev-parse", "HEAD")
    subprocess.run(
        ["git", "update-index", "--add", "--cacheinfo", f"160000,{commit},x.pem"], cwd=root, check=True
    )
    scalpel(repo.root, "stage", tx, "--json")
    error = scalpel(repo.root, "land", tx, "--json").error
    assert (error["code"], error["data"]["findings"][0]["path"]) == ("policy_denied", "x.pem")


def test_rule_added_to_the_target_applies(repo: Sandbox) -> None:
    unused_rule = b"id: none\nlanguage: Python\nrule: {pattern: exit($A)}\n"
    policy = b'[policy]\nrules = ["policy/*.yml"]\n'
    repo.commit({".gitscalpel.toml": policy, "policy/a.yml": unused_rule})
    words = ("text", "src/a.py", "--old", "x = 1", "--new", "print(1)")
    tx = scalpel(repo.root, *words, "--no-land", "--json").data["tx"]
    repo.commit({"policy/b.yml": b"id: no-print\nlanguage: Python\nrule: {pattern: print($A)}\n"})
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "policy_denied"
