"""Steps are taken back and made again: the last one wherever it was, or an older one by its name."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model import states
from tests.model.branch import Branch
from tests.model.checkout import Checkout
from tests.model.life import Call
from tests.model.records import Edit, Step
from tests.model.states import Refusal

_kills = st.just(0) | st.integers(1, 22)


class Stepping(Branch, Checkout):
    """Undo and redo."""

    @precondition(lambda self: self.world.undoable)
    @rule(kill=_kills)
    def undo(self, kill: int) -> None:
        step = next((each for each in reversed(self.world.undoable) if not self._is_gone(each)), None)
        if step is None:
            self.rewritten("undo", Refusal("nothing_to_undo"), lambda repo: repo.undo(), 0)
        else:
            self._undo(step, lambda repo: repo.undo(), kill)

    @precondition(lambda self: len(self.world.undoable) > 1)
    @rule(number=st.integers(0, 99), kill=_kills)
    def undo_by_name(self, number: int, kill: int) -> None:
        step = self.world.undoable[number % len(self.world.undoable)]
        self._undo(step, lambda repo: repo.undo(step.tx), kill)

    @precondition(lambda self: self.edits())
    @rule(number=st.integers(0, 99), kill=_kills)
    def undo_all_since(self, number: int, kill: int) -> None:
        edits = self.edits()
        steps = edits[number % len(edits) :][::-1]
        undone = self._edits_taken_back("undo since", steps, lambda repo: repo.undo_since(steps[-1].tx), kill)
        if undone:
            self.world.undoable = [each for each in self.world.undoable if each not in steps]
            self.world.redoable += undone

    @precondition(lambda self: self.world.redoable)
    @rule(kill=_kills)
    def redo(self, kill: int) -> None:
        step = self.world.redoable[-1]
        for again in self._taken_back("redo", step, lambda repo: repo.redo(), kill):
            self.world.redoable.remove(step)
            self.world.undoable.append(again)

    @precondition(lambda self: not (self.world.undoable and self.world.redoable) and self.now_and_then())
    @rule()
    def undo_and_redo_nothing(self) -> None:
        if not self.world.undoable:
            self.rewritten("undo", Refusal("nothing_to_undo"), lambda repo: repo.undo(), 0)
        if not self.world.redoable:
            self.rewritten("redo", Refusal("nothing_to_undo"), lambda repo: repo.redo(), 0)

    def _is_gone(self, step: Step) -> bool:
        """Whether the files contain nothing of an edit any more: it is passed over, if nobody names it."""
        if not isinstance(step, Edit):
            return False
        after = states.outcome(lambda: self.world.taken_back([step])[-1])
        return isinstance(after, Refusal) and "nothing_to_undo" in after.codes

    def edits(self) -> list[Edit]:
        return [each for each in self.world.undoable if isinstance(each, Edit)]

    def _undo(self, step: Step, call: Call, kill: int) -> None:
        for undone in self._taken_back("undo", step, call, kill):
            self.world.undoable.remove(step)
            self.world.redoable.append(undone)

    def _taken_back(self, what: str, step: Step, call: Call, kill: int) -> Sequence[Step]:
        """The step that takes one back, if there is one."""
        if isinstance(step, Edit):
            return self._edits_taken_back(f"{what} checkout", [step], call, kill)
        after = states.outcome(lambda: self.world.without(step))
        moved = self.moved(what, after, call, kill, step)
        if moved is not None:
            moved.tx = step.tx
        return [moved] if moved else []

    def _edits_taken_back(self, what: str, steps: list[Edit], call: Call, kill: int) -> list[Edit]:
        """The steps that take these back, all of them or none."""
        after = states.outcome(lambda: self.world.taken_back(steps)[-1])
        went = [] if isinstance(after, Refusal) else self.world.taken_back(steps)
        if not self.rewritten(what, after, call, kill, makes=True).made:
            return []
        rows = zip(steps, went, went[1:], strict=False)
        return [Edit.between(step.tx, found, left) for step, found, left in rows]
