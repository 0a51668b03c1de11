"""Probe: edit and create; what it searches and extracts is in ``probe_looks.py``."""

from __future__ import annotations

from gitscalpel.dialects import names, wording
from gitscalpel.dialects.probe_looks import LOOKS
from gitscalpel.dialects.tool import Edit, Given, Refusal, Schema, Talk, Tool, choice, flag, one, text
from gitscalpel.errors import BadCall

_LINE: Schema = {"type": ["integer", "string"], "description": "42, or 42:HASH."}


def _edit(given: Given) -> Talk:
    op = _op(given)
    done = yield Edit((op,))
    path = given["file_path"]
    if op["op"] == "text":
        return wording.noting(f"Successfully edited {path} ({_times(done)})", done)
    first, last = done["ops"][0]["after" if given["new_string"] else "before"]
    return wording.noting(f"Successfully {_what(op)} {path} (lines {first}-{last})", done)


def _what(op: Given) -> str:
    """What has been done, to which the path is the object."""
    if op.get("position") is not None:
        return "inserted the code into"
    if op["op"] == "lines":
        return "replaced the lines of" if op["code"] else "deleted the lines of"
    return "replaced the symbol in" if op["op"] == "replace" else "deleted the symbol from"


def _times(done: Given) -> str:
    added, removed = done["files"][0]["added"], done["files"][0]["removed"]
    return f"+{added} -{removed} lines"


def _op(given: Given) -> Given:
    """By symbol, by lines, or by text, in this order, as the original decides."""
    path, new = given["file_path"], given["new_string"]
    where = given.get("position")
    if "symbol" in given:
        symbol = names.symbol(given["symbol"])
        if where is not None:
            return one("insert", path=path, symbol=symbol, position=where, code=new)
        return (
            one("replace", path=path, symbol=symbol, code=new)
            if new
            else one("delete", path=path, symbol=symbol)
        )
    if "start_line" in given:
        lines = {"start": given["start_line"], "end": given.get("end_line"), "position": where}
        return one("lines", path=path, code=new, **lines)
    if "old_string" not in given:
        raise BadCall("invalid_args", "what is to be edited?", "give old_string, symbol, or start_line")
    return one("text", path=path, old=given["old_string"], new=new, all=given.get("replace_all"))


def _create(given: Given) -> Talk:
    path, content = given["file_path"], given["content"]
    done = yield Edit((one("write", path=path, content=content, overwrite=given.get("overwrite")),))
    what = "created" if done["files"][0]["status"] == "added" else "overwrote"
    return wording.noting(f"Successfully {what} {path} ({len(content.encode())} bytes)", done)


def _editing(given: Given, why: Refusal) -> str:
    said = wording.once(why, "old_string", str(given.get("file_path")))
    if why.code == "ambiguous" and why.lines:
        said += " Set replace_all to replace all of them, or add lines around it."
    return f"Error editing file: {said}" if said else f"Error editing file: {why.message}\n{why.hint}"


def _creating(given: Given, why: Refusal) -> str:
    if why.code == "exists":
        return f"Error creating file: {given.get('file_path')} exists already. Set overwrite to replace it."
    return f"Error creating file: {why.message}\n{why.hint}"


TOOLS = (
    *LOOKS,
    Tool(
        name="edit",
        help="Replace text that stands in a file once; or a symbol; insert beside it (position); or lines.",
        takes={
            "file_path": text(),
            "new_string": text(),
            "old_string": text(),
            "replace_all": flag(),
            "symbol": text("Such as MyClass.method."),
            "position": choice("before", "after"),
            "start_line": _LINE,
            "end_line": _LINE,
        },
        needs=("file_path", "new_string"),
        instead="give symbol: new_string replaces it, and deletes it where that is empty",
        talk=_edit,
        refused=_editing,
        edits=True,
    ),
    Tool(
        name="create",
        help="Create a file, with its folders.",
        takes={"file_path": text(), "content": text(), "overwrite": flag()},
        needs=("file_path", "content"),
        talk=_create,
        refused=_creating,
        edits=True,
    ),
)
