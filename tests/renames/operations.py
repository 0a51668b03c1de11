"""Operations that are drawn, executed and judged in real projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.renames import definition_moves, file_moves
from tests.renames.checks import Check, Problem
from tests.renames.judge import Outcome, judge_rename
from tests.renames.project import Project
from tests.renames.random_names import draw


class Operation(NamedTuple):
    """An operation of the harness.

    Attributes:
        draw: function that returns a call for a project, a language and a seed, or None if there is none.
        judge: function that executes a drawn call, judges the project and restores all files.
        runs: True to import all modules and to collect the tests, too.
    """

    draw: Callable[[Project, str, int], Any]
    judge: Callable[[Project, Any, Check | None, Sequence[Problem]], Outcome]
    runs: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "rename": Operation(draw, judge_rename),
    "mv": Operation(file_moves.draw_move, file_moves.judge_move, runs=True),
    "move": Operation(definition_moves.draw_definition, definition_moves.judge_definition, runs=True),
}
