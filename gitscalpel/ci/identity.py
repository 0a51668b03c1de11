"""The identity of a job: nobody is logged in to a runner, so its commits are by who has started it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gitscalpel import Repository
from gitscalpel.session import set_variables

_NAME = "scalpel"


def introduce(folder: Path, variables: Mapping[str, str]) -> None:
    """Set the variables of this process by which git knows who commits, unless the runner has an identity.

    Args:
        folder: the checkout.
        variables: the job's; what they say of author and committer already stays.
    """
    with Repository(folder, long_lived=False) as repo:
        if repo.setting("user.email"):
            return
    who = variables.get("GITHUB_ACTOR") or variables.get("GITLAB_USER_LOGIN") or _NAME
    mail = variables.get("GITLAB_USER_EMAIL") or _no_reply(variables, who)
    known = {
        "GIT_AUTHOR_NAME": variables.get("GITLAB_USER_NAME") or who,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_COMMITTER_NAME": _NAME,
        "GIT_COMMITTER_EMAIL": mail,
    }
    set_variables({name: value for name, value in known.items() if not variables.get(name)})


def _no_reply(variables: Mapping[str, str], who: str) -> str:
    """Return an address that belongs to ``who`` and reads no mail."""
    if variables.get("GITLAB_CI"):
        return f"{who}@users.noreply.{variables.get('CI_SERVER_HOST') or 'gitlab.com'}"
    number = variables.get("GITHUB_ACTOR_ID")
    return f"{number}+{who}@users.noreply.github.com" if number else f"{who}@users.noreply.github.com"
