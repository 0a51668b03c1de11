"""Operations of a changeset: one frozen type each."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from gitscalpel.text.line_refs import LineRange, NodeRef, parse_node, parse_range

_ATTRIBUTE_PARTS = 3  # number of parts of ``self.attribute.name``


class Operation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="op"):
    """Common fields of all operations.

    Attributes:
        path: file, relative to the repository root.
        expect: content hash of the target as the caller saw it.
        base: blob id of the file as the caller saw it.
    """

    path: str
    expect: str | None = None
    base: str | None = None

    required: ClassVar[tuple[str, ...]] = ()  # fields that must not be empty or blank

    @property
    def paths(self) -> tuple[str, ...]:
        """Return all paths that the operation names."""
        return (self.path,)

    @property
    def word(self) -> str:
        """Return the value of ``op``."""
        return str(self.__struct_config__.tag)


class AddressedOperation(Operation, frozen=True, kw_only=True):
    """An operation on a symbol, a selector's match, a node or, for some operations, a line range."""

    symbol: str | None = None
    query: str | None = None
    match: int | None = None
    node: str | None = None
    start: int | float | str | None = None
    end: int | float | str | None = None
    kind: str | None = None

    @property
    def lines(self) -> LineRange | None:
        return None if self.start is None else parse_range(self.start, self.end)

    @property
    def node_ref(self) -> NodeRef | None:
        return None if self.node is None else parse_node(self.node)


class ShowTarget(AddressedOperation, frozen=True, kw_only=True, tag="show"):
    """The address of text to show. A changeset cannot contain it."""


class Replace(AddressedOperation, frozen=True, kw_only=True, tag="replace"):
    """New text for a symbol, a query match or a line range."""

    code: str
    lead: Literal["auto", "keep", "drop"] = "auto"
    rename: bool = False
    required: ClassVar[tuple[str, ...]] = ("code",)


class Insert(AddressedOperation, frozen=True, kw_only=True, tag="insert"):
    """New code next to a symbol or match, or at the start or end of its body, or of the file."""

    code: str
    position: str = "after"
    required: ClassVar[tuple[str, ...]] = ("code",)

    @property
    def is_of_file(self) -> bool:
        """Return True if ``path`` is the only address, so that the code goes to the file's top level."""
        return self.symbol is None and self.query is None and self.node is None


class Delete(AddressedOperation, frozen=True, kw_only=True, tag="delete"):
    """Remove a symbol, match or line range."""

    safe: bool = False
    fill: str | None = None


class Signature(AddressedOperation, frozen=True, kw_only=True, tag="signature"):
    """Replace only the header of a definition; body and docstring stay.

    Attributes:
        code: the new header.
        docs: True to update the parameters in the documentation.
    """

    code: str
    docs: bool = False
    required: ClassVar[tuple[str, ...]] = ("code",)


class NameFollowingOperation(Operation, frozen=True, kw_only=True):
    """An operation that follows names and becomes plain edits of all affected files."""


class NameOperation(NameFollowingOperation, frozen=True, kw_only=True):
    """An operation on a name: that of a symbol, or one in a line.

    Attributes:
        symbol: symbol with the name.
        start: line that contains the name.
        name: name in that line; ``name#2`` is its second occurrence there.
        trust: whose result counts if a language server disagrees. ``both`` makes a disagreement an error.
    """

    symbol: str | None = None
    start: int | None = None
    name: str | None = None
    trust: Literal["resolver", "server", "both"] | None = None


class Refs(NameOperation, frozen=True, kw_only=True, tag="refs"):
    """A name whose references to list. A changeset cannot contain it."""


class Rename(NameOperation, frozen=True, kw_only=True, tag="rename"):
    """Give a symbol a new name everywhere it is used."""

    to: str
    also_text: bool = False
    required: ClassVar[tuple[str, ...]] = ("to",)


