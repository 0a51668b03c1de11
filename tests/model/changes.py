"""Random changes of several files: what somebody asks for, or does by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.model import states
from tests.model.life import Life
from tests.model.states import IGNORED, PLACES, SLOTS, Change, Refusal, State


class Wish(NamedTuple):
    """A change by numbers, of files that are there and not ignored; or, now and then, of any."""

    kind: str
    path: int
    to: int
    slot: int
    any: bool

    def for_(self, state: State) -> Change:
        seen = PLACES[:-1]
        there, free = [path for path in seen if path in state], [path for path in seen if path not in state]
        if self.any or not there or not free:
            there = free = list(PLACES)
        among = free if self.kind == "write" else there
        path, to = among[self.path % len(among)], free[self.to % len(free)]
        return Change(self.kind, path, to if to != path else _other(path), self.slot)


def _other(path: str) -> str:
    return next(each for each in PLACES if each != path)


_kinds = st.sampled_from(("text", "text", "text", "write", "remove", "move_file"))
_odd = st.sampled_from((False,) * 9 + (True,))
_numbers = st.integers(0, len(PLACES) - 1)
wishes = st.lists(
    st.builds(Wish, _kinds, _numbers, _numbers, st.integers(0, SLOTS - 1), _odd), min_size=1, max_size=3
)


class Changes(Life):
    """Changes of the files on the disk."""

    def asked(self, wished: list[Wish]) -> tuple[list[dict[str, Any]], State | Refusal]:
        """The operations, and what they must leave."""
        operations, state, refusal = [], self.world.disk, None
        for wish in wished:
            change, value = wish.for_(state), self.value()
            operations.append(states.operation(state, change, value))
            try:
                state = states.changed(state, change, value)
            except Refusal as found:
                refusal = refusal or found
        paths = states.differing(self.world.disk, state)
        if not paths:
            refusal = refusal or Refusal("no_change")
        if IGNORED in paths and IGNORED in self.world.disk:
            refusal = refusal or Refusal("path_denied")
        return operations, refusal or state

    def by_hand(self, wished: list[Wish]) -> State:
        """What is left when somebody does what is possible of it."""
        state = self.world.disk
        for wish in wished:
            change = wish.for_(state)
            if change.kind == "write" or change.path in state:
                over = {"write": change.path, "move_file": change.to}.get(change.kind, "")
                state = states.changed(states.put(state, {over: None}), change, self.value())
        return state

    def script(self, after: State) -> str:
        """A shell's command line that leaves this."""
        lines = ["set -e"]
        for path in states.differing(self.world.disk, after):
            if path in after:
                wanted = self.folder / f"wanted {self.value()}"
                wanted.write_bytes(states.text(after[path]))
                lines.append(f"mkdir -p $(dirname {path}); cp '{wanted}' {path}")
            else:
                lines.append(f"rm {path}")
        return "\n".join(lines)
