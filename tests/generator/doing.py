"""Does what a case says, as staging does, and knows the two states of the file."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.transaction.static_gates import judge
from tests.edit.editing import Files
from tests.generator.case import Op, Violation

LONGEST = 2.0
"""Seconds of this process that one edit of a small file may take."""


class Did(NamedTuple):
    """What a changeset did: the file as it is then, or the code of the refusal; and what went wrong."""

    code: str
    after: bytes | None = None
    outcome: Outcome | None = None
    wrong: tuple[Violation, ...] = ()


def do(path: str, before: bytes, ops: Sequence[Op], *, judged: bool = True) -> Did:
    """Apply and judge ``ops`` on one file."""
    began = time.process_time()
    did = _did(path, before, ops, judged=judged)
    took = time.process_time() - began
    if took > LONGEST:
        return did._replace(wrong=(*did.wrong, Violation("slow", f"took {took:.1f} s")))
    return did


def _did(path: str, before: bytes, ops: Sequence[Op], *, judged: bool) -> Did:
    try:
        outcome = apply(parse_operations([{"path": path, **op} for op in ops]), Files({path: before}))
        verdicts = judge(outcome, Rules()) if judged else ()
        refused = next((verdict.error for verdict in verdicts if verdict.error is not None), None)
    except ScalpelError as error:
        return _refused(error)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__} in {where.filename.rpartition('/')[2]} {where.name}"
        return Did("internal", wrong=(Violation("exception", words, str(error)[:200]),))
    if refused is not None:
        return _refused(refused)
    return Did("accepted", outcome.overlay.content(path), outcome)


def _refused(error: ScalpelError) -> Did:
    said = bool(error.message and error.hint)
    return Did(error.code, wrong=() if said else (Violation("error", "a refusal without a hint"),))
