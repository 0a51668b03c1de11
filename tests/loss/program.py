"""A program of the user: changes files, ignore rules, nested repositories and sparse patterns at random.

It notes each path before it touches it, so that what it removes is not taken for a loss. It is started as
``python program.py ROOT SEED JOURNAL``, imports nothing of the project, and ends after a few changes.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

RULES = ("*.log", "build/", ".env", "keys/", "sub/*.tmp", "/gen", "!build/keep", "!*.log", "!.env", "other/")
IGNORED = (
    ".env",
    "build/out",
    "build/keep",
    "a.log",
    "sub/b.log",
    "sub/c.tmp",
    "keys/k1",
    "gen",
    "deep/x/d.log",
)
PLAIN = (
    "a.txt",
    "sub/b.txt",
    "docs/d.txt",
    "docs/e/f.txt",
    "src/s.txt",
    "new.txt",
    "deep/n.txt",
    "lib",
    "tool/t",
)
NESTED = ("lib", "tool", "vendor/v")


class Program:
    """The changes.

    Attributes:
        root: the work tree.
        chance: draws what is done.
    """

    def __init__(self, root: Path, seed: int, journal: Path) -> None:
        self.root, self.seed = root, seed
        self.chance = random.Random(seed)  # noqa: S311 - to be drawn again
        self._journal = journal
        self._number = 0

    def run(self) -> None:
        changes: list[Callable[[], object]] = [
            self._write,
            self._write,
            self._secret,
            self._remove,
            self._rules,
        ]
        changes += [self._rules, self._rule_file, self._exclude, self._nested, self._end_nested, self._sparse]
        changes += [self._index, self._shape]
        for _ in range(self.chance.randint(1, 5)):
            self.chance.choice(changes)()

    def _note(self, path: str) -> None:
        with self._journal.open("a") as file:
            file.write(f"{path}\n")

    def _content(self, word: str) -> bytes:
        self._number += 1
        return f"{word} {self.seed} {self._number}\n".encode()

    def _put(self, path: str, content: bytes) -> None:
        full = self.root / path
        for folder in reversed([full, *full.parents]):
            if folder in self.root.parents or folder == self.root:
                continue
            is_last = folder == full
            if folder.is_symlink() or (folder.exists() and folder.is_dir() == is_last):
                self._clear(folder)
        if os.path.lexists(full) and not full.is_file():
            self._clear(full)  # who writes to a pipe waits for a reader
        full.parent.mkdir(parents=True, exist_ok=True)
        self._note(path)
        full.write_bytes(content)

    def _clear(self, full: Path) -> None:
        self._note(str(full.relative_to(self.root)))
        if full.is_dir() and not full.is_symlink():
            shutil.rmtree(full)
        elif os.path.lexists(full):
            full.unlink()

    def _git(self, *words: str, at: str = "") -> None:
        subprocess.run(["git", *words], cwd=self.root / at, capture_output=True, check=False)

    def _write(self) -> None:
        self._put(self.chance.choice(PLAIN), self._content("plain"))

    def _secret(self) -> None:
        self._put(self.chance.choice(IGNORED), self._content("secret"))

    def _remove(self) -> None:
        self._clear(self.root / self.chance.choice((*PLAIN, *IGNORED, "sub", "build", "docs")))

    def _rules(self) -> None:
        file = self.root / ".gitignore"
        lines = file.read_text().splitlines() if file.is_file() else []
        if lines and self.chance.random() < 0.6:
            lines.remove(self.chance.choice(lines))
        else:
            lines.append(self.chance.choice((*RULES, *PLAIN)))
        self._put(".gitignore", "".join(f"{line}\n" for line in lines).encode())

    def _rule_file(self) -> None:
        name = self.chance.choice((".gitignore", "sub/.gitignore", "deep/.gitignore"))
        if (self.root / name).is_file():
            self._clear(self.root / name)
        else:
            self._put(name, f"{self.chance.choice(RULES)}\n".encode())

    def _exclude(self) -> None:
        file = self.root / ".git/info/exclude"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{self.chance.choice(RULES)}\n" for _ in range(self.chance.randint(0, 2))))

    def _nested(self) -> None:
        name = self.chance.choice(NESTED)
        self._put(f"{name}/in.txt", self._content("inner"))
        self._git("init", "-q", at=name)
        if self.chance.random() < 0.8:
            self._git("add", ".", at=name)
            self._git("commit", "-q", "-m", "inner", at=name)
        if self.chance.random() < 0.3:
            self._git("add", name)

    def _end_nested(self) -> None:
        name = self.chance.choice(NESTED)
        if self.chance.random() < 0.5 and (self.root / name / ".git").is_dir():
            shutil.rmtree(self.root / name / ".git")
            return
        self._clear(self.root / name)
        if self.chance.random() < 0.5:
            self._put(name, self._content("plain"))

    def _sparse(self) -> None:
        choices = (("set", "src"), ("set", "docs", "src"), ("set", "sub"), ("set", "--no-cone", "/src/"))
        words = self.chance.choice((*choices, ("disable",)))
        for path in ("docs", "src", "sub", "deep", ".gitignore", *PLAIN):
            self._note(path)
        self._git("sparse-checkout", *words)

    def _index(self) -> None:
        path = self.chance.choice((*PLAIN, *IGNORED))
        words = self.chance.choice(
            (
                ("add", "-f"),
                ("rm", "-q", "--cached"),
                ("update-index", "--assume-unchanged"),
                ("update-index", "--no-assume-unchanged"),
            )
        )
        self._git(*words, "--", path)

    def _shape(self) -> None:
        path = self.chance.choice(PLAIN)
        self._clear(self.root / path)
        kind = self.chance.choice(("pipe", "link", "folder"))
        full = self.root / path
        if not full.parent.is_dir():
            return
        if kind == "pipe":
            os.mkfifo(full)
        elif kind == "link":
            full.symlink_to("a.txt")
        else:
            self._put(f"{path}/more", self._content("plain"))


if __name__ == "__main__":
    Program(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])).run()
