"""The commands that are struck, each in a repository made for it; and plain git, for comparison."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

from gitscalpel.changesets.file_tree import EXECUTABLE, SYMLINK
from tests.sandbox import Content, Sandbox

Words = list[str]

BASE: dict[str, Content] = {
    "a.py": b"def one():\n    return 1\n\n\ndef two():\n    return 2\n",
    "dirty.txt": b"1\n2\n3\n4\n5\n6\n",
    "gone/x.py": b"x = 0\n",
    "run.sh": b"echo run\n",
    "file": b"f\n",
    "folder/in": b"i\n",
    "next.py": b"x = 1\n",
}
CHANGE: dict[str, Content] = {
    "a.py": b"def one():\n    return 11\n\n\ndef two():\n    return 2\n",
    "dirty.txt": b"1 theirs\n2\n3\n4\n5\n6\n",
    "gone/x.py": None,
    "run.sh": (EXECUTABLE, b"echo run\n"),
    "new/y.py": b"y = 1\n",
    "link": (SYMLINK, b"a.py"),
    "file": None,
    "file/in": b"now a folder\n",
    "folder/in": None,
    "folder": b"now a file\n",
}
REMOTE = "remote.git"
"""The folder beside the checkout in which the repository is that a push goes to."""
DIRTY: dict[str, Content] = {"dirty.txt": b"1\n2\n3\n4\n5\n6 mine\n", "untracked": b"u\n"}


def tool(*words: str) -> Words:
    """A command line of the tool; it answers in JSON."""
    own = words[: words.index("--")] if "--" in words else words
    return [sys.executable, "-m", "gitscalpel", *own, "--json", *words[len(own) :]]


NEXT = tool("text", "next.py", "--old", "x = 1", "--new", "x = 2", "-m", "next")
"""A small edit of another file: the next command, whatever the one before was."""


class Scenario(NamedTuple):
    """A command, and how the repository for it is made.

    Attributes:
        name: of the row in the table.
        make: brings a repository, in which BASE is committed, to where the command starts; the command.
        done: what the same command says when it is run again and there is nothing left to do.
        refusals: what it may say, beside what everything says, where a call fails: that of its own command.
        parts: what it does has parts, each of which may be there alone until the command is run again.
    """

    name: str
    make: Callable[[Sandbox], Words]
    done: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    parts: bool = False


def _tell(repo: Sandbox, *words: str) -> str:
    """Run the tool; the id of the transaction that it answers with."""
    done = subprocess.run(tool(*words), cwd=repo.root, capture_output=True, check=False)
    answer = json.loads(done.stdout)
    assert answer["ok"], answer
    return str(answer["data"].get("tx", ""))


def _patch(repo: Sandbox) -> str:
    """CHANGE as a patch, in a file outside of the checkout."""
    _change(repo)
    diff = repo.git("diff", "--binary", "--no-renames", "HEAD~", "HEAD") + "\n"
    repo.git("reset", "-q", "--hard", "HEAD~")
    file = repo.root.parent / "patch"
    file.write_text(diff)
    return str(file)


def _change(repo: Sandbox) -> None:
    repo.git("rm", "-q", "-r", "folder", "file")  # where a folder is to be a file, and the other way round
    repo.commit(CHANGE)


def _edit(repo: Sandbox) -> Words:
    patch = _patch(repo)
    repo.write(DIRTY)
    return tool("apply", patch, "-m", "change")


def _symbol(repo: Sandbox) -> Words:
    repo.write(DIRTY)
    return tool("replace", "a.py::one", "--code", "def one():\n    return 11\n", "-m", "one")


def _no_land(repo: Sandbox) -> Words:
    return [*_edit(repo), "--no-land"]


def _land(repo: Sandbox) -> Words:
    return tool("land", _tell(repo, *_edit(repo)[3:-1], "--no-land"))


def _merge(repo: Sandbox) -> Words:
    words = _land(repo)
    repo.git("stash", "-q", "-u")
    repo.commit({"a.py": b"def one():\n    return 1\n\n\ndef two():\n    return 22\n"}, "meanwhile")
    repo.git("stash", "pop", "-q")
    return words


def _begin(repo: Sandbox) -> Words:
    repo.write(DIRTY)
    return tool("begin", "--adopt", "dirty.txt", "untracked", "-m", "adopt")


def _adopted(repo: Sandbox) -> Words:
    return tool("land", _tell(repo, *_begin(repo)[3:-1]))


def _queue(repo: Sandbox) -> Words:
    """Two that wait, of which each may land alone."""
    words = _edit(repo)[3:-1]
    _tell(repo, *words, "--no-land")
    _tell(repo, "write", "second.py", "--content", "second = 1\n", "--no-land")
    return tool("queue")


def _undo(repo: Sandbox) -> Words:
    _tell(repo, *_edit(repo)[3:-1])
    return tool("undo")


def _redo(repo: Sandbox) -> Words:
    _tell(repo, *_undo(repo)[3:-1])
    return tool("redo")


def _revert(repo: Sandbox) -> Words:
    _tell(repo, *_symbol(repo)[3:-1])
    repo.git("commit", "-q", "--allow-empty", "-m", "on top")
    return tool("undo")


def _unadopt(repo: Sandbox) -> Words:
    _tell(repo, *_adopted(repo)[3:-1])
    return tool("undo")


def _drop(repo: Sandbox) -> Words:
    return tool("drop", _tell(repo, *_edit(repo)[3:-1], "--no-land"))


def _lease(repo: Sandbox) -> Words:
    return tool("worktree", _tell(repo, *_edit(repo)[3:-1], "--no-land"))


def _release(repo: Sandbox) -> Words:
    """One slot is there, of a transaction that has ended; it is taken for another."""
    _tell(repo, *_lease(repo)[3:-1])
    _tell(repo, "drop", *open_in(repo))
    return tool("worktree", _tell(repo, "begin", "-m", "other"))


def open_in(repo: Sandbox) -> list[str]:
    """The open transactions."""
    return repo.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/scalpel/tx").split()


def _run(repo: Sandbox) -> Words:
    repo.write(DIRTY)
    command = "echo z = 1 > z.py && rm -f gone/x.py && sed -i 1s/1/0/ dirty.txt"
    return tool("run", "-m", "run", "--", "sh", "-c", command)


def _gated(repo: Sandbox) -> Words:
    """A command judges it that writes a file that git does not ignore, and takes it away."""
    rules = b'[[gates.command]]\nname = "test"\nrun = "cat next.py > seen && rm seen"\n'
    repo.commit({".gitscalpel.toml": rules})
    _tell(repo, "trust")
    return _edit(repo)


def _stage(repo: Sandbox) -> Words:
    _tell(repo, *_lease(repo)[3:-1])
    slot = repo.git("worktree", "list", "--porcelain").split("worktree ")[-1].split("\n")[0]
    Sandbox(repo.root.parent / slot).write({"z.py": b"z = 1\n", "a.py": b"def one():\n    return 12\n"})
    return tool("stage", *open_in(repo))


def _add(repo: Sandbox) -> Words:
    _tell(repo, *_lease(repo)[3:-1])
    return tool("text", "a.py", "--old", "11", "--new", "12", "--tx", *open_in(repo))


def _gc(repo: Sandbox) -> Words:
    """One dropped transaction to forget, one free worktree to remove, and two kinds of refs to pack."""
    _tell(repo, *_lease(repo)[3:-1])
    _tell(repo, "drop", *open_in(repo))
    repo.git("config", "scalpel.keepDays", "0")
    repo.git("config", "scalpel.poolSize", "0")
    return tool("gc")


def _here(repo: Sandbox) -> Words:
    return [*_edit(repo), "--checkout"]


def _undo_here(repo: Sandbox) -> Words:
    _tell(repo, *_here(repo)[3:])
    return tool("undo")


def _redo_here(repo: Sandbox) -> Words:
    _tell(repo, *_undo_here(repo)[3:-1])
    return tool("redo")


def _since(repo: Sandbox) -> Words:
    first = _tell(repo, *_here(repo)[3:])
    _tell(repo, "text", "a.py", "--old", "11", "--new", "12", "--checkout")
    return tool("undo", "--all-since", first)


def _snapshot(repo: Sandbox) -> Words:
    repo.write({**CHANGE, **DIRTY, "file/in": None, "folder": None, "link": None})
    return tool("snapshot", "-m", "all of it")


def _restore(repo: Sandbox) -> Words:
    """Files and folders take each other's places again."""
    taken = subprocess.run(tool("snapshot"), cwd=repo.root, capture_output=True, check=True)
    _tell(repo, *_here(repo)[3:])
    return tool("restore", json.loads(taken.stdout)["data"]["id"])


