"""Operations that are drawn, done and judged on real projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.renames import definition_moves, file_moves
from tests.renames.checks import Check, Problem
from tests.renames.drawn import draw
from tests.renames.judge import Outcome, renamed
from tests.renames.project import Project


class Operation(NamedTuple):
    """An operation of the harness.

    Attributes:
        draw: returns a call for a project, a language and a seed, or None if there is no such call.
        judge: does a drawn call, judges the project and puts all files back.
        runs: also run the program: import its modules and collect its tests.
    """

    draw: Callable[[Project, str, int], Any]
    judge: Callable[[Project, Any, Check | None, Sequence[Problem]], Outcome]
    runs: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "rename": Operation(draw, renamed),
    "mv": Operation(file_moves.draw_move, file_moves.judge_move, runs=True),
    "move": Operation(definition_moves.draw_definition, definition_moves.judge_definition, runs=True),
}
