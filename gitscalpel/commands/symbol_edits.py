"""Commands replace, insert, delete, signature, rename, move and imports: edits by symbol.

``replace`` and ``delete`` also take a selector or a line range. ``signature`` keeps the body and the
documentation. ``rename`` and ``move`` update all uses and are atomic.
"""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import BadCall, Delete, Insert, Move, Rename, Replace, Signature
from gitscalpel.commands import reply
from gitscalpel.commands.reply import (
    AddressedRequest,
    Base,
    Caller,
    ChangeRequest,
    ListMentions,
    NameField,
    NameFile,
    NameLine,
    Reply,
    Symbol,
    TargetFile,
    Trust,
    describe_field,
)

ReplaceAnswer = reply.EditAnswer


class ReplaceRequest(AddressedRequest, frozen=True, kw_only=True):
    """Definition, match or lines to replace, and the new code."""

    examples = ("src/app.py::main --code-file main.py", "src/app.py::main --dry-run < main.py")

    code: Annotated[str, describe_field("New code", form="text")]
    lead: Annotated[
        Literal["auto", "keep", "drop"],
        describe_field(
            "Treatment of the comments, decorators and export before the definition (default: auto)."
        ),
    ] = "auto"
    rename: Annotated[bool, describe_field("Rename all references if the new code has another name.")] = False
    list_mentions: ListMentions = False


def perform_replace(caller: Caller, request: ReplaceRequest) -> Reply:
    """Replace a definition, a match or lines."""
    return reply.apply_operation(
        caller, request, reply.build_operation("replace", Replace.__struct_fields__, request)
    )


InsertAnswer = reply.EditAnswer

_PLACES = {
    "before": "Insert before the target and its leading comments and decorators.",
    "after": "Insert after the target (default).",
    "first": "Insert at the start of its body, or of the file if TARGET is a PATH.",
    "last": "Insert at the end of its body, or of the file if TARGET is a PATH.",
}


class InsertRequest(AddressedRequest, frozen=True, kw_only=True):
    """Code to insert, and its position."""

    examples = (
        "src/app.py::main --after --code-file new.py",
        "src/app.py::Server --last --code-file method.py",
    )

    position: Annotated[
        Literal["before", "after", "first", "last"],
        describe_field("Position relative to the target.", form="flags", each=_PLACES),
    ] = "after"
    code: Annotated[str, describe_field("New code", form="text")]


def perform_insert(caller: Caller, request: InsertRequest) -> Reply:
    """Insert code."""
    return reply.apply_operation(
        caller, request, reply.build_operation("insert", Insert.__struct_fields__, request)
    )


DeleteAnswer = reply.EditAnswer


class DeleteRequest(AddressedRequest, frozen=True, kw_only=True):
    """Definition, match or lines to delete."""

    examples = ("src/app.py::main --safe", "src/app.py::Server.listen --dry-run")

    safe: Annotated[bool, describe_field("Reject the edit if the name is still used.")] = False
    fill: Annotated[
        str | None, describe_field("Statement to keep a block from becoming empty, such as pass.")
    ] = None


def perform_delete(caller: Caller, request: DeleteRequest) -> Reply:
    """Delete a definition, a match or lines."""
    return reply.apply_operation(
        caller, request, reply.build_operation("delete", Delete.__struct_fields__, request)
    )


SignatureAnswer = reply.EditAnswer


class SignatureRequest(AddressedRequest, frozen=True, kw_only=True):
    """Definition, and its new header."""

    examples = ("src/app.py::main --code 'def main(argv):'", "src/app.py::main --code-file header.py")

    code: Annotated[str, describe_field("New header", form="text")]
    docs: Annotated[
        bool,
        describe_field("Update the documented parameters as well."),
    ] = False


def perform_signature(caller: Caller, request: SignatureRequest) -> Reply:
    """Replace the header of a definition."""
    return reply.apply_operation(
        caller, request, reply.build_operation("signature", Signature.__struct_fields__, request)
    )


RenameAnswer = reply.EditAnswer


class RenameRequest(ChangeRequest, frozen=True, kw_only=True):
    """Symbol to rename, and its new name."""

    examples = ("src/app.py::Server Service", "src/app.py:12:port number --dry-run")

    leads = True

    path: NameFile
    symbol: Symbol = None
    start: NameLine = None
    name: NameField = None
    to: Annotated[str, describe_field("New name.", "NEW", place=True)]
    also_text: Annotated[bool, describe_field("Change the word in comments, strings and prose as well.")] = (
        False
    )
    list_mentions: ListMentions = False
    trust: Trust = None
    base: Base = None


def perform_rename(caller: Caller, request: RenameRequest) -> Reply:
    """Rename a symbol and its references."""
    return reply.apply_operation(
        caller, request, reply.build_operation("rename", Rename.__struct_fields__, request)
    )


MoveAnswer = reply.EditAnswer


class MoveRequest(ChangeRequest, frozen=True, kw_only=True):
    """Definition to move, and the target file."""

    examples = ("src/app.py::Server src/server.py", "src/app.py::main cli.py --dry-run")

    leads = True

    path: TargetFile
    symbol: Symbol = None
    to_path: Annotated[
        str | None,
        describe_field("Destination file; created if it does not exist.", "PATH", place=True, path=True),
    ] = None
    to: Annotated[
        str | None,
        describe_field(
            "New place of a method: a function of this name, or the class of an attribute (self.attr.name).",
            "NAME",
        ),
    ] = None
    companions: Annotated[
        tuple[str, ...],
        describe_field(
            "Another definition to move, before this one; may be repeated.", "SYMBOL", typed="with"
        ),
    ] = ()
    list_mentions: ListMentions = False
    base: Base = None


def perform_move(caller: Caller, request: MoveRequest) -> Reply:
    """Move a definition."""
    if request.symbol is None:
        raise BadCall(
            "invalid_args",
            "move needs a definition, not a whole file",
            "give PATH::SYMBOL, or use mv to move the file",
        )
    given = {"companions": list(request.companions) or None}
    return reply.apply_operation(
        caller, request, reply.build_operation("move", Move.__struct_fields__, request, **given)
    )


ImportsAnswer = reply.EditAnswer


class ImportsRequest(ChangeRequest, frozen=True, kw_only=True):
    """File, and the changes to its imports."""

    examples = ("src/app.py --add 'import os'", "src/app.py --remove 'import sys' --dry-run")

    path: Annotated[str, describe_field("File.", "PATH", place=True, path=True)]
    add: Annotated[
        tuple[str, ...],
        describe_field('Import to add, such as "from m import a, b as c"; may be repeated.', "IMPORT"),
    ] = ()
    remove: Annotated[
        tuple[str, ...],
        describe_field("Import to remove, ignored if it is not present; may be repeated.", "IMPORT"),
    ] = ()
    remove_unused: Annotated[bool, describe_field("Remove unused imports.")] = False
    remove_duplicates: Annotated[bool, describe_field("Remove duplicate imports.")] = False
    sort: Annotated[bool, describe_field("Sort the imports within groups.")] = False
    organize: Annotated[bool, describe_field("Remove unused and duplicate imports, then sort.")] = False
    base: Base = None


def perform_imports(caller: Caller, request: ImportsRequest) -> Reply:
    """Change the imports of a file."""
    fields = ("path", "remove_unused", "remove_duplicates", "sort", "organize", "base")
    lists = {"add": list(request.add), "remove": list(request.remove)}
    return reply.apply_operation(caller, request, reply.build_operation("imports", fields, request, **lists))
