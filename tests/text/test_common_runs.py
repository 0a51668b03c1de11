"""Runs of lines that several texts have in common."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.text.line_diff import Run, common_prefix_length, iter_common_runs, longest_ascending

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"", b"}"]), max_size=12)


def test_runs_grow_from_unique_lines() -> None:
    one = [b"", b"x", b"", b"y", b"", b"z"]
    other = [b"n", b"", b"x", b"", b"m", b"", b"z"]
    assert list(iter_common_runs((one, other))) == [Run((0, 1), 3), Run((4, 5), 2)]


def test_longest_order_of_runs_is_kept() -> None:
    assert list(iter_common_runs(([b"a", b"b", b"c"], [b"b", b"c", b"a"]))) == [Run((1, 0), 2)]
    assert longest_ascending([3, 1, 2, 0]) == {1, 2}
    assert longest_ascending([]) == set()


@given(LINES, LINES, LINES)
def test_runs_are_equal_in_all_texts(one: list[bytes], two: list[bytes], three: list[bytes]) -> None:
    texts = (one, two, three)
    ends = (0, 0, 0)
    for starts, length in iter_common_runs(texts):
        assert all(start >= end for start, end in zip(starts, ends, strict=True))
        assert len({tuple(text[s : s + length]) for text, s in zip(texts, starts, strict=True)}) == 1
        ends = (starts[0] + length, starts[1] + length, starts[2] + length)


@given(LINES, LINES)
def test_common_prefix_has_its_length(one: list[bytes], other: list[bytes]) -> None:
    count = common_prefix_length(one, other)
    assert one[:count] == other[:count]
    assert one[count : count + 1] != other[count : count + 1] or count == len(one) == len(other)
