"""Search/replace blocks, as language models write them below the name of a file.

A block without a name belongs to the file of the block before. ``:start_line:`` and a dashed line may come
first. A mark that is part of the text is escaped with a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    Hunk,
    Kind,
    ReadPatch,
    TextFormat,
    pair_lines,
    patch_error,
)

SIGN = re.compile(rb"^(?:<{5,} ?|-{5,} )(?:SEARCH|ORIGINAL)\b>?", re.MULTILINE)
_DIVIDER = re.compile(rb"={5,}\s*\Z")
_END = re.compile(rb"(?:>{5,} ?|\+{5,} )(?:REPLACE|UPDATED)\b")
_FENCE = re.compile(rb"\s*(?:`{3,}|~{3,}|</?(?:source|code|pre|codeblock|sourcecode)\b[^>]*>\w*\s*\Z)")
_LINE = re.compile(rb":start_line: ?(\d{1,18})\s*\Z")
_NOTE = re.compile(rb"\s*:(?:start|end)_line:")
_ESCAPED = re.compile(rb"(\s*)\\(?=:(?:start|end)_line:|<{5,}|={5,}\s*\Z|>{5,}|-{5,}|\+{5,})")
_DECORATED = re.compile(rb"\s*(?:#+\s|\*\*|`|(?i:file(?:name)?|path):)")
_QUOTED = re.compile(rb"`([^`\s]+)`")
_EXTENSION = re.compile(rb"[\w)\]]\.\w{1,12}\Z")


def read(diff: bytes, path: str) -> ReadPatch:
    """Return the files in the order in which they are first named.

    Raises ``patch_failed`` for a block that is incomplete or names no file.
    """
    lines = [line.removesuffix(b"\r") for line in diff.split(b"\n")]
    blocks: dict[str, list[Hunk]] = {}
    around: list[bytes] = []
    at = block_number = 0
    while at < len(lines):
        if SIGN.match(lines[at]):
            path = _find_name(lines, at, is_known=bool(path)) or path
            if not path:
                raise patch_error(
                    "a search/replace block names no file", "write the path in the line before it"
                )
            hunks = blocks.setdefault(path, [])
            block_number += 1
            old, new, number, at = _read_block(lines, at + 1, block_number)
            hunks.append(Hunk(index=len(hunks) + 1, lines=pair_lines(old, new), number=number))
        else:
            around.append(lines[at])
        at += 1
    return ReadPatch(
        tuple(_make_file(path, tuple(hunks)) for path, hunks in blocks.items()), b"\n".join(around)
    )


def _make_file(path: str, hunks: tuple[Hunk, ...]) -> FilePatch:
    is_new = len(hunks) == 1 and not hunks[0].old
    kind: Kind = "create" if is_new else "edit"
    return FilePatch(path=path, source=path, kind=kind, pieces=hunks, by_hand=True, taken="fill")


def _find_name(lines: Sequence[bytes], at: int, *, is_known: bool) -> str | None:
    """Return the path in the line above a block, without the Markdown around it.

    ``is_known`` is True if a file was named before, so that a doubtful line counts as prose.
    """
    lines_above = list(lines[max(0, at - 3) : at])
    while lines_above and _FENCE.match(lines_above[-1]):
        lines_above.pop()
    is_apart = bool(lines_above) and not lines_above[-1].strip()
    lines_above = [line for line in lines_above if line.strip()]
    if not lines_above or _END.match(lines_above[-1]) or _FENCE.match(lines_above[-1]):
        return None
    name = re.sub(rb"(?i)\A(?:file(?:name)?|path):", b"", lines_above[-1].strip().strip(b"#*`: ")).strip(
        b"*`: "
    )
    quoted_names = _QUOTED.findall(lines_above[-1])
    if b" " in name and len(quoted_names) == 1 and _EXTENSION.search(quoted_names[0]):
        name = quoted_names[0]  # the one name in a sentence
    if is_known and not _is_path(lines_above[-1], name, is_apart=is_apart):
        return None
    return name.decode("utf-8", "surrogateescape")


def _is_path(line: bytes, name: bytes, *, is_apart: bool) -> bool:
    """Return True if a line names a file, and is not a remark between two blocks of one file."""
    if re.search(rb"\w", name) is None:
        return False
    if b" " in name.strip():
        return not is_apart and _EXTENSION.search(name) is not None
    return not is_apart or b"/" in name or bool(_DECORATED.match(line) or _EXTENSION.search(name))


class _Block(NamedTuple):
    old: list[bytes]
    new: list[bytes]
    number: int | None
    end: int


def _read_block(lines: Sequence[bytes], at: int, index: int) -> _Block:
    ends = (n for n in range(at, len(lines)) if _END.match(lines[n]) or SIGN.match(lines[n]))
    end = next(ends, None)
    if end is None or SIGN.match(lines[end]):
        raise patch_error(f"search/replace block {index} is not closed", "end it with >>>>>>> REPLACE")
    dividers = [n for n in range(at, end) if _DIVIDER.match(lines[n])]
    if len(dividers) != 1:
        raise patch_error(
            f"search/replace block {index} has {len(dividers)} lines of =======, not one",
            "write one between old and new text, and \\======= where the text has such a line",
        )
    number, old = _split_number(lines[at : dividers[0]])
    new = lines[dividers[0] + 1 : end]
    note = next((line for line in new if _NOTE.match(line)), None)
    if note is not None:
        raise patch_error(
            f"search/replace block {index} has {note.decode('utf-8', 'replace').strip()} in its new text",
            "write it at the top of the old text, or put a backslash before it if it is text",
        )
    return _Block(_unescape_marks(old), _unescape_marks(new), number, end)


def _unescape_marks(lines: Sequence[bytes]) -> list[bytes]:
    return [_ESCAPED.sub(rb"\1", line, count=1) for line in lines]


def _split_number(old: Sequence[bytes]) -> tuple[int | None, Sequence[bytes]]:
    number = _LINE.match(old[0]) if old else None
    if number is None:
        return None, old
    head = len(list(takewhile(lambda line: re.match(rb":\w+:|-{5,}\s*\Z", line), old)))
    return int(number[1]), old[head:]


FORMATS = (
    TextFormat(
        name="a SEARCH block",
        usage="<<<<<<< SEARCH blocks below the name of their file",
        priority=20,
        sign=SIGN,
        read=read,
        example="a.txt\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n",
    ),
)
