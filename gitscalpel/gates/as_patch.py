"""What somebody has made with git, as the structure gate looks at it: in each file an exact patch.

A diff shows all that it replaces, and fits where it stands; so it is judged as one that was handed in.
"""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit.file_origin import difference_edit
from gitscalpel.edit.outcome import Outcome, inside
from gitscalpel.edit.source import Source
from gitscalpel.gates.renames import Renames
from gitscalpel.syntax.languages import document


def read(outcome: Outcome) -> Outcome:
    """The same change, with an edit in each file that was there before, under this name or another."""
    renames = Renames(outcome)
    described = msgspec.structs.replace(outcome, done=[], sources={})
    for change in outcome.changes:
        if change.new is None or change.new.mode in (SYMLINK, SUBMODULE):
            continue
        old = renames.before(change.path)
        source = None if old is None else outcome.read(change.path, old)
        if source is not None and source.language is not None:
            _describe(described, source, outcome.overlay.content(change.path) or b"")
    return described


def _describe(outcome: Outcome, source: Source, new: bytes) -> None:
    result = document(source.path, new)
    edit = difference_edit(source.text, result.text, is_exempt=True)
    if edit is None:
        return
    after = source.edited(edit, result)
    outcome.sources[source.path] = after
    outcome.done.append(inside(Patch(diff=""), source, after, edit))
