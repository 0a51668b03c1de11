"""The strategy that finds a text, and the bytes that it matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.text.fuzzy_match import FoldedText, decode_escapes, drop_overlaps, find_matches


def find_places(text: bytes, old: bytes) -> tuple[str, list[bytes]]:
    found = find_matches(FoldedText(text), old)
    return ("", []) if found is None else (found.strategy, [text[hit.start : hit.end] for hit in found.hits])


@pytest.mark.parametrize(
    ("text", "old", "strategy", "matched"),
    [
        (b"one two\n", b"two", "exact", [b"two"]),
        (b"  a\n  b\n", b"a\nb", "line-trimmed", [b"  a\n  b"]),
        (b"  a\n  b\n", b"a\nb\n", "line-trimmed", [b"  a\n  b\n"]),
        (b"x = 1 \ny\n", b"x = 1\ny", "line-trimmed", [b"x = 1 \ny"]),
        (b"x   =\t1\n", b"x = 1", "whitespace-normalised", [b"x   =\t1"]),
        (b'say("hi")\n', rb"say(\"hi\")", "escapes-decoded", [b'say("hi")']),
        (b"a\n\tb\n", rb"a\n\tb", "escapes-decoded", [b"a\n\tb"]),
    ],
)
def test_strategies_are_tried_in_order(text: bytes, old: bytes, strategy: str, matched: list[bytes]) -> None:
    assert find_places(text, old) == (strategy, matched)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        (b"a\n\n\nb\n", b"a \n\nb"),  # blank lines count
        (b"a b\n", b"a \nb"),  # lines are never joined
        (b"  Foo()\n", b"foo()"),  # case is never fuzzy
        (b"call(  x)\n", b"call(x)"),  # white space is not added
        (b"xx foo (1)\n", b"foo  (1)"),  # fuzzy matches are whole lines
        (b"a\n\t\tb\n", b"   "),  # white space alone is not a place
        (b"a\nb\n", rb"\n"),  # nor is decoded white space
        (b"a\x0c\n", b"a\n \n"),
    ],
)
def test_text_with_other_differences_is_not_found(text: bytes, old: bytes) -> None:
    assert find_places(text, old) == ("", [])


def test_white_space_alone_matches_exactly() -> None:
    assert find_places(b"a   b\n", b"   ") == ("exact", [b"   "])


def test_overlapping_matches_are_counted_and_dropped_from_the_left() -> None:
    found = find_matches(FoldedText(b"aaaa"), b"aa")
    assert found is not None
    assert [hit.start for hit in found.hits] == [0, 1, 2]
    assert [hit.start for hit in drop_overlaps(found.hits)] == [0, 2]


def test_one_level_of_escapes_is_decoded() -> None:
    assert decode_escapes(rb"\"a\\n\"\n") == b'"a\\n"\n'
    assert decode_escapes(rb"a\r\nb\d") == b"a\nb\\d"


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b" b"]), max_size=12), st.data())
def test_folded_offsets_map_back_to_the_raw_text(parts: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(parts)
    folded = FoldedText(raw)
    start = data.draw(st.integers(0, len(folded.text)))
    end = data.draw(st.integers(start, len(folded.text)))
    piece = raw[folded.raw_offset(start) : folded.raw_offset(end)]
    assert piece.replace(b"\r\n", b"\n") == folded.text[start:end]
