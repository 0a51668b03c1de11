"""How requests become operations.

What can be judged from the request alone is judged here (fields, empty values,
malformed references), so every operation that leaves this module is
well-formed, whatever the files say later.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from gitscalpel.errors import BadCall, ScalpelError, arg
from gitscalpel.operations import KINDS, Insert, Lines, Operation, Patch, Placed, Signature, Text, Write

_MEANT = {
    **dict.fromkeys(("file", "filename", "file_path", "filepath"), ("path",)),
    **dict.fromkeys(("content", "text", "body", "new_code", "new_content", "replacement"), ("code", "new")),
    **dict.fromkeys(("old_str", "old_string", "search", "find", "pattern"), ("old",)),
    **dict.fromkeys(("new_str", "new_string", "replace"), ("new", "code")),
    **dict.fromkeys(("name", "target", "function", "qualname"), ("symbol",)),
    **dict.fromkeys(("line", "lines", "range", "start_line"), ("start",)),
    **dict.fromkeys(("replace_all", "global"), ("all",)),
    **dict.fromkeys(("destination", "new_path", "dest"), ("to",)),
}
"""What other tools call our fields."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody asks for.

    Attributes:
        operations: all of them happen, or none.
        message: of the commit; None: one that says what was done.
        request_id: the same id again gives the earlier answer.
        allow_broken: a file that no longer parses is put on record and not refused.
        author: of the commit, ``Name <mail>``, perhaps with a date as git writes it; None: the user.
    """

    operations: tuple[Operation, ...]
    message: str | None = None
    request_id: str | None = None
    allow_broken: bool = False
    author: str | None = None


class _Changeset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request as it is written in JSON."""

    ops: list[Any]
    message: str | None = None
    request_id: str | None = None
    allow_broken: bool = False


def parse_changeset(raw: bytes) -> Request:
    """Read a changeset from JSON.

    Raises:
        BadCall: with ``op`` set to the index of the operation at fault, if one is.
    """
    try:
        parsed = msgspec.json.decode(raw.removeprefix(codecs.BOM_UTF8), type=_Changeset)
    except msgspec.MsgspecError as error:
        raise BadCall(
            "invalid_args",
            f"this is no changeset: {error}",
            'send {"message": "…", "ops": [{"op": "replace", "path": "…", …}]}',
        ) from None
    if not parsed.ops:
        raise BadCall("invalid_args", "the changeset has no operations", "put at least one into ops")
    return changeset(
        *parsed.ops,
        message=parsed.message,
        request_id=parsed.request_id,
        allow_broken=parsed.allow_broken,
    )


def parse_request(raw: bytes) -> Request:
    """Read a changeset in JSON, or a patch in any format that the ``patch`` operation takes.

    A changeset may be a list of operations alone, or one of them, and may stand behind prose. The mail
    around a patch says what the commit's message and author are.

    Raises:
        BadCall: as :func:`parse_changeset`.
    """
    text = raw.removeprefix(codecs.BOM_UTF8)
    if _is_changeset(text):
        return parse_changeset(raw)
    from gitscalpel.text import embedded, letter

    said = _operations(text)
    if said is None and not text.lstrip().startswith((b"{", b"[")) and not _MARK.search(text):
        inside = embedded.values(text.decode("utf-8", "replace"))
        if len(inside) == 1 and _is_changeset(inside[0].encode()):
            return parse_changeset(inside[0].encode())
        said = _operations(inside[0].encode()) if len(inside) == 1 else None
    if said is not None:
        return changeset(*said)
    request = changeset({"op": "patch", "diff": raw.decode("utf-8", "surrogateescape")})
    mail = letter.read(text)
    if mail is None:
        return request
    return msgspec.structs.replace(request, message=mail.message, author=mail.author)


_MARK = re.compile(rb"^(?:diff --git |--- |@@|[<-]{5,} ?SEARCH|[ \t]*\*\*\* )", re.MULTILINE)
"""What a patch that is text has, and what prose around JSON has not."""


