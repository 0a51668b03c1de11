"""The tools ``file_read`` and ``file_edit``, as their names suggest.

No public reference for them is known. Calls with the parameters of Blueprint's tools of the same names
are Blueprint calls (``blueprint.py``).
"""

from __future__ import annotations

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.programs import blueprint
from gitscalpel.adapters.tool import (
    Adapter,
    Edit,
    Given,
    Look,
    Refusal,
    Talk,
    Tool,
    choice,
    flag,
    number,
    one,
    text,
)
from gitscalpel.errors import BadCall


def _read(given: Given) -> Talk:
    at = {"path": given["path"]}
    if "symbol" in given:
        at["symbol"] = name_paths.symbol(given["symbol"])
    shown = yield Look("show", at)
    rows = shown["lines"]
    first = rows[0]["n"] if rows else 1
    begin, end = given.get("start_line", first), given.get("end_line", first + len(rows))
    asked = [row["text"] for row in rows if begin <= row["n"] <= end]
    return replies.numbered(asked, max(begin, first))


def _edit(given: Given) -> Talk:
    head = f"{given['path']} has been edited. It reads now:"
    return (yield from replies.edited(Edit((_op(given),)), head))


def _op(given: Given) -> Given:
    path, new = given["path"], given["new_text"]
    if ("symbol" in given) == ("old_text" in given):
        raise BadCall("invalid_args", "what is to be edited?", "give `old_text`, or `symbol`")
    if "old_text" in given:
        return one("text", path=path, old=given["old_text"], new=new, all=given.get("replace_all"))
    symbol, where = name_paths.symbol(given["symbol"]), given.get("position", "replace")
    if where == "replace":
        return (
            one("replace", path=path, symbol=symbol, code=new)
            if new
            else one("delete", path=path, symbol=symbol)
        )
    return one("insert", path=path, symbol=symbol, position=where, code=new)


def _refused(given: Given, why: Refusal) -> str:
    said = replies.once(why, "old_text", str(given.get("path")))
    return f"Error: {said or why.message}\n{why.hint}"


_WORDS = Vocabulary(
    fields={
        "old": "old_text",
        "start": "start_line",
        "end": "end_line",
        **dict.fromkeys(("code", "new"), "new_text"),
        "all": "replace_all",
    },
    read="read it with `file_read` (`path`: {path})",
    find="read the file with `file_read` to see its symbols",
    old="`old_text`",
    every="set `replace_all`",
    text="give `old_text` and `new_text` without `symbol`",
    symbol="give `symbol` and `new_text`, which need no old text",
    replace="give `symbol`: `new_text` replaces it, and deletes it where that is empty",
    insert="give `symbol` and `position` for code beside it",
    delete="give `symbol` and an empty `new_text`",
    rename="send `file`, `target` and `code` instead, which rename it wherever it is used",
)
_READ, _FILE_EDIT = blueprint.TOOLS
TOOLS = (
    Tool(
        name="file_read",
        help="Read a file, lines of it, or a symbol, with line numbers.",
        takes={"path": text(), "symbol": text(), "start_line": number(), "end_line": number()},
        needs=("path",),
        words=_WORDS,
        talk=_read,
        refused=_refused,
        other=_READ,
    ),
    Tool(
        name="file_edit",
        help="Replace text that stands in a file once; or replace, delete (no new_text), insert by symbol.",
        takes={
            "path": text(),
            "old_text": text(),
            "new_text": text(),
            "replace_all": flag(),
            "symbol": text(),
            "position": choice("replace", "before", "after", "first", "last"),
        },
        needs=("path", "new_text"),
        words=_WORDS,
        talk=_edit,
        refused=_refused,
        edits=True,
        other=_FILE_EDIT,
    ),
)
ADAPTER = Adapter(
    tools=TOOLS,
    differs=("No public reference; edits unique text or a symbol, also with the parameters of `blueprint`."),
    refused=(
        ("file_edit", {"path": "shop.py", "symbol": "tax", "new_text": "def vat(): pass"}),
        ("file_edit", {"path": "shop.py", "old_text": "none", "new_text": "x"}),
        ("file_read", {"path": "shop.py", "symbol": "gone"}),
        ("file_edit", {"file": "shop.py", "target": "gone", "code": "x"}),
    ),
)
