"""Ignored files are neither deleted nor recorded, whatever happens to the ignore rules."""

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


def watch_run(repo: Sandbox, script: str) -> Any:
    return scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", script)


def changed_paths(answer: Any) -> list[str]:
    return sorted(row["path"] for row in answer.data.get("files", ()))


def undo(repo: Sandbox) -> None:
    scalpel(repo.root, "undo", "--json").data  # noqa: B018


def is_stored(repo: Sandbox, content: bytes) -> bool:
    oid = repo.git("hash-object", "--stdin", stdin=content.decode())
    operation = subprocess.run(
        ["git", "cat-file", "-e", oid], cwd=repo.root, capture_output=True, check=False
    )
    return operation.returncode == 0


def require_untouched(repo: Sandbox) -> None:
    """Assert that the ignored files are unchanged and not in the object database."""
    files = repo.files()
    assert {path: files.get(path) for path in IGNORED} == IGNORED
    assert not [path for path, content in IGNORED.items() if is_stored(repo, content)]


REVEALING_SCRIPTS = {
    "removed lines": "sed -i '/env/d;/build/d;/log/d' .gitignore; : > sub/.gitignore",
    "an exception": "printf '!.env\\n!build/\\n!*.log\\n' >> .gitignore; echo '!*.tmp' > sub/.gitignore",
    "a partial exception": "printf '!build/\\nbuild/*\\n!build/out\\n' >> .gitignore",
    "removed files": "rm .gitignore sub/.gitignore",
    "other rules": "echo '*.o' > .gitignore; mv sub/.gitignore sub/rules",
}


@pytest.mark.parametrize("script", some([*REVEALING_SCRIPTS.values()]), ids=some([*REVEALING_SCRIPTS]))
@pytest.mark.parametrize("call", [("run", "--checkout"), ("snapshot", "--watch-command")])
def test_no_longer_ignored_files_are_not_new(repo: Sandbox, script: str, call: tuple[str, ...]) -> None:
    files = repo.files()
    answer = scalpel(repo.root, *call, "--json", "--", "sh", "-c", f"{script}; echo n > new.txt")
    assert not {*changed_paths(answer)} & {*IGNORED}
    assert any(".gitignore" in path for path in changed_paths(answer))
    assert any("git ignored" in words for words in answer.json["warnings"])
    require_untouched(repo)
    changed = repo.files()
    undo(repo)
    assert repo.files() == files
    scalpel(repo.root, "redo", "--json").data  # noqa: B018
    assert repo.files() == changed
    require_untouched(repo)


def test_ignore_rules_outside_the_working_tree(repo: Sandbox, tmp_path: Path) -> None:
    exclude, mine = repo.root / ".git/info/exclude", tmp_path / "mine"
    exclude.write_text("p.key\n")
    mine.write_text("q.key\n")
    repo.git("config", "core.excludesFile", str(mine))
    keys = {"p.key": b"p secret\n", "q.key": b"q secret\n"}
    repo.write(dict(keys))
    answer = watch_run(repo, f"echo > {exclude}; echo > {mine}; echo two > a.txt")
    assert changed_paths(answer) == ["a.txt"]
    undo(repo)
    assert {name: repo.files()[name] for name in keys} == keys
    assert not [name for name, content in keys.items() if is_stored(repo, content)]


def test_created_file_is_new_though_formerly_ignored(repo: Sandbox) -> None:
    script = "sed -i '/log/d' .gitignore; echo n > logs/new.log; echo m > other.log"
    answer = watch_run(repo, script)
    assert changed_paths(answer) == [".gitignore", "logs/new.log", "other.log"]
    undo(repo)
    require_untouched(repo)
    assert not (repo.root / "logs/new.log").exists()


def test_directory_of_ignored_files_is_known(repo: Sandbox) -> None:
    repo.write({"only/deep/x.log": b"1\n"})
    assert changed_paths(watch_run(repo, "echo n > only/deep/new.txt")) == ["only/deep/new.txt"]
    undo(repo)
    assert (repo.root / "only/deep/x.log").exists()
    assert not (repo.root / "only/deep/new.txt").exists()


def test_newly_ignored_file_is_not_deleted(repo: Sandbox) -> None:
    repo.write({"notes": b"mine\n", "gone": b"gone\n", "other": b"other\n"})
    answer = watch_run(repo, "printf 'notes\\ngone\\nother\\n' >> .gitignore; rm gone; echo changed > other")
    assert changed_paths(answer) == [".gitignore", "gone"]
    assert any("other has changed" in words for words in answer.json["warnings"])
    assert not any("notes" in words for words in answer.json["warnings"])
    undo(repo)
    files = repo.files()
    assert (files["notes"], files["gone"], files["other"]) == (b"mine\n", b"gone\n", b"changed\n")
    before = answer.data["before"]["id"]
    scalpel(repo.root, "restore", before, "other", "--json").data  # noqa: B018
    assert repo.files()["other"] == b"other\n"


