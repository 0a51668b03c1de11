"""What a gate is asked, and what it says, where that takes more than reading."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gitscalpel.changesets.answers import Fix, Remaining
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction.candidate import Meta


class Asked(msgspec.Struct, frozen=True):
    """How a gate is asked.

    Attributes:
        again: somebody wants to hear it, though it may have judged the change as it is.
        fresh: what it has said of this very tree before does not count.
        then: what is to be done once people have agreed, for a hint; "": it is landed.
        files: what changes, where others land with it; None: what the change itself does.
        fix: what can be mended in one safe way may be; else it is judged as it is.
    """

    again: bool = False
    fresh: bool = False
    then: str = ""
    files: Changes | None = None
    fix: bool = False


class Said(msgspec.Struct, frozen=True):
    """What a gate says.

    Attributes:
        verdicts: one, or those of several commands.
        note: the change's record with what else they have made of it; None: as it was.
        tree: what its programs have made of the change; None: what it was.
        fixed: what that changed; None: it changes nothing.
        remaining: what is new and still wrong; None: it does not look for that.
    """

    verdicts: tuple[Verdict, ...]
    note: Callable[[Meta], Meta] | None = None
    tree: Oid | None = None
    fixed: tuple[Fix, ...] | None = None
    remaining: tuple[Remaining, ...] | None = None
