"""Names and sentences of the package follow the rules of :mod:`tests.prose`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.errors import catalogue
from tests.prose import EXCEPTIONS, ODD_WORDS, PACKAGE, Finding, find_all, find_in_module

ROOT = PACKAGE.parent
PAGES = (*sorted((PACKAGE / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")


def test_names_and_docstrings_follow_the_rules() -> None:
    found = {*find_all()}
    assert not sorted(found - {*EXCEPTIONS}), "reword these"
    assert not sorted({*EXCEPTIONS} - found), "these exceptions are not needed any more"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('def told(): """Return it."""', ["participle", "pronoun without a noun"]),
        ('def f(): """Whether it is open."""', ["relative clause as summary"]),
        ('def f(): """Return a; b: c; d."""', ["chained clauses in summary"]),
        ('def f(): """Return what somebody wrote."""', ["odd word"]),
        ('def f():\n    """Return x.\n\n    Args:\n        y: of the file.\n        z: it.\n    """', 2),
        ('def f(): """Return the path, or None if it does not exist."""', []),
    ],
)
def test_a_fault_is_found(text: str, rules: list[str] | int) -> None:
    found = [finding.rule for finding in find_in_module("a.py", text)]
    assert found == rules or len(found) == rules


def _iter_lines(page: Path) -> Iterator[str]:
    """Yield the lines of a page outside of blocks of code."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text("utf-8"))
    yield from (f"{page.name}: {line}" for line in text.splitlines())


def test_pages_use_ordinary_words() -> None:
    assert not [line for page in PAGES for line in _iter_lines(page) if ODD_WORDS.search(line)]


def test_messages_use_ordinary_words() -> None:
    texts = [text for each in catalogue.iter_texts() for text in (each.message, each.hint)]
    assert len(texts) > 500
    assert not [text for text in texts if ODD_WORDS.search(text)]


def test_each_exception_is_in_the_public_interface() -> None:
    assert all(isinstance(each, Finding) and reason for each, reason in EXCEPTIONS.items())
