"""A repository begins with gitscalpel: a configuration to fill in, and hooks, where they are asked for."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """Whether hooks too."""

    hooks: Annotated[bool, said("Install hooks as well; those that are there still run, and first.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and what was done."""

    configuration: str
    languages: dict[str, int]
    found: dict[str, str]
    framework: bool
    hooks: dict[str, str]


def perform(caller: Caller, asked: Request) -> Reply:
    """Begin."""
    return told(caller.repo.init(hooks=asked.hooks))


def told(done: Any) -> Reply:
    """The reply for what was begun, or taken back."""
    answer = Answer(**msgspec.structs.asdict(done))
    languages = ", ".join(f"{name} ({count})" for name, count in answer.languages.items())
    lines = [
        f".gitscalpel.toml: {answer.configuration}",
        f"languages that can be judged: {languages or 'none'}",
        *(f"hook found: {name} ({whose})" for name, whose in answer.found.items()),
        *(f"hook {name}: {words}" for name, words in answer.hooks.items()),
    ]
    if answer.framework:
        lines += [".pre-commit-config.yaml is there: scalpel-check and the like can go into it (README.md)"]
    return Reply(answer, plain("\n".join(lines)))
