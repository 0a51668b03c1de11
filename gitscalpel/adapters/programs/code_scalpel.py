"""Code Scalpel's ``update_symbol``, with the fields of its result that apply here."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, choice, describe_type, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import Adapter, CallError, EditStep, FindRoot, Steps, Tool, operation
from gitscalpel.errors import BadCall

_PYTHON = re.compile(r"from\s+(?P<module>[\w.]+)\s+import\s+(?P<names>[^(#]+)|import\s+(?P<modules>[\w., ]+)")
_OTHER = re.compile(
    r"(?:import|export)\b[^'\"]*['\"](?P<from>[^'\"]+)['\"]|(?:import|using|use)\s+(?P<name>[\w.:]+)"
    r"|#include\s+[<\"](?P<header>[^>\"]+)"
)
_FILE = re.compile(r"\+\+\+ (?:b/)?(?P<path>.*)|--- (?:a/)?(?P<old>.*)")
_WAITS = re.compile(r"needs (?:an|\d+) approvals?\b")
_STATUS = {"approval_required": "pending", "rejected": "rejected"}
_COMPLIANCE = frozenset(
    {"policy_denied", "gate_failed", "hook_failed", "diagnostics_failed", "structural_gate"}
)
"""Errors caused by rules of the repository."""


def _update(arguments: Arguments) -> Steps:
    answer = yield EditStep((_build_operation(arguments),), approval=bool(arguments.get("require_approval")))
    format_path = yield from _path_formatter(arguments)
    fields = {"success": True, **_call_fields(arguments), "file_path": format_path(answer["ops"][0]["path"])}
    fields |= {
        "backup_path": None,
        **_list_changes(answer, format_path),
        **_gate_fields(answer),
        "error": None,
    }
    if arguments.get("include_integrity"):
        fields["integrity"] = _hash_fields(answer, format_path)
    fields["warnings"] = replies.collect_notes(answer)
    if arguments.get("operation") != "rename":
        lines_before, lines_after = (_count(answer["ops"][0][side]) for side in ("before", "after"))
        fields |= {
            "lines_before": lines_before,
            "lines_after": lines_after,
            "lines_delta": lines_after - lines_before,
        }
    return replies.to_json(fields)


def _build_operation(arguments: Arguments) -> Arguments:
    target = {"path": arguments["file_path"], "symbol": arguments["target_name"]}
    if arguments.get("operation") == "rename":
        if "new_name" not in arguments:
            raise BadCall("invalid_args", "rename needs `new_name`", "give `new_name`")
        return operation("rename", **target, to=arguments["new_name"])
    if "new_code" not in arguments:
        raise BadCall("invalid_args", "replace needs `new_code`", "give the whole definition as `new_code`")
    may_rename = True if "new_name" in arguments else None
    return operation(
        "replace", **target, kind=arguments["target_type"], code=arguments["new_code"], rename=may_rename
    )


def _path_formatter(arguments: Arguments) -> Generator[FindRoot, Any, Callable[[str], str]]:
    mode = arguments.get("path_mode", "relative")
    if mode == "basename":
        return posixpath.basename
    if mode == "relative":
        return str
    root: str = yield FindRoot()
    return lambda path: posixpath.join(root, path)


def _call_fields(arguments: Arguments) -> Arguments:
    """Return the arguments under the names that the original uses in its answer."""
    fields = {name: arguments.get(name, "") for name in ("file_path", "target_name", "target_type")}
    return {**fields, "symbol_name": fields["target_name"], "symbol_type": fields["target_type"]}


def _list_changes(answer: Arguments, format_path: Callable[[str], str]) -> Arguments:
    rows = answer["files"]
    return {
        "lines_changed": sum(max(row["added"], row["removed"]) for row in rows),
        "files_affected": [format_path(row["path"]) for row in rows],
        "imports_adjusted": [
            {**row, "file": format_path(row["file"])} for row in _changed_imports(answer["diff"])
        ],
        "rollback_available": answer["tx"] is not None,
        "formatting_preserved": True,
    }


def _gate_fields(answer: Arguments) -> Arguments:
    """Return the gates that checked the change, and whether people must still approve it."""
    gates = {row["name"]: row["status"] for row in answer["gates"]}
    names = [name for name, status in gates.items() if status != "skipped"]
    is_pending = any(_WAITS.search(words) for words in answer["unchecked"])
    approved = "approved" if gates.get("approval") == "passed" else "not_required"
    syntax = gates.get("syntax", "skipped")
    return {
        "syntax_valid": None if syntax == "skipped" else syntax != "failed",
        "approval_status": "pending" if is_pending else approved,
        "compliance_check": {"status": "pass", "checks_run": names, "violations": []},
        "mutation_policy": "repository" if "policy" in names else "none",
        "audit_id": answer["tx"],
        "state": answer["state"],
    }


def _hash_fields(answer: Arguments, format_path: Callable[[str], str]) -> Arguments:
    files = [
        {"file": format_path(row["path"]), "blob_before": row["before"], "blob_after": row["after"]}
        for row in answer["files"]
    ]
    return {"files": files, "symbol_hash": answer["ops"][0]["hash"]}


def _changed_imports(diff: str) -> Iterator[Arguments]:
    path, removed, added = "", list[str](), list[str]()
    for line in [*diff.split("\n"), "diff"]:
        head = _FILE.match(line)
        if head is not None and head["path"] is not None and head["path"] != "/dev/null":
            path = head["path"]
        elif line[:1] == "-" and head is None:
            removed += _imported_modules(line[1:].strip(), path)
        elif line[:1] == "+":
            added += _imported_modules(line[1:].strip(), path) if head is None else []
        else:
            yield from _pair_imports(path, removed, added)
            removed, added = [], []


def _pair_imports(path: str, removed: list[str], added: list[str]) -> Iterator[Arguments]:
    for module in (each for each in removed if each not in added):
        yield {"file": path, "action": "remove", "module": module}
    for module in (each for each in added if each not in removed):
        yield {"file": path, "action": "add", "module": module}
    for module in (each for each in added if each in removed and not path.endswith(".py")):
        yield {"file": path, "action": "update", "module": module}


def _imported_modules(line: str, path: str) -> list[str]:
    """Return the modules, or names from modules, that a line imports."""
    if path.endswith((".py", ".pyi")):
        match = _PYTHON.match(line)
        if match is None:
            return []
        if match["modules"]:
            return [each.split()[0] for each in match["modules"].split(",") if each.split()]
        return [f"{match['module']}.{each.split()[0]}" for each in match["names"].split(",") if each.split()]
    match_other = _OTHER.match(line)
    return [match_other["from"] or match_other["name"] or match_other["header"]] if match_other else []


def _count(span: list[int] | None) -> int:
    return 0 if span is None else span[1] - span[0] + 1


def _format_error(arguments: Arguments, error: CallError) -> str:
    fields: Mapping[str, Any] = _call_fields(arguments)
    if arguments.get("path_mode") == "basename" and isinstance(fields["file_path"], str):
        fields = {**fields, "file_path": posixpath.basename(fields["file_path"])}
    reply = {"success": False, **fields, "error": error.message, "error_code": error.code, "hint": error.hint}
    reply["syntax_valid"] = False if error.code == "syntax_error" else None
    if error.code in _STATUS:
        reply["approval_status"] = _STATUS[error.code]
    if error.code in _COMPLIANCE:
        reply["compliance_check"] = {"status": "fail", "violations": [error.message]}
    return replies.to_json(reply)


_WORDS = Vocabulary(
    fields={
        "path": "file_path",
        "symbol": "target_name",
        "kind": "target_type",
        "code": "new_code",
        "to": "new_name",
        "rename": "operation",
    },
    replace="send all of the definition as `new_code`",
    rename="give `operation` rename and `new_name` first, or `new_name` beside `new_code`",
)
ADAPTER = Adapter(
    tools=(
        Tool(
            "update_symbol",
            "Replace a function, class or method by name; or rename it, with every use.",
            _update,
            {
                "file_path": str,
                "target_type": choice("function", "class", "method"),
                "target_name": describe_type(str, "Of a method: Class.method."),
                "new_code": optional(str, "All of the definition."),
                "operation": optional(choice("replace", "update", "rename")),
                "new_name": optional(str),
                "path_mode": optional(choice("relative", "absolute", "basename")),
                "include_integrity": optional(bool, "Answer with hashes and blob ids."),
                "require_approval": optional(bool, "Stage it; it lands after a person has approved it."),
            },
            is_editing=True,
            ignored=("create_backup",),
            aliases={"symbol_name": "target_name", "symbol_type": "target_type"},
            vocabulary=_WORDS,
            format_error=_format_error,
        ),
    ),
    differences=(
        "`operation` may be `rename`. Missing symbols are errors. `backup_path` is null. Only a rename "
        "changes imports, which `imports_adjusted` then lists. `mutation_policy` is "
        "`repository` if rules of the repository applied. There is no envelope, tier or batch, and "
        "error codes are ours. `audit_id` is in `git scalpel log`. `include_integrity` adds blob IDs "
        "and a content hash. `require_approval` stages the change ([policy](policy.md))."
    ),
    failing_calls=(
        (
            "update_symbol",
            {"file_path": "shop.py", "target_type": "class", "target_name": "tax", "new_code": "x"},
        ),
        (
            "update_symbol",
            {
                "file_path": "shop.py",
                "target_type": "function",
                "target_name": "tax",
                "new_code": "def vat(): pass",
            },
        ),
        ("update_symbol", {"file_path": "shop.py", "target_type": "function", "target_name": "tax"}),
    ),
)
