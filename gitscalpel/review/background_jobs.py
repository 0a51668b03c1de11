"""Background jobs for actions that take minutes because gates run. The page polls their progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from gitscalpel.api import Repository, ScalpelError, Spelling, unexpected_errors
from gitscalpel.workspace.caller import environment

_MAX_JOBS = 50
_MAX_LINES = 2_000
Work = Callable[[Repository], str]
"""Performs the action and returns a message about the result."""


class Job:
    """A background action.

    Attributes:
        number: id of the job on the page.
        what: description of the action.
        lines: output of the gates so far.
        said: result, or empty while the job runs.
        error: the error, or None.
    """

    def __init__(self, number: int, what: str) -> None:
        self.number, self.what = number, what
        self.lines: list[str] = []
        self.said = ""
        self.error: ScalpelError | None = None

    @property
    def is_done(self) -> bool:
        """True if the job has ended."""
        return bool(self.said) or self.error is not None

    def tell(self, words: str) -> None:
        """Record a progress message or the output of a gate."""
        self.lines += words.splitlines()
        del self.lines[:-_MAX_LINES]


class Jobs:
    """The most recent background jobs.

    Args:
        root: folder of the repository; each job opens it for itself.
        agent: name of the acting program, for the record.
        spelling: spelling of calls in messages and hints.
    """

    def __init__(self, root: Path, agent: str, spelling: Spelling) -> None:
        self._root, self._agent, self._spelling = root, agent, spelling
        self._lock = threading.Lock()
        self._next = 1
        self._known: dict[int, Job] = {}

    def start(self, what: str, work: Work) -> Job:
        """Start a job and return at once."""
        with self._lock:
            job = self._known[self._next] = Job(self._next, what)
            self._next += 1
            for number in list(self._known)[:-_MAX_JOBS]:
                if self._known[number].is_done:
                    del self._known[number]
        threading.Thread(target=self._run, args=(job, work), name=what).start()
        return job

    def get(self, number: int) -> Job | None:
        """Return a job, or None if it has been dropped."""
        return self._known.get(number)

    def _run(self, job: Job, work: Work) -> None:
        try:
            with Repository(
                self._root, notify=job.tell, show=job.tell, agent=self._agent, spelling=self._spelling
            ) as repo:
                job.said = work(repo)
        except BaseException as error:
            called = unexpected_errors.Called(
                lambda: ["review", job.what.split()[0]], environment(), job.tell
            )
            job.error = unexpected_errors.known(error, called)
