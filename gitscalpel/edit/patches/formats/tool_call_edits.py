"""Edits in tool calls of coding agents, as JSON or XML, in their messages, and in shell commands.

The calls are ``str_replace``, ``insert`` and ``create`` of text editors, old and new string (one pair or a
list of ``edits``), and whole files. They mean what they mean to these tools: old text occurs once, exactly
(or ``replace_all``), and each edit sees the result of the one before. No command is run: one that does more
than apply a patch is refused, since the rest would be ignored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    JsonFormat,
    LineEdit,
    Passage,
    Piece,
    encode_text,
    new_file,
    patch_error,
    text_lines,
    whole_file,
)
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.text import lenient_json

_TOOLS = ("apply_patch", "applypatch")
_SHELLS = ("bash", "sh", "zsh", "dash", "powershell", "pwsh", "cmd")
_APPLIES = re.compile(rb"\b(?:apply_patch|applypatch|git[ \t]+apply|patch[ \t]+-)")
_COMMAND = re.compile(
    rb"""[ \t]*(?:\$[ ])?
    (?:cd[ \t]+(?P<folder>'[^'\n]*'|"[^"$`\\\n]*"|[^\s;&|<>'"$`~*?\\-][^\s;&|<>'"$`*?\\]*)[ \t]*&&[ \t]*)?
    (?:apply_patch|applypatch|patch[ \t]+-p1
      |git[ \t]+apply(?:[ \t]+(?:-|-p1|-v|--verbose|--index|-3|--3way|--recount|--whitespace=[\w-]+))*)
    [ \t]*<<-?[ \t]*(?P<quote>['"]?)(?P<word>\w+)(?P=quote)[ \t]*\r?\Z""",
    re.VERBOSE,
)
_LEAVES = re.compile(rb"[ \t]*(?:cd|pushd)[ \t]")
_QUIET = re.compile(rb"\s*(?:[`~]{3,}.*)?\Z")


class HereDocument(NamedTuple):
    """The text of a here-document, the directory in which its command runs, and the text around it."""

    text: bytes
    folder: str
    around: bytes


def find_here_document(raw: bytes, sign: int) -> HereDocument:
    """Return the here-document that contains the offset ``sign``, or all of ``raw`` without one.

    Raises ``patch_failed`` if its command does more than apply a patch.
    """
    lines = raw.split(b"\n")
    above = lines[: raw.count(b"\n", 0, sign)]
    commands = [n for n, line in enumerate(above) if b"<<" in line and _APPLIES.search(line)]
    if not commands:
        return HereDocument(raw, "", b"")
    start = commands[-1]
    command = _COMMAND.match(lines[start])
    if command is None or (start and _LEAVES.match(lines[start - 1])):
        raise _unknown_command_error(lines[start])
    below = range(start + 1, len(lines))
    end = next((n for n in below if lines[n].strip(b"\t\r") == command["word"]), None)
    if end is None or (end + 1 < len(lines) and not _QUIET.match(lines[end + 1])):
        raise _unknown_command_error(lines[start])
    folder = (command["folder"] or b"").strip(b"'\"").decode("utf-8", "surrogateescape")
    around = b"\n".join([*lines[:start], *lines[end + 1 :]])
    return HereDocument(b"\n".join(lines[start + 1 : end]) + b"\n", folder, around)


def find_script(arguments: Sequence[str]) -> str:
    """Return the patch, or the command with a patch, in a list of arguments.

    Raises ``patch_failed`` if the command does anything else.
    """
    name = re.split(r"[/\\]", arguments[0])[-1].lower().removesuffix(".exe") if arguments else ""
    if name in _TOOLS and len(arguments) == 2:
        return arguments[1]
    flags, last = arguments[1:-1], arguments[-1:]
    if name in _SHELLS and last and flags and all(flag[:1] in ("-", "/") for flag in flags):
        return last[0]
    raise _unknown_command_error(" ".join(arguments).encode("utf-8", "surrogateescape"))


