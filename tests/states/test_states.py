"""The checkout as it is: in each state every verb works or is refused, and nothing else changes.

Half of the states, and the others the next day; all with ``HYPOTHESIS_PROFILE=long``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from tests.sandbox import Content, Sandbox
from tests.states.round import LINES, VERBS, is_refused, works
from tests.today import some

Make = Callable[[Sandbox], object]


class State(NamedTuple):
    """A state that a user's repository may be in.

    Attributes:
        make: brings a repository into it.
        refused: the code, of all verbs or of some.
        onto: the branch to name.
    """

    make: Make
    refused: str | Mapping[str, str] = {}
    onto: str | None = None


def git(*commands: str) -> Make:
    def make(repo: Sandbox) -> None:
        for command in commands:
            repo.git(*command.split())

    return make


def after(files: Mapping[str, Content], *commands: str) -> Make:
    def make(repo: Sandbox) -> None:
        repo.write(files)
        git(*commands)(repo)

    return make


def half_staged(repo: Sandbox) -> None:
    repo.write({"b.py": b"b = 2\n"})
    repo.git("add", "b.py")
    repo.write({"b.py": b"b = 2\nmore = 1\n"})


def conflicting(*commands: str) -> Make:
    """Branches that clash in a file beside, and commands of which the last stops in the middle."""

    def make(repo: Sandbox) -> None:
        repo.git("switch", "-q", "-c", "side", "HEAD~1")
        repo.commit({"b.py": b"b = 'side'\n"}, "side")
        repo.git("switch", "-q", "main")
        repo.commit({"b.py": b"b = 'main'\n"}, "main")
        for command in commands:
            repo.git(*command.split(), check=False)

    return make


def mailed(repo: Sandbox) -> None:
    conflicting()(repo)
    repo.git("format-patch", "-q", "-1", "side", "-o", "../mail")
    repo.git("am", "-q", "-3", *map(str, (repo.root.parent / "mail").iterdir()), check=False)


def unmerged(repo: Sandbox) -> None:
    """Without anything under way: as after ``git stash pop`` or ``git checkout -m``."""
    oid = repo.git("hash-object", "-w", "b.py")
    rows = "".join(f"100644 {oid} {stage}\tb.py\n" for stage in (1, 2, 3))
    repo.git("update-index", "--index-info", stdin=f"0 {'0' * 40}\tb.py\n{rows}")


def with_submodule(repo: Sandbox) -> None:
    library = Sandbox.init(repo.root.parent / "library")
    library.commit({"lib.py": b"lib = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.root), "lib")


def dirty_submodule(repo: Sandbox) -> None:
    with_submodule(repo)
    (repo.root / "lib/lib.py").write_bytes(b"lib = 2\n")
    (repo.root / "lib/more.py").write_bytes(b"more = 1\n")


def worktree_gone(repo: Sandbox) -> None:
    repo.git("worktree", "add", "-q", "-b", "gone", "../gone")
    (repo.root.parent / "gone").rename(repo.root.parent / "taken-away")


def head_is_a_symlink(repo: Sandbox) -> None:
    repo.git("config", "core.preferSymlinkRefs", "true")
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    assert (repo.root / ".git/HEAD").is_symlink()


def work_tree_elsewhere(repo: Sandbox) -> None:
    """``core.worktree`` leads back here from a git directory that lies somewhere else."""
    elsewhere = repo.root.parent / "elsewhere.git"
    (repo.root / ".git").rename(elsewhere)
    (repo.root / ".git").write_text(f"gitdir: {elsewhere}\n")
    repo.git("config", "core.worktree", str(repo.root))


def hard_linked(repo: Sandbox) -> None:
    os.link(repo.root / "a.py", repo.root.parent / "a.py")


def linked_beside(repo: Sandbox) -> None:
    repo.write({"beside": (SYMLINK, b"sub")})


def no_symlinks(repo: Sandbox) -> None:
    repo.git("config", "core.symlinks", "false")
    (repo.root / "link").unlink()
    (repo.root / "link").write_bytes(b"b.py")


def no_modes(repo: Sandbox) -> None:
    repo.git("config", "core.fileMode", "false")
    for name in ("a.py", "run.sh"):
        (repo.root / name).chmod(0o744 if name == "a.py" else 0o644)


def private(repo: Sandbox) -> None:
    for name in ("a.py", "b.py"):
        (repo.root / name).chmod(0o600)


def attributed(repo: Sandbox) -> None:
    try:
        os.setxattr(repo.root / "a.py", "user.mine", b"1")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")


def long_names(repo: Sandbox) -> None:
    repo.write({"x" * 255: b"long\n", "/".join(["y" * 200] * 10): b"deep\n"})
    repo.git("add", "x" * 255)


def large_file(repo: Sandbox) -> None:
    with (repo.root / "large").open("wb") as file:
        file.truncate(64 << 20)


def submodule_beside(repo: Sandbox) -> None:
    """A repository that git has not been told of."""
    nested = Sandbox.init(repo.root / "sub/nested")
    nested.commit({"n": b"n\n"})


WAIT = dict.fromkeys(("redo", "undo", "edit", "land", "run"), "operation_in_progress")
CHECKOUT = {
    "as it was": State(git()),
    "dirty beside it": State(after({"b.py": b"b = 2\n", "sub/c.py": None})),
    "dirty in the same file": State(
        after({"a.py": LINES.replace(b"line 2\n", b"line 2, landed\n") + b"mine\n"})
    ),
    "dirty in the same lines": State(
        after({"a.py": b"all mine\n"}),
        {"redo": "dirty_overlap", "undo": "", "edit": "dirty_overlap"},
    ),
    "staged beside it": State(after({"b.py": b"b = 2\n", "added": b"a\n"}, "rm -q run.sh", "add b.py added")),
    "staged": State(
        after({"a.py": b"mine\n"}, "add a.py"),
        dict.fromkeys(("redo", "edit"), "dirty_overlap") | {"undo": ""},
    ),
    "half staged beside it": State(half_staged),
    "untracked": State(after({"untracked": b"u\n", "sub/new/u": b"u\n"})),
    "untracked in the way": State(after({"sub/new": b"u\n"}), {"land": "dirty_overlap"}),
    "ignored in the way": State(
        after({".gitignore": b"sub/new\n", "sub/new": b"u\n"}), {"land": "dirty_overlap"}
    ),
    "intent to add": State(after({"new": b"n\n"}, "add -N new")),
    "skip-worktree beside it": State(git("update-index --skip-worktree b.py")),
    "assume-unchanged": State(git("update-index --assume-unchanged a.py b.py")),
    "sparse, cone": State(git("sparse-checkout set --cone sub/deep")),
    "sparse, no cone": State(git("sparse-checkout set --no-cone /a.py /sub/deep/")),
    "sparse index": State(git("sparse-checkout set --cone --sparse-index sub/deep")),
    "split index": State(git("update-index --split-index")),
    "untracked cache": State(git("update-index --force-untracked-cache", "status -s")),
    "index version 4": State(git("update-index --index-version=4")),
    "file system monitor": State(git("config core.fsmonitor /nowhere/monitor")),
    "submodule": State(with_submodule),
    "submodule, dirty": State(dirty_submodule),
    "another repository inside": State(submodule_beside),
    "several worktrees": State(git("worktree add -q -b side ../side", "worktree add -q --detach ../third")),
    "a worktree is gone": State(worktree_gone),
    "a locked worktree": State(git("worktree add -q -b side ../side", "worktree lock ../side")),
    "detached": State(git("checkout -q --detach"), "invalid_args"),
    "detached, onto": State(git("checkout -q --detach"), {"adopt": "invalid_args"}, "main"),
    "elsewhere": State(
        git("switch -q -c side", "worktree add -q ../there main"),
        {
            "adopt": "invalid_args",
            **dict.fromkeys(("redo", "edit", "land", "run"), "branch_in_use"),
            "undo": "",
        },
        "main",
    ),
    "head is a symlink": State(head_is_a_symlink),
    "symbolic branch": State(
        git("symbolic-ref refs/heads/alias refs/heads/main", "symbolic-ref HEAD refs/heads/alias")
    ),
    "packed refs only": State(git("pack-refs --all --prune")),
    "names that differ in case": State(after({"B.py": b"B = 1\n", "SUB/C.py": b"C = 1\n"}, "add B.py SUB")),
    "work tree elsewhere": State(work_tree_elsewhere),
    "no modes": State(no_modes),
    "no symlinks": State(no_symlinks),
    "private": State(private),
    "hard-linked": State(hard_linked),
    "file replaced by a folder": State(after({"b.py": None, "b.py/mine": b"m\n"})),
    "extended attributes": State(attributed),
    "long names": State(long_names),
    "large file": State(large_file),
    "symlink beside it": State(linked_beside),
}
UNDER_WAY = {
    "merge": State(conflicting("merge -q side"), "operation_in_progress"),
    "cherry-pick": State(conflicting("cherry-pick side"), "operation_in_progress"),
    "cherry-pick of several": State(conflicting("cherry-pick main~2..main~1 side"), "operation_in_progress"),
    "revert": State(conflicting("revert --no-edit side"), "operation_in_progress"),
    "rebase": State(conflicting("rebase -q side"), {"adopt": "invalid_args"} | WAIT, "main"),
    "rebase, interactive": State(
        conflicting(
            "-c sequence.editor=false rebase -q -i side", "-c sequence.editor=true rebase -q -i side"
        ),
        {"adopt": "invalid_args"} | WAIT,
        "main",
    ),
    "am": State(mailed, "operation_in_progress"),
    "bisect": State(conflicting("bisect start HEAD HEAD~2"), {"adopt": "invalid_args"} | WAIT, "main"),
    "bisect in another worktree": State(
        git("switch -q -c side", "worktree add -q ../there main", "-C ../there bisect start HEAD HEAD~2"),
        {"adopt": "invalid_args"} | dict.fromkeys(WAIT, "branch_in_use"),
        "main",
    ),
    "unmerged": State(unmerged, {}),
}

STATES = CHECKOUT | UNDER_WAY
TODAY = dict(some([*STATES.items()]))


@pytest.mark.parametrize("state", TODAY.values(), ids=TODAY)
def test_a_checkout(fresh: Sandbox, state: State) -> None:
    repo = fresh
    state.make(repo)
    for name, verb in VERBS.items():
        code = state.refused if isinstance(state.refused, str) else state.refused.get(name, None)
        if code is None:
            works(repo, verb, state.onto)
        elif code:
            is_refused(repo, verb, state.onto, code)
    repo.git("fsck", "--no-dangling")
