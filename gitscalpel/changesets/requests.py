"""Parse requests in JSON, patches or typed operations into changesets.

All checks that need only the request are made here and in ``validation.py``. So every operation that leaves
this module is well-formed for any content of the files.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.operations import KINDS, Missing, Operation, Patch
from gitscalpel.changesets.validation import check, worded
from gitscalpel.errors import BadCall, ScalpelError
from gitscalpel.errors.messages import arg, call
from gitscalpel.system import serialization


class Changeset(msgspec.Struct, frozen=True, kw_only=True):
    """A request to edit files.

    Attributes:
        operations: operations, which are applied together or not at all.
        message: commit message. None to describe the operations.
        request_id: id of the request. The same id again returns the earlier answer.
        allow_broken: True to accept, and record, that a file no longer parses.
        author: author of the commit as ``Name <mail>``, possibly with a date as git writes it. None for the
            user.
        onto: target branch, or ``@checkout``, if the changeset itself names it.
        structure: level of the structure gate, if stricter than the rules.
        require_approval: True if another person has to approve, even if the rules do not require it.
        mails: mails that its patches contain, as ``Name <mail>: subject``. Empty if a message was given,
            which makes one commit of them.
        source: kind of the ``mails``.
    """

    operations: tuple[Operation, ...]
    message: str | None = None
    request_id: str | None = None
    allow_broken: bool = False
    author: str | None = None
    onto: str | None = None
    structure: Literal["headers", "strict"] | None = None
    require_approval: bool = False
    mails: tuple[str, ...] = ()
    source: Literal["mail", "commit"] = "mail"

    def __post_init__(self) -> None:
        """Raise if the message is not valid Unicode."""
        worded(self.message or "")

    def goes_onto(self, asked: str | None) -> str | None:
        """Return the target that the changeset or its sender names. None if neither does.

        Raises:
            BadCall: ``invalid_args``: both name different targets.
        """
        if asked is not None and self.onto not in (None, asked):
            words = f"the changeset is for {self.onto}, and {arg('onto', asked)} says otherwise"
            raise BadCall("invalid_args", words, "name the target in one place")
        return asked or self.onto

    def reworded(self, message: str) -> Changeset:
        """Return the changeset with another message, which keeps the credits of the old one."""
        from gitscalpel.text import patch_series

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
        known = "which names the authors as co-authors"
        if len(self.mails) == 1:
            words = (
                f"the patch is a {self.source}, and the transaction holds changes that are not in it: {shown}"
            )
            hint = "apply it as a transaction of its own"
        else:
            several = f"{len(self.mails)} {self.source}s"
            words = f"the patch is a series of {several}, which one commit cannot be: {shown}"
            hint = _SPLIT[self.source]
        hint += f", or give a message ({arg('message')}) to make one commit of all, {known}"
        raise BadCall("invalid_args", words, hint, mails=list(self.mails))

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that the operations name. Files inside a patch are not included."""
        return tuple(dict.fromkeys(path for op in self.operations for path in op.paths if path))

    @property
    def digest(self) -> str:
        """Return the digest of the operations. The blobs that the caller has seen do not count."""
        said = [[op.word, *_iter_set_fields(op)] for op in self.operations]
        return blake2b(ascii(said).encode("ascii"), digest_size=16).hexdigest()

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


def parse_changeset(raw: bytes) -> Changeset:
    """Parse a changeset in JSON.

    Raises:
        BadCall: with ``op`` set to the index of the invalid operation, if there is one.
    """
    try:
        parsed = serialization.decode(raw.removeprefix(codecs.BOM_UTF8), _ChangesetJson)
    except msgspec.MsgspecError as error:
        raise BadCall(
            "invalid_args",
            f"this is not a changeset: {error}",
            'send {"message": "…", "ops": [{"op": "replace", "path": "…", …}]}',
        ) from None
    if not parsed.ops:
        raise BadCall("invalid_args", "the changeset has no operations", "put at least one into ops")
    return changeset(
        *parsed.ops,
        message=parsed.message,
        request_id=parsed.request_id,
        allow_broken=parsed.allow_broken,
        onto=parsed.onto,
        imports=parsed.imports,
        structure=parsed.structure,
        require_approval=parsed.require_approval,
    )


def parse_request(raw: bytes) -> Changeset:
    """Parse a changeset in JSON, or a patch in any format of the ``patch`` operation.

    A changeset may be a list of operations or a single one, and may follow prose. The mail around a patch
    provides the commit's message and author.

    Raises:
        BadCall: as :func:`parse_changeset`.
    """
    text = raw.removeprefix(codecs.BOM_UTF8)
    if is_changeset(text):
        return parse_changeset(raw)
    from gitscalpel.text import lenient_json, patch_series

    said = _decode_operations(text)
    if said is None and not text.lstrip().startswith((b"{", b"[")) and not _PATCH_START.search(text):
        inside = lenient_json.find_json_values(text.decode("utf-8", "replace"))
        if len(inside) == 1 and is_changeset(inside[0].encode()):
            return parse_changeset(inside[0].encode())
        said = _decode_operations(inside[0].encode()) if len(inside) == 1 else None
    if said is not None:
        return changeset(*said)
    request = changeset({"op": "patch", "diff": raw.decode("utf-8", "surrogateescape")})
    if request.message is None:
        return msgspec.structs.replace(request, message=patch_series.credit_message(text))
    return request


