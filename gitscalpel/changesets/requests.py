"""Requests: changesets as callers send them, checked field by field.

All checks that need only the request are made here, so every operation that leaves this module is well-formed
for any content of the files.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.operations import (
    OPERATION_TYPES,
    AddressedOperation,
    AutoImports,
    Imports,
    Insert,
    Lines,
    Move,
    NameOperation,
    Operation,
    Patch,
    Replace,
    Signature,
    Text,
    Write,
)
from gitscalpel.errors import BadCall, ScalpelError
from gitscalpel.errors.messages import arg, call, suggest_field, suggest_operation
from gitscalpel.system import serialization
from gitscalpel.text import lenient_json, patch_series


def check_operation(operation: Operation) -> None:
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
            raise empty_field_error(operation, field)
    if isinstance(operation, AddressedOperation):
        check_address(operation)
    _check_own_fields(operation)


def may_be_blank(operation: Operation, field: str) -> bool:
    """Return True if a field may contain only blanks, because the code to replace may be white space."""
    if field != "code" or not isinstance(operation, AddressedOperation):
        return False
    return operation.query is not None or operation.node is not None


def empty_field_error(operation: Operation, field: str) -> BadCall:
    is_replaced = isinstance(operation, Replace) and field == "code"
    hint = "use delete to remove it" if is_replaced else f"give {arg(field)}"
    if field == "diff":
        hint = f"send a patch; {call('apply')} takes a changeset as well"
    return BadCall("invalid_args", f"{arg(field)} is empty", hint)


def _check_own_fields(operation: Operation) -> None:
    if isinstance(operation, NameOperation):
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
            'give "content" for text (may be empty) or "content_b64" for bytes, but not both',
        )


def _check_destination(operation: Move) -> None:
    """Raise if a move names no file and no attribute, or takes companions to an attribute."""
    if operation.companions and operation.to_path is None:
        message = f"{arg('companions')} is for a move to another file"
        raise BadCall("invalid_args", message, f"leave out {arg('companions')}")
    if operation.to_path is not None or not operation.is_to_attribute:
        hint = (
            f"give {arg('to_path')}, the other file; a method also goes to {arg('to', 'self.attribute.name')}"
        )
        raise BadCall("invalid_args", "move has no destination", hint)


def _check_imports(operation: Imports) -> None:
    fields = ("add", "remove", "remove_unused", "remove_duplicates", "sort", "organize")
    if not any(getattr(operation, field) for field in fields):
        *others, last = map(arg, fields)
        hint = f"give {', '.join(others)} or {last}"
        raise BadCall("invalid_args", "imports does not say what to change", hint)


def _check_name(operation: NameOperation) -> None:
    in_line = operation.start is not None or operation.name is not None
    if operation.symbol is not None and in_line:
        both = f"{arg('symbol')} and {arg('start')} with {arg('name')}"
        raise BadCall("invalid_args", f"{operation.word} is addressed by {both} at once", "give one of them")
    if operation.symbol is None and (operation.start is None or not (operation.name or "").strip()):
        raise BadCall(
            "invalid_args",
            f"{operation.word} has no name",
            f"give {arg('symbol')}, or both {arg('start')} and {arg('name')} as it is written in that line",
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
                "send each character whole, or as both halves of its surrogate pair",
            ) from None


def require_text(message: str) -> str:
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


def check_address(operation: AddressedOperation) -> None:
    """Raise if there is no address, or more than one.

    Raises:
        BadCall: ``invalid_args``, ``query_syntax``, ``invalid_ref`` or ``invalid_range``.
    """
    addresses = [f for f in ("symbol", "query", "node", "start") if getattr(operation, f) is not None]
    allowed = _describe_addresses(operation)
    if isinstance(operation, (Insert, Signature)) and "start" in addresses:
        raise BadCall(
            "invalid_args",
            f"{operation.word} is addressed by {allowed}, not by lines",
            f"use `lines` with {arg('position', 'after')} to insert at a line",
        )
    if not addresses:
        _check_whole_file(operation, allowed)
    if len(addresses) > 1:
        raise BadCall(
            "invalid_args",
            f"{operation.word} is addressed by {' and '.join(map(arg, addresses))} at once",
            f"give {allowed}",
        )
    if operation.end is not None and operation.start is None:
        raise BadCall(
            "invalid_args", f"{arg('end')} is given without {arg('start')}", f"give {arg('start')} as well"
        )
    if operation.symbol is not None and not operation.symbol.strip():
        raise BadCall("invalid_args", "symbol is empty", "name a symbol, such as Outer.inner")
    if operation.query is not None and not operation.query.strip():
        raise BadCall("query_syntax", "the selector is empty", "give a selector, such as function[name=f]")
    if operation.match is not None and operation.query is None:
        raise BadCall(
            "invalid_args",
            f"{arg('match')} needs {arg('query')}",
            f"leave {arg('match')} out, or give {arg('query')}",
        )
    if operation.node is not None and operation.base is None:
        raise BadCall(
            "invalid_args",
            f"{arg('node')} is given without {arg('base')}",
            f"give {arg('base')}, the blob that find printed",
        )
    _ = operation.lines, operation.node_ref


def _missing_address_error(operation: AddressedOperation, allowed: str) -> BadCall:
    hint, more = f"give {allowed}", {}
    path, double, symbol = operation.path.partition("::")
    if double and symbol:
        hint = f'path and symbol are two fields: "path": "{path}", "symbol": "{symbol}"'
        more = {"retry": {"path": path, "symbol": symbol}}
    elif operation.word == "delete" and not double:
        hint += f"; {call('rm', path=path)} removes the whole file (in a changeset, the operation remove)"
    return BadCall("invalid_args", f"{operation.word} has no address", hint, where=None, **more)


def _describe_addresses(operation: AddressedOperation) -> str:
    fields = ["symbol", "query", "node"] + ["start"] * (not isinstance(operation, (Insert, Signature)))
    *others, last = map(arg, fields)
    return f"{', '.join(others)} or {last}"


def _check_whole_file(operation: AddressedOperation, allowed: str) -> None:
    """Raise if a path is the only address, except for an insert at the top level of the file."""
    more = ""
    if isinstance(operation, Insert):
        if operation.position in ("first", "last") and operation.kind is None:
            return
        places = f"{arg('position', 'first')} or {arg('position', 'last')}"
        more = f"; or {places}, without {arg('kind')}, for the top level of the file"
    raise _missing_address_error(operation, allowed + more)


def _check_text(operation: Text) -> None:
    if operation.old == "":
        raise BadCall(
            "empty_target",
            f"{arg('old')} is empty",
            f"give the text to replace; to insert, use `lines` with {arg('position', 'after')}, or `insert`",
        )
    if operation.count is not None and operation.count < 1:
        raise BadCall(
            "invalid_args",
            f"{arg('count')} must be 1 or more: it is the expected number of occurrences",
            "leave it out if unsure",
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
                f"{arg('occurrences')} must be a list of indices, counted from 0",
                f"for example {arg('occurrences', '[0, 2]')}",
            )


def _refuse_position(position: str | None, allowed: str) -> None:
    raise BadCall("invalid_position", f"unknown position: {position!r}", f"use {allowed}")


class Changeset(msgspec.Struct, frozen=True, kw_only=True):
    """A request to edit files."""

    operations: tuple[Operation, ...]  # operations, which are applied together or not at all
    message: str | None = None  # commit message. None to describe the operations.
    request_id: str | None = None  # id of the request. The same id again returns the earlier answer.
    allow_broken: bool = False  # True to accept, and record, that a file no longer parses
    # Author of the commit as ``Name <mail>``, possibly with git's date. None for the user.
    author: str | None = None
    onto: str | None = None  # target branch, or ``@checkout``, if the changeset itself names it
    # Level of the structure gate, if stricter than the rules.
    structure: Literal["headers", "strict"] | None = None
    # True if another person has to approve, even if the rules do not require it.
    require_approval: bool = False
    # Mails that its patches contain, as ``Name <mail>: subject``. Empty if a message was given, which makes
    # one commit of them.
    mails: tuple[str, ...] = ()
    source: Literal["mail", "commit"] = "mail"  # kind of the ``mails``

    def __post_init__(self) -> None:
        require_text(self.message or "")

    def goes_onto(self, asked: str | None) -> str | None:
        """Return the target that the changeset or its sender names, or None.

        Raises:
            BadCall: ``invalid_args``: both name different targets.
        """
        if asked is not None and self.onto not in (None, asked):
            words = f"the changeset is for {self.onto}, and {arg('onto', asked)} says otherwise"
            raise BadCall("invalid_args", words, "name the branch only once")
        return asked or self.onto

    def reworded(self, message: str) -> Changeset:
        message = patch_series.keep_credits(message, self.message)
        return msgspec.structs.replace(self, message=message, mails=())

    def require_single_commit(self, is_more: bool) -> None:
        """Raise for a series of mails, whose authors and messages one commit cannot have.

        ``is_more`` is True if the changeset is added to a transaction with changes.

        Raises:
            BadCall: ``invalid_args``.
        """
        if len(self.mails) <= (0 if is_more else 1):
            return
        shown = "; ".join(self.mails[:_SHOWN_MAILS])
        more = len(self.mails) - _SHOWN_MAILS
        shown += f"; and {more} more" if more > 0 else ""
        effect = "which names the authors as co-authors"
        if len(self.mails) == 1:
            words = f"the patch is a {self.source}, and the transaction contains other changes: {shown}"
            hint = "apply it as a transaction of its own"
        else:
            several = f"{len(self.mails)} {self.source}s"
            words = f"the patch is a series of {several}, which cannot become one commit: {shown}"
            hint = _SPLIT[self.source]
        hint += f", or give a message ({arg('message')}) to make one commit of all, {effect}"
        raise BadCall("invalid_args", words, hint, mails=list(self.mails))

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that the operations name. Files inside a patch are not included."""
        return tuple(dict.fromkeys(path for op in self.operations for path in op.paths if path))

    @property
    def digest(self) -> str:
        """Return the digest of the operations. The blobs that the caller has seen do not count."""
        fields = [[op.word, *_iter_set_fields(op)] for op in self.operations]
        return blake2b(ascii(fields).encode("ascii"), digest_size=16).hexdigest()

    @property
    def requests(self) -> dict[str, str]:
        """Return the request id, if there is one, with the digest, as records contain it."""
        return {self.request_id: self.digest} if self.request_id else {}