@pytest.mark.parametrize("names", [(), (".gitignore", "sub", "build")], ids=["all", "some"])
def test_restore_keeps_files_not_in_the_snapshot(repo: Sandbox, names: tuple[str, ...]) -> None:
    repo.write({"a.txt": b"then\n"})
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    repo.write({".gitignore": b"", "sub/.gitignore": None, "a.txt": b"now\n", "late": b"l\n"})
    wild = repo.files()
    scalpel(repo.root, "restore", snapshot, *names[:2], "--json").data  # noqa: B018
    require_untouched(repo)
    files = repo.files()
    assert files[".gitignore"] == RULES
    assert (files["a.txt"], "late" in files) == ((b"now\n", True) if names else (b"then\n", False))
    undo(repo)
    assert repo.files() == wild
    error = scalpel(repo.root, "restore", snapshot, ".env", "--json").error
    assert error["code"] == "file_not_found"
    assert "ignored" in error["message"]


def test_restore_of_a_newly_ignored_file_is_undone(repo: Sandbox) -> None:
    repo.write({"settings": b"then\n"})
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    repo.write({".gitignore": RULES + b"settings\n", "settings": b"now\n"})
    scalpel(repo.root, "restore", snapshot, "--json").data  # noqa: B018
    assert repo.files()["settings"] == b"then\n"
    undo(repo)
    assert repo.files()["settings"] == b"now\n"


def test_unrecorded_changes_exclude_ignored_files(repo: Sandbox) -> None:
    with Repository(repo.root) as opened:
        opened.account("first")
    repo.write({".gitignore": b"", "sub/.gitignore": b"", "new.txt": b"n\n"})
    with Repository(repo.root) as opened:
        operation = opened.account("a tool")
        assert operation is not None
        assert sorted(change.path for change in operation.files) == [
            ".gitignore",
            "new.txt",
            "sub/.gitignore",
        ]
        assert opened.account("again") is None
        require_untouched(repo)
        (repo.root / "build/more").write_bytes(b"more\n")
        later = opened.account("later")
        assert later is not None
        assert [change.path for change in later.files] == ["build/more"]
        opened.undo()
        opened.undo()
    require_untouched(repo)
    assert repo.files()[".gitignore"] == RULES


def test_undo_all_since_keeps_ignored_files(repo: Sandbox) -> None:
    first = watch_run(repo, "sed -i '/env/d' .gitignore").data["tx"]
    watch_run(repo, "sed -i '/log/d' .gitignore; echo two > a.txt").data  # noqa: B018
    scalpel(repo.root, "undo", "--all-since", first, "--json").data  # noqa: B018
    assert repo.files()[".gitignore"] == RULES
    assert {path: repo.files()[path] for path in IGNORED} == IGNORED


def test_sparse_checkout_is_not_a_change(repo: Sandbox) -> None:
    repo.commit({"docs/d.txt": b"d\n", "src/s.txt": b"s\n"})
    full = scalpel(repo.root, "snapshot", "--json").data["id"]
    assert changed_paths(watch_run(repo, "git sparse-checkout set src; echo two > a.txt")) == ["a.txt"]
    assert "docs/d.txt" not in repo.files()
    sparse = scalpel(repo.root, "snapshot", "--json").data["id"]
    undo(repo)
    assert "docs/d.txt" not in repo.files()
    scalpel(repo.root, "restore", full, "--json").data  # noqa: B018
    assert "docs/d.txt" not in repo.files()
    script = "git sparse-checkout disable; echo n > docs/new.txt"
    assert changed_paths(watch_run(repo, script)) == ["docs/new.txt"]
    undo(repo)
    assert repo.files()["docs/d.txt"] == b"d\n"
    scalpel(repo.root, "restore", sparse, "--json").data  # noqa: B018
    assert repo.files()["docs/d.txt"] == b"d\n"
    assert repo.status() == " M a.txt"
    repo.git("sparse-checkout", "set", "src")
    scalpel(repo.root, "restore", full, "docs/d.txt", "--json").data  # noqa: B018
    assert repo.files()["docs/d.txt"] == b"d\n"  # named paths are restored