def _operations(raw: bytes) -> list[dict[str, Any]] | None:
    """The operations in a list of them, or in an object that is one; None for anything else."""
    try:
        said = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    items = said if isinstance(said, list) else [said]
    is_all = bool(items) and all(isinstance(item, dict) and "op" in item for item in items)
    return items if is_all else None


def _is_changeset(raw: bytes) -> bool:
    """Whether this is an object with ``ops``, also where it is broken off; patches may be JSON as well."""
    if not raw.lstrip().startswith(b"{"):
        return False
    try:
        return "ops" in msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        return re.match(rb"\s*\{[^{}\[\]]*\"ops\"", raw) is not None


def changeset(
    *operations: Operation | dict[str, Any],
    message: str | None = None,
    request_id: str | None = None,
    allow_broken: bool = False,
) -> Request:
    """A request for operations, typed or as the JSON objects that stand for them.

    Raises:
        BadCall: with ``op`` set to the index of the operation at fault.
    """
    return Request(
        operations=parse_operations(operations),
        message=message,
        request_id=request_id,
        allow_broken=allow_broken,
    )


def parse_operations(raw: Iterable[Any]) -> tuple[Operation, ...]:
    """Check and type operations given as JSON-like objects (or typed, but never checked)."""
    operations = []
    for index, item in enumerate(raw):
        try:
            operations.append(parse_operation(item))
        except ScalpelError as error:
            error.at(index, *_named(item))
            raise
    return tuple(operations)


def _named(item: Any) -> tuple[Any, Any]:
    """What an operation calls itself and its file, however wrong it is."""
    if isinstance(item, Operation):
        return item.name, item.path
    return (item.get("op"), item.get("path")) if isinstance(item, dict) else (None, None)


def parse_operation(item: Any) -> Operation:
    """Check and type one operation."""
    if isinstance(item, Operation):
        item = {**msgspec.structs.asdict(item), "op": item.name}
    if not isinstance(item, dict):
        raise BadCall("invalid_args", "an operation is a JSON object", "see --help for the fields")
    name = item.get("op")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        message = (
            f"there is no operation {name!r}" if "op" in item else "it does not say which operation it is"
        )
        raise BadCall(
            "invalid_args",
            message,
            f'"op" is one of {", ".join(KINDS)}',
            operations=list(KINDS),
        )
    _refuse_unknown(item, kind)
    try:
        operation = msgspec.convert(item, type=kind)
    except msgspec.ValidationError as error:
        raise BadCall("invalid_args", f"{name}: {error}", _fields_hint(kind)) from None
    check(operation)
    return operation


def check(operation: Operation) -> None:
    """Refuse what is wrong whatever the files say (the first class of errors).

    Raises:
        BadCall: ``invalid_args``, ``empty_target``, ``invalid_position``, ``invalid_ref``
            or ``invalid_range``.
    """
    _refuse_half_characters(operation)
    if not operation.path.strip() and not (isinstance(operation, Patch) and not operation.path):
        raise BadCall(
            "invalid_args", f"{arg('path')} is empty", "name a file, relative to the repository root"
        )
    for field in operation.required:
        if not getattr(operation, field).strip():
            hint = "use delete to remove it" if field == "code" else f"give {arg(field)}"
            raise BadCall("invalid_args", f"{arg(field)} is empty", hint)
    if isinstance(operation, Placed):
        check_address(operation)
    if isinstance(operation, Insert) and operation.position not in ("before", "after", "first", "last"):
        _bad_position(operation.position, "before, after, first or last")
    if isinstance(operation, Text):
        _check_text(operation)
    if isinstance(operation, Lines):
        if operation.position not in (None, "before", "after"):
            _bad_position(operation.position, "before or after, or leave it out to replace")
        _ = operation.lines
    if isinstance(operation, Write) and (operation.content is None) == (operation.content_b64 is None):
        raise BadCall(
            "invalid_args",
            "write takes content or content_b64, one of them",
            'give "content" for text (it may be empty), "content_b64" for bytes',
        )