def _push(repo: Sandbox) -> Words:
    """The other side goes on to its end, as on another machine."""
    tx = _tell(repo, *_edit(repo)[3:-1], "--no-land")
    repo.git("clone", "-q", "--bare", ".", str(repo.root.parent / REMOTE))
    repo.git("remote", "add", "origin", str(repo.root.parent / REMOTE))
    repo.git("config", "remote.origin.receivepack", "env -u LD_PRELOAD setsid git-receive-pack")
    return tool("push", tx)


def _job(repo: Sandbox) -> Words:
    """The same by a job of a continuous integration, which leaves files for its runner elsewhere."""
    _push(repo)
    _tell(repo, "drop", *open_in(repo))
    given = (f"SCALPEL_FILE={repo.root.parent / 'patch'}", "SCALPEL_MESSAGE=change", "SCALPEL_ONTO=main")
    reports = f"SCALPEL_REPORTS={repo.root.parent / 'reports'}"
    return ["env", *given, reports, sys.executable, "-m", "gitscalpel.ci"]


def _init(repo: Sandbox) -> Words:
    """A hook is there before ours, and the configuration and the settings of agents are not."""
    hook = repo.root / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    return tool("init", "--hooks", "--agents")


def _packed(repo: Sandbox) -> Words:
    """Refs that are packed are deleted by writing packed-refs anew."""
    words = _land(repo)
    repo.git("pack-refs", "--all")
    return words


