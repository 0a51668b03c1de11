"""A new header for a definition; its body and documentation stay."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import Signature
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Addressed, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Addressed, frozen=True, kw_only=True):
    """Whose header, and the new one."""

    code: Annotated[str, said("The new header", form="text")]
    docs: Annotated[
        bool,
        said("Have the documentation follow: parameters that were renamed, removed, added or retyped."),
    ] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Replace it."""
    return editing.one(caller, asked, editing.operation("signature", Signature.__struct_fields__, asked))
