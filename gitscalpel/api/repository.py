"""A repository with all methods of the API."""

from __future__ import annotations

from gitscalpel.api.edits import Edits, Undoing
from gitscalpel.api.file_view import Views
from gitscalpel.api.history import History
from gitscalpel.api.maintenance import Hooks, Maintenance
from gitscalpel.api.open_repository import OpenRepository
from gitscalpel.api.snapshots import Snapshots
from gitscalpel.api.transaction import Transactions


class Repository(OpenRepository, Edits, Undoing, Transactions, History, Views, Snapshots, Maintenance, Hooks):
    """A git repository; close it, or use it in a ``with`` statement.

    Each call reads the current branches, files and transactions. Git's configuration is read once. Use it in
    one thread at a time.

    Args:
        path: a directory in the repository. None for the current one, where git's own variables count as
            well.
        notify: receives messages about slow actions and quarantined files.
        warn: receives messages about the recovery of killed commands. None for ``notify``.
        show: receives the output of gates while they run. None to discard it.
        agent: program that acts for the user, for the record. None for the value of ``SCALPEL_AGENT``.
        spelling: spelling of fields and calls in messages and findings.
        within: globs, as in ``.gitignore``, of the only paths that may be changed. None for all. Other paths
            are rejected (``policy_denied``), even if the repository allows them.
        allowed_folders: the only directories, relative to the root or absolute, whose files may be changed.
            None for no limit besides ``within``.
        tracker: a :class:`FileTracker` of what the caller has read. Edits of a file that was not read, or
            that has changed since, are rejected (``stale``). None to allow all edits.
        confirmed: client that says that a person has agreed to the request, for the record.
        stop: stop condition, set when the caller cancels the request. Its programs are stopped, and nothing
            lands (``interrupted``).
        long_lived: True if this process keeps running, so that importing libgit2, some 100 ms, pays off where
            it can open the repository.

    Raises:
        Misconfigured: ``not_a_repository``.
    """
