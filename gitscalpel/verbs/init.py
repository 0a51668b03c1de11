"""A repository begins with gitscalpel: a configuration to fill in, and hooks, where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.agents import install
from gitscalpel.api import changeset
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.errors.messages import action
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """Whether hooks too."""

    hooks: Annotated[bool, said("Install hooks as well; those that are there still run, and first.")] = False
    agents: Annotated[
        bool, said("Let Claude Code and Codex send what their tools do: settings, a skill, a few lines.")
    ] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and what was done."""

    configuration: str
    languages: dict[str, int]
    found: dict[str, str]
    framework: bool
    hooks: dict[str, str]
    agents: tuple[str, ...] | UnsetType = UNSET


def perform(caller: Caller, asked: Request) -> Reply:
    """Begin."""
    wanted = list(install.install(caller.repo.view(CHECKOUT))) if asked.agents else []
    _try_out(caller, wanted)
    done = caller.repo.init(hooks=asked.hooks)
    return told(done, changed(caller, wanted, "Agents send their events") if asked.agents else UNSET)


def _try_out(caller: Caller, wanted: Sequence[dict[str, Any]]) -> None:
    """Raise what :func:`changed` would raise, before anything is written."""
    if wanted:
        caller.repo.apply(changeset(*wanted), onto=CHECKOUT, dry_run=True)


def changed(caller: Caller, wanted: Sequence[dict[str, Any]], message: str) -> tuple[str, ...]:
    """Make operations on the checkout as one step; the files that they change."""
    if not wanted:
        return ()
    done = caller.repo.apply(changeset(*wanted, message=message), onto=CHECKOUT)
    return tuple(row.path for row in done.patch.rows)


def told(done: Any, agents: tuple[str, ...] | UnsetType) -> Reply:
    """The reply for what was begun, or taken back."""
    answer = Answer(**msgspec.structs.asdict(done), agents=agents)
    languages = ", ".join(f"{name} ({count})" for name, count in answer.languages.items())
    lines = [
        f".gitscalpel.toml: {answer.configuration}",
        f"languages that can be judged: {languages or 'none'}",
        *(f"hook found: {name} ({whose})" for name, whose in answer.found.items()),
        *(f"hook {name}: {words}" for name, words in answer.hooks.items()),
    ]
    if agents is not UNSET:
        lines += [f"agents: {path} changed" for path in agents or ()]
        lines += [] if agents else ["agents: nothing to change"]
    if answer.framework:
        lines += [
            ".pre-commit-config.yaml is there: scalpel-check and the like can go into it (topic: hooks)"
        ]
    following = (action("undo"),) if agents else ()
    return Reply(answer, plain("\n".join(lines)), next=following)
