"""A changeset or a patch, applied whole or not at all."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import parse_request
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import ChangeRequest, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(ChangeRequest, frozen=True, kw_only=True):
    """The changeset or patch."""

    changeset: Annotated[
        str,
        said(
            "The changeset or patch; - is standard input. Patches: unified diff, SEARCH/REPLACE blocks, "
            "*** Begin Patch, fenced blocks with path= and lines= or base=; as JSON: str_replace and "
            "multi-edit calls, whole files with their base, LSP WorkspaceEdit, SARIF fixes, ast-grep "
            "matches, GitHub review comments with suggestions.",
            "FILE|-",
            form="file",
        ),
    ]


def perform(caller: Caller, asked: Request) -> Reply:
    """Apply it."""
    sent = parse_request(asked.changeset.encode("utf-8", "surrogateescape"))
    if asked.message:
        sent = sent.reworded(asked.message)
    return editing.whole(caller, asked, sent)
