"""Text output of an edit: unchecked files, calls that no longer fit, and applied rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.mark.parametrize("more", [[], ["--no-land"], ["--dry-run"]], ids=["landed", "staged", "tried"])
def test_file_without_a_parser_is_reported(tmp_path: Path, more: list[str]) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"d/x.vue": b"a\n"})
    answer = scalpel(repo.root, "text", "d/x.vue", "--old", "a", "--new", "b", *more)
    assert answer.status == 0
    assert answer.err == "note: d/x.vue: no parser for this type of file, so its syntax was not judged\n"


@pytest.mark.parametrize("path", ["a.txt", "LICENSE", ".gitignore", "d/b.log"])
def test_plain_text_file_is_not_reported_as_unparsed(tmp_path: Path, path: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", {path: b"a\n"})
    assert scalpel(repo.root, "text", path, "--old", "a", "--new", "b").err == ""


def test_unfitting_calls_of_ten_files_are_listed(tmp_path: Path) -> None:
    files = {f"b{n}.ts": b'import { f } from "./a";\nf(1);\nf(2);\n' for n in range(12)}
    repo = Sandbox.of(tmp_path / "repo", {"a.ts": b"export function f(a: number) {}\n", **files})
    command = ["signature", "a.ts::f", "--code", "function f(a: number, b: number)"]
    text = scalpel(repo.root, *command, "--dry-run").err.splitlines()
    assert text[0] == "warning: b0.ts:2, 3: the call of f does not fit: b is not given"
    assert text[10:] == ["warning: 4 more in 2 files: `--json`"]
    data = scalpel(repo.root, *command, "--json").data
    assert len([row for row in data["unchecked"] if "does not fit" in row]) == 24


def test_land_and_check_list_the_applied_pack_rules(tmp_path: Path) -> None:
    rules = b'[policy]\npacks = ["security"]\nmax_files = 5\n'
    repo = Sandbox.of(tmp_path / "repo", {"a.go": b"package a\n", ".gitscalpel.toml": rules})
    edit = ["text", "a.go", "--old", "package a", "--new", "package b"]
    staged = scalpel(repo.root, *edit, "--no-land", "--json").data
    (policy,) = (gate for gate in staged["gates"] if gate["name"] == "policy")
    assert policy["rules"][0] == "max_files"
    assert {name.split("-")[2] for name in policy["rules"][1:]} == {"go"}
    assert "policy: passed (max_files, CWE-" in scalpel(repo.root, "check", staged["tx"]).out
    assert "policy: passed (max_files, CWE-" in scalpel(repo.root, "show-tx", staged["tx"]).out
    landed = scalpel(repo.root, "land", staged["tx"]).out
    assert "policy: held against CWE-" in landed


def test_refusal_names_the_pack_rule(tmp_path: Path) -> None:
    repo = Sandbox.of(
        tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": b'[policy]\npacks = ["security"]\n'}
    )
    error = scalpel(repo.root, "text", "a.py", "--old", "x = 1", "--new", "x = eval(y)", "--json").error
    assert error["code"] == "policy_denied"
    assert "(CWE-95-python-eval)" in error["message"]


def test_unknown_pack_is_refused(tmp_path: Path) -> None:
    repo = Sandbox.of(
        tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": b'[policy]\npacks = ["x"]\n'}
    )
    error = scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--json").error
    assert error["code"] == "config_error"