def _unknown_command_error(command: bytes) -> DoesNotFit:
    text = command.strip()[:80].decode("utf-8", "replace")
    return patch_error(
        f"the command does more than apply a patch: {text}",
        "send the patch by itself, or as apply_patch <<'EOF' with nothing before but cd FOLDER &&",
    )


_LISTS = ("tool_calls", "content", "parts", "output", "choices")
_SINGLE = ("message", "function", "functionCall", "function_call", "params", "custom")
_ARGUMENTS = ("input", "arguments", "args")
_DEEPEST = 8  # Nested wrappings; no message has more.
_TEXTS = ("input", "patch", "patchText", "diff")
_PATHS = ("path", "file_path", "filePath", "filepath", "absolutePath", "target_file")
_FOLDERS = ("workdir", "cwd")
# A call with one of these is an edit itself, and does not contain a patch.
_EDITS = ("old_str", "old_string", "oldString", "edits", "content", "body", "text", "op")
_OTHERS = ("system", "developer", "user", "tool")  # roles of a conversation that request no edit
_STEPS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


class SentEdit(msgspec.Struct, frozen=True):
    """The edit of one call."""

    value: Any  # arguments of the call, or the text of a patch in another format
    path: str = ""  # default path, used if the text names no file
    folder: str = ""  # folder to which paths in the text are relative
    name: str = ""  # name of the called tool, or empty


