"""Random lives of a repository: whatever happens in it, it is as the model says."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis.stateful import invariant

from tests.model import states
from tests.model.states import PLACES, State
from tests.model.stepping import Stepping
from tests.model.surroundings import Surroundings


class Machine(Stepping, Surroundings):
    """All steps, and what must hold after each."""

    @invariant()
    def files_are_as_the_model_says(self) -> None:
        assert self._held() == states.texts(self.world.committed)
        assert self.repo.files() == states.texts(self.world.disk)

    @invariant()
    def nothing_else_has_changed(self) -> None:
        rows = self.repo.git("status", "--porcelain=v2", "--branch", "-uall", "--no-renames").splitlines()
        assert f"# branch.oid {self.world.tip}" in rows
        assert "# branch.head main" in rows
        assert sorted(_told(row) for row in rows if row[0] != "#") == sorted(self._status())

    @invariant()
    def the_open_transactions_are_as_the_model_says(self) -> None:
        found = self.opened.status()
        assert not found.recovery_pending
        assert {str(tx.tx) for tx in found.transactions} == set(self.world.open)
        for tx, known in self.world.open.items():
            assert self._held(tx) == states.texts(known.state)

    def _held(self, tx: str = "") -> dict[str, bytes]:
        view = self.opened.transaction(tx).view() if tx else self.opened.view()
        return {path: view.read(path) for path in view.matching("**")}

    def _status(self) -> Iterator[tuple[str, str, str]]:
        """How the files differ from the index and that from the commit, with the id in the index."""
        committed, index, disk = self.world.committed, self.world.index, self.world.seen
        ids = states.blobs(index)
        for path in PLACES:
            how = _letter(committed, index, path) + _letter(index, disk, path)
            if path in disk and path not in index:
                yield "?", path, ""
                how = how[0] + "."
            if how != "..":
                yield how, path, ids.get(path, "0" * 40)


def _letter(old: State, new: State, path: str) -> str:
    if old.get(path) == new.get(path):
        return "."
    return "A" if path not in old else "D" if path not in new else "M"


def _told(row: str) -> tuple[str, str, str]:
    """A row of git's: how, path, id."""
    parts = row.split(" ")
    return (parts[0], parts[-1], "") if parts[0] == "?" else (parts[1], parts[-1], parts[7])
