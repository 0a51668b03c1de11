"""The tool's lock: one holder, and whoever waits gets it in the order of coming."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitscalpel.errors import TryAgain
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.repo_lock import QueueTicket


def test_who_waits_gets_it_in_the_order_of_coming(tmp_path: Path) -> None:
    got: list[int] = []

    def take(number: int) -> None:
        with repo_lock.hold_lock(tmp_path):
            got.append(number)
            time.sleep(0.02)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    with repo_lock.hold_lock(tmp_path):
        for waiting, thread in enumerate(threads, 1):
            thread.start()
            while len(list((tmp_path / "lock.line").glob("*"))) < waiting:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert got == list(range(8))
    assert list((tmp_path / "lock.line").iterdir()) == []


def test_as_long_as_others_come_and_go_nobody_gives_up(tmp_path: Path) -> None:
    """Eight holders of 0.1 s each, and nobody waits for one longer than 0.6 s."""
    refused: list[TryAgain] = []

    def take() -> None:
        try:
            with repo_lock.hold_lock(tmp_path, timeout=0.6):
                time.sleep(0.1)
        except TryAgain as error:
            refused.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []


def test_a_holder_that_does_nothing_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with (
        repo_lock.hold_lock(tmp_path),
        pytest.raises(TryAgain) as caught,
        repo_lock.hold_lock(tmp_path, timeout=0.05),
    ):
        pass
    assert caught.value.code == "busy"
    assert caught.value.data["pid"] == os.getpid()
    assert list((tmp_path / "lock.line").iterdir()) == []


def test_a_holder_that_has_not_signed_yet_is_waited_for(tmp_path: Path) -> None:
    """In a lock that is new, nothing stands between the moment in which it is taken and that of the sign."""
    held = threading.Event()

    def take() -> None:
        with repo_lock.try_hold_lock(tmp_path / "lock") as mine:
            assert mine is not None
            held.set()
            time.sleep(0.2)

    thread = threading.Thread(target=take)
    thread.start()
    held.wait()
    with repo_lock.hold_lock(tmp_path, timeout=5):
        thread.join()


def test_who_was_killed_in_line_keeps_nobody_waiting(tmp_path: Path) -> None:
    words = (
        "import sys; from gitscalpel.system import repo_lock as lock; "
        "lock.hold_lock(lock.Path(sys.argv[1])).__enter__()"
    )
    with repo_lock.hold_lock(tmp_path):
        child = subprocess.Popen([sys.executable, "-c", words, str(tmp_path)])
        while not list((tmp_path / "lock.line").glob("*")):
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
        child.wait()
    with repo_lock.hold_lock(tmp_path, timeout=1):
        assert list((tmp_path / "lock.line").iterdir()) == []


def test_a_holder_that_says_that_he_is_at_work_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repo_lock, "SIGN_INTERVAL_S", 0.1)
    held = threading.Event()

    def work() -> None:
        with repo_lock.hold_lock(tmp_path) as mine, repo_lock.signal_progress(mine):
            held.set()
            time.sleep(1.5)

    thread = threading.Thread(target=work)
    thread.start()
    held.wait()
    began = time.monotonic()
    with repo_lock.hold_lock(tmp_path, timeout=0.5):
        waited = time.monotonic() - began
    thread.join()
    assert waited > 1


def test_who_is_served_has_the_answer_and_not_the_lock(tmp_path: Path) -> None:
    heard: list[repo_lock.Lock | repo_lock.ServedAnswer] = []

    def wish() -> None:
        with repo_lock.hold_unless_served(tmp_path, "lock", 60, lambda: b"please") as got:
            heard.append(got)

    thread = threading.Thread(target=wish)
    with repo_lock.hold_lock(tmp_path):
        thread.start()
        while not (there := [each.take() for each in repo_lock.iter_queue(tmp_path, "lock")]):
            time.sleep(0.005)
        (taken,) = there
        assert taken is not None
        assert taken.request == b"please"
        assert list(repo_lock.iter_queue(tmp_path, "lock"))  # somebody else may take it if this one dies
        taken.answer(b"done")
        assert list(repo_lock.iter_queue(tmp_path, "lock")) == []
    thread.join()
    assert heard == [repo_lock.ServedAnswer(b"done")]


def test_who_has_given_up_is_not_served(tmp_path: Path) -> None:
    with repo_lock.hold_lock(tmp_path):
        place = QueueTicket(tmp_path / "lock.line", b"please")
        (waiting,) = repo_lock.iter_queue(tmp_path, "lock")
        assert place.give_up()
        assert waiting.take() is None
        place.leave()


def test_who_has_been_taken_along_does_not_give_up_before_it_is_known_what_became_of_it(
    tmp_path: Path,
) -> None:
    """Nothing moves for 0.2 s; it is told after 0.3."""
    heard: list[repo_lock.Lock | repo_lock.ServedAnswer] = []

    def wish() -> None:
        with repo_lock.hold_unless_served(tmp_path, "lock", 0.2, lambda: b"please") as got:
            heard.append(got)

    thread = threading.Thread(target=wish)
    with repo_lock.hold_lock(tmp_path):
        thread.start()
        while not (there := [each.take() for each in repo_lock.iter_queue(tmp_path, "lock")]):
            time.sleep(0.005)
        time.sleep(0.3)
        assert there[0] is not None
        there[0].answer(b"done")
    thread.join()
    assert heard == [repo_lock.ServedAnswer(b"done")]


_WISHES = """
import sys
from pathlib import Path
from gitscalpel.system import repo_lock
with repo_lock.hold_unless_served(Path(sys.argv[1]), "lock", 60, lambda: b"please") as got:
    print(got)
"""


@pytest.mark.parametrize("taken", [True, False])
def test_an_interrupt_comes_too_late_where_somebody_does_it_already(tmp_path: Path, taken: bool) -> None:
    with repo_lock.hold_lock(tmp_path):
        words = [sys.executable, "-c", _WISHES, str(tmp_path)]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not (there := list(repo_lock.iter_queue(tmp_path, "lock"))):
            time.sleep(0.005)
        mine = there[0].take() if taken else None
        time.sleep(0.3)  # it waits by now
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        if mine is not None:
            mine.answer(b"done")
    out, _ = child.communicate(timeout=30)
    assert out == ("ServedAnswer(answer=b'done')\n" if taken else "")
    assert (child.returncode == 0) is taken


def test_a_folder_that_several_make_in_the_same_moment_is_there_for_all(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for number in range(1_000):
            place = tmp_path / str(number)
            assert set(pool.map(private_files.ensure_folder, [place] * 8)) == {place}