def iter_sent(value: Any, depth: int = 0) -> Iterator[SentEdit]:
    """Yield the edits of all calls in ``value``, which may be a call itself."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        yield SentEdit(value)
        return
    if value.get("role") in _OTHERS and not any(name in value for name in _PATHS):
        return
    lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    if lists and not any(name in value for name in _PATHS):
        for block in (block for blocks in lists for block in blocks if not _is_prose(block)):
            yield from iter_sent(block, depth + 1)
        return
    inner = next((value[name] for name in _SINGLE if isinstance(value.get(name), dict)), None)
    if inner is not None:
        yield from iter_sent(inner, depth + 1)
        return
    arguments = next((value[name] for name in _ARGUMENTS if name in value), None) if "name" in value else None
    if arguments is None:
        yield from _iter_called(value)
        return
    for each in _iter_arguments(arguments):
        yield msgspec.structs.replace(each, name=str(value["name"]))


def _iter_arguments(arguments: Any, depth: int = 0) -> Iterator[SentEdit]:
    """Yield the arguments of one call, which may be encoded as text or be a patch."""
    raw = arguments.encode("utf-8", "surrogatepass") if isinstance(arguments, str) else b""
    if raw and depth < _DEEPEST and lenient_json.strip_json_fence(raw) is not None:
        for each in lenient_json.read_objects(raw):
            yield from _iter_arguments(each, depth + 1)
    elif isinstance(arguments, dict):
        yield from _iter_called(arguments)
    else:
        yield SentEdit(arguments)


def _iter_called(arguments: dict[str, Any]) -> Iterator[SentEdit]:
    command = next((arguments[name] for name in ("command", "cmd") if name in arguments), None)
    folder = next((arguments[name] for name in _FOLDERS if isinstance(arguments.get(name), str)), "")
    texts = [arguments[name] for name in _TEXTS if isinstance(arguments.get(name), str)]
    if isinstance(command, list) and all(isinstance(each, str) for each in command):
        yield SentEdit(find_script(command), folder=folder)
    elif isinstance(command, str) and "<<" in command:
        yield SentEdit(command, folder=folder)
    elif isinstance(step := arguments.get("operation"), dict) and str(step.get("type")) in _STEPS:
        yield _read_step(step)
    elif len(texts) == 1 and not any(name in arguments for name in _EDITS):
        yield SentEdit(texts[0], _find_path(arguments), folder)
    else:
        yield SentEdit(arguments)


def _find_path(arguments: Mapping[str, Any]) -> str:
    return next((arguments[name] for name in _PATHS if isinstance(arguments.get(name), str)), "")


def _read_step(step: Mapping[str, Any]) -> SentEdit:
    path, diff = step.get("path"), step.get("diff") or ""
    if not isinstance(path, str) or not isinstance(diff, str) or "\n" in path:
        raise patch_error("the operation names no file", "give path, and diff unless the file is deleted")
    body = diff if not diff or diff.endswith("\n") else diff + "\n"
    return SentEdit(f"*** Begin Patch\n*** {_STEPS[step['type']]} File: {path}\n{body}*** End Patch\n")


def _is_prose(block: Any) -> bool:
    kinds = ("text", "thinking", "reasoning", "output_text", "redacted_thinking")
    if not isinstance(block, dict):
        return False
    return block.get("type") in ("reasoning", "thinking") or (
        "text" in block and block.get("type", "text") in kinds
    )


# Fields by which other tools name a place or an action, which the calls here do not have.
PLACES = frozenset(
    {
        *("symbol", "symbol_name", "name_path", "target", "target_name", "target_type", "query", "selector"),
        *("start_line", "end_line", "startLine", "endLine", "start", "end", "line", "lines", "line_number"),
        *("position", "insert", "node_id", "occurrence", "occurrences", "match_index", "regex", "overwrite"),
    }
)


class Exchange(msgspec.Struct, frozen=True):
    """Old and new text, under either name."""

    old_str: str | None = None
    old_string: str | None = None
    new_str: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    expected_replacements: Annotated[int, msgspec.Meta(ge=1)] | None = None


class CallArguments(Exchange, frozen=True):
    """The arguments of one call."""

    path: str | None = None
    file_path: str | None = None
    command: Literal["str_replace", "insert", "create"] | None = None
    edits: list[Exchange] | None = None
    insert_line: Annotated[int, msgspec.Meta(ge=0)] | None = None
    insert_text: str | None = None
    file_text: str | None = None
    content: str | None = None
    base: str | None = None


_NAMED = ("path", "file_path")
_ASKS = ("command", "old_str", "old_string", "new_string", "edits", "content")
_PAIRS = ({"old_str", "new_str"}, {"old_string", "new_string"})
# Other names of the fields.
_SPELLINGS = {
    **dict.fromkeys(("filePath", "filepath", "target_file", "absolutePath"), "file_path"),
    **dict.fromkeys(("oldText", "old_text", "oldString", "search"), "old_string"),
    **dict.fromkeys(("newText", "new_text", "newString", "replace"), "new_string"),
    **dict.fromkeys(("replaceAll", "allow_multiple"), "replace_all"),
    **dict.fromkeys(("code_edit",), "content"),
}


def claims(value: dict[str, Any]) -> bool:
    if _find_listed(value) is not None:
        return True
    fields = _normalize_names(value)
    is_named = any(name in fields for name in _NAMED)
    is_edit = is_named and any(name in fields for name in _ASKS)
    return is_edit or any(pair <= fields.keys() for pair in _PAIRS)


def knows_all_fields(value: dict[str, Any]) -> bool:
    """Return True for an edit call without unknown fields."""
    fields = _normalize_names(value)
    pairs = fields.get("edits") if isinstance(fields.get("edits"), list) else []
    pair_fields = {name for each in pairs or () if isinstance(each, dict) for name in each}
    return (
        claims(value)
        and fields.keys() <= {*CallArguments.__struct_fields__}
        and pair_fields <= {*Exchange.__struct_fields__}
    )


def read(values: Sequence[dict[str, Any]], path: str) -> tuple[FilePatch, ...]:
    """Return the files that the calls name. Raises ``invalid_args`` or ``empty_target``."""
    reader = _Reading()
    for number, value in enumerate(values, 1):
        for each in _split_call(value):
            _require_no_places(each)
            call = lenient_json.convert_value(_normalize_names(each), CallArguments, "edit")
            file_path = _choose_spelling(call.path, call.file_path, "path") or path
            if not file_path.strip():
                raise BadCall("invalid_args", "an edit names no file", "give path (or file_path)")
            reader.take(file_path, call, number if each is not value or call.edits else 0)
    return tuple(reader.files.values())


def _split_call(value: dict[str, Any]) -> list[dict[str, Any]]:
    calls = _find_listed(value)
    if calls is None:
        return [value]
    shared = {name: value[name] for name in value if _SPELLINGS.get(name, name) in _NAMED}
    return [{**shared, **lenient_json.convert_value(each, dict, "edit")} for each in calls]


def _find_listed(value: dict[str, Any]) -> list[Any] | None:
    calls = value.get("replacements")
    if isinstance(calls, list):
        return calls
    edits = value.get("edits")
    if not isinstance(edits, list) or any(name in _normalize_names(value) for name in _NAMED) or not edits:
        return None
    all_named = all(
        isinstance(each, dict) and any(name in _normalize_names(each) for name in _NAMED) for each in edits
    )
    return edits if all_named else None


def _normalize_names(value: dict[str, Any]) -> dict[str, Any]:
    edits = value.get("edits")
    # Strict schemas send null for fields that are not given.
    renamed = {_SPELLINGS.get(name, name): value[name] for name in value if value[name] is not None}
    if isinstance(edits, list):
        renamed["edits"] = [_normalize_names(each) if isinstance(each, dict) else each for each in edits]
    return renamed


class _Reading:
    def __init__(self) -> None:
        self.files: dict[str, FilePatch] = {}
        self.index = 0

    def take(self, path: str, call: CallArguments, number: int) -> None:
        """Add the edits of ``call``; ``number`` is the call's number if it contains several edits."""
        _require_single(call)
        if call.command == "create":
            self._take_file(path, new_file(path, lenient_json.require_given(call.file_text, "file_text")))
        elif call.command == "insert":
            text = lenient_json.require_given(
                _choose_spelling(call.insert_text, call.new_str, "insert_text"), "insert_text"
            )
            self._take_insertion(
                path, text, after=lenient_json.require_given(call.insert_line, "insert_line")
            )
        elif call.edits is not None:
            for each in call.edits:
                self._take_exchange(path, each, call=number)
        elif call.content is not None:
            self._take_file(path, whole_file(path, call.content, call.base, self.index + 1))
        elif call.command is None and call.old_string is None and call.old_str is None:
            self._take_placed(path, call)
        else:
            self._take_exchange(path, call, may_leave_out=call.command is not None, call=number)

    def _take_placed(self, path: str, call: CallArguments) -> None:
        """Handle a call without old text: insert before line ``insert_line`` (from 1), or create the file."""
        new = lenient_json.require_given(
            _choose_spelling(call.new_str, call.new_string, "new_string"), "old_string"
        )
        if call.insert_line == 0:
            raise BadCall(
                "invalid_range",
                "insert_line is 0, but this tool counts lines from 1",
                "use 1 to insert at the top of the file",
            )
        if call.insert_line is None:
            self._take_file(path, new_file(path, new))
        else:
            self._take_insertion(path, new, after=call.insert_line - 1)

    def _take_insertion(self, path: str, text: str, after: int) -> None:
        line_edit = LineEdit(
            index=self._next_index(), first=after + 1, last=after, new=text_lines(text), is_current=True
        )
        self._take_piece(path, line_edit)

    def _take_exchange(
        self, path: str, exchange: Exchange, *, may_leave_out: bool = False, call: int = 0
    ) -> None:
        old = lenient_json.require_given(
            _choose_spelling(exchange.old_str, exchange.old_string, "old_string"), "old_string"
        )
        new = _choose_spelling(exchange.new_str, exchange.new_string, "new_string")
        new = lenient_json.require_given(new, "new_string") if not may_leave_out else new or ""
        if not old and path not in self.files and not may_leave_out:
            # This is how such a tool is asked for a new file.
            self._take_file(path, msgspec.structs.replace(new_file(path, new), taken="fill"))
            return
        if not old:
            raise BadCall(
                "empty_target",
                "old_string is empty, so it does not match anything",
                "give the text to replace",
            )
        passage = Passage(
            index=self._next_index(),
            old=encode_text(old),
            new=encode_text(new),
            every=exchange.replace_all,
            count=exchange.expected_replacements,
            call=call,
        )
        self._take_piece(path, passage)

    def _take_file(self, path: str, file: FilePatch) -> None:
        self._next_index()
        if path in self.files:
            raise BadCall(
                "invalid_args",
                f"{path} is replaced as a whole, but an earlier edit also changes it",
                "send only the replacement of the whole file",
            )
        self.files[path] = file

    def _take_piece(self, path: str, piece: Piece) -> None:
        file = self.files.get(path, FilePatch(path=path, source=path, by_hand=True, as_text=True))
        self.files[path] = msgspec.structs.replace(file, pieces=(*file.pieces, piece))

    def _next_index(self) -> int:
        self.index += 1
        return self.index