class Move(NameFollowingOperation, frozen=True, kw_only=True, tag="move"):
    """Move a definition to another file; imports and uses follow."""

    symbol: str
    to_path: str | None = None
    to: str | None = None
    companions: list[str] | str = []
    required: ClassVar[tuple[str, ...]] = ("symbol",)

    @property
    def symbols(self) -> tuple[str, ...]:
        companions = [self.companions] if isinstance(self.companions, str) else self.companions
        return (*companions, self.symbol)

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if self.to_path is None else (self.path, self.to_path)

    @property
    def is_to_attribute(self) -> bool:
        """Return True if a method goes to the class of an attribute: ``to`` is ``self.attribute.name``."""
        parts = (self.to or "").split(".")
        return len(parts) == _ATTRIBUTE_PARTS and all(part.isidentifier() for part in parts)


class Imports(NameFollowingOperation, frozen=True, kw_only=True, tag="imports"):
    """Add and remove imports of a file. Existing ones are not added, missing ones not removed."""

    add: list[str] | str = []
    remove: list[str] | str = []
    remove_unused: bool = False
    remove_duplicates: bool = False
    sort: bool = False
    organize: bool = False

    def listed(self, field: str) -> list[str]:
        entries = getattr(self, field)
        return [entries] if isinstance(entries, str) else list(entries)


class SafeDelete(NameFollowingOperation, frozen=True, kw_only=True, tag="delete"):
    """A definition to delete if it has no users; made from a safe delete. A changeset cannot contain it."""

    symbol: str


class AutoImports(NameFollowingOperation, frozen=True, kw_only=True, tag="imports"):
    """Update of the imports that the other operations of a changeset made necessary or useless."""

    path: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return an empty tuple, as the operation is about the files that the others change."""
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
        return parse_range(self.start, self.end)


# ``base`` of a caller who has seen that there is no file, as git writes the null object id.
NO_FILE = "0" * 40


class Write(Operation, frozen=True, kw_only=True, tag="write"):
    """Create a file, with its folders."""

    content: str | None = None
    content_b64: str | None = None
    overwrite: bool = False
    mode: Literal["100644", "100755"] | None = None


class Remove(Operation, frozen=True, kw_only=True, tag="remove"):
    """Remove a whole file."""


class CopyFile(Operation, frozen=True, kw_only=True, tag="copy_file"):
    """Copy a whole file to a second path, with its mode.

    Attributes:
        to: new path. A path that ends in ``/`` is a directory for the file.
    """

    to: str
    required: ClassVar[tuple[str, ...]] = ("to",)

    def __post_init__(self) -> None:
        """Append the file name if ``to`` is a directory. The root is not a valid path."""
        if self.to.endswith("/") and self.to.strip("./"):
            msgspec.structs.force_setattr(self, "to", self.to + self.path.rpartition("/")[2])

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path, self.to)


class MoveFile(CopyFile, frozen=True, kw_only=True, tag="move_file"):
    """Move a whole file to another path, with its mode. Imports of the file follow, or stay as they are."""

    keep_imports: bool = False


class MovedFiles(NameFollowingOperation, frozen=True, kw_only=True, tag="move_file"):
    """Update of references to moved files; made from the moves. A changeset cannot contain it.

    Attributes:
        path: new path of the last moved file.
        pairs: old and new path of each file.
    """

    pairs: tuple[tuple[str, str], ...]


class Patch(Operation, frozen=True, kw_only=True, tag="patch"):
    """Apply a patch, which names its files itself; ``path`` is the file if the patch names none."""

    path: str = ""
    diff: str
    required: ClassVar[tuple[str, ...]] = ("diff",)

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the path that the operation names, without those inside the patch."""
        return (self.path,) if self.path else ()


OPERATION_TYPES: dict[str, type[Operation]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        *(Replace, Insert, Delete, Signature, Rename, Move, Imports),
        *(Text, Lines, Write, Remove, CopyFile, MoveFile, Patch),
    )
}
