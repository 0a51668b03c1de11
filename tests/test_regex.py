"""Expressions are compiled when they are first used, or all at once in a process that stays."""

from __future__ import annotations

import re

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
