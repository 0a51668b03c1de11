"""JSON that stands in prose or in Markdown fences, as answers of language models have it."""

from __future__ import annotations

import json
import re

_LINE = re.compile(r"(?:^|(?<=</tool_call>))[ \t]*(?:<tool_call>[ \t]*)?(?=[\[{])", re.MULTILINE)
"""Where a value begins: at the beginning of a line, or of a tag around calls that stands there."""


def values(text: str) -> list[str]:
    """Return the JSON objects, and lists of objects, that begin a line or a call of ``text``, in order."""
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = 0
    while (begins := _LINE.search(text, at)) is not None:
        start = at = begins.end()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if value and (isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict))):
            found.append(text[start:end])
        at = end
    return found
