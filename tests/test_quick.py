"""The inner loop covers every package, and its lists name tests that exist."""

from __future__ import annotations

import ast
from pathlib import Path

from tests import quick

COVERED_ELSEWHERE = {"refactor": "names", "demo": "cli"}
"""Packages that are tested in the directory of another one."""


def test_inner_loop_covers_every_package() -> None:
    packages = {path.parent.name for path in (quick.ROOT / "gitscalpel").glob("*/__init__.py")}
    assert len(packages) > 20
    for package in packages:
        folder = quick.ROOT / "tests" / COVERED_ELSEWHERE.get(package, package)
        assert [file for file in folder.rglob("test_*.py") if quick.has_quick(file)], package


def test_every_package_has_a_directory_of_tests() -> None:
    packages = {path.parent.name for path in (quick.ROOT / "gitscalpel").glob("*/__init__.py")}
    folders = {path.parent.name for path in (quick.ROOT / "tests").glob("*/__init__.py")}
    assert packages - folders == COVERED_ELSEWHERE.keys()


def test_lists_name_existing_tests() -> None:
    assert [name for name in quick.SLOW | quick.CHOSEN if not (quick.ROOT / name).is_file()] == []
    for name, tests in quick.CHOSEN_TESTS.items():
        tree = ast.parse((quick.ROOT / name).read_bytes())
        assert tests <= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_modules_that_start_processes_are_quick_only_if_chosen(tmp_path: Path) -> None:
    assert quick.has_quick(quick.ROOT / "tests/text/test_text_match.py")
    assert not quick.has_quick(quick.ROOT / "tests/server/test_served_calls.py")
    assert not quick.has_quick(quick.ROOT / "tests/test_style.py")
    assert quick.is_quick(quick.ROOT / "tests/ci/test_job.py", "test_the_author_is_who_has_started_the_job")
    assert not quick.is_quick(quick.ROOT / "tests/ci/test_job.py", "test_who_suggested_it_is_credited")
