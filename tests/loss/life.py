"""A life of a checkout with programs of the user, watched or not, of which no file's bytes may get lost.

After each call, each content that lay on the disk before lies there still, or refs lead to it, or recovery
has set it aside, or the user's program has removed it where git does not hold it. Content that was ignored
whenever a call began is in no object.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gitscalpel import Repository, ScalpelError
from tests.command import SEARCH, scalpel
from tests.loss import program
from tests.sandbox import Sandbox

FILES = {
    ".gitignore": b"*.log\nbuild/\n.env\nkeys/\n",
    "sub/.gitignore": b"*.tmp\n",
    **{
        path: f"first {path}\n".encode()
        for path in ("a.txt", "sub/b.txt", "docs/d.txt", "docs/e/f.txt", "src/s.txt")
    },
}
Disk = dict[str, bytes]


class Life:
    """A life.

    Attributes:
        counts: how often each call was made, and how it ended.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.repo = Sandbox.of(folder / "repo", FILES)
        self.counts: Counter[str] = Counter()
        self._chance = random.Random(seed)  # noqa: S311 - to be drawn again
        self._journal = folder / "journal"
        self._exposed: set[str] = set()
        self._seen: set[str] = set()
        self._secrets: dict[str, bytes] = {}
        self._number = seed * 10_000
        self._program()

    def turn(self) -> None:
        """Do something, and look at what has become of the files."""
        calls = [self._watch, self._watch, self._watch, self._undo, self._redo, self._restore, self._snapshot]
        calls += [self._since, self._account, self._program]
        self._chance.choice(calls)()

    def disk(self) -> Disk:
        """Read each file, also those of nested repositories."""
        found: Disk = {}
        for here, folders, names in os.walk(self.repo.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in names:
                full = Path(here) / name
                if full.is_file() and not full.is_symlink() and name != ".git":
                    found[str(full.relative_to(self.repo.root))] = full.read_bytes()
        return found

    def _program(self) -> None:
        self._number += 1
        self._journal.write_text("")
        program.Program(self.repo.root, self._number, self._journal).run()

    def _command(self) -> tuple[str, ...]:
        self._number += 1
        here = str(Path(program.__file__))
        return (sys.executable, here, str(self.repo.root), str(self._number), str(self._journal))

    def _watch(self) -> None:
        self._call("run", "--checkout", "--", *self._command())

    def _snapshot(self) -> None:
        self._call("snapshot", *self._chance.choice([(), ("-m", "one")]))

    def _undo(self) -> None:
        self._call("undo")

    def _redo(self) -> None:
        self._call("redo")

    def _since(self) -> None:
        rows = scalpel(self.repo.root, "log", "-n", "4", "--json").data
        if rows:
            self._call("undo", "--all-since", self._chance.choice(rows)["tx"])

    def _restore(self) -> None:
        rows = scalpel(self.repo.root, "snapshot", "--list", "--json").data
        if rows:
            names = self._chance.choice([(), (), (self._chance.choice(program.PLAIN),), ("sub",)])
            self._call("restore", self._chance.choice(rows)["id"], *names)

    def _account(self) -> None:
        before = self._begin()
        try:
            with Repository(self.repo.root) as repo:
                repo.account("a tool")
        except ScalpelError as error:
            self._count("account", error.code)
        self._judge("account", before)

    def _call(self, *words: str) -> None:
        before = self._begin()
        how = self._chance.choice(["", "", "", "step", "kill"])
        if how == "kill":
            self._killed(words)
        else:
            env = {"GITSCALPEL_FAILPOINT": str(self._chance.randint(1, 12))} if how == "step" else {}
            answer = scalpel(self.repo.root, *words, env=env)
            said = answer.err + answer.out
            assert "internal" not in said, said
            assert "please report" not in said, said
            self._count(words[0], how or str(answer.status))
        if how:
            healed = scalpel(self.repo.root, "recover")
            assert healed.status == 0, healed.err + healed.out
            lock = self.repo.root / ".git/index.lock"
            if how == "kill" and words[0] == "run" and lock.exists():
                lock.unlink()  # of the git that the program ran
                self._count("index.lock", "left by the program")
            assert not lock.exists(), f"{words} {how}: .git/index.lock is left"
        self._judge(" ".join(words[:4]) + f" {how}", before)

    def _killed(self, words: tuple[str, ...]) -> None:
        """Kill the call and all that it has started."""
        env = {**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"]}
        start = ["git", "scalpel", *words]
        with subprocess.Popen(
            start, cwd=self.repo.root, env=env, stdout=-3, stderr=-3, start_new_session=True
        ) as child:
            time.sleep(self._chance.uniform(0.05, 0.6))
            os.killpg(child.pid, signal.SIGKILL)
        self._count(words[0], "kill")

    def _count(self, call: str, how: str) -> None:
        self.counts[f"{call} {how}"] += 1

    def _begin(self) -> Disk:
        self._journal.write_text("")
        before = self.disk()
        self._seen = self._look(before)
        return before

    def _look(self, paths: Iterable[str]) -> set[str]:
        """Take note of secrets, and of those that git does not ignore; return the files that it sees."""
        seen = set(self.repo.git("ls-files", "-z", "-c", "-o", "--exclude-standard").split("\0"))
        now = self.disk()
        for path in paths:
            content = now.get(path, b"")
            if content.startswith(b"secret"):
                self._secrets[_blob(content)] = content
                if path in seen or self._is_abandoned(path):
                    self._exposed.add(_blob(content))
        return seen.intersection(now)

    def _is_abandoned(self, path: str) -> bool:
        """Return True for files that the user's git does not see for a submodule without its repository."""
        return any(path.startswith(f"{name}/") for name in program.NESTED)

    def _judge(self, call: str, before: Disk) -> None:
        now = self.disk()
        touched = self._journal.read_text().splitlines()
        gone = {path: content for path, content in before.items() if now.get(path) != content}
        held = self._held() if gone else set()
        for path, content in gone.items():
            by_user = any(path == name or path.startswith(f"{name}/") for name in touched)
            if _blob(content) not in held:
                assert by_user, f"{call}: {path} ({content!r}) is lost"
                assert path not in self._seen, f"{call}: {path} ({content!r}) was not recorded"
            if not by_user:
                self._exposed.add(_blob(content))  # kept, since it was replaced
        self._judge_objects(call, before, now)

    def _judge_objects(self, call: str, before: Disk, now: Disk) -> None:
        self._look(path for path in now if now[path] != before.get(path))  # new files, which may be held
        out = self.repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        told = {*out.split()}.intersection(self._secrets).difference(self._exposed)
        staged = {row.split()[1] for row in self.repo.git("ls-files", "-s").splitlines()}
        told -= staged  # the program has added it
        self._exposed |= staged.intersection(self._secrets)
        paths = [path for path, content in now.items() if _blob(content) in told]
        assert not told, f"{call}: {[self._secrets[oid] for oid in told]} at {paths} is in an object"

    def _held(self) -> set[str]:
        """Find what refs and the index lead to, and what recovery has set aside."""
        rows = self.repo.git("rev-list", "--objects", "--all").splitlines()
        rows += [" ".join(row.split()[1:2]) for row in self.repo.git("ls-files", "-s").splitlines()]
        aside = (self.repo.root / ".git/scalpel/quarantine").rglob("*")
        kept = {_blob(file.read_bytes()) for file in aside if file.is_file() and not file.is_symlink()}
        return {row.split(" ")[0] for row in rows} | kept


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324 - git's


def live(folder: Path, seed: int, turns: int) -> Counter[str]:
    """Live a life; ``AssertionError`` says what was lost, and at which turn."""
    life = Life(folder, seed)
    for turn in range(turns):
        try:
            life.turn()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, turn {turn}: {error}") from error
    return life.counts
