"""Whether what several commands did at once is what some order of them, one after the other, does as well."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from functools import partial
from itertools import chain, permutations
from typing import TYPE_CHECKING

from tests.crash import judge
from tests.sandbox import Sandbox
from tests.schedules.starting import Ended, Place

if TYPE_CHECKING:
    from tests.schedules.stage import Stage

Seen = dict[str, object]
_OURS = "refs/scalpel/"
_LOCKED = re.compile(
    r"\.lock|cannot lock|File exists|unable to (create|write)|index file|cannot update", re.I
)
"""How git says that somebody else was faster, or holds what it needs."""
_ODD = re.compile(r"interrupt|quarantine|recover|Traceback|corrupt", re.I)
"""What nobody is to be told where nobody was killed."""


def seen(place: Place) -> Seen:
    """All that counts, without ids and times: two runs of the same give the same."""
    git = partial(judge.git, {**place.env, "GIT_OPTIONAL_LOCKS": "0"}, place.root)
    rows = [row.split(" ") for row in git("for-each-ref", "--format=%(refname) %(tree)").splitlines()]
    ours = [ref.removeprefix(_OURS) for ref, _ in rows if ref.startswith(_OURS)]
    return {
        "branches": [row for row in rows if row[0].startswith("refs/heads/")],
        "history": sorted(git("log", "--format=%s", "main").splitlines()),
        "head": (place.root / ".git/HEAD").read_bytes(),
        "index": git("ls-files", "--stage", "-v"),
        "files": Sandbox(place.root).files(),
        "status": git("status", "--porcelain=v1", "-uall"),
        "open": sorted(
            git("log", "-1", "--format=%s", "--name-only", "-m", f"{_OURS}{ref}")
            for ref in ours
            if ref.startswith("tx/")
        ),
        # An attempt that was refused may have saved what is uncommitted.
        "refs": Counter(ref.partition("/")[0] for ref in ours if ref != "saved"),
        "log": Counter(row.split(" ")[0] for row in git("log", "--format=%s", f"{_OURS}ops").splitlines()),
    }


def wrong(stage: Stage, ended: list[Ended], deep: bool) -> list[str]:
    """What is not as it should be, in words."""
    if any(each.status is None for each in ended):
        return [f"command {at} is stuck" for at, each in enumerate(ended) if each.status is None]
    now = seen(stage.place)
    found = [f"left: {name}" for name in judge.strays(stage.place.root, stage.known)]
    if deep:
        found += _unsound(stage)
    # From here on the repository is brought back to other states.
    found += [words for at, each in enumerate(ended) for words in _badly(stage, at, each)]
    return found + _no_order(stage, ended, now)


def _badly(stage: Stage, at: int, ended: Ended) -> list[str]:
    """What one command should not have been told."""
    who = f"command {at}"
    if _ODD.search(ended.err):
        return [f"{who} was told: {ended.err.strip()[-300:]}"]
    if ended.status == 0 or ended.code in stage.scenario.refusals:
        return []
    if stage.commands[at][0] == "git" and _LOCKED.search(ended.err):
        return []
    if (at, ended.code) in stage.codes:
        return []
    said = ended.answer.get("error", {}).get("message") or ended.err.strip()
    return [f"{who} was refused with {ended.code}: {said}"]


def _no_order(stage: Stage, ended: list[Ended], now: Seen) -> list[str]:
    """Who was refused has done nothing; all others have done what they do in some order."""
    done = [at for at, each in enumerate(ended) if each.status == 0]
    partly = [at for at in stage.scenario.partly if at not in done]
    nearest: list[str] | None = None
    for which in chain(permutations(done), permutations(done + partly) if partly else ()):
        codes, outcome = stage.one_by_one(which)
        if any(codes[at] for at in done):
            continue
        other = [key for key in now if now[key] != outcome[key]]
        if not other:
            return []
        if nearest is None or len(other) < len(nearest):
            nearest = [f"{key}: {now[key]!r}, not {outcome[key]!r}"[:900] for key in other]
    return [f"no order gives this: {nearest}"]


def _unsound(stage: Stage) -> list[str]:
    """What git and the tool itself say."""
    place = stage.place
    fsck = subprocess.run(
        ["git", "fsck", "--strict", "--no-progress", "--no-dangling"],
        cwd=place.root,
        env=dict(place.env),
        capture_output=True,
        check=False,
    )
    said = os.fsdecode(fsck.stdout + fsck.stderr)
    found = [f"git fsck: {said}"] if fsck.returncode or "error" in said or "missing" in said else []
    for verb in ("fsck", "recover"):
        told = stage.after("git-scalpel", verb, "--json")
        data = told.answer.get("data", {})
        if told.status or data.get("findings") or data.get("done"):
            found.append(f"{verb}: {told.code} {data} {told.err}")
    return found
