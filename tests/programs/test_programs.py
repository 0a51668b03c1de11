"""Sample of the programs' names, and checks that the judge sees what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gitscalpel.edit.outcome import FileSplices
from gitscalpel.refactor import rename
from tests.programs.judge import Outcome, judge_program, new_name
from tests.programs.program import Program, load_programs
from tests.programs.toolchains import TOOLCHAINS, Toolchain
from tests.today import some

_SAMPLE = 3
_QUICK = ("javascript", "python", "php", "ruby", "c")
"""Languages that take less than a second a program."""

_TEXT = """function greet(name) { return "hi " + name; }
console.log(greet("Ada"), constructorName());
function constructorName() { return greet.name.length > 0; }
"""


def _toolchain(language: str) -> Toolchain:
    toolchain = TOOLCHAINS[language]
    if toolchain.missing():
        pytest.skip(f"{', '.join(toolchain.missing())} is not installed")
    return toolchain


def _judged(tmp_path: Path, text: str, word: str, to: str) -> list[Outcome]:
    program = Program("own", "javascript", {"main.js": text})
    names = [(each, to) for each in program.names() if each.word == word]
    return judge_program(program, names, _toolchain("javascript"), tmp_path)


def test_every_language_has_a_toolchain() -> None:
    programs = load_programs()
    assert programs
    assert {each.language for each in programs} <= {*TOOLCHAINS}


@pytest.mark.usefixtures("repo")
@pytest.mark.parametrize("title", some([each.title for each in load_programs() if each.language in _QUICK]))
def test_a_sample_of_names(tmp_path: Path, title: str) -> None:
    (program,) = (each for each in load_programs() if each.title == title)
    toolchain = _toolchain(program.language)
    chosen = random.Random(7).sample(program.names(), _SAMPLE)  # noqa: S311 - not for secrets
    found = judge_program(program, [(each, new_name(each.word)) for each in chosen], toolchain, tmp_path)
    assert [each for each in found if each.verdict == "BROKEN"] == []


@pytest.mark.usefixtures("repo")
def test_verdicts(tmp_path: Path) -> None:
    (done,) = _judged(tmp_path / "done", _TEXT, "greet", "salute")
    assert (done.verdict, done.reason) == ("done", "")
    (refused,) = _judged(tmp_path / "refused", _TEXT, "greet", "constructorName")
    assert (refused.verdict, refused.reason.partition(":")[0]) == ("refused", "duplicate_symbol")


@pytest.mark.usefixtures("repo")
def test_a_place_that_is_left_out_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rename.rename_places

    def partly(*arguments: object) -> list[FileSplices]:
        found = list(whole(*arguments))  # type: ignore[arg-type]
        return [FileSplices(each.path, each.splices[:-1]) for each in found]

    monkeypatch.setattr(rename, "rename_places", partly)
    monkeypatch.setattr(rename, "require_no_capture", lambda *_: None)
    (broken,) = _judged(tmp_path, _TEXT, "greet", "salute")
    assert broken.verdict == "BROKEN"
    assert "ReferenceError" in broken.reason
