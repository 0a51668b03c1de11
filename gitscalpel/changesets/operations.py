"""Operations of a changeset: one frozen type each."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from gitscalpel.text.line_refs import LineRange, NodeRef, parse_node, parse_range

_ATTRIBUTE_PARTS = 3
"""The parts of ``self.attribute.name``."""


class Operation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="op"):
    """What every operation carries.

    Attributes:
        path: file, relative to the repository root.
        expect: content hash of the target as the caller saw it.
        base: blob id of the file as the caller saw it.
    """

    path: str
    expect: str | None = None
    base: str | None = None

    required: ClassVar[tuple[str, ...]] = ()
    """Fields that must not be empty or blank."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names."""
        return (self.path,)

    @property
    def word(self) -> str:
        """The word in ``op``."""
        return str(self.__struct_config__.tag)


class Placed(Operation, frozen=True, kw_only=True):
    """An operation on a symbol, a selector's match, a node or (where it makes sense) a line range."""

    symbol: str | None = None
    query: str | None = None
    match: int | None = None
    node: str | None = None
    start: int | float | str | None = None
    end: int | float | str | None = None
    kind: str | None = None

    @property
    def lines(self) -> LineRange | None:
        """The addressed line range, if lines are the address."""
        return None if self.start is None else parse_range(self.start, self.end)

    @property
    def node_ref(self) -> NodeRef | None:
        """The addressed node, if a node is the address."""
        return None if self.node is None else parse_node(self.node)


class Show(Placed, frozen=True, kw_only=True, tag="show"):
    """What somebody wants to look at; it edits nothing, so no changeset holds it."""


class Replace(Placed, frozen=True, kw_only=True, tag="replace"):
    """New text for a symbol, a query match or a line range."""

    code: str
    lead: Literal["auto", "keep", "drop"] = "auto"
    rename: bool = False
    required: ClassVar[tuple[str, ...]] = ("code",)


class Insert(Placed, frozen=True, kw_only=True, tag="insert"):
    """New code beside a symbol or match, or as first or last of its body, or of the file."""

    code: str
    position: str = "after"
    required: ClassVar[tuple[str, ...]] = ("code",)

    @property
    def is_of_file(self) -> bool:
        """Whether ``path`` alone is the address: the code goes to the file's own top level."""
        return self.symbol is None and self.query is None and self.node is None


class Delete(Placed, frozen=True, kw_only=True, tag="delete"):
    """Remove a symbol, match or line range."""

    safe: bool = False
    fill: str | None = None


class Signature(Placed, frozen=True, kw_only=True, tag="signature"):
    """Replace only the header of a definition; body and docstring stay.

    Attributes:
        code: the header.
        docs: the parameters that the documentation describes follow.
    """

    code: str
    docs: bool = False
    required: ClassVar[tuple[str, ...]] = ("code",)


class Following(Operation, frozen=True, kw_only=True):
    """An operation that follows names; it comes to plain edits of all files that it concerns."""


class Named(Following, frozen=True, kw_only=True):
    """An operation on a name: that of a symbol, or one that stands in a line.

    Attributes:
        symbol: whose name.
        start: the line in which it stands.
        name: as it stands there; ``name#2`` is the second of its kind in that line.
        trust: who is believed where a language server reads a place otherwise; ``both``: nobody then.
    """

    symbol: str | None = None
    start: int | None = None
    name: str | None = None
    trust: Literal["resolver", "server", "both"] | None = None


class Refs(Named, frozen=True, kw_only=True, tag="refs"):
    """What somebody wants to know the places of; it edits nothing, so no changeset holds it."""


class Rename(Named, frozen=True, kw_only=True, tag="rename"):
    """Give a name to a symbol everywhere it is used."""

    to: str
    also_text: bool = False
    required: ClassVar[tuple[str, ...]] = ("to",)


