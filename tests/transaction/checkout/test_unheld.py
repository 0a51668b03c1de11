"""Files that a recorded state does not contain are neither deleted nor claimed, whatever rules change."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import Repository
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.today import some
from tests.unprivileged import run_unprivileged

IGNORED = {".env": b"SECRET=1\n", "build/out": b"big\n", "logs/a.log": b"log\n", "sub/x.tmp": b"tmp\n"}
RULES = b".env\nbuild/\n*.log\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.of(
        tmp_path / "shop",
        {".gitignore": RULES, "a.txt": b"one\n", "logs/keep": b"\n", "sub/.gitignore": b"*.tmp\n"},
    )
    repo.write(dict(IGNORED))
    return repo


def watch(repo: Sandbox, script: str) -> Any:
    return scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", script)


def touched(answer: Any) -> list[str]:
    return sorted(row["path"] for row in answer.data.get("files", ()))


def undo(repo: Sandbox) -> None:
    scalpel(repo.root, "undo", "--json").data  # noqa: B018


def is_held(repo: Sandbox, content: bytes) -> bool:
    oid = repo.git("hash-object", "--stdin", stdin=content.decode())
    done = subprocess.run(["git", "cat-file", "-e", oid], cwd=repo.root, capture_output=True, check=False)
    return done.returncode == 0


def require_untouched(repo: Sandbox) -> None:
    """Require the files that were ignored, which git does not hold."""
    files = repo.files()
    assert {path: files.get(path) for path in IGNORED} == IGNORED
    assert not [path for path, content in IGNORED.items() if is_held(repo, content)]


REVEALING = {
    "a line less": "sed -i '/env/d;/build/d;/log/d' .gitignore; : > sub/.gitignore",
    "an exception": "printf '!.env\\n!build/\\n!*.log\\n' >> .gitignore; echo '!*.tmp' > sub/.gitignore",
    "an exception of a part": "printf '!build/\\nbuild/*\\n!build/out\\n' >> .gitignore",
    "a file less": "rm .gitignore sub/.gitignore",
    "other rules": "echo '*.o' > .gitignore; mv sub/.gitignore sub/rules",
}


@pytest.mark.parametrize("script", some([*REVEALING.values()]), ids=some([*REVEALING]))
@pytest.mark.parametrize("call", [("run", "--checkout"), ("snapshot", "--watch-command")])
def test_files_that_are_no_longer_ignored_are_not_new(
    repo: Sandbox, script: str, call: tuple[str, ...]
) -> None:
    files = repo.files()
    answer = scalpel(repo.root, *call, "--json", "--", "sh", "-c", f"{script}; echo n > new.txt")
    assert not {*touched(answer)} & {*IGNORED}
    assert any(".gitignore" in path for path in touched(answer))
    assert any("git ignored" in words for words in answer.json["warnings"])
    require_untouched(repo)
    changed = repo.files()
    undo(repo)
    assert repo.files() == files
    scalpel(repo.root, "redo", "--json").data  # noqa: B018
    assert repo.files() == changed
    require_untouched(repo)


def test_rules_outside_of_the_work_tree(repo: Sandbox, tmp_path: Path) -> None:
    exclude, mine = repo.root / ".git/info/exclude", tmp_path / "mine"
    exclude.write_text("p.key\n")
    mine.write_text("q.key\n")
    repo.git("config", "core.excludesFile", str(mine))
    keys = {"p.key": b"p secret\n", "q.key": b"q secret\n"}
    repo.write(dict(keys))
    answer = watch(repo, f"echo > {exclude}; echo > {mine}; echo two > a.txt")
    assert touched(answer) == ["a.txt"]
    undo(repo)
    assert {name: repo.files()[name] for name in keys} == keys
    assert not [name for name, content in keys.items() if is_held(repo, content)]


def test_a_file_that_was_not_there_is_new_though_it_would_have_been_ignored(repo: Sandbox) -> None:
    script = "sed -i '/log/d' .gitignore; echo n > logs/new.log; echo m > other.log"
    answer = watch(repo, script)
    assert touched(answer) == [".gitignore", "logs/new.log", "other.log"]
    undo(repo)
    require_untouched(repo)
    assert not (repo.root / "logs/new.log").exists()


def test_folders_with_ignored_files_alone_are_known(repo: Sandbox) -> None:
    repo.write({"only/deep/x.log": b"1\n"})
    assert touched(watch(repo, "echo n > only/deep/new.txt")) == ["only/deep/new.txt"]
    undo(repo)
    assert (repo.root / "only/deep/x.log").exists()
    assert not (repo.root / "only/deep/new.txt").exists()


def test_a_file_that_is_ignored_from_now_on_is_not_deleted(repo: Sandbox) -> None:
    repo.write({"notes": b"mine\n", "gone": b"gone\n", "other": b"other\n"})
    answer = watch(repo, "printf 'notes\\ngone\\nother\\n' >> .gitignore; rm gone; echo changed > other")
    assert touched(answer) == [".gitignore", "gone"]
    assert any("other has changed" in words for words in answer.json["warnings"])
    assert not any("notes" in words for words in answer.json["warnings"])
    undo(repo)
    files = repo.files()
    assert (files["notes"], files["gone"], files["other"]) == (b"mine\n", b"gone\n", b"changed\n")
    before = answer.data["before"]["id"]
    scalpel(repo.root, "restore", before, "other", "--json").data  # noqa: B018
    assert repo.files()["other"] == b"other\n"


@pytest.mark.parametrize("names", [(), (".gitignore", "sub", "build")], ids=["all", "some"])
def test_restoring_leaves_what_the_snapshot_did_not_see(repo: Sandbox, names: tuple[str, ...]) -> None:
    repo.write({"a.txt": b"then\n"})
    taken = scalpel(repo.root, "snapshot", "--json").data["id"]
    repo.write({".gitignore": b"", "sub/.gitignore": None, "a.txt": b"now\n", "late": b"l\n"})
    wild = repo.files()
    scalpel(repo.root, "restore", taken, *names[:2], "--json").data  # noqa: B018
    require_untouched(repo)
    files = repo.files()
    assert files[".gitignore"] == RULES
    assert (files["a.txt"], "late" in files) == ((b"now\n", True) if names else (b"then\n", False))
    undo(repo)
    assert repo.files() == wild
    error = scalpel(repo.root, "restore", taken, ".env", "--json").error
    assert error["code"] == "file_not_found"
    assert "ignored" in error["message"]


def test_restoring_a_file_that_is_ignored_by_now_can_be_undone(repo: Sandbox) -> None:
    repo.write({"settings": b"then\n"})
    taken = scalpel(repo.root, "snapshot", "--json").data["id"]
    repo.write({".gitignore": RULES + b"settings\n", "settings": b"now\n"})
    scalpel(repo.root, "restore", taken, "--json").data  # noqa: B018
    assert repo.files()["settings"] == b"then\n"
    undo(repo)
    assert repo.files()["settings"] == b"now\n"


def test_steps_that_nobody_told_leave_ignored_files_alone(repo: Sandbox) -> None:
    with Repository(repo.root) as there:
        there.account("first")
    repo.write({".gitignore": b"", "sub/.gitignore": b"", "new.txt": b"n\n"})
    with Repository(repo.root) as there:
        done = there.account("a tool")
        assert done is not None
        assert sorted(change.path for change in done.files) == [".gitignore", "new.txt", "sub/.gitignore"]
        assert there.account("again") is None
        require_untouched(repo)
        (repo.root / "build/more").write_bytes(b"more\n")
        later = there.account("later")
        assert later is not None
        assert [change.path for change in later.files] == ["build/more"]
        there.undo()
        there.undo()
    require_untouched(repo)
    assert repo.files()[".gitignore"] == RULES


def test_all_steps_since_one(repo: Sandbox) -> None:
    first = watch(repo, "sed -i '/env/d' .gitignore").data["tx"]
    watch(repo, "sed -i '/log/d' .gitignore; echo two > a.txt").data  # noqa: B018
    scalpel(repo.root, "undo", "--all-since", first, "--json").data  # noqa: B018
    assert repo.files()[".gitignore"] == RULES
    assert {path: repo.files()[path] for path in IGNORED} == IGNORED


def test_files_that_a_sparse_checkout_leaves_out_are_no_change(repo: Sandbox) -> None:
    repo.commit({"docs/d.txt": b"d\n", "src/s.txt": b"s\n"})
    full = scalpel(repo.root, "snapshot", "--json").data["id"]
    assert touched(watch(repo, "git sparse-checkout set src; echo two > a.txt")) == ["a.txt"]
    assert "docs/d.txt" not in repo.files()
    sparse = scalpel(repo.root, "snapshot", "--json").data["id"]
    undo(repo)
    assert "docs/d.txt" not in repo.files()
    scalpel(repo.root, "restore", full, "--json").data  # noqa: B018
    assert "docs/d.txt" not in repo.files()
    script = "git sparse-checkout disable; echo n > docs/new.txt"
    assert touched(watch(repo, script)) == ["docs/new.txt"]
    undo(repo)
    assert repo.files()["docs/d.txt"] == b"d\n"
    scalpel(repo.root, "restore", sparse, "--json").data  # noqa: B018
    assert repo.files()["docs/d.txt"] == b"d\n"
    assert repo.status() == " M a.txt"
    repo.git("sparse-checkout", "set", "src")
    scalpel(repo.root, "restore", full, "docs/d.txt", "--json").data  # noqa: B018
    assert repo.files()["docs/d.txt"] == b"d\n"  # named, so it is brought back


def test_rules_that_a_sparse_checkout_leaves_out_hold(repo: Sandbox) -> None:
    repo.commit({"src/s.txt": b"s\n"})
    (repo.root / "sub/x.tmp").unlink()
    repo.git("rm", "-q", "--cached", *IGNORED)
    repo.git("commit", "-q", "-m", "ignored again")
    repo.git("sparse-checkout", "set", "src")
    assert not (repo.root / "sub").exists()
    repo.write({"sub/y.tmp": b"secret of sub\n"})
    taken = scalpel(repo.root, "snapshot", "--json").data["id"]
    assert touched(watch(repo, "echo n > sub/n.txt; echo m > sub/z.tmp")) == ["sub/n.txt"]
    scalpel(repo.root, "restore", taken, "--json").data  # noqa: B018
    assert repo.files()["sub/y.tmp"] == b"secret of sub\n"
    assert not is_held(repo, b"secret of sub\n")


LEFT_OUT = {
    "by a pattern": "git sparse-checkout set --no-cone /src/",
    "by hand": "git update-index --skip-worktree .gitignore; rm .gitignore",
    "by a split index": "git update-index --split-index; git update-index --skip-worktree .gitignore; "
    "git update-index --split-index; rm .gitignore",
    "behind a link": "git update-index --skip-worktree .gitignore; ln -sf a.txt .gitignore",
    "without the setting": "git config core.sparseCheckout true; echo /src/ > .git/info/sparse-checkout; "
    "git read-tree -mu HEAD; git config core.sparseCheckout false",
}


@pytest.mark.parametrize("script", LEFT_OUT.values(), ids=LEFT_OUT)
def test_rules_of_the_root_that_git_reads_from_its_index_hold(repo: Sandbox, script: str) -> None:
    repo.commit({"src/s.txt": b"s\n"})
    repo.git("rm", "-q", "--cached", *IGNORED)
    repo.git("commit", "-q", "-m", "ignored again")
    with Repository(repo.root) as there:
        there.account("first")
        subprocess.run(["sh", "-c", script], cwd=repo.root, check=True)
        repo.write({".env": b"SECRET=2\n", "src/b.log": b"b log\n"})
        taken = there.snapshot()
        assert touched(watch(repo, "echo n > new.txt; echo l > src/l.log")) == ["new.txt"]
        repo.write({"late.txt": b"late\n"})
        done = there.account("a tool")
        assert done is not None
        assert [change.path for change in done.files] == ["late.txt"]
        there.restore(taken.id)
    files = repo.files()
    assert "new.txt" not in files
    assert (files[".env"], files["src/b.log"], files["src/l.log"]) == (b"SECRET=2\n", b"b log\n", b"l\n")
    assert not [content for content in (b"SECRET=2\n", b"b log\n", b"l\n") if is_held(repo, content)]


HIDING = {
    "a rule": "echo token >> .gitignore",
    "a rule of the folder": "echo token >> sub/.gitignore",
    "a rule for everybody": "echo token > .git/info/exclude",
    "a file of rules": "echo token > .git/mine; git config core.excludesFile .git/mine",
    "a file of rules by its whole path": "echo token > .git/m; git config core.excludesFile $PWD/.git/m",
    "no longer staged": "git rm -q --cached --ignore-unmatch token sub/token; echo token >> .gitignore",
}


@pytest.mark.parametrize("script", some([*HIDING.values()], 3), ids=some([*HIDING], 3))
@pytest.mark.parametrize("is_staged", [False, True])
def test_what_is_written_to_a_file_that_is_ignored_by_now_is_not_held(
    repo: Sandbox, script: str, is_staged: bool
) -> None:
    repo.write({"sub/token": b"example\n"})
    if is_staged and "rm -q" in script:
        repo.git("add", "sub/token")
    taken = scalpel(repo.root, "snapshot", "--json").data["id"]
    with Repository(repo.root) as there:
        there.account("first")
    subprocess.run(["sh", "-c", script], cwd=repo.root, check=True)
    repo.write({"sub/token": b"secret of now\n"})
    scalpel(repo.root, "snapshot", "--json").data  # noqa: B018
    assert touched(watch(repo, "echo two > a.txt; echo secret of then > sub/token")) == ["a.txt"]
    with Repository(repo.root) as there:
        there.account("a tool")
    for content in (b"secret of now\n", b"secret of then\n"):
        assert not is_held(repo, content)
    scalpel(repo.root, "restore", taken, "a.txt", "--json").data  # noqa: B018
    assert not is_held(repo, b"secret of then\n")
    assert repo.files()["sub/token"] == b"secret of then\n"


def inner(repo: Sandbox, name: str = "lib") -> Sandbox:
    nested = Sandbox.init(repo.root / name)
    nested.commit({"x.txt": b"theirs\n"})
    return nested


NESTED = {
    "removed": ("rm -rf lib", [], "has been removed"),
    "a file": ("rm -rf lib; echo f > lib", ["lib"], "is a file now"),
    "a link": ("rm -rf lib; ln -s a.txt lib", ["lib"], "is a file now"),
    "a folder": ("rm -rf lib; mkdir lib; echo f > lib/f", ["lib/f"], "is a folder"),
    "no repository": ("rm -rf lib/.git", [], "is a folder"),
    "moved": ("git -C lib commit -q --allow-empty -m next", [], "its commit has changed"),
}


@pytest.mark.parametrize("kind", some([*NESTED]))
@pytest.mark.parametrize("is_submodule", [False, True])
def test_a_nested_repository_that_goes_is_told(repo: Sandbox, kind: str, is_submodule: bool) -> None:
    inner(repo)
    if is_submodule:
        repo.git("add", "lib")
        repo.git("commit", "-q", "-m", "lib")
    script, paths, words = NESTED[kind]
    answer = watch(repo, script)
    if kind == "a folder":  # what lay in the other repository is not known
        paths = touched(answer)
        assert paths in ([], ["lib/f"])
    assert touched(answer) == paths
    assert any("lib" in said and words in said for said in answer.json["warnings"]), answer.json["warnings"]
    changed = repo.files()
    if paths:
        undo(repo)
        assert not os.path.lexists(repo.root / "lib")
        scalpel(repo.root, "redo", "--json").data  # noqa: B018
    assert repo.files() == changed


def test_a_nested_repository_that_comes_is_left(repo: Sandbox) -> None:
    repo.write({"lib/mine": b"mine\n", "tool": b"a tool\n"})
    make = "git init -q lib; cd lib; git add .; git commit -qm i; cd ..; "
    answer = watch(repo, make + "rm tool; git init -q tool; git -C tool commit -q --allow-empty -m i")
    assert touched(answer) == ["tool"]
    said = "\n".join(answer.json["warnings"])
    assert "tool has become a repository of its own" in said
    assert scalpel(repo.root, "undo", "--json").error["code"] == "merge_conflict"
    assert (repo.root / "lib/mine").read_bytes() == b"mine\n"
    shutil.rmtree(repo.root / "tool")
    undo(repo)
    assert repo.files()["tool"] == b"a tool\n"


def test_restoring_does_not_touch_nested_repositories(repo: Sandbox) -> None:
    repo.write({"mine/m": b"mine\n"})
    inner(repo)
    taken = scalpel(repo.root, "snapshot", "--json").data["id"]
    shutil.rmtree(repo.root / "lib/.git")
    inner(repo, "late")
    Sandbox(repo.root).git("init", "-q", "mine")
    repo.git("-C", "mine", "add", ".")
    repo.git("-C", "mine", "commit", "-q", "-m", "i")
    files = repo.files()
    answer = scalpel(repo.root, "restore", taken, "--json")
    assert answer.data["state"] == "unchanged"
    assert repo.files() == files
    said = "\n".join(answer.json["warnings"])
    assert "late is a repository of its own" in said
    assert "lib was a repository of its own" in said


def test_folders_that_cannot_be_read_are_neither_deleted_nor_new(repo: Sandbox) -> None:
    repo.write({"shut/s.txt": b"s\n", "mode/m.txt": b"m\n", "file.txt": b"f\n"})
    run = ("git", "scalpel", "run", "--checkout", "--json", "--", "sh", "-c")
    (repo.root / "mode").chmod(0o000)
    done = run_unprivileged(repo.root, *run, "chmod 000 shut file.txt; chmod 755 mode; echo two > a.txt")
    try:
        assert done.returncode == 0, done.stderr
        assert '"path":"a.txt"' in done.stdout
        for name in ("s.txt", "m.txt", "file.txt"):
            assert f'"path":"{name}"' not in done.stdout
            assert f'/{name}","change' not in done.stdout
        undone = run_unprivileged(repo.root, "git", "scalpel", "undo")
        assert undone.returncode == 0, undone.stderr
    finally:
        for name in ("shut", "mode", "file.txt"):
            (repo.root / name).chmod(0o755)
    files = repo.files()
    assert (files["shut/s.txt"], files["mode/m.txt"], files["a.txt"]) == (b"s\n", b"m\n", b"one\n")
