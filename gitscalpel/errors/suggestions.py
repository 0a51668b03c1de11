"""Suggest the field or operation that a caller meant by an unknown name: a synonym or a similar one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

_FIELD_SYNONYMS = {
    **dict.fromkeys(("file", "filename", "file_path", "filepath"), ("path",)),
    **dict.fromkeys(("content", "text", "body", "new_code", "new_content", "replacement"), ("code", "new")),
    **dict.fromkeys(("old_str", "old_string", "search", "find", "pattern", "query"), ("old", "find")),
    **dict.fromkeys(("new_str", "new_string", "replace"), ("new", "code")),
    **dict.fromkeys(("name", "target", "function", "qualname"), ("symbol",)),
    **dict.fromkeys(("line", "lines", "range", "start_line"), ("start",)),
    **dict.fromkeys(("replace_all", "global"), ("all",)),
    **dict.fromkeys(("destination", "new_path", "dest", "to"), ("to_path", "to")),
    **dict.fromkeys(("new_name", "newName"), ("to",)),
    **dict.fromkeys(("after", "before"), ("position",)),
    "new": ("to", "code"),
    "old": ("symbol",),
    **dict.fromkeys(("id", "transaction", "transaction_id"), ("tx",)),
    **dict.fromkeys(("limit", "count", "max"), ("n", "limit")),
}
"""Names that other tools use for our fields."""
_OPERATION_SYNONYMS = {
    **dict.fromkeys(("edit", "str_replace", "replace_text", "search_replace", "substitute"), "text"),
    **dict.fromkeys(("update", "modify", "change", "rewrite"), "replace"),
    **dict.fromkeys(("add", "append", "insert_after", "insert_before"), "insert"),
    **dict.fromkeys(("create", "create_file", "new_file", "write_file"), "write"),
    **dict.fromkeys(("delete_file", "rm"), "remove"),
    **dict.fromkeys(("rename_file", "mv"), "move_file"),
    **dict.fromkeys(("diff", "apply_patch"), "patch"),
}
"""Names that other tools use for our operations."""
_OPERATION_BY_FIELD = {
    "old": "text",
    "diff": "patch",
    "content": "write",
    "start": "lines",
    "position": "insert",
    "code": "replace",
}
"""Fields that identify an operation, the most specific first."""


def meant(field: str, known: Collection[str]) -> str:
    """Return the field of ``known`` that was probably meant. Empty if there is none."""
    other = next((name for name in _FIELD_SYNONYMS.get(field, ()) if name in known), "")
    if other:
        return other
    import difflib

    return next(iter(difflib.get_close_matches(field, known, 1)), "")


def operation(item: Mapping[str, Any], known: Collection[str]) -> str:
    """Return the operation of ``known`` that was probably meant. Empty if there is none."""
    if "op" not in item:
        return next((name for field, name in _OPERATION_BY_FIELD.items() if field in item), "")
    import difflib

    word = str(item["op"])
    return _OPERATION_SYNONYMS.get(word) or next(iter(difflib.get_close_matches(word, known, 1)), "")
