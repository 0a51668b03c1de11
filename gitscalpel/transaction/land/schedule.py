"""Earliest landing times: a moment, or a daily window, by this machine's clock.

A caller waits for at most its timeout, and is refused at once if that is too short. Nothing is
scheduled: the transaction stays open until a caller lands it.
"""

from __future__ import annotations

import math
import re
import time
from datetime import datetime, timedelta

import msgspec

from gitscalpel.errors import BadCall, TryAgain
from gitscalpel.errors.messages import arg

_DAYTIME = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_PAUSE = 15.0
"""Seconds after which the clock is read again: it may be set, and the machine may have slept."""


class Window(msgspec.Struct, frozen=True):
    """A part of each day; one that ends before it starts goes on past midnight.

    Attributes:
        start, end: minutes from midnight; the end is not part of it.
    """

    start: int
    end: int

    def has(self, now: datetime) -> bool:
        """Return True if a moment lies in it."""
        minute = now.hour * 60 + now.minute
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end

    def opens(self, now: datetime) -> datetime:
        """Return the next moment from ``now`` on that lies in it."""
        if self.has(now):
            return now
        start = now.replace(hour=self.start // 60, minute=self.start % 60, second=0, microsecond=0)
        return start if start > now else start + timedelta(days=1)


def read_moment(text: str) -> datetime:
    """Return a time: HH:MM of today, or a date and time in ISO 8601, local where it names no offset.

    Raises:
        BadCall: ``invalid_args``.
    """
    found = _DAYTIME.fullmatch(text.strip())
    if found is not None:
        return now().replace(hour=int(found["hour"]), minute=int(found["minute"]), second=0, microsecond=0)
    try:
        return datetime.fromisoformat(text.strip().replace("Z", "+00:00")).astimezone()
    except ValueError:
        raise BadCall(
            "invalid_args",
            f"not a time: {text!r}",
            f"give {arg('not_before')} as HH:MM (of today) or as a date and time (2030-01-31T22:00)",
        ) from None


def read_window(text: str) -> Window:
    """Return a window ``HH:MM-HH:MM``.

    Raises:
        BadCall: ``invalid_args``.
    """
    first, _, last = text.partition("-")
    both = [_DAYTIME.fullmatch(each.strip()) for each in (first, last)]
    minutes = [int(each["hour"]) * 60 + int(each["minute"]) for each in both if each is not None]
    if len(minutes) != 2 or minutes[0] == minutes[1]:
        hint = f"give {arg('window')} as HH:MM-HH:MM, such as 22:00-06:00"
        raise BadCall("invalid_args", f"not a part of a day: {text!r}", hint)
    return Window(*minutes)


def await_moment(moment: datetime, seconds: float) -> None:
    """Wait until a moment, for so many seconds at most.

    Raises:
        TryAgain: ``too_early``: it is later than that; nothing was waited for.
    """
    left = _left(moment)
    if left > seconds:
        raise too_early(moment)
    while left > 0:
        time.sleep(min(left, _PAUSE))
        left = _left(moment)


def too_early(moment: datetime) -> TryAgain:
    """Return the refusal of what may not land before a moment."""
    left = _left(moment)
    when = moment.isoformat(sep=" ", timespec="minutes")
    return TryAgain(
        "too_early",
        f"nothing lands before {when}; it stays open",
        f"land it then, or give {arg('wait', math.ceil(left))} to wait for it",
        not_before=moment.isoformat(timespec="seconds"),
        seconds=round(left, 3),
    )


def now() -> datetime:
    """Return the time by the clock of this machine, with its offset."""
    return datetime.now().astimezone()


def _left(moment: datetime) -> float:
    return (moment - now()).total_seconds()
