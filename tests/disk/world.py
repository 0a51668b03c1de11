"""A repository whose disk is not what git would have put there, and how somebody sees it."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitscalpel.cli import command_line

NOBODY = 65534
FILTERS = {
    "filter.pw.clean": "sed s/pw=.*/pw=XXX/",
    "filter.pw.smudge": "cat",
    "filter.up.clean": "tr A-Z a-z",
    "filter.up.smudge": "tr a-z A-Z",
}
ATTRIBUTES = (
    "*.pw filter=pw",
    "*.up filter=up",
    "*.crlf text eol=crlf",
    "*.auto text=auto",
    "*.id ident",
    "*.utf16 text working-tree-encoding=UTF-16LE-BOM",
)
NAMES = ("a.txt", "b.pw", "c.crlf", "d.auto", "e.id", "sub/f.pw", "sub/g.txt", "h.up", "i.utf16")
LINES = [f"line {n}" for n in range(1, 13)]
Disk = dict[str, tuple[str, bytes]]


class World:
    """The repository at ``root``; everything that is random comes from ``dice``."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.said: list[str] = []
        os.umask(dice.choice((0o022, 0o022, 0o077, 0o027, 0o002, 0o000)))
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        for key, values in (
            ("core.sharedRepository", ("", "", "group", "all", "0640")),
            ("core.autocrlf", ("", "", "", "input", "true")),
        ):
            if value := dice.choice(values):
                self.git("config", key, value)
                self.said.append(f"{key}={value}")
        rows = [row for row in ATTRIBUTES if dice.random() < 0.8]
        (root / ".gitattributes").write_text("\n".join(rows) + "\n")
        (root / ".gitignore").write_text("*.ign\n")
        self.attributes = rows
        self.names = [name for name in NAMES if dice.random() < 0.6] or ["b.pw"]
        for name in self.names:
            self.put(name, self.content())
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        for name in self.names:  # as git itself puts them there
            (root / name).unlink()
        self.git("checkout", "-q", "--", ".")

    def content(self, *changed: tuple[int, str]) -> bytes:
        lines = [*LINES, "pw=XXX", "$Id$", "end"]
        for at, text in changed:
            lines[at] = text
        return ("\n".join(lines) + "\n").encode()

    def put(self, name: str, content: bytes) -> None:
        """Put text on the disk, in the encoding that the attributes ask for."""
        if name.endswith(".utf16") and any(row.startswith("*.utf16") for row in self.attributes):
            content = content.decode().encode("utf-16")
        full = self.root / name
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content)

    def git(self, *words: str, ok: bool = True) -> bytes:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, check=False)
        assert not ok or done.returncode == 0, (words, done.stderr)
        return done.stdout

    def scalpel(self, *words: str, stdin: Any = None) -> dict[str, Any]:
        """The answer of the command line, called in a child: the mask of its files is this process's."""
        here = self.root.parent
        if stdin is not None:
            (here / "in").write_text(json.dumps(stdin))
        child = os.fork()
        if child == 0:
            status = 70
            try:
                os.chdir(self.root)
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(here / "out", flags, 0o666), 1)
                os.dup2(os.open(here / "err", flags, 0o666), 2)
                sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False) for n in (1, 2))
                status = command_line.run(
                    [*words, *([str(here / "in")] if stdin is not None else []), "--json"]
                )
                sys.stdout.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out = (here / "out").read_text()
        assert out, (words, status, (here / "err").read_text()[-2_000:])
        answer: dict[str, Any] = json.loads(out)
        assert answer["ok"] or answer["error"]["code"] not in ("internal", "corrupt"), answer
        self.said.append(f"{words[0]}: {'ok' if answer['ok'] else answer['error']['code']}")
        return answer

    def disk(self) -> Disk:
        """Every file: its permissions, and its bytes, or where a link leads."""
        found: Disk = {}
        for here, folders, names in os.walk(self.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in names + [f for f in folders if (Path(here) / f).is_symlink()]:
                full = Path(here) / name
                mode = stat.filemode(full.lstat().st_mode)
                content = os.fsencode(full.readlink()) if full.is_symlink() else full.read_bytes()
                found[os.path.relpath(full, self.root)] = mode, content
        return found

    def index(self) -> tuple[bytes, bytes]:
        """What is staged and what is not; ``git status`` would also name what only its size tells apart."""
        return self.git("ls-files", "-s", "-z"), self.git("diff") + self.git("ls-files", "-o", "-z")

    def holds(self, content: bytes) -> bool:
        """Whether a ref leads to these bytes, as they are."""
        done = subprocess.run(
            ["git", "hash-object", "--stdin", "--no-filters"],
            cwd=self.root,
            input=content,
            capture_output=True,
            check=True,
        )
        listed = self.git("rev-list", "--objects", "--all", "--no-object-names").split()
        for ref in self.git("for-each-ref", "--format=%(objectname) %(objecttype)").splitlines():
            oid, kind = ref.split()
            if kind == b"tree":
                rows = self.git("ls-tree", "-r", oid.decode()).splitlines()
                listed += [row.split(b"\t")[0].split()[2] for row in rows]
        return done.stdout.strip() in listed


def alone(function: Callable[[], str]) -> str:
    """What ``function`` returns in a child that permissions bind; what it raises, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                said = function()
            except BaseException as error:  # told by the parent
                import traceback

                said = "".join(traceback.format_exception(error))[-4_000:]
            os.write(writing, said.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    return said or "the child died"
