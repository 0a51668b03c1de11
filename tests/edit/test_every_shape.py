"""The table of languages is what the tricky shapes show, and every language has such shapes.

A sample of the full run (``python -m tests.edit.every_shape``), every day another third of the symbols.
"""

from __future__ import annotations

import re

import pytest

from gitscalpel.syntax.languages import LANGUAGES
from tests.edit.every_shape import BEGIN, COLUMNS, END, HEAD, PAGE, Shapes, shapes

NAMES = [language.name for language in LANGUAGES]
RENEW = "run python -m tests.edit.every_shape"
SOME = re.compile(r"(\d+) of (\d+)")


def test_every_language_has_shapes() -> None:
    assert set(NAMES) == shapes().keys()


@pytest.mark.parametrize("language", NAMES)
def test_the_page_shows_what_works(language: str) -> None:
    shown = [row for row in _shown() if row[0].split()[0] == language]
    files = shapes()[language]
    assert len(shown) == len(files), RENEW
    for (_, count, *cells), (name, file) in zip(shown, files, strict=True):
        tried = Shapes(name, file.read_bytes(), today=True)
        assert str(len(tried.symbols)) == count, RENEW
        assert [
            (column, tried.fails.get(column))
            for column, cell in zip(COLUMNS, cells, strict=True)
            if not _may_be(cell, len(tried.works.get(column, [])), len(tried.fails.get(column, [])))
        ] == [], RENEW


def test_the_page_shows_no_other_language() -> None:
    assert {row[0].split()[0] for row in _shown()} == set(NAMES)


def _may_be(cell: str, works: int, fails: int) -> bool:
    """Whether so many of a sample may work, and so many not, where a cell says what all of them do."""
    some = SOME.fullmatch(cell)
    if some is None:
        return fails == 0 and (cell == "all" or works == 0)
    return works <= int(some[1]) and fails <= int(some[2]) - int(some[1])


def _shown() -> list[list[str]]:
    text = PAGE.read_text("utf-8").partition(BEGIN + HEAD)[2].partition(END)[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in text.splitlines()]
