"""In each state of a checkout, every command works or fails, and nothing else changes.

Half of the states run each day, all with ``HYPOTHESIS_PROFILE=long``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from tests.sandbox import Content, Sandbox
from tests.states.branch_commands import COMMANDS, LINES, check_fails, check_works
from tests.today import some

Make = Callable[[Sandbox], object]


class State(NamedTuple):
    """A state of a user's repository.

    Attributes:
        make: brings a repository into the state.
        refused: the error code of all commands, or of some.
        onto: the branch to name.
    """

    make: Make
    refused: str | Mapping[str, str] = {}
    onto: str | None = None


def git(*commands: str) -> Make:
    def make(repo: Sandbox) -> None:
        for git_command in commands:
            repo.git(*git_command.split())

    return make


def write_then(files: Mapping[str, Content], *commands: str) -> Make:
    def make(repo: Sandbox) -> None:
        repo.write(files)
        git(*commands)(repo)

    return make


def half_stage(repo: Sandbox) -> None:
    repo.write({"b.py": b"b = 2\n"})
    repo.git("add", "b.py")
    repo.write({"b.py": b"b = 2\nmore = 1\n"})


def make_conflict(*commands: str) -> Make:
    """Return a function that makes branches which conflict in b.py, and runs commands."""

    def make(repo: Sandbox) -> None:
        repo.git("switch", "-q", "-c", "side", "HEAD~1")
        repo.commit({"b.py": b"b = 'side'\n"}, "side")
        repo.git("switch", "-q", "main")
        repo.commit({"b.py": b"b = 'main'\n"}, "main")
        for git_command in commands:
            repo.git(*git_command.split(), check=False)

    return make


def start_am(repo: Sandbox) -> None:
    make_conflict()(repo)
    repo.git("format-patch", "-q", "-1", "side", "-o", "../mail")
    repo.git("am", "-q", "-3", *map(str, (repo.root.parent / "mail").iterdir()), check=False)


def make_unmerged(repo: Sandbox) -> None:
    """Leave the index unmerged without an operation in progress, as after ``git stash pop``."""
    oid = repo.git("hash-object", "-w", "b.py")
    rows = "".join(f"100644 {oid} {stage}\tb.py\n" for stage in (1, 2, 3))
    repo.git("update-index", "--index-info", stdin=f"0 {'0' * 40}\tb.py\n{rows}")


def add_submodule(repo: Sandbox) -> None:
    library = Sandbox.init(repo.root.parent / "library")
    library.commit({"lib.py": b"lib = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.root), "lib")


def add_dirty_submodule(repo: Sandbox) -> None:
    add_submodule(repo)
    (repo.root / "lib/lib.py").write_bytes(b"lib = 2\n")
    (repo.root / "lib/more.py").write_bytes(b"more = 1\n")


def lose_worktree(repo: Sandbox) -> None:
    repo.git("worktree", "add", "-q", "-b", "gone", "../gone")
    (repo.root.parent / "gone").rename(repo.root.parent / "taken-away")


def make_head_a_symlink(repo: Sandbox) -> None:
    repo.git("config", "core.preferSymlinkRefs", "true")
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    assert (repo.root / ".git/HEAD").is_symlink()


def move_git_dir(repo: Sandbox) -> None:
    """Move the git directory, and set ``core.worktree`` to the old working tree."""
    elsewhere = repo.root.parent / "elsewhere.git"
    (repo.root / ".git").rename(elsewhere)
    (repo.root / ".git").write_text(f"gitdir: {elsewhere}\n")
    repo.git("config", "core.worktree", str(repo.root))


def add_hard_link(repo: Sandbox) -> None:
    os.link(repo.root / "a.py", repo.root.parent / "a.py")


def add_symlink(repo: Sandbox) -> None:
    repo.write({"beside": (SYMLINK, b"sub")})


def disable_symlinks(repo: Sandbox) -> None:
    repo.git("config", "core.symlinks", "false")
    (repo.root / "link").unlink()
    (repo.root / "link").write_bytes(b"b.py")


def disable_modes(repo: Sandbox) -> None:
    repo.git("config", "core.fileMode", "false")
    for name in ("a.py", "run.sh"):
        (repo.root / name).chmod(0o744 if name == "a.py" else 0o644)


def make_private(repo: Sandbox) -> None:
    for name in ("a.py", "b.py"):
        (repo.root / name).chmod(0o600)


def set_xattr(repo: Sandbox) -> None:
    try:
        os.setxattr(repo.root / "a.py", "user.mine", b"1")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")


def add_long_names(repo: Sandbox) -> None:
    repo.write({"x" * 255: b"long\n", "/".join(["y" * 200] * 10): b"deep\n"})
    repo.git("add", "x" * 255)


def add_large_file(repo: Sandbox) -> None:
    with (repo.root / "large").open("wb") as file:
        file.truncate(64 << 20)


def nest_repository(repo: Sandbox) -> None:
    """Create a nested repository that git does not track."""
    nested = Sandbox.init(repo.root / "sub/nested")
    nested.commit({"n": b"n\n"})


BLOCKED_COMMANDS = dict.fromkeys(("redo", "undo", "edit", "land", "run"), "operation_in_progress")
CHECKOUT_STATES = {
    "as it was": State(git()),
    "dirty other file": State(write_then({"b.py": b"b = 2\n", "sub/c.py": None})),
    "dirty in the same file": State(
        write_then({"a.py": LINES.replace(b"line 2\n", b"line 2, landed\n") + b"mine\n"})
    ),
    "dirty in the same lines": State(
        write_then({"a.py": b"all mine\n"}),
        {"redo": "dirty_overlap", "undo": "", "edit": "dirty_overlap"},
    ),
    "staged other file": State(
        write_then({"b.py": b"b = 2\n", "added": b"a\n"}, "rm -q run.sh", "add b.py added")
    ),
    "staged": State(
        write_then({"a.py": b"mine\n"}, "add a.py"),
        dict.fromkeys(("redo", "edit"), "dirty_overlap") | {"undo": ""},
    ),
    "half staged other file": State(half_stage),
    "untracked": State(write_then({"untracked": b"u\n", "sub/new/u": b"u\n"})),
    "untracked in the way": State(write_then({"sub/new": b"u\n"}), {"land": "dirty_overlap"}),
    "ignored in the way": State(
        write_then({".gitignore": b"sub/new\n", "sub/new": b"u\n"}), {"land": "dirty_overlap"}
    ),
    "intent to add": State(write_then({"new": b"n\n"}, "add -N new")),
    "skip-worktree other file": State(git("update-index --skip-worktree b.py")),
    "assume-unchanged": State(git("update-index --assume-unchanged a.py b.py")),
    "sparse, cone": State(git("sparse-checkout set --cone sub/deep")),
    "sparse, no cone": State(git("sparse-checkout set --no-cone /a.py /sub/deep/")),
    "sparse index": State(git("sparse-checkout set --cone --sparse-index sub/deep")),
    "split index": State(git("update-index --split-index")),
    "untracked cache": State(git("update-index --force-untracked-cache", "status -s")),
    "index version 4": State(git("update-index --index-version=4")),
    "file system monitor": State(git("config core.fsmonitor /nowhere/monitor")),
    "submodule": State(add_submodule),
    "submodule, dirty": State(add_dirty_submodule),
    "nested repository": State(nest_repository),
    "several worktrees": State(git("worktree add -q -b side ../side", "worktree add -q --detach ../third")),
    "missing worktree": State(lose_worktree),
    "a locked worktree": State(git("worktree add -q -b side ../side", "worktree lock ../side")),
    "detached": State(git("checkout -q --detach"), "invalid_args"),
    "detached, onto": State(git("checkout -q --detach"), {"adopt": "invalid_args"}, "main"),
    "in another worktree": State(
        git("switch -q -c side", "worktree add -q ../there main"),
        {
            "adopt": "invalid_args",
            **dict.fromkeys(("redo", "edit", "land", "run"), "branch_in_use"),
            "undo": "",
        },
        "main",
    ),
    "head is a symlink": State(make_head_a_symlink),
    "symbolic branch": State(
        git("symbolic-ref refs/heads/alias refs/heads/main", "symbolic-ref HEAD refs/heads/alias")
    ),
    "packed refs only": State(git("pack-refs --all --prune")),
    "names that differ in case": State(
        write_then({"B.py": b"B = 1\n", "SUB/C.py": b"C = 1\n"}, "add B.py SUB")
    ),
    "work tree elsewhere": State(move_git_dir),
    "no modes": State(disable_modes),
    "no symlinks": State(disable_symlinks),
    "private": State(make_private),
    "hard-linked": State(add_hard_link),
    "file replaced by a directory": State(write_then({"b.py": None, "b.py/mine": b"m\n"})),
    "extended attributes": State(set_xattr),
    "long names": State(add_long_names),
    "large file": State(add_large_file),
    "symlink next to it": State(add_symlink),
}
IN_PROGRESS = {
    "merge": State(make_conflict("merge -q side"), "operation_in_progress"),
    "cherry-pick": State(make_conflict("cherry-pick side"), "operation_in_progress"),
    "cherry-pick of several": State(
        make_conflict("cherry-pick main~2..main~1 side"), "operation_in_progress"
    ),
    "revert": State(make_conflict("revert --no-edit side"), "operation_in_progress"),
    "rebase": State(make_conflict("rebase -q side"), {"adopt": "invalid_args"} | BLOCKED_COMMANDS, "main"),
    "rebase, interactive": State(
        make_conflict(
            "-c sequence.editor=false rebase -q -i side", "-c sequence.editor=true rebase -q -i side"
        ),
        {"adopt": "invalid_args"} | BLOCKED_COMMANDS,
        "main",
    ),
    "am": State(start_am, "operation_in_progress"),
    "bisect": State(
        make_conflict("bisect start HEAD HEAD~2"), {"adopt": "invalid_args"} | BLOCKED_COMMANDS, "main"
    ),
    "bisect in another worktree": State(
        git("switch -q -c side", "worktree add -q ../there main", "-C ../there bisect start HEAD HEAD~2"),
        {"adopt": "invalid_args"} | dict.fromkeys(BLOCKED_COMMANDS, "branch_in_use"),
        "main",
    ),
    "unmerged": State(make_unmerged, {}),
}

STATES = CHECKOUT_STATES | IN_PROGRESS
TODAY = dict(some([*STATES.items()]))


@pytest.mark.parametrize("state", TODAY.values(), ids=TODAY)
def test_every_command_works_or_fails_in_each_state(fresh: Sandbox, state: State) -> None:
    repo = fresh
    state.make(repo)
    for name, command in COMMANDS.items():
        code = state.refused if isinstance(state.refused, str) else state.refused.get(name, None)
        if code is None:
            check_works(repo, command, state.onto)
        elif code:
            check_fails(repo, command, state.onto, code)
    repo.git("fsck", "--no-dangling")
