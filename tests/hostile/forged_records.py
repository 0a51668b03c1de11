"""Forged records in the git directory of a repository that another user hands over.

Each record is written as an attacker would (paths outside, links, thousands of rows, truncated, wrong types),
unsealed, or sealed by another user, as another record or for another directory. Then every command is called,
and nothing around the repository may change.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gitscalpel.system import trust
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

EDIT = ("text", "a.txt", "--old", "1", "--new", "2")
VERBS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("list",),
    ("log",),
    ("log", "--refused"),
    ("fsck",),
    ("show", "a.txt:1"),
    ("begin", "--worktree"),
    EDIT,
    ("undo",),
    ("redo",),
    ("gc", "--quarantine"),
    ("doctor",),
    ("recover",),
)
SEALS = ("nobody", "another user", "another record", "elsewhere")
_OLD = 978307200
"""A time in 2001, so that every expiry by age applies."""


class World(NamedTuple):
    """A repository, and the directory around it."""

    repo: Sandbox
    around: Path

    @property
    def git(self) -> Path:
        return self.repo.root / ".git"

    @property
    def victim(self) -> Path:
        return self.around / "victim"

    def fingerprint(self) -> dict[str, object]:
        """Return kind, mode and content of everything around the repository."""
        found: dict[str, object] = {}
        for file in sorted(self.victim.rglob("*")):
            content = None if file.is_symlink() or file.is_dir() else file.read_bytes()
            found[str(file)] = (file.lstat().st_mode, content)
        return found


def make_world(around: Path) -> World:
    """Make a repository with an open transaction and a landing to undo, and files around it."""
    repo = Sandbox.of(around / "repo", {"a.txt": b"1\n", "b.txt": b"b\n"})
    assert scalpel(repo.root, "text", "b.txt", "--old", "b", "--new", "c").status == 0
    world = World(repo, around)
    (world.victim / "Documents/1/repo").mkdir(parents=True)
    for name in ("file", "Documents/thesis", "Documents/1/repo/thesis", "x.lock", "refs.lock"):
        (world.victim / name).write_bytes(b"years of work\n")
        os.utime(world.victim / name, (_OLD, _OLD))
    return world


class Record(NamedTuple):
    """A record of gitscalpel: path, sealed description and content."""

    path: str
    about: str
    says: Any


def make_records(world: World) -> dict[str, Record]:
    """Return one record of each kind that an attacker would forge, with paths around the repository."""
    head, blob = world.repo.tip(), world.repo.tip("HEAD:a.txt")
    victim, documents = str(world.victim / "file"), str(world.victim / "Documents")
    row = {"path": "../victim/file", "index": None, "new": None, "before": ["100755", blob], "after": None}
    pad = [{**row, "path": f"pad{n}", "before": None} for n in range(70)]
    moved = [{"ref": "refs/heads/main", "old": head, "new": "1" * 40}]
    scratch = "scalpel/scratch/feedfacefeedface"
    lock = {"path": str(world.victim / "x.lock"), "content": None, "identity": None}
    status = (world.victim / "x.lock").stat()
    held = {**lock, "identity": [status.st_ino, status.st_mtime_ns]}
    slot = {"tx": "aaaaaaaa", "home": "..", "tree": None, "root": documents}
    base = {"token": "00112233aabbccdd", "what": "land abcdefgh", "git_dir": ".", "work_tree": ".."}
    note = "note feedfacefeedface/"
    return {
        "journal": Record("scalpel/journal", "journal", {**base, "refs": moved, "rows": [*pad, row]}),
        "journal, elsewhere": Record(
            "scalpel/journal",
            "journal",
            {**base, "work_tree": documents, "refs": moved, "rows": [{**row, "path": "thesis"}]},
        ),
        "journal, no refs": Record("scalpel/journal", "journal", {**base, "refs": [], "rows": [row]}),
        "removing": Record(f"{scratch}/worktree.removing", f"{note}worktree.removing", documents),
        "making": Record(f"{scratch}/worktree", f"{note}worktree", documents),
        "locks": Record(f"{scratch}/ref-locks", f"{note}ref-locks", [lock]),
        "locks, held": Record(f"{scratch}/ref-locks.held", f"{note}ref-locks.held", [held]),
        "refs": Record(f"{scratch}/refs", f"{note}refs", moved),
        "transaction": Record(f"{scratch}/transaction", f"{note}transaction", "../../heads/main"),
        "slot": Record("worktrees/x/scalpel.json", "slot x", slot),
        "folders": Record(
            "worktrees/x/scalpel-folders", "folders x", {"tree": head, "rows": {"": ["", 0, ["x"]]}}
        ),
        "refused": Record("scalpel/refused/0", "refused 0", {"code": "x", "message": "x", "what": "land"}),
        "verdict": Record("scalpel/verdicts/0", "verdict 0", {"how": "passed"}),
        **{
            name: Record(f"scalpel/{name}", name, victim)
            for name in ("lock", "pool.lock", "gc.lock", "gc.failed", "journal.new", "index.new")
        },
    }


class Case(NamedTuple):
    """A forged record with its form and its seal."""

    name: str
    record: Record
    sealed: str
    form: str

    @property
    def words(self) -> str:
        return f"{self.name}, {self.form}, sealed by {self.sealed}"


FORMS = ("as it is", "torn", "link", "folder", "pipe", "65 rows", "10000 rows", "odd value", "wrong types")


def iter_cases(world: World, chance: random.Random) -> Iterator[Case]:
    """Yield random cases without an end."""
    every = make_records(world)
    while True:
        name = chance.choice(list(every))
        yield Case(name, every[name], chance.choice(SEALS), chance.choice(FORMS))


def plant_record(world: World, case: Case, chance: random.Random) -> None:
    """Write a record into the git directory, with what makes it credible."""
    file = world.git / case.record.path
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.parent.name == "feedfacefeedface":
        (file.parent / "lock").touch()
        (file.parent / "worktree.record").mkdir()
        (file.parent / "worktree.record/gitdir").write_text(f"{world.victim}/Documents/.git\n")
    if file.parent.parent.name == "worktrees":
        (file.parent / "gitdir").write_text(f"{world.victim}/Documents/.git\n")
        (file.parent / "commondir").write_text("../..\n")
        (file.parent / "HEAD").write_text(world.repo.tip() + "\n")
    file.unlink(missing_ok=True)
    if case.form == "link":
        file.symlink_to(world.victim / "file")
    elif case.form == "folder":
        (file / "x").mkdir(parents=True)
    elif case.form == "pipe":
        os.mkfifo(file)
    else:
        says = _format_record(case.record.says, case.form, world, chance)
        content = says.encode("utf-8", "replace") if isinstance(says, str) else json.dumps(says).encode()
        content = _seal(world, case, content)
        file.write_bytes(content[: len(content) // 2] if case.form == "torn" else content)
        os.utime(file, (_OLD, _OLD))


def _format_record(says: Any, form: str, world: World, chance: random.Random) -> Any:
    if form in ("odd value", "wrong types"):
        return _mutate(says, world, chance, anything=form == "wrong types")
    if "rows" in form:
        count = int(form.split(" ", maxsplit=1)[0])
        if isinstance(says, list):
            return [*says * (count // max(1, len(says))), *says]
        if isinstance(says, dict) and "rows" in says:
            last = says["rows"][-1]
            return {**says, "rows": [*({**last, "path": f"p{n}"} for n in range(count)), last]}
    return says


def _mutate(says: Any, world: World, chance: random.Random, *, anything: bool) -> Any:
    """Return the content with one value replaced."""
    if isinstance(says, dict) and says:
        key = chance.choice(list(says))
        return {**says, key: _mutate(says[key], world, chance, anything=anything)}
    if isinstance(says, list) and says:
        at = chance.randrange(len(says))
        return [*says[:at], _mutate(says[at], world, chance, anything=anything), *says[at + 1 :]]
    odd: list[Any] = [
        *("..", "../victim/file", str(world.victim / "file"), "a\0b", "link/file", "", ".git/config", "-x"),
        *("refs/heads/../../../victim/file", "x" * 100_000, "1" * 40, "\udcff".encode("utf-8", "replace")),
    ]
    if anything:
        odd = [None, 1, -1, 1e300, True, [], {}, [[]], {"path": ".."}]
    value = chance.choice(odd)
    return value.decode() if isinstance(value, bytes) else value


def _seal(world: World, case: Case, content: bytes) -> bytes:
    folder = world.git / "scalpel"
    if case.sealed == "nobody":
        return content
    if case.sealed == "another record":
        return trust.seal_content(folder, "verdict of something", content)
    if case.sealed == "elsewhere":
        return trust.seal_content(world.victim, case.record.about, content)
    before = os.environ["XDG_STATE_HOME"]
    os.environ["XDG_STATE_HOME"] = str(world.around / "other")
    try:
        return trust.seal_content(folder, case.record.about, content)
    finally:
        os.environ["XDG_STATE_HOME"] = before


def find_violations(world: World, case: Case, verbs: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return a message for each violation by a case."""
    before, found = world.fingerprint(), []
    for verb in verbs:
        answer = scalpel(world.repo.root, *verb, "--json")
        if world.fingerprint() != before:
            return [f"{case.words}: {' '.join(verb)} has changed what is around"]
        if _is_internal(answer):
            found.append(f"{case.words}: {' '.join(verb)} says {answer.out or answer.err}")
    return found


def _is_internal(answer: Answer) -> bool:
    return answer.status != 0 and (not answer.out or answer.json["error"]["code"] == "internal")


def restore(world: World, backup: Path) -> None:
    """Restore the repository from a copy."""
    shutil.rmtree(world.repo.root)
    shutil.copytree(backup, world.repo.root, symlinks=True)
