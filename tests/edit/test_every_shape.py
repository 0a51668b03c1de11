"""The table of languages agrees with the tricky shapes, and every language has shapes.

Runs a daily sample of one third of ``python -m tests.edit.every_shape``.
"""

from __future__ import annotations

import re

import pytest

from gitscalpel.syntax.languages import LANGUAGES
from tests.edit.every_shape import BEGIN, COLUMNS, END, HEAD, PAGE, Shapes, shapes_by_language

NAMES = [language.name for language in LANGUAGES]
REWRITE_HINT = "run python -m tests.edit.every_shape"
SOME = re.compile(r"(\d+) of (\d+)")


def test_every_language_has_shapes_file() -> None:
    assert set(NAMES) == shapes_by_language().keys()


@pytest.mark.parametrize("language", NAMES)
def test_page_shows_the_operations_that_work(language: str) -> None:
    shown = [row for row in _read_table() if row[0].split()[0] == language]
    files = shapes_by_language()[language]
    assert len(shown) == len(files), REWRITE_HINT
    for (_, count, *cells), (name, file) in zip(shown, files, strict=True):
        tried = Shapes(name, file.read_bytes(), today=True)
        assert str(len(tried.symbols)) == count, REWRITE_HINT
        assert [
            (column, tried.fails.get(column))
            for column, cell in zip(COLUMNS, cells, strict=True)
            if not _agrees_with_cell(cell, len(tried.works.get(column, [])), len(tried.fails.get(column, [])))
        ] == [], REWRITE_HINT


def test_page_lists_exactly_the_languages() -> None:
    assert {row[0].split()[0] for row in _read_table()} == set(NAMES)


def _agrees_with_cell(cell: str, works: int, fails: int) -> bool:
    """Return True if these counts of a sample can occur under a cell about all symbols."""
    match = SOME.fullmatch(cell)
    if match is None:
        return fails == 0 and (cell == "all" or works == 0)
    return works <= int(match[1]) and fails <= int(match[2]) - int(match[1])


def _read_table() -> list[list[str]]:
    text = PAGE.read_text("utf-8").partition(BEGIN + HEAD)[2].partition(END)[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in text.splitlines()]
