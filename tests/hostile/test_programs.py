"""Configuration that starts programs: git starts each, gitscalpel starts no untrusted one."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from gitscalpel import Repository, ScalpelError
from tests import copies
from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.today import some
from tests.whole import text


class Sink(NamedTuple):
    """Settings with ``{run}`` for the program, and the git command that starts it.

    The command requires a terminal if it begins with ``@``.
    """

    settings: dict[str, str]
    command: str
    files: Mapping[str, str] = MappingProxyType({})


_ATTRIBUTES = {".git/info/attributes": "*.py filter=x diff=x merge=x\n"}
_SIGNED = {"commit.gpgSign": "true", "user.signingKey": "key"}
_SSH = {**_SIGNED, "gpg.format": "ssh"}
_HOOK = "#!/bin/sh\nexec {run}\n"
_COMMIT = "commit --allow-empty -m x"


def _hook(name: str, command: str, path: str = ".hooks") -> Sink:
    return Sink({"core.hooksPath": path}, command, {f".hooks/{name}": _HOOK})


SINKS = {
    "core.fsmonitor": Sink({"core.fsmonitor": "{run}"}, "status"),
    "pre-commit in the files": _hook("pre-commit", _COMMIT),
    "commit-msg in the files": _hook("commit-msg", _COMMIT),
    "prepare-commit-msg in the files": _hook("prepare-commit-msg", _COMMIT),
    "post-commit in the files": _hook("post-commit", _COMMIT),
    "post-checkout in the files": _hook("post-checkout", "checkout -q -b other"),
    "post-index-change in the files": _hook("post-index-change", "add -A"),
    "reference-transaction in the files": _hook("reference-transaction", "branch other"),
    "hooks in an absolute place": _hook("pre-commit", _COMMIT, "{root}/.hooks"),
    "filter.clean": Sink({"filter.x.clean": "{run}"}, "add --renormalize .", _ATTRIBUTES),
    "filter.smudge": Sink({"filter.x.smudge": "{run}"}, "checkout -q side", _ATTRIBUTES),
    "filter.process": Sink(
        {"filter.x.process": "{run}", "filter.x.required": "true"}, "add --renormalize .", _ATTRIBUTES
    ),
    "filter by a tracked file": Sink(
        {"filter.x.clean": "{run}"}, "add --renormalize .", {".gitattributes": "*.py filter=x\n"}
    ),
    "diff.external": Sink({"diff.external": "{run}"}, "diff HEAD~"),
    "diff.command": Sink({"diff.x.command": "{run}"}, "diff HEAD~", _ATTRIBUTES),
    "diff.textconv": Sink({"diff.x.textconv": "{run}"}, "diff HEAD~", _ATTRIBUTES),
    "merge.driver": Sink({"merge.x.driver": "{run}"}, "merge -q side", _ATTRIBUTES),
    "gpg.program": Sink({**_SIGNED, "gpg.program": "{run}"}, _COMMIT),
    "gpg.openpgp.program": Sink({**_SIGNED, "gpg.openpgp.program": "{run}"}, _COMMIT),
    "gpg.x509.program": Sink({**_SIGNED, "gpg.format": "x509", "gpg.x509.program": "{run}"}, _COMMIT),
    "gpg.ssh.program": Sink({**_SSH, "gpg.ssh.program": "{run}"}, _COMMIT),
    "gpg.ssh.defaultKeyCommand": Sink(
        {"commit.gpgSign": "true", "gpg.format": "ssh", "gpg.ssh.defaultKeyCommand": "{run}"}, _COMMIT
    ),
    "core.editor": Sink({"core.editor": "{run}"}, "commit --allow-empty"),
    "sequence.editor": Sink({"sequence.editor": "{run}"}, "rebase -i --root"),
    "core.pager": Sink({"core.pager": "{run}"}, "@log"),
    "pager.log": Sink({"pager.log": "{run}"}, "@log"),
    "core.sshCommand": Sink({"core.sshCommand": "{run}", "remote.o.url": "ssh://host/x"}, "fetch o"),
    "core.gitProxy": Sink({"core.gitProxy": "{run}", "remote.o.url": "git://host/x"}, "fetch o"),
    "core.askPass": Sink({"core.askPass": "{run}"}, "credential fill"),
    "credential.helper": Sink({"credential.helper": "!{run}"}, "credential fill"),
    "credential.URL.helper": Sink({"credential.https://host.helper": "!{run}"}, "credential fill"),
    "remote.uploadpack": Sink({"remote.o.url": "{root}", "remote.o.uploadpack": "{run}"}, "fetch o"),
    "remote.receivepack": Sink({"remote.o.url": "{root}", "remote.o.receivepack": "{run}"}, "push o HEAD:y"),
    "ext transport": Sink({"protocol.ext.allow": "always", "remote.o.url": "ext::{run}"}, "fetch o"),
    "promisor": Sink(
        {
            "remote.o.url": "{root}",
            "remote.o.uploadpack": "{run}",
            "remote.o.promisor": "true",
            "extensions.partialClone": "o",
            "core.repositoryFormatVersion": "1",
        },
        "cat-file -p 1234567890123456789012345678901234567890",
    ),
    "an included file": Sink(
        {"include.path": "{root}/.more"}, "status", {".more": "[core]\n\tfsmonitor = {run}\n"}
    ),
    "a file included for this folder": Sink(
        {"includeIf.gitdir:/.path": "{root}/.more"}, "status", {".more": "[core]\n\tfsmonitor = {run}\n"}
    ),
    "the worktree's configuration": Sink(
        {"extensions.worktreeConfig": "true", "core.repositoryFormatVersion": "1"},
        "status",
        {".git/config.worktree": "[core]\n\tfsmonitor = {run}\n"},
    ),
    "alias": Sink({"alias.rev": "!{run}"}, "rev"),
    "difftool": Sink({"diff.tool": "x", "difftool.x.cmd": "{run}"}, "difftool -y HEAD~"),
    "trailer": Sink({"trailer.x.command": "{run}"}, "interpret-trailers --trailer x=1"),
    "tar": Sink({"tar.x.command": "{run}"}, "archive --format=x HEAD"),
}


def two_branches(root: Path) -> None:
    repo = Sandbox.init(root)
    repo.commit({"a.py": b"def f():\n    return 1\n", "b.txt": b"b\n"})
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"a.py": b"def f():\n    return 2\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"a.py": b"def f():\n    return 3\n"})


@pytest.fixture
def hostile(tmp_path: Path) -> Callable[[Sink], tuple[Sandbox, Path]]:
    canary = tmp_path / "canary"
    program = tmp_path / "run"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\nexit 1\n')
    program.chmod(0o755)
    root = tmp_path / "repo"

    def fill(words: str) -> str:
        return words.replace("{run}", str(program)).replace("{root}", str(root))

    def make(sink: Sink) -> tuple[Sandbox, Path]:
        copies.refresh(root, copies.first_made("two branches", two_branches, root))
        repo = Sandbox(root)
        for path, content in sink.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(fill(content))
            if "hooks" in path:
                (root / path).chmod(0o755)
        for key, value in sink.settings.items():
            repo.git("config", key, fill(value))
        canary.unlink(missing_ok=True)
        return repo, canary

    return make


@pytest.mark.parametrize("name", some([*SINKS]))
def test_git_starts_the_program(name: str, hostile: Callable[[Sink], tuple[Sandbox, Path]]) -> None:
    repo, canary = hostile(SINKS[name])
    words = SINKS[name].command
    environment = {key: value for key, value in os.environ.items() if key not in ("GIT_EDITOR", "GIT_PAGER")}
    command = ["git", "-C", str(repo.root), *words.removeprefix("@").split()]
    if words.startswith("@"):
        child, end = pty.fork()
        if child == 0:
            os.execvpe("git", command, {**environment, "TERM": "xterm"})  # noqa: S606
        with suppress(OSError):
            while os.read(end, 1024):
                pass
        os.waitpid(child, 0)
        os.close(end)
    else:
        subprocess.run(
            command, input=b"url=https://host/x\n\n", env=environment, capture_output=True, check=False
        )
    assert canary.exists()


@pytest.mark.parametrize("name", some([*SINKS]))
def test_gitscalpel_does_not_start_the_program(
    name: str, hostile: Callable[[Sink], tuple[Sandbox, Path]]
) -> None:
    repo, canary = hostile(SINKS[name])
    _run_every_command(repo)
    assert not canary.exists(), canary.read_text()


def _run_every_command(repo: Sandbox) -> None:
    """Run every command in the repository, refused or not."""
    (repo.root / "b.txt").write_text("mine\n")
    (repo.root / "a.py").write_bytes(b"def f():\n    return 3\n\n\n\nx = 1\n")
    with Repository(repo.root) as opened:
        view = opened.view()
        calls: list[Callable[[], object]] = [
            opened.status,
            opened.log,
            opened.recover,
            lambda: view.outline("."),
            lambda: view.find("function", "."),
            lambda: view.show("a.py"),
            lambda: opened.edit(text("return 3", "return 4"), dry_run=True),
            lambda: opened.edit(text("return 3", "return 4")),
            lambda: opened.edit({"op": "write", "path": ".gitattributes", "content": "*.py filter=x\n"}),
            lambda: opened.begin("adopted", adopt=["b.txt", "a.py"]).land(),
            lambda: opened.begin("in a worktree").worktree(),
            lambda: opened.run("sh", "-c", "echo 1 > c.txt"),
            lambda: opened.begin("merged", onto="side").drop(),
            opened.undo,
            opened.redo,
        ]
        for call in calls:
            with suppress(ScalpelError):
                call()
    scalpel(repo.root, "status", "--json")
