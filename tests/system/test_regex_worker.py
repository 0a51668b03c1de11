"""Patterns that callers send mean what they mean to ``re``, and none is looked for without end."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel.commands import file_edits
from gitscalpel.errors import DoesNotFit, InputOutput
from gitscalpel.system import regex_worker
from gitscalpel.system.regex_worker import CallerPattern
from tests.edit.edit_folding import apply_ops, expect_error
from tests.sandbox import Sandbox

ENDLESS = r"(a+)+$"
LONG = "a" * 40 + "b"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_worker, "MAX_CPU_SECONDS", 0.05)


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999999999}", "(" * 1500 + ")" * 1500, "a" * 3001])
def test_what_cannot_be_compiled_is_one_kind_of_error(pattern: str) -> None:
    with pytest.raises(re.error):
        CallerPattern(pattern)


@pytest.mark.filterwarnings("error")
def test_who_sends_a_pattern_is_not_shown_what_python_says_of_it() -> None:
    assert CallerPattern("[[a]").matches("[") == [((0, 1),)]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?P<a>x)|(y)", "xy"),
        (r"x*", "axx"),
        (r"f{i}", "f{i} fa"),
        (rb"\w+", "é a".encode()),
        (r".", "\udcff\n\U0001f600"),
        (r"(?<=a)b|\Bc", "abc"),
    ],
)
def test_what_is_found_is_what_python_finds(pattern: Any, text: Any) -> None:
    compiled: re.Pattern[Any] = re.compile(pattern)
    expected = [tuple(map(m.span, range(compiled.groups + 1))) for m in compiled.finditer(text)]
    sent: CallerPattern[Any] = CallerPattern(pattern)
    assert sent.matches(text) == expected
    assert (sent.groups, sent.names) == (compiled.groups, dict(compiled.groupindex))


@pytest.mark.usefixtures("impatient")
def test_a_pattern_without_an_end_is_refused_and_the_next_is_not() -> None:
    with pytest.raises(DoesNotFit) as refused:
        CallerPattern(ENDLESS).matches(LONG)
    assert refused.value.code == "too_slow"
    assert "a+ instead of (a+)+" in refused.value.hint
    assert CallerPattern("b").matches(LONG) == [((40, 41),)]


@pytest.mark.usefixtures("impatient")
def test_where_a_match_begins_again_is_not_looked_for_without_end() -> None:
    with pytest.raises(DoesNotFit):
        CallerPattern(r"c[^c]*d|(a+)+$").restart(f"c{LONG}d", [(0, 43)])


def test_the_first_match_in_which_it_begins_again_is_named() -> None:
    text = "(a)\n(b(c)\n(d(e)\n"
    matches = [match[0] for match in CallerPattern(r"\(.*?\)", re.DOTALL).matches(text)]
    assert CallerPattern(r"\(.*?\)", re.DOTALL).restart(text, matches) == (1, text.index("(c"))


def test_however_many_lines_match_it_is_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[object] = []
    answer = regex_worker.answer_in_process

    def noting(*question: Any) -> Any:
        questions.append(question)
        return answer(*question)

    monkeypatch.setattr(regex_worker, "answer_in_process", noting)
    edit = {"old": "a\nb", "new": "c", "regex": True, "all": True}
    assert apply_ops(b"a\nb\n" * 5, edit) == b"c\n" * 5
    assert len(questions) == 2


def test_others_go_on_while_one_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_worker, "MAX_CPU_SECONDS", 0.3)
    refused = threading.Event()

    def endless() -> None:
        with pytest.raises(DoesNotFit):
            CallerPattern(ENDLESS).matches(LONG)
        refused.set()

    other = threading.Thread(target=endless)
    other.start()
    assert CallerPattern("b").matches(LONG)
    assert not refused.is_set()
    other.join()
    assert refused.is_set()


def test_a_process_that_was_ended_is_told_and_not_asked_again() -> None:
    assert CallerPattern("b").matches("b")
    regex_worker.idle_processes[0].kill()
    with pytest.raises(InputOutput, match="ended with"):
        CallerPattern("b").matches("b")
    assert CallerPattern("b").matches("b")


def test_what_was_forked_asks_a_process_of_its_own() -> None:
    assert CallerPattern("b").matches("b")
    child = os.fork()
    if not child:
        os._exit(len(regex_worker.idle_processes))
    assert os.waitpid(child, 0)[1] == 0
    assert len(regex_worker.idle_processes) == 1


@pytest.mark.usefixtures("impatient")
def test_whoever_asks_is_refused(tmp_path: Path) -> None:
    edit = expect_error(LONG.encode(), {"old": ENDLESS, "new": "c", "regex": True})
    with gitscalpel.open(Sandbox.of(tmp_path / "repo", {"a": LONG.encode()}).root) as repo:
        view = repo.view()
        with pytest.raises(DoesNotFit) as find:
            view.find(f"text(/{ENDLESS}/)")
        with pytest.raises(DoesNotFit) as among:
            file_edits.find_files_with_text(view, file_edits.TextSearch(("*",), ENDLESS, True, None))
    assert [error.code for error in (edit, find.value, among.value)] == ["too_slow"] * 3
