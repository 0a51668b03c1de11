"""What ``init`` has done is taken back, as far as nobody has changed it since."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET

from gitscalpel.agents import install
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.verbs import init
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = init.Answer


class Request(Asked, frozen=True, kw_only=True):
    """Whether hooks too."""

    hooks: Annotated[bool, said("Take hooks away as well; those that were there before are back.")] = False
    agents: Annotated[bool, said("Take away what agents were given as well.")] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Take it back."""
    wanted = list(install.remove(caller.repo.view(CHECKOUT))) if asked.agents else []
    done = caller.repo.deinit(hooks=asked.hooks)
    return init.told(done, init.changed(caller, wanted, "Agents send no events") if asked.agents else UNSET)
