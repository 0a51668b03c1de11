"""What we read back from a git directory, as somebody may have made it who hands over a repository.

Each record is written as its maker would like it (places outside, links, rows by the thousand, torn, of
wrong types), sealed by nobody, by another user, as something else or elsewhere; then every verb is called,
and nothing around the repository may have changed.
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
"""2001: whatever goes by age may go."""


class World(NamedTuple):
    """A repository, and what is around it."""

    repo: Sandbox
    around: Path

    @property
    def git(self) -> Path:
        return self.repo.root / ".git"

    @property
    def victim(self) -> Path:
        return self.around / "victim"

    def fingerprint(self) -> dict[str, object]:
        """Everything around the repository: kind, bits and content."""
        found: dict[str, object] = {}
        for file in sorted(self.victim.rglob("*")):
            content = None if file.is_symlink() or file.is_dir() else file.read_bytes()
            found[str(file)] = (file.lstat().st_mode, content)
        return found


def world(around: Path) -> World:
    """Make one, with an open transaction and a landing to undo."""
    repo = Sandbox.of(around / "repo", {"a.txt": b"1\n", "b.txt": b"b\n"})
    assert scalpel(repo.root, "text", "b.txt", "--old", "b", "--new", "c").status == 0
    made = World(repo, around)
    (made.victim / "Documents/1/repo").mkdir(parents=True)
    for name in ("file", "Documents/thesis", "Documents/1/repo/thesis", "x.lock", "refs.lock"):
        (made.victim / name).write_bytes(b"years of work\n")
        os.utime(made.victim / name, (_OLD, _OLD))
    return made


class Record(NamedTuple):
    """A file of ours: where, what it is sealed as, and what it says."""

    path: str
    about: str
    says: Any


def records(made: World) -> dict[str, Record]:
    """One of each that somebody would forge, aimed at what is around."""
    head, blob = made.repo.tip(), made.repo.tip("HEAD:a.txt")
    victim, documents = str(made.victim / "file"), str(made.victim / "Documents")
    row = {"path": "../victim/file", "index": None, "new": None, "before": ["100755", blob], "after": None}
    pad = [{**row, "path": f"pad{n}", "before": None} for n in range(70)]
    moved = [{"ref": "refs/heads/main", "old": head, "new": "1" * 40}]
    scratch = "scalpel/scratch/feedfacefeedface"
    lock = {"path": str(made.victim / "x.lock"), "content": None, "identity": None}
    status = (made.victim / "x.lock").stat()
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
    """A record as somebody has made it."""

    name: str
    record: Record
    sealed: str
    form: str

    @property
    def words(self) -> str:
        return f"{self.name}, {self.form}, sealed by {self.sealed}"


FORMS = ("as it is", "torn", "link", "folder", "pipe", "65 rows", "10000 rows", "odd value", "wrong types")


def cases(made: World, chance: random.Random) -> Iterator[Case]:
    """Cases without an end."""
    every = records(made)
    while True:
        name = chance.choice(list(every))
        yield Case(name, every[name], chance.choice(SEALS), chance.choice(FORMS))


def plant(made: World, case: Case, chance: random.Random) -> None:
    """Put a record into the git directory, with what makes it credible."""
    file = made.git / case.record.path
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.parent.name == "feedfacefeedface":
        (file.parent / "lock").touch()
        (file.parent / "worktree.record").mkdir()
        (file.parent / "worktree.record/gitdir").write_text(f"{made.victim}/Documents/.git\n")
    if file.parent.parent.name == "worktrees":
        (file.parent / "gitdir").write_text(f"{made.victim}/Documents/.git\n")
        (file.parent / "commondir").write_text("../..\n")
        (file.parent / "HEAD").write_text(made.repo.tip() + "\n")
    file.unlink(missing_ok=True)
    if case.form == "link":
        file.symlink_to(made.victim / "file")
    elif case.form == "folder":
        (file / "x").mkdir(parents=True)
    elif case.form == "pipe":
        os.mkfifo(file)
    else:
        says = _formed(case.record.says, case.form, made, chance)
        content = says.encode("utf-8", "replace") if isinstance(says, str) else json.dumps(says).encode()
        content = _sealed(made, case, content)
        file.write_bytes(content[: len(content) // 2] if case.form == "torn" else content)
        os.utime(file, (_OLD, _OLD))


def _formed(says: Any, form: str, made: World, chance: random.Random) -> Any:
    if form in ("odd value", "wrong types"):
        return _mutated(says, made, chance, anything=form == "wrong types")
    if "rows" in form:
        count = int(form.split(" ", maxsplit=1)[0])
        if isinstance(says, list):
            return [*says * (count // max(1, len(says))), *says]
        if isinstance(says, dict) and "rows" in says:
            last = says["rows"][-1]
            return {**says, "rows": [*({**last, "path": f"p{n}"} for n in range(count)), last]}
    return says


def _mutated(says: Any, made: World, chance: random.Random, *, anything: bool) -> Any:
    """The same with one value exchanged, somewhere in it."""
    if isinstance(says, dict) and says:
        key = chance.choice(list(says))
        return {**says, key: _mutated(says[key], made, chance, anything=anything)}
    if isinstance(says, list) and says:
        at = chance.randrange(len(says))
        return [*says[:at], _mutated(says[at], made, chance, anything=anything), *says[at + 1 :]]
    odd: list[Any] = [
        *("..", "../victim/file", str(made.victim / "file"), "a\0b", "link/file", "", ".git/config", "-x"),
        *("refs/heads/../../../victim/file", "x" * 100_000, "1" * 40, "\udcff".encode("utf-8", "replace")),
    ]
    if anything:
        odd = [None, 1, -1, 1e300, True, [], {}, [[]], {"path": ".."}]
    value = chance.choice(odd)
    return value.decode() if isinstance(value, bytes) else value


def _sealed(made: World, case: Case, content: bytes) -> bytes:
    folder = made.git / "scalpel"
    if case.sealed == "nobody":
        return content
    if case.sealed == "another record":
        return trust.seal_content(folder, "verdict of something", content)
    if case.sealed == "elsewhere":
        return trust.seal_content(made.victim, case.record.about, content)
    before = os.environ["XDG_STATE_HOME"]
    os.environ["XDG_STATE_HOME"] = str(made.around / "other")
    try:
        return trust.seal_content(folder, case.record.about, content)
    finally:
        os.environ["XDG_STATE_HOME"] = before


def wrong(made: World, case: Case, verbs: tuple[tuple[str, ...], ...]) -> list[str]:
    """What a case does that it must not: in words."""
    before, found = made.fingerprint(), []
    for verb in verbs:
        answer = scalpel(made.repo.root, *verb, "--json")
        if made.fingerprint() != before:
            return [f"{case.words}: {' '.join(verb)} has changed what is around"]
        if _is_internal(answer):
            found.append(f"{case.words}: {' '.join(verb)} says {answer.out or answer.err}")
    return found


def _is_internal(answer: Answer) -> bool:
    return answer.status != 0 and (not answer.out or answer.json["error"]["code"] == "internal")


def restored(made: World, kept: Path) -> None:
    """Put the repository back to how it was made."""
    shutil.rmtree(made.repo.root)
    shutil.copytree(kept, made.repo.root, symlinks=True)
