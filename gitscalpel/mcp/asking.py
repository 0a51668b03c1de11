"""A verb, asked with the arguments of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from gitscalpel.api import BadCall, NotAllowed
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.errors.suggestions import meant
from gitscalpel.mcp import schemas
from gitscalpel.system import serialization
from gitscalpel.verbs.reply import Caller, Reply
from gitscalpel.verbs.table import VERBS

PLACES = frozenset({"path", "paths", "to", "to_path"})
"""Fields that hold paths."""


class Answered(NamedTuple):
    """A verb that was asked, and its reply."""

    verb: str
    reply: Reply


class Here(msgspec.Struct, frozen=True):
    """Where a call is done.

    Attributes:
        caller: who calls, in a repository.
        root: its folder, as clients name it.
        onto: what is looked at and edited where nobody says: a branch, or ``@checkout``.
    """

    caller: Caller
    root: str
    onto: str

    def ask(self, verb: str, fields: dict[str, Any]) -> Answered:
        """Do a verb.

        Raises:
            BadCall: ``invalid_args``: the fields are not those of the verb.
            ScalpelError: what it refuses.
        """
        kind = VERBS[verb].request
        known = [field.name for field in msgspec.structs.fields(kind)]
        refuse_others(fields, known)
        lists = [name for name, value in fields.items() if isinstance(value, str) and _is_list(verb, name)]
        fields = {**fields, **{name: [fields[name]] for name in lists}}  # one of several, as models send it
        asked = {name: self.relative(name, value) for name, value in fields.items() if value is not None}
        _refuse_missing(asked, [field.name for field in msgspec.structs.fields(kind) if field.required])
        try:
            request = serialization.convert({**self._target(asked, known), **asked}, kind)
        except msgspec.ValidationError as error:
            raise BadCall("invalid_args", str(error), "see the tool's schema") from None
        return Answered(verb, VERBS[verb].perform(self.caller, request))

    def files(self, path: str) -> list[str]:
        """The files below a folder by their names in that, links aside; of a file one empty name."""
        below = str(self.relative("path", path)).strip("/").removeprefix("./")
        found = self.caller.repo.view(self.onto).matching("*")
        if below in ("", "."):
            return found
        inside = (each for each in found if each == below or each.startswith(f"{below}/"))
        return [each.removeprefix(below).removeprefix("/") for each in inside]

    def _target(self, asked: dict[str, Any], known: list[str]) -> dict[str, Any]:
        """What it is about, where nobody says so."""
        if "onto" not in known or "checkout" not in known:
            return {}
        if any(asked.get(name) for name in ("tx", "onto", "no_land", "require_approval")):
            return {"checkout": asked.pop("onto") == CHECKOUT} if asked.get("onto") == CHECKOUT else {}
        return {"checkout": True} if self.onto == CHECKOUT else {"onto": self.onto}

    def relative(self, name: str, value: Any) -> Any:
        """Paths below the root as the repository names them."""
        if name not in PLACES:
            return value
        if isinstance(value, list | tuple):
            return [self.relative(name, each) for each in value]
        if not isinstance(value, str) or not value.startswith("/"):
            return value
        if not _below(value, self.root):
            raise NotAllowed.outside(value)
        return value.removeprefix(self.root).removeprefix("/")


@cache
def _is_list(verb: str, field: str) -> bool:
    return bool(schemas.properties(verb, [field])[0][field].get("type") == "array")


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")


def _refuse_missing(fields: dict[str, Any], needed: list[str]) -> None:
    missing = [name for name in needed if name not in fields]
    if missing:
        raise BadCall("invalid_args", f"it does not say {' and '.join(missing)}", f"give {', '.join(needed)}")


def refuse_others(fields: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse arguments that there are not. Raises ``BadCall``: ``invalid_args``."""
    known = list(known)
    for name in fields:
        if name not in known:
            near = meant(name, known)
            hint = (f"did you mean {near}? " if near else "") + f"it takes {', '.join(known)}"
            raise BadCall("invalid_args", f"there is no argument {name}", hint)