def _require_no_places(value: dict[str, Any]) -> None:
    """Raise ``invalid_args`` if a call names a place that is not supported, since it would edit elsewhere."""
    edits = value.get("edits") if isinstance(value.get("edits"), list) else []
    for each in (value, *(edit for edit in edits or () if isinstance(edit, dict))):
        places = [name for name in each if name in PLACES and each[name] not in (None, False, "")]
        if places:
            known = [name for name in each if _SPELLINGS.get(name, name) in CallArguments.__struct_fields__]
            message = f"an edit with {', '.join(known) or 'no text'} cannot have {' and '.join(places)}"
            hint = (
                "send the call with the name of its tool, or an operation that gives both position and text"
            )
            raise BadCall("invalid_args", message, hint)


def _require_single(call: CallArguments) -> None:
    old = call.old_str if call.old_string is None else call.old_string
    requests: dict[str, Any] = {"command": call.command, "edits": call.edits, "content": call.content}
    requests |= {"old_string": old if call.command is None else None}
    requests |= {"insert_line": call.insert_line if old is not None and call.command is None else None}
    requested = [name for name, value in requests.items() if value is not None]
    if len(requested) > 1:
        raise BadCall(
            "invalid_args", f"an edit has {' and '.join(requested)}", "send them one after the other"
        )


