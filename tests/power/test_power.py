"""A sample of the full run (``python -m tests.power``): every day another; and the model itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gitscalpel.system import repo_lock
from tests.command import scalpel
from tests.power import cuts, recording, runs
from tests.power.disk import Disk, State
from tests.power.layout import lay_out
from tests.power.points import Sample
from tests.preload import building
from tests.sandbox import Sandbox
from tests.today import DAY

REASON = building.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

CHANGES = """
import os, subprocess, sys
with open("new", "wb") as file:
    file.write(b"whole")
    file.flush()
    if "content" in sys.argv:
        os.fsync(file.fileno())
os.rename("new", "file")
if "name" in sys.argv:
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
subprocess.run([sys.executable, "-c", "import os; os.mkdir('folder')"])
"""


def left(tmp_path: Path, *synced: str) -> dict[str, set[bytes]]:
    """What may be in the file at the end, in each model."""
    library = recording.built(tmp_path)
    place = tmp_path.resolve() / "place"
    place.mkdir()
    (place / "file").write_bytes(b"before")
    disk = Disk(place)
    words = [sys.executable, "-c", CHANGES, *synced]
    done = recording.run(library, words, place, {"PYTHONDONTWRITEBYTECODE": "1"})
    for record in done.records:
        disk.apply(record)
    assert _plain(disk.now()) == _plain(Disk(place).now())
    states = {model: list(cuts.of(model, disk, 0, 60)) for model in cuts.MODELS}
    assert {"folder" in state for state in states["free"]} == {True, False}
    return {model: {state["file"].content for state in some} for model, some in states.items()}


def _plain(state: State) -> dict[str, tuple[int, bytes]]:
    return {path: (seen.mode, seen.content) for path, seen in state.items()}


def test_what_is_not_synced_may_be_old_empty_or_torn(tmp_path: Path) -> None:
    assert left(tmp_path) == {
        "free": {b"before", b"whole", b"", b"wh\0\0\0"},
        "ordered": {b"before", b"whole", b""},
    }


def test_content_is_sure_once_it_is_synced(tmp_path: Path) -> None:
    assert left(tmp_path, "content")["free"] == {b"before", b"whole"}


def test_a_name_is_sure_once_its_folder_is_synced(tmp_path: Path) -> None:
    assert left(tmp_path, "content", "name") == {"free": {b"whole"}, "ordered": {b"whole"}}


RELEASE = """
from gitscalpel.workspace.workspace import Session, environment
from gitscalpel.git import ref_transaction
from gitscalpel.workspace.workspace import Workspace

with Workspace(Session(folder=".", environment=environment())) as ws:
    assert ref_transaction.remove_older_than_boot(ws.repo, ["refs/heads/main"])
"""


def test_locks_that_are_removed_after_a_power_cut_do_not_come_back_with_the_next(tmp_path: Path) -> None:
    """What tells that they were ours goes as soon as they have gone."""
    repo = Sandbox.of(tmp_path.resolve() / "repo", {"a.py": b"x = 1\n"})
    lock = repo.root / ".git/refs/heads/main.lock"
    lock.write_text(f"{repo.tip()}\n")
    os.utime(lock, (repo_lock.boot_time() - 60,) * 2)
    disk = Disk(repo.root)
    words = [sys.executable, "-c", RELEASE]
    done = recording.run(recording.built(tmp_path), words, repo.root, dict(os.environ))
    assert done.status == 0, done.out
    for record in done.records:
        disk.apply(record)
    assert ".git/refs/heads/main" in disk.now()
    assert not [state for state in cuts.of("free", disk, 0, 60) if ".git/refs/heads/main.lock" in state]


def test_a_transaction_and_its_record_change_together(tmp_path: Path) -> None:
    """What the one says of a commit that the other does not have would land as another change."""
    place = tmp_path.resolve() / "repo"
    repo = Sandbox.of(place, {"a.py": b"x = 1\n"})
    tx = scalpel(place, "write", "b.py", "--content", "y = 1\n", "--no-land", "--json").data["tx"]
    disk, before = Disk(place), _pair(repo)
    words = [sys.executable, "-m", "gitscalpel", "write", "c.py", "--content", "z = 1\n", "--tx", tx]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = recording.run(recording.built(tmp_path), words, place, env)
    assert done.status == 0, done.out
    known, seen = [before, _pair(repo)], set()
    for at, record in enumerate(done.records):
        disk.apply(record)
        if record.what == "R" and b"refs/scalpel/" in record.to:
            for state in cuts.of("free", disk, at, 12):
                lay_out(state, place)
                assert scalpel(place, "recover").status == 0
                seen.add(known.index(_pair(repo)))
    assert seen == {0, 1}


def _pair(repo: Sandbox) -> str:
    return repo.git("for-each-ref", "--format=%(objectname)", "refs/scalpel/tx", "refs/scalpel/meta")


SAMPLE = ("edit one symbol", "land", "queue", "undo", "edit --checkout", "drop", "begin --adopt", "snapshot")


def test_what_a_power_cut_leaves_heals() -> None:
    name = SAMPLE[DAY % len(SAMPLE)]
    model = cuts.MODELS[DAY // len(SAMPLE) % len(cuts.MODELS)]
    if name == "snapshot":
        model = "ordered"  # git writes its objects in a batch, which relies on the order
    found = list(runs.every([runs.Asked(name, [model], Sample(31, 1, DAY))], 1))
    assert [point for point in found if point.wrong] == []
    assert len(found) >= 4
