"""The repository lock has one holder, and waiters get it in the order of arrival."""

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


def test_waiters_get_the_lock_in_order(tmp_path: Path) -> None:
    order: list[int] = []

    def take(number: int) -> None:
        with repo_lock.hold_lock(tmp_path):
            order.append(number)
            time.sleep(0.02)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    with repo_lock.hold_lock(tmp_path):
        for waiting, thread in enumerate(threads, 1):
            thread.start()
            while len(list((tmp_path / "lock.line").glob("*"))) < waiting:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert list((tmp_path / "lock.line").iterdir()) == []


def test_waiter_does_not_give_up_while_holders_change(tmp_path: Path) -> None:
    """Eight holders of 0.1 s each, with a timeout of 0.6 s."""
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


def test_waiter_gives_up_on_an_idle_holder(tmp_path: Path) -> None:
    with (
        repo_lock.hold_lock(tmp_path),
        pytest.raises(TryAgain) as caught,
        repo_lock.hold_lock(tmp_path, timeout=0.05),
    ):
        pass
    assert caught.value.code == "busy"
    assert caught.value.data["pid"] == os.getpid()
    assert list((tmp_path / "lock.line").iterdir()) == []


def test_waiter_waits_for_a_holder_that_has_not_signed(tmp_path: Path) -> None:
    """A new lock is empty between its creation and the signature of the holder."""
    held = threading.Event()

    def take() -> None:
        with repo_lock.try_hold_lock(tmp_path / "lock") as lock:
            assert lock is not None
            held.set()
            time.sleep(0.2)

    thread = threading.Thread(target=take)
    thread.start()
    held.wait()
    with repo_lock.hold_lock(tmp_path, timeout=5):
        thread.join()


def test_killed_waiter_does_not_block_the_queue(tmp_path: Path) -> None:
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


def test_waiter_waits_for_a_holder_that_signals_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repo_lock, "SIGN_INTERVAL_S", 0.1)
    held = threading.Event()

    def work() -> None:
        with repo_lock.hold_lock(tmp_path) as lock, repo_lock.signal_progress(lock):
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


def test_served_waiter_gets_the_answer_without_the_lock(tmp_path: Path) -> None:
    answers: list[repo_lock.Lock | repo_lock.ServedAnswer] = []

    def wait_in_queue() -> None:
        with repo_lock.hold_unless_served(tmp_path, "lock", 60, lambda: b"please") as got:
            answers.append(got)

    thread = threading.Thread(target=wait_in_queue)
    with repo_lock.hold_lock(tmp_path):
        thread.start()
        while not (tickets := [each.take() for each in repo_lock.iter_queue(tmp_path, "lock")]):
            time.sleep(0.005)
        (ticket,) = tickets
        assert ticket is not None
        assert ticket.request == b"please"
        assert list(
            repo_lock.iter_queue(tmp_path, "lock")
        )  # another process may take the ticket if this one dies
        ticket.answer(b"done")
        assert list(repo_lock.iter_queue(tmp_path, "lock")) == []
    thread.join()
    assert answers == [repo_lock.ServedAnswer(b"done")]


def test_waiter_that_gave_up_is_not_served(tmp_path: Path) -> None:
    with repo_lock.hold_lock(tmp_path):
        ticket = QueueTicket(tmp_path / "lock.line", b"please")
        (waiting,) = repo_lock.iter_queue(tmp_path, "lock")
        assert ticket.give_up()
        assert waiting.take() is None
        ticket.leave()


def test_taken_waiter_waits_for_its_answer(
    tmp_path: Path,
) -> None:
    """The timeout is 0.2 s, and the answer comes after 0.3 s."""
    answers: list[repo_lock.Lock | repo_lock.ServedAnswer] = []

    def wait_in_queue() -> None:
        with repo_lock.hold_unless_served(tmp_path, "lock", 0.2, lambda: b"please") as got:
            answers.append(got)

    thread = threading.Thread(target=wait_in_queue)
    with repo_lock.hold_lock(tmp_path):
        thread.start()
        while not (tickets := [each.take() for each in repo_lock.iter_queue(tmp_path, "lock")]):
            time.sleep(0.005)
        time.sleep(0.3)
        assert tickets[0] is not None
        tickets[0].answer(b"done")
    thread.join()
    assert answers == [repo_lock.ServedAnswer(b"done")]


_WAIT_IN_QUEUE = """
import sys
from pathlib import Path
from gitscalpel.system import repo_lock
with repo_lock.hold_unless_served(Path(sys.argv[1]), "lock", 60, lambda: b"please") as got:
    print(got)
"""


@pytest.mark.parametrize("is_taken", [True, False])
def test_interrupt_of_a_taken_waiter_is_ignored(tmp_path: Path, is_taken: bool) -> None:
    with repo_lock.hold_lock(tmp_path):
        words = [sys.executable, "-c", _WAIT_IN_QUEUE, str(tmp_path)]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not (tickets := list(repo_lock.iter_queue(tmp_path, "lock"))):
            time.sleep(0.005)
        lock = tickets[0].take() if is_taken else None
        time.sleep(0.3)  # until the child waits
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        if lock is not None:
            lock.answer(b"done")
    out, _ = child.communicate(timeout=30)
    assert out == ("ServedAnswer(answer=b'done')\n" if is_taken else "")
    assert (child.returncode == 0) is is_taken


def test_directory_can_be_created_concurrently(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for number in range(1_000):
            folder = tmp_path / str(number)
            assert set(pool.map(private_files.ensure_folder, [folder] * 8)) == {folder}
