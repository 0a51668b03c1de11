"""``check --staged`` judges the index, whatever lies on the disk, and says all that there is to say."""

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


def add(repo: Sandbox, files: dict[str, bytes | None]) -> None:
    repo.write(files)
    repo.git("add", "-A")


def check(repo: Sandbox, *words: str, env: dict[str, str] | None = None) -> Answer:
    return scalpel(repo.root, "check", "--staged", *words, env=env)


def gates(answer: Answer) -> dict[str, str]:
    return {row["name"]: row["status"] for row in answer.data["gates"]}


def test_what_is_sound_passes_and_nothing_is_written(repo: Sandbox) -> None:
    add(repo, {"a.py": ONE.replace(b"2", b"3")})
    before = repo.state(), sorted((repo.root / ".git/objects").rglob("*"))
    done = check(repo, "--json")
    assert gates(done) == {"syntax": "passed", "structure": "passed"}
    assert (done.data["target"], done.data["base"], done.data["paths"]) == ("@staged", repo.tip(), ["a.py"])
    assert (repo.state(), sorted((repo.root / ".git/objects").rglob("*"))) == before


def test_every_finding_of_every_file_is_told_with_its_place(repo: Sandbox) -> None:
    add(repo, {"a.py": TWICE, "sub/b.py": b"b = (\n", "c.json": b"{"})
    done = check(repo)
    lines = [line.split(": ")[0] for line in done.out.splitlines()]
    assert (done.status, lines) == (1, ["c.json:1:2", "sub/b.py:1:5", "a.py:5:1", "hint"])
    error = check(repo, "--json").error
    assert error["code"] == "syntax_error"
    assert [(row["gate"], row["path"], row["line"]) for row in error["data"]["findings"]] == [
        ("syntax", "c.json", 1),
        ("syntax", "sub/b.py", 1),
        ("structure", "a.py", 5),
    ]


