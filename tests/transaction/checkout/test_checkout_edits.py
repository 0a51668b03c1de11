"""Edits of the checkout change files in place and move neither a branch nor the index."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.transaction.checkout.editing import TWO, edit, git_state, return_op, text_op


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit({"a.py": TWO, "b.txt": b"one\n"})
    return repo


def test_edit_changes_files_on_disk_uncommitted(repo: Sandbox) -> None:
    repo.write({"a.py": b"# mine\n" + TWO})
    data = edit(repo, return_op("a.py", "f", 10), text_op("b.txt", "one", "two")).data
    assert repo.files() == {"a.py": b"# mine\n" + TWO.replace(b"1", b"10"), "b.txt": b"two\n"}
    assert (data["state"], data["target"], data["landed"], data["head"]) == (
        "edited",
        "@checkout",
        None,
        None,
    )
    assert [row["path"] for row in data["files"]] == ["a.py", "b.txt"]
    assert "-    return 1\n+    return 10\n" in data["diff"]
    assert repo.status() == " M a.py\n M b.txt"


def test_changeset_is_atomic(repo: Sandbox) -> None:
    before = repo.files()
    assert edit(repo, return_op("a.py", "f", 10), text_op("b.txt", "three", "two")).error["op"] == 1
    assert repo.files() == before


@pytest.mark.parametrize(
    "prepare",
    [
        ("rm", "-q", "--cached", "a.py"),
        ("add", "-N", "new.py"),
        ("add", "new.py", "a.py"),
        ("checkout", "-q", "--detach"),
        ("checkout", "-q", "--orphan", "other"),
        ("bisect", "start"),
    ],
)
def test_edit_works_in_any_state_of_index_and_head(repo: Sandbox, prepare: tuple[str, ...]) -> None:
    repo.write({"new.py": TWO, "a.py": TWO + b"# more\n"})
    repo.git(*prepare)
    edit(repo, return_op("new.py", "g", 20), return_op("a.py", "g", 20)).data  # noqa: B018
    assert repo.files()["new.py"] == TWO.replace(b"2", b"20")
    assert repo.files()["a.py"] == TWO.replace(b"2", b"20") + b"# more\n"


def test_edit_before_the_first_commit(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "new")
    repo.write({"a.py": TWO})
    edit(repo, return_op("a.py", "f", 10), {"op": "write", "path": "sub/c.py", "content": "x = 1\n"})
    assert repo.files() == {"a.py": TWO.replace(b"1", b"10"), "sub/c.py": b"x = 1\n"}
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == {"a.py": TWO}


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
def test_edit_during_a_merge_rejects_conflicted_files(repo: Sandbox, command: str) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    repo.git(command, "side", check=False)
    conflicted = repo.files()["b.txt"]
    assert b"<<<<<<<" in bytes(conflicted)  # type: ignore[arg-type]
    edit(repo, return_op("a.py", "f", 10)).data  # noqa: B018
    assert repo.files()["a.py"] == TWO.replace(b"1", b"10")
    error = edit(repo, text_op("b.txt", "main", "both")).error
    assert (error["code"], repo.files()["b.txt"]) == ("conflicted", conflicted)
    repo.write({"b.txt": b"both\n"})  # resolved, but not added
    assert edit(repo, text_op("b.txt", "both", "all")).error["code"] == "conflicted"
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files()["a.py"] == TWO


def test_line_endings_and_filtered_content_are_kept(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"*.c text eol=crlf\n*.s filter=strip\n"})
    repo.git("config", "filter.strip.clean", "grep -v secret")
    repo.git("config", "filter.strip.smudge", "cat")
    mixed = b"int a;\r\nint b;\nint c;\r\n"
    repo.write({"m.c": mixed, "k.s": b"secret 1\nplain\n"})
    env = {"SCALPEL_TRUST": "1"}
    for path, old, new in (("m.c", "b", "bb"), ("k.s", "plain", "plainer")):
        assert scalpel(repo.root, "text", path, "--old", old, "--new", new, "--checkout", env=env).status == 0
    assert repo.files()["m.c"] == mixed.replace(b" b", b" bb")
    assert repo.files()["k.s"] == b"secret 1\nplainer\n"


def test_modes_and_symlinks_are_kept(repo: Sandbox) -> None:
    repo.write({"run.py": ("100755", b"x = 1\n"), "link.py": ("120000", b"a.py")})
    (repo.root / "private.py").write_bytes(b"x = 1\n")
    (repo.root / "private.py").chmod(0o600)
    ops = (text_op(path, "x = 1", "x = 2") for path in ("run.py", "private.py"))
    edit(repo, *ops, return_op("link.py", "f", 10)).data  # noqa: B018
    files = repo.files()
    assert (files["run.py*"], files["link.py"], files["a.py"]) == (
        b"x = 2\n",
        "a.py",
        TWO.replace(b"1", b"10"),
    )
    assert (repo.root / "private.py").stat().st_mode & 0o777 == 0o600


def test_files_are_moved_and_removed(repo: Sandbox) -> None:
    move_op = {"op": "move_file", "path": "a.py", "to": "sub/a.py"}
    edit(repo, move_op, {"op": "remove", "path": "b.txt"}).data  # noqa: B018
    assert repo.files() == {"sub/a.py": TWO}
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == {"a.py": TWO, "b.txt": b"one\n"}
    assert not (repo.root / "sub").exists()


def test_files_and_directories_replace_each_other(repo: Sandbox) -> None:
    repo.write({"sub/c.txt": b"c\n"})
    ops = [
        *({"op": "remove", "path": path} for path in ("sub/c.txt", "b.txt")),
        {"op": "write", "path": "sub", "content": "a file\n"},
        {"op": "write", "path": "b.txt/in", "content": "a folder\n"},
    ]
    edit(repo, *ops).data  # noqa: B018
    assert repo.files() == {"a.py": TWO, "sub": b"a file\n", "b.txt/in": b"a folder\n"}
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == {"a.py": TWO, "sub/c.txt": b"c\n", "b.txt": b"one\n"}


def test_ignored_file_is_not_edited(repo: Sandbox) -> None:
    repo.commit({".gitignore": b"*.env\n"})
    repo.write({"local.env": b"KEY=1\n"})
    assert edit(repo, text_op("local.env", "1", "2")).error["code"] == "path_denied"
    write = {"op": "write", "path": "other.env", "content": "KEY=1\n"}
    edit(repo, write).data  # noqa: B018 - nothing was there that anybody could have meant to keep
    assert edit(repo, {"op": "remove", "path": "other.env"}).error["code"] == "path_denied"
    assert repo.files()["local.env"] == b"KEY=1\n"
    repo.git("add", "-f", "local.env")
    edit(repo, text_op("local.env", "1", "2")).data  # noqa: B018


def test_existing_file_is_not_overwritten(repo: Sandbox) -> None:
    repo.commit({".gitignore": b"*.log\n"})
    repo.write({"x.log": b"long\n", "new.txt": b"mine\n"})
    for path in ("x.log", "new.txt"):
        assert edit(repo, {"op": "write", "path": path, "content": "x\n"}).error["code"] == "exists"
    assert edit(repo, {"op": "move_file", "path": "a.py", "to": "new.txt"}).error["code"] == "exists"


def test_nested_repository_and_pipe_are_rejected(repo: Sandbox) -> None:
    inner = Sandbox.init(repo.root / "inner")
    inner.commit({"a.py": TWO})
    assert edit(repo, return_op("inner/a.py", "f", 3)).error["code"] == "path_denied"
    os.mkfifo(repo.root / "pipe")
    assert edit(repo, text_op("pipe", "a", "b")).error["code"] == "not_a_file"
    assert edit(repo, text_op("gone.py", "a", "b")).error["code"] == "file_not_found"


def test_file_outside_the_sparse_checkout_is_reported(repo: Sandbox) -> None:
    repo.commit({"far/c.txt": b"c\n"})
    repo.git("sparse-checkout", "set", "--no-cone", "/*.py", "/*.txt")
    repo.commit({"c.txt": b"another\n"})
    for op in (text_op("far/c.txt", "c", "d"), {"op": "remove", "path": "far/c.txt"}):
        error = edit(repo, op).error
        assert (error["code"], "outside the sparse checkout" in error["message"]) == (
            "file_not_found",
            True,
        )
        assert "`git sparse-checkout add`" in error["hint"], "without a hint at the file of the same name"
    for call in (["show", "far/c.txt"], ["outline", "far"], ["rm", "far"]):
        errors = scalpel(repo.root, *call, "--checkout").err
        assert "outside the sparse checkout\nhint: `git sparse-checkout add`" in errors
    assert "sparse" not in scalpel(repo.root, "outline", "nowhere", "--checkout").err
    assert scalpel(repo.root, "text", "far/c.txt", "--old", "c", "--new", "d").status == 0, (
        "the branch has it"
    )
    write = {"op": "write", "path": "far/c.txt", "content": "new\n"}
    assert edit(repo, write).error["code"] == "exists"
    assert not (repo.root / "far").exists()


def test_static_gates_run_and_others_are_unchecked(repo: Sandbox) -> None:
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    rules = b'[[gates.command]]\nname = "tests"\nrun = "false"\n'
    rules += b'[[policy.require]]\nchange = ["*.py"]\nneeds = ["*.md"]\n'
    repo.git("config", "core.hooksPath", "/dev/null")
    repo.commit({".gitscalpel.toml": rules})
    repo.git("config", "--unset", "core.hooksPath")
    assert edit(repo, text_op("a.py", "return 1", "return (")).error["code"] == "syntax_error"
    data = edit(repo, return_op("a.py", "f", 10)).data
    assert [(row["name"], row["status"]) for row in data["gates"]][:2] == [
        ("syntax", "passed"),
        ("structure", "passed"),
    ]
    unchecked = "\n".join(data["unchecked"])
    assert all(word in unchecked for word in ("pre-commit", "tests", "policy.require"))


def test_committed_policy_applies(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b'[policy]\ndeny = ["b.txt"]\n'})
    repo.write({".gitscalpel.toml": b""})
    assert edit(repo, text_op("b.txt", "one", "two")).error["code"] == "policy_denied"


def test_repeated_request_is_applied_once(repo: Sandbox) -> None:
    op = text_op("b.txt", "one", "one one")
    first = edit(repo, op, request_id="r1").data
    again = edit(repo, op, request_id="r1").data
    assert repo.files()["b.txt"] == b"one one\n"
    assert {**again, "unchecked": []} == {**first, "unchecked": []}
    assert edit(repo, text_op("b.txt", "one", "x"), request_id="r1").error["code"] == "invalid_args"
    request = '{"ops": [{"op": "text", "path": "b.txt", "old": "one", "new": "one one"}], "request_id": "r1"}'
    assert scalpel(repo.root, "apply", "--json", stdin=request).error["code"] == "invalid_args"
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert edit(repo, op, request_id="r1").data["state"] == "undone"


def test_scalpel_land_setting_selects_the_checkout(repo: Sandbox) -> None:
    repo.git("config", "scalpel.land", "checkout")
    repo.write({"a.py": b"# mine\n" + TWO})
    before = git_state(repo)
    assert scalpel(repo.root, "show", "a.py:1", "--json").data["content"] == "# mine\n"
    assert scalpel(repo.root, "text", "a.py", "--old", "mine", "--new", "ours").status == 0
    assert git_state(repo) == before
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "1", "--onto", "main").status == 0
    assert git_state(repo) != before
    staged = scalpel(repo.root, "text", "b.txt", "--old", "1", "--new", "2", "--no-land", "--json").data
    tx = staged["tx"]
    assert staged["target"] == "main"
    assert (
        scalpel(repo.root, "text", "b.txt", "--old", "2", "--new", "3", "--tx", tx, "--json").data["tx"] == tx
    )
    repo.git("config", "scalpel.land", "chekout")
    assert scalpel(repo.root, "show", "a.py:1", "--json").error["code"] == "config_error"


@pytest.mark.parametrize("more", [["--onto", "main"], ["--no-land"], ["--tx", "abcd"]])
def test_checkout_option_excludes_other_targets(repo: Sandbox, more: list[str]) -> None:
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", *more, "--json")
    assert scalpel(repo.root, *call).error["code"] == "invalid_args"
    assert repo.status() == ""


def test_changeset_names_its_target(repo: Sandbox) -> None:
    repo.git("branch", "side")
    request = '{"ops": [{"op": "text", "path": "b.txt", "old": "one", "new": "two"}], "onto": "side"}'
    assert scalpel(repo.root, "apply", "--json", stdin=request).data["target"] == "side"
    assert repo.git("show", "side:b.txt") == "two"
    request = '{"ops": [{"op": "text", "path": "b.txt", "old": "one", "new": "1"}], "onto": "@checkout"}'
    error = scalpel(repo.root, "apply", "--onto", "main", "--json", stdin=request).error
    assert error["code"] == "invalid_args"
    for verb in ("begin", "land", "queue"):
        call = (verb, "--onto", "@checkout", "--json")
        assert scalpel(repo.root, *call).error["code"] == "invalid_args"


def test_checkout_option_is_rejected_in_a_worktree(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "begin", "--worktree", "--json").data
    worktree = Path(tx["worktree"])
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", "--json")
    assert scalpel(worktree, *call).error["code"] == "invalid_args"


def test_read_commands_see_the_checkout(repo: Sandbox) -> None:
    repo.write({"sub/new.py": b"class Late:\n    pass\n"})
    (match,) = scalpel(repo.root, "find", "class", "--checkout", "--json").data["matches"]
    assert match["path"] == "sub/new.py"
    (outline,) = scalpel(repo.root, "outline", "sub", "--checkout", "--json").data
    assert outline["symbols"][0]["name"] == "Late"
    shown = scalpel(repo.root, "show", "sub/new.py::Late", "--checkout", "--json").data
    call = ("replace", "sub/new.py::Late", "--code", "class Late: ...", "--checkout", "--base", shown["blob"])
    repo.write({"sub/new.py": b"import os\n\n\nclass Late:\n    pass\n"})
    assert scalpel(repo.root, *call, "--json").error["code"] == "stale"
    assert scalpel(repo.root, *call[:-2], "--expect", shown["hash"], "--json").status == 0
    assert repo.files()["sub/new.py"] == b"import os\n\n\nclass Late: ...\n"


def test_dry_run_writes_nothing(repo: Sandbox) -> None:
    before = repo.state()
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", "--dry-run", "--json")
    data = scalpel(repo.root, *call).data
    assert (data["tx"], data["target"], repo.state()) == (None, "@checkout", before)
    assert "+1\n" in data["diff"]


def test_dry_run_rejects_an_ignored_file(repo: Sandbox) -> None:
    repo.commit({".gitignore": b"*.env\n"})
    repo.write({"local.env": b"KEY=1\n"})
    call = ("text", "local.env", "--old", "1", "--new", "2", "--checkout", "--dry-run", "--json")
    assert scalpel(repo.root, *call).error["code"] == "path_denied"


def test_request_id_of_another_worktree_is_rejected(repo: Sandbox, tmp_path: Path) -> None:
    edit(repo, text_op("b.txt", "one", "two"), request_id="r1").data  # noqa: B018
    repo.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = Sandbox(tmp_path / "other")
    assert edit(other, text_op("b.txt", "one", "two"), request_id="r1").error["code"] == "invalid_args"


def test_unsupported_encoding_is_rejected(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"*.l1 text working-tree-encoding=ISO-8859-1\n"})
    repo.write({"a.l1": b"one\nabc\n"})
    assert edit(repo, text_op("a.l1", "abc", "\u00e9")).error["code"] == "unencodable"
    assert repo.files()["a.l1"] == b"one\nabc\n"
