"""An open transaction is published as a branch of another repository, for a pull request."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import Pushed
from gitscalpel.changesets.answers import FileRow, subject
from gitscalpel.errors.messages import action
from gitscalpel.publish import pull_request
from gitscalpel.publish.pull_request import PullRequest
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Named, frozen=True, kw_only=True):
    """Which one, and where to."""

    remote: Annotated[
        str | None, said("The remote (default: the one that its branch is pushed to).", "NAME")
    ] = None
    branch: Annotated[
        str | None, said("The branch there (default: scalpel/ID-MESSAGE); never the target itself.", "NAME")
    ] = None
    pr: Annotated[
        bool, said("Open a pull request, or bring it up to date, with gh or glab, where one is installed.")
    ] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Where it is to be seen; ``moved``: anything had to be pushed; ``kept``: so were commits by others."""

    tx: str
    target: str
    base: str | None
    remote: str
    branch: str
    before: str | None
    commit: str
    moved: bool
    kept: bool
    files: tuple[FileRow, ...]
    pr: PullRequest


def perform(caller: Caller, asked: Request) -> Reply:
    """Push it."""
    done = caller.chosen(asked).push(asked.remote, asked.branch)
    pull = pull_request.of(caller.repo, done, open_it=asked.pr)
    result = done.result
    answer = Answer(
        tx=str(result.tx),
        target=result.target,
        base=result.base,
        remote=done.remote,
        branch=done.branch,
        before=done.before,
        commit=done.commit,
        moved=done.moved,
        kept=done.added,
        files=tuple(result.patch.rows),
        pr=pull,
    )
    warnings = result.said
    if asked.pr and pull.opened is not True:
        warnings = (*warnings, f"no pull request was opened: {pull.said}")
    following = (action("show-tx", tx=result.tx), action("drop", ids=result.tx))
    return Reply(answer, lambda _: _told(done, pull), warnings, following)


def _told(done: Pushed, pull: PullRequest) -> Words:
    what = "pushed" if done.moved else "is there already"
    lines = [f"{what}: {done.remote} {done.branch}: {subject(done.result.message)}  [{done.result.tx}]"]
    lines += [f"  {row.path}  +{row.added} -{row.removed}" for row in done.result.patch.rows]
    lines += ["  on top of what others have pushed there"] if done.added and done.moved else []
    if pull.opened is True:
        lines += [pull.said or "the pull request is open"]
    elif pull.url:
        lines += [f"open a pull request: {pull.url}"]
    return Words("\n".join(lines))
