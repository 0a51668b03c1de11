"""Check operations without the files: empty values, two addresses, malformed references.

All other errors are found where the operation is applied.
"""

from __future__ import annotations

from gitscalpel.changesets.operations import (
    Imports,
    Insert,
    Lines,
    Move,
    Named,
    Operation,
    Patch,
    Placed,
    Replace,
    Signature,
    Text,
    Write,
)
from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg, call


def check(operation: Operation) -> None:
    """Raise if an operation is wrong for any content of the files.

    Raises:
        BadCall: ``invalid_args``, ``empty_target``, ``invalid_position``, ``invalid_ref`` or
            ``invalid_range``.
    """
    _require_whole_characters(operation)
    if not operation.path.strip() and not (isinstance(operation, Patch) and not operation.path):
        raise BadCall(
            "invalid_args", f"{arg('path')} is empty", "name a file, relative to the repository root"
        )
    for field in operation.required:
        value = getattr(operation, field)
        if not value.strip() and not (value and may_be_blank(operation, field)):
            raise empty_field(operation, field)
    if isinstance(operation, Placed):
        check_address(operation)
    _check_own_fields(operation)


def may_be_blank(operation: Operation, field: str) -> bool:
    """Return True if a field may contain only blanks, because the code to replace may be white space."""
    if field != "code" or not isinstance(operation, Placed):
        return False
    return operation.query is not None or operation.node is not None


def empty_field(operation: Operation, field: str) -> BadCall:
    """Return the error for an empty field."""
    is_replaced = isinstance(operation, Replace) and field == "code"
    hint = "use delete to remove it" if is_replaced else f"give {arg(field)}"
    if field == "diff":
        hint = f"send a patch; {call('apply')} takes a changeset as well"
    return BadCall("invalid_args", f"{arg(field)} is empty", hint)


def _check_own_fields(operation: Operation) -> None:
    if isinstance(operation, Named):
        _check_name(operation)
    if isinstance(operation, Move) and not (operation.to_path or "").strip():
        _check_destination(operation)
    if isinstance(operation, Imports):
        _check_imports(operation)
    if isinstance(operation, Insert) and operation.position not in ("before", "after", "first", "last"):
        _refuse_position(operation.position, "before, after, first or last")
    if isinstance(operation, Text):
        _check_text(operation)
    if isinstance(operation, Lines):
        if operation.position not in (None, "before", "after"):
            _refuse_position(operation.position, "before or after, or leave it out to replace")
        _ = operation.lines
    if isinstance(operation, Write) and (operation.content is None) == (operation.content_b64 is None):
        raise BadCall(
            "invalid_args",
            "write takes either content or content_b64",
            'give "content" for text (it may be empty), "content_b64" for bytes',
        )


def _check_destination(operation: Move) -> None:
    """Raise if a move names no file and no attribute, or takes companions to an attribute."""
    if operation.companions and operation.to_path is None:
        said = f"{arg('companions')} is for a move to another file"
        raise BadCall("invalid_args", said, f"leave out {arg('companions')}")
    if operation.to_path is not None or not operation.is_to_attribute:
        hint = (
            f"give {arg('to_path')}, the other file; a method also goes to {arg('to', 'self.attribute.name')}"
        )
        raise BadCall("invalid_args", "move has no destination", hint)


def _check_imports(operation: Imports) -> None:
    ways = ("add", "remove", "remove_unused", "remove_duplicates", "sort", "organize")
    if not any(getattr(operation, way) for way in ways):
        *others, last = map(arg, ways)
        words = f"give {', '.join(others)} or {last}"
        raise BadCall("invalid_args", "imports has nothing to do", words)


def _check_name(operation: Named) -> None:
    in_line = operation.start is not None or operation.name is not None
    if operation.symbol is not None and in_line:
        both = f"{arg('symbol')} and {arg('start')} with {arg('name')}"
        raise BadCall("invalid_args", f"{operation.word} is addressed by {both} at once", "give one of them")
    if operation.symbol is None and (operation.start is None or not (operation.name or "").strip()):
        raise BadCall(
            "invalid_args",
            f"{operation.word} has no name",
            f"give {arg('symbol')}, or {arg('start')} with {arg('name')} as it stands in that line",
        )
    if operation.symbol is not None and not operation.symbol.strip():
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")


def _require_whole_characters(operation: Operation) -> None:
    for field in operation.__struct_fields__:
        text = getattr(operation, field)
        try:
            _ = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else b""
        except UnicodeEncodeError as error:
            raise BadCall(
                "invalid_args",
                f"{field} contains half of a surrogate pair at character {error.start}",
                "send whole characters",
            ) from None


