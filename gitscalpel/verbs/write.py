"""A new file, with its folders; or another one in its place."""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import Write
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Editing, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Editing, frozen=True, kw_only=True):
    """Which file, and what it is to hold: as text, or as bytes."""

    path: Annotated[str, said("The file to create.", "PATH", place=True, path=True)]
    content: Annotated[str | None, said("Its content", form="content", also=("code",))] = None
    content_b64: Annotated[str | None, said("Its bytes, in base64.", form="none")] = None
    overwrite: Annotated[bool, said("Replace the file if it exists.")] = False
    mode: Annotated[
        Literal["100644", "100755"] | None, said("The file mode; 100755 makes it executable.")
    ] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Write it."""
    return editing.one(caller, asked, editing.operation("write", Write.__struct_fields__, asked))
