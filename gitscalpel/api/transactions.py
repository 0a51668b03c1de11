"""Open transactions: begin one, find one by its id, drop one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gitscalpel.errors import Damaged, DoesNotFit

if TYPE_CHECKING:
    from gitscalpel.api.transaction import Transaction
    from gitscalpel.transaction.result import Result
from gitscalpel.api.open_repository import OpenRepository
from gitscalpel.landing import landing, staging
from gitscalpel.transaction import recovery
from gitscalpel.transaction.change import load_change


class Transactions(OpenRepository):
    """Open, find and drop transactions."""

    def begin(
        self, message: str | None = None, *, onto: str | None = None, adopt: Sequence[str] = ()
    ) -> Transaction:
        """Open a transaction.

        Args:
            message: of its commit; None: one that says what was done.
            onto: its branch; None: the one that is checked out.
            adopt: files and folders whose uncommitted changes it takes in, as a commit of their own.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``file_not_found``, or ``no_change``: nothing there is uncommitted.
            NotAllowed: ``path_denied``: ignored, or outside of the repository.
        """
        from gitscalpel.api.transaction import Transaction

        recovery.recover_pending(self._ws)
        return Transaction(
            self._ws, staging.begin(self._ws, self._ws.at(self._ws.repo.branch(onto)), message, adopt)
        )

    def transaction(self, id: str) -> Transaction:  # noqa: A002 - what it is called everywhere
        """An open transaction, by its id or the first characters of it.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        """
        from gitscalpel.api.transaction import Transaction

        return Transaction(self._ws, load_change(self._ws, id))

    def drop(self, id: str) -> Result:  # noqa: A002
        """Give an open transaction up, also one whose record is damaged; its commit is kept for a while.

        Raises:
            DoesNotFit: ``tx_not_found``, or ``tx_closed``.
        """
        try:
            return self.transaction(id).drop()
        except (Damaged, DoesNotFit, KeyError) as error:  # KeyError: an object is missing
            if isinstance(error, DoesNotFit) and error.code != "tx_not_found":
                raise
            with suppress(DoesNotFit):
                return landing.drop_damaged(self._ws, id)
            raise
