"""The table of languages is what the tricky shapes show, and every language has such shapes."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.languages import LANGUAGES
from tests.edit.every_shape import BEGIN, END, HEAD, PAGE, rows, shapes

NAMES = [language.name for language in LANGUAGES]


def test_every_language_has_shapes() -> None:
    assert set(NAMES) == shapes().keys()


@pytest.mark.parametrize("language", NAMES)
def test_the_page_shows_what_works(language: str) -> None:
    shown = [row for row in _shown() if row.split()[1] == language]
    assert shown == list(rows(language)), "run python -m tests.edit.every_shape"


def test_the_page_shows_no_other_language() -> None:
    assert {row.split()[1] for row in _shown()} == set(NAMES)


def _shown() -> list[str]:
    text = PAGE.read_text("utf-8").partition(BEGIN + HEAD)[2].partition(END)[0]
    return text.splitlines(keepends=True)
