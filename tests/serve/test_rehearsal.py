"""A child rehearses before its call comes; that works, starts nothing, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from gitscalpel.serve.rehearsal import has_time
from tests.sandbox import Sandbox
from tests.serve.serving import Served, any_client

_REHEARSAL = 0.5
"""Seconds that are long enough for one."""
_REHEARSED = """
import gc, json, os, sys, tempfile
from functools import _lru_cache_wrapper
from pathlib import Path
from gitscalpel.cli import main
from gitscalpel.cli.app import prepare
from gitscalpel.git import opening
from gitscalpel.serve import warm
from gitscalpel.serve.rehearsal import CALLS, Rehearsal

def remembered():
    gc.unfreeze()
    caches = (each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper))
    sizes = {f"{each.__module__}.{each.__name__}": each.cache_info().currsize for each in caches}
    return {name: size for name, size in sizes.items() if name.startswith("gitscalpel.")}

warm.up()
opening.libgit2_is_at_hand = True
prepare()
rehearsal = Rehearsal(Path(sys.argv[1]), os.environ["PATH"])
rehearsal.prepare()
ended, started = [], []
def noted():
    try:
        main()
    except SystemExit as end:
        ended.append(end.code)
        raise
before = remembered()
sys.addaudithook(lambda event, _: started.append(event) if event in ("subprocess.Popen", "os.fork") else None)
rehearsal.hold(noted)
after = remembered()
print(json.dumps({
    "ended": ended, "calls": len(CALLS), "started": started, "temporary": tempfile.tempdir,
    "before": before, "remembered": [name for name, size in after.items() if size != before.get(name, 0)],
}))
"""


def rehearsed(folder: Path) -> dict[str, object]:
    """What a process has become that has rehearsed."""
    words = [sys.executable, "-c", _REHEARSED, str(folder)]
    done = subprocess.run(words, capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def test_calls_are_rehearsed_and_nothing_of_them_is_remembered(tmp_path: Path) -> None:
    found = rehearsed(tmp_path / "rehearsal")

    assert found["ended"] == [0] * int(str(found["calls"]))
    assert found["started"] == []
    assert found["temporary"] is None
    assert "gitscalpel.cli.app.parser" in str(found["before"])
    assert found["remembered"] == []


def test_nobody_rehearses_where_others_wait_for_a_processor() -> None:
    ours, theirs = socket.socketpair()
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    with ours, theirs:
        try:
            time.sleep(_REHEARSAL)
            threading.Timer(_REHEARSAL, ours.send, [b"."]).start()
            assert not has_time(theirs)
        finally:
            for each in others:
                each.kill()
                each.wait()


@any_client
def test_the_repository_of_rehearsals_is_gone_with_the_server(server: Served) -> None:
    folder = server.runtime / "git-scalpel"
    assert [*folder.glob("*.rehearsal/.git/HEAD")]

    assert server.calls() == 0

    assert not [*folder.glob("*.rehearsal")]


@any_client
def test_who_waits_has_rehearsed_and_is_the_caller_all_the_same(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    time.sleep(_REHEARSAL)

    done = server.call(
        repo.root, "write", "b.py", stdin=b"x = 2\n", GIT_AUTHOR_NAME="Bo", TMPDIR=str(tmp_path)
    )

    assert done.status == 0, done
    assert (repo.files(), repo.git("log", "-1", "--format=%an")) == (
        {"a.py": b"x = 1\n", "b.py": b"x = 2\n"},
        "Bo",
    )
    assert server.calls() == 1