class TestTheIndexAndNotTheDisk:
    def test_what_is_staged_and_mended_on_the_disk_alone_is_refused(self, repo: Sandbox) -> None:
        add(repo, {"a.py": BROKEN})
        repo.write({"a.py": ONE})
        assert check(repo).status == 1

    def test_what_is_broken_on_the_disk_alone_passes(self, repo: Sandbox) -> None:
        add(repo, {"a.py": ONE.replace(b"2", b"3")})
        repo.write({"a.py": BROKEN, "sub/b.py": b"b = (\n", "new.py": b"("})
        assert check(repo, "--json").data["paths"] == ["a.py"]

    def test_a_file_that_is_gone_from_the_disk(self, repo: Sandbox) -> None:
        add(repo, {"a.py": BROKEN})
        repo.write({"a.py": None})
        assert check(repo).status == 1

    def test_another_index_that_the_caller_names(self, repo: Sandbox) -> None:
        """As in the hook of ``git commit PATH``, where git has put one together for the commit."""
        (repo.root / "other").write_bytes((repo.root / ".git/index").read_bytes())
        add(repo, {"a.py": BROKEN})
        assert check(repo).status == 1
        for name in ("other", str(repo.root / "other")):
            assert check(repo, "--json", env={"GIT_INDEX_FILE": name}).data["paths"] == []
        assert scalpel(repo.root / "sub", "check", "--staged", env={"GIT_INDEX_FILE": "other"}).status == 0

    def test_the_python_api_takes_the_repositorys_own(
        self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_INDEX_FILE", str(repo.root / "none"))
        with Repository(repo.root) as opened:
            assert opened.check_staged().paths == ()
        monkeypatch.delenv("GIT_INDEX_FILE")
        add(repo, {"a.py": BROKEN})
        with Repository(repo.root) as opened, pytest.raises(GateRefused) as refused:
            opened.check_staged()
        assert refused.value.data["gates"][0]["status"] == "failed"

    def test_in_a_real_hook(self, repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
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
    def test_a_diff_may_do_to_definitions_what_it_shows(self, repo: Sandbox) -> None:
        add(repo, {"a.py": b"def f(x):\n    return x\n\n\ndef h():\n    return 2\n"})
        assert gates(check(repo, "--json"))["structure"] == "passed"

    def test_but_no_definition_twice(self, repo: Sandbox) -> None:
        add(repo, {"a.py": TWICE})
        done = check(repo, "--only", "structure")
        assert (done.status, done.out.splitlines()[0]) == (
            1,
            "a.py:5:1: line 5 would define f a second time in its scope [structure]",
        )
        assert check(repo, "--json").error["code"] == "gate_failed"

    def test_nor_one_that_is_swallowed(self, repo: Sandbox) -> None:
        add(repo, {"a.py": ONE.replace(b"    return 1\n", b'    return """\n') + b'"""\n'})
        assert check(repo, "--json").error["code"] == "structural_gate"

    def test_strict_takes_nothing(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[gates]\nstructure = "strict"\n'})
        add(repo, {"a.py": ONE.replace(b"f()", b"f(x)")})
        assert check(repo, "--json").error["code"] == "structural_gate"

    def test_a_file_that_was_moved_is_held_against_what_it_was(self, repo: Sandbox) -> None:
        add(repo, {"a.py": None, "moved.py": TWICE + b"x = 1\n"})
        assert check(repo).out.startswith("moved.py:5:1: ")

    def test_a_new_file_says_what_it_says(self, repo: Sandbox) -> None:
        add(repo, {"new.py": TWICE})
        assert gates(check(repo, "--json")) == {"syntax": "passed", "structure": "skipped"}


class TestRules:
    def test_the_policy_of_the_commit_counts_not_the_staged_one(self, repo: Sandbox) -> None:
        repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["sub/**"]\n'})
        add(repo, {".gitscalpel.toml": b"", "sub/b.py": b"b = 2\n"})
        done = check(repo)
        assert done.status == 1
        assert done.out.startswith("sub/b.py:1:1: ")
        assert "hint: `git scalpel policy explain PATH`" in done.out
        assert check(repo, "--only", "syntax,structure").status == 0
        assert check(repo, "--only", "policy").status == 1

    def test_a_configuration_that_nobody_can_be_judged_by(self, repo: Sandbox) -> None:
        add(repo, {".gitscalpel.toml": b"[gates]\nsintax = true\n"})
        assert check(repo, "--only", "policy").status == 1

    def test_a_gate_that_is_asked_for_and_not_configured_is_skipped(self, repo: Sandbox) -> None:
        add(repo, {"a.py": BROKEN})
        assert gates(check(repo, "--only", "policy", "--json")) == {"policy": "skipped"}

    def test_a_gate_that_there_is_not(self, repo: Sandbox) -> None:
        error = check(repo, "--only", "syntax,tests", "--json").error
        assert (error["code"], "--only tests" in error["message"]) == ("invalid_args", True)
        assert scalpel(repo.root, "check", "@checkout", "--only", "syntax").status == 2
        assert scalpel(repo.root, "check", "@checkout", "--staged").status == 2


class TestStates:
    def test_before_the_first_commit(self, tmp_path: Path) -> None:
        repo = Sandbox.init(tmp_path / "new")
        assert check(repo, "--json").data["gates"] == []
        add(repo, {"a.py": BROKEN})
        assert check(repo).out.startswith("a.py:5:7: ")
        add(repo, {"a.py": ONE})
        assert check(repo, "--json").data["base"] is None

    def test_nothing_is_staged(self, repo: Sandbox) -> None:
        assert check(repo).out == "nothing is to be judged\n"

    def test_on_a_detached_head(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "--detach")
        add(repo, {"a.py": BROKEN})
        assert check(repo).status == 1

    def test_from_a_subfolder_paths_are_those_of_the_repository(self, repo: Sandbox) -> None:
        add(repo, {"a.py": BROKEN})
        assert scalpel(repo.root / "sub", "check", "--staged").out.startswith("a.py:")

    def test_a_merge_that_is_not_resolved(self, repo: Sandbox) -> None:
        repo.git("checkout", "-q", "-b", "other")
        repo.commit({"a.py": ONE.replace(b"1", b"7")})
        repo.git("checkout", "-q", "main")
        repo.commit({"a.py": ONE.replace(b"1", b"8")})
        repo.git("merge", "-q", "other", check=False)
        error = check(repo, "--json").error
        assert (error["code"], error["data"]["paths"]) == ("conflicted", ["a.py"])
        with Repository(repo.root) as opened, pytest.raises(DoesNotFit):
            opened.check_staged()

    def test_conflict_markers_where_no_grammar_minds_them(self, repo: Sandbox) -> None:
        add(repo, {"notes.txt": b"one\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"})
        assert check(repo).out.startswith("notes.txt:2:1: conflict markers")

    def test_markers_that_are_quoted_and_those_that_a_merge_left(self, repo: Sandbox) -> None:
        markers = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
        add(repo, {"a.md": b"text\n\n" + markers, "b.py": b'X = """\n' + markers + b'"""\n'})
        assert check(repo).status == 0
        repo.git("commit", "-q", "-m", "quoted")
        repo.commit({"c.md": b"1\n"})
        repo.git("checkout", "-q", "-b", "other")
        repo.commit({"c.md": b"7\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"c.md": b"8\n"})
        repo.git("merge", "-q", "other", check=False)
        repo.git("add", "c.md")
        assert check(repo).out.startswith("c.md:1:1: conflict markers")

    def test_what_nobody_can_judge_is_said(self, repo: Sandbox) -> None:
        add(repo, {"x.unknown": b"\x00\xff", "link": b""})
        repo.write({"link": ("120000", b"a.py")})
        repo.git("add", "-A")
        done = check(repo, "--json")
        assert gates(done) == {"syntax": "skipped", "structure": "skipped"}
        assert done.data["unchecked"] == [
            "x.unknown: no parser for this type of file, so its syntax was not judged"
        ]

    def test_what_was_broken_and_is_no_worse(self, repo: Sandbox) -> None:
        repo.commit({"a.py": BROKEN})
        add(repo, {"a.py": BROKEN.replace(b"1", b"7")})
        assert check(repo).status == 0
        repo.git("rm", "-q", "-f", "a.py")
        assert check(repo).status == 0
