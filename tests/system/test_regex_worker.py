"""Patterns of callers match as with ``re``, and no match runs without end."""

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
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_worker, "MAX_CPU_SECONDS", 0.05)


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999999999}", "(" * 1500 + ")" * 1500, "a" * 3001])
def test_invalid_pattern_raises_re_error(pattern: str) -> None:
    with pytest.raises(re.error):
        CallerPattern(pattern)


@pytest.mark.filterwarnings("error")
def test_pattern_gives_no_python_warning() -> None:
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
def test_matches_equal_those_of_python(pattern: Any, text: Any) -> None:
    compiled: re.Pattern[Any] = re.compile(pattern)
    expected = [tuple(map(m.span, range(compiled.groups + 1))) for m in compiled.finditer(text)]
    pattern_under_test: CallerPattern[Any] = CallerPattern(pattern)
    assert pattern_under_test.matches(text) == expected
    assert (pattern_under_test.groups, pattern_under_test.names) == (
        compiled.groups,
        dict(compiled.groupindex),
    )


@pytest.mark.usefixtures("short_timeout")
def test_endless_match_is_refused_and_the_next_works() -> None:
    with pytest.raises(DoesNotFit) as refused:
        CallerPattern(ENDLESS).matches(LONG)
    assert refused.value.code == "too_slow"
    assert "write a+, not (a+)+" in refused.value.hint
    assert CallerPattern("b").matches(LONG) == [((40, 41),)]


@pytest.mark.usefixtures("short_timeout")
def test_endless_restart_search_is_refused() -> None:
    with pytest.raises(DoesNotFit):
        CallerPattern(r"c[^c]*d|(a+)+$").restart(f"c{LONG}d", [(0, 43)])


def test_restart_returns_the_first_nested_match() -> None:
    text = "(a)\n(b(c)\n(d(e)\n"
    matches = [match[0] for match in CallerPattern(r"\(.*?\)", re.DOTALL).matches(text)]
    assert CallerPattern(r"\(.*?\)", re.DOTALL).restart(text, matches) == (1, text.index("(c"))


def test_replacement_of_many_matches_takes_two_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[object] = []
    answer = regex_worker.answer_in_process

    def record_request(*request: Any) -> Any:
        requests.append(request)
        return answer(*request)

    monkeypatch.setattr(regex_worker, "answer_in_process", record_request)
    edit = {"old": "a\nb", "new": "c", "regex": True, "all": True}
    assert apply_ops(b"a\nb\n" * 5, edit) == b"c\n" * 5
    assert len(requests) == 2


def test_other_threads_match_while_one_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_worker, "MAX_CPU_SECONDS", 0.3)
    refused = threading.Event()

    def match_endlessly() -> None:
        with pytest.raises(DoesNotFit):
            CallerPattern(ENDLESS).matches(LONG)
        refused.set()

    other = threading.Thread(target=match_endlessly)
    other.start()
    assert CallerPattern("b").matches(LONG)
    assert not refused.is_set()
    other.join()
    assert refused.is_set()


def test_killed_worker_is_reported_and_replaced() -> None:
    assert CallerPattern("b").matches("b")
    regex_worker.idle_processes[0].kill()
    with pytest.raises(InputOutput, match="ended with"):
        CallerPattern("b").matches("b")
    assert CallerPattern("b").matches("b")


def test_forked_process_uses_its_own_worker() -> None:
    assert CallerPattern("b").matches("b")
    child = os.fork()
    if not child:
        os._exit(len(regex_worker.idle_processes))
    assert os.waitpid(child, 0)[1] == 0
    assert len(regex_worker.idle_processes) == 1


@pytest.mark.usefixtures("short_timeout")
def test_endless_pattern_is_refused_in_every_operation(tmp_path: Path) -> None:
    edit = expect_error(LONG.encode(), {"old": ENDLESS, "new": "c", "regex": True})
    with gitscalpel.open(Sandbox.of(tmp_path / "repo", {"a": LONG.encode()}).root) as repo:
        view = repo.view()
        with pytest.raises(DoesNotFit) as find:
            view.find(f"text(/{ENDLESS}/)")
        with pytest.raises(DoesNotFit) as search:
            file_edits.find_files_with_text(view, file_edits.TextSearch(("*",), ENDLESS, True, None))
    assert [error.code for error in (edit, find.value, search.value)] == ["too_slow"] * 3
