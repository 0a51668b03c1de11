"""Fields that several requests share, and the description of a field.

Each field is described once, for people and for programs. ``how`` has the details of its form on the
command line.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from gitscalpel.errors.messages import arg, call, spelt

PANELS = ("Target", "Code", "Options", "Transaction", "Output")
"""Groups of options in a help text, in order."""
Count = Annotated[int, Meta(ge=1)]
"""An integer from 1 on."""
Seconds = Annotated[float, Meta(ge=0)]


def said(words: str, shown: str = "", **how: Any) -> Meta:
    """Return the description of a field.

    Args:
        words: description; fields and calls in it are marked.
        shown: name of the value.
        how: ``place``: the argument is positional; ``path``: the value is a path, relative to the root of
            the repository; ``many``: several values may follow the option; ``short``: short option;
            ``also``:
                other
            names; ``typed``: name of the option if not the field's; ``offers``: returns values for
                completion;
            ``form``: special form on the command line, see ``cli/options.py``.
    """
    return Meta(description=spelt(words), extra={"words": words, "shown": shown, **how})


Onto = Annotated[str | None, said("Target branch (default: the current branch).", "BRANCH")]
Checkout = Annotated[
    bool,
    said("Edit the working tree and commit nothing (as default: `git config scalpel.land checkout`)."),
]
InTx = Annotated[str | None, said("ID of an open transaction.", "ID")]
OfTx = Annotated[
    str | None,
    said("Transaction ID (default in a transaction's worktree: that transaction).", "ID", place=True),
]
Message = Annotated[
    str | None,
    said("Commit message; repeat the option for further paragraphs.", "TEXT", short="-m", form="paragraphs"),
]
Wait = Annotated[
    Seconds,
    said("Time to retry while something temporary blocks the landing (default: 0).", "SECONDS"),
]
NamePlace = Annotated[str, said("File.", form="name")]
Line = Annotated[int | None, said("Line of the name.", form="none")]
Word = Annotated[str | None, said("Name in that line; name#2 is the second of that name.", form="none")]
Trust = Annotated[
    Literal["resolver", "server", "both"] | None,
    said(
        "Source to follow if the resolver and a language server disagree; both: reject the edit.",
        "WHOM",
    ),
]
Base = Annotated[str | None, said("Blob ID of the file version that you have read.", "BLOB")]
Place = Annotated[str, said("File.", form="target")]
Symbol = Annotated[str | None, said("Name of a definition, such as Outer.inner.", form="none")]
First = Annotated[
    str | int | None, said("First line, or a range such as 42-55 or 42:9f3c-55:01be.", form="none")
]
Last = Annotated[str | int | None, said("Last line.", form="none")]
Query = Annotated[str | None, said("Selector of the target.", "SELECTOR")]
Node = Annotated[str | None, said(f"node_id of the target as find reports it; requires {arg('base')}.", "ID")]
Match = Annotated[int | None, said("Index of the selector's match, from 0.", "N")]
Kind = Annotated[str | None, said("Required kind of the target: function, class, method, …")]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all requests."""

    panel: ClassVar[str] = "Options"
    """Group of the class's own fields, from :data:`PANELS`."""
    own_panel: ClassVar[str] = "Options"
    """Group of the fields that a command's own request adds."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Two command lines for the help, without the name of the command."""


class Looking(Asked, frozen=True, kw_only=True):
    """Source of a reading command: a branch, a transaction, or the files on disk."""

    panel: ClassVar[str] = "Target"

    checkout: Annotated[bool, said("Read the working tree instead of the branch.")] = False
    onto: Onto = None
    tx: InTx = None


class Named(Asked, frozen=True, kw_only=True):
    """Request about one transaction."""

    tx: OfTx = None


class Whole(Asked, frozen=True, kw_only=True):
    """Options of every command that makes a transaction."""

    panel: ClassVar[str] = "Transaction"

    message: Message = None
    checkout: Checkout = False
    onto: Onto = None
    tx: InTx = None
    dry_run: Annotated[bool, said("Print the diff and write nothing.")] = False
    no_land: Annotated[
        bool, said(f"Keep the edit in an open transaction; `{call('land', tx='ID')}` lands it.")
    ] = False
    wait: Wait = 0.0


class ChangeRequest(Whole, frozen=True, kw_only=True):
    """A change made of operations, with its transaction."""

    own_panel: ClassVar[str] = "Code"

    no_record: Annotated[
        bool,
        said(f"With {arg('checkout')}: record nothing, for a read-only .git (cannot be undone)."),
    ] = False
    require_approval: Annotated[
        bool, said("Keep the edit in an open transaction until somebody else approves it.")
    ] = False


class Editing(ChangeRequest, frozen=True, kw_only=True):
    """Options of every operation, with its transaction."""

    panel: ClassVar[str] = "Target"

    expect: Annotated[str | None, said("Content hash that the target must still have.", "HASH")] = None
    base: Base = None


class Carried(Editing, frozen=True, kw_only=True):
    """Source and target of a moved or copied file or directory."""

    path: Annotated[str, said("File or directory.", "PATH", place=True, path=True)]
    to: Annotated[
        str,
        said(
            "New path; a path that ends with / is the directory to put it in.",
            "TO",
            place=True,
            path=True,
            into="path",
        ),
    ]


class Addressed(Editing, frozen=True, kw_only=True):
    """An operation on one place in a file, with one kind of address."""

    path: Place
    symbol: Symbol = None
    start: First = None
    end: Last = None
    query: Query = None
    node: Node = None
    match: Match = None
    kind: Kind = None
