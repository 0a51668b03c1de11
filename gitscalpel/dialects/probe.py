"""Probe: edit and create; what it searches and extracts is in ``probe_looks.py``."""

from __future__ import annotations

from gitscalpel.dialects import names, wording
from gitscalpel.dialects.probe_looks import LOOKS, WORDS
from gitscalpel.dialects.tool import Edit, Given, Refusal, Schema, Talk, Tool, choice, flag, one, text
from gitscalpel.errors import BadCall

_LINE: Schema = {
    "type": ["integer", "string"],
    "description": "42, or 42:HASH as extract and search show it.",
}


def _edit(given: Given) -> Talk:
    given = _placed(given)
    op = _op(given)
    done = yield Edit((op,))
    row, path = done["ops"][0], given["file_path"]
    if op["op"] == "text":
        return wording.noting(f"Successfully edited {path} ({_replacements(row)})", done)
    return wording.noting(f"Successfully {_what(given, op, row)}", done)


def _placed(given: Given) -> Given:
    """Return a call whose file is written with the symbol in it (``a.py#f``), with both apart.

    Raises:
        BadCall: ``invalid_args``: the call names another symbol as well.
    """
    path, _, symbol = given["file_path"].partition("#")
    if not symbol:
        return given
    if given.get("symbol", symbol) != symbol:
        words = f"the call names two symbols, {symbol} and {given['symbol']}"
        raise BadCall("invalid_args", words, "give one of them")
    return {**given, "file_path": path, "symbol": symbol}


def _replacements(row: Given) -> str:
    """The number of replacements, and how the text was found where that was not to the letter."""
    count, matched = row.get("replacements", 1), row.get("matched", "exact")
    told = f"{count} replacement{'s' if count != 1 else ''}"
    return told if matched == "exact" else f"{told}, matched via {matched}"


def _what(given: Given, op: Given, row: Given) -> str:
    """The deed, with its place."""
    path, symbol = given["file_path"], f' symbol "{given["symbol"]}"' if "symbol" in given else ""
    where = op.get("position")
    if where is not None:
        first = row["after"][0]
        line = first - 1 if where == "after" else first  # as they were counted before
        near = f"{symbol} in {path}" if symbol else f" line {line} of {path}"
        return f"inserted {_lines(row['after'])} {where}{near} (at line {first})"
    first, last = row["before"]
    was = f"was lines {first}-{last}" if first != last else f"was line {first}"
    if not given["new_string"]:
        return f"deleted{symbol} from {path} ({was})" if symbol else f"deleted lines of {path} ({was})"
    now = f"({was}, now {_lines(row['after'])})"
    return f"replaced{symbol} in {path} {now}" if symbol else f"replaced lines of {path} {now}"


def _lines(span: list[int]) -> str:
    count = span[1] - span[0] + 1
    return f"{count} line{'s' if count != 1 else ''}"


def _op(given: Given) -> Given:
    """By symbol, by lines, or by text, in this order, as the original decides."""
    new, where = given["new_string"], given.get("position")
    path = given["file_path"]
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
        raise BadCall("invalid_args", "what is to be edited?", "give `old_string`, `symbol`, or `start_line`")
    return one("text", path=path, old=given["old_string"], new=new, all=given.get("replace_all"))


def _create(given: Given) -> Talk:
    path, content = given["file_path"], given["content"]
    done = yield Edit((one("write", path=path, content=content, overwrite=given.get("overwrite")),))
    what = "created" if done["files"][0]["status"] == "added" else "overwrote"
    return wording.noting(f"Successfully {what} {path} ({len(content.encode())} bytes)", done)


def _editing(given: Given, why: Refusal) -> str:
    said = wording.once(why, "old_string", str(given.get("file_path")))
    now = [f"{row['n']}:{row['hash']}| {row['text']}" for row in why.data.get("lines", ())]
    again = [f"<extract><targets>{_target(given)}</targets></extract>"] if why.code == "stale" else []
    return "\n".join([f"Error editing file: {said or why.message}", *now, why.hint, *again])


def _target(given: Given) -> str:
    """What of a file `extract` has to show before an edit of it."""
    path, symbol = given.get("file_path", ""), given.get("symbol")
    return f"{path}#{symbol}" if symbol and "#" not in str(path) else str(path)


def _creating(given: Given, why: Refusal) -> str:
    said = f"{given.get('file_path')} exists already." if why.code == "exists" else why.message
    return f"Error creating file: {said}\n{why.hint}"


TOOLS = (
    *LOOKS,
    Tool(
        name="edit",
        help="Replace text that stands in a file once; or a symbol; insert beside it (position); or lines.",
        takes={
            "file_path": text("A file; or path#symbol."),
            "new_string": text(),
            "old_string": text(),
            "replace_all": flag(),
            "symbol": text("Such as MyClass.method."),
            "position": choice("before", "after"),
            "start_line": _LINE,
            "end_line": _LINE,
        },
        needs=("file_path", "new_string"),
        words=WORDS,
        talk=_edit,
        refused=_editing,
        edits=True,
    ),
    Tool(
        name="create",
        help="Create a file, with its folders.",
        takes={"file_path": text(), "content": text(), "overwrite": flag()},
        needs=("file_path", "content"),
        words=WORDS,
        talk=_create,
        refused=_creating,
        edits=True,
    ),
)