_PATCH_START = re.compile(rb"^(?:diff --git |--- |@@|[<-]{5,} ?SEARCH|[ \t]*\*\*\* )", re.MULTILINE)
"""Lines that a text patch contains, and prose around JSON does not."""


def _decode_operations(raw: bytes) -> list[dict[str, Any]] | None:
    """Return the operations of a list, or of a single object. None for any other text."""
    try:
        said = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    except UnicodeDecodeError as error:
        raise _encoding_error(raw, error) from None
    items = said if isinstance(said, list) else [said]
    is_all = bool(items) and all(isinstance(item, dict) and "op" in item for item in items)
    return items if is_all else None


def _encoding_error(raw: bytes, error: UnicodeDecodeError) -> BadCall:
    byte = error.object[error.start]
    words = f"the changeset is not UTF-8: byte 0x{byte:02x} at offset {raw.find(byte)}"
    hint = f"send JSON in UTF-8; name a file by its path as git quotes it; bytes go into {arg('content_b64')}"
    return BadCall("invalid_args", words, hint)


def is_changeset(raw: bytes) -> bool:
    """Return True if the text is a JSON object with ``ops``, even a truncated one.

    Other JSON objects may be patches.
    """
    if not raw.lstrip().startswith(b"{"):
        return False
    try:
        return "ops" in serialization.decode(raw, dict[str, msgspec.Raw])
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
    made = Changeset(
        operations=(*parse_operations(operations), *([Missing()] if imports else ())),
        message=message,
        request_id=request_id,
        allow_broken=allow_broken,
        onto=onto,
        structure=structure,
        require_approval=require_approval,
    )
    return _add_mail_credits(made) if any(isinstance(op, Patch) for op in made.operations) else made


def _add_mail_credits(made: Changeset) -> Changeset:
    from gitscalpel.text import patch_series

    found: list[patch_series.Mail] = []
    source: Literal["mail", "commit"] = "mail"
    operations = list(made.operations)
    for at, op in enumerate(operations):
        if isinstance(op, Patch):
            raw = op.diff.encode("utf-8", "surrogateescape").removeprefix(codecs.BOM_UTF8)
            read = patch_series.read_mails(raw)
            if not read and (read := patch_series.read_commits(raw)):
                source = "commit"
            found += read
            if read:
                diff = b"\n".join(mail.patch for mail in read).decode("utf-8", "surrogateescape")
                operations[at] = msgspec.structs.replace(op, diff=diff)
    if not found:
        return made
    message, author = made.message, found[0].author
    if len(found) > 1:
        message, author = patch_series.join_credits(made.message, found)
    return msgspec.structs.replace(
        made,
        operations=tuple(operations),
        message=message or found[0].message,
        author=author,
        mails=() if made.message else tuple(map(str, found)),
        source=source,
    )


def parse_operations(raw: Iterable[Any]) -> tuple[Operation, ...]:
    """Check and type operations given as JSON-like objects, or typed but never checked."""
    operations = []
    for index, item in enumerate(raw):
        try:
            operations.append(parse_operation(item))
        except ScalpelError as error:
            raise error.at(index, *_operation_names(item)) from error
    return tuple(operations)


def _operation_names(item: Any) -> tuple[Any, Any]:
    if isinstance(item, Operation):
        return item.word, item.path
    return (item.get("op"), item.get("path")) if isinstance(item, dict) else (None, None)


def parse_operation(item: Any) -> Operation:
    """Check and type one operation."""
    if isinstance(item, Operation):
        item = {**msgspec.structs.asdict(item), "op": item.word}
    if not isinstance(item, dict):
        raise BadCall(
            "invalid_args", "an operation is a JSON object", f"{call('schema')} shows the fields of each"
        )
    name = item.get("op")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _unknown_operation_error(item)
    _require_known_fields(item, kind)
    try:
        operation = serialization.convert(item, kind)
    except msgspec.ValidationError as error:
        raise BadCall("invalid_args", f"{name}: {error}", _fields_hint(kind)) from None
    check(operation)
    return operation


def _unknown_operation_error(item: dict[str, Any]) -> BadCall:
    from gitscalpel.errors.suggestions import operation

    message = "it does not say which operation it is"
    message = f"there is no operation {item['op']!r}" if "op" in item else message
    near = operation(item, KINDS)
    fits = near and {*item} - {"op"} <= {*KINDS[near].__struct_fields__}
    return BadCall(
        "invalid_args",
        message,
        f'did you mean "op": "{near}"?' if near else f'"op" is one of {", ".join(KINDS)}',
        operations=list(KINDS),
        **({"retry": {"op": near}} if fits else {}),
    )


def _require_known_fields(item: dict[str, Any], kind: type[Operation]) -> None:
    for field in item:
        if field != "op" and field not in kind.__struct_fields__:
            from gitscalpel.errors.suggestions import meant

            near = meant(str(field), kind.__struct_fields__)
            hint = f"did you mean {near!r}? " if near else ""
            raise BadCall("invalid_args", f"{item['op']} has no field {field!r}", hint + _fields_hint(kind))


def _fields_hint(kind: type[Operation]) -> str:
    return f"{kind.__struct_config__.tag} takes {', '.join(kind.__struct_fields__)}"
