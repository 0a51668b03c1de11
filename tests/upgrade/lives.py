"""A repository that one version of git-scalpel left, and what another version makes of it.

A version is the package of a git revision in a folder on ``PYTHONPATH``. An upgrade replaces the contents of
that folder, as an installer does; repository, caches, secrets and a running server stay. Both versions run
with the packages of this interpreter.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.sandbox import SEALED, Sandbox

ROOT = Path(__file__).parents[2]
HISTORY = Path(os.environ.get("TESTS_HISTORY") or ROOT)
"""The repository with the older versions: a copy of the tracked files has none."""
FILES = {"a.py": b"def f():\n    return 1\n", "b.py": b"def g():\n    return 1\n"}
KILLED = "def f():\n    return 1\n", "def f():\n    return 2\n"
"""The file ``a.py`` before and after the landing that is killed."""
_TIMEOUT_S = 120
_SERVER_ENDS_S = 30


class Reply(NamedTuple):
    """Exit status and output of one command; ``status`` is negative if it was killed."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The data of a success."""
        assert self.status == 0, self
        return json.loads(self.out)["data"]

    @property
    def code(self) -> str:
        """The code of a refusal; empty for a success."""
        return "" if self.status == 0 else str(json.loads(self.out)["error"]["code"])


def why_not(revision: str) -> str | None:
    """Return why a revision cannot be run, or None if it can."""
    found = subprocess.run(
        ["git", "cat-file", "-e", f"{revision}:gitscalpel/__main__.py"],
        cwd=HISTORY,
        capture_output=True,
        check=False,
    )
    return None if found.returncode == 0 else f"{revision} is not in this history (a shallow clone or a copy)"


class World:
    """A repository, a home, and the folder in which one version is installed at a time."""

    def __init__(self, folder: Path) -> None:
        self.installed = folder / "installed"
        self._numbers = count()
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.repo = Sandbox.of(folder / "repo", FILES)

    def install(self, revision: str | None) -> None:
        """Replace the installed version by that of a revision, or by the one of this tree for None."""
        if self.installed.exists():  # a server that runs may still write into it
            self.installed.rename(self.installed.with_name(f"replaced{next(self._numbers)}"))
        self.installed.mkdir(exist_ok=True)
        if revision is None:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(
                ROOT / "gitscalpel", self.installed / "gitscalpel", ignore=ignored, dirs_exist_ok=True
            )
            return
        packed = subprocess.run(
            ["git", "archive", revision, "gitscalpel"], cwd=HISTORY, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=self.installed, input=packed.stdout, check=True)

    def call(self, *words: str, **env: str) -> Reply:
        """Run the installed version in the repository."""
        done = subprocess.run(
            [sys.executable, "-m", "gitscalpel", *words, "--json"],
            cwd=self.repo.root,
            env=self._environment(env),
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
        return Reply(done.returncode, done.stdout, done.stderr)

    def edit(self, path: str, old: str, new: str, *more: str, **env: str) -> Reply:
        return self.call("text", path, "--old", old, "--new", new, *more, **env)

    def servers(self) -> set[int]:
        """Return the processes that serve the installed version."""
        mark = f"PYTHONPATH={self.installed}".encode()
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if b"serve" in words and mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.add(int(folder.name))
        return found

    @contextmanager
    def ending_servers(self) -> Iterator[None]:
        """End the servers of this world behind the caller."""
        try:
            yield
        finally:
            for pid in self.servers():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        places = dict.fromkeys(
            ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"), str(self.home)
        )
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
        return {**kept, **SEALED, **places, "PYTHONPATH": str(self.installed), **more}

    def problems(self) -> list[str]:
        """Return what no version may ever leave: damage, or a checkout that differs from its branch."""
        fsck = self.repo.git("fsck", "--strict", "--no-dangling", check=False)
        found = [f"git fsck: {line}" for line in fsck.splitlines() if not line.startswith("notice")]
        at_tip, on_disk = self.repo.git("show", "main:a.py") + "\n", (self.repo.root / "a.py").read_text()
        if at_tip not in KILLED:
            found.append(f"main holds neither the old nor the new text: {at_tip!r}")
        if on_disk not in KILLED:
            found.append(f"the checkout holds neither the old nor the new text: {on_disk!r}")
        return found


def default_revision() -> str:
    """Return the last released tag, or the commit 80 before the tip if there is none."""
    tag = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"], cwd=HISTORY, capture_output=True, text=True, check=False
    )
    return tag.stdout.strip() or "HEAD~80"