def test_ignore_rules_outside_the_sparse_checkout_apply(repo: Sandbox) -> None:
    repo.commit({"src/s.txt": b"s\n"})
    (repo.root / "sub/x.tmp").unlink()
    repo.git("rm", "-q", "--cached", *IGNORED)
    repo.git("commit", "-q", "-m", "ignored again")
    repo.git("sparse-checkout", "set", "src")
    assert not (repo.root / "sub").exists()
    repo.write({"sub/y.tmp": b"secret of sub\n"})
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    assert changed_paths(watch_run(repo, "echo n > sub/n.txt; echo m > sub/z.tmp")) == ["sub/n.txt"]
    scalpel(repo.root, "restore", snapshot, "--json").data  # noqa: B018
    assert repo.files()["sub/y.tmp"] == b"secret of sub\n"
    assert not is_stored(repo, b"secret of sub\n")


SPARSE_SCRIPTS = {
    "by a pattern": "git sparse-checkout set --no-cone /src/",
    "by hand": "git update-index --skip-worktree .gitignore; rm .gitignore",
    "by a split index": "git update-index --split-index; git update-index --skip-worktree .gitignore; "
    "git update-index --split-index; rm .gitignore",
    "a symlink in its place": "git update-index --skip-worktree .gitignore; ln -sf a.txt .gitignore",
    "without the setting": "git config core.sparseCheckout true; echo /src/ > .git/info/sparse-checkout; "
    "git read-tree -mu HEAD; git config core.sparseCheckout false",
}


@pytest.mark.parametrize("script", SPARSE_SCRIPTS.values(), ids=SPARSE_SCRIPTS)
def test_root_ignore_rules_from_the_index_apply(repo: Sandbox, script: str) -> None:
    repo.commit({"src/s.txt": b"s\n"})
    repo.git("rm", "-q", "--cached", *IGNORED)
    repo.git("commit", "-q", "-m", "ignored again")
    with Repository(repo.root) as opened:
        opened.account("first")
        subprocess.run(["sh", "-c", script], cwd=repo.root, check=True)
        repo.write({".env": b"SECRET=2\n", "src/b.log": b"b log\n"})
        snapshot = opened.snapshot()
        assert changed_paths(watch_run(repo, "echo n > new.txt; echo l > src/l.log")) == ["new.txt"]
        repo.write({"late.txt": b"late\n"})
        operation = opened.account("a tool")
        assert operation is not None
        assert [change.path for change in operation.files] == ["late.txt"]
        opened.restore(snapshot.id)
    files = repo.files()
    assert "new.txt" not in files
    assert (files[".env"], files["src/b.log"], files["src/l.log"]) == (b"SECRET=2\n", b"b log\n", b"l\n")
    assert not [content for content in (b"SECRET=2\n", b"b log\n", b"l\n") if is_stored(repo, content)]


HIDING_SCRIPTS = {
    "a rule": "echo token >> .gitignore",
    "a rule of the directory": "echo token >> sub/.gitignore",
    "a rule in info/exclude": "echo token > .git/info/exclude",
    "a file of rules": "echo token > .git/mine; git config core.excludesFile .git/mine",
    "a file of rules by its absolute path": "echo token > .git/m; git config core.excludesFile $PWD/.git/m",
    "no longer staged": "git rm -q --cached --ignore-unmatch token sub/token; echo token >> .gitignore",
}


@pytest.mark.parametrize("script", some([*HIDING_SCRIPTS.values()], 3), ids=some([*HIDING_SCRIPTS], 3))
@pytest.mark.parametrize("is_staged", [False, True])
def test_content_of_a_newly_ignored_file_is_not_stored(repo: Sandbox, script: str, is_staged: bool) -> None:
    repo.write({"sub/token": b"example\n"})
    if is_staged and "rm -q" in script:
        repo.git("add", "sub/token")
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    with Repository(repo.root) as opened:
        opened.account("first")
    subprocess.run(["sh", "-c", script], cwd=repo.root, check=True)
    repo.write({"sub/token": b"secret of now\n"})
    scalpel(repo.root, "snapshot", "--json").data  # noqa: B018
    assert changed_paths(watch_run(repo, "echo two > a.txt; echo secret of then > sub/token")) == ["a.txt"]
    with Repository(repo.root) as opened:
        opened.account("a tool")
    for content in (b"secret of now\n", b"secret of then\n"):
        assert not is_stored(repo, content)
    scalpel(repo.root, "restore", snapshot, "a.txt", "--json").data  # noqa: B018
    assert not is_stored(repo, b"secret of then\n")
    assert repo.files()["sub/token"] == b"secret of then\n"