_SPLIT = {
    "mail": "split it with `mkdir DIR && git mailsplit -oDIR FILE` and apply each file in order",
    "commit": "write each commit to a file with `git format-patch -o DIR RANGE` and apply each file in order",
}
_SHOWN_MAILS = 5


def _iter_set_fields(op: Operation) -> Iterator[tuple[str, Any]]:
    for field in msgspec.structs.fields(op):
        value = getattr(op, field.name)
        if field.name != "base" and value != field.default:
            yield field.name, msgspec.to_builtins(value)


class _ChangesetJson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ops: list[Any]
    message: str | None = None
    request_id: str | None = None
    allow_broken: bool = False
    onto: str | None = None
    imports: Literal["auto"] | None = None
    structure: Literal["headers", "strict"] | None = None
    require_approval: bool = False


_UNKNOWN_FIELD = re.compile("unknown field `(.*)`")


def parse_changeset(raw: bytes) -> Changeset:
    """Parse a changeset in JSON.

    Raises:
        BadCall: with ``op`` set to the index of the invalid operation, if there is one.
    """
    try:
        parsed = serialization.decode(raw.removeprefix(codecs.BOM_UTF8), _ChangesetJson)
    except msgspec.MsgspecError as error:
        unknown = _UNKNOWN_FIELD.search(str(error))
        similar = suggest_field(unknown[1], _ChangesetJson.__struct_fields__) if unknown else ""
        hint = 'send {"message": "…", "ops": [{"op": "replace", "path": "…", …}]}'
        raise BadCall(
            "invalid_args",
            f"this is not a changeset: {error}",
            f"did you mean {similar!r}? {hint}" if similar else hint,
        ) from None
    if not parsed.ops:
        raise BadCall(
            "invalid_args", "the changeset has no operations", "add at least one operation to `ops`"
        )
    options = msgspec.structs.asdict(parsed)
    return changeset(*options.pop("ops"), **options)


