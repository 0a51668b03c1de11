"""Reads the edits that coding agents send to their tools; ``messages`` has taken them out of their calls.

These are the ``str_replace``, ``insert`` and ``create`` commands of text editors, old and new string
(one pair or a list of ``edits``), and whole files. What they mean is what those tools make of them:
old text stands in the file exactly and once (or ``replace_all``), and each edit sees the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from gitscalpel.edit.patches import jsons
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Passage, Piece, Rows
from gitscalpel.edit.patches.shapes.calls import PLACES, Call, Exchange
from gitscalpel.edit.patches.whole import created, encoded, lines, whole
from gitscalpel.errors import BadCall

NAME = "str_replace, multi-edit and whole-file calls"
_NAMED = ("path", "file_path")
_ASKS = ("command", "old_str", "old_string", "new_string", "edits", "content")
_PAIRS = ({"old_str", "new_str"}, {"old_string", "new_string"})
_SPELLINGS = {
    **dict.fromkeys(("filePath", "filepath", "target_file", "absolutePath"), "file_path"),
    **dict.fromkeys(("oldText", "old_text", "oldString", "search"), "old_string"),
    **dict.fromkeys(("newText", "new_text", "newString", "replace"), "new_string"),
    **dict.fromkeys(("replaceAll", "allow_multiple"), "replace_all"),
    **dict.fromkeys(("code_edit",), "content"),
}
"""How tools call the fields of a call otherwise."""


def claims(value: dict[str, Any]) -> bool:
    """Whether this is such a call."""
    if _listed(value) is not None:
        return True
    spelt = _spelt(value)
    is_named = any(name in spelt for name in _NAMED)
    return (is_named and any(name in spelt for name in _ASKS)) or any(pair <= spelt.keys() for pair in _PAIRS)


def knows(value: dict[str, Any]) -> bool:
    """Whether this is such a call, and says nothing that is not read here."""
    spelt = _spelt(value)
    pairs = spelt.get("edits") if isinstance(spelt.get("edits"), list) else []
    inside = {name for each in pairs or () if isinstance(each, dict) for name in each}
    return (
        claims(value)
        and spelt.keys() <= {*Call.__struct_fields__}
        and inside <= {*Exchange.__struct_fields__}
    )


def read(found: Sequence[dict[str, Any]], path: str) -> tuple[FilePatch, ...]:
    """The files that the calls name, in the order in which they are first named.

    Raises:
        BadCall: ``invalid_args`` or ``empty_target``.
    """
    reading = _Reading()
    for number, value in enumerate(found, 1):
        for each in _several(value):
            _refuse_places(each)
            call = jsons.typed(_spelt(each), Call, "edit")
            named = _either(call.path, call.file_path, "path") or path
            if not named.strip():
                raise BadCall("invalid_args", "an edit names no file", "give path (or file_path)")
            reading.take(named, call, number if each is not value or call.edits else 0)
    return tuple(reading.files.values())


def _several(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that one call is."""
    inner = _listed(value)
    if inner is None:
        return [value]
    shared = {name: said for name, said in value.items() if _SPELLINGS.get(name, name) in _NAMED}
    return [{**shared, **jsons.typed(each, dict, "edit")} for each in inner]


def _listed(value: dict[str, Any]) -> list[Any] | None:
    """The calls that are listed in one: ``replacements``, or ``edits`` of which each names its file."""
    inner = value.get("replacements")
    if isinstance(inner, list):
        return inner
    edits = value.get("edits")
    if not isinstance(edits, list) or any(name in _spelt(value) for name in _NAMED) or not edits:
        return None
    named = all(isinstance(each, dict) and any(name in _spelt(each) for name in _NAMED) for each in edits)
    return edits if named else None


