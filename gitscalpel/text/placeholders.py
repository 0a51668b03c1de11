"""Placeholder lines such as `# ... existing code ...`, which language models write in place of code.

They are recognised by their words alone. The lines next to them show which code they represent: those must
occur once in the old text, or be its beginning or its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_COMMENT = re.compile(
    rb"\s*(?:\{/\*+|/[/*]+|#+|--+|;+|%+|<!--+|\(\*)(?P<inner>.*?)(?:\*+/\}?|--+>|\*\))?\s*\Z"
)
_BRACKETED = re.compile(rb"\s*[(\[<{](?P<inner>.*)[)\]>}]\s*\Z")
_DOTTED = re.compile(rb"\s*(?P<inner>(?:\.{3,}|\xe2\x80\xa6).*)\Z", re.DOTALL)
_DOTS = re.compile(rb"\.{3,}|\xe2\x80\xa6")
_AT_END = re.compile(rb"(?:%s)\Z" % _DOTS.pattern)
_TELLING = frozenset(b"existing unchanged unmodified remaining rest same previous other omitted".split())
_KEEPING = frozenset(b"here remain remains stay stays keep keeps".split())
_OTHERS = (
    b"a all and are as before below body brevity class code content contents definition definitions file for "
    b"from function functions implementation imports in is it line lines logic members method methods module "
    b"more no not of part section still stuff tests text the this to unaltered"
)
# Words of a placeholder. A comment with other words is a remark of its own.
_WORDS = _TELLING.union(_KEEPING, _OTHERS.split())
_FEW = 6  # maximum number of words that name the omitted code


def is_placeholder(line: bytes, *, prose: bool = False) -> bool:
    """Return True for a comment of an ellipsis, alone or with words such as "existing".

    In running text (``prose``) only its own comments (``<!-- -->``) are comments.
    """
    line = line.strip()
    if prose and not line.startswith(b"<!--"):
        return False
    comment = _COMMENT.match(line)
    inner = comment["inner"].strip() if comment else _strip_comment_mark(line)
    bare = inner.strip(b"()[]<> ")
    words = re.findall(rb"[^\W\d_]+|\S", _DOTS.sub(b"", bare).lower().translate(None, b"(),;.[]'"))
    telling_words = [word for word in words if word in _TELLING]
    edges = bool(_DOTS.match(bare)) + bool(_AT_END.search(bare))
    if not _WORDS.issuperset(words):
        return comment is not None and _names_kept_code(bare, words, edges)
    if comment is None:
        return bool(
            edges and telling_words and len(words) > 1
        )  # one word behind dots is a spread, ``...rest``
    if not edges:
        return len(telling_words) > 1 or bool(
            telling_words and _KEEPING.intersection(words) and len(words) > 1
        )
    if not words:
        return not _DOTS.sub(b"", inner).strip(b"()[] ")  # nothing but dots: other signs say something else
    return edges == 2 or bool(telling_words)


def _names_kept_code(bare: bytes, words: list[bytes], edges: int) -> bool:
    """Return True if the words of a comment name kept code, for example ``... existing arms ...``.

    Only the dots distinguish it from a remark: they are on both sides of a few words, or before words of
    which one of the first or the last is such as "existing".
    """
    if len(words) > _FEW or not all(word.isalpha() for word in words) or not _DOTS.match(bare):
        return False
    begins = words[1] if words[0] in (b"the", b"all") and len(words) > 1 else words[0]
    return edges == 2 or begins in _TELLING or words[-1] in _TELLING


def _strip_comment_mark(line: bytes) -> bytes:
    """Return the text of a line in brackets or after dots, which needs no comment mark. Else ``b"?"``."""
    match = _BRACKETED.match(line) or _DOTTED.match(line)
    return match["inner"].strip() if match else b"?"


def has_elision_words(line: bytes) -> bool:
    """Return True if the words of an elision say that it represents code."""
    return bool(_TELLING.intersection(re.findall(rb"[a-z]+", line.lower())))


def find_line_after(above: Sequence[bytes], old: Sequence[bytes]) -> int | None:
    """Return the index of the line of ``old`` after the last of ``above``, or None if it is ambiguous.

    ``above`` contains the lines above an elision. They are the beginning of ``old``, or the last few of them
    occur in it once.
    """
    above_lines, _ = _find_filled_lines(above)
    if not above_lines:
        return 0
    old_lines, places = _find_filled_lines(old)
    if old_lines[: len(above_lines)] == above_lines:
        return places[len(above_lines) - 1] + 1
    for count in range(1, len(above_lines) + 1):
        matches = _find_all(above_lines[-count:], old_lines)
        if len(matches) < 2:
            return places[matches[0] + count - 1] + 1 if matches else None
    return None


def find_line_before(below: Sequence[bytes], old: Sequence[bytes]) -> int | None:
    """Return the index in ``old`` of the first of ``below``, the lines below an elision, or None."""
    after = find_line_after(below[::-1], old[::-1])
    return None if after is None else len(old) - after


def _find_filled_lines(lines: Sequence[bytes]) -> tuple[list[bytes], list[int]]:
    rows = [(line.strip(), row) for row, line in enumerate(lines) if line.strip()]
    return [line for line, _ in rows], [row for _, row in rows]


def _find_all(some: list[bytes], lines: list[bytes]) -> list[int]:
    return [at for at in range(len(lines) - len(some) + 1) if lines[at : at + len(some)] == some]