def _refuse_half_characters(operation: Operation) -> None:
    for field in operation.__struct_fields__:
        text = getattr(operation, field)
        try:
            _ = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else b""
        except UnicodeEncodeError as error:
            raise BadCall(
                "invalid_args",
                f"{field} holds half of a surrogate pair at character {error.start}",
                "send whole characters",
            ) from None


def check_address(operation: Placed) -> None:
    """Refuse an address that says nothing, or two things.

    Raises:
        BadCall: ``invalid_args``, ``query_syntax``, ``invalid_ref`` or ``invalid_range``.
    """
    given = [f for f in ("symbol", "query", "node", "start") if getattr(operation, f) is not None]
    ways = _ways(operation)
    if isinstance(operation, (Insert, Signature)) and "start" in given:
        raise BadCall(
            "invalid_args",
            f"{operation.name} is addressed by {ways}, not by lines",
            f"use lines with {arg('position', 'after')} to insert at a line",
        )
    if not given:
        _check_whole_file(operation, ways)
    if len(given) > 1:
        raise BadCall(
            "invalid_args",
            f"{operation.name} is addressed by {' and '.join(map(arg, given))} at once",
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
            f"give {arg('base')}: the blob that find told with it",
        )
    _ = operation.lines, operation.node_ref


def _nowhere(operation: Placed, ways: str) -> BadCall:
    """The refusal of an address without a place; one as on the command line is taken apart."""
    hint, more = f"give {ways}", {}
    path, double, symbol = operation.path.partition("::")
    if double and symbol:
        hint = f'path and symbol are two fields: "path": "{path}", "symbol": "{symbol}"'
        more = {"retry": {"path": path, "symbol": symbol}}
    return BadCall("invalid_args", f"{operation.name} does not say where", hint, where=None, **more)


def _ways(operation: Placed) -> str:
    ways = ["symbol", "query", "node"] + ["start"] * (not isinstance(operation, (Insert, Signature)))
    *others, last = map(arg, ways)
    return f"{', '.join(others)} or {last}"


def _check_whole_file(operation: Placed, ways: str) -> None:
    """Refuse what is addressed by its path alone, but for an insert at the top level of the file."""
    more = ""
    if isinstance(operation, Insert):
        if operation.position in ("first", "last") and operation.kind is None:
            return
        places = f"{arg('position', 'first')} or {arg('position', 'last')}"
        more = f"; or {places}, without {arg('kind')}, for the top level of the file"
    raise _nowhere(operation, ways + more)


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
                f"{arg('all')} and {arg('occurrences')} exclude each other",
                "give one of them",
            )
        if not operation.occurrences or min(operation.occurrences) < 0:
            raise BadCall(
                "invalid_args",
                f"{arg('occurrences')} lists indices from 0",
                f"for example {arg('occurrences', '[0, 2]')}",
            )


def _bad_position(position: str | None, allowed: str) -> None:
    raise BadCall("invalid_position", f"there is no position {position!r}", f"use {allowed}")


def _refuse_unknown(item: dict[str, Any], kind: type[Operation]) -> None:
    for field in item:
        if field != "op" and field not in kind.__struct_fields__:
            import difflib

            near = difflib.get_close_matches(str(field), kind.__struct_fields__, 1)
            near = near or [name for name in _MEANT.get(str(field), ()) if name in kind.__struct_fields__]
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise BadCall("invalid_args", f"{item['op']} has no field {field!r}", hint + _fields_hint(kind))


def _fields_hint(kind: type[Operation]) -> str:
    return f"{kind.__struct_config__.tag} takes {', '.join(kind.__struct_fields__)}"
