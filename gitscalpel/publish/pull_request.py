"""The pull request for a transaction that was pushed: what it says, and where it stands."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel import Pushed, Repository
from gitscalpel.publish import forge, words


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request: what it says, from which branch, onto which; where it is opened, if that is known.

    Attributes:
        opened: it was, or was brought up to date.
        said: what the forge's command line said of that.
    """

    title: str
    body: str
    head: str
    base: str
    url: str | UnsetType = UNSET
    opened: bool | UnsetType = UNSET
    said: str | UnsetType = UNSET


def of(repo: Repository, done: Pushed, *, open_it: bool) -> PullRequest:
    """The words for what was pushed; ``open_it``: with the forge's own command line."""
    result = done.result
    says = forge.Request(words.title(result), words.body(result, done.by), done.branch, result.target)
    opened, said = forge.opened(done.url, says, repo.ask) if open_it else (False, "")
    return PullRequest(
        title=says.title,
        body=says.body,
        head=says.head,
        base=says.base,
        url=forge.page(done.url, says) or UNSET,
        opened=opened if open_it else UNSET,
        said=said or UNSET,
    )
