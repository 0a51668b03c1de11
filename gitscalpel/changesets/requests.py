"""Parse requests in JSON, patches or typed operations into changesets.

All that can be judged from the request alone is judged here and in ``validation.py``, so every operation
that leaves this module is well-formed, whatever the files contain.
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
    """What somebody asks for.

    Attributes:
        operations: all of them happen, or none.
        message: of the commit; None: one that says what was done.
        request_id: the same id again gives the earlier answer.
        allow_broken: a file that no longer parses is put on record and not refused.
        author: of the commit, ``Name <mail>``, perhaps with a date as git writes it; None: the user.
        onto: the branch, or ``@checkout``, if the changeset itself says so.
        structure: the level of the structure gate, where that is stricter than the rules.
        require_approval: somebody else has to approve it before it lands, whatever the rules say.
        mails: the mails that its patches are, as ``Name <mail>: subject``, where no message was given that
            says that all is to be one commit.
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
        """Refuse a message that is not text."""
        worded(self.message or "")

    def goes_onto(self, asked: str | None) -> str | None:
        """Where it goes, if it or its sender says so.

        Raises:
            BadCall: ``invalid_args``: they say different things.
        """
        if asked is not None and self.onto not in (None, asked):
            words = f"the changeset is for {self.onto}, and {arg('onto', asked)} says otherwise"
            raise BadCall("invalid_args", words, "say it in one place")
        return asked or self.onto

    def reworded(self, message: str) -> Changeset:
        """The same with another message, which credits whom its own has credited."""
        from gitscalpel.text import patch_series

        message = patch_series.keep_credits(message, self.message)
        return msgspec.structs.replace(self, message=message, mails=())

    def require_single_commit(self, is_more: bool) -> None:
        """Refuse a series of mails, whose authors and messages one commit cannot have.

        Args:
            is_more: it is added to a transaction that holds changes already.

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
        """The files that its operations name; a patch names its own."""
        return tuple(dict.fromkeys(path for op in self.operations for path in op.paths if path))

    @property
    def digest(self) -> str:
        """What tells its operations from others; the blobs that its caller has seen do not."""
        said = [[op.word, *_iter_set_fields(op)] for op in self.operations]
        return blake2b(ascii(said).encode("ascii"), digest_size=16).hexdigest()

    @property
    def requests(self) -> dict[str, str]:
        """Its id, if it has one, with that digest, as records keep them."""
        return {self.request_id: self.digest} if self.request_id else {}


_SPLIT = {
    "mail": "split it with `mkdir DIR && git mailsplit -oDIR FILE` and apply each file in order",
    "commit": "write each commit to a file with `git format-patch -o DIR RANGE` and apply each file in order",
}
_SHOWN_MAILS = 5


def _iter_set_fields(op: Operation) -> Iterator[tuple[str, Any]]:
    """The fields of an operation that say something."""
    for field in msgspec.structs.fields(op):
        value = getattr(op, field.name)
        if field.name != "base" and value != field.default:
            yield field.name, msgspec.to_builtins(value)


class _ChangesetJson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request as it is written in JSON."""

    ops: list[Any]
    message: str | None = None
    request_id: str | None = None
    allow_broken: bool = False
    onto: str | None = None
    imports: Literal["auto"] | None = None
    structure: Literal["headers", "strict"] | None = None
    require_approval: bool = False


def parse_changeset(raw: bytes) -> Changeset:
    """Read a changeset from JSON.

    Raises:
        BadCall: with ``op`` set to the index of the operation at fault, if one is.
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
    """Read a changeset in JSON, or a patch in any format that the ``patch`` operation takes.

    A changeset may be a list of operations alone, or one of them, and may stand behind prose. The mail
    around a patch says what the commit's message and author are.

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
"""What a patch that is text has, and what prose around JSON has not."""


def _decode_operations(raw: bytes) -> list[dict[str, Any]] | None:
    """The operations in a list of them, or in an object that is one; None for anything else."""
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
    """Return the refusal of JSON in another encoding."""
    byte = error.object[error.start]
    words = f"the changeset is not UTF-8: byte 0x{byte:02x} at offset {raw.find(byte)}"
    hint = f"send JSON in UTF-8; name a file by its path as git quotes it; bytes go into {arg('content_b64')}"
    return BadCall("invalid_args", words, hint)


def is_changeset(raw: bytes) -> bool:
    """Whether this is an object with ``ops``, also where it is broken off; patches may be JSON as well."""
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
    """A request for operations, typed or as the JSON objects that stand for them.

    With ``imports="auto"`` the files that they change get the imports that they need by then, where there is
    one way to bring each, and lose those that they need no more. A patch that is a mail says who the author
    is, and what the message is where none is given.

    Raises:
        BadCall: with ``op`` set to the index of the operation at fault.
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
    """Return a changeset with the author and the message of the mail that its patch is."""
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
    """Check and type operations given as JSON-like objects (or typed, but never checked)."""
    operations = []
    for index, item in enumerate(raw):
        try:
            operations.append(parse_operation(item))
        except ScalpelError as error:
            raise error.at(index, *_operation_names(item)) from error
    return tuple(operations)


def _operation_names(item: Any) -> tuple[Any, Any]:
    """What an operation calls itself and its file, however wrong it is."""
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
    """The refusal of an operation that there is not."""
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
