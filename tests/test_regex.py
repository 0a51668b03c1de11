"""Expressions are compiled when they are first used, or all at once in a process that stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitscalpel import regex


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    whole = re.compile

    def watched(text: str, flags: int) -> re.Pattern[str]:
        compiled.append((text, flags))
        return whole(text, flags)

    monkeypatch.setattr(re, "compile", watched)
    pattern = regex.lazy(r"(\d+)x", re.IGNORECASE)
    assert compiled == []
    assert pattern.sub(r"\1y", "7X") == "7y"
    assert compiled == [(r"(\d+)x", re.IGNORECASE)]


def test_what_stays_compiles_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = regex.lazy(rb"a+")
    regex.compile_all()
    monkeypatch.delattr(re, "compile")
    assert (pattern.findall(b"aab a"), pattern.groups, pattern.flags) == ([b"aa", b"a"], 0, 0)


def test_none_needs_more_than_the_oldest_python_has() -> None:
    """Possessive quantifiers and atomic groups came with Python 3.11, which is told only where they run."""
    package = Path(regex.__file__).parent
    found = [(file.name, text) for file in package.rglob("*.py") for text in expressions(file)]
    assert len(found) > 200
    assert [(name, text) for name, text in found if needs_newer(text)] == []
    assert [*map(needs_newer, ("(?>a)", "a*+", "[*+]+", r"\*+", "a{2}+"))] == [True, True, False, False, True]


def expressions(file: Path) -> Iterator[str]:
    """The constants that a module gives to ``re``, or parts of them."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args and is_of_regex(node.func):
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str | bytes):
                    yield part.value if isinstance(part.value, str) else part.value.decode("latin-1")


def is_of_regex(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return isinstance(called.value, ast.Name) and called.value.id in ("re", "regex")
    return isinstance(called, ast.Name) and called.id in ("lazy", "constant")


def needs_newer(expression: str) -> bool:
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "x", re.sub(r"\\.", "x", expression))
    return re.search(r"[*+?}]\+|\(\?>", bare) is not None
