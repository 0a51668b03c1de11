"""HTML as browsers read it: they take nearly anything, but not a file that ends in a tag, comment or script.

See the parse errors ``eof-in-tag``, ``eof-in-comment`` and ``eof-in-script-html-comment-like-text`` of the
HTML standard. The rest of a page would be lost.
"""

from __future__ import annotations

import re

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import LARGE, Refusal, Unread

_TOKENS = re.compile(
    rb"<!--(?:-?>|(?s:.*?)--!?>|(?P<comment>))"
    rb"|<%(?s:.*?)%>|<\?(?s:.*?)(?:\?>|\Z)|\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}"
    rb"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>"
    rb"(?:(?s:.*?)</(?P=raw)\s*[^>]*>|(?P<raw_end>))"
    rb"|</?[a-zA-Z](?:\{\{(?s:.*?)\}\}|\{%(?s:.*?)%\}|<[%?](?s:.*?)[%?]>|=\s*\"[^\"]*\"|=\s*'[^']*'|[^>])*(?P<tag>>|\Z)"
)
_CLOSED = re.compile(rb"/>\s*\Z")
_UNCLOSED = {
    "comment": "the comment is not closed",
    "raw_end": "the element is not closed",
    "tag": "the tag is not closed",
}


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """See :func:`gitscalpel.syntax.readers.read`."""
    if len(raw) > LARGE:
        return Unread("it is too large for a reader")
    for found in _TOKENS.finditer(syntax.text.lower()):
        group = next((name for name in _UNCLOSED if found[name] == b""), None)
        if group is None or (group == "raw_end" and _CLOSED.search(found[0])):
            continue
        start = found.start()
        line_start = syntax.text.rfind(b"\n", 0, start) + 1
        return Refusal(syntax.text.count(b"\n", 0, start) + 1, start - line_start + 1, _UNCLOSED[group])
    return None