def live(world: World, failpoint: int) -> tuple[str, str, bool]:
    """Land, stage, snapshot and look with the installed version; then be killed in a landing.

    Returns:
        The landed and the open transaction, and True if the landing was killed before its end.
    """
    landed = str(world.edit("b.py", "return 1", "return 10").data["tx"])
    opened = str(world.edit("b.py", "def g", "def h", "--no-land").data["tx"])
    (world.repo.root / "note.txt").write_text("mine\n")
    assert world.call("snapshot", "-m", "before").status == 0
    assert world.call("refs", "a.py::f").status == 0  # leaves caches
    assert world.call("log").status == 0
    killed = world.edit("a.py", "return 1", "return 2", GITSCALPEL_FAILPOINT=str(failpoint))
    assert killed.status in (0, -signal.SIGKILL), killed
    return landed, opened, killed.status != 0


def judge_upgrade(world: World, landed: str, opened: str) -> list[str]:
    """Return what the installed version does wrong with a repository that an older one left."""
    found = []
    recovered = world.call("recover")
    if recovered.status:
        found.append(f"recover: {recovered}")
    found += world.problems()
    if landed not in {each.get("tx") for each in world.call("log").data}:
        found.append("log: what the older version landed is missing")
    if opened not in {each.get("tx") for each in world.call("list").data["transactions"]}:
        found.append("list: what the older version left open is missing")
    for words, text in (
        (("land", opened), b"def h():\n    return 10\n"),
        (("undo", opened), b"def g():\n    return 10\n"),
        (("undo", landed), FILES["b.py"]),
    ):
        reply = world.call(*words)
        if reply.status or (world.repo.root / "b.py").read_bytes() != text:
            found.append(f"{' '.join(words)}: {reply}")
    checked = world.call("fsck")
    if checked.status:
        found.append(f"fsck: {checked}")
    return found + world.problems()


def judge_downgrade(world: World, opened: str) -> list[str]:
    """Return the damage that the installed version does to a repository that a newer one left.

    It may refuse with a code of its own, but not fail, and never change what it does not understand.
    """
    found = []
    for words in (("recover",), ("log",), ("list",), ("land", opened), ("undo", opened), ("gc",)):
        reply = world.call(*words)
        if reply.status and (not reply.out.startswith("{") or reply.code == "internal"):
            found.append(f"{' '.join(words)}: {reply}")
        found += world.problems()
    return found


def judge_server(world: World, newer: str | None) -> list[str]:
    """Return what is wrong when a version is replaced while its server runs."""
    with world.ending_servers():
        deadline = time.monotonic() + _SERVER_ENDS_S
        while not (old := world.servers()):
            assert world.call("show", "a.py", SCALPEL_SERVER="on").status == 0
            if time.monotonic() > deadline:
                return ["no server of the older version has started"]
            time.sleep(0.2)
        world.install(newer)
        reply = world.call("show", "a.py", SCALPEL_SERVER="on")
        if reply.status:
            return [f"show: {reply}"]
        while (left := old & world.servers()) and time.monotonic() < deadline:
            world.call("show", "a.py", SCALPEL_SERVER="on")
            time.sleep(0.2)
        return [f"servers of the older version still run: {sorted(left)}"] if left else []


def play(folder: Path, revision: str, way: str, failpoint: int) -> tuple[bool, list[str]]:
    """Have one version killed at a step and the other one go on.

    Args:
        folder: a new folder.
        revision: the older version.
        way: ``upgrade`` if the older version is killed, ``downgrade`` if this one is.
        failpoint: the changing step before which it is killed.

    Returns:
        True if the landing was killed before its end, and what went wrong.
    """
    world = World(folder)
    world.install(revision if way == "upgrade" else None)
    landed, opened, is_killed = live(world, failpoint)
    world.install(None if way == "upgrade" else revision)
    if way == "upgrade":
        return is_killed, judge_upgrade(world, landed, opened)
    found = judge_downgrade(world, opened)
    world.install(None)  # and back: what the older one has seen is still good
    if (recovered := world.call("recover")).status:
        found.append(f"recover after the older version: {recovered}")
    return is_killed, found + world.problems()
