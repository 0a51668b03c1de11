"""A repository with all methods of the API."""

from __future__ import annotations

from gitscalpel.api.edits import Edits, Undoing
from gitscalpel.api.file_view import Views
from gitscalpel.api.history import History
from gitscalpel.api.maintenance import Hooks, Maintenance
from gitscalpel.api.snapshots import Snapshots
from gitscalpel.api.transaction import Transactions


class Repository(Edits, Undoing, Transactions, History, Views, Snapshots, Maintenance, Hooks):
    """A git repository; close it, or use it in a ``with`` statement.

    Branches, files and transactions are seen as they are at each call; git's configuration is
    read once. One thread at a time.

    Args:
        path: a folder in it; None: the current one, where git's own variables count as well.
        notify: told, in words, what takes a while and what was set aside.
        warn: told what killed commands had left, and what became of it; None: ``notify`` is.
        show: told what gates print while they run; None: nobody is.
        agent: the program that acts for the user, for the record; None: as ``SCALPEL_AGENT`` says.
        spelling: how fields and calls are written in what is told, and in findings.
        within: globs, as in ``.gitignore``, of the only paths that may be changed; None: all. What is outside
            is refused (``policy_denied``), whatever the repository allows.
        allowed_folders: the only folders, relative to the root or absolute, whose files may be changed; None:
            as ``within`` says.
        tracker: a :class:`FileTracker` of what the caller has read: an edit of a file that was not read, or
            that has changed since, is refused (``stale``). None: anything may be edited.
        confirmed: the client that says that a person has agreed to what is asked for, for the record.
        stop: says when the caller no longer wants what is under way: its programs are ended, and nothing
            lands (``interrupted``).
        long_lived: this process stays, so libgit2 is worth its import of some 100 ms, where it
            can open the repository.

    Raises:
        Misconfigured: ``not_a_repository``.
    """
