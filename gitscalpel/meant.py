"""What a caller has meant by a field that there is not: as other tools call ours, or nearly as we do."""

from __future__ import annotations

from collections.abc import Collection

_ELSEWHERE = {
    **dict.fromkeys(("file", "filename", "file_path", "filepath"), ("path",)),
    **dict.fromkeys(("content", "text", "body", "new_code", "new_content", "replacement"), ("code", "new")),
    **dict.fromkeys(("old_str", "old_string", "search", "find", "pattern", "query"), ("old", "find")),
    **dict.fromkeys(("new_str", "new_string", "replace"), ("new", "code")),
    **dict.fromkeys(("name", "target", "function", "qualname"), ("symbol",)),
    **dict.fromkeys(("line", "lines", "range", "start_line"), ("start",)),
    **dict.fromkeys(("replace_all", "global"), ("all",)),
    **dict.fromkeys(("destination", "new_path", "dest", "to"), ("to_path", "to")),
    **dict.fromkeys(("new_name", "newName"), ("to",)),
    **dict.fromkeys(("id", "transaction", "transaction_id"), ("tx",)),
    **dict.fromkeys(("limit", "count", "max"), ("n", "limit")),
}
"""What other tools call our fields."""


def meant(field: str, known: Collection[str]) -> str:
    """The field of ``known`` that is meant; "": nobody can tell."""
    other = next((name for name in _ELSEWHERE.get(field, ()) if name in known), "")
    if other:
        return other
    import difflib

    return next(iter(difflib.get_close_matches(field, known, 1)), "")
