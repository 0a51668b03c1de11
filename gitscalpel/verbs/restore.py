"""The checkout goes back to a snapshot, as a whole or in some files."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.changesets.answers import CHECKOUT, Edited
from gitscalpel.errors.messages import Spelling, action
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words

Answer = editing.Answer


class Request(Asked, frozen=True, kw_only=True):
    """To which, and what of it."""

    id: Annotated[str, said("The snapshot.", "ID", place=True)]
    paths: Annotated[
        tuple[str, ...], said("Files or folders (default: everything).", "PATH", place=True, path=True)
    ] = ()


def perform(caller: Caller, asked: Request) -> Reply:
    """Go back."""
    before, result = caller.repo.restore(asked.id, asked.paths)
    note = f"what was there is snapshot {before.id}"
    warnings = (*(f"not in that snapshot: {each}" for each in before.left_out), *before.warnings)
    if result is None:
        state = "unchanged"
        answer = Edited(tx=None, state=state, target=CHECKOUT, landed=None, diff="", files=(), note=note)
        return Reply(answer, lambda _: Words("the files are as the snapshot has them already"), warnings)
    back = action("undo")

    def words(spelling: Spelling) -> Words:
        lines = [f"restored, in {result.target}  [{result.tx}]", *editing.files(result), f"  {note}"]
        return Words("\n".join(lines), result.patch.diff, f"undo with: {spelling.call(back)}", brief=True)

    return Reply(result.answer(note), words, warnings, (back,))
