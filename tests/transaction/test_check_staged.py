"""``check --staged`` judges the index, not the files on disk, and lists all findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitscalpel import DoesNotFit, GateRefused, Repository
from tests.command import SEARCH, Answer, scalpel
from tests.sandbox import Sandbox

ONE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
TWICE = ONE.replace(b"def g", b"def f")
BROKEN = ONE.replace(b"def g()", b"def g(")


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": ONE, "sub/b.py": b"b = 1\n"})


def stage_files(repo: Sandbox, files: dict[str, bytes | None]) -> None:
    repo.write(files)
    repo.git("add", "-A")


def check_staged(repo: Sandbox, *words: str, env: dict[str, str] | None = None) -> Answer:
    return scalpel(repo.root, "check", "--staged", *words, env=env)


def gate_statuses(answer: Answer) -> dict[str, str]:
    return {row["name"]: row["status"] for row in answer.data["gates"]}


def test_valid_index_passes_and_nothing_is_written(repo: Sandbox) -> None:
    stage_files(repo, {"a.py": ONE.replace(b"2", b"3")})
    before = repo.state(), sorted((repo.root / ".git/objects").rglob("*"))
    result = check_staged(repo, "--json")
    assert gate_statuses(result) == {"syntax": "passed", "structure": "passed"}
    assert (result.data["target"], result.data["base"], result.data["paths"]) == (
        "@staged",
        repo.tip(),
        ["a.py"],
    )
    assert (repo.state(), sorted((repo.root / ".git/objects").rglob("*"))) == before


def test_findings_of_all_files_have_positions(repo: Sandbox) -> None:
    stage_files(repo, {"a.py": TWICE, "sub/b.py": b"b = (\n", "c.json": b"{"})
    result = check_staged(repo)
    lines = [line.split(": ")[0] for line in result.out.splitlines()]
    assert (result.status, lines) == (1, ["c.json:1:2", "sub/b.py:1:5", "a.py:5:1", "hint"])
    error = check_staged(repo, "--json").error
    assert error["code"] == "syntax_error"
    assert [(row["gate"], row["path"], row["line"]) for row in error["data"]["findings"]] == [
        ("syntax", "c.json", 1),
        ("syntax", "sub/b.py", 1),
        ("structure", "a.py", 5),
    ]


class TestIndexAndDisk:
    def test_error_fixed_only_on_disk_fails(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": BROKEN})
        repo.write({"a.py": ONE})
        assert check_staged(repo).status == 1

    def test_error_only_on_disk_passes(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": ONE.replace(b"2", b"3")})
        repo.write({"a.py": BROKEN, "sub/b.py": b"b = (\n", "new.py": b"("})
        assert check_staged(repo, "--json").data["paths"] == ["a.py"]

    def test_staged_file_missing_on_disk_is_judged(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": BROKEN})
        repo.write({"a.py": None})
        assert check_staged(repo).status == 1

    def test_git_index_file_names_the_index(self, repo: Sandbox) -> None:
        """In the hook of ``git commit PATH``, git sets an index of its own for the commit."""
        (repo.root / "other").write_bytes((repo.root / ".git/index").read_bytes())
        stage_files(repo, {"a.py": BROKEN})
        assert check_staged(repo).status == 1
        for name in ("other", str(repo.root / "other")):
            assert check_staged(repo, "--json", env={"GIT_INDEX_FILE": name}).data["paths"] == []
        assert scalpel(repo.root / "sub", "check", "--staged", env={"GIT_INDEX_FILE": "other"}).status == 0

    def test_python_api_ignores_git_index_file(self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_INDEX_FILE", str(repo.root / "none"))
        with Repository(repo.root) as opened:
            assert opened.check_staged().paths == ()
        monkeypatch.delenv("GIT_INDEX_FILE")
        stage_files(repo, {"a.py": BROKEN})
        with Repository(repo.root) as opened, pytest.raises(GateRefused) as caught:
            opened.check_staged()
        assert caught.value.data["gates"][0]["status"] == "failed"

    def test_check_staged_works_in_a_pre_commit_hook(
        self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
        hook = repo.root / ".git/hooks/pre-commit"
        hook.write_text("#!/bin/sh\nexec git scalpel check --staged\n")
        hook.chmod(0o755)
        repo.write({"a.py": ONE.replace(b"2", b"3")})
        repo.git("add", "a.py")
        repo.write({"a.py": BROKEN, "sub/b.py": b"b = 2\n"})
        repo.git("commit", "-q", "-m", "only b", "sub/b.py")  # with an index of its own
        repo.git("commit", "-q", "-m", "what is staged")
        assert repo.git("show", "HEAD:a.py") == ONE.replace(b"2", b"3").decode().rstrip("\n")
        repo.git("commit", "-q", "-a", "-m", "broken", check=False)
        assert repo.git("log", "-1", "--format=%s") == "what is staged"


class TestStructure:
    def test_changed_and_removed_definitions_pass(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": b"def f(x):\n    return x\n\n\ndef h():\n    return 2\n"})
        assert gate_statuses(check_staged(repo, "--json"))["structure"] == "passed"

    def test_duplicate_definition_fails(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": TWICE})
        result = check_staged(repo, "--only", "structure")
        assert (result.status, result.out.splitlines()[0]) == (
            1,
            "a.py:5:1: line 5 would define f a second time in its scope [structure]",
        )
        assert check_staged(repo, "--json").error["code"] == "gate_failed"

    def test_swallowed_definition_fails(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": ONE.replace(b"    return 1\n", b'    return """\n') + b'"""\n'})
        assert check_staged(repo, "--json").error["code"] == "structural_gate"

    def test_strict_structure_fails_on_a_signature_change(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[gates]\nstructure = "strict"\n'})
        stage_files(repo, {"a.py": ONE.replace(b"f()", b"f(x)")})
        assert check_staged(repo, "--json").error["code"] == "structural_gate"

    def test_moved_file_is_compared_with_its_old_content(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": None, "moved.py": TWICE + b"x = 1\n"})
        assert check_staged(repo).out.startswith("moved.py:5:1: ")

    def test_new_file_skips_the_structure_gate(self, repo: Sandbox) -> None:
        stage_files(repo, {"new.py": TWICE})
        assert gate_statuses(check_staged(repo, "--json")) == {"syntax": "passed", "structure": "skipped"}


class TestRules:
    def test_committed_policy_applies_not_the_staged_one(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["sub/**"]\n'})
        stage_files(repo, {".gitscalpel.toml": b"", "sub/b.py": b"b = 2\n"})
        result = check_staged(repo)
        assert result.status == 1
        assert result.out.startswith("sub/b.py:1:1: ")
        assert "hint: `git scalpel policy explain PATH`" in result.out
        assert check_staged(repo, "--only", "syntax,structure").status == 0
        assert check_staged(repo, "--only", "policy").status == 1

    def test_invalid_staged_policy_fails(self, repo: Sandbox) -> None:
        stage_files(repo, {".gitscalpel.toml": b"[gates]\nsintax = true\n"})
        assert check_staged(repo, "--only", "policy").status == 1

    def test_requested_unconfigured_gate_is_skipped(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": BROKEN})
        assert gate_statuses(check_staged(repo, "--only", "policy", "--json")) == {"policy": "skipped"}

    def test_unknown_gate_is_rejected(self, repo: Sandbox) -> None:
        error = check_staged(repo, "--only", "syntax,tests", "--json").error
        assert (error["code"], "--only tests" in error["message"]) == ("invalid_args", True)
        assert scalpel(repo.root, "check", "@checkout", "--only", "syntax").status == 2
        assert scalpel(repo.root, "check", "@checkout", "--staged").status == 2


class TestStates:
    def test_check_staged_before_the_first_commit(self, tmp_path: Path) -> None:
        repo = Sandbox.init(tmp_path / "new")
        assert check_staged(repo, "--json").data["gates"] == []
        stage_files(repo, {"a.py": BROKEN})
        assert check_staged(repo).out.startswith("a.py:5:7: ")
        stage_files(repo, {"a.py": ONE})
        assert check_staged(repo, "--json").data["base"] is None

    def test_empty_index_has_nothing_to_judge(self, repo: Sandbox) -> None:
        assert check_staged(repo).out == "nothing is to be judged\n"

    def test_check_staged_on_a_detached_head(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "--detach")
        stage_files(repo, {"a.py": BROKEN})
        assert check_staged(repo).status == 1

    def test_paths_are_relative_to_the_root(self, repo: Sandbox) -> None:
        stage_files(repo, {"a.py": BROKEN})
        assert scalpel(repo.root / "sub", "check", "--staged").out.startswith("a.py:")

    def test_unresolved_merge_is_reported(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "-b", "other")
        repo.commit({"a.py": ONE.replace(b"1", b"7")})
        repo.git("checkout", "-q", "main")
        repo.commit({"a.py": ONE.replace(b"1", b"8")})
        repo.git("merge", "-q", "other", check=False)
        error = check_staged(repo, "--json").error
        assert (error["code"], error["data"]["paths"]) == ("conflicted", ["a.py"])
        with Repository(repo.root) as opened, pytest.raises(DoesNotFit):
            opened.check_staged()

    def test_conflict_markers_in_plain_text_fail(self, repo: Sandbox) -> None:
        stage_files(repo, {"notes.txt": b"one\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"})
        assert check_staged(repo).out.startswith("notes.txt:2:1: conflict markers")

    def test_quoted_markers_pass_and_merge_markers_fail(self, repo: Sandbox) -> None:
        markers = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
        stage_files(repo, {"a.md": b"text\n\n" + markers, "b.py": b'X = """\n' + markers + b'"""\n'})
        assert check_staged(repo).status == 0
        repo.git("commit", "-q", "-m", "quoted")
        repo.commit({"c.md": b"1\n"})
        repo.git("checkout", "-q", "-b", "other")
        repo.commit({"c.md": b"7\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"c.md": b"8\n"})
        repo.git("merge", "-q", "other", check=False)
        repo.git("add", "c.md")
        assert check_staged(repo).out.startswith("c.md:1:1: conflict markers")

    def test_unparsed_files_are_listed_as_unchecked(self, repo: Sandbox) -> None:
        stage_files(repo, {"x.unknown": b"\x00\xff", "link": b""})
        repo.write({"link": ("120000", b"a.py")})
        repo.git("add", "-A")
        result = check_staged(repo, "--json")
        assert gate_statuses(result) == {"syntax": "skipped", "structure": "skipped"}
        assert result.data["unchecked"] == [
            "x.unknown: no parser for this type of file, so its syntax was not judged"
        ]

    def test_file_that_was_broken_before_passes(self, repo: Sandbox) -> None:
        repo.commit({"a.py": BROKEN})
        stage_files(repo, {"a.py": BROKEN.replace(b"1", b"7")})
        assert check_staged(repo).status == 0
        repo.git("rm", "-q", "-f", "a.py")
        assert check_staged(repo).status == 0