def parse_request(raw: bytes) -> Changeset:
    """Parse a changeset in JSON, or a patch in any format of the ``patch`` operation.

    A changeset may be a list of operations or a single one, and may follow prose. The mail around a patch
    provides the commit's message and author. Raises as :func:`parse_changeset`.
    """
    text = raw.removeprefix(codecs.BOM_UTF8)
    if is_changeset(text):
        return parse_changeset(raw)
    operations = _decode_operations(text)
    if operations is None and not text.lstrip().startswith((b"{", b"[")) and not _PATCH_START.search(text):
        values = lenient_json.find_json_values(text.decode("utf-8", "replace"))
        if len(values) == 1 and is_changeset(values[0].encode()):
            return parse_changeset(values[0].encode())
        operations = _decode_operations(values[0].encode()) if len(values) == 1 else None
    if operations is not None:
        return changeset(*operations)
    request = changeset({"op": "patch", "diff": raw.decode("utf-8", "surrogateescape")})
    if request.message is None:
        return msgspec.structs.replace(request, message=patch_series.credit_message(text))
    return request


# Lines that a text patch contains, and prose around JSON does not.
_PATCH_START = re.compile(rb"^(?:diff --git |--- |@@|[<-]{5,} ?SEARCH|[ \t]*\*\*\* )", re.MULTILINE)


