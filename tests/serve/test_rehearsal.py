"""A server rehearses before calls come; that works, starts nothing, and leaves nothing behind."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.serve.serving import Served, any_client

_ADVISES = sys.platform == "linux" and tuple(map(int, platform.release().split(".")[:2])) >= (5, 14)
_READY = 0.2
"""Seconds in which a child that waits is ready."""
_REHEARSED = """
import gc, json, os, sys, tempfile
from functools import _lru_cache_wrapper
from pathlib import Path
from gitscalpel.cli import main
from gitscalpel.cli.app import prepare
from gitscalpel.git import opening
from gitscalpel.serve import warm
from gitscalpel.serve.rehearsal import CALLS, rehearse

def remembered():
    gc.unfreeze()
    caches = (each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper))
    sizes = {f"{each.__module__}.{each.__name__}": each.cache_info().currsize for each in caches}
    return {name: size for name, size in sizes.items() if name.startswith("gitscalpel.")}

warm.up()
languages = warm.Languages()
while languages.left:
    languages.read_one()
opening.libgit2_is_at_hand = True
prepare()
ended, started = [], []
def noted():
    if not ended:
        started.clear()  # the repository is made
    try:
        main()
    except SystemExit as end:
        ended.append(end.code)
        raise
before = remembered()
sys.addaudithook(lambda event, _: started.append(event) if event in ("subprocess.Popen", "os.fork") else None)
rehearse(Path(sys.argv[1]), os.environ["PATH"], noted)
after = remembered()
print(json.dumps({
    "ended": ended, "calls": len(CALLS), "started": started, "temporary": tempfile.tempdir,
    "before": before, "remembered": [name for name, size in after.items() if size != before.get(name, 0)],
}))
"""

_LEFT = """
import json, os, signal, sys, threading
from pathlib import Path
from gitscalpel.cli import main
from gitscalpel.git import opening
from gitscalpel.serve import warm
from gitscalpel.serve.rehearsal import rehearse

warm.up()
warm.Languages().read_one()
opening.libgit2_is_at_hand = True

def state():
    return {
        "files": sorted(os.listdir("/dev/fd")), "threads": threading.active_count(), "folder": os.getcwd(),
        "environment": dict(os.environ), "words": sys.argv, "mask": sorted(signal.pthread_sigmask(0, ())),
        "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "streams": [each.name for each in (sys.stdin, sys.stdout, sys.stderr)], "hook": str(sys.excepthook),
        "modules": len(sys.modules), "page": sorted({"jinja2", "starlette"} & sys.modules.keys()),
    }

before = state()
rehearse(Path(sys.argv[1]), os.environ["PATH"], main)
print(json.dumps([before, state()]))
"""
_MANY = 1_600
_COPIED = f"""
import json, os, resource, socket
from gitscalpel.serve import child, client, peer, sources
from gitscalpel.serve.pages import Written

written = Written()
rooms = [bytearray(16_384) for _ in range({4 * _MANY})]

def faults(numbers):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for number in numbers:
        rooms[number][8_000] = 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def called(numbers):
    # What a call that writes to these rooms has to copy, in a child that has waited for it.
    reading, writing = os.pipe()
    if not os.fork():
        written.copy()
        world = peer.own()
        ours, theirs = socket.socketpair()
        client.ask(ours, "kind", [], dict(os.environ))
        ours.send(b"!")
        main = lambda: os.write(writing, str(faults(numbers)).encode())
        child.take(theirs, child.Server("kind", sources.look(), world, main, written))
    os.wait()
    return int(os.read(reading, 100))

some, others = range({_MANY}), range({_MANY}, {2 * _MANY})
print(json.dumps([
    called(some), called(some),
    called(others), called(others), called(some),
    called(range({4 * _MANY})), called(range({2 * _MANY}, {4 * _MANY})),
]))
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


def test_who_has_rehearsed_is_what_he_was(tmp_path: Path) -> None:
    words = [sys.executable, "-c", _LEFT, str(tmp_path / "rehearsal")]
    done = subprocess.run(words, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    before, after = json.loads(done.stdout)
    assert before == after
    assert before["page"] == [], "which no server shows"


@pytest.mark.skipif(not _ADVISES, reason="the system does not copy pages before they are written to")
def test_what_a_call_had_to_copy_is_copied_beforehand_for_those_after_it() -> None:
    done = subprocess.run([sys.executable, "-c", _COPIED], capture_output=True, check=True)
    first, again, another, another_again, once_more, much, too_much = json.loads(done.stdout)
    assert min(first, another) > _MANY
    assert max(again, another_again, once_more) < _MANY / 5
    assert min(much, too_much) > _MANY, "what takes so much memory is not kept ready"


@any_client
def test_the_repository_of_rehearsals_is_gone_before_the_first_call(server: Served) -> None:
    folder = server.runtime / "git-scalpel"
    assert not [*folder.glob("*.rehearsal")]
    assert server.calls() == 0


@any_client
def test_who_is_ready_is_the_caller_all_the_same(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    time.sleep(_READY)

    done = server.call(
        repo.root, "write", "b.py", stdin=b"x = 2\n", GIT_AUTHOR_NAME="Bo", TMPDIR=str(tmp_path)
    )

    assert done.status == 0, done
    assert (repo.files(), repo.git("log", "-1", "--format=%an")) == (
        {"a.py": b"x = 1\n", "b.py": b"x = 2\n"},
        "Bo",
    )
    assert server.calls() == 1