def nest_repository(repo: Sandbox, name: str = "lib") -> Sandbox:
    nested = Sandbox.init(repo.root / name)
    nested.commit({"x.txt": b"theirs\n"})
    return nested


NESTED_CHANGES = {
    "removed": ("rm -rf lib", [], "has been removed"),
    "a file": ("rm -rf lib; echo f > lib", ["lib"], "is a file now"),
    "a link": ("rm -rf lib; ln -s a.txt lib", ["lib"], "is a file now"),
    "a directory": ("rm -rf lib; mkdir lib; echo f > lib/f", ["lib/f"], "is a folder"),
    "no repository": ("rm -rf lib/.git", [], "is a folder"),
    "moved": ("git -C lib commit -q --allow-empty -m next", [], "its commit has changed"),
}


@pytest.mark.parametrize("kind", some([*NESTED_CHANGES]))
@pytest.mark.parametrize("is_submodule", [False, True])
def test_removed_nested_repository_is_reported(repo: Sandbox, kind: str, is_submodule: bool) -> None:
    nest_repository(repo)
    if is_submodule:
        repo.git("add", "lib")
        repo.git("commit", "-q", "-m", "lib")
    script, paths, words = NESTED_CHANGES[kind]
    answer = watch_run(repo, script)
    if kind == "a directory":  # the content of the other repository is not known
        paths = changed_paths(answer)
        assert paths in ([], ["lib/f"])
    assert changed_paths(answer) == paths
    assert any("lib" in line and words in line for line in answer.json["warnings"]), answer.json["warnings"]
    changed = repo.files()
    if paths:
        undo(repo)
        assert not os.path.lexists(repo.root / "lib")
        scalpel(repo.root, "redo", "--json").data  # noqa: B018
    assert repo.files() == changed


def test_new_nested_repository_is_left_alone(repo: Sandbox) -> None:
    repo.write({"lib/mine": b"mine\n", "tool": b"a tool\n"})
    make = "git init -q lib; cd lib; git add .; git commit -qm i; cd ..; "
    answer = watch_run(repo, make + "rm tool; git init -q tool; git -C tool commit -q --allow-empty -m i")
    assert changed_paths(answer) == ["tool"]
    warnings = "\n".join(answer.json["warnings"])
    assert "tool has become a separate repository" in warnings
    assert scalpel(repo.root, "undo", "--json").error["code"] == "merge_conflict"
    assert (repo.root / "lib/mine").read_bytes() == b"mine\n"
    shutil.rmtree(repo.root / "tool")
    undo(repo)
    assert repo.files()["tool"] == b"a tool\n"


def test_restore_does_not_touch_nested_repositories(repo: Sandbox) -> None:
    repo.write({"mine/m": b"mine\n"})
    nest_repository(repo)
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    shutil.rmtree(repo.root / "lib/.git")
    nest_repository(repo, "late")
    Sandbox(repo.root).git("init", "-q", "mine")
    repo.git("-C", "mine", "add", ".")
    repo.git("-C", "mine", "commit", "-q", "-m", "i")
    files = repo.files()
    answer = scalpel(repo.root, "restore", snapshot, "--json")
    assert answer.data["state"] == "unchanged"
    assert repo.files() == files
    warnings = "\n".join(answer.json["warnings"])
    assert "late is a separate repository" in warnings
    assert "lib was a separate repository" in warnings


def test_unreadable_directories_are_unchanged(repo: Sandbox) -> None:
    repo.write({"shut/s.txt": b"s\n", "mode/m.txt": b"m\n", "file.txt": b"f\n"})
    run = ("git", "scalpel", "run", "--checkout", "--json", "--", "sh", "-c")
    (repo.root / "mode").chmod(0o000)
    operation = run_unprivileged(repo.root, *run, "chmod 000 shut file.txt; chmod 755 mode; echo two > a.txt")
    try:
        assert operation.returncode == 0, operation.stderr
        assert '"path":"a.txt"' in operation.stdout
        for name in ("s.txt", "m.txt", "file.txt"):
            assert f'"path":"{name}"' not in operation.stdout
            assert f'/{name}","change' not in operation.stdout
        undone = run_unprivileged(repo.root, "git", "scalpel", "undo")
        assert undone.returncode == 0, undone.stderr
    finally:
        for name in ("shut", "mode", "file.txt"):
            (repo.root / name).chmod(0o755)
    files = repo.files()
    assert (files["shut/s.txt"], files["mode/m.txt"], files["a.txt"]) == (b"s\n", b"m\n", b"one\n")
