"""Plain git, struck in the same way: killed, and run again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.crash import judge, strike
from tests.crash.box import Box
from tests.crash.judge import Seen
from tests.crash.points import Point
from tests.crash.scenarios import Scenario


def points(folder: Path, library: Path, scenario: Scenario, every: int, first: int) -> Iterator[Point]:
    """Kill the command at its calls, run it again, and look whether it is done and plain git goes on."""
    box = Box(folder, scenario)
    whole = strike.run(library, box.words, box.root, box.env)
    assert whole.status == 0, whole
    new = judge.seen(box.root, box.env)
    for at in range(first, whole.calls + 1, every):
        box.restore()
        strike.run(library, box.words, box.root, box.env, "group", at)
        strike.wait_for_orphans()
        yield Point(scenario.name, "group", at, "again", tuple(again(box, library, new)))


def again(box: Box, library: Path, new: Seen) -> list[str]:
    """What is wrong after the command has been run again: it is not done, or plain git does not go on."""
    ended = strike.run(library, box.words, box.root, box.env)
    wrong = judge.difference(judge.seen(box.root, box.env), new)
    if wrong and ended.status:
        wrong = [f"{', '.join(wrong)}: {ended.err.decode().strip()[:200]}"]
    (box.root / "plain").write_bytes(b"plain\n")
    for words in (["git", "add", "plain"], ["git", "commit", "-q", "-m", "plain"]):
        ended = strike.run(library, words, box.root, box.env)
        wrong += [f"plain git: {ended.err.decode().strip()[:200]}"] if ended.status else []
    return wrong
