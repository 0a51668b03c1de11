"""Tests use public names only, so that a private name may change without a test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PUBLIC_ELSEWHERE = {"_asdict", "_exit", "_fields", "_getframe", "_replace"}
"""Documented attributes of named tuples, ``os`` and ``sys`` whose names begin with an underscore."""
_IN_TEXT = re.compile(r"\bgitscalpel(?:\.\w+)*(?:\._[a-z]\w*|\._[A-Z]\w*| import _[a-zA-Z]\w*)")
_BY_NAME = ("setattr", "getattr", "delattr", "hasattr")


def find_private_uses(tree: ast.Module) -> Iterator[str]:
    """Yield the private names of other objects that a module uses, in any spelling."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [part for alias in node.names for part in alias.name.split(".")]
        elif isinstance(node, ast.Attribute) and not _is_own(node.value):
            names = [node.attr]
        elif isinstance(node, ast.Call):
            names = _names_given(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (f"{node.lineno}: {found}" for found in _IN_TEXT.findall(node.value))
            continue
        else:
            continue
        yield from (f"{node.lineno}: {name}" for name in names if _is_private(name))


def _is_own(value: ast.expr) -> bool:
    """Return True for ``self``, ``cls`` and ``super()``."""
    if isinstance(value, ast.Call):
        value = value.func
    return isinstance(value, ast.Name) and value.id in ("self", "cls", "super")


def _names_given(call: ast.Call) -> list[str]:
    """Return the name in the arguments of a call such as ``monkeypatch.setattr(module, "_name", ...)``."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function not in _BY_NAME or len(call.args) < 2 or _is_own(call.args[0]):
        return []
    given = call.args[1]
    return [given.value] if isinstance(given, ast.Constant) and isinstance(given.value, str) else []


def _is_private(name: str) -> bool:
    is_special = name.startswith("__") and name.endswith("__")
    return name.startswith("_") and name != "_" and not is_special and name not in PUBLIC_ELSEWHERE


@pytest.mark.parametrize("folder", ["tests", "bench"])
def test_tests_use_public_names(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    assert {
        str(path.relative_to(ROOT)): uses
        for path in files
        if path != Path(__file__) and (uses := [*find_private_uses(ast.parse(path.read_bytes()))])
    } == {}


@pytest.mark.parametrize(
    "code",
    [
        "from gitscalpel.git.repository import _find",
        "from gitscalpel.git import _repository",
        "import gitscalpel.git._repository",
        "repository._find()",
        "opened.store._objects",
        'monkeypatch.setattr(repository, "_find", None)',
        'getattr(store, "_objects")',
        'monkeypatch.setattr("gitscalpel.git.repository._find", None)',
        'run("-c", "from gitscalpel.git.repository import _find")',
    ],
)
def test_each_private_use_is_found(code: str) -> None:
    assert len([*find_private_uses(ast.parse(code))]) == 1


@pytest.mark.parametrize(
    "code",
    [
        "self._own",
        "super()._own",
        'setattr(self, "_own", 1)',
        "row._replace(a=1)",
        "os._exit(0)",
        "x.__doc__",
        "from gitscalpel.__main__ import main",
        "_ = 1",
    ],
)
def test_own_and_documented_names_are_allowed(code: str) -> None:
    assert [*find_private_uses(ast.parse(code))] == []
