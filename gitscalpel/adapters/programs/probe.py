"""Probe's tools: edit, create, search and extract.

Search ranks files by the words of a query, which can require or exclude words and limit the files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.arguments import Arguments, choice, describe_type, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ReadStep,
    Steps,
    Tool,
    code_operation,
    operation,
    text_operation,
)
from gitscalpel.errors import BadCall, ScalpelError
from gitscalpel.syntax.languages import LANGUAGES

_TERM = re.compile(r'(?P<sign>[+-]?)(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s()"]+))')


class FileFilter(NamedTuple):
    """Restriction of the files in a query: ``ext:py,pyi``, ``dir:src``, ``-file:docs/*``."""

    matches: Callable[[str, str], bool]
    value: str
    is_not: bool

    def permits(self, path: str) -> bool:
        return self.matches(path, self.value) is not self.is_not


class Query(NamedTuple):
    """A parsed query.

    Attributes:
        must, never: words that a file must, and must not contain.
        words: all words that count for the order.
        hints: restrictions of the files.
    """

    must: set[str]
    never: set[str]
    words: list[str]
    hints: tuple[FileFilter, ...] = ()

    def permits(self, path: str) -> bool:
        return all(hint.permits(path) for hint in self.hints)


def _has_extension(path: str, value: str) -> bool:
    return posixpath.splitext(path)[1].lower() in {
        f".{each.lstrip('.').lower()}" for each in value.split(",")
    }


def _has_name(path: str, value: str) -> bool:
    return posixpath.basename(path).lower() == value.lower()


def _is_in_folder(path: str, value: str) -> bool:
    folder = posixpath.dirname(path)
    return value in folder or fnmatchcase(folder, value)


def _has_language(path: str, value: str) -> bool:
    suffixes = next((each.suffixes for each in LANGUAGES if each.name == value.lower()), None)
    return _has_extension(path, value) if suffixes is None else path.lower().endswith(suffixes)


_FILTERS: dict[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(("ext", "extension"), _has_extension),
    **dict.fromkeys(("file", "path"), fnmatchcase),
    **dict.fromkeys(("dir", "directory"), _is_in_folder),
    **dict.fromkeys(("lang", "language", "type"), _has_language),
    "filename": _has_name,
}


def parse_query(query: str, *, exact: bool) -> Query:
    """Parse a query; ``exact`` takes it as one phrase.

    Raises:
        BadCall: ``invalid_args``: the query has no word.
    """
    if exact:
        return Query({query.lower()}, set(), [query.lower()])
    must: set[str] = set()
    never: set[str] = set()
    words: list[str] = []
    hints: list[FileFilter] = []
    operator = ""
    for match in _TERM.finditer(query):
        word = match["quoted"] if match["quoted"] is not None else match["word"]
        if match["quoted"] is None and word in ("AND", "OR", "NOT"):
            must |= {words[-1]} if word == "AND" and words else set()
            operator = word
            continue
        field, _, value = word.partition(":")
        is_not = match["sign"] == "-" or operator == "NOT"
        if match["quoted"] is None and value and field.lower() in _FILTERS:
            hints.append(FileFilter(_FILTERS[field.lower()], value, is_not))
        elif is_not:
            never.add(word.lower())
        else:
            words.append(word.lower())
            must |= {word.lower()} if match["sign"] == "+" or operator == "AND" else set()
        operator = ""
    if not words:
        raise BadCall(
            "invalid_args",
            "the query has no word to look for",
            "give at least one word; AND, OR, NOT, + and - only combine words",
        )
    return Query(must, never, words, tuple(hints))


_CHARACTERS = 4  # Average number of characters of a token
_TOKENS = 20_000
_AROUND = 10
_TARGET = re.compile(r"(?P<path>[^#:]+)(?:#(?P<symbol>.+)|:(?P<first>\d+)(?:-(?P<last>\d+))?)?\Z")
_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)test_|[._]test\.|\.spec\.")


def _search(arguments: Arguments) -> Steps:
    query = parse_query(arguments["query"], exact=bool(arguments.get("exact")))
    pattern = "|".join(re.escape(word) for word in [*query.words, *query.never])
    path, _, within = arguments.get("path", ".").partition("#")
    answer = yield ReadStep("find", {"selector": f"text(/(?i){pattern}/)", "paths": [path]})
    files: dict[str, list[dict[str, Any]]] = {}
    for row in answer["matches"]:
        if query.permits(row["path"]) and (
            arguments.get("allow_tests", True) or not _TEST.search(row["path"])
        ):
            files.setdefault(row["path"], []).append(row)
    if within:
        shown = yield ReadStep("show", {"path": path, "symbol": name_paths.to_symbol(within)})
        first, last = shown["span"]
        files = {
            file: inside
            for file, rows in files.items()
            if (inside := [row for row in rows if first <= row["start_line"] <= last])
        }
    ranked = sorted(filter(None, (_rank_file(query, file, rows) for file, rows in files.items())))
    blocks: list[str] = []
    for _, _, file in ranked[: max(arguments.get("maxResults", len(ranked)), 0)]:
        symbols = yield from _symbols(file)
        blocks.append(_block(file, files[file], symbols))
    if not blocks:
        return "No results found."
    return _cut(blocks, arguments.get("maxTokens", _TOKENS) * _CHARACTERS)


def _symbols(file: str) -> Generator[ReadStep, Any, list[name_paths.OutlineSymbol]]:
    """Return the symbols of a file, or nothing if its language has none."""
    try:
        outline = yield ReadStep("outline", {"paths": [file]})
    except ScalpelError as refused:
        if refused.code != "unsupported_language":
            raise
        return []
    return [*name_paths.walk(outline)]


def _rank_file(query: Query, file: str, rows: list[dict[str, Any]]) -> tuple[int, int, str] | None:
    """Return the sort key of a file: how many words it contains, and how often. None if it does not match."""
    text = "\n".join(row["code"] for row in rows).lower()
    present = {word for word in query.words if word in text}
    if not query.must <= present or not present or any(word in text for word in query.never):
        return None
    return -len(present), -len(rows), file


def _block(file: str, rows: list[dict[str, Any]], symbols: list[name_paths.OutlineSymbol]) -> str:
    lines = [f"File: {file}"]
    inside = ""
    for row in {row["start_line"]: row for row in rows}.values():
        symbol = name_paths.find_innermost(symbols, file, row["start_line"])
        heading = (
            f"  in {symbol.row['qualname']} (lines {'-'.join(map(str, symbol.row['span']))})"
            if symbol
            else ""
        )
        lines += [heading] if heading and heading != inside else []
        inside = heading
        lines.append(f"{row['range'].partition('-')[0]}| {row['code']}")
    return "\n".join(lines)


def _cut(blocks: list[str], max_characters: int) -> str:
    shown: list[str] = []
    for block in blocks:
        if shown and sum(map(len, shown)) + len(block) > max_characters:
            return "\n\n".join(
                [*shown, f"({len(blocks) - len(shown)} more files: narrow the query, or raise maxTokens)"]
            )
        shown.append(block)
    return "\n\n".join(shown)


def _extract(arguments: Arguments) -> Steps:
    targets = [each for each in re.split(r"[,\s]+", arguments.get("targets", "")) if each]
    if "file_path" in arguments:
        has_symbol = "#" in arguments["file_path"]
        lines = (
            f":{arguments['line']}" + (f"-{arguments['end_line']}" if "end_line" in arguments else "")
            if "line" in arguments and not has_symbol
            else ""
        )
        targets.append(f"{arguments['file_path']}{lines}")
    if not targets:
        raise BadCall("invalid_args", "nothing to extract", "give `targets`, such as a.py#f or a.py:10-20")
    blocks = []
    for each in targets:
        blocks.append((yield from _extract_target(each, arguments.get("context_lines", _AROUND))))
    return "\n\n".join(blocks)


def _extract_target(target: str, around: int) -> Steps:
    match = _TARGET.match(target)
    if match is None:
        message = f"{target} is not a position in a file"
        raise BadCall("invalid_args", message, "write a.py, a.py#symbol, a.py:10 or a.py:10-20")
    path, file = match["path"], {"path": match["path"]}
    if match["symbol"]:
        shown = yield ReadStep("show", {**file, "symbol": name_paths.to_symbol(match["symbol"])})
        return _format_code(path, shown, None)
    if match["first"] is None or match["last"] is not None:
        shown = yield ReadStep("show", file)
        span = (int(match["first"]), int(match["last"])) if match["last"] else None
        return _format_code(path, shown, span)
    line = int(match["first"])
    symbols = yield from _symbols(path)
    symbol = name_paths.find_innermost(symbols, symbols[0].path, line) if symbols else None
    if symbol is not None:
        shown = yield ReadStep("show", {**file, "symbol": symbol.row["address"]})
        return _format_code(path, shown, None)
    shown = yield ReadStep("show", file)
    return _format_code(path, shown, (max(line - around, 1), line + around))


def _format_code(path: str, shown: Arguments, span: tuple[int, int] | None) -> str:
    rows = [row for row in shown["lines"] if span is None or span[0] <= row["n"] <= span[1]]
    if not rows:
        return f"File: {path}\nNo such lines: it has {shown['total_lines']}."
    head = f"File: {path}\nLines: {rows[0]['n']}-{rows[-1]['n']}"
    return "\n".join([head, *(f"{row['n']}:{row['hash']}| {row['text']}" for row in rows)])


def _edit(arguments: Arguments) -> Steps:
    arguments = _split_symbol(arguments)
    op = _build_operation(arguments)
    answer = yield EditStep((op,))
    row, path = answer["ops"][0], arguments["file_path"]
    if op["op"] == "text":
        return replies.add_notes(f"Successfully edited {path} ({_replacements(row)})", answer)
    return replies.add_notes(f"Successfully {_describe_change(arguments, op, row)}", answer)


def _split_symbol(arguments: Arguments) -> Arguments:
    """Split a file name that contains a symbol (``a.py#f``) into two arguments.

    Raises:
        BadCall: ``invalid_args``: the call also names another symbol.
    """
    path, _, symbol = arguments["file_path"].partition("#")
    if not symbol:
        return arguments
    if arguments.get("symbol", symbol) != symbol:
        message = f"the call names two symbols, {symbol} and {arguments['symbol']}"
        raise BadCall("invalid_args", message, "give one of them")
    return {**arguments, "file_path": path, "symbol": symbol}


def _replacements(row: Arguments) -> str:
    """Return the number of replacements, and how the text was matched if not exactly."""
    count, matched = row.get("replacements", 1), row.get("matched", "exact")
    text = f"{count} replacement{'s' if count != 1 else ''}"
    return text if matched == "exact" else f"{text}, matched via {matched}"


def _describe_change(arguments: Arguments, op: Arguments, row: Arguments) -> str:
    path, symbol = arguments["file_path"], f' symbol "{arguments["symbol"]}"' if "symbol" in arguments else ""
    position = op.get("position")
    if position is not None:
        first = row["after"][0]
        line = first - 1 if position == "after" else first  # numbered before the edit
        place = f"{symbol} in {path}" if symbol else f" line {line} of {path}"
        return f"inserted {_lines(row['after'])} {position}{place} (at line {first})"
    first, last = row["before"]
    old_lines = f"was lines {first}-{last}" if first != last else f"was line {first}"
    if not arguments["new_string"]:
        return (
            f"deleted{symbol} from {path} ({old_lines})"
            if symbol
            else f"deleted lines of {path} ({old_lines})"
        )
    new_lines = f"({old_lines}, now {_lines(row['after'])})"
    return f"replaced{symbol} in {path} {new_lines}" if symbol else f"replaced lines of {path} {new_lines}"


def _lines(span: list[int]) -> str:
    count = span[1] - span[0] + 1
    return f"{count} line{'s' if count != 1 else ''}"


def _build_operation(arguments: Arguments) -> Arguments:
    """Return the operation: by symbol, by lines, or by text. The original decides in the same order."""
    new, where = arguments["new_string"], arguments.get("position")
    path = arguments["file_path"]
    if "symbol" in arguments:
        symbol = name_paths.to_symbol(arguments["symbol"])
        return code_operation(new, where, path=path, symbol=symbol)
    if "start_line" in arguments:
        lines = {"start": arguments["start_line"], "end": arguments.get("end_line"), "position": where}
        return operation("lines", path=path, code=new, **lines)
    if "old_string" not in arguments:
        raise BadCall("invalid_args", "nothing to edit", "give `old_string`, `symbol`, or `start_line`")
    return text_operation(path, arguments["old_string"], new, arguments.get("replace_all"))


def _create(arguments: Arguments) -> Steps:
    path, content = arguments["file_path"], arguments["content"]
    answer = yield EditStep(
        (operation("write", path=path, content=content, overwrite=arguments.get("overwrite")),)
    )
    action = "created" if answer["files"][0]["status"] == "added" else "overwrote"
    return replies.add_notes(f"Successfully {action} {path} ({len(content.encode())} bytes)", answer)


def _format_edit_error(arguments: Arguments, error: CallError) -> str:
    mismatch = replies.explain_mismatch(error, "old_string", str(arguments.get("file_path")))
    current_lines = [f"{row['n']}:{row['hash']}| {row['text']}" for row in error.data.get("lines", ())]
    retry = (
        [f"<extract><targets>{_extract_argument(arguments)}</targets></extract>"]
        if error.code == "stale"
        else []
    )
    return "\n".join([f"Error editing file: {mismatch or error.message}", *current_lines, error.hint, *retry])


def _extract_argument(arguments: Arguments) -> str:
    """Return the part of a file that `extract` must show before it can be edited."""
    path, symbol = arguments.get("file_path", ""), arguments.get("symbol")
    return f"{path}#{symbol}" if symbol and "#" not in str(path) else str(path)


def _format_create_error(arguments: Arguments, error: CallError) -> str:
    message = f"{arguments.get('file_path')} exists already." if error.code == "exists" else error.message
    return f"Error creating file: {message}\n{error.hint}"


_LINE = optional(int | str, "42, or 42:HASH as extract and search show it.")
_WORDS = Vocabulary(
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
    replace="give `symbol`: `new_string` replaces it, or deletes it if empty",
    rename="replace the name in its line and in its uses with `old_string` and `new_string`",
    insert="give `symbol` and `position` to insert code next to it",
    overwrite="`create` it with `overwrite`",
    create="find files with `search`, or make a new one with `create`",
)
ADAPTER = Adapter(
    tools=(
        Tool(
            "search",
            'Find words in files: AND, OR, NOT, +must, -not, "a phrase", ext:py, dir:src, file:*.md.',
            _search,
            {
                "query": str,
                "path": optional(str),
                "allow_tests": optional(bool, "Files of tests as well (default: true)."),
                "exact": optional(bool, "The query is one phrase."),
                "maxResults": optional(int, "Files."),
                "maxTokens": optional(int, f"Default: {_TOKENS}."),
            },
            ignored=("session", "nextPage"),
            vocabulary=_WORDS,
        ),
        Tool(
            "extract",
            "Show code: a.py, a.py#symbol, a.py:10 (the definition around it), a.py:10-20; or several.",
            _extract,
            {
                "targets": optional(str),
                "file_path": optional(str),
                "line": optional(int),
                "end_line": optional(int),
                "context_lines": optional(
                    int, f"Around a line that is in no definition (default: {_AROUND})."
                ),
            },
            ignored=("allow_tests", "format"),
            vocabulary=_WORDS,
        ),
        Tool(
            "edit",
            "Replace text that occurs in a file once; or a symbol; insert next to it (position); or lines.",
            _edit,
            {
                "file_path": describe_type(str, "A file; or path#symbol."),
                "new_string": str,
                "old_string": optional(str),
                "replace_all": optional(bool),
                "symbol": optional(str, "Such as MyClass.method."),
                "position": optional(choice("before", "after")),
                "start_line": _LINE,
                "end_line": _LINE,
            },
            is_editing=True,
            vocabulary=_WORDS,
            format_error=_format_edit_error,
        ),
        Tool(
            "create",
            "Create a file, with its folders.",
            _create,
            {"file_path": str, "content": str, "overwrite": optional(bool)},
            is_editing=True,
            vocabulary=_WORDS,
            format_error=_format_create_error,
        ),
    ),
    differences=(
        "`search` finds literal words (`lang:` selects a language) and returns all matches at once. "
        "`session`, `nextPage` and `format` are ignored. `input_content` and `multi_edit` are not "
        "supported. Line hashes are ours (`42:9f3c| code`). A file need not be read before an edit, "
        "unless `--read-before-edit` is set."
    ),
    failing_calls=(
        ("edit", {"file_path": "shop.py", "symbol": "gone", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "symbol": "tax", "new_string": "def vat(): pass"}),
        ("edit", {"file_path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "old_string": "total", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "start_line": "3:beef", "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "start_line": 90, "new_string": "x"}),
        ("edit", {"file_path": "shop.py", "new_string": "x"}),
        ("edit", {"file_path": "../a", "old_string": "x", "new_string": "y"}),
        ("edit", {"file_path": "gone.py", "old_string": "x", "new_string": "y"}),
        ("edit", {"file_path": "shop.py", "symbol": "tax", "position": "near", "new_string": "y"}),
        ("create", {"file_path": "shop.py", "content": "x"}),
        ("extract", {"targets": "shop.py#gone"}),
        ("search", {"query": "NOT"}),
    ),
)
