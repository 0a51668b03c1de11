"""What Probe searches and extracts: words in files, ranked; symbols and lines as blocks of code."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from gitscalpel.dialects import names
from gitscalpel.dialects.advice import Vocabulary
from gitscalpel.dialects.probe_query import Query, parsed
from gitscalpel.dialects.tool import Given, Look, Talk, Tool, flag, number, text
from gitscalpel.errors import BadCall, ScalpelError

_CHARACTERS = 4
"""Of a token."""
_TOKENS = 20_000
_AROUND = 10
_TARGET = re.compile(r"(?P<path>[^#:]+)(?:#(?P<symbol>.+)|:(?P<first>\d+)(?:-(?P<last>\d+))?)?\Z")
_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)test_|[._]test\.|\.spec\.")


def _search(given: Given) -> Talk:
    query = parsed(given["query"], exact=bool(given.get("exact")))
    pattern = "|".join(re.escape(word) for word in [*query.words, *query.never])
    path, _, within = given.get("path", ".").partition("#")
    told = yield Look("find", {"selector": f"text(/(?i){pattern}/)", "paths": [path]})
    files: dict[str, list[dict[str, Any]]] = {}
    for row in told["matches"]:
        if query.lets(row["path"]) and (given.get("allow_tests", True) or not _TEST.search(row["path"])):
            files.setdefault(row["path"], []).append(row)
    if within:
        shown = yield Look("show", {"path": path, "symbol": names.symbol(within)})
        first, last = shown["span"]
        files = {
            file: inside
            for file, rows in files.items()
            if (inside := [row for row in rows if first <= row["start_line"] <= last])
        }
    ranked = sorted(filter(None, (_ranked(query, file, rows) for file, rows in files.items())))
    blocks: list[str] = []
    for _, _, file in ranked[: max(given.get("maxResults", len(ranked)), 0)]:
        symbols = yield from _symbols(file)
        blocks.append(_block(file, files[file], symbols))
    if not blocks:
        return "No results found."
    return _cut(blocks, given.get("maxTokens", _TOKENS) * _CHARACTERS)


def _symbols(file: str) -> Generator[Look, Any, list[names.Found]]:
    """The symbols of a file; none, where there are none in files of its type."""
    try:
        outline = yield Look("outline", {"paths": [file]})
    except ScalpelError as refused:
        if refused.code != "unsupported_language":
            raise
        return []
    return [*names.walked(outline)]


def _ranked(query: Query, file: str, rows: list[dict[str, Any]]) -> tuple[int, int, str] | None:
    """What a file is ordered by: how many of the words it has, and how often; None: it is not meant."""
    said = "\n".join(row["code"] for row in rows).lower()
    held = {word for word in query.words if word in said}
    if not query.must <= held or not held or any(word in said for word in query.never):
        return None
    return -len(held), -len(rows), file


def _block(file: str, rows: list[dict[str, Any]], symbols: list[names.Found]) -> str:
    lines = [f"File: {file}"]
    inside = ""
    for row in {row["start_line"]: row for row in rows}.values():
        found = names.around(symbols, file, row["start_line"])
        where = (
            f"  in {found.row['qualname']} (lines {'-'.join(map(str, found.row['span']))})" if found else ""
        )
        lines += [where] if where and where != inside else []
        inside = where
        lines.append(f"{row['range'].partition('-')[0]}| {row['code']}")
    return "\n".join(lines)


def _cut(blocks: list[str], most: int) -> str:
    kept: list[str] = []
    for block in blocks:
        if kept and sum(map(len, kept)) + len(block) > most:
            return "\n\n".join(
                [*kept, f"({len(blocks) - len(kept)} more files: narrow the query, or raise maxTokens)"]
            )
        kept.append(block)
    return "\n\n".join(kept)


def _extract(given: Given) -> Talk:
    asked = [each for each in re.split(r"[,\s]+", given.get("targets", "")) if each]
    if "file_path" in given:
        named = "#" in given["file_path"]
        lines = (
            f":{given['line']}" + (f"-{given['end_line']}" if "end_line" in given else "")
            if "line" in given and not named
            else ""
        )
        asked.append(f"{given['file_path']}{lines}")
    if not asked:
        raise BadCall(
            "invalid_args", "nothing is named to extract", "give `targets`, such as a.py#f or a.py:10-20"
        )
    blocks = []
    for each in asked:
        blocks.append((yield from _one(each, given.get("context_lines", _AROUND))))
    return "\n\n".join(blocks)


def _one(target: str, around: int) -> Talk:
    found = _TARGET.match(target)
    if found is None:
        raise BadCall(
            "invalid_args", f"{target} names no place", "write a.py, a.py#symbol, a.py:10 or a.py:10-20"
        )
    path, at = found["path"], {"path": found["path"]}
    if found["symbol"]:
        shown = yield Look("show", {**at, "symbol": names.symbol(found["symbol"])})
        return _shown(path, shown, None)
    if found["first"] is None or found["last"] is not None:
        shown = yield Look("show", at)
        span = (int(found["first"]), int(found["last"])) if found["last"] else None
        return _shown(path, shown, span)
    line = int(found["first"])
    symbols = yield from _symbols(path)
    symbol = names.around(symbols, symbols[0].path, line) if symbols else None
    if symbol is not None:
        shown = yield Look("show", {**at, "symbol": symbol.row["address"]})
        return _shown(path, shown, None)
    shown = yield Look("show", at)
    return _shown(path, shown, (max(line - around, 1), line + around))


def _shown(path: str, shown: Given, span: tuple[int, int] | None) -> str:
    rows = [row for row in shown["lines"] if span is None or span[0] <= row["n"] <= span[1]]
    if not rows:
        return f"File: {path}\nNo such lines: it has {shown['total_lines']}."
    head = f"File: {path}\nLines: {rows[0]['n']}-{rows[-1]['n']}"
    return "\n".join([head, *(f"{row['n']}:{row['hash']}| {row['text']}" for row in rows)])


WORDS = Vocabulary(
    fields={
        "path": "file_path",
        "old": "old_string",
        "new": "new_string",
        "code": "new_string",
        "content": "content",
        "all": "replace_all",
        "start": "start_line",
        "end": "end_line",
    },
    read="read it with `extract` (`targets`: {path})",
    find="find the name with `search`, or with `extract` of the file",
    old="`old_string`",
    every="set `replace_all`",
    text="give `old_string` and `new_string` instead of `symbol`",
    symbol="give `symbol` and `new_string`, which need no old text",
    replace="give `symbol`: `new_string` replaces it, and deletes it where that is empty",
    rename="exchange the name in its line and in its uses with `old_string` and `new_string`",
    insert="give `symbol` and `position` for code beside it",
    overwrite="`create` it with `overwrite`",
    create="find files with `search`, or make a new one with `create`",
)
LOOKS = (
    Tool(
        name="search",
        help='Find words in files: AND, OR, NOT, +must, -not, "a phrase", ext:py, dir:src, file:*.md.',
        takes={
            "query": text(),
            "path": text(),
            "allow_tests": flag("Files of tests as well (default: true)."),
            "exact": flag("The query is one phrase."),
            "maxResults": number("Files."),
            "maxTokens": number(f"Default: {_TOKENS}."),
        },
        needs=("query",),
        ignores=("session", "nextPage"),
        words=WORDS,
        talk=_search,
    ),
    Tool(
        name="extract",
        help="Show code: a.py, a.py#symbol, a.py:10 (the definition around it), a.py:10-20; or several.",
        takes={
            "targets": text(),
            "file_path": text(),
            "line": number(),
            "end_line": number(),
            "context_lines": number(f"Around a line that is in no definition (default: {_AROUND})."),
        },
        ignores=("allow_tests", "format"),
        words=WORDS,
        talk=_extract,
    ),
)