def _spelt(value: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the names of their fields as :class:`Call` has them."""
    edits = value.get("edits")
    given = ((name, said) for name, said in value.items() if said is not None)  # strict schemas send null
    named = {_SPELLINGS.get(name, name): said for name, said in given}
    if isinstance(edits, list):
        named["edits"] = [_spelt(each) if isinstance(each, dict) else each for each in edits]
    return named


class _Reading:
    """The files, while the calls are gone through."""

    def __init__(self) -> None:
        self.files: dict[str, FilePatch] = {}
        self.index = 0

    def take(self, path: str, call: Call, number: int) -> None:
        """Add what ``call`` asks for; ``number`` is that of the one call that several edits came in."""
        _refuse_several(call)
        if call.command == "create":
            self._file(path, created(path, jsons.given(call.file_text, "file_text")))
        elif call.command == "insert":
            text = jsons.given(_either(call.insert_text, call.new_str, "insert_text"), "insert_text")
            self._inserted(path, text, after=jsons.given(call.insert_line, "insert_line"))
        elif call.edits is not None:
            for each in call.edits:
                self._exchange(path, each, call=number)
        elif call.content is not None:
            self._file(path, whole(path, call.content, call.base, self.index + 1))
        elif call.command is None and call.old_string is None and call.old_str is None:
            self._placed(path, call)
        else:
            self._exchange(path, call, may_leave_out=call.command is not None, call=number)

    def _placed(self, path: str, call: Call) -> None:
        """New text alone: before the line that it names, counted from 1, or as a new file."""
        new = jsons.given(_either(call.new_str, call.new_string, "new_string"), "old_string")
        if call.insert_line == 0:
            raise BadCall("invalid_range", "insert_line counts from 1 here", "give 1 for the top of the file")
        if call.insert_line is None:
            self._file(path, created(path, new))
        else:
            self._inserted(path, new, after=call.insert_line - 1)

    def _inserted(self, path: str, text: str, after: int) -> None:
        rows = Rows(index=self._next(), first=after + 1, last=after, new=lines(text), is_current=True)
        self._piece(path, rows)

    def _exchange(self, path: str, said: Exchange, *, may_leave_out: bool = False, call: int = 0) -> None:
        old = jsons.given(_either(said.old_str, said.old_string, "old_string"), "old_string")
        new = _either(said.new_str, said.new_string, "new_string")
        new = jsons.given(new, "new_string") if not may_leave_out else new or ""
        if not old and path not in self.files and not may_leave_out:
            # This is how such a tool is asked for a new file.
            self._file(path, msgspec.structs.replace(created(path, new), taken="fill"))
            return
        if not old:
            raise BadCall(
                "empty_target", "old_string is empty, so it names no place", "give the text to replace"
            )
        passage = Passage(
            index=self._next(),
            old=encoded(old),
            new=encoded(new),
            every=said.replace_all,
            count=said.expected_replacements,
            call=call,
        )
        self._piece(path, passage)

    def _file(self, path: str, file: FilePatch) -> None:
        self._next()
        if path in self.files:
            raise BadCall("invalid_args", f"{path} is written whole after another edit of it", "send it once")
        self.files[path] = file

    def _piece(self, path: str, piece: Piece) -> None:
        file = self.files.get(path, FilePatch(path=path, source=path, by_hand=True, as_text=True))
        self.files[path] = msgspec.structs.replace(file, pieces=(*file.pieces, piece))

    def _next(self) -> int:
        self.index += 1
        return self.index


def _refuse_places(value: dict[str, Any]) -> None:
    """Refuse a call that names a place which is not read: it would edit elsewhere, or more than it says.

    Raises:
        BadCall: ``invalid_args``.
    """
    edits = value.get("edits") if isinstance(value.get("edits"), list) else []
    for each in (value, *(edit for edit in edits or () if isinstance(edit, dict))):
        named = [name for name, said in each.items() if name in PLACES and said not in (None, False, "")]
        if named:
            known = [name for name in each if _SPELLINGS.get(name, name) in Call.__struct_fields__]
            words = f"an edit gives {' and '.join(named)} beside {', '.join(known) or 'nothing else'}"
            hint = "send the call with the name of its tool, or an operation, which has a place and a text"
            raise BadCall("invalid_args", words, hint)


def _refuse_several(call: Call) -> None:
    """A call that asks for several things at once would have some of them passed over."""
    old = call.old_str if call.old_string is None else call.old_string
    asks: dict[str, Any] = {"command": call.command, "edits": call.edits, "content": call.content}
    asks |= {"old_string": old if call.command is None else None}
    asks |= {"insert_line": call.insert_line if old is not None and call.command is None else None}
    given = [name for name, value in asks.items() if value is not None]
    if len(given) > 1:
        raise BadCall("invalid_args", f"an edit has {' and '.join(given)}", "send them one after the other")


def _either(left: str | None, right: str | None, what: str) -> str | None:
    if left is not None and right is not None and left != right:
        raise BadCall("invalid_args", f"{what} is given in two spellings that differ", "give one of them")
    return right if left is None else left