def _decode_operations(raw: bytes) -> list[dict[str, Any]] | None:
    """Return the operations of a list, or of a single object. None for any other text."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    except UnicodeDecodeError as error:
        raise _encoding_error(raw, error) from None
    items = value if isinstance(value, list) else [value]
    is_operations = bool(items) and all(isinstance(item, dict) and "op" in item for item in items)
    return items if is_operations else None


def _encoding_error(raw: bytes, error: UnicodeDecodeError) -> BadCall:
    byte = error.object[error.start]
    words = f"the changeset is not UTF-8: byte 0x{byte:02x} at offset {raw.find(byte)}"
    hint = f"send JSON in UTF-8; name a file by its path as git quotes it; bytes go into {arg('content_b64')}"
    return BadCall("invalid_args", words, hint)


def is_changeset(raw: bytes) -> bool:
    """Return True for a JSON object with ``ops``, even a truncated one. Other JSON objects may be patches."""
    if not raw.lstrip().startswith(b"{"):
        return False
    try:
        return not {"ops", "operations"}.isdisjoint(serialization.decode(raw, dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError):
        return re.match(rb"\s*\{[^{}\[\]]*\"ops\"", raw) is not None


def changeset(
    *operations: Operation | dict[str, Any],
    message: str | None = None,
    request_id: str | None = None,
    allow_broken: bool = False,
    onto: str | None = None,
    imports: Literal["auto"] | None = None,
    structure: Literal["headers", "strict"] | None = None,
    require_approval: bool = False,
) -> Changeset:
    """Return a changeset of operations, typed or as JSON objects.

    With ``imports="auto"``, the changed files get the imports that they need, if each can be added in only
    one way, and lose those that they no longer need. A patch that is a mail provides the author, and the
    message if none is given.

    Raises:
        BadCall: with ``op`` set to the index of the invalid operation.
    """
    request = Changeset(
        operations=(*parse_operations(operations), *([AutoImports()] if imports else ())),
        message=message,
        request_id=request_id,
        allow_broken=allow_broken,
        onto=onto,
        structure=structure,
        require_approval=require_approval,
    )
    return _add_mail_credits(request) if any(isinstance(op, Patch) for op in request.operations) else request


def _add_mail_credits(request: Changeset) -> Changeset:
    mails: list[patch_series.Mail] = []
    source: Literal["mail", "commit"] = "mail"
    operations = list(request.operations)
    for at, op in enumerate(operations):
        if isinstance(op, Patch):
            raw = op.diff.encode("utf-8", "surrogateescape").removeprefix(codecs.BOM_UTF8)
            part = patch_series.read_mails(raw)
            if not part and (part := patch_series.read_commits(raw)):
                source = "commit"
            mails += part
            if part:
                diff = b"\n".join(mail.patch for mail in part).decode("utf-8", "surrogateescape")
                operations[at] = msgspec.structs.replace(op, diff=diff)
    if not mails:
        return request
    message, author = request.message, mails[0].author
    if len(mails) > 1:
        message, author = patch_series.join_credits(request.message, mails)
    return msgspec.structs.replace(
        request,
        operations=tuple(operations),
        message=message or mails[0].message,
        author=author,
        mails=() if request.message else tuple(map(str, mails)),
        source=source,
    )


def parse_operations(raw: Iterable[Any]) -> tuple[Operation, ...]:
    """Check and type operations given as JSON-like objects, or typed but never checked."""
    operations = []
    for index, item in enumerate(raw):
        try:
            operations.append(parse_operation(item))
        except ScalpelError as error:
            raise error.at(index, *_describe_item(item)) from error
    return tuple(operations)


def _describe_item(item: Any) -> tuple[Any, Any]:
    if isinstance(item, Operation):
        return item.word, item.path
    return (item.get("op"), item.get("path")) if isinstance(item, dict) else (None, None)


def parse_operation(item: Any) -> Operation:
    if isinstance(item, Operation):
        item = {**msgspec.structs.asdict(item), "op": item.word}
    if not isinstance(item, dict):
        raise BadCall(
            "invalid_args", "an operation must be a JSON object", f"{call('schema')} shows the fields of each"
        )
    name = item.get("op")
    kind = OPERATION_TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _unknown_operation_error(item)
    _require_known_fields(item, kind)
    try:
        operation = serialization.convert(item, kind)
    except msgspec.ValidationError as error:
        raise BadCall("invalid_args", f"{name}: {error}", _list_fields(kind)) from None
    check_operation(operation)
    return operation


def _unknown_operation_error(item: dict[str, Any]) -> BadCall:
    message = 'the operation has no "op"'
    message = f"unknown operation: {item['op']!r}" if "op" in item else message
    similar = suggest_operation(item, OPERATION_TYPES)
    is_replaceable = similar and {*item} - {"op"} <= {*OPERATION_TYPES[similar].__struct_fields__}
    return BadCall(
        "invalid_args",
        message,
        f'did you mean "op": "{similar}"?' if similar else f'set "op" to one of {", ".join(OPERATION_TYPES)}',
        operations=list(OPERATION_TYPES),
        **({"retry": {"op": similar}} if is_replaceable else {}),
    )


def _require_known_fields(item: dict[str, Any], kind: type[Operation]) -> None:
    for field in item:
        if field != "op" and field not in kind.__struct_fields__:
            similar = suggest_field(str(field), kind.__struct_fields__)
            hint = f"did you mean {similar!r}? " if similar else ""
            raise BadCall("invalid_args", f"{item['op']} has no field {field!r}", hint + _list_fields(kind))


def _list_fields(kind: type[Operation]) -> str:
    return f"{kind.__struct_config__.tag} takes {', '.join(kind.__struct_fields__)}"
