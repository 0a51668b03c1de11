"""What ``init`` has done is taken back, as far as nobody has changed it since."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET

from gitscalpel.agents import installing
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
    done = caller.repo.deinit(hooks=asked.hooks)
    agents = init.changed(caller, installing.remove, "Agents send no events") if asked.agents else UNSET
    return init.told(done, agents)
