"""The fields of a request as the command line sees them."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from gitscalpel.cli.spelling import TYPED
from gitscalpel.errors.messages import spelt
from gitscalpel.verbs.asked import PANELS


class Field(msgspec.Struct, frozen=True):
    """A field of a request.

    Attributes:
        name: of the field.
        type: without None.
        required: it has no default.
        default: else.
        least: what it may be at least.
        how: see :func:`gitscalpel.verbs.asked.said`.
        panel: the group of the help, of :data:`gitscalpel.verbs.asked.PANELS`.
    """

    name: str
    type: Any
    required: bool
    default: Any
    least: int | None
    how: dict[str, Any]
    panel: str

    @property
    def words(self) -> str:
        """What it is, as it is typed."""
        return spelt(self.how["words"], TYPED)

    @property
    def is_many(self) -> bool:
        """Whether it takes several values."""
        return get_origin(self.type) is tuple


@cache
def fields(request: Any) -> list[Field]:
    """The fields of a request, in the order in which help lists them."""
    panels = {
        name: request.own_panel if each is request else each.panel
        for each in reversed(request.__mro__)
        for name in vars(each).get("__annotations__", ())
    }
    found = [_field(each, panels[each.name]) for each in msgspec.structs.fields(request)]
    return sorted(found, key=lambda field: PANELS.index(field.panel))


def _field(info: Any, panel: str) -> Field:
    kind, *metas = get_args(info.type) if get_origin(info.type) is Annotated else (info.type,)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is Annotated:
        kind, *inner = get_args(kind)
        metas += inner
    least = next((meta.ge for meta in metas if meta.ge is not None), None)
    how = next(meta.extra for meta in metas if meta.extra)
    return Field(info.name, kind, info.required, info.default, least, how, panel)


def names(field: Field) -> tuple[str, ...]:
    """How an option is called."""
    name = field.how.get("typed", field.name).replace("_", "-")
    long = f"--{name}" if len(name) > 1 else f"-{name}"
    return (field.how["short"], long) if "short" in field.how else (long,)
