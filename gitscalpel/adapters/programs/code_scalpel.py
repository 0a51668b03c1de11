"""Code Scalpel's ``update_symbol``, with the fields of its result that apply here."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, choice, described, optional
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
    done = yield EditStep((_build_operation(arguments),), approval=bool(arguments.get("require_approval")))
    named = yield from _path_formatter(arguments)
    told = {"success": True, **_call_fields(arguments), "file_path": named(done["ops"][0]["path"])}
    told |= {"backup_path": None, **_list_changes(done, named), **_gate_fields(done), "error": None}
    if arguments.get("include_integrity"):
        told["integrity"] = _hash_fields(done, named)
    told["warnings"] = replies.collect_notes(done)
    if arguments.get("operation") != "rename":
        before, after = (_count(done["ops"][0][side]) for side in ("before", "after"))
        told |= {"lines_before": before, "lines_after": after, "lines_delta": after - before}
    return replies.to_json(told)


def _build_operation(arguments: Arguments) -> Arguments:
    at = {"path": arguments["file_path"], "symbol": arguments["target_name"]}
    if arguments.get("operation") == "rename":
        if "new_name" not in arguments:
            raise BadCall("invalid_args", "a rename needs new_name", "give `new_name`")
        return operation("rename", **at, to=arguments["new_name"])
    if "new_code" not in arguments:
        raise BadCall("invalid_args", "a replace needs new_code", "give `new_code`, all of the definition")
    renames = True if "new_name" in arguments else None
    return operation(
        "replace", **at, kind=arguments["target_type"], code=arguments["new_code"], rename=renames
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
    asked = {name: arguments.get(name, "") for name in ("file_path", "target_name", "target_type")}
    return {**asked, "symbol_name": asked["target_name"], "symbol_type": asked["target_type"]}


def _list_changes(done: Arguments, named: Callable[[str], str]) -> Arguments:
    rows = done["files"]
    return {
        "lines_changed": sum(max(row["added"], row["removed"]) for row in rows),
        "files_affected": [named(row["path"]) for row in rows],
        "imports_adjusted": [{**row, "file": named(row["file"])} for row in _changed_imports(done["diff"])],
        "rollback_available": done["tx"] is not None,
        "formatting_preserved": True,
    }


def _gate_fields(done: Arguments) -> Arguments:
    """Return the gates that checked the change, and whether people must still approve it."""
    gates = {row["name"]: row["status"] for row in done["gates"]}
    run = [name for name, status in gates.items() if status != "skipped"]
    waits = any(_WAITS.search(words) for words in done["unchecked"])
    approved = "approved" if gates.get("approval") == "passed" else "not_required"
    syntax = gates.get("syntax", "skipped")
    return {
        "syntax_valid": None if syntax == "skipped" else syntax != "failed",
        "approval_status": "pending" if waits else approved,
        "compliance_check": {"status": "pass", "checks_run": run, "violations": []},
        "mutation_policy": "repository" if "policy" in run else "none",
        "audit_id": done["tx"],
        "state": done["state"],
    }


def _hash_fields(done: Arguments, named: Callable[[str], str]) -> Arguments:
    files = [
        {"file": named(row["path"]), "blob_before": row["before"], "blob_after": row["after"]}
        for row in done["files"]
    ]
    return {"files": files, "symbol_hash": done["ops"][0]["hash"]}


def _changed_imports(diff: str) -> Iterator[Arguments]:
    path, gone, new = "", list[str](), list[str]()
    for line in [*diff.split("\n"), "diff"]:
        head = _FILE.match(line)
        if head is not None and head["path"] is not None and head["path"] != "/dev/null":
            path = head["path"]
        elif line[:1] == "-" and head is None:
            gone += _imported_modules(line[1:].strip(), path)
        elif line[:1] == "+":
            new += _imported_modules(line[1:].strip(), path) if head is None else []
        else:
            yield from _pair_imports(path, gone, new)
            gone, new = [], []


def _pair_imports(path: str, gone: list[str], new: list[str]) -> Iterator[Arguments]:
    for module in (each for each in gone if each not in new):
        yield {"file": path, "action": "remove", "module": module}
    for module in (each for each in new if each not in gone):
        yield {"file": path, "action": "add", "module": module}
    for module in (each for each in new if each in gone and not path.endswith(".py")):
        yield {"file": path, "action": "update", "module": module}


def _imported_modules(line: str, path: str) -> list[str]:
    """Return the modules, or names from modules, that a line imports."""
    if path.endswith((".py", ".pyi")):
        found = _PYTHON.match(line)
        if found is None:
            return []
        if found["modules"]:
            return [each.split()[0] for each in found["modules"].split(",") if each.split()]
        return [f"{found['module']}.{each.split()[0]}" for each in found["names"].split(",") if each.split()]
    other = _OTHER.match(line)
    return [other["from"] or other["name"] or other["header"]] if other else []


def _count(span: list[int] | None) -> int:
    return 0 if span is None else span[1] - span[0] + 1


def _format_error(arguments: Arguments, why: CallError) -> str:
    about: Mapping[str, Any] = _call_fields(arguments)
    if arguments.get("path_mode") == "basename" and isinstance(about["file_path"], str):
        about = {**about, "file_path": posixpath.basename(about["file_path"])}
    told = {"success": False, **about, "error": why.message, "error_code": why.code, "hint": why.hint}
    told["syntax_valid"] = False if why.code == "syntax_error" else None
    if why.code in _STATUS:
        told["approval_status"] = _STATUS[why.code]
    if why.code in _COMPLIANCE:
        told["compliance_check"] = {"status": "fail", "violations": [why.message]}
    return replies.to_json(told)


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
                "target_name": described(str, "Of a method: Class.method."),
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
        "`operation` may be `rename`. Missing symbols are errors. `backup_path` is null. Imports "
        "stay; `imports_adjusted` lists those that a rename changes. `mutation_policy` is "
        "`repository` if its rules applied. No envelope, tiers or batches; error codes are ours. "
        "`audit_id` is in `git scalpel log`. `include_integrity` adds blob IDs and content hash. "
        "`require_approval` stages the change ([policy](policy.md))."
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
