"""A landing updates the checkout of its branch: files before, files after."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Entry, Oid
from tests.sandbox import Content, Sandbox

pytestmark = pytest.mark.usefixtures("each_store")

BASE: dict[str, Content] = {
    "a.py": b"one\ntwo\nthree\n",
    "sub/b.py": b"b\n",
    "run.sh": (EXECUTABLE, b"run\n"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", BASE)


CLEAN: dict[str, tuple[dict[str, Content], dict[str, bytes | str | None]]] = {
    "changed": ({"a.py": b"ONE\n"}, {"a.py": b"ONE\n"}),
    "added in a new directory": ({"x/y/z.py": b"z\n"}, {"x/y/z.py": b"z\n"}),
    "emptied directory is removed": ({"sub/b.py": None}, {"sub/b.py": None}),
    "made executable": ({"a.py": (EXECUTABLE, b"one\n")}, {"a.py": None, "a.py*": b"one\n"}),
    "no longer executable": ({"run.sh": b"run\n"}, {"run.sh*": None, "run.sh": b"run\n"}),
    "symlink": ({"link": (SYMLINK, b"a.py")}, {"link": "a.py"}),
    "file becomes symlink": ({"a.py": (SYMLINK, b"sub")}, {"a.py": "sub"}),
    "file becomes directory": ({"a.py": None, "a.py/c": b"c\n"}, {"a.py": None, "a.py/c": b"c\n"}),
    "directory becomes file": ({"sub/b.py": None, "sub": b"s\n"}, {"sub/b.py": None, "sub": b"s\n"}),
    "name with spaces and quotes": ({'a "b"\tc.py': b"q\n"}, {'a "b"\tc.py': b"q\n"}),
    "pathspec magic in a name": ({":(top)*.py": b"q\n"}, {":(top)*.py": b"q\n"}),
    "not UTF-8": ({os.fsdecode(b"caf\xe9.py"): b"q\n"}, {os.fsdecode(b"caf\xe9.py"): b"q\n"}),
    "empty file": ({"empty": b""}, {"empty": b""}),
}


@pytest.mark.parametrize(("change", "after"), CLEAN.values(), ids=CLEAN)
def test_clean_checkout_is_updated_and_undo_restores_it(
    repo: Sandbox, change: dict[str, Content], after: dict[str, bytes | str | None]
) -> None:
    before = repo.files()
    old = repo.tip()
    landed = repo.land(change)
    expected = {**before, **after}
    assert repo.files() == {path: content for path, content in expected.items() if content is not None}
    assert repo.status() == ""
    assert repo.git("diff-files") == ""  # the index is up to date, so git reads no file again
    assert repo.tip() == landed.after
    repo.move(repo.undoing(landed))
    assert repo.files() == before
    assert repo.status() == ""
    assert repo.tip() == old
    repo.git("fsck", "--strict")


def test_emptied_directory_is_removed(repo: Sandbox) -> None:
    repo.land({"sub/b.py": None})
    assert not (repo.root / "sub").exists()


def test_dirty_file_outside_the_landing_is_kept(repo: Sandbox) -> None:
    repo.write({"sub/b.py": b"mine\n", "untracked": b"u\n"})
    repo.land({"a.py": b"ONE\n"})
    assert repo.files()["sub/b.py"] == b"mine\n"
    assert repo.status() == " M sub/b.py\n?? untracked"


def test_staged_file_outside_the_landing_stays_staged(repo: Sandbox) -> None:
    repo.write({"sub/b.py": b"staged\n", "new": b"n\n"})
    repo.git("add", "sub/b.py", "new")
    repo.write({"sub/b.py": b"on top\n"})
    repo.land({"a.py": b"ONE\n"})
    assert repo.status() == "A  new\nMM sub/b.py"
    assert repo.git("show", ":sub/b.py") == "staged"


def test_file_changed_in_the_second_of_its_add_stays_dirty(repo: Sandbox) -> None:
    """Size and time are unchanged, so only the time of the index tells git to read the file (racy git)."""
    file, index = repo.root / "sub/b.py", repo.root / ".git/index"
    repo.git("config", "core.trustctime", "false")
    file.write_bytes(b"staged\n")
    os.utime(file, (1700000000, 1700000000))
    repo.git("add", "sub/b.py")
    file.write_bytes(b"on top\n")
    for each in (file, index):
        os.utime(each, (1700000000, 1700000000))
    repo.land({"a.py": b"ONE\n"})
    assert repo.status() == "MM sub/b.py"


def test_dirty_file_in_the_landing_is_merged(repo: Sandbox) -> None:
    repo.write({"a.py": b"one\ntwo\nthree\nmine\n"})
    repo.commit({"a.py": b"1\n2\n3\n4\n5\n6\n7\n"})
    repo.write({"a.py": b"1\n2\n3\n4\n5\n6\n7 mine\n"})
    landed = repo.land({"a.py": b"1 theirs\n2\n3\n4\n5\n6\n7\n"})
    assert repo.files()["a.py"] == b"1 theirs\n2\n3\n4\n5\n6\n7 mine\n"
    assert repo.git("show", ":a.py") == "1 theirs\n2\n3\n4\n5\n6\n7"
    assert repo.status() == " M a.py"
    assert [(file.path, file.what) for file in landed.files] == [("a.py", "merged")]
    assert repo.git("show", "refs/scalpel/saved:before/a.py") == "1\n2\n3\n4\n5\n6\n7 mine"
    repo.move(repo.undoing(landed))
    assert repo.files()["a.py"] == b"1\n2\n3\n4\n5\n6\n7 mine\n"
    assert repo.status() == " M a.py"


def test_mode_changed_by_the_user_is_kept(repo: Sandbox) -> None:
    repo.write({"a.py": (EXECUTABLE, b"one\ntwo\nthree\n")})
    repo.land({"a.py": b"ONE\n"})
    assert repo.files()["a.py*"] == b"ONE\n"
    assert repo.git("ls-files", "-s", "a.py").startswith(REGULAR)


def test_same_change_on_disk_is_kept(repo: Sandbox) -> None:
    repo.write({"a.py": b"ONE\n", "new.py": b"n\n"})
    landed = repo.land({"a.py": b"ONE\n", "new.py": b"n\n"})
    assert {file.what for file in landed.files} == {"kept"}
    assert repo.status() == ""


def test_same_change_in_the_index_is_kept(repo: Sandbox) -> None:
    repo.write({"a.py": b"ONE\n"})
    repo.git("add", "a.py")
    repo.write({"a.py": b"ONE\nmore\n"})
    repo.land({"a.py": b"ONE\n"})
    assert repo.files()["a.py"] == b"ONE\nmore\n"
    assert repo.status() == " M a.py"


def test_file_deleted_by_user_and_landing_is_clean(repo: Sandbox) -> None:
    repo.write({"a.py": None})
    repo.land({"a.py": None})
    assert repo.status() == ""


def test_adopted_content_counts_as_clean(repo: Sandbox) -> None:
    repo.write({"a.py": b"adopted\n", "new.py": b"adopted too\n"})
    movement = repo.begin({"a.py": b"edited\n", "new.py": b"edited too\n"})
    disk = {path: Entry(REGULAR, Oid(repo.git("hash-object", path))) for path in ("a.py", "new.py")}
    repo.move(msgspec.structs.replace(movement, adopted=disk))
    assert repo.files()["new.py"] == b"edited too\n"
    assert repo.status() == ""


def test_empty_directory_is_replaced_by_a_file(repo: Sandbox) -> None:
    (repo.root / "x/y").mkdir(parents=True)
    repo.land({"x": b"x\n"})
    assert repo.files()["x"] == b"x\n"


def test_first_commit_lands_and_is_undone(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "new")
    repo.write({"untracked": b"u\n"})
    landed = repo.land({"a.py": b"a\n"})
    assert repo.status() == "?? untracked"
    assert repo.files() == {"a.py": b"a\n", "untracked": b"u\n"}
    repo.move(repo.undoing(landed))
    assert repo.files() == {"untracked": b"u\n"}
    assert repo.git("rev-parse", "-q", "--verify", "HEAD", check=False) == ""


@pytest.mark.parametrize(
    "attribute", ["* text eol=crlf", "*.py ident", "*.py working-tree-encoding=UTF-16LE"]
)
def test_attributes_apply_to_files_on_disk(repo: Sandbox, attribute: str) -> None:
    repo.commit({".gitattributes": attribute.encode() + b"\n"})
    repo.git("rm", "-q", "--cached", "-r", ".")
    repo.git("reset", "-q", "--hard")
    repo.land({"a.py": b"one\n$Id$\n"})
    landed = repo.files()["a.py"]
    assert landed != b"one\n$Id$\n"
    assert repo.status() == ""
    (repo.root / "a.py").unlink()
    repo.git("checkout", "a.py")
    assert landed == repo.files()["a.py"]


def test_dirty_file_is_merged_with_its_line_endings(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"* text eol=crlf\n", "a.py": b"1\n2\n3\n4\n5\n"})
    repo.write({"a.py": b"1\r\n2\r\n3\r\n4\r\n5 mine\r\n"})
    repo.land({"a.py": b"1 theirs\n2\n3\n4\n5\n"})
    assert repo.files()["a.py"] == b"1 theirs\r\n2\r\n3\r\n4\r\n5 mine\r\n"


def test_landed_attributes_apply_to_landed_files(repo: Sandbox) -> None:
    repo.land({".gitattributes": b"*.txt text eol=crlf\n", "x.txt": b"1\n2\n"})
    assert repo.files()["x.txt"] == b"1\r\n2\r\n"
    assert repo.status() == ""


def test_clean_and_smudge_filters_run(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    repo.git("config", "filter.shout.clean", "tr A-Z a-z")
    repo.git("config", "filter.shout.smudge", "tr a-z A-Z")
    repo.commit({".gitattributes": b"*.loud filter=shout\n", "x.loud": b"HELLO\n"})
    repo.land({"x.loud": b"good bye\n"})
    assert repo.files()["x.loud"] == b"GOOD BYE\n"
    assert repo.status() == ""


def test_autocrlf_applies_to_landed_files(repo: Sandbox) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.land({"a.py": b"1\n2\n"})
    assert repo.files()["a.py"] == b"1\r\n2\r\n"
    assert repo.status() == ""


def test_sparse_paths_are_not_written(repo: Sandbox) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/a.py")
    assert "sub/b.py" not in repo.files()
    landed = repo.land({"a.py": b"ONE\n", "sub/b.py": b"B\n"})
    assert {file.path: file.what for file in landed.files} == {"a.py": "written", "sub/b.py": "skipped"}
    assert "sub/b.py" not in repo.files()
    assert repo.status() == ""


@pytest.mark.parametrize("option", ["--index-version=4", "--split-index"])
def test_other_index_formats_are_updated(repo: Sandbox, option: str) -> None:
    repo.git("update-index", *option.split("="))
    repo.land({"a.py": b"ONE\n", "new/n.py": b"n\n"})
    assert repo.status() == ""


def test_assume_unchanged_flag_is_kept(repo: Sandbox) -> None:
    repo.git("update-index", "--assume-unchanged", "a.py")
    repo.land({"a.py": b"ONE\n"})
    assert repo.git("ls-files", "-v", "a.py") == "h a.py"


def test_many_files_land_at_once(repo: Sandbox) -> None:
    change: dict[str, Content] = {f"d{n % 7}/f{n}.py": b"%d\n" % n for n in range(150)}
    repo.land(change)
    assert repo.status() == ""
    assert repo.git("diff-files") == ""


def test_linked_worktree_is_updated(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Sandbox(tmp_path / "side")
    side.land({"a.py": b"SIDE\n"}, branch="side")
    assert side.files()["a.py"] == b"SIDE\n"
    assert side.status() == ""
    assert repo.files()["a.py"] == b"one\ntwo\nthree\n"
    assert side.git("reflog", "-1", "--format=%gs").startswith("scalpel: land ")


@pytest.mark.parametrize("head", ["another branch", "detached"])
def test_branch_not_checked_out_moves_without_files(repo: Sandbox, head: str) -> None:
    repo.git(*(("switch", "-q", "--detach") if head == "detached" else ("switch", "-q", "-c", "other")))
    before, index = repo.files(), repo.git("ls-files", "-s")
    landed = repo.land({"a.py": b"ONE\n"})
    assert (repo.files(), repo.git("ls-files", "-s")) == (before, index)
    assert repo.tip("main") == landed.after
    assert landed.files == ()


def test_bare_repository_branch_moves(repo: Sandbox, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    landed = bare.land({"a.py": b"ONE\n"})
    assert bare.git("show", "main:a.py") == "ONE"
    assert bare.tip("main") == landed.after


def test_sha256_repository_is_updated(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "sha256", "--object-format=sha256")
    repo.commit(BASE)
    repo.land({"a.py": b"ONE\n", "x/y.py": b"y\n"})
    assert repo.status() == ""
    assert repo.git("diff-files") == ""
    repo.git("fsck", "--strict")


def test_landing_is_logged_and_removes_the_transaction(repo: Sandbox) -> None:
    repo.move(repo.begin({"a.py": b"ONE\n"}, tx="abcd2345"))
    assert repo.git("reflog", "-1", "--format=%gs", "main") == "scalpel: land abcd2345"
    assert repo.git("reflog", "-1", "--format=%gs", "HEAD") == "scalpel: land abcd2345"
    assert repo.git("for-each-ref", "refs/scalpel/tx") == ""
    assert repo.git("log", "-1", "--format=%s", "refs/scalpel/ops") == "land abcd2345: abcd2345"


def test_foreign_git_variables_are_ignored(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git sets these variables in a hook."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    repo.land({"a.py": b"ONE\n"})
    monkeypatch.undo()
    assert subprocess.check_output(["git", "status", "-s"], cwd=repo.root) == b""
