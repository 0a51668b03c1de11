"""Tests of the inner loop: ``pytest -m quick`` covers every package in less than a minute on two cores.

A test module is quick if nothing that it imports starts a process, and it is not in ``SLOW``. Packages that
need a repository for everything they do are covered by the modules in ``CHOSEN``.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
STARTING = {"subprocess", "multiprocessing", "tests.command", "tests.forking", "tests.sandbox", "tests.whole"}
"""Modules that start processes."""
SLOW = {
    "tests/edit/test_every_gap.py",
    "tests/edit/test_every_shape.py",
    "tests/edit/test_unsupported_syntax.py",
    "tests/edit/test_batch_replace.py",
    "tests/edit/test_yaml_anchors.py",
    "tests/generator/test_generator.py",
    "tests/maintenance/test_growth.py",
    "tests/selectors/test_agreement.py",
    "tests/syntax/test_incremental_parsing.py",
}
"""Modules that start no process and take more than a second of processor time."""
CHOSEN = {
    "tests/adapters/test_probe.py",
    "tests/agents/test_installing.py",
    "tests/api/test_api.py",
    "tests/api/test_sessions.py",
    "tests/cli/test_edit_text.py",
    "tests/commands/test_command_table.py",
    "tests/git/test_discovery.py",
    "tests/git/test_refs_and_oplog.py",
    "tests/git/test_store.py",
    "tests/git/test_trees.py",
    "tests/landing/test_staged_changes.py",
    "tests/maintenance/test_audit.py",
    "tests/mcp/test_protocol.py",
    "tests/mcp/test_tools.py",
    "tests/review/test_page.py",
    "tests/system/test_regex_worker.py",
    "tests/test_path_of_an_edit.py",
    "tests/text/test_unified_diff.py",
    "tests/transaction/test_concurrent_commits.py",
    "tests/transaction/test_merge_by_symbol.py",
    "tests/transaction/test_open_transactions.py",
    "tests/transaction/test_summary.py",
    "tests/workspace/test_refusal_log.py",
}
"""Modules that start processes and are quick nevertheless, or worth their seconds."""
CHOSEN_TESTS = {
    "tests/ci/test_job.py": {"test_the_author_is_who_has_started_the_job"},
    "tests/cli/test_demo.py": {"test_demo_as_json_keeps_its_repository"},
    "tests/language_servers/test_cross_check.py": {"test_columns_are_counted_in_each_encoding"},
}
"""Single tests of modules that would take too long as a whole."""


def is_quick(file: Path, test: str) -> bool:
    """Return True if a test, by the name of its function, belongs to the inner loop."""
    tests = CHOSEN_TESTS.get(_name(file))
    return has_quick(file) and (tests is None or test in tests)


def has_quick(file: Path) -> bool:
    """Return True if a test module has tests of the inner loop."""
    name = _name(file)
    return name in CHOSEN or name in CHOSEN_TESTS or (name not in SLOW and not _starts_processes(file))


def _name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _starts_processes(file: Path) -> bool:
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        found.add(each)
        names = _imports(each)
        if names & STARTING:
            return True
        waiting += [path for name in names if (path := _module(name)) is not None]
    return False


def _module(name: str) -> Path | None:
    if not name.startswith("tests."):
        return None
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    return path if path.is_file() else None


@cache
def _imports(file: Path) -> frozenset[str]:
    """Return the modules that a file imports; a test with the fixture ``repo`` uses a sandbox."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.FunctionDef) and "repo" in {each.arg for each in node.args.args}:
            names.add("tests.sandbox")
    return frozenset(names)
