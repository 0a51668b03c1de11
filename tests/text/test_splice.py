"""Splices, and where positions go when they are made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.text.splice import Splice, Track, apply


@st.composite
def rounds(draw: st.DrawFn) -> tuple[bytes, list[list[Splice]]]:
    """A text, and some rounds of splices, each in the coordinates of the text before it."""
    text = draw(st.binary(max_size=20))
    made, now = [], text
    for _ in range(draw(st.integers(0, 3))):
        cuts = sorted(draw(st.lists(st.integers(0, len(now)), max_size=6, unique=True)))
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        splices = [Splice(a, b, draw(st.binary(max_size=4))) for a, b in pairs]
        made.append(splices)
        now = apply(now, splices)
    return text, made


def tracked(made: list[list[Splice]]) -> Track:
    track = Track()
    for splices in made:
        track.add(splices)
    return track


def final(text: bytes, made: list[list[Splice]]) -> bytes:
    for splices in made:
        text = apply(text, splices)
    return text


def test_splices_are_made_where_they_say() -> None:
    assert apply(b"abcdef", [Splice(0, 1, b"A"), Splice(2, 2, b"-"), Splice(3, 6, b"")]) == b"Ab-c"


@pytest.mark.parametrize("splices", [[Splice(2, 1, b"")], [Splice(0, 3, b""), Splice(2, 4, b"")]])
def test_splices_that_overlap_or_run_backwards_are_a_defect(splices: list[Splice]) -> None:
    with pytest.raises(AssertionError):
        apply(b"abcdef", splices)


@given(rounds(), st.data())
def test_untouched_bytes_are_found_again(case: tuple[bytes, list[list[Splice]]], data: st.DataObject) -> None:
    text, made = case
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = start, end
    for splices in made:  # untouched: every splice ends at or before it, or begins at or after it
        if not all(s.end <= low or s.start >= high for s in splices) or low == high:
            return
        shift = sum(len(s.new) - (s.end - s.start) for s in splices if s.end <= low)
        low, high = low + shift, high + shift
    track = tracked(made)
    assert track.forward(start, end) == (low, high)
    assert final(text, made)[low:high] == text[start:end]
    assert track.back(low, high) == (start, end)


@given(rounds(), st.data())
def test_positions_stay_in_the_text_and_in_order(
    case: tuple[bytes, list[list[Splice]]], data: st.DataObject
) -> None:
    text, made = case
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = tracked(made).forward(start, end)
    assert 0 <= low <= high <= len(final(text, made))
    now = final(text, made)
    start = data.draw(st.integers(0, len(now)))
    end = data.draw(st.integers(start, len(now)))
    low, high = tracked(made).back(start, end)
    assert 0 <= low <= high <= len(text)


def test_a_replaced_range_is_the_replacement() -> None:
    track = tracked([[Splice(2, 4, b"12345")]])
    assert track.forward(2, 4) == (2, 7)
    assert track.back(2, 7) == (2, 4)
    assert track.back(3, 5) == (2, 4)
    assert track.forward(3, 3) == (2, 2)


def test_an_insertion_comes_from_where_it_was_made() -> None:
    track = tracked([[Splice(2, 2, b"12")]])
    assert track.back(2, 4) == (2, 2)
    assert track.forward(1, 2) == (1, 2)
    assert track.forward(2, 3) == (4, 5)
