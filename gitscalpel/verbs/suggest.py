"""The team's commands suggest changesets that answer a transaction; each is staged on top of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from gitscalpel.api import ScalpelError
from gitscalpel.changesets.answers import subject
from gitscalpel.errors.messages import MARKED, Spelling, action
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply, Words

if TYPE_CHECKING:
    from gitscalpel.api import Suggestion


class Request(Named, frozen=True, kw_only=True):
    """Which one, and who is asked."""

    only: Annotated[str | None, said("Ask only this one.", "NAME")] = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What one command suggests.

    Attributes:
        name: of the command.
        tx: the transaction; null: it has nothing to suggest, or that was refused.
        message, paths, state: of that.
        code, error: what was refused, or what a gate has against it; null: nothing.
    """

    name: str
    tx: str | None
    message: str
    paths: tuple[str, ...]
    state: str | None
    code: str | None
    error: str | None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is suggested for a transaction."""

    answers: str
    suggestions: tuple[Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Ask them."""
    tx = caller.chosen(asked)
    found = tx.suggest(asked.only)
    answer = Answer(answers=tx.id, suggestions=tuple(_row(each, caller.spelling) for each in found))
    first = next((each.error for each in found if each.error is not None), None)
    following = tuple(action("show-tx", tx=row.tx) for row in answer.suggestions if row.tx)
    wrong = None if first is None else _wrong(first, answer)
    return Reply(
        answer, lambda spelling: Words(_text(found, spelling), complete=True), next=following, wrong=wrong
    )


def _wrong(first: ScalpelError, answer: Answer) -> ScalpelError:
    message, hint = first.told(MARKED)
    return type(first)(first.code, message, hint, **{**first.data, **msgspec.to_builtins(answer)})


def _row(each: Suggestion, spelling: Spelling) -> Row:
    made, error = each.result, each.error
    return Row(
        name=each.name,
        tx=made.tx if made else None,
        message=made.message if made else "",
        paths=tuple(row.path for row in made.patch.rows) if made else (),
        state=made.state if made else None,
        code=error.code if error else None,
        error=error.told(spelling)[0] if error else None,
    )


def _text(found: list[Suggestion], spelling: Spelling) -> str:
    return "\n".join(line for each in found for line in _lines(each, spelling)) or "nobody was asked"


def _lines(each: Suggestion, spelling: Spelling) -> list[str]:
    lines = []
    if each.result is not None:
        lines += [f"{each.name} suggests {each.result.tx}: {subject(each.result.message)}"]
        lines += [f"  {row.path}  +{row.added} -{row.removed}" for row in each.result.patch.rows]
    if each.error is not None:
        message, hint = each.error.told(spelling)
        lines += [f"{each.name}: {each.error.code}: {message}", f"  hint: {hint}"]
    return lines or [f"{each.name} has nothing to suggest"]
