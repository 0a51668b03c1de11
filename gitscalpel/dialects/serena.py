"""Serena: edits of symbols by name path, and of files; what it reads and finds is in ``serena_looks.py``."""

from __future__ import annotations

import re
from collections.abc import Callable

from gitscalpel.dialects import names, wording
from gitscalpel.dialects.serena_looks import LOOKS, WORDS
from gitscalpel.dialects.tool import Edit, Given, Refusal, Schema, Talk, Tool, choice, flag, one, text

_OK = "OK"
_PLACE: dict[str, Schema] = {"name_path": text("Such as MyClass/my_method."), "relative_path": text()}
_GROUP = re.compile(r"\$!(\d+)")


def _ok(op: Given) -> Talk:
    done = yield Edit((op,))
    return wording.noting(_OK, done)


def _at(given: Given) -> Given:
    return {"path": given["relative_path"], "symbol": names.symbol(given["name_path"])}


def _replace(given: Given) -> Talk:
    return (yield from _ok(one("replace", **_at(given), code=given["body"])))


def _after(given: Given) -> Talk:
    return (yield from _ok(one("insert", **_at(given), position="after", code=given["body"])))


def _before(given: Given) -> Talk:
    return (yield from _ok(one("insert", **_at(given), position="before", code=given["body"])))


def _rename(given: Given) -> Talk:
    done = yield Edit((one("rename", **_at(given), to=given["new_name"]),))
    where = ", ".join(row["path"] for row in done["files"])
    return wording.noting(f"Renamed {given['name_path']} to {given['new_name']} in {where}", done)


def _delete(given: Given) -> Talk:
    symbol = names.symbol(given["name_path_pattern"])
    return (yield from _ok(one("delete", path=given["relative_path"], symbol=symbol, safe=True)))


def _content(given: Given) -> Talk:
    is_regex = given["mode"] == "regex"
    new = given["repl"]
    if is_regex:  # groups are written $!1, and a backslash stands for itself
        new = _GROUP.sub(r"\\g<\1>", new.replace("\\", "\\\\"))
    every = given.get("allow_multiple_occurrences")
    more = {"old": given["needle"], "new": new, "regex": is_regex or None, "all": every}
    return (yield from _ok(one("text", path=given["relative_path"], **more)))


def _create(given: Given) -> Talk:
    path = given["relative_path"]
    done = yield Edit((one("write", path=path, content=given["content"], overwrite=True),))
    over = " Overwrote existing file." if done["files"][0]["status"] == "modified" else ""
    return wording.noting(f"File created: {path}.{over}", done)


def _refused(given: Given, why: Refusal) -> str:
    if why.code == "referenced":
        return f"Cannot delete, the symbol is in use: {why.message}\n{why.hint}"
    said = wording.once(why, "needle", str(given.get("relative_path")))
    return f"Error: {said or why.message}\n{why.hint}"


def _editing(
    name: str,
    help: str,  # noqa: A002 - as the attribute is called
    takes: dict[str, Schema],
    talk: Callable[[Given], Talk],
    *spare: str,
) -> Tool:
    needs = tuple(each for each in takes if each not in spare)
    return Tool(
        name=name,
        help=help,
        takes=takes,
        needs=needs,
        words=WORDS,
        talk=talk,
        refused=_refused,
        edits=True,
    )


_BODY = {**_PLACE, "body": text()}
TOOLS = (
    *LOOKS,
    _editing("replace_symbol_body", "Replace the whole definition of a symbol.", _BODY, _replace),
    _editing("insert_after_symbol", "Insert code below a definition.", _BODY, _after),
    _editing("insert_before_symbol", "Insert code above a definition.", _BODY, _before),
    _editing("rename_symbol", "Rename a symbol and every use.", {**_PLACE, "new_name": text()}, _rename),
    _editing(
        "safe_delete_symbol",
        "Delete a symbol that nothing uses.",
        {"name_path_pattern": text(), "relative_path": text()},
        _delete,
    ),
    _editing(
        "replace_content",
        "Replace text or what a regular expression matches; $!1 is its first group.",
        {
            "relative_path": text(),
            "needle": text(),
            "repl": text(),
            "mode": choice("literal", "regex"),
            "allow_multiple_occurrences": flag(),
        },
        _content,
        "allow_multiple_occurrences",
    ),
    _editing(
        "create_text_file", "Write a whole file.", {"relative_path": text(), "content": text()}, _create
    ),
)