OURS = (
    Scenario("edit", _edit, ("patch_failed", "no_change", "exists")),
    Scenario("edit one symbol", _symbol, ("no_change",)),
    Scenario("edit, with a gate", _gated, ("patch_failed", "no_change", "exists"), ("gate_failed",)),
    Scenario("edit --no-land", _no_land),
    Scenario("land", _land, ("tx_closed",)),
    Scenario("land, refs packed", _packed, ("tx_closed",)),
    Scenario("land, merged", _merge, ("tx_closed",)),
    Scenario("queue", _queue, parts=True),
    Scenario("begin --adopt", _begin, ()),
    Scenario("land, adopted", _adopted, ("tx_closed",)),
    Scenario("undo", _undo, ("nothing_to_undo",)),
    Scenario("undo, adopted", _unadopt, ("nothing_to_undo",)),
    Scenario("undo by a revert", _revert, ("nothing_to_undo",)),
    Scenario("redo", _redo, ("nothing_to_undo",)),
    Scenario("drop", _drop, ("tx_closed",)),
    Scenario("worktree", _lease),
    Scenario("worktree, slot reused", _release),
    Scenario("run -- CMD", _run, ("no_change",), ("gate_failed",)),
    Scenario("stage", _stage, ("no_change",)),
    Scenario("edit --tx, leased", _add, ("not_found",)),
    Scenario("gc", _gc),
    Scenario("edit --checkout", _here, ("patch_failed", "no_change", "exists")),
    Scenario("undo, checkout", _undo_here, ("nothing_to_undo",)),
    Scenario("redo, checkout", _redo_here, ("nothing_to_undo",)),
    Scenario("undo --all-since", _since, ("nothing_to_undo",)),
    Scenario("snapshot", _snapshot),
    Scenario("restore", _restore),
    Scenario("push", _push, parts=True),
    Scenario("job", _job, parts=True),
    Scenario("init", _init, parts=True),
)


def _git_commit(repo: Sandbox) -> Words:
    repo.write({"a.py": b"1\n", "dirty.txt": b"2\n", "run.sh": b"3\n"})
    return ["git", "commit", "-q", "-a", "-m", "change"]


def _git_merge(repo: Sandbox) -> Words:
    repo.git("switch", "-q", "-c", "side")
    _change(repo)
    repo.git("switch", "-q", "main")
    return ["git", "merge", "-q", "--ff-only", "side"]


def _git_apply(repo: Sandbox) -> Words:
    repo.write({"a.py": b"1\n", "dirty.txt": b"2\n", "run.sh": b"3\n"})
    file = repo.root.parent / "patch"
    file.write_text(repo.git("diff") + "\n")
    repo.git("checkout", "-q", ".")
    return ["git", "apply", str(file)]


def _git_reset(repo: Sandbox) -> Words:
    _change(repo)
    return ["git", "reset", "-q", "--hard", "HEAD~"]


GIT = (
    Scenario("git commit -a", _git_commit),
    Scenario("git merge --ff-only", _git_merge),
    Scenario("git apply", _git_apply),
    Scenario("git reset --hard", _git_reset),
)
