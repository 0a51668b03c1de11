"""Code Scalpel: ``update_symbol``, with the fields of its result that are true here."""

from __future__ import annotations

from gitscalpel.dialects import wording
from gitscalpel.dialects.tool import Edit, Given, Refusal, Talk, Tool, choice, one, text
from gitscalpel.errors import BadCall


def _update(given: Given) -> Talk:
    done = yield Edit((_op(given),))
    told = {"success": True, **_about(given), "warnings": wording.notes(done)}
    if given.get("operation") != "rename":
        before, after = (_count(done["ops"][0][side]) for side in ("before", "after"))
        told |= {"lines_before": before, "lines_after": after, "lines_delta": after - before}
    return wording.json(told)


def _op(given: Given) -> Given:
    at = {"path": given["file_path"], "symbol": given["target_name"]}
    if given.get("operation") == "rename":
        if "new_name" not in given:
            raise BadCall("invalid_args", "a rename needs new_name", "give new_name")
        return one("rename", **at, to=given["new_name"])
    if "new_code" not in given:
        raise BadCall("invalid_args", "a replace needs new_code", "give new_code, all of the definition")
    renames = True if "new_name" in given else None
    return one("replace", **at, kind=given["target_type"], code=given["new_code"], rename=renames)


def _about(given: Given) -> Given:
    return {name: given.get(name, "") for name in ("file_path", "target_name", "target_type")}


def _count(span: list[int] | None) -> int:
    return 0 if span is None else span[1] - span[0] + 1


def _refused(given: Given, why: Refusal) -> str:
    told = {"success": False, **_about(given), "error": why.message, "error_code": why.code}
    return wording.json({**told, "hint": why.hint})


TOOLS = (
    Tool(
        name="update_symbol",
        help="Replace a function, class or method by name; or rename it, with every use.",
        takes={
            "file_path": text(),
            "target_type": choice("function", "class", "method"),
            "target_name": text("Of a method: Class.method."),
            "new_code": text("All of the definition."),
            "operation": choice("replace", "rename"),
            "new_name": text(),
        },
        needs=("file_path", "target_type", "target_name"),
        ignores=("create_backup",),
        talk=_update,
        refused=_refused,
        edits=True,
    ),
)
