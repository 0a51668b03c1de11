"""Serena's tools: read, find and edit symbols by name path, references, patterns and files.

Lines count from 0.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import Any

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.arguments import Arguments, choice, describe_type, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.name_paths import OutlineSymbol
from gitscalpel.adapters.tool import Adapter, CallError, EditStep, ReadStep, Steps, Tool, operation
from gitscalpel.changesets.paths import Globs

_KINDS = {
    "module": 2,
    "namespace": 3,
    "class": 5,
    "method": 6,
    "property": 7,
    "field": 8,
    "constructor": 9,
    "enum": 10,
    "interface": 11,
    "function": 12,
    "variable": 13,
    "constant": 14,
    "struct": 23,
}
"""Symbol kinds of the Language Server Protocol."""
_FLAGS = re.compile(r"(?:\(\?[aimsux]+\))+")
_BRACES = re.compile(r"\{([^{}]*)\}")
_ONLY = {
    "include_kinds": optional(list[int], "Only these kinds (LSP numbers)."),
    "exclude_kinds": optional(list[int]),
}
_LONGEST = {"max_answer_chars": optional(int, "Longer answers are left out.")}


def _kind(row: dict[str, Any]) -> str:
    return str(row["kind"]).capitalize()


def _is_asked(arguments: Arguments, row: dict[str, Any]) -> bool:
    included, excluded = arguments.get("include_kinds") or (), arguments.get("exclude_kinds") or ()
    number = _KINDS.get(row["kind"])
    return (not included or number in included) and (number is None or number not in excluded)


def _short(arguments: Arguments, answer: str, instead: str) -> str:
    """Return an answer, or a shorter one if it exceeds the requested length."""
    longest = arguments.get("max_answer_chars", -1)
    return answer if longest < 0 or len(answer) <= longest else instead


def _group_by_kind(rows: list[dict[str, Any]], depth: int) -> dict[str, list[Any]]:
    """Return the names by kind, with nested names to the requested depth."""
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        nested = _group_by_kind(row["children"], depth - 1) if depth > 0 and row["children"] else None
        groups[_kind(row)].append({row["name"]: nested} if nested else row["name"])
    return dict(groups)


def _show_overview(arguments: Arguments) -> Steps:
    path = arguments["relative_path"]
    files = yield ReadStep("outline", {"paths": [path]})
    depth = arguments.get("depth", -1)
    deep = depth if depth >= 0 else int(path.endswith((".java", ".kt")))
    symbols = files[0]["symbols"] if files else []
    counts: defaultdict[str, int] = defaultdict(int)
    for row in symbols:
        counts[_kind(row)] += 1
    summary = f"Too long. Symbols by kind: {replies.to_json(dict(counts))}"
    return _short(arguments, replies.to_json(_group_by_kind(symbols, deep)), summary)


def _find(arguments: Arguments) -> Steps:
    name_path = name_paths.parse(arguments["name_path_pattern"])
    files = yield ReadStep("outline", {"paths": [arguments.get("relative_path") or "."]})
    in_part = bool(arguments.get("substring_matching"))
    matches = [each for each in name_paths.walk(files) if name_path.matches(each.names, in_part=in_part)]
    matches = [each for each in matches if _is_asked(arguments, each.row)]
    if name_path.position is not None:
        matches = matches[name_path.position : name_path.position + 1]
    names_by_file: defaultdict[str, list[str]] = defaultdict(list)
    for each in matches:
        names_by_file[each.path].append("/".join(each.names))
    limit = arguments.get("max_matches", -1)
    if 0 < limit < len(matches):
        return f"{len(matches)} symbols match, more than {limit}:\n{replies.to_json(dict(names_by_file))}"
    rows = []
    for each in matches:
        row = _symbol_row(each)
        if arguments.get("include_body"):
            shown = yield ReadStep("show", {"path": each.path, "symbol": each.row["address"]})
            row["body"] = shown["content"]
        elif arguments.get("depth", 0) > 0:
            row["children"] = _group_by_kind(each.row["children"], arguments["depth"] - 1)
        rows.append(row)
    return _short(
        arguments, replies.to_json(rows), f"Too long. Symbols by file: {replies.to_json(dict(names_by_file))}"
    )


def _symbol_row(symbol: OutlineSymbol) -> dict[str, Any]:
    first, last = symbol.row["span"]
    location = {"start_line": first - 1, "end_line": last - 1}
    return {
        "name_path": "/".join(symbol.names),
        "kind": _kind(symbol.row),
        "body_location": location,
        "relative_path": symbol.path,
    }


def _find_references(arguments: Arguments) -> Steps:
    symbol = name_paths.to_symbol(arguments["name_path"])
    answer = yield ReadStep("refs", {"path": arguments["relative_path"], "symbol": symbol})
    rows = [*answer["references"], *(row for row in answer["unsure"] if row["kind"] != "text")]
    paths = list(dict.fromkeys(row["path"] for row in rows))
    outlines = (yield ReadStep("outline", {"paths": paths})) if paths else []
    symbols = [*name_paths.walk(outlines)]
    users_by_file: dict[str, list[Any]] = {}
    for path in paths:
        shown = yield ReadStep("show", {"path": path})
        lines = replies.split_lines(shown["content"])
        users = [_reference_row(arguments, symbols, row, lines) for row in rows if row["path"] == path]
        users_by_file |= {path: named_users} if (named_users := [each for each in users if each]) else {}
    counts = {path: len(each) for path, each in users_by_file.items()}
    return _short(
        arguments, replies.to_json(users_by_file), f"Too long. References by file: {replies.to_json(counts)}"
    )


def _reference_row(
    arguments: Arguments, symbols: list[OutlineSymbol], row: dict[str, Any], lines: list[str]
) -> dict[str, Any] | None:
    """Return a reference with the symbol that contains it, or None if that kind was not requested."""
    user = name_paths.find_innermost(symbols, row["path"], row["line"])
    if not _is_asked(arguments, {"kind": "file"} if user is None else user.row):
        return None
    user_fields = {} if user is None else {"name_path": "/".join(user.names), "kind": _kind(user.row)}
    context = _context(lines, row["line"], row["line"], 1, 1)
    reference = {**user_fields, "reference_line": row["line"] - 1, "content_around_reference": context}
    return reference if row["certain"] else {**reference, "unsure": row["why"]}


def _context(lines: list[str], first: int, last: int, before: int, after: int) -> str:
    """Format lines numbered from 0. The matching lines are marked, other lines begin with dots."""
    begin, end = max(first - before, 1), min(last + after, len(lines))
    rows = range(begin, end + 1)
    return "\n".join(f"{'  >' if first <= n <= last else '...'}{n - 1:4}:{lines[n - 1]}" for n in rows)


def _search(arguments: Arguments) -> Steps:
    selector = (
        f"text(/{_pattern(arguments['substring_pattern'], is_multiline=arguments.get('multiline', True))}/)"
    )
    told = yield ReadStep("find", {"selector": selector, "paths": [arguments.get("relative_path") or "."]})
    matches_by_file: defaultdict[str, list[Any]] = defaultdict(list)
    for match in told["matches"]:
        matches_by_file[match["path"]].append(match)
    paths = _filter_paths(arguments, list(matches_by_file))
    answer: dict[str, list[str]] = {}
    before, after = arguments.get("context_lines_before", 0), arguments.get("context_lines_after", 0)
    for path in paths:
        shown = yield ReadStep("show", {"path": path})
        lines = replies.split_lines(shown["content"])
        spans = dict.fromkeys((row["start_line"], row["end_line"]) for row in matches_by_file[path])
        answer[path] = [_context(lines, first, last, before, after) for first, last in spans]
    numbers = {path: [row["start_line"] - 1 for row in matches_by_file[path]] for path in paths}
    return _short(arguments, replies.to_json(answer), f"Too long. Lines by file: {replies.to_json(numbers)}")


def _pattern(pattern: str, *, is_multiline: bool) -> str:
    """Return a pattern whose dot matches line ends, or whose ``^`` and ``$`` match only at the file's ends.

    Flags at the start apply to the whole pattern.
    """
    if is_multiline:
        return f"(?s){pattern}"
    flags = _FLAGS.match(pattern)
    own = flags[0] if flags else ""
    return pattern if "m" in own else f"{own}(?-m:{pattern.removeprefix(own)})"


def _filter_paths(arguments: Arguments, paths: list[str]) -> list[str]:
    included, excluded = arguments.get("paths_include_glob", ""), arguments.get("paths_exclude_glob", "")
    chosen = [*Globs(_patterns(included)).among(paths)] if included else paths
    rejected = {*Globs(_patterns(excluded)).among(chosen)} if excluded else set()
    return [path for path in chosen if path not in rejected]


def _patterns(glob: str) -> list[str]:
    """Return the globs that a pattern stands for, relative to the root. ``{a,b}`` makes one for each."""
    braces = _BRACES.search(glob)
    if braces is None:
        return [f"/{glob.lstrip('/')}"]
    before, after = glob[: braces.start()], glob[braces.end() :]
    return [each for part in braces[1].split(",") for each in _patterns(f"{before}{part}{after}")]


def _read(arguments: Arguments) -> Steps:
    shown = yield ReadStep("show", {"path": arguments["relative_path"]})
    lines = replies.split_lines(shown["content"])
    first, last = arguments.get("start_line", 0), arguments.get("end_line")
    first = first if first >= 0 else max(len(lines) + first, 0)
    window = lines[first : None if last is None else last + 1]
    return _short(arguments, "\n".join(window), f"Too long: the file has {len(lines)} lines.")


_OK = "OK"
_GROUP = re.compile(r"\$!(\d+)")


def _ok(op: Arguments) -> Steps:
    answer = yield EditStep((op,))
    return replies.add_notes(_OK, answer)


def _at(arguments: Arguments) -> Arguments:
    return {"path": arguments["relative_path"], "symbol": name_paths.to_symbol(arguments["name_path"])}


def _replace(arguments: Arguments) -> Steps:
    return (yield from _ok(operation("replace", **_at(arguments), code=arguments["body"])))


def _after(arguments: Arguments) -> Steps:
    return (yield from _ok(operation("insert", **_at(arguments), position="after", code=arguments["body"])))


def _before(arguments: Arguments) -> Steps:
    return (yield from _ok(operation("insert", **_at(arguments), position="before", code=arguments["body"])))


def _rename(arguments: Arguments) -> Steps:
    answer = yield EditStep((operation("rename", **_at(arguments), to=arguments["new_name"]),))
    paths = ", ".join(row["path"] for row in answer["files"])
    return replies.add_notes(
        f"Renamed {arguments['name_path']} to {arguments['new_name']} in {paths}", answer
    )


def _delete(arguments: Arguments) -> Steps:
    symbol = name_paths.to_symbol(arguments["name_path_pattern"])
    return (yield from _ok(operation("delete", path=arguments["relative_path"], symbol=symbol, safe=True)))


def _content(arguments: Arguments) -> Steps:
    is_regex = arguments["mode"] == "regex"
    new = arguments["repl"]
    if is_regex:  # groups are written $!1, backslashes are literal
        new = _GROUP.sub(r"\\g<\1>", new.replace("\\", "\\\\"))
    every = arguments.get("allow_multiple_occurrences")
    fields = {"old": arguments["needle"], "new": new, "regex": is_regex or None, "all": every}
    return (yield from _ok(operation("text", path=arguments["relative_path"], **fields)))


def _create(arguments: Arguments) -> Steps:
    path = arguments["relative_path"]
    answer = yield EditStep((operation("write", path=path, content=arguments["content"], overwrite=True),))
    note = " Overwrote existing file." if answer["files"][0]["status"] == "modified" else ""
    return replies.add_notes(f"File created: {path}.{note}", answer)


def _format_edit_error(arguments: Arguments, error: CallError) -> str:
    if error.code == "referenced":
        return f"Cannot delete, the symbol is in use: {error.message}\n{error.hint}"
    mismatch = replies.explain_mismatch(error, "needle", str(arguments.get("relative_path")))
    return f"Error: {mismatch or error.message}\n{error.hint}"


_WORDS = Vocabulary(
    fields={
        "path": "relative_path",
        "symbol": "name_path",
        "old": "needle",
        "new": "repl",
        "code": "body",
        "all": "allow_multiple_occurrences",
        "to": "new_name",
        "regex": "mode",
    },
    read="read it with `read_file` (`relative_path`: {path})",
    find="list its symbols with `get_symbols_overview`, or `find_symbol` by name",
    old="`needle`",
    every="set `allow_multiple_occurrences`",
    text="edit text with `replace_content`",
    symbol="`replace_symbol_body` needs no old text",
    replace="replace a definition with `replace_symbol_body`",
    insert="add code with `insert_after_symbol` or `insert_before_symbol`",
    delete="delete a definition with `safe_delete_symbol`",
    rename="`rename_symbol` gives a symbol another name, wherever it is used",
    overwrite="write the file whole with `create_text_file`",
    create="create it with `create_text_file`",
)
_PLACE = {"name_path": describe_type(str, "Such as MyClass/my_method."), "relative_path": str}
_BODY = {**_PLACE, "body": str}
_BELOW = {"relative_path": optional(str, "A file or folder (default: all).")}
_read_tool = partial(Tool, vocabulary=_WORDS)
_edit_tool = partial(Tool, is_editing=True, vocabulary=_WORDS, format_error=_format_edit_error)
ADAPTER = Adapter(
    tools=(
        _read_tool(
            "get_symbols_overview",
            "List the symbols of a file by kind.",
            _show_overview,
            {"relative_path": str, "depth": optional(int, "Levels below the top."), **_LONGEST},
        ),
        _read_tool(
            "find_symbol",
            "Find symbols by name path: name, Outer/name, or /Outer/name from the top of a file.",
            _find,
            {
                "name_path_pattern": str,
                "depth": optional(int, "Levels of children."),
                **_BELOW,
                "include_body": optional(bool),
                **_ONLY,
                "substring_matching": optional(bool, "The last name may be a part."),
                "max_matches": optional(int),
                **_LONGEST,
            },
            ignored=("include_info",),
            aliases={"name_path": "name_path_pattern"},
        ),
        _read_tool(
            "find_referencing_symbols",
            "Find what refers to a symbol, over all files.",
            _find_references,
            {"name_path": str, "relative_path": str, **_ONLY, **_LONGEST},
        ),
        _read_tool(
            "search_for_pattern",
            "Find a regular expression in files.",
            _search,
            {
                "substring_pattern": str,
                "context_lines_before": optional(int),
                "context_lines_after": optional(int),
                "paths_include_glob": optional(str),
                "paths_exclude_glob": optional(str),
                **_BELOW,
                "multiline": optional(bool, "The dot matches line ends, ^ and $ do at each line (default)."),
                **_LONGEST,
            },
            ignored=("restrict_search_to_code_files", "skip_ignored_files"),
        ),
        _read_tool(
            "read_file",
            "Read a file, or lines of it, counted from 0.",
            _read,
            {
                "relative_path": str,
                "start_line": optional(int),
                "end_line": optional(int, "The last one."),
                **_LONGEST,
            },
        ),
        _edit_tool("replace_symbol_body", "Replace the whole definition of a symbol.", _replace, _BODY),
        _edit_tool("insert_after_symbol", "Insert code below a definition.", _after, _BODY),
        _edit_tool("insert_before_symbol", "Insert code above a definition.", _before, _BODY),
        _edit_tool("rename_symbol", "Rename a symbol and every use.", _rename, {**_PLACE, "new_name": str}),
        _edit_tool(
            "safe_delete_symbol",
            "Delete a symbol that nothing uses.",
            _delete,
            {"name_path_pattern": str, "relative_path": str},
        ),
        _edit_tool(
            "replace_content",
            "Replace text or what a regular expression matches; $!1 is its first group.",
            _content,
            {
                "relative_path": str,
                "needle": str,
                "repl": str,
                "mode": choice("literal", "regex"),
                "allow_multiple_occurrences": optional(bool),
            },
        ),
        _edit_tool(
            "create_text_file", "Write a whole file.", _create, {"relative_path": str, "content": str}
        ),
    ),
    differences=(
        "`replace_symbol_body` keeps comments and decorators, and rejects code with another name. "
        "Unresolved references say `unsure`. Inserted code gets the same blank lines as its siblings. "
        "`include_info`, `skip_ignored_files` and `restrict_search_to_code_files` are ignored. Only "
        "`max_answer_chars` truncates."
    ),
    failing_calls=(
        ("replace_content", {"relative_path": "shop.py", "needle": "none", "repl": "x", "mode": "literal"}),
        ("replace_symbol_body", {"relative_path": "shop.py", "name_path": "tax", "body": "def vat(): pass"}),
        ("safe_delete_symbol", {"relative_path": "shop.py", "name_path_pattern": "tax"}),
        ("find_symbol", {"name_path_pattern": "x", "relative_path": "gone.py"}),
    ),
)