def worded(message: str) -> str:
    """Return a message that is valid Unicode, as a commit would otherwise contain other bytes.

    Raises:
        BadCall: ``invalid_args``.
    """
    try:
        message.encode("utf-8")
    except UnicodeEncodeError as error:
        shown = message.encode("utf-8", "replace").decode()
        raise BadCall(
            "invalid_args",
            f"the message is not UTF-8 at character {error.start + 1}: {shown}",
            "give the message in UTF-8; `iconv -t UTF-8` converts text",
        ) from None
    return message


def check_address(operation: Placed) -> None:
    """Raise if there is no address, or more than one.

    Raises:
        BadCall: ``invalid_args``, ``query_syntax``, ``invalid_ref`` or ``invalid_range``.
    """
    given = [f for f in ("symbol", "query", "node", "start") if getattr(operation, f) is not None]
    ways = _describe_addresses(operation)
    if isinstance(operation, (Insert, Signature)) and "start" in given:
        raise BadCall(
            "invalid_args",
            f"{operation.word} is addressed by {ways}, not by lines",
            f"use lines with {arg('position', 'after')} to insert at a line",
        )
    if not given:
        _check_whole_file(operation, ways)
    if len(given) > 1:
        raise BadCall(
            "invalid_args",
            f"{operation.word} is addressed by {' and '.join(map(arg, given))} at once",
            f"give {ways}",
        )
    if operation.end is not None and operation.start is None:
        raise BadCall("invalid_args", f"{arg('end')} without {arg('start')}", f"give {arg('start')} as well")
    if operation.symbol is not None and not operation.symbol.strip():
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")
    if operation.query is not None and not operation.query.strip():
        raise BadCall("query_syntax", "the selector is empty", "write one, such as function[name=f]")
    if operation.match is not None and operation.query is None:
        raise BadCall(
            "invalid_args",
            f"{arg('match')} goes with {arg('query')}",
            f"leave {arg('match')} out, or address by {arg('query')}",
        )
    if operation.node is not None and operation.base is None:
        raise BadCall(
            "invalid_args",
            f"{arg('node')} without {arg('base')}",
            f"give {arg('base')}: the blob from the answer of find",
        )
    _ = operation.lines, operation.node_ref


def _no_place_error(operation: Placed, ways: str) -> BadCall:
    hint, more = f"give {ways}", {}
    path, double, symbol = operation.path.partition("::")
    if double and symbol:
        hint = f'path and symbol are two fields: "path": "{path}", "symbol": "{symbol}"'
        more = {"retry": {"path": path, "symbol": symbol}}
    elif operation.word == "delete" and not double:
        hint += f"; {call('rm', path=path)} removes the whole file (in a changeset, the operation remove)"
    return BadCall("invalid_args", f"{operation.word} has no address", hint, where=None, **more)


def _describe_addresses(operation: Placed) -> str:
    ways = ["symbol", "query", "node"] + ["start"] * (not isinstance(operation, (Insert, Signature)))
    *others, last = map(arg, ways)
    return f"{', '.join(others)} or {last}"


def _check_whole_file(operation: Placed, ways: str) -> None:
    """Raise if a path is the only address, except for an insert at the top level of the file."""
    more = ""
    if isinstance(operation, Insert):
        if operation.position in ("first", "last") and operation.kind is None:
            return
        places = f"{arg('position', 'first')} or {arg('position', 'last')}"
        more = f"; or {places}, without {arg('kind')}, for the top level of the file"
    raise _no_place_error(operation, ways + more)


def _check_text(operation: Text) -> None:
    if operation.old == "":
        raise BadCall(
            "empty_target",
            f"{arg('old')} is empty, so it names no place",
            f"give the text to replace; to insert, use lines with {arg('position', 'after')}, or insert",
        )
    if operation.count is not None and operation.count < 1:
        raise BadCall(
            "invalid_args", f"{arg('count')} is the number of occurrences, from 1", "leave it out if unsure"
        )
    if operation.occurrences is not None:
        if operation.all:
            raise BadCall(
                "invalid_args",
                f"{arg('all')} and {arg('occurrences')} cannot be combined",
                "give one of them",
            )
        if not operation.occurrences or min(operation.occurrences) < 0:
            raise BadCall(
                "invalid_args",
                f"{arg('occurrences')} lists indices from 0",
                f"for example {arg('occurrences', '[0, 2]')}",
            )


def _refuse_position(position: str | None, allowed: str) -> None:
    raise BadCall("invalid_position", f"there is no position {position!r}", f"use {allowed}")
