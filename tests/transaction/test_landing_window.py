"""``--not-before`` and ``--window``: no change lands before a time or outside of a part of the day."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from gitscalpel import BadCall, Repository, Text
from gitscalpel.landing import queue
from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.txt": b"one\ntwo\n"})


def stage_edit(repo: Sandbox, old: str = "one") -> str:
    with Repository(repo.root) as opened:
        tx = opened.begin()
        tx.edit(Text(path="a.txt", old=old, new=old.upper()))
        return tx.id


def time_in(hours: float) -> str:
    return (queue.local_time() + timedelta(hours=hours)).isoformat()


def clock_time_in(hours: float) -> str:
    return (queue.local_time() + timedelta(hours=hours)).strftime("%H:%M")


def test_landing_before_the_time_is_rejected(repo: Sandbox) -> None:
    tx, before = stage_edit(repo), repo.tip()
    answer = scalpel(repo.root, "land", tx, "--not-before", time_in(2), "-m", "other", "--json")
    assert (answer.status, answer.error["code"], answer.error["retryable"]) == (75, "too_early", True)
    assert 7000 < answer.error["data"]["seconds"] <= 7200
    assert repo.tip() == before
    (row,) = scalpel(repo.root, "list", "--json").data["transactions"]
    assert (row["tx"], row["message"]) == (tx, "Edit a.txt")


def test_landing_after_the_time_succeeds(repo: Sandbox) -> None:
    assert (
        scalpel(repo.root, "land", stage_edit(repo), "--not-before", time_in(-1), "--json").data["state"]
        == "landed"
    )


def test_wait_lands_at_the_time(repo: Sandbox) -> None:
    tx, began = stage_edit(repo), time.monotonic()
    moment = (queue.local_time() + timedelta(seconds=1.5)).isoformat()
    with Repository(repo.root) as opened:
        assert opened.transaction(tx).land(not_before=moment, wait=60).landed is not None
    assert time.monotonic() - began >= 1.4


def test_queue_lands_only_in_its_window(repo: Sandbox) -> None:
    tx = stage_edit(repo)
    closed = f"{clock_time_in(2)}-{clock_time_in(4)}"
    error = scalpel(repo.root, "queue", "--window", closed, "--json").error
    assert error["code"] == "too_early"
    assert scalpel(repo.root, "list", "--json").data["transactions"][0]["tx"] == tx
    current = f"{clock_time_in(-1)}-{clock_time_in(1)}"
    assert [
        one["tx"] for one in scalpel(repo.root, "queue", "--window", current, "--json").data["landed"]
    ] == [tx]


def test_rest_of_a_queue_stays_open_after_its_window(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = stage_edit(repo), stage_edit(repo, "two")
    window_states = iter([True, True])  # at the start, and for the first batch
    monkeypatch.setattr(queue.Window, "has", lambda *_: next(window_states, False))
    with Repository(repo.root) as opened:
        result = opened.queue(batch=1, window="00:00-23:59")
    assert [one.tx for one in result.landed] == [first]
    assert [(one.tx, one.error.code) for one in result.stayed] == [(second, "too_early")]


@pytest.mark.parametrize(
    ("window", "now", "opens"),
    [
        ("22:00-06:00", "2030-01-01T23:00", "2030-01-01T23:00"),
        ("22:00-06:00", "2030-01-02T05:59", "2030-01-02T05:59"),
        ("22:00-06:00", "2030-01-02T06:00", "2030-01-02T22:00"),
        ("09:00-17:00", "2030-01-01T08:59", "2030-01-01T09:00"),
        ("9:00-17:00", "2030-01-01T17:00", "2030-01-02T09:00"),
    ],
)
def test_window_opens_at_its_next_start(window: str, now: str, opens: str) -> None:
    assert queue.read_window(window).opens(datetime.fromisoformat(now)) == datetime.fromisoformat(opens)


@pytest.mark.parametrize("text", ["", "22:00", "22:00-", "22:00-25:00", "9-17", "22:00-22:00", "a-b"])
def test_invalid_window_is_rejected(text: str) -> None:
    with pytest.raises(BadCall):
        queue.read_window(text)


def test_invalid_time_is_rejected(repo: Sandbox) -> None:
    tx = stage_edit(repo)
    for text in ("25:00", "tomorrow", ""):
        assert scalpel(repo.root, "land", tx, "--not-before", text, "--json").error["code"] == "invalid_args"


def test_time_is_of_today_or_in_iso_8601() -> None:
    moment = queue.read_moment("22:30")
    assert (moment.date(), moment.hour, moment.minute) == (queue.local_time().date(), 22, 30)
    assert queue.read_moment("2030-01-31T22:00Z") == datetime.fromisoformat("2030-01-31T22:00+00:00")
    assert queue.read_moment("2030-01-31 22:00").hour == 22