class Move(Following, frozen=True, kw_only=True, tag="move"):
    """Move a definition to another file; imports and uses follow."""

    symbol: str
    to_path: str | None = None
    to: str | None = None
    companions: list[str] | str = []
    required: ClassVar[tuple[str, ...]] = ("symbol",)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The definitions that move, those that move first before the others."""
        given = [self.companions] if isinstance(self.companions, str) else self.companions
        return (*given, self.symbol)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names."""
        return (self.path,) if self.to_path is None else (self.path, self.to_path)

    @property
    def is_to_attribute(self) -> bool:
        """Whether a method goes to the class of an attribute: ``to`` is ``self.attribute.name``."""
        parts = (self.to or "").split(".")
        return len(parts) == _ATTRIBUTE_PARTS and all(part.isidentifier() for part in parts)


class Imports(Following, frozen=True, kw_only=True, tag="imports"):
    """Add and remove imports of a file; what is there already, or is not, stays so."""

    add: list[str] | str = []
    remove: list[str] | str = []
    remove_unused: bool = False
    remove_duplicates: bool = False
    sort: bool = False
    organize: bool = False

    def listed(self, field: str) -> list[str]:
        """What is to be added, or removed, one by one."""
        given = getattr(self, field)
        return [given] if isinstance(given, str) else list(given)


class Unused(Following, frozen=True, kw_only=True, tag="delete"):
    """A definition that may go if nobody uses it; a safe delete asks, so no changeset holds it."""

    symbol: str


class Missing(Following, frozen=True, kw_only=True, tag="imports"):
    """The imports that all other operations of a changeset have made needed, or useless; it comes last."""

    path: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """None: it is about what the others have changed."""
        return ()


class Text(Operation, frozen=True, kw_only=True, tag="text"):
    """Find and replace text."""

    old: str
    new: str
    all: bool = False
    regex: bool = False
    count: int | None = None
    occurrences: list[int] | None = None


class Lines(Operation, frozen=True, kw_only=True, tag="lines"):
    """Replace, insert at or delete lines; an empty ``code`` deletes."""

    start: int | float | str
    code: str
    end: int | float | str | None = None
    position: str | None = None
    verbatim: bool = False
    relocate: bool = False

    @property
    def lines(self) -> LineRange:
        """The addressed line range."""
        return parse_range(self.start, self.end)


NO_FILE = "0" * 40
"""``base`` of who has seen that there is no such file, as git names what is not there."""


class Write(Operation, frozen=True, kw_only=True, tag="write"):
    """Create a file, with its folders."""

    content: str | None = None
    content_b64: str | None = None
    overwrite: bool = False
    mode: Literal["100644", "100755"] | None = None


class Remove(Operation, frozen=True, kw_only=True, tag="remove"):
    """Remove a whole file."""


class CopyFile(Operation, frozen=True, kw_only=True, tag="copy_file"):
    """Put a whole file in a second place, with its mode.

    Attributes:
        to: where; a folder, which it goes into, ends in ``/``.
    """

    to: str
    required: ClassVar[tuple[str, ...]] = ("to",)

    def __post_init__(self) -> None:
        """Say which file it is to be; the root is no place that a path names."""
        if self.to.endswith("/") and self.to.strip("./"):
            msgspec.structs.force_setattr(self, "to", self.to + self.path.rpartition("/")[2])

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names."""
        return (self.path, self.to)


class MoveFile(CopyFile, frozen=True, kw_only=True, tag="move_file"):
    """Put a whole file in another place, with its mode; what imports it follows, or is kept as it is."""

    keep_imports: bool = False


class Moved(Following, frozen=True, kw_only=True, tag="move_file"):
    """What files that have moved come to elsewhere; it is made of them, so no changeset holds it.

    Attributes:
        path: where the last of them went.
        pairs: where each was before the changeset, and where it is after it.
    """

    pairs: tuple[tuple[str, str], ...]


class Patch(Operation, frozen=True, kw_only=True, tag="patch"):
    """Apply a patch, which names its files itself; ``path`` is the file where it names none."""

    path: str = ""
    diff: str
    required: ClassVar[tuple[str, ...]] = ("diff",)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names, but for those in the patch."""
        return (self.path,) if self.path else ()


KINDS: dict[str, type[Operation]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        *(Replace, Insert, Delete, Signature, Rename, Move, Imports),
        *(Text, Lines, Write, Remove, CopyFile, MoveFile, Patch),
    )
}
