"""Splices, and the positions that they move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.text.splice import Splice, Track, apply


@st.composite
def draw_rounds(draw: st.DrawFn) -> tuple[bytes, list[list[Splice]]]:
    """Draw a text and rounds of splices, each in the coordinates of the text before the round."""
    text = draw(st.binary(max_size=20))
    drawn, current = [], text
    for _ in range(draw(st.integers(0, 3))):
        cuts = sorted(draw(st.lists(st.integers(0, len(current)), max_size=6, unique=True)))
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        splices = [Splice(a, b, draw(st.binary(max_size=4))) for a, b in pairs]
        drawn.append(splices)
        current = apply(current, splices)
    return text, drawn


def track_rounds(rounds: list[list[Splice]]) -> Track:
    track = Track()
    for splices in rounds:
        track.add(splices)
    return track


def apply_rounds(text: bytes, rounds: list[list[Splice]]) -> bytes:
    for splices in rounds:
        text = apply(text, splices)
    return text


def test_splices_replace_their_ranges() -> None:
    assert apply(b"abcdef", [Splice(0, 1, b"A"), Splice(2, 2, b"-"), Splice(3, 6, b"")]) == b"Ab-c"


@pytest.mark.parametrize("splices", [[Splice(2, 1, b"")], [Splice(0, 3, b""), Splice(2, 4, b"")]])
def test_overlapping_or_reversed_splices_are_a_defect(splices: list[Splice]) -> None:
    with pytest.raises(AssertionError):
        apply(b"abcdef", splices)


@given(draw_rounds(), st.data())
def test_positions_of_untouched_bytes_map_both_ways(
    case: tuple[bytes, list[list[Splice]]], data: st.DataObject
) -> None:
    text, rounds = case
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = start, end
    for splices in rounds:  # untouched: every splice ends at or before it, or begins at or after it
        if not all(s.end <= low or s.start >= high for s in splices) or low == high:
            return
        shift = sum(len(s.new) - (s.end - s.start) for s in splices if s.end <= low)
        low, high = low + shift, high + shift
    track = track_rounds(rounds)
    assert track.forward(start, end) == (low, high)
    assert apply_rounds(text, rounds)[low:high] == text[start:end]
    assert track.back(low, high) == (start, end)


@given(draw_rounds(), st.data())
def test_mapped_positions_stay_in_range_and_in_order(
    case: tuple[bytes, list[list[Splice]]], data: st.DataObject
) -> None:
    text, rounds = case
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = track_rounds(rounds).forward(start, end)
    assert 0 <= low <= high <= len(apply_rounds(text, rounds))
    edited = apply_rounds(text, rounds)
    start = data.draw(st.integers(0, len(edited)))
    end = data.draw(st.integers(start, len(edited)))
    low, high = track_rounds(rounds).back(start, end)
    assert 0 <= low <= high <= len(text)


def test_replaced_range_maps_to_its_replacement() -> None:
    track = track_rounds([[Splice(2, 4, b"12345")]])
    assert track.forward(2, 4) == (2, 7)
    assert track.back(2, 7) == (2, 4)
    assert track.back(3, 5) == (2, 4)
    assert track.forward(3, 3) == (2, 2)


def test_insertion_maps_back_to_its_position() -> None:
    track = track_rounds([[Splice(2, 2, b"12")]])
    assert track.back(2, 4) == (2, 2)
    assert track.forward(1, 2) == (1, 2)
    assert track.forward(2, 3) == (4, 5)
