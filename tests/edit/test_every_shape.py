"""The table of languages in the README is what the tricky shapes show, and every language has such shapes."""

from __future__ import annotations

from gitscalpel.syntax.languages import LANGUAGES
from tests.edit.every_shape import BEGIN, END, README, shapes, table


def test_every_language_has_shapes() -> None:
    assert {language.name for language in LANGUAGES} == shapes().keys()


def test_the_readme_shows_what_works() -> None:
    assert BEGIN + table() + END in README.read_text("utf-8"), "run python -m tests.edit.every_shape"
