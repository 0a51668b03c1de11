"""A sample of the full run (``python -m tests.power``): every day another; and the model itself."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.power import cuts, recording, runs
from tests.power.disk import Disk, State
from tests.power.points import Sample
from tests.preload import building

REASON = building.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

DAY = int(time.time() // 86_400)
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


SAMPLE = ("edit one symbol", "land", "undo", "edit --checkout", "drop", "begin --adopt", "snapshot")


def test_what_a_power_cut_leaves_heals() -> None:
    name = SAMPLE[DAY % len(SAMPLE)]
    model = sorted(cuts.MODELS)[DAY % len(cuts.MODELS)]
    if name == "snapshot":
        model = "ordered"  # git writes its objects in a batch, which relies on the order
    found = list(runs.every([runs.Asked(name, [model], Sample(31, 2, DAY))], 1))
    assert [point for point in found if point.wrong] == []
    assert len(found) >= 8
