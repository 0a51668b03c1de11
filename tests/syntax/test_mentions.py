"""Mentions of a word that may bind it: not those after a dot or ``::``."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from gitscalpel.syntax import occurrences
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.occurrences import Mention, Mentions
from gitscalpel.syntax.parse import Syntax
from tests.syntax.outlines import read

SHAPES = Path(__file__).parent / "shapes"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "a.b = a\n", [6]),
        ("a.cpp", "namespace a::b { int a = a::c(a::d); }\nusing x::a;\n", [10, 21, 48]),
        ("a.rs", "use a::b;\nuse x::a;\nmod a {}\nfn f() { a::b() }\n", [17, 24]),
    ],
)
def test_possible_bindings_of_a_word(path: str, text: str, expected: list[int]) -> None:
    mentions = Mentions(read(text, path).syntax)
    bare = mentions.possible_bindings("a")
    assert [each.start for each in bare] == expected
    assert [each for each in mentions.find("a") if each.start in expected] == list(bare)


@pytest.mark.parametrize(
    "suffix", ["c", "cpp", "cs", "go", "java", "js", "kt", "php", "py", "rb", "rs", "ts"]
)
@pytest.mark.parametrize(
    "limits", [{"FEW_OCCURRENCES": 0, "DENSE_OCCURRENCES": 0}, {"MAX_MATCHES": -1}], ids=["parts", "whole"]
)
def test_mentions_are_equal_for_single_words_and_batches(
    suffix: str, limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (SHAPES / f"shapes.{suffix}.txt").read_bytes()
    language = recognise(f"a.{suffix}", text)
    assert language is not None
    words = sorted({word.decode() for word in re.findall(rb"[A-Za-z_]\w*", text)})
    single = Mentions(Syntax(language, text))
    expected = {word: [_describe(each) for each in single.find(word)] for word in words}
    for name, value in {**limits, "PART_BYTES": 256}.items():
        monkeypatch.setattr(occurrences, name, value)
    batched = Mentions(Syntax(language, text))
    assert {word: [_describe(each) for each in batched.find(word)] for word in words} == expected


def _describe(each: Mention) -> tuple[object, ...]:
    scopes = [(scope.kind, scope.span) for scope in (*each.scopes, *each.early)]
    return each.start, each.role, each.kind, each.key, each.size, each.node.type, each.node.start_byte, scopes


def test_mentions_after_many_comments_take_linear_time() -> None:
    def measure_seconds(count: int) -> float:
        text = b"// small is told of here\n" * count + b"int small;\n"
        language = recognise("a.c", text)
        assert language is not None
        mentions = Mentions(Syntax(language, text).read())
        start = time.process_time()
        assert len(mentions.find("small")) == count + 1
        return time.process_time() - start

    measure_seconds(10)
    assert measure_seconds(20_000) < 2  # a separate search for each comment takes a minute