def _choose_spelling(first: str | None, second: str | None, field: str) -> str | None:
    if first is not None and second is not None and first != second:
        raise BadCall("invalid_args", f"{field} is given twice, with different values", "give one of them")
    return second if first is None else first


_INVOKE = r"(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?:\w+)[\"'][^<>]*"
_ATTRIBUTES = r"(?:\s[^<>]*)?"
# Fields with which a call may begin.
_FIRST = (
    r"args|path|file|file_path|absolutePath|filePath|relative_path|name_path|symbol|target|target_name|"
    r"target_type|old_str|old_string|new_string|start_line|startLine|position|command"
)
_BEGINNING = (
    r"<(?:" + _INVOKE + r"|function=\w+|\w+" + _ATTRIBUTES + r">\s*<(?:" + _FIRST + r")" + _ATTRIBUTES + r")>"
)
_WRAPPER = r"(?:<(?:antml:)?function_calls>[ \t]*)?"
SIGN = re.compile(r"^[ \t]*" + _WRAPPER + _BEGINNING, re.MULTILINE)
# A further call, which may begin on the line on which another one ends.
_NEXT = re.compile(r"(?:\s*</(?:antml:)?function_calls>)?\s*(?=" + _WRAPPER + _BEGINNING + ")")
_TAG = re.compile(
    r"[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?<(?P<tag>\w+)(?P<attributes>" + _ATTRIBUTES + ")>"
)
_ATTRIBUTE = re.compile(r"\s(?P<name>\w+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
_OPEN = re.compile(r"\s*<(?P<name>\w+)(?:\s(?:[^<>/]|/(?!>))*)?(?P<empty>/)?>")
_OPENING = (
    r"<(?:(?:antml:)?invoke\b[^<>]*?\sname=[\"'](?P<invoked>\w+)[\"'][^<>]*"
    r"|function=(?P<function>\w+)|(?P<tag>\w+))>"
)
_PARAMETERS = r"(?:\s*<(?:antml:)?parameter\b(?:(?!</(?:antml:)?parameter>).)*</(?:antml:)?parameter>)*\s*"
_CLOSING = r"</(?:(?:antml:)?invoke|function|(?P=tag))>"
_CALL = re.compile(
    # A call ends behind its last parameter, or where a line begins with its closing tag.
    r"[ \t]*(?:<(?:antml:)?function_calls>[ \t]*)?"
    + _OPENING
    + r"(?P<body>"
    + _PARAMETERS
    + r"|.*?^[ \t]*)"
    + _CLOSING,
    re.MULTILINE | re.DOTALL,
)
_PARAMETER = re.compile(
    r"<(?:antml:)?parameter\b(?:[^<>]*?\sname=[\"'](?P<name>\w+)[\"'][^<>]*|=(?P<other>\w+))>"
    r"(?P<value>.*?)</(?:antml:)?parameter>",
    re.DOTALL,
)
_FIELD = re.compile(r"^[ \t]*<(?P<name>\w+)>(?P<value>.*?)</(?P=name)>[ \t]*$", re.MULTILINE | re.DOTALL)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*\Z", re.DOTALL)
_CLOSING_INDENT = re.compile(r"(\n)[ \t]+\Z")  # blanks before the closing tag of a block
_NUMBERS = ("insert_line", "expected_replacements")
_FLAGS = ("replace_all", "allow_multiple")
_WORDS = (
    *("path", "file", "file_path", "absolutePath", "filePath", "relative_path", "command"),
    *("symbol", "target", "target_name", "target_type", "name_path", "position", "start_line", "end_line"),
)
_OLD_OR_NEW = re.compile(r"(?i)(?:old|new)_?(?:str|string|text)|search|replace|needle|repl")
_WHOLE = ("content", "file_text")  # content of a whole file, which ends as its last line does


def iter_calls(text: str) -> Iterator[dict[str, Any]]:
    """Yield every call of an XML text, as an object with the called name and the arguments.

    Text between two tags is used unchanged, except for a CDATA section around all of it. The line endings at
    the tags of a block do not belong to it, unless the other text of the pair, old or new, has none. Raises
    ``patch_failed`` for a call that is not closed.
    """
    end = 0
    for begins in SIGN.finditer(text):
        if begins.start() < end:
            continue
        start: int | None = begins.start()
        while start is not None:
            end, calls = _read_call(text, start)
            yield from calls
            next_call = _NEXT.match(text, end)
            start = next_call.end() if next_call else None


def _read_call(text: str, start: int) -> tuple[int, list[dict[str, Any]]]:
    call = _CALL.match(text, start)
    parsed = None if call is not None and _is_block(call) else _parse_loosely(text, start)
    if parsed is not None:
        end, name, given = parsed
        return end, [{"name": name, "input": each} for each in _iter_call_fields(given)]
    if call is None:
        raise patch_error(f"the call {text[start:].split(maxsplit=1)[0]} is not closed", "send all of it")
    name = call["tag"] or call["invoked"] or call["function"]
    if call["tag"] is not None:
        return call.end(), [{"name": name, "input": fields} for fields in _iter_fields(call["body"])]
    parameters = (
        (each["name"] or each["other"], each["value"]) for each in _PARAMETER.finditer(call["body"])
    )
    return call.end(), [{"name": name, "input": _convert_fields(dict(parameters))}]


def _is_block(call: re.Match[str]) -> bool:
    """Return True if each field is on its own lines, or all are named parameters."""
    return call["tag"] is None or (call["body"][:1] in "\r\n" and not _FIELD.sub("", call["body"]).strip())


def _parse_loosely(text: str, start: int) -> tuple[int, str, dict[str, str]] | None:
    """Return the end, name and fields of a call in any layout, or None if it contains anything else."""
    opening = _TAG.match(text, start)
    if opening is None or opening["tag"] == "invoke":
        return None
    result = _read_fields(text, opening.end(), opening["tag"], set())
    if result is None:
        return None
    end, fields = result
    attributes = (
        (each["name"], each["double"] or each["single"] or "")
        for each in _ATTRIBUTE.finditer(opening["attributes"])
    )
    named_attributes = {
        name: html.unescape(value) for name, value in attributes if re.fullmatch(_FIRST, name)
    }
    return end, opening["tag"], {**named_attributes, **fields}


def _read_fields(text: str, start: int, tag: str, failed_at: set[int]) -> tuple[int, dict[str, str]] | None:
    """Return the end of a call and its fields from ``start`` on, or None if anything else is there.

    A value ends at its closing tag if a field or the end of the call follows.
    """
    closing = re.compile(rf"\s*</{tag}>").match(text, start)
    if closing is not None:
        return closing.end(), {}
    field = _OPEN.match(text, start)
    if field is None or start in failed_at:
        return None
    begin = field.end()
    if field["empty"]:
        rest = _read_fields(text, begin, tag, failed_at)
        return rest and (rest[0], {field["name"]: "", **rest[1]})
    cdata = re.compile(r"\s*<!\[CDATA\[.*?\]\]>", re.DOTALL).match(text, begin)
    ends = re.compile(rf"</{field['name']}>(?=\s*(?:<\w+{_ATTRIBUTES}/?>|</{tag}>))")
    for end in ends.finditer(text, cdata.end() if cdata else begin):
        rest = _read_fields(text, end.end(), tag, failed_at)
        if rest is not None:
            return rest[0], {field["name"]: text[begin : end.start()], **rest[1]}
    failed_at.add(start)
    return None


def _iter_call_fields(fields: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each call; ``args``, and each ``file`` in it, contains those of one call."""
    holder = next((name for name in ("args", "file") if "<" in fields.get(name, "")), None)
    if holder is None or (holder == "file" and "path" in fields):
        yield _convert_fields({name: _strip_content_tag(value) for name, value in fields.items()})
        return
    parsed = _read_fields(f"{fields[holder]}</{holder}>", 0, holder, set())
    yield from _iter_call_fields(parsed[1]) if parsed else _iter_fields(fields[holder])


def _iter_fields(body: str) -> Iterator[dict[str, Any]]:
    fields = {each["name"]: each["value"] for each in _FIELD.finditer(body)}
    if "args" in fields:
        yield from _iter_fields(fields["args"])
    elif "<" in fields.get("file", "") and "path" not in fields:
        for each in _FIELD.finditer(body):
            if each["name"] == "file":
                yield from _iter_fields(each["value"])
    else:
        yield _convert_fields({name: _strip_content_tag(value) for name, value in fields.items()})


def _strip_content_tag(value: str) -> str:
    inner = re.fullmatch(r"\s*<content>(.*)</content>\s*", value, re.DOTALL)
    return inner[1] if inner else value


def _convert_fields(fields: dict[str, str]) -> dict[str, Any]:
    texts = {name: _strip_block_breaks(value) for name, value in fields.items()}
    exchange_texts = [text for name, text in texts.items() if text and _OLD_OR_NEW.fullmatch(name)]
    is_literal = any(text[0] not in "\r\n" for text in exchange_texts)
    return {
        name: _convert_value(name, text, is_literal=is_literal and bool(_OLD_OR_NEW.fullmatch(name)))
        for name, text in texts.items()
    }


def _strip_block_breaks(value: str) -> str:
    cdata = _CDATA.match(value)
    return cdata[1] if cdata else value


def _convert_value(name: str, text: str, *, is_literal: bool) -> Any:
    if name in _NUMBERS and re.fullmatch(r"\s*\d{1,9}\s*", text):
        return int(text)
    if name in _FLAGS and text.strip().lower() in ("true", "false"):
        return text.strip().lower() == "true"
    if name in _WORDS:
        return text.strip()
    if text[:1] in ("\r", "\n") and not is_literal:
        text = _CLOSING_INDENT.sub(r"\1", text.removeprefix("\r").removeprefix("\n"))
        if name not in _WHOLE:
            text = text.removesuffix("\n").removesuffix("\r")
    return text


FORMATS = (
    JsonFormat(
        name="str_replace, multi-edit and whole-file calls",
        priority=70,
        claims=claims,
        read=read,
        example='{"path": "a.txt", "old_str": "old", "new_str": "new"}',
    ),
)
